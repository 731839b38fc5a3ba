// SPDX-License-Identifier: Apache-2.0
// Bitwise operations and shifts: steps and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using format::BinaryOp;
using program::StepKind;

TEST(Bitwise, IsOneStepOfWordsAndOfBooleans) {
  for (const ElementType type : {ElementType::i32, ElementType::i64, ElementType::boolean}) {
    GraphBuilder g;
    const ir::Source x = g.Parameter({type, {2, 3}});
    const ir::Source y = g.Add("BitwiseXor", 13, {x, g.Parameter({type, {3}})});
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(g.type(y), (TensorType{type, {2, 3}}));
    const program::Program program = g.Lower();
    ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kBinary}));
    EXPECT_EQ(ParamsAt<format::BinaryParams>(program).op(),
              type == ElementType::boolean ? BinaryOp::logical_xor : BinaryOp::bitwise_xor);
  }
}

TEST(Bitwise, WidensNarrowIntegers) {
  for (const ElementType type : {ElementType::i8, ElementType::u8, ElementType::i16}) {
    GraphBuilder g;
    const ir::Source x = g.Parameter({type, {5}});
    const ir::Source y = g.Add("BitwiseNot", 13, {x});
    g.Add("BitwiseAnd", 13, {x, y});
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(Kinds(g.Lower()),
              (std::vector<StepKind>{StepKind::kConvert, StepKind::kBinary, StepKind::kConvert,
                                     StepKind::kConvert, StepKind::kConvert, StepKind::kBinary,
                                     StepKind::kConvert}));
  }
}

TEST(Bitwise, TakesConstantsAsWordsWhereItWidens) {
  GraphBuilder g;
  const ir::Source mask = g.Const<uint8_t>({ElementType::u8, {}}, {0xF0});
  g.Add("BitwiseOr", 13, {g.Parameter({ElementType::u8, {5}}), mask});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()),
            (std::vector<StepKind>{StepKind::kConvert, StepKind::kBinary, StepKind::kConvert}));
}

TEST(Bitwise, WantsIntegersOrBooleansOfOneType) {
  GraphBuilder g;
  const ir::Source floats = g.Parameter(F32({2})), bytes = g.Parameter({ElementType::u8, {2}});
  g.Add("BitwiseAnd", 13, {floats, floats});
  g.Add("BitwiseOr", 13, {bytes, g.Parameter({ElementType::i8, {2}})});
  g.Add("BitwiseXor", 13, {bytes, g.Parameter({ElementType::u8, {3}})});
  g.Add("BitwiseNot", 13, {floats});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "element type f32; this operation supports boolean, i8, u8, i16, i32, i64");
  EXPECT_PRED2(Contains, g.FaultText(), "input 0 is u8 and input 1 is i8");
  EXPECT_PRED2(Contains, g.FaultText(), "shapes [2] and [3] do not broadcast");
}

TEST(BitwiseShift, ByConstantsIsAProductOrADivisionThatRoundsDown) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::i64, {2}}), positions = g.Ints({3, 62});
  g.Add("BitwiseLeftShift", 15, {x, positions});
  g.Add("BitwiseRightShift", 15, {x, positions});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Steps(program).size(), 4u);
  const BinaryOp must[] = {BinaryOp::multiply, BinaryOp::floor_mod, BinaryOp::subtract,
                           BinaryOp::divide};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(ParamsAt<format::BinaryParams>(program, i).op(), must[i]) << i;
  }
}

TEST(BitwiseShift, BySixtyThreePlacesDividesTwice) {
  GraphBuilder g;
  g.Add("BitwiseRightShift", 15, {g.Parameter({ElementType::i64, {2}}), g.Ints({63, 1})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Steps(g.Lower()).size(), 6u);
}

TEST(BitwiseShift, RefusesPlacesThatTheTypeDoesNotHave) {
  GraphBuilder g;
  const ir::Source bytes = g.Parameter({ElementType::u8, {2}}),
                   flags = g.Parameter({ElementType::boolean, {2}});
  g.Add("BitwiseLeftShift", 15, {bytes, g.Const<uint8_t>({ElementType::u8, {2}}, {7, 8})});
  g.Add("BitwiseRightShift", 15, {g.Parameter({ElementType::i64, {1}}), g.Ints({-1})});
  g.Add("BitwiseRightShift", 15, {flags, flags});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (shift amount) holds 8; must be from 0 to 7");
  EXPECT_PRED2(Contains, g.FaultText(), "holds -1; must be from 0 to 63");
  EXPECT_PRED2(Contains, g.FaultText(), "element type boolean; this operation supports i8");
}

}  // namespace
}  // namespace weft
