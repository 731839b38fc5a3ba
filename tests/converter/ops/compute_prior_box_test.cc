// SPDX-License-Identifier: Apache-2.0
// PriorBox and PriorBoxClustered: folding to a constant, and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Kind = std::vector<StepKind>;

TEST(PriorBox, IsAConstant) {
  GraphBuilder g;
  const ir::Source boxes =
      g.Add("PriorBox", 8, {g.Ints({1, 2}), g.Ints({32, 32})},
            {{"min_size", "4"}, {"max_size", "9"}, {"aspect_ratio", "2"}, {"flip", "true"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(boxes)), "f32[2,32]");
  EXPECT_EQ(Kinds(g.Lower()), (Kind{}));
}

TEST(PriorBox, RefusesWhatMakesNoBoxes) {
  GraphBuilder g;
  const ir::Source layer = g.Ints({1, 2}), image = g.Ints({32, 32});
  g.Add("PriorBox", 8, {g.Parameter({ElementType::i64, {2}}), image}, {{"min_size", "4"}});
  g.Add("PriorBox", 8, {g.Ints({1, 0}), image}, {{"min_size", "4"}});
  g.Add("PriorBox", 1, {layer, image}, {{"min_size", "4"}, {"variance", "1,2"}});
  g.Add("PriorBox", 1, {layer, image}, {{"fixed_size", "4"}});
  g.Add("PriorBox", 1, {layer, image}, {{"fixed_size", "4"}, {"density", "257"}});
  g.Add("PriorBox", 1, {layer, image}, {{"min_size", "4"}, {"max_size", "5,6"}});
  g.Add("PriorBoxClustered", 1, {layer, image}, {{"width", "4"}, {"height", "4,5"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 0 (layer size) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "layer is [1,0] and image [32,32]; must be at least 1");
  EXPECT_PRED2(Contains, g.FaultText(), "variance has 2 numbers; must have none, 1 or 4");
  EXPECT_PRED2(Contains, g.FaultText(), "density has 0 numbers and fixed_size 1; must be equal");
  EXPECT_PRED2(Contains, g.FaultText(), "density has a number out of range; must be from 1 to 256");
  EXPECT_PRED2(Contains, g.FaultText(), "define 2 boxes per cell and the output has 3");
  EXPECT_PRED2(Contains, g.FaultText(), "width has 1 numbers and height 2; must be equal");
}

}  // namespace
}  // namespace weft
