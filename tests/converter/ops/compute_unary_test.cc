// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor and type conversions: the kind of step and its parameters.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using format::UnaryOp;
using program::StepKind;

struct Named {
  const char* name;
  int opset;
  UnaryOp op;
};

TEST(Unary, MapsEveryPlainFunctionToItsStep) {
  constexpr Named kRows[] = {
      {"Abs", 1, UnaryOp::abs},           {"Ceiling", 1, UnaryOp::ceiling},
      {"Cos", 1, UnaryOp::cos},           {"Erf", 1, UnaryOp::erf},
      {"Exp", 1, UnaryOp::exp},           {"Floor", 1, UnaryOp::floor},
      {"Gelu", 2, UnaryOp::gelu_erf},     {"HSigmoid", 5, UnaryOp::hsigmoid},
      {"HSwish", 4, UnaryOp::hswish},     {"Log", 1, UnaryOp::log},
      {"Mish", 4, UnaryOp::mish},         {"Negative", 1, UnaryOp::negative},
      {"Relu", 1, UnaryOp::relu},         {"Round", 5, UnaryOp::round_even},
      {"Sigmoid", 1, UnaryOp::sigmoid},   {"Sign", 1, UnaryOp::sign},
      {"Sin", 1, UnaryOp::sin},           {"SoftPlus", 4, UnaryOp::softplus},
      {"SoftSign", 9, UnaryOp::softsign}, {"Sqrt", 1, UnaryOp::sqrt},
      {"Tanh", 1, UnaryOp::tanh},         {"Tan", 1, UnaryOp::tan},
      {"Atan", 1, UnaryOp::atan},         {"Asin", 1, UnaryOp::asin},
      {"Acos", 1, UnaryOp::acos},         {"Sinh", 1, UnaryOp::sinh},
      {"Cosh", 1, UnaryOp::cosh},         {"Asinh", 4, UnaryOp::asinh},
      {"Acosh", 4, UnaryOp::acosh},       {"Atanh", 4, UnaryOp::atanh},
  };
  for (const Named& row : kRows) {
    SCOPED_TRACE(row.name);
    GraphBuilder g;
    const ir::Source y = g.Add(row.name, row.opset, {g.Parameter(F32({2, 3}))});
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(ToString(g.type(y)), "f32[2,3]");
    const program::Program program = g.Lower();
    ASSERT_EQ(Steps(program).size(), 1u);
    const auto params = ParamsAt<format::UnaryParams>(program);
    EXPECT_EQ(params.activation().op(), row.op);
    EXPECT_EQ(params.count(), 6u);
    EXPECT_EQ(params.activation().clip(), 0);
  }
}

format::UnaryParams LowerUnary(const char* name, int opset, ElementType type,
                               std::map<std::string, std::string> attributes) {
  GraphBuilder g;
  g.Add(name, opset, {g.Parameter({type, {5}})}, std::move(attributes));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return ParamsAt<format::UnaryParams>(g.Lower());
}

TEST(Unary, InvertsErfByPolynomials) {
  GraphBuilder g;
  const ir::Source y = g.Add("ErfInv", 17, {g.Parameter(F32({2, 3}))});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[2,3]");
  // The logarithm and the root of the argument, two polynomials, and the selection among these and
  // the limits.
  EXPECT_EQ(Kinds(g.Lower()).size(), 6u + 2 * (1 + 16) + 5);
}

TEST(Unary, TakesNumbersFromAttributes) {
  const auto clamp = LowerUnary("Clamp", 1, ElementType::f32, {{"min", "-1.5"}, {"max", "6"}});
  EXPECT_EQ(clamp.activation().alpha(), -1.5f);
  EXPECT_EQ(clamp.activation().beta(), 6.0f);
  const auto elu = LowerUnary("Elu", 1, ElementType::f32, {{"alpha", "0.25"}});
  EXPECT_EQ(elu.activation().alpha(), 0.25f);
  const auto gelu = LowerUnary("Gelu", 7, ElementType::f32, {{"approximation_mode", "TANH"}});
  EXPECT_EQ(gelu.activation().op(), UnaryOp::gelu_tanh);
  const auto round = LowerUnary("Round", 5, ElementType::f32, {{"mode", "half_away_from_zero"}});
  EXPECT_EQ(round.activation().op(), UnaryOp::round_away);
}

TEST(Unary, ClampsIntegersToTheWholeNumbersBetweenTheBounds) {
  const auto clamp = LowerUnary("Clamp", 1, ElementType::i32, {{"min", "-1.5"}, {"max", "6.9"}});
  EXPECT_EQ(clamp.type(), ElementType::i32);
  EXPECT_EQ(clamp.activation().alpha(), -1.0f);
  EXPECT_EQ(clamp.activation().beta(), 6.0f);
}

