// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/model_run.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <list>

#include "tests/fuzz/guarded_block.h"
#include "tests/hostile/open_and_run.h"

namespace weft::fuzz {
namespace {

constexpr long kMicroseconds = 5000;  // of processor time, for each call

void FillBytes(Block block, unsigned fill) {
  constexpr int kBytes[kFills] = {0x00, 0xFF, 0x01, 0x7F, -1};
  if (block.bytes == 0) return;
  if (kBytes[fill] >= 0) {
    std::memset(block.data, kBytes[fill], block.bytes);
    return;
  }
  Random random(7);
  auto* bytes = static_cast<uint8_t*>(block.data);
  for (size_t i = 0; i < block.bytes; ++i) bytes[i] = static_cast<uint8_t>(random() >> 8);
}

template <typename T>
void PutNumber(uint8_t* to, size_t bytes, T number) {
  std::memcpy(to, &number, std::min(bytes, sizeof number));
}

// Extreme numbers of the type of a port.
void FillExtremes(const Tensor& tensor, Random& random) {
  constexpr int64_t kIntegers[] = {0, -1, 1, INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, 127, -128};
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kFloats[] = {0.0f,  -0.0f, 1e-45f,     -3.4e38f,  3.4e38f,
                               65520, 0.5f,  2147483648, kInfinity, -kInfinity};
  const size_t step = std::max<size_t>(1, BitsOf(tensor.type) / 8);
  auto* to = static_cast<uint8_t*>(tensor.data);
  for (size_t at = 0; at + step <= tensor.bytes; at += step) {
    const float number = Below(random, 11) == 0 ? std::nanf("") : PickFrom(random, kFloats);
    if (tensor.type == Type::kF32) {
      PutNumber(to + at, step, number);
    } else if (tensor.type == Type::kF64) {
      PutNumber(to + at, step, static_cast<double>(number) * 1e30);
    } else {
      PutNumber(to + at, step, PickFrom(random, kIntegers));
    }
  }
}

// Small numbers, any bits or extreme numbers.
void FillTensor(const Tensor& tensor, unsigned kind, Random& random) {
  if (kind == 2) return FillExtremes(tensor, random);
  const size_t step = std::max<size_t>(1, BitsOf(tensor.type) / 8);
  auto* to = static_cast<uint8_t*>(tensor.data);
  for (size_t at = 0; at + step <= tensor.bytes; at += step) {
    const auto number = static_cast<uint32_t>(random());
    if (kind == 1) {
      for (size_t i = 0; i < step; ++i) to[at + i] = static_cast<uint8_t>(random() >> 8);
    } else if (tensor.type == Type::kF32) {
      PutNumber(to + at, step, static_cast<float>(number % 4096) / 1024 - 2);
    } else {
      PutNumber(to + at, step, static_cast<int64_t>(number % 5));
    }
  }
}

// Guarded memory for every block (open_and_run.h).
class GuardedRig {
 public:
  GuardedRig(const Variation& variation, size_t alignment)
      : variation_(variation), alignment_(alignment) {}
  Block NewBlock(size_t bytes) {
    const Block block = blocks_.emplace_back(bytes, alignment_, variation_.at_begin).block();
    FillBytes(block, variation_.fill);
    return block;
  }
  void FillInputs(const Engine& engine) {
    for (uint32_t port = 0; port < engine.input_count(); ++port)
      FillTensor(engine.input(port), variation_.inputs, random_);
  }
  template <typename F>
  bool Call(const F& call) {
    const bool returned = test::GuardedCall(kMicroseconds, call) == test::CallEnd::kReturned;
    all_returned_ = all_returned_ && returned;
    return returned;
  }
  void RestoreState(Block state) const { FillBytes(state, kFills - 1); }
  void Expect(bool holds, const char* what) const {
    if (!holds) Finding(what);
  }
  bool all_returned() const { return all_returned_; }

