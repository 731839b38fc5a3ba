// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention: the steps for each kind of mask, shapes, arguments without effect,
// and errors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "converter/graph/lower.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using StepKinds = std::vector<StepKind>;

const std::map<std::string, std::string> kPlain = {{"causal", "false"}};
const std::map<std::string, std::string> kCausal = {{"causal", "true"}};
const StepKinds kUnmasked = {StepKind::kBinary, StepKind::kMatmul, StepKind::kSoftmax,
                             StepKind::kMatmul};

struct Attention : testing::Test {
  GraphBuilder g;

  // Two batches of five queries and six keys of eight elements; value rows of seven elements.
  std::vector<ir::Source> Factors() {
    return {g.Parameter(F32({2, 5, 8})), g.Parameter(F32({2, 6, 8})), g.Parameter(F32({2, 6, 7}))};
  }
  ir::Source Add(std::vector<ir::Source> more = {},
                 const std::map<std::string, std::string>& attributes = kPlain) {
    std::vector<ir::Source> inputs = Factors();
    inputs.insert(inputs.end(), more.begin(), more.end());
    return g.Add("ScaledDotProductAttention", 13, inputs, attributes);
  }
  program::Program Lowered() {
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    return g.Lower();
  }
  std::string Shape(Dims query, Dims key, Dims value) {
    const ir::Source y =
        g.Add("ScaledDotProductAttention", 13,
              {g.Parameter(F32(std::move(query))), g.Parameter(F32(std::move(key))),
               g.Parameter(F32(std::move(value)))},
              kPlain);
    return g.Infer() ? ToString(g.type(y)) : g.FaultText();
  }
  // The only float that step `at` reads as operand `operand`.
  static float NumberOf(const program::Program& program, size_t at, size_t operand) {
    const program::Value& value = program.values[Steps(program)[at].inputs[operand]];
    float number = NAN;
    EXPECT_TRUE(value.data != nullptr && value.data->size() == sizeof(number));
    if (value.data != nullptr) std::memcpy(&number, value.data->data(), sizeof(number));
    return number;
  }
};

TEST_F(Attention, IsTwoProductsAroundASoftmax) {
  Add();
  const program::Program program = Lowered();
  ASSERT_EQ(Kinds(program), kUnmasked);
  EXPECT_EQ(ParamsAt<format::BinaryParams>(program, 0).op(), format::BinaryOp::multiply);
  EXPECT_EQ(NumberOf(program, 0, 1), 1 / std::sqrt(8.0f));
  const auto scores = ParamsAt<format::MatmulParams>(program, 1);
  EXPECT_EQ(First(scores.batch_dims(), scores.batch_rank()), (Dims{2}));
  EXPECT_EQ(scores.rows(), 5u);
  EXPECT_EQ(scores.columns(), 6u);
  EXPECT_EQ(scores.inner(), 8u);
  EXPECT_EQ(scores.b_inner_stride(), 1u);
  EXPECT_EQ(scores.b_column_stride(), 8u);
  const auto softmax = ParamsAt<format::SoftmaxParams>(program, 2);
  EXPECT_EQ(softmax.outer(), 10u);
  EXPECT_EQ(softmax.axis(), 6u);
  EXPECT_EQ(softmax.inner(), 1u);
  const auto sum = ParamsAt<format::MatmulParams>(program, 3);
  EXPECT_EQ(sum.rows(), 5u);
  EXPECT_EQ(sum.columns(), 7u);
  EXPECT_EQ(sum.inner(), 6u);
}

TEST_F(Attention, BroadcastsItsBatches) {
  EXPECT_EQ(Shape({2, 4, 5, 8}, {2, 1, 6, 8}, {4, 6, 7}), "f32[2,4,5,7]");
  const program::Program program = Lowered();
  // Queries that share their keys become additional rows.
  const auto scores = ParamsAt<format::MatmulParams>(program, 1);
  EXPECT_EQ(First(scores.batch_dims(), scores.batch_rank()), (Dims{2}));
  EXPECT_EQ(First(scores.b_batch_strides(), scores.batch_rank()), (Dims{48}));
  EXPECT_EQ(scores.rows(), 20u);
  const auto sum = ParamsAt<format::MatmulParams>(program, 3);
  EXPECT_EQ(First(sum.batch_dims(), sum.batch_rank()), (Dims{2, 4}));
  EXPECT_EQ(First(sum.a_batch_strides(), sum.batch_rank()), (Dims{120, 30}));
  EXPECT_EQ(First(sum.b_batch_strides(), sum.batch_rank()), (Dims{0, 42}));
}

