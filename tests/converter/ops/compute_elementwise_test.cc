// SPDX-License-Identifier: Apache-2.0
// Elementwise arithmetic, comparisons and Select: broadcast rules and the loops they are lowered
// to.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using format::BinaryOp;
using program::StepKind;

// Output dims of Add over two shapes, or the error.
std::string AddShape(Dims a, Dims b, std::map<std::string, std::string> attributes = {}) {
  GraphBuilder g;
  const ir::Source y =
      g.Add("Add", 1, {g.Parameter(F32(a)), g.Parameter(F32(b))}, std::move(attributes));
  return g.Infer() ? ToString(g.type(y)) : g.FaultText();
}

TEST(Elementwise, BroadcastsByNumpysRule) {
  EXPECT_EQ(AddShape({2, 3}, {2, 3}), "f32[2,3]");
  EXPECT_EQ(AddShape({4, 1, 3}, {2, 1}), "f32[4,2,3]");
  EXPECT_EQ(AddShape({}, {5}), "f32[5]");
  EXPECT_EQ(AddShape({0, 3}, {1, 3}), "f32[0,3]");
  EXPECT_PRED2(Contains, AddShape({2, 3}, {2, 4}), "axis 1 is 3 and 4");
}

TEST(Elementwise, WithoutBroadcastWantsEqualShapes) {
  EXPECT_EQ(AddShape({2, 3}, {2, 3}, {{"auto_broadcast", "none"}}), "f32[2,3]");
  EXPECT_PRED2(Contains, AddShape({2, 3}, {1, 3}, {{"auto_broadcast", "none"}}),
               "input 0 is [2,3] and input 1 is [1,3]");
}

TEST(Elementwise, StretchesTheSecondOperandUnderPdpd) {
  const auto at = [](const char* axis) {
    return std::map<std::string, std::string>{{"auto_broadcast", "pdpd"},
                                              {"auto_broadcast.auto_broadcast_axis", axis}};
  };
  EXPECT_EQ(AddShape({2, 3, 4}, {3, 4}, at("1")), "f32[2,3,4]");
  EXPECT_EQ(AddShape({2, 3, 4}, {3}, at("1")), "f32[2,3,4]");
  EXPECT_EQ(AddShape({2, 3, 4}, {3, 4}, at("-1")), "f32[2,3,4]");
  EXPECT_EQ(AddShape({2, 3, 4}, {4, 1, 1}, at("2")), "f32[2,3,4]");
  EXPECT_PRED2(Contains, AddShape({2, 3, 4}, {3, 4}, at("0")), "does not broadcast to [2,3,4]");
  EXPECT_PRED2(Contains, AddShape({3}, {2, 3}, at("0")), "does not broadcast to [3]");
}

TEST(Elementwise, RefusesMixedAndUnknownElementTypes) {
  GraphBuilder mixed;
  mixed.Add("Multiply", 1, {mixed.Parameter(F32({2})), mixed.Parameter({ElementType::i32, {2}})});
  EXPECT_FALSE(mixed.Infer());
  EXPECT_PRED2(Contains, mixed.FaultText(), "input 0 is f32 and input 1 is i32");
  GraphBuilder narrow;
  const TensorType type{ElementType::u4, {2}};
  narrow.Add("Multiply", 1, {narrow.Parameter(type), narrow.Parameter(type)});
  EXPECT_FALSE(narrow.Infer());
  EXPECT_PRED2(Contains, narrow.FaultText(),
               "element type u4; this operation supports f32, i8, u8, i16, i32, i64");
  GraphBuilder logical;
  logical.Add("LogicalAnd", 1, {logical.Parameter(F32({2})), logical.Parameter(F32({2}))});
  EXPECT_FALSE(logical.Infer());
  EXPECT_PRED2(Contains, logical.FaultText(), "this operation supports boolean");
}

format::BinaryParams LowerAdd(Dims a, Dims b) {
  GraphBuilder g;
  g.Add("Add", 1, {g.Parameter(F32(std::move(a))), g.Parameter(F32(std::move(b)))});
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return ParamsAt<format::BinaryParams>(g.Lower());
}