 private:
  const Variation variation_;
  const size_t alignment_;
  const test::SignalCatcher catcher_{test::Caught::kTimer};
  Random random_{1};
  std::list<GuardedBlock> blocks_;
  bool all_returned_ = true;
};

// A copy of a model file that must not be written.
class GuardedFile {
 public:
  explicit GuardedFile(Input file) : file_(file), block_(file.size(), kModelAlignment, false) {
    if (!file.empty()) std::memcpy(block_.data(), file.data(), file.size());
  }
  ~GuardedFile() {
    if (!file_.empty() && std::memcmp(block_.data(), file_.data(), file_.size()) != 0)
      Finding("the runtime wrote to the model");
  }
  GuardedFile(const GuardedFile&) = delete;
  GuardedFile& operator=(const GuardedFile&) = delete;
  Bytes bytes() const { return block_.bytes(); }

 private:
  const Input file_;
  const GuardedBlock block_;
};

// The alignment that the file requires, or the maximum if it is invalid.
size_t AlignmentOf(Bytes file) {
  Needs needs;
  return ReadNeeds(file, &needs).ok() ? needs.alignment : kMemoryAlignment;
}

void AppendOutputs(const Engine& engine, std::string& outputs) {
  for (uint32_t port = 0; port < engine.output_count(); ++port) {
    const Tensor tensor = engine.output(port);
    outputs.append(static_cast<const char*>(tensor.data), tensor.bytes);
    outputs += '|';
  }
}

std::string Text(const Fault& fault) {
  char text[200];
  Describe(fault, text, sizeof text);
  return text;
}

}  // namespace

Variation VariationOf(unsigned number) {
  return {number % kFills, number / kFills % 2 != 0, number / kFills / 2 % kInputKinds};
}

bool UseModel(Input file, const Variation& variation) {
  const GuardedFile guarded(file);
  GuardedRig rig(variation, AlignmentOf(guarded.bytes()));
  return test::OpenAndRun(rig, guarded.bytes()) == test::Fate::kOpened && rig.all_returned();
}

std::optional<std::string> OutputsOf(Input file, const Variation& variation) {
  constexpr uint32_t kMaxBytes = 8u << 20;
  const GuardedFile guarded(file);
  Needs needs;
  if (const Fault fault = ReadNeeds(guarded.bytes(), &needs); !fault.ok())
    Finding("ReadNeeds rejected a file of the converter: " + Text(fault));
  if (needs.state_bytes > kMaxBytes || needs.scratch_bytes > kMaxBytes) return std::nullopt;
  GuardedRig rig(variation, needs.alignment);
  Memory memory = {rig.NewBlock(needs.state_bytes), rig.NewBlock(needs.scratch_bytes)};
  Engine engine;
  if (const Fault fault = Engine::Open(guarded.bytes(), AllSteps(), memory, &engine); !fault.ok())
    Finding("Open rejected a file of the converter: " + Text(fault));
  Fault plan;
  const bool is_checked = engine.MaxSteps() <= test::kMaxSteps && rig.Call([&] {
    Engine checked;
    plan = Engine::OpenChecked(guarded.bytes(), AllSteps(), memory, {}, &checked);
  });
  if (!is_checked) return std::nullopt;
  if (!plan.ok() && plan.code != FaultCode::kPlanNumberAbsent)
    Finding("OpenChecked rejected a file of the converter: " + Text(plan));
  // OpenChecked wrote to the memory.
  FillBytes(memory.state, variation.fill);
  FillBytes(memory.scratch, variation.fill);
  (void)Engine::Open(guarded.bytes(), AllSteps(), memory, &engine);
  std::string outputs;
  for (int run = 0; run < 2; ++run) {
    rig.FillInputs(engine);
    if (!rig.Call([&engine] { (void)engine.Run(); })) return std::nullopt;
    AppendOutputs(engine, outputs);
  }
  Fault test;
  Mismatch first;
  if (!rig.Call([&] { test = engine.SelfTest(&first); })) return std::nullopt;
  if (!test.ok() && test.code != FaultCode::kSelfTestAbsent)
    Finding("SelfTest rejected a file of the converter: " + Text(test));
  return outputs;
}

}  // namespace weft::fuzz
