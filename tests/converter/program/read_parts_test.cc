// SPDX-License-Identifier: Apache-2.0
// Parts of values that are read in place, and those that must still be copied. Every program runs
// with and without its copies; both results must be bit-identical.
#include <gtest/gtest.h>

#include <algorithm>

#include "converter/program/builder.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/passes.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using KindList = std::vector<StepKind>;

std::vector<float> Ramp(int64_t count) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(i * 37 % 101) - 50);
  return numbers;
}

program::Program WithoutCopies(const program::Program& program) {
  program::Program read = program;
  program::ReadParts(read);
  std::vector<std::vector<float>> inputs;
  for (const program::Port& port : program.inputs) {
    inputs.push_back(Ramp(program.values[port.value].bytes / 4));
  }
  EXPECT_EQ(RunFloats(read, inputs), RunFloats(program, inputs));
  return read;
}

struct PartsInPlace : testing::Test {
  GraphBuilder g;

  ir::Source Slice(ir::Source x, int64_t axis, int64_t begin, int64_t end, int64_t step = 1) {
    return g.Add("Slice", 8, {x, g.Ints({begin}), g.Ints({end}), g.Ints({step}), g.Ints({axis})});
  }
  // A 3 x 3 convolution with padding of [N, H, W, C].
  ir::Source Convolved(ir::Source x, int64_t inputs, int64_t outputs) {
    const ir::Source filters = g.Floats({outputs, inputs, 3, 3}, Ramp(outputs * inputs * 9));
    return g.Add("Convolution", 1, {x, filters},
                 {{"strides", "1,1"},
                  {"dilations", "1,1"},
                  {"pads_begin", "1,1"},
                  {"pads_end", "1,1"},
                  {"x_last", "1"},
                  {"y_last", "1"}});
  }
  program::Program Read() {
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    program::Program program = g.Lower();
    program::FuseTails(program);
    return WithoutCopies(program);
  }
};

TEST_F(PartsInPlace, ChannelsThatStandLastAreReadByStrides) {
  const ir::Source x = g.Parameter(F32({2, 5, 4, 7}));
  const ir::Source first = Convolved(Slice(x, 3, 0, 3), 3, 4);
  const ir::Source second = Convolved(Slice(x, 3, 3, 7), 4, 5);
  g.Result(first);
  g.Result(second);
  g.Result(Convolved(x, 7, 2));
  const program::Program read = Read();
  ASSERT_EQ(Kinds(read), (KindList{StepKind::kConv, StepKind::kConv, StepKind::kConv}));
  for (size_t i = 0; i < 3; ++i) {
    const auto x_strides = ParamsAt<format::ConvParams>(read, i).x();
    EXPECT_EQ(x_strides.channel(), 1u);
    EXPECT_EQ(x_strides.pixel(), 7u);
    EXPECT_EQ(x_strides.row(), 28u);
    EXPECT_EQ(x_strides.image(), 140u);
    EXPECT_EQ(program::Resolve(read, Steps(read)[i].inputs[0]).root, read.inputs[0].value);
  }
}

// The rows of the first half that a window needs.
TEST_F(PartsInPlace, RowsOfAPartAreReadByStrides) {
  const ir::Source x = g.Parameter(F32({1, 9, 5, 8}));
  const ir::Source half = Slice(x, 3, 0, 4);
  g.Result(Convolved(Slice(half, 1, 4, 9), 4, 3));
  g.Result(Convolved(Slice(x, 3, 4, 8), 4, 2));
  const program::Program read = Read();
  ASSERT_EQ(Kinds(read), (KindList{StepKind::kConv, StepKind::kConv}));
  for (size_t i = 0; i < 2; ++i) {
    const auto x_strides = ParamsAt<format::ConvParams>(read, i).x();
    EXPECT_EQ(x_strides.pixel(), 8u);
    EXPECT_EQ(x_strides.row(), 40u);
    const program::Location at = program::Resolve(read, Steps(read)[i].inputs[0]);
    EXPECT_EQ(at.root, read.inputs[0].value);
    EXPECT_EQ(at.offset_bytes, i == 0 ? 4 * 40 * 4 : 4 * 4);
  }
}

