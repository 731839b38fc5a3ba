// SPDX-License-Identifier: Apache-2.0
// Cost of each step of model files on a board: weft_size_steps LIST, a file with one model a line.
// Each model runs from its initial state with each kind of input below. Prints, in ticks of
// SysTick:
//
//   clock TICKS                        between two readings, included in every number of a step
//   model FILE TICKS                   maximum of a run without a profile
//   INDEX CALLS LEAST MOST             for each step: calls in a run, ticks of one call
//
// Under an emulator that counts instructions, a tick is a fixed part of an instruction.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "runtime/weft.h"
#include "tests/device/made_inputs.h"
#include "tests/device/zeroed_memory.h"
#include "tests/size/ticks.h"

namespace {

enum class Data { kOrdinary, kZeros, kLarge, kLargeNegative, kHuge, kNan, kInfinite, kMixed };
constexpr Data kAllData[] = {Data::kOrdinary, Data::kZeros, Data::kLarge,    Data::kLargeNegative,
                             Data::kHuge,     Data::kNan,   Data::kInfinite, Data::kMixed};

float FloatOf(Data data, size_t i, float ordinary) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const float mixed[] = {ordinary, 1e-40f, -kInfinity, kNan, 30 * ordinary, -0.0f, 3e38f};
  switch (data) {
    case Data::kOrdinary:
      return ordinary;
    case Data::kZeros:
      return 0;
    case Data::kLarge:
      return 1e4f;
    case Data::kLargeNegative:
      return -1e4f;
    case Data::kHuge:
      return 3e38f;  // the sine reduces it to a wrong angle, which it limits
    case Data::kNan:
      return kNan;
    case Data::kInfinite:
      return kInfinity;
    case Data::kMixed:
      break;
  }
  return mixed[i % 7];
}

// Booleans and integers wider than a byte, such as indices and lengths, keep ordinary numbers.
void Fill(const weft::Tensor& tensor, Data data, uint32_t& random) {
  weft::FillInput(tensor, random);
  if (tensor.type == weft::Type::kF32) {
    for (size_t i = 0; i < tensor.bytes / sizeof(float); ++i) {
      tensor.as<float>()[i] = FloatOf(data, i, tensor.as<float>()[i]);
    }
  } else if (data != Data::kOrdinary && weft::BitsOf(tensor.type) == 8 &&
             tensor.type != weft::Type::kBool) {
    for (size_t i = 0; i < tensor.bytes; ++i) {
      const int code = data == Data::kZeros           ? 0
                       : data == Data::kLarge         ? 0x7F
                       : data == Data::kLargeNegative ? 0x80
                                                      : static_cast<int>(i * 37 + random);
      tensor.as<unsigned char>()[i] = static_cast<unsigned char>(code);
    }
  }
}

struct StepTicks {
  uint32_t calls = 0, max_calls = 0, least = kTicks, most = 0;
};

uint64_t Now(void*) { return kTicks - *kCount; }

void AddStep(void* user, uint32_t step, uint64_t begin, uint64_t end) {
  StepTicks& row = (*static_cast<std::vector<StepTicks>*>(user))[step];
  const uint32_t ticks = static_cast<uint32_t>(end - begin) & kTicks;
  ++row.calls;
  if (ticks < row.least) row.least = ticks;
  if (ticks > row.most) row.most = ticks;
}

uint32_t ClockTicks() {
  uint32_t least = kTicks;
  for (int i = 0; i < 64; ++i) {
    const uint64_t begin = Now(nullptr);
    const uint32_t ticks = static_cast<uint32_t>(Now(nullptr) - begin) & kTicks;
    if (ticks < least) least = ticks;
  }
  return least;
}

weft::Fault RunWith(weft::Engine& engine, Data data, uint32_t* ticks) {
  engine.Reset();
  uint32_t random = 1;
  weft::Fault fault;
  for (int run = 0; run < 2 && fault.ok(); ++run) {
    for (uint32_t i = 0; i < engine.input_count(); ++i) Fill(engine.input(i), data, random);
    const uint32_t start = *kCount;
    fault = engine.Run();
    const uint32_t needed = TicksSince(start);
    if (fault.code == weft::FaultCode::kTripLimit) fault = {};  // after all steps
    if (needed > *ticks) *ticks = needed;
  }
  return fault;
}

weft::Fault Measure(weft::Engine& engine, std::vector<StepTicks>* rows, uint32_t* run_ticks) {
  rows->assign(engine.step_count(), {});
  const weft::Profile profile = {Now, AddStep, rows};
  weft::Fault fault;
  for (const Data data : kAllData) {
    engine.SetProfile(nullptr);
    if (fault.ok()) fault = RunWith(engine, data, run_ticks);
    engine.SetProfile(&profile);
    uint32_t profiled = 0;
    if (fault.ok()) fault = RunWith(engine, data, &profiled);
    for (StepTicks& row : *rows) {
      if (row.calls > row.max_calls) row.max_calls = row.calls;
      row.calls = 0;
    }
  }
  return fault;
}

bool MeasureFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const weft::ZeroedMemory file(stream ? static_cast<size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(static_cast<char*>(file.block.data), static_cast<std::streamsize>(file.block.bytes));
  const weft::Bytes bytes = {file.block.data, file.block.bytes};
  weft::Needs needs;
  weft::Fault fault = weft::ReadNeeds(bytes, &needs);
  const weft::ZeroedMemory state(fault.ok() ? needs.state_bytes : 0);
  const weft::ZeroedMemory scratch(fault.ok() ? needs.scratch_bytes : 0);
  weft::Memory memory;
  memory.state = state.block;
  memory.scratch = scratch.block;
  weft::Engine engine;
  if (fault.ok()) fault = weft::Engine::Open(bytes, weft::AllSteps(), memory, &engine);
  std::vector<StepTicks> rows;
  uint32_t run_ticks = 0;
  if (fault.ok()) fault = Measure(engine, &rows, &run_ticks);
  if (!fault.ok()) {
    std::printf("%s: fault %u\n", path.c_str(), static_cast<unsigned>(fault.code));
    return false;
  }
  std::printf("model %s %u\n", path.c_str(), static_cast<unsigned>(run_ticks));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].max_calls == 0) continue;
    std::printf("%u %u %u %u\n", static_cast<unsigned>(i),
                static_cast<unsigned>(rows[i].max_calls / 2), static_cast<unsigned>(rows[i].least),
                static_cast<unsigned>(rows[i].most));
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  StartTicks();
  std::printf("clock %u\n", static_cast<unsigned>(ClockTicks()));
  std::ifstream list(arguments[1]);
  bool ok = true;
  for (std::string path; std::getline(list, path);) ok = MeasureFile(path) && ok;
  return ok ? 0 : 1;
}