TEST_F(Attention, AddsAFloatMask) {
  Add({g.Parameter(F32({5, 6}))});
  const program::Program program = Lowered();
  ASSERT_EQ(Kinds(program), (StepKinds{StepKind::kBinary, StepKind::kMatmul, StepKind::kBinary,
                                       StepKind::kSoftmax, StepKind::kMatmul}));
  const auto add = ParamsAt<format::BinaryParams>(program, 2);
  EXPECT_EQ(add.op(), format::BinaryOp::add);
  EXPECT_EQ(First(add.b_strides(), add.rank()), (Dims{0, 1}));
}

TEST_F(Attention, SelectsByABooleanMask) {
  Add({g.Parameter({ElementType::boolean, {2, 1, 6}})});
  const program::Program program = Lowered();
  ASSERT_EQ(Kinds(program), (StepKinds{StepKind::kBinary, StepKind::kMatmul, StepKind::kSelect,
                                       StepKind::kSoftmax, StepKind::kMatmul}));
  const auto select = ParamsAt<format::SelectParams>(program, 2);
  EXPECT_EQ(First(select.dims(), select.rank()), (Dims{2, 5, 6}));
  EXPECT_EQ(First(select.condition_strides(), select.rank()), (Dims{6, 0, 1}));
  EXPECT_EQ(NumberOf(program, 2, 2), -INFINITY);
}

TEST_F(Attention, ComparesPlacesForTheCausalForm) {
  Add({}, kCausal);
  const program::Program program = Lowered();
  ASSERT_EQ(Kinds(program), (StepKinds{StepKind::kBinary, StepKind::kMatmul, StepKind::kCompare,
                                       StepKind::kSelect, StepKind::kSoftmax, StepKind::kMatmul}));
  const auto compare = ParamsAt<format::CompareParams>(program, 2);
  EXPECT_EQ(compare.op(), format::CompareOp::less_equal);
  EXPECT_EQ(First(compare.dims(), compare.rank()), (Dims{5, 6}));
  EXPECT_EQ(First(compare.a_strides(), compare.rank()), (Dims{0, 1}));
  EXPECT_EQ(First(compare.b_strides(), compare.rank()), (Dims{1, 0}));
}

TEST_F(Attention, LeavesASquareTriangleToTheSoftmax) {
  const ir::Source x = g.Parameter(F32({2, 5, 8}));
  g.Add("ScaledDotProductAttention", 13, {x, x, x}, kCausal);
  const program::Program program = Lowered();
  ASSERT_EQ(Kinds(program), kUnmasked);
  EXPECT_EQ(ParamsAt<format::SoftmaxParams>(program, 2).causal(), 1u);
}

TEST_F(Attention, ReadsWhatIsTransposedAsItLies) {
  std::vector<ir::Source> heads;
  for (int i = 0; i < 3; ++i) {
    heads.push_back(g.Add("Transpose", 1, {g.Parameter(F32({1, 5, 2, 8})), g.Ints({0, 2, 1, 3})}));
  }
  g.Result(g.Add("ScaledDotProductAttention", 13, heads, kPlain));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  program::Program program;
  ASSERT_TRUE(graph::Lower(g.graph, program, g.faults)) << g.FaultText();
  ASSERT_EQ(Kinds(program), kUnmasked);
  const auto scores = ParamsAt<format::MatmulParams>(program, 1);
  EXPECT_EQ(First(scores.b_batch_strides(), scores.batch_rank()), (Dims{8}));
  EXPECT_EQ(scores.b_inner_stride(), 1u);
  EXPECT_EQ(scores.b_column_stride(), 16u);
  const auto sum = ParamsAt<format::MatmulParams>(program, 3);
  EXPECT_EQ(First(sum.b_batch_strides(), sum.batch_rank()), (Dims{8}));
  EXPECT_EQ(sum.b_inner_stride(), 16u);
  EXPECT_EQ(sum.b_column_stride(), 1u);
}

TEST_F(Attention, IgnoresTheMaskInTheCausalForm) {
  Add({g.Parameter(F32({5, 6}))}, kCausal);
  Add({g.Parameter(F32({77}))}, kCausal);
  const StepKinds kinds = Kinds(Lowered());
  ASSERT_EQ(kinds.size(), 12u);
  EXPECT_EQ(kinds[2], StepKind::kCompare);
  EXPECT_EQ(kinds[8], StepKind::kCompare);
}