// A gate: one step reads both halves. Its traversal of 40 numbers becomes one of 5 rows.
TEST_F(PartsInPlace, HalvesOfRowsMeetInOneStep) {
  const ir::Source x = g.Parameter(F32({5, 16}));
  g.Result(g.Add("Multiply", 1, {Slice(x, 1, 0, 8), Slice(x, 1, 8, 16)}));
  const program::Program read = Read();
  ASSERT_EQ(Kinds(read), (KindList{StepKind::kBinary}));
  const auto params = ParamsAt<format::BinaryParams>(read);
  EXPECT_EQ(params.rank(), 2u);
  EXPECT_EQ(params.dims()->Get(1), 8u);
  EXPECT_EQ(params.a_strides()->Get(0), 16u);
  EXPECT_EQ(params.b_strides()->Get(0), 16u);
}

TEST_F(PartsInPlace, AStepWithoutStridesHasItsCopy) {
  const ir::Source x = g.Parameter(F32({5, 16}));
  const ir::Source gate = g.Add("Sigmoid", 1, {Slice(x, 1, 8, 16)});
  g.Result(g.Add("Multiply", 1, {Slice(x, 1, 0, 8), gate}));
  EXPECT_EQ(Kinds(Read()), (KindList{StepKind::kCopy, StepKind::kUnary, StepKind::kBinary}));
}

TEST_F(PartsInPlace, ShortRowsStayCopies) {
  const ir::Source x = g.Parameter(F32({5, 6}));
  g.Result(g.Add("Multiply", 1, {Slice(x, 1, 0, 3), Slice(x, 1, 3, 6)}));
  EXPECT_EQ(Kinds(Read()), (KindList{StepKind::kCopy, StepKind::kCopy, StepKind::kBinary}));
}

TEST_F(PartsInPlace, OneCopyPutsAPartWhereTwoDid) {
  const ir::Source x = g.Parameter(F32({5, 6})), other = g.Parameter(F32({5, 4}));
  g.Result(g.Add("Concat", 1, {Slice(x, 1, 3, 6), other, x}, {{"axis", "1"}}));
  EXPECT_EQ(Kinds(Read()), (KindList{StepKind::kCopy, StepKind::kCopy, StepKind::kCopy}));
}

// For example, the output of a recurrent layer over a reversed sequence.
TEST_F(PartsInPlace, OneCopyReversesAndJoins) {
  const ir::Source x = g.Parameter(F32({5, 4})), other = g.Parameter(F32({5, 4}));
  const ir::Source reversed = Slice(x, 0, -1, -6, -1);
  g.Result(g.Add("Concat", 1, {other, reversed}, {{"axis", "1"}}));
  EXPECT_EQ(Kinds(Read()), (KindList{StepKind::kCopy, StepKind::kCopy}));
}

// Every second number of a row, and rows in reverse order.
TEST_F(PartsInPlace, NumbersThatAreNoNeighboursAreCopied) {
  const ir::Source x = g.Parameter(F32({5, 32})), other = g.Parameter(F32({5, 16}));
  g.Result(g.Add("Add", 1, {Slice(x, 1, 0, 32, 2), other}));
  g.Result(g.Add("Add", 1, {Slice(x, 0, -1, -6, -1), x}));
  const KindList kinds = Kinds(Read());
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kCopy), 2);
}

// The large source would be live together with another large value that is computed later.
TEST_F(PartsInPlace, APartIsCopiedWhereItsWholeWouldOutliveItself) {
  const ir::Source x = g.Parameter(F32({1, 16}));
  const ir::Source whole = g.Add("Add", 1, {g.Parameter(F32({50, 16})), x});
  const ir::Source part = Slice(whole, 1, 0, 8);
  const ir::Source sum = g.Add("ReduceSum", 1, {whole, g.Ints({0, 1})}, {{"keep_dims", "1"}});
  const ir::Source large = g.Add("Add", 1, {sum, g.Parameter(F32({60, 16}))});
  const ir::Source end = g.Add("ReduceSum", 1, {large, g.Ints({0, 1})}, {{"keep_dims", "1"}});
  g.Result(g.Add("Multiply", 1, {part, end}));
  const KindList kinds = Kinds(Read());
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kCopy), 1);
}

