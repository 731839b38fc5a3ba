// SPDX-License-Identifier: Apache-2.0
// No output depends on the previous contents of memory. Every model runs over state and scratch
// that are filled with one of five patterns before Open, scratch again before each run, and gives
// the same bits.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/element.h"
#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/made_inputs.h"
#include "tests/device/stored_models.h"
#include "tests/runtime/listing_builder.h"

namespace weft {
namespace {

constexpr int kRuns = 3;
// The first one is replaced by random bytes. As floats the others are zeros, NaNs, tiny and huge
// numbers.
constexpr unsigned char kFills[] = {0x5A, 0x00, 0xFF, 0x01, 0x7F};
constexpr size_t kFillCount = sizeof(kFills);
constexpr size_t kRandom = 0;

void Fill(const ExactBytes& block, size_t fill) {
  if (block.size() == 0) return;
  std::memset(block.data(), kFills[fill], block.size());
  if (fill != kRandom) return;
  uint32_t random = 1;
  for (size_t i = 0; i < block.size(); ++i) {
    random = random * 1664525u + 1013904223u;
    block.data()[i] = static_cast<std::byte>(random >> 24);
  }
}

void Append(const Tensor& tensor, Buffer& bytes) {
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    bytes.push_back(static_cast<unsigned char>(tensor.dims[i]));
  }
  const auto* first = tensor.as<unsigned char>();
  bytes.insert(bytes.end(), first, first + tensor.bytes);
}

// All outputs of the runs, and their dims; empty if the model cannot be opened.
Buffer RunFilled(const ExactBytes& model, size_t fill) {
  Needs needs;
  EXPECT_TRUE(ReadNeeds(model.bytes(), &needs).ok());
  const ExactBytes state(needs.state_bytes), scratch(needs.scratch_bytes);
  std::vector<ExactBytes> more;
  Memory memory = {state.block(), scratch.block()};
  for (size_t i = 0; i < std::size(needs.more_scratch_bytes); ++i) {
    memory.more_scratch[i] = more.emplace_back(needs.more_scratch_bytes[i]).block();
  }
  Fill(state, fill);
  Engine engine;
  const Fault fault = Engine::Open(model.bytes(), AllSteps(), memory, &engine);
  EXPECT_TRUE(fault.ok());
  if (!fault.ok()) return {};
  Buffer outputs;
  uint32_t random = 1;
  for (int run = 0; run < kRuns; ++run) {
    Fill(scratch, fill);
    for (const ExactBytes& block : more) Fill(block, fill);
    for (uint32_t i = 0; i < engine.input_count(); ++i) FillInput(engine.input(i), random);
    // These inputs may set a count above its maximum.
    const FaultCode code = engine.Run().code;
    EXPECT_TRUE(code == FaultCode::kNone || code == FaultCode::kTripLimit);
    for (uint32_t i = 0; i < engine.output_count(); ++i) Append(engine.output(i), outputs);
  }
  return outputs;
}

// An emulated board compares the first fill with one other, a different one per model; a desktop
// tries all of them.
size_t BytesCompared(const std::string& path, size_t permutation) {
  SCOPED_TRACE(path);
  const auto model = ReadModelFile(path);
  const Buffer expected = RunFilled(*model, kRandom);
  for (size_t fill = kRandom + 1; fill < kFillCount; ++fill) {
    if (kernels::kIsMicrocontroller && fill != 1 + permutation % (kFillCount - 1)) continue;
    EXPECT_TRUE(RunFilled(*model, fill) == expected)
        << "outputs change with memory that was full of " << int{kFills[fill]};
  }
  return expected.size();
}

TEST(Poison, ReachesNoOutputOfAnyModel) {
  const std::vector<StoredCase> cases = StoredCases();
  EXPECT_GT(cases.size(), 1000u);
  size_t bytes = 0;
  for (size_t i = 0; i < cases.size(); ++i) bytes += BytesCompared(ModelPath(cases[i].name), i);
  EXPECT_GT(bytes, 10 * cases.size());
}

TEST(Poison, ReachesNoOutputOfAnyStream) {
  size_t count = 0;
  for (const auto& [name, model] : StreamedModels()) BytesCompared(StreamedPath(name), count++);
  EXPECT_GT(count, 200u);
}

// Checks the test: a model whose output is the previous contents of its scratch must fail.
TEST(Poison, IsSeenWhereAnOutputIsNeverWritten) {
  test::ListingBuilder b;
  b.Output(b.Scratch(test::ElementType::f32, {4}), {"y"});
  const ExactBytes model = b.Finish();
  for (size_t fill = 1; fill < kFillCount; ++fill) {
    EXPECT_NE(RunFilled(model, fill), RunFilled(model, kRandom));
  }
}

}  // namespace
}  // namespace weft