TEST(Elementwise, CollapsesEqualShapesToOneAxis) {
  const format::BinaryParams params = LowerAdd({2, 3, 4}, {2, 3, 4});
  EXPECT_EQ(params.rank(), 1u);
  EXPECT_EQ(First(params.dims(), 8), (Dims{24, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(First(params.a_strides(), 2), (Dims{1, 0}));
  EXPECT_EQ(First(params.b_strides(), 2), (Dims{1, 0}));
}

TEST(Elementwise, WalksAScalarWithStrideZero) {
  const format::BinaryParams params = LowerAdd({2, 3, 4}, {1, 1});
  EXPECT_EQ(params.rank(), 1u);
  EXPECT_EQ(First(params.dims(), 1), (Dims{24}));
  EXPECT_EQ(First(params.b_strides(), 1), (Dims{0}));
}

TEST(Elementwise, JoinsTheAxesAroundABroadcastOne) {
  const format::BinaryParams params = LowerAdd({2, 3, 1, 4, 5}, {1, 1, 7, 4, 5});
  EXPECT_EQ(params.rank(), 3u);
  EXPECT_EQ(First(params.dims(), 3), (Dims{6, 7, 20}));
  EXPECT_EQ(First(params.a_strides(), 3), (Dims{20, 0, 1}));
  EXPECT_EQ(First(params.b_strides(), 3), (Dims{0, 20, 1}));
}

TEST(Elementwise, KeepsARankOfOneForScalars) {
  const format::BinaryParams params = LowerAdd({}, {});
  EXPECT_EQ(params.rank(), 1u);
  EXPECT_EQ(First(params.dims(), 1), (Dims{1}));
}

TEST(Elementwise, EmitsNothingForNoElements) {
  GraphBuilder g;
  g.Add("Add", 1, {g.Parameter(F32({0, 3})), g.Parameter(F32({3}))});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()), (std::vector<StepKind>{}));
}

TEST(Elementwise, DividesIntegersDownwardByDefault) {
  GraphBuilder g;
  const TensorType type{ElementType::i32, {4}};
  g.Add("Divide", 1, {g.Parameter(type), g.Parameter(type)});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  // The dividend less the remainder could wrap around.
  const BinaryOp expected[] = {BinaryOp::floor_mod, BinaryOp::mod,    BinaryOp::subtract,
                               BinaryOp::divide,    BinaryOp::divide, BinaryOp::subtract};
  ASSERT_EQ(Steps(program).size(), std::size(expected));
  for (size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(ParamsAt<format::BinaryParams>(program, i).op(), expected[i]) << i;
  }
}

TEST(Elementwise, DividesInOneStepWhereTruncationIsMeant) {
  GraphBuilder g;
  const TensorType type{ElementType::i32, {4}};
  g.Add("Divide", 1, {g.Parameter(type), g.Parameter(type)}, {{"m_pythondiv", "false"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Steps(program).size(), 1u);
  EXPECT_EQ(ParamsAt<format::BinaryParams>(program).op(), BinaryOp::divide);
}

TEST(Elementwise, SquaresByMultiplication) {
  GraphBuilder g;
  g.Add("Power", 1, {g.Parameter(F32({4})), g.Float(2)});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Steps(program).size(), 1u);
  EXPECT_EQ(ParamsAt<format::BinaryParams>(program).op(), BinaryOp::multiply);
  EXPECT_EQ(Steps(program)[0].inputs[0], Steps(program)[0].inputs[1]);
}

TEST(Elementwise, PlacesAPRelusSlopeOnTheChannelAxis) {
  GraphBuilder g;
  const ir::Source y = g.Add("PRelu", 1, {g.Parameter(F32({2, 3, 3})), g.Parameter(F32({3}))});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[2,3,3]");
  const auto params = ParamsAt<format::BinaryParams>(g.Lower());
  EXPECT_EQ(params.rank(), 3u);
  EXPECT_EQ(First(params.b_strides(), 3), (Dims{0, 1, 0}));
}

TEST(Elementwise, RefusesAPRelusSlopeThatWouldGrowTheTensor) {
  GraphBuilder g;
  g.Add("PRelu", 1, {g.Parameter(F32({1, 3})), g.Parameter(F32({2, 3}))});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "slope is [2,3] and x is [1,3]");
}

TEST(Compare, YieldsBooleansAndWalksByTheOperandsType) {
  GraphBuilder g;
  const TensorType type{ElementType::i64, {2, 3}};
  const ir::Source y =
      g.Add("GreaterEqual", 1, {g.Parameter(type), g.Parameter({ElementType::i64, {3}})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "boolean[2,3]");
  const auto params = ParamsAt<format::CompareParams>(g.Lower());
  EXPECT_EQ(params.op(), format::CompareOp::greater_equal);
  EXPECT_EQ(params.type(), ElementType::i64);
  EXPECT_EQ(First(params.b_strides(), 2), (Dims{0, 1}));
}

TEST(Compare, NamesShapesThatDoNotMeet) {
  GraphBuilder g;
  g.Add("Equal", 1, {g.Parameter(F32({2})), g.Parameter(F32({3}))});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "[2] and [3]");
}

program::Program LowerClass(const char* name, std::map<std::string, std::string> attributes = {}) {
  GraphBuilder g;
  const ir::Source y = g.Add(name, 10, {g.Parameter(F32({2, 3}))}, std::move(attributes));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "boolean[2,3]");
  return g.Lower();
}