// x is copied to `whole`. A part of that is copied to a dense value, `whole` is overwritten or not,
// and the part is added.
TEST(PartsInPlaceOfAProgram, APartIsCopiedBeforeItsWholeIsWrittenAnew) {
  for (const bool anew : {false, true}) {
    program::Program program;
    program::Builder builder(program);
    const program::ValueId x = builder.Scratch(F32({4, 16})), y = builder.Scratch(F32({4, 8}));
    const program::ValueId whole = builder.Scratch(F32({4, 16})),
                           part = builder.Scratch(F32({4, 8}));
    const program::ValueId other = builder.Scratch(F32({4, 8}));
    program.inputs = {{x, {"x"}}, {other, {"other"}}};
    program.outputs = {{y, {"y"}}, {whole, {"whole"}}};
    builder.CopyStrided(x, whole, {16, 4}, {1, 16}, 0, {4, 1}, 0);
    builder.CopyStrided(whole, part, {4, 8}, {16, 1}, 8, {8, 1}, 0);
    if (anew) builder.Fill(whole);
    format::BinaryParams params;
    params.mutate_rank(1);
    params.mutable_dims()->Mutate(0, 32);
    params.mutable_a_strides()->Mutate(0, 1);
    params.mutable_b_strides()->Mutate(0, 1);
    builder.Emit(params, {part, other}, {y});
    const KindList kinds = Kinds(WithoutCopies(program));
    EXPECT_EQ(std::ranges::count(kinds, StepKind::kCopy), anew ? 2 : 1);
  }
}

// Codes of x are split into halves of channels, which int8 steps read.
TEST(PartsInPlaceOfAProgram, Int8StepsReadHalvesOfPixels) {
  program::Program program;
  program::Builder builder(program);
  constexpr uint32_t kPixels = 11, kHalf = 16;
  const program::ValueId x = builder.Scratch(F32({kPixels, 2 * kHalf}));
  const program::ValueId dense = builder.Scratch(F32({kPixels, 3}));
  const program::ValueId depthwise = builder.Scratch(F32({kPixels - 2, kHalf}));
  program.inputs = {{x, {"x"}}};
  program.outputs = {{dense, {"dense"}}, {depthwise, {"depthwise"}}};
  const auto codes = [&](int64_t count) { return builder.Scratch({ElementType::i8, {count}}); };
  const program::ValueId all = codes(kPixels * 2 * kHalf), first = codes(kPixels * kHalf),
                         second = codes(kPixels * kHalf);
  const format::CodeRange range(0, -128, 127, format::Results::codes);
  const format::CodeRange floats(0, 0, 0, format::Results::f32);
  builder.Emit(format::QuantizeParams(kPixels * 2 * kHalf, 2.0f, range), {x}, {all});
  builder.CopyStrided(all, first, {kPixels, kHalf}, {2 * kHalf, 1}, 0, {kHalf, 1}, 0);
  builder.CopyStrided(all, second, {kPixels, kHalf}, {2 * kHalf, 1}, kHalf, {kHalf, 1}, 0);
  const auto weights = [&](int64_t count) {
    std::vector<int8_t> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<int8_t>(i * 37 % 101 - 50));
    return builder.WeightsOf({ElementType::i8, {count}}, numbers);
  };
  const auto scales = [&](int64_t count) {
    return builder.WeightsOf(F32({count}), std::vector<float>(static_cast<size_t>(count), 0.5f));
  };
  builder.Emit(format::DenseQ8Params(kPixels, kHalf, 3, kHalf, 3, 0, format::Activation(), floats),
               {first, weights(4 * 16), scales(3), program::kNone, program::kNone}, {dense});
  builder.Emit(format::DepthwiseQ8Params(
                   1, kHalf, 1, 1, kPixels, 1, kPixels - 2, 1, 3, 1, 1, 1, 1, 0, 0,
                   format::MapStrides(kPixels * kHalf, kPixels * kHalf, kHalf, 1),
                   format::MapStrides((kPixels - 2) * kHalf, (kPixels - 2) * kHalf, kHalf, 1),
                   format::Activation(), floats, 0, 0, 0),
               {second, weights(3 * 16), scales(kHalf), program::kNone, program::kNone},
               {depthwise});
  const program::Program read = WithoutCopies(program);
  ASSERT_EQ(Kinds(read),
            (KindList{StepKind::kQuantize, StepKind::kDenseQ8, StepKind::kDepthwiseQ8}));
  EXPECT_EQ(ParamsAt<format::DenseQ8Params>(read, 1).x_row_stride(), 2 * kHalf);
  EXPECT_EQ(ParamsAt<format::DepthwiseQ8Params>(read, 2).x().pixel(), 2 * kHalf);
}

}  // namespace
}  // namespace weft
