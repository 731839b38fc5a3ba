// SPDX-License-Identifier: Apache-2.0
// Steps that become a chain and steps that must not. Every program runs with and without its
// chains; both results must be bit-identical.
#include "converter/program/chains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "converter/program/builder.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/plan/elementwise.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using format::UnaryOp;
using program::StepKind;
using program::ValueId;
using ChainKinds = std::vector<StepKind>;

std::vector<float> Waves(int64_t count) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(i * 29 % 97) / 32 - 1);
  return numbers;
}

program::Program Chained(const program::Program& program) {
  program::Program chained = program;
  program::JoinChains(chained, 1);
  std::vector<std::vector<float>> inputs;
  for (const program::Port& port : program.inputs) {
    inputs.push_back(Waves(program.values[port.value].bytes / 4));
  }
  const auto apart = RunFloats(program, inputs), joined = RunFloats(chained, inputs);
  EXPECT_EQ(apart.size(), joined.size());
  for (size_t i = 0; i < apart.size() && i < joined.size(); ++i) {
    EXPECT_EQ(std::memcmp(apart[i].data(), joined[i].data(), apart[i].size() * sizeof(float)), 0);
  }
  return chained;
}

struct Chains : testing::Test {
  program::Program program;
  program::Builder builder{program};

  ValueId Input(Dims dims) {
    const ValueId value = builder.Scratch({ElementType::f32, std::move(dims)});
    program.inputs.push_back({value, {"x" + std::to_string(program.inputs.size())}});
    return value;
  }
  void Output(ValueId value) {
    program.outputs.push_back({value, {"y" + std::to_string(program.outputs.size())}});
  }
};

// Functions lowered from graphs, for shapes that broadcast.
struct ChainGraphs : testing::Test {
  GraphBuilder g;

  ir::Source Of(const char* type, std::vector<ir::Source> inputs) {
    return g.Add(type, 1, std::move(inputs));
  }
  program::Program Joined() {
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    return Chained(g.Lower());
  }
};

TEST_F(Chains, JoinsWhatStandsBehindOneAnother) {
  const ValueId a = Input({3, 5}), b = Input({3, 5});
  Output(Unary(builder, UnaryOp::tanh, Add(builder, Unary(builder, UnaryOp::abs, a), b)));
  const program::Program chained = Chained(program);
  ASSERT_EQ(Kinds(chained), (ChainKinds{StepKind::kChain}));
  const auto params = ParamsAt<format::ChainParams>(chained);
  EXPECT_EQ(params.rank(), 1u);
  EXPECT_EQ(params.dims()->Get(0), 15u);
  EXPECT_EQ(params.instructions(), 3);
  EXPECT_EQ(params.registers(), 1);
  EXPECT_EQ(params.staged(), 0);
}

TEST_F(Chains, AreWorthTheirKernel) {
  ValueId value = Input({3});
  for (size_t i = 0; i < program::kMinStepsSpared; ++i) value = Unary(builder, UnaryOp::sin, value);
  Output(value);
  program::Program few = program;
  program::JoinChains(few);
  EXPECT_EQ(Kinds(few), ChainKinds(program::kMinStepsSpared, StepKind::kUnary));
  program.outputs.clear();
  Output(Unary(builder, UnaryOp::sin, value));
  program::JoinChains(program);
  EXPECT_EQ(Kinds(program), (ChainKinds{StepKind::kChain}));
}

TEST_F(Chains, ReadsAValueTwice) {
  const ValueId sum = Add(builder, Input({7}), Input({7}));
  Output(Add(builder, Unary(builder, UnaryOp::sigmoid, sum), Add(builder, sum, sum)));
  const program::Program chained = Chained(program);
  ASSERT_EQ(Kinds(chained), (ChainKinds{StepKind::kChain}));
  EXPECT_EQ(ParamsAt<format::ChainParams>(chained).instructions(), 4);
  EXPECT_EQ(ParamsAt<format::ChainParams>(chained).registers(), 2);
}

TEST_F(Chains, KeepWhatAnythingElseReads) {
  const ValueId sum = Add(builder, Input({7}), Input({7}));
  Output(sum);
  Output(Unary(builder, UnaryOp::tanh, Unary(builder, UnaryOp::abs, sum)));
  EXPECT_EQ(Kinds(Chained(program)), (ChainKinds{StepKind::kBinary, StepKind::kChain}));
}

