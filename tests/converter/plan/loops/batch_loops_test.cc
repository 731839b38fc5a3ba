// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "converter/plan/loops/loop_passes.h"
#include "tests/converter/plan/elementwise.h"
#include "tests/converter/program_runner.h"

namespace weft::plan {
namespace {

constexpr int64_t kRows = 7, kKeys = 40, kDepth = 5;

// Where a matrix of a batch begins: after the one before, or in each row after its part of the row.
enum class Heads : uint8_t { kOuter, kInner };

// softmax(-(q k)) v for each head.
struct Attention {
  program::Program program;
  program::Builder builder{program};
  int64_t heads;
  program::ValueId scores = program::kNone;

  explicit Attention(int64_t of_heads, Heads of_queries = Heads::kOuter,
                     Heads of_values = Heads::kOuter)
      : heads(of_heads) {
    const program::ValueId q = Input({heads, kRows, kDepth}), k = Input({heads, kDepth, kKeys}),
                           v = Input({heads, kKeys, kDepth});
    scores = Product(q, k, {kRows, kKeys, kDepth}, of_queries, Heads::kOuter);
    const program::ValueId weights = Softmax(Unary(builder, format::UnaryOp::negative, scores));
    Output(Product(weights, v, {kRows, kDepth, kKeys}, Heads::kOuter, of_values));
  }

  program::ValueId Input(const Dims& dims) {
    const program::ValueId value = builder.Scratch({ElementType::f32, dims});
    program.inputs.push_back({value, {"x" + std::to_string(value)}});
    return value;
  }
  void Output(program::ValueId value) {
    program.outputs.push_back({value, {"y" + std::to_string(program.outputs.size())}});
  }

  struct Extents {
    int64_t rows, columns, inner;
  };
  program::ValueId Product(program::ValueId a, program::ValueId b, Extents extents, Heads of_a,
                           Heads of_b) {
    const auto number = [](int64_t n) { return static_cast<uint32_t>(n); };
    format::MatmulParams params;
    params.mutate_batch_rank(1);
    params.mutable_batch_dims()->Mutate(0, number(heads));
    params.mutate_rows(number(extents.rows));
    params.mutate_columns(number(extents.columns));
    params.mutate_inner(number(extents.inner));
    const bool a_inner = of_a == Heads::kInner, b_inner = of_b == Heads::kInner;
    params.mutable_a_batch_strides()->Mutate(
        0, number(a_inner ? extents.inner : extents.rows * extents.inner));
    params.mutate_a_row_stride(number(extents.inner * (a_inner ? heads : 1)));
    params.mutate_a_inner_stride(1);
    params.mutable_b_batch_strides()->Mutate(
        0, number(b_inner ? extents.columns : extents.inner * extents.columns));
    params.mutate_b_inner_stride(number(extents.columns * (b_inner ? heads : 1)));
    params.mutate_b_column_stride(1);
    params.mutate_type(ElementType::f32);
    const program::ValueId y =
        builder.Scratch({ElementType::f32, {heads, extents.rows, extents.columns}});
    builder.Emit(params, {a, b}, {y});
    return y;
  }

  program::ValueId Softmax(program::ValueId x) {
    format::SoftmaxParams params;
    params.mutate_outer(static_cast<uint32_t>(heads * kRows));
    params.mutate_axis(static_cast<uint32_t>(kKeys));
    params.mutate_inner(1);
    const program::ValueId y = builder.Scratch(builder.value(x).type);
    builder.Emit(params, {x}, {y});
    return y;
  }

