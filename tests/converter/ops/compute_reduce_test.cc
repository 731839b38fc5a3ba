// SPDX-License-Identifier: Apache-2.0
// Reductions and softmax: axes, shapes and the geometry of the steps.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;

// Dims of a reduction of f32[2,3,4,5], or the error.
std::string SumShape(const std::vector<int64_t>& axes, bool keep_dims) {
  GraphBuilder g;
  const ir::Source y = g.Add("ReduceSum", 1, {g.Parameter(F32({2, 3, 4, 5})), g.Ints(axes)},
                             {{"keep_dims", keep_dims ? "true" : "false"}});
  return g.Infer() ? ToString(g.type(y)) : g.FaultText();
}

TEST(Reduce, DropsOrKeepsTheReducedAxes) {
  EXPECT_EQ(SumShape({1, -1}, false), "f32[2,4]");
  EXPECT_EQ(SumShape({1, -1}, true), "f32[2,1,4,1]");
  EXPECT_EQ(SumShape({}, false), "f32[2,3,4,5]");
  EXPECT_EQ(SumShape({0, 1, 2, 3}, false), "f32[]");
}

TEST(Reduce, RefusesAxesThatAreNotThereOrTwiceThere) {
  EXPECT_PRED2(Contains, SumShape({4}, false), "axis 4 of a rank 4 tensor");
  EXPECT_PRED2(Contains, SumShape({1, -3}, false), "axes [1,-3] name axis 1 twice");
}

TEST(Reduce, WantsConstantAxesAndAKnownType) {
  GraphBuilder g;
  g.Add("ReduceMax", 1, {g.Parameter(F32({2})), g.Parameter({ElementType::i64, {1}})});
  g.Add("ReduceL2", 4, {g.Parameter({ElementType::i32, {2}}), g.Ints({0})});
  g.Add("ReduceLogicalAnd", 1, {g.Parameter(F32({2})), g.Ints({0})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (axes) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "element type i32; this operation supports f32");
  EXPECT_PRED2(Contains, g.FaultText(), "element type f32; this operation supports boolean");
}

// The minimum or maximum of the type, as the bits of a fill.
TEST(Reduce, OfNoNarrowIntegersIsTheIdentity) {
  const auto bits = [](const char* name, ElementType type) {
    GraphBuilder g;
    g.Result(g.Add(name, 1, {g.Parameter({type, {0, 3}}), g.Ints({0})}));
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    return ParamsAt<format::FillParams>(g.Lower()).bits_low();
  };
  EXPECT_EQ(bits("ReduceMax", ElementType::i8), 0x80u);
  EXPECT_EQ(bits("ReduceMin", ElementType::i8), 0x7Fu);
  EXPECT_EQ(bits("ReduceMax", ElementType::u8), 0u);
  EXPECT_EQ(bits("ReduceMin", ElementType::u8), 0xFFu);
  EXPECT_EQ(bits("ReduceMax", ElementType::i16), 0x8000u);
  EXPECT_EQ(bits("ReduceMin", ElementType::i16), 0x7FFFu);
}

format::ReduceParams LowerMean(Dims dims, const std::vector<int64_t>& axes) {
  GraphBuilder g;
  g.Add("ReduceMean", 1, {g.Parameter(F32(std::move(dims))), g.Ints(axes)});
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return ParamsAt<format::ReduceParams>(g.Lower());
}

TEST(Reduce, JoinsNeighboursAndPutsKeptAxesFirst) {
  const format::ReduceParams inner = LowerMean({2, 3, 4, 5}, {2, 3});
  EXPECT_EQ(inner.kept_rank(), 1u);
  EXPECT_EQ(inner.reduced_rank(), 1u);
  EXPECT_EQ(First(inner.dims(), 3), (Dims{6, 20, 0}));
  EXPECT_EQ(First(inner.strides(), 3), (Dims{20, 1, 0}));
  const format::ReduceParams middle = LowerMean({2, 3, 4, 5}, {1});
  EXPECT_EQ(First(middle.dims(), 3), (Dims{2, 20, 3}));
  EXPECT_EQ(First(middle.strides(), 3), (Dims{60, 1, 20}));
}

TEST(Reduce, PassesOverAxesOfOneElement) {
  const format::ReduceParams params = LowerMean({1, 3, 1, 5}, {0, 1, 2});
  EXPECT_EQ(params.kept_rank(), 1u);
  EXPECT_EQ(First(params.dims(), 2), (Dims{5, 3}));
  EXPECT_EQ(First(params.strides(), 2), (Dims{1, 5}));
}

TEST(Reduce, CostsNothingOverAxesOfOneElement) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({1, 3}));
  g.Add("ReduceSum", 1, {x, g.Ints({0})});
  g.Add("ReduceProd", 1, {x, g.Ints({})});
  g.Add("ReduceL2", 4, {x, g.Ints({0})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kUnary}));
  EXPECT_EQ(ParamsAt<format::UnaryParams>(program).activation().op(), format::UnaryOp::abs);
}

TEST(Softmax, SplitsTheShapeAroundItsAxis) {
  GraphBuilder g;
  g.Add("Softmax", 8, {g.Parameter(F32({2, 3, 4, 5}))}, {{"axis", "-2"}});
  g.Add("LogSoftmax", 5, {g.Parameter(F32({2, 3, 4, 5}))}, {{"axis", "0"}});
  g.Add("Softmax", 1, {g.Parameter(F32({2, 3, 4, 5}))});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  const auto negative = ParamsAt<format::SoftmaxParams>(program, 0);
  EXPECT_EQ(negative.outer(), 6u);
  EXPECT_EQ(negative.axis(), 4u);
  EXPECT_EQ(negative.inner(), 5u);
  EXPECT_EQ(negative.logarithm(), 0u);
  const auto logarithm = ParamsAt<format::SoftmaxParams>(program, 1);
  EXPECT_EQ(logarithm.outer(), 1u);
  EXPECT_EQ(logarithm.axis(), 2u);
  EXPECT_EQ(logarithm.inner(), 60u);
  EXPECT_EQ(logarithm.logarithm(), 1u);
  EXPECT_EQ(ParamsAt<format::SoftmaxParams>(program, 2).axis(), 3u);
}

TEST(Softmax, CountsFromTheFrontOnlyInItsFirstVersion) {
  GraphBuilder g;
  g.Add("Softmax", 1, {g.Parameter(F32({2, 3}))}, {{"axis", "-1"}});
  g.Add("Softmax", 8, {g.Parameter(F32({2, 3}))}, {{"axis", "2"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "axis is -1; must not be negative before opset8");
  EXPECT_PRED2(Contains, g.FaultText(), "axis 2 of a rank 2 tensor");
}

}  // namespace
}  // namespace weft