TEST_F(Chains, HoldSixteenInstructions) {
  ValueId value = Input({9});
  for (int i = 0; i < 33; ++i) value = Unary(builder, UnaryOp::sin, value);
  Output(value);
  const program::Program chained = Chained(program);
  ASSERT_EQ(Kinds(chained), (ChainKinds{StepKind::kUnary, StepKind::kChain, StepKind::kChain}));
  EXPECT_EQ(ParamsAt<format::ChainParams>(chained, 1).instructions(), 16);
}

TEST_F(Chains, HoldSixInputs) {
  ValueId value = Input({9});
  for (int i = 0; i < 8; ++i) value = Add(builder, value, Input({9}));
  Output(value);
  const program::Program chained = Chained(program);
  ASSERT_EQ(Kinds(chained), (ChainKinds{StepKind::kChain, StepKind::kChain}));
  EXPECT_EQ(ParamsAt<format::ChainParams>(chained, 1).instructions(), 5);
}

// The first sum would have to run later, but its operand is overwritten before the second sum.
TEST_F(Chains, LeaveAStepWhoseInputChanges) {
  const ValueId a = Input({5}), b = Input({5}), c = builder.Scratch({ElementType::f32, {5}});
  builder.Copy(a, c);
  const ValueId sum = Add(builder, c, b);
  builder.Copy(b, c);
  Output(Add(builder, sum, c));
  const ChainKinds kinds = Kinds(Chained(program));
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kChain), 0);
}

// Keeping both terms of a sum live until its reader runs, together with a large value, needs more
// bytes than keeping the sum.
TEST_F(Chains, LeaveAStepThatFreesMore) {
  const ValueId a = Unary(builder, UnaryOp::tanh, Input({64}));
  const ValueId sum = Add(builder, a, Unary(builder, UnaryOp::sin, Input({64})));
  const ValueId large = builder.Scratch({ElementType::f32, {640}});
  builder.Fill(large, 0);
  Output(large);
  Output(Unary(builder, UnaryOp::abs, sum));
  EXPECT_EQ(Kinds(Chained(program)),
            (ChainKinds{StepKind::kChain, StepKind::kFill, StepKind::kUnary}));
}

TEST_F(Chains, LeaveIntegersAndClippedFunctions) {
  const ValueId x = Input({5});
  format::UnaryParams params;
  params.mutate_count(5);
  params.mutable_activation() = format::Activation(0, 0, 2, UnaryOp::tanh, 0, 0);
  const ValueId y = builder.Scratch({ElementType::f32, {5}});
  builder.Emit(params, {x}, {y});
  Output(Unary(builder, UnaryOp::abs, y));
  EXPECT_EQ(Kinds(Chained(program)), (ChainKinds{StepKind::kUnary, StepKind::kUnary}));
}

TEST_F(ChainGraphs, HoldNumbersThemselves) {
  const ir::Source x = g.Parameter(F32({2, 6}));
  const ir::Source scaled = Of("Multiply", {x, g.Floats({}, {3})});
  g.Result(Of("Add", {Of("Sin", {scaled}), g.Floats({1, 1}, {0.5f})}));
  const program::Program chained = Joined();
  ASSERT_EQ(Kinds(chained), (ChainKinds{StepKind::kChain}));
  const auto params = ParamsAt<format::ChainParams>(chained);
  EXPECT_EQ(params.constants(), 2);
  EXPECT_EQ(params.numbers()->Get(0), 3.0f);
  EXPECT_EQ(params.numbers()->Get(1), 0.5f);
}

TEST_F(ChainGraphs, StageWhatIsBroadcast) {
  const ir::Source x = g.Parameter(F32({4, 6, 5})), row = g.Parameter(F32({5}));
  const ir::Source plane = g.Parameter(F32({6, 1})), number = g.Parameter(F32({}));
  const ir::Source sum = Of("Add", {Of("Multiply", {x, row}), plane});
  g.Result(Of("Sigmoid", {Of("Subtract", {sum, number})}));
  const program::Program chained = Joined();
  ASSERT_EQ(Kinds(chained), (ChainKinds{StepKind::kChain}));
  const auto params = ParamsAt<format::ChainParams>(chained);
  EXPECT_EQ(params.rank(), 3u);
  EXPECT_EQ(std::popcount(params.staged()), 3);
}

// A value with fewer elements than the result is computed by a separate step.
TEST_F(ChainGraphs, DoNotGrowWhatLiesBetween) {
  const ir::Source x = g.Parameter(F32({4, 6})), row = g.Parameter(F32({6}));
  g.Result(Of("Multiply", {Of("Sin", {row}), Of("Abs", {Of("Tanh", {x})})}));
  EXPECT_EQ(Kinds(Joined()), (ChainKinds{StepKind::kUnary, StepKind::kChain}));
}

}  // namespace
}  // namespace weft