  std::vector<std::vector<float>> Inputs() const {
    std::vector<std::vector<float>> inputs;
    for (const program::Port& port : program.inputs) {
      std::vector<float>& numbers = inputs.emplace_back();
      const auto count = static_cast<size_t>(program.values[port.value].bytes / 4);
      for (size_t i = 0; i < count; ++i)
        numbers.push_back(std::sin(static_cast<float>(i * (inputs.size() + 1))));
    }
    return inputs;
  }
};

size_t LoopsIn(const program::Program& program) {
  size_t loops = 0;
  for (const program::Section& section : program.sections) loops += section.loop.has_value();
  return loops;
}

// Expects the bits of the program without loops.
void ExpectOneLoop(const Attention& attention, const std::string& what) {
  program::Program looped = attention.program;
  ASSERT_TRUE(RunByBatch(looped)) << what;
  EXPECT_EQ(LoopsIn(looped), 1u) << what;
  EXPECT_EQ(looped.sections[0].trip_count, attention.heads) << what;
  EXPECT_FALSE(RunByBatch(looped)) << what;
  const std::vector<std::vector<float>> expected = RunFloats(attention.program, attention.Inputs());
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(RunFloats(looped, attention.Inputs()), expected) << what;
}

TEST(RunByBatch, HasTheScoresOfOneHead) {
  for (const int64_t heads : {2, 3, 8}) {
    const Attention attention(heads);
    ExpectOneLoop(attention, std::to_string(heads));
    program::Program looped = attention.program;
    ASSERT_TRUE(RunByBatch(looped));
    // Queries, keys, values and results of all heads, scores of one.
    const int64_t ports = heads * 2 * (kRows + kKeys) * kDepth * 4, scores = kRows * kKeys * 4;
    EXPECT_LE(ScratchOf(looped), ports + scores + 5 * kScratchAlignment) << heads;
    EXPECT_GE(ScratchOf(attention.program), heads * (scores + kKeys * kDepth * 4)) << heads;
  }
}

TEST(RunByBatch, ReadsHeadsWithinRows) {
  ExpectOneLoop(Attention(3, Heads::kInner, Heads::kOuter), "queries");
  ExpectOneLoop(Attention(3, Heads::kOuter, Heads::kInner), "values");
  ExpectOneLoop(Attention(4, Heads::kInner, Heads::kInner), "both");
}

// One layer's outputs are the queries of the next one.
TEST(RunByBatch, RunsEachLayerInItsLoop) {
  Attention attention(3);
  const program::ValueId q = attention.program.outputs[0].value;
  const program::ValueId k = attention.Input({3, kDepth, kKeys});
  const program::ValueId v = attention.Input({3, kKeys, kDepth});
  const program::ValueId scores =
      attention.Product(q, k, {kRows, kKeys, kDepth}, Heads::kOuter, Heads::kOuter);
  attention.Output(attention.Product(attention.Softmax(scores), v, {kRows, kDepth, kKeys},
                                     Heads::kOuter, Heads::kOuter));
  program::Program looped = attention.program;
  ASSERT_TRUE(RunByBatch(looped));
  EXPECT_EQ(RunFloats(looped, attention.Inputs()),
            RunFloats(attention.program, attention.Inputs()));
}

// Scores that are also an output are gathered for all heads.
TEST(RunByBatch, KeepsScoresThatAreAnOutput) {
  Attention attention(3);
  attention.Output(attention.scores);
  program::Program looped = attention.program;
  (void)RunByBatch(looped);
  EXPECT_EQ(RunFloats(looped, attention.Inputs()),
            RunFloats(attention.program, attention.Inputs()));
}

TEST(RunByBatch, LeavesAloneFewHeadsAndStepsThatMixHeads) {
  for (const int64_t heads : {0, 1}) {
    program::Program few = Attention(heads).program;
    EXPECT_FALSE(RunByBatch(few)) << heads;
  }
  Attention mixed(3);
  program::Program& program = mixed.program;
  for (program::Item& item : program.blocks[0].items) {
    auto* softmax = std::get_if<format::SoftmaxParams>(&std::get<program::Step>(item).params);
    if (softmax == nullptr) continue;
    softmax->mutate_outer(1);  // over the heads
    softmax->mutate_axis(3);
    softmax->mutate_inner(static_cast<uint32_t>(kRows * kKeys));
  }
  const program::Program before = program;
  EXPECT_FALSE(RunByBatch(program));
  EXPECT_EQ(LoopsIn(program), 0u);
  EXPECT_EQ(RunFloats(program, mixed.Inputs()), RunFloats(before, mixed.Inputs()));
}

}  // namespace
}  // namespace weft::plan