TEST_F(Attention, HasNoStepForAMaskThatChangesNothing) {
  const std::vector<ir::Source> masks = {
      g.Float(0), g.Floats({5, 6}, std::vector<float>(30, 0.0f)),
      g.Const<uint8_t>({ElementType::boolean, {1, 6}}, std::vector<uint8_t>(6, 1))};
  for (const ir::Source mask : masks) Add({mask});
  StepKinds thrice;
  for (int i = 0; i < 3; ++i) thrice.insert(thrice.end(), kUnmasked.begin(), kUnmasked.end());
  EXPECT_EQ(Kinds(Lowered()), thrice);
}

TEST_F(Attention, TakesAScaleOfOneAsNone) {
  Add({g.Float(0), g.Float(1)});
  EXPECT_EQ(Kinds(Lowered()),
            (StepKinds{StepKind::kMatmul, StepKind::kSoftmax, StepKind::kMatmul}));
}

TEST_F(Attention, ScalesByItsInput) {
  Add({g.Float(0), g.Floats({1}, {0.25f})});
  Add({g.Float(0), g.Parameter(F32({}))});
  const program::Program program = Lowered();
  EXPECT_EQ(Kinds(program).size(), 8u);
  EXPECT_EQ(NumberOf(program, 0, 1), 0.25f);
  EXPECT_EQ(program.values[Steps(program)[4].inputs[1]].storage, program::Storage::kScratch);
}

TEST_F(Attention, IsZeroWithoutKeysAndNothingWithoutQueries) {
  EXPECT_EQ(Shape({2, 5, 8}, {2, 0, 8}, {2, 0, 7}), "f32[2,5,7]");
  EXPECT_EQ(Shape({2, 0, 8}, {2, 6, 8}, {2, 6, 7}), "f32[2,0,7]");
  EXPECT_EQ(Kinds(Lowered()), (StepKinds{StepKind::kFill}));
}

TEST_F(Attention, NamesShapesThatDoNotFit) {
  Shape({5, 8}, {6, 8}, {6, 7});
  Shape({2, 5, 8}, {2, 6, 9}, {2, 6, 7});
  Shape({2, 5, 0}, {2, 6, 0}, {2, 6, 7});
  Shape({2, 5, 8}, {2, 6, 8}, {2, 5, 7});
  Shape({1, 4, 5, 8}, {1, 2, 6, 8}, {1, 2, 6, 7});
  const std::string faults = g.FaultText();
  EXPECT_PRED2(Contains, faults, "input 0 (query) is f32[5,8]; must have at least 3 axes");
  EXPECT_PRED2(Contains, faults,
               "query is [2,5,8] and key is [2,6,9]; their last axes must be equal");
  EXPECT_PRED2(Contains, faults, "query is [2,5,0]; its last axis must not be 0");
  EXPECT_PRED2(Contains, faults,
               "key is [2,6,8] and value is [2,5,7]; must have the same number of rows");
  EXPECT_PRED2(Contains, faults, "axis 1 is 4 and 2");
}

TEST_F(Attention, NamesMasksAndScalesThatDoNotFit) {
  Add({g.Parameter(F32({6}))});
  Add({g.Parameter(F32({4, 6}))});
  Add({g.Parameter(F32({3, 5, 6}))});
  Add({g.Parameter({ElementType::i32, {5, 6}})});
  Add({g.Float(0), g.Floats({2}, {1, 2})});
  Add({}, {});
  EXPECT_FALSE(g.Infer());
  const std::string faults = g.FaultText();
  EXPECT_PRED2(Contains, faults, "(attention_mask) is f32[6] for 5 queries and 6 keys; must be");
  EXPECT_PRED2(Contains, faults, "(attention_mask) is f32[4,6] for 5 queries and 6 keys; must be");
  EXPECT_PRED2(Contains, faults, "axis 0 is 2 and 3");
  EXPECT_PRED2(Contains, faults, "(attention_mask) is i32; must be boolean or");
  EXPECT_PRED2(Contains, faults, "input 4 (scale) is f32[2]; must be f32[] or f32[1]");
  EXPECT_PRED2(Contains, faults, "attribute causal is missing; must be given");
}

TEST_F(Attention, WorksOnFloats) {
  const ir::Source x = g.Parameter({ElementType::i32, {2, 3, 4}});
  g.Add("ScaledDotProductAttention", 13, {x, x, x}, kPlain);
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "element type i32; this operation supports f32");
}

}  // namespace
}  // namespace weft
