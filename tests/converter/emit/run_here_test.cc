// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/run_here.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include "converter/program/builder.h"

namespace weft::emit {
namespace {

// y = exp(weights), with an intermediate value.
program::Program Exponentials(const std::vector<float>& weights) {
  program::Program program;
  program::Builder builder(program);
  const TensorType row = {ElementType::f32, {static_cast<int64_t>(weights.size())}};
  const program::ValueId y = builder.Scratch(row);
  format::UnaryParams exp;
  exp.mutate_count(static_cast<uint32_t>(weights.size()));
  exp.mutable_activation().mutate_op(format::UnaryOp::exp);
  builder.Emit(exp, {builder.WeightsOf(row, weights)}, {y});
  program.outputs.push_back({y, {"y"}});
  return program;
}

TEST(RunHere, GivesTheBytesOfEachOutput) {
  const program::ProgramRun run = RunHere(Exponentials({0, 0, 0}), 1024);
  EXPECT_EQ(run.fault, "");
  EXPECT_EQ(run.scratch_bytes, 16);
  ASSERT_EQ(run.outputs.size(), 1u);
  ASSERT_EQ(run.outputs[0].size(), 3 * sizeof(float));
  std::vector<float> y(3);
  std::memcpy(y.data(), run.outputs[0].data(), run.outputs[0].size());
  EXPECT_EQ(y, (std::vector<float>{1, 1, 1}));
}

TEST(RunHere, DoesNotRunWhatNeedsMoreScratchThanGranted) {
  const program::ProgramRun run = RunHere(Exponentials({0, 0, 0}), 15);
  EXPECT_EQ(run.fault, "");
  EXPECT_EQ(run.scratch_bytes, 16);
  EXPECT_TRUE(run.outputs.empty());
}

TEST(RunHere, SaysWhyAProgramCannotRun) {
  program::Program program = Exponentials({0});
  program.values[program.outputs[0].value].bytes = int64_t{1} << 40;
  const program::ProgramRun run = RunHere(std::move(program), INT64_MAX);
  EXPECT_EQ(run.fault.find("plan: scratch needs 1099511627776 bytes"), 0u) << run.fault;
  EXPECT_TRUE(run.outputs.empty());
}

}  // namespace
}  // namespace weft::emit