TEST(Unary, RefusesBoundsInTheWrongOrder) {
  GraphBuilder g;
  g.Add("Clamp", 1, {g.Parameter(F32({2}))}, {{"min", "3"}, {"max", "2"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "min is 3 and max is 2");
}

TEST(Unary, LeavesIntegersAloneWhereRoundingWould) {
  for (const char* name : {"Floor", "Ceiling"}) {
    GraphBuilder g;
    g.Add(name, 1, {g.Parameter({ElementType::i64, {3}})});
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(Kinds(g.Lower()), (std::vector<StepKind>{})) << name;
  }
}

TEST(Unary, RefusesFunctionsOfIntegersItCannotCompute) {
  GraphBuilder g;
  g.Add("Tanh", 1, {g.Parameter({ElementType::i32, {3}})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "element type i32; this operation supports f32");
}

TEST(Unary, FoldsConstantNumbersIntoTheStep) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({4}));
  g.Add("HardSigmoid", 1, {x, g.Float(0.2f), g.Float(0.5f)});
  g.Add("Selu", 1, {x, g.Float(1.67f), g.Float(1.05f)});
  g.Add("Swish", 4, {x, g.Float(2.0f)});
  g.Add("Swish", 4, {x});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Steps(program).size(), 4u);
  const auto hard = ParamsAt<format::UnaryParams>(program, 0).activation();
  EXPECT_EQ(hard.op(), UnaryOp::hard_sigmoid);
  EXPECT_EQ(hard.alpha(), 0.2f);
  EXPECT_EQ(hard.beta(), 0.5f);
  const auto selu = ParamsAt<format::UnaryParams>(program, 1).activation();
  EXPECT_EQ(selu.op(), UnaryOp::selu);
  EXPECT_EQ(selu.alpha(), 1.67f);
  EXPECT_EQ(selu.beta(), 1.05f);
  EXPECT_EQ(ParamsAt<format::UnaryParams>(program, 2).activation().alpha(), 2.0f);
  EXPECT_EQ(ParamsAt<format::UnaryParams>(program, 3).activation().alpha(), 1.0f);
}

TEST(Unary, ComputesRunTimeNumbersInSteps) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 2})), number = g.Parameter(F32({}));
  g.Add("Swish", 4, {x, number});
  g.Add("HardSigmoid", 1, {x, number, g.Float(0.5f)});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()),
            (std::vector<StepKind>{StepKind::kBinary, StepKind::kUnary, StepKind::kBinary,
                                   StepKind::kBinary, StepKind::kBinary, StepKind::kUnary}));
}

TEST(Unary, WantsSingleNumbersAndConstantsForSelu) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({4}));
  g.Add("HardSigmoid", 1, {x, g.Floats({2}, {1, 2}), g.Float(0)});
  g.Add("Selu", 1, {x, g.Parameter(F32({})), g.Float(1)});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (alpha) is f32[2]; must be one number");
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (alpha) is computed at run time");
}

TEST(Unary, WidensNarrowIntegers) {
  GraphBuilder g;
  g.Add("Clamp", 1, {g.Parameter({ElementType::u8, {5}})}, {{"min", "-3.5"}, {"max", "300"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program),
            (std::vector<StepKind>{StepKind::kConvert, StepKind::kUnary, StepKind::kConvert}));
  const auto params = ParamsAt<format::UnaryParams>(program, 1);
  EXPECT_EQ(params.type(), ElementType::i32);
  EXPECT_EQ(params.activation().alpha(), 0);
  EXPECT_EQ(params.activation().beta(), 255);
}

TEST(Convert, EmitsOneStepOrNone) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3}));
  const ir::Source narrow = g.Add("Convert", 1, {x}, {{"destination_type", "u8"}});
  g.Add("Convert", 1, {x}, {{"destination_type", "f32"}});
  const ir::Source like = g.Add("ConvertLike", 1, {x, g.Parameter({ElementType::i64, {}})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(narrow)), "u8[2,3]");
  EXPECT_EQ(ToString(g.type(like)), "i64[2,3]");
  const program::Program program = g.Lower();
  ASSERT_EQ(Steps(program).size(), 2u);
  const auto params = ParamsAt<format::ConvertParams>(program);
  EXPECT_EQ(params.from(), ElementType::f32);
  EXPECT_EQ(params.to(), ElementType::u8);
  EXPECT_EQ(params.count(), 6u);
}

TEST(Convert, RefusesUnknownAndSubByteDestinations) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2}));
  g.Add("Convert", 1, {x}, {{"destination_type", "f8e4m3"}});
  g.Add("Convert", 1, {x}, {{"destination_type", "i4"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "destination_type is \"f8e4m3\"");
  EXPECT_PRED2(Contains, g.FaultText(), "destination type is i4");
}

TEST(Snake, IsOneStepOverTheAxisOfItsNumbers) {
  struct Row {
    Dims x, numbers;
    uint32_t outer, channels, inner;
  };
  for (const auto& [x, numbers, outer, channels, inner] :
       {Row{{2, 3, 4, 5}, {1, 3, 1, 1}, 2, 3, 20}, Row{{2, 3, 4}, {1, 1, 4}, 6, 4, 1},
        Row{{2, 3}, {1, 1}, 1, 1, 6}, Row{{}, {}, 1, 1, 1}}) {
    GraphBuilder g;
    g.Add("Snake", ops::kPassOnly,
          {g.Parameter(F32(x)), g.Parameter(F32(numbers)), g.Parameter(F32(numbers))});
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    const program::Program program = g.Lower();
    ASSERT_EQ(Steps(program).size(), 1u);
    const auto params = ParamsAt<format::SnakeParams>(program);
    EXPECT_EQ(params.outer(), outer);
    EXPECT_EQ(params.channels(), channels);
    EXPECT_EQ(params.inner(), inner);
  }
}

TEST(Snake, SaysWhichNumbersDoNotFit) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3, 4}));
  g.Add("Snake", ops::kPassOnly, {x, g.Parameter(F32({2, 3, 1})), g.Parameter(F32({1, 3, 1}))});
  g.Add("Snake", ops::kPassOnly, {x, g.Parameter(F32({1, 1, 1})), g.Parameter(F32({3, 1}))});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (slopes) is f32[2,3,1] and x is f32[2,3,4]");
  EXPECT_PRED2(Contains, g.FaultText(), "input 2 (heights) is f32[3,1] and x is f32[2,3,4]");
  EXPECT_PRED2(Contains, g.FaultText(), "slopes are f32[1,1,1] and heights f32[3,1]");
}

}  // namespace
}  // namespace weft
