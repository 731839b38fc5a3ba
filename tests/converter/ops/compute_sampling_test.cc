// SPDX-License-Identifier: Apache-2.0
// Col2Im, GridSample and Inverse: shapes, steps, axes and errors.
#include <gtest/gtest.h>

#include "converter/ops/support/axes.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Kind = std::vector<StepKind>;
using Attributes = std::map<std::string, std::string>;

TEST(Col2Im, SumsWhatMeets) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 12, 12}));
  const ir::Source y = g.Add("Col2Im", 15, {x, g.Ints({4, 5}), g.Ints({2, 2})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[2,3,4,5]");
  EXPECT_EQ(Kinds(g.Lower()), (Kind{StepKind::kGather, StepKind::kReduce}));
}

TEST(Col2Im, IsOneCopyOfTilesAndOneGatherOfPatchesApart) {
  for (const bool tiles : {true, false}) {
    GraphBuilder g;
    const ir::Source x = g.Parameter(F32({1, 12, 6}));
    g.Add("Col2Im", 15, {x, g.Ints({4, tiles ? 6 : 8}), g.Ints({2, 2})},
          {{"strides", tiles ? "2,2" : "2,3"}});
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(Kinds(g.Lower()), (Kind{tiles ? StepKind::kCopy : StepKind::kGather}));
  }
}

TEST(Col2Im, RefusesOtherColumns) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 12, 12}));
  g.Add("Col2Im", 15, {x, g.Ints({4, 4}), g.Ints({2, 2})});
  g.Add("Col2Im", 15, {x, g.Ints({4, 5}), g.Ints({5, 2})});
  g.Add("Col2Im", 15, {x, g.Ints({4, 0}), g.Ints({2, 2})});
  g.Add("Col2Im", 15, {g.Parameter(F32({12})), g.Ints({4, 5}), g.Ints({2, 2})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(
      Contains, g.FaultText(),
      "data is f32[2,12,12]; channels must be a multiple of 4 taps, and patches must be 9");
  EXPECT_PRED2(Contains, g.FaultText(), "spatial axis 0 is 4 long, 4 with its pads");
  EXPECT_PRED2(Contains, g.FaultText(), "an extent of input 1 (output size) is 0");
  EXPECT_PRED2(Contains, g.FaultText(), "data is f32[12]; must have rank 2 or 3");
}

size_t StepsOfSample(const Attributes& attributes, bool known) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3, 4, 5}));
  const ir::Source grid = known ? g.Floats({2, 1, 3, 2}, std::vector<float>(12, 0.25f))
                                : g.Parameter(F32({2, 1, 3, 2}));
  const ir::Source y = g.Add("GridSample", 9, {x, grid}, attributes);
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[2,3,1,3]");
  return Kinds(g.Lower()).size();
}

TEST(GridSample, WorksKnownGridsOutAtConversion) {
  EXPECT_EQ(StepsOfSample({}, true), 3u);  // gather, multiply, sum
  EXPECT_EQ(StepsOfSample({{"mode", "bicubic"}}, true), 3u);
  EXPECT_EQ(StepsOfSample({{"mode", "nearest"}, {"padding_mode", "border"}}, true), 1u);
  EXPECT_EQ(StepsOfSample({{"mode", "nearest"}, {"padding_mode", "border"}}, false), 9u);
  EXPECT_EQ(StepsOfSample({}, false), 18u);
}

TEST(GridSample, RefusesWhatIsNoImageOrGrid) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3, 4, 5}));
  const ir::Source whole = g.Parameter({ElementType::i32, {2, 3, 4, 5}});
  g.Add("GridSample", 9, {x, g.Parameter(F32({2, 1, 3, 3}))});
  g.Add("GridSample", 9, {x, g.Parameter(F32({2, 1, 3, 2}))}, {{"mode", "area"}});
  g.Add("GridSample", 9, {whole, g.Parameter(F32({2, 1, 3, 2}))});
  g.Add("GridSample", 9, {g.Parameter(F32({2, 3, 0, 5})), g.Parameter(F32({2, 1, 3, 2}))});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "data is f32[2,3,4,5] and the grid f32[2,1,3,3]; must be [N,C,H,W] and");
  EXPECT_PRED2(Contains, g.FaultText(), "must be one of bilinear nearest bicubic");
  EXPECT_PRED2(Contains, g.FaultText(), "input 0 has element type i32");
  EXPECT_PRED2(Contains, g.FaultText(), "must have from 1 to 536870912 pixels");
}

TEST(GridSample, KeepsBatchAndChannelsApart) {
  GraphBuilder g;
  const ir::Source y =
      g.Add("GridSample", 9, {g.Parameter(F32({2, 3, 4, 5})), g.Parameter(F32({2, 7, 6, 2}))});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const ops::AxisRelation relation = ops::RelationOf(g.graph, *y.node);
  ASSERT_EQ(relation.groups.size(), 4u);
  EXPECT_EQ(relation.groups[0].size(), 3u);
  for (const ops::AxisGroup& group : relation.groups) {
    for (const ops::PortAxis& axis : group) {
      EXPECT_FALSE(!axis.output && axis.port == 0 && axis.axis >= 2);
    }
  }
}

TEST(Inverse, IsARoundOfStepsForEachRow) {
  GraphBuilder g;
  const ir::Source y = g.Add("Inverse", 14, {g.Parameter(F32({2, 3, 3}))});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[2,3,3]");
  EXPECT_EQ(Kinds(g.Lower()).size(), 2u + 2 * (8 + 4) + 4 + 1);
  const ops::AxisRelation relation = ops::RelationOf(g.graph, *y.node);
  EXPECT_EQ(relation.groups.size(), 1u);
}

TEST(Inverse, RefusesWhatIsNotSquareOrTooLarge) {
  GraphBuilder g;
  g.Add("Inverse", 14, {g.Parameter(F32({2, 3, 4}))});
  g.Add("Inverse", 14, {g.Parameter(F32({17, 17}))});
  g.Add("Inverse", 14, {g.Parameter({ElementType::i32, {2, 2}})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "data is f32[2,3,4]; must be square matrices along its last two axes");
  EXPECT_PRED2(Contains, g.FaultText(), "data is f32[17,17]; must be matrices of at most 16 rows");
  EXPECT_PRED2(Contains, g.FaultText(), "input 0 has element type i32");
}

}  // namespace
}  // namespace weft
