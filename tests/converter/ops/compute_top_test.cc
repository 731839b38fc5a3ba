// SPDX-License-Identifier: Apache-2.0
// TopK: shapes, the geometry of the step, and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Attributes = std::map<std::string, std::string>;

TEST(TopK, GivesValuesAndIndicesOfItsAxis) {
  GraphBuilder g;
  const ir::Source top = g.Add("TopK", 11, {g.Parameter(F32({2, 5, 3})), g.Int(4)},
                               {{"axis", "-2"}, {"index_element_type", "i64"}}, 2);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(top)), "f32[2,4,3]");
  EXPECT_EQ(ToString(g.type({top.node, 1})), "i64[2,4,3]");
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kTop}));
  const auto params = ParamsAt<format::TopParams>(program);
  EXPECT_EQ(params.outer(), 2u);
  EXPECT_EQ(params.axis(), 5u);
  EXPECT_EQ(params.inner(), 3u);
  EXPECT_EQ(params.k(), 4u);
  EXPECT_EQ(params.index_type(), format::ElementType::i64);
}

format::TopParams ParamsWith(const Attributes& attributes) {
  GraphBuilder g;
  g.Add("TopK", 11, {g.Parameter({ElementType::u8, {7}}), g.Int(1)}, attributes, 2);
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return ParamsAt<format::TopParams>(g.Lower());
}

TEST(TopK, KnowsWhichAndInWhichOrder) {
  const format::TopParams plain = ParamsWith({{"axis", "0"}});
  EXPECT_EQ(plain.min(), 0);
  EXPECT_EQ(plain.by_index(), 0);
  EXPECT_EQ(plain.type(), format::ElementType::u8);
  EXPECT_EQ(plain.index_type(), format::ElementType::i32);
  EXPECT_EQ(ParamsWith({{"axis", "0"}, {"mode", "min"}}).min(), 1);
  EXPECT_EQ(ParamsWith({{"axis", "0"}, {"sort", "index"}}).by_index(), 1);
  EXPECT_EQ(ParamsWith({{"axis", "0"}, {"sort", "none"}}).by_index(), 0);
}

TEST(TopK, NeedsNoReaderOfItsSecondOutput) {
  GraphBuilder g;
  g.Add("TopK", 3, {g.Parameter(F32({5})), g.Int(2)}, {{"axis", "0"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()), (std::vector<StepKind>{StepKind::kTop}));
}

TEST(TopK, HasNoStepWithoutElements) {
  GraphBuilder g;
  g.Add("TopK", 3, {g.Parameter(F32({0, 5})), g.Int(2)}, {{"axis", "1"}}, 2);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_TRUE(Kinds(g.Lower()).empty());
}

TEST(TopK, RefusesWhatItCannotChoose) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 5}));
  g.Add("TopK", 3, {x, g.Int(6)}, {{"axis", "1"}}, 2);
  g.Add("TopK", 3, {x, g.Int(0)}, {{"axis", "0"}}, 2);
  g.Add("TopK", 3, {x, g.Int(1)}, {{"axis", "2"}}, 2);
  g.Add("TopK", 3, {x, g.Int(1)}, {}, 2);
  g.Add("TopK", 3, {x, g.Int(1)}, {{"axis", "0"}, {"index_element_type", "f32"}}, 2);
  g.Add("TopK", 3, {x, g.Parameter({ElementType::i32, {}})}, {{"axis", "0"}}, 2);
  g.Add("TopK", 3, {g.Parameter({ElementType::boolean, {3}}), g.Int(1)}, {{"axis", "0"}}, 2);
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "k is 6 on an axis of 5; must be from 1 to its extent");
  EXPECT_PRED2(Contains, g.FaultText(), "k is 0 on an axis of 2");
  EXPECT_PRED2(Contains, g.FaultText(), "axis 2 of a rank 2 tensor");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute axis is missing; must be given");
  EXPECT_PRED2(Contains, g.FaultText(), "must be one of i64 i32");
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (k) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "element type boolean");
}

}  // namespace
}  // namespace weft