TEST(IsNaN, ComparesANumberWithItself) {
  const program::Program program = LowerClass("IsNaN");
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kCompare}));
  EXPECT_EQ(ParamsAt<format::CompareParams>(program).op(), format::CompareOp::not_equal);
}

TEST(IsInf, LooksAtTheSignsThatAreAskedFor) {
  const auto kinds = [](const char* negative, const char* positive) {
    return Kinds(
        LowerClass("IsInf", {{"detect_negative", negative}, {"detect_positive", positive}}));
  };
  const std::vector<StepKind> one = {StepKind::kCompare};
  const std::vector<StepKind> both = {StepKind::kUnary, StepKind::kCompare};
  EXPECT_EQ(kinds("true", "true"), both);
  EXPECT_EQ(kinds("false", "true"), one);
  EXPECT_EQ(kinds("true", "false"), one);
  EXPECT_EQ(kinds("false", "false"), one);
  EXPECT_EQ(Kinds(LowerClass("IsInf")), both);
  EXPECT_EQ(Kinds(LowerClass("IsFinite")), both);
}

TEST(IsFinite, WantsFloats) {
  GraphBuilder g;
  g.Add("IsFinite", 10, {g.Parameter({ElementType::i32, {2}})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "element type i32; this operation supports f32");
}

TEST(Select, BroadcastsAllThreeOperands) {
  GraphBuilder g;
  const ir::Source y =
      g.Add("Select", 1,
            {g.Parameter({ElementType::boolean, {2, 1}}), g.Parameter({ElementType::i64, {3}}),
             g.Parameter({ElementType::i64, {}})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "i64[2,3]");
  const auto params = ParamsAt<format::SelectParams>(g.Lower());
  EXPECT_EQ(params.element_bytes(), 8u);
  EXPECT_EQ(First(params.dims(), 2), (Dims{2, 3}));
  EXPECT_EQ(First(params.condition_strides(), 2), (Dims{1, 0}));
  EXPECT_EQ(First(params.a_strides(), 2), (Dims{0, 1}));
  EXPECT_EQ(First(params.b_strides(), 2), (Dims{0, 0}));
}

TEST(Select, WantsABooleanCondition) {
  GraphBuilder g;
  g.Add("Select", 1, {g.Parameter(F32({2})), g.Parameter(F32({2})), g.Parameter(F32({2}))});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 0 has element type f32");
}

}  // namespace
}  // namespace weft
