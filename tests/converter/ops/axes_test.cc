// SPDX-License-Identifier: Apache-2.0
// The axis relation of each operation: its groups, written "in0.1=out0.2" in any order, and the
// other members that its rule sets.
#include "converter/ops/support/axes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tests/converter/graph_builder.h"

namespace weft::ops {
namespace {

using Groups = std::set<std::string>;

std::string NameOf(const PortAxis& at) {
  return (at.output ? "out" : "in") + std::to_string(at.port) + "." + std::to_string(at.axis);
}

Groups GroupsOf(const AxisRelation& relation) {
  Groups groups;
  for (const AxisGroup& group : relation.groups) {
    std::vector<std::string> names;
    for (const PortAxis& at : group) names.push_back(NameOf(at));
    std::ranges::sort(names);
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : "=") + name;
    groups.insert(text);
  }
  return groups;
}

struct Axes : testing::Test {
  GraphBuilder g;

  AxisRelation Of(ir::Source source) {
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    return RelationOf(g.graph, *source.node);
  }
  ir::Source X(Dims dims) { return g.Parameter(F32(std::move(dims))); }
  ir::Source Some(Dims dims, float value = 0.5f) {
    const auto count = static_cast<size_t>(ElementCount(dims).value());
    return g.Floats(std::move(dims), std::vector<float>(count, value));
  }
};

TEST_F(Axes, OfPointwiseOperationsMeetByBroadcast) {
  const AxisRelation relation = Of(g.Add("Add", 1, {X({2, 3, 4}), X({3, 1})}));
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.0=out0.0", "in0.1=in1.0=out0.1", "in0.2=out0.2"}));
  EXPECT_EQ(relation.reason, "broadcasts across the time axis");
}

TEST_F(Axes, OfPointwiseOperationsThatRepeatAreOfTheOutputAlone) {
  EXPECT_EQ(GroupsOf(Of(g.Add("Add", 1, {X({1, 3}), X({1, 1})}))),
            (Groups{"in0.0=in1.0=out0.0", "in0.1=out0.1"}));
  const ir::Source pdpd =
      g.Add("Multiply", 1, {X({2, 3, 4}), X({3})},
            {{"auto_broadcast", "pdpd"}, {"auto_broadcast.auto_broadcast_axis", "1"}});
  EXPECT_EQ(GroupsOf(Of(pdpd)), (Groups{"in0.0=out0.0", "in0.1=in1.0=out0.1", "in0.2=out0.2"}));
}

TEST(AxesOfTheTable, FollowOneRuleWherePointwise) {
  for (const Operation& row : Table()) {
    EXPECT_TRUE(!row.traits.pointwise || row.traits.axes == nullptr) << row.name;
  }
}

TEST_F(Axes, OfPReluHaveSlopesAtTheChannels) {
  EXPECT_EQ(GroupsOf(Of(g.Add("PRelu", 1, {X({2, 3, 4}), Some({3})}))),
            (Groups{"in0.0=out0.0", "in0.1=in1.0=out0.1", "in0.2=out0.2"}));
}

TEST_F(Axes, OfATransposeMove) {
  EXPECT_EQ(GroupsOf(Of(g.Add("Transpose", 1, {X({2, 3, 4}), g.Ints({2, 0, 1})}))),
            (Groups{"in0.0=out0.1", "in0.1=out0.2", "in0.2=out0.0"}));
  EXPECT_EQ(GroupsOf(Of(g.Add("Transpose", 1, {X({2, 3}), g.Ints({})}))),
            (Groups{"in0.0=out0.1", "in0.1=out0.0"}));
}

TEST_F(Axes, OfReshapesAreFoundByTheirElements) {
  for (const ir::Source source : {g.Add("Reshape", 1, {X({2, 6}), g.Ints({3, 4})}),
                                  g.Add("Squeeze", 1, {X({2, 1}), g.Ints({1})}),
                                  g.Add("Unsqueeze", 1, {X({2, 3}), g.Ints({0})})}) {
    const AxisRelation relation = Of(source);
    EXPECT_TRUE(relation.reshapes);
    EXPECT_TRUE(relation.groups.empty());
  }
}

TEST_F(Axes, OfAConcatMeetButTheJoined) {
  EXPECT_EQ(GroupsOf(Of(g.Add("Concat", 1, {X({2, 3}), X({2, 4})}, {{"axis", "-1"}}))),
            (Groups{"in0.0=in1.0=out0.0"}));
}

TEST_F(Axes, OfASplitGoOnInEveryPart) {
  const ir::Source split = g.Add("Split", 1, {X({2, 6}), g.Int(1)}, {{"num_splits", "2"}}, 2);
  EXPECT_EQ(GroupsOf(Of(split)), (Groups{"in0.0=out0.0=out1.0"}));
}

TEST_F(Axes, OfASliceGoOnWhereItTakesAll) {
  const AxisRelation relation =
      Of(g.Add("Slice", 8, {X({2, 6, 4}), g.Ints({4}), g.Ints({6}), g.Ints({1}), g.Ints({1})}));
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.0=out0.0", "in0.2=out0.2"}));
  EXPECT_TRUE(relation.selects);
  ASSERT_EQ(relation.selections.size(), 1u);
  EXPECT_EQ(relation.selections[0].axis, 1);
  EXPECT_EQ(relation.selections[0].begin, 4);
  EXPECT_EQ(relation.selections[0].end, 6);
  EXPECT_EQ(relation.runs.size(), 3u);
}

TEST_F(Axes, OfASliceWithStepsSelectNothing) {
  const AxisRelation relation =
      Of(g.Add("Slice", 8, {X({6}), g.Ints({0}), g.Ints({6}), g.Ints({2}), g.Ints({0})}));
  EXPECT_TRUE(relation.groups.empty());
  EXPECT_TRUE(relation.selections.empty());
  EXPECT_TRUE(relation.selects);
}

TEST_F(Axes, OfAStridedSliceKnowWhichShrink) {
  const AxisRelation relation =
      Of(g.Add("StridedSlice", 1, {X({2, 6}), g.Ints({-1, 0}), g.Ints({0, 0}), g.Ints({1, 1})},
               {{"begin_mask", "0,1"}, {"end_mask", "0,1"}, {"shrink_axis_mask", "1,0"}}));
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.1=out0.0"}));
  ASSERT_EQ(relation.selections.size(), 1u);
  EXPECT_EQ(relation.selections[0].begin, 1);
}

TEST_F(Axes, OfAGatherGiveWayToTheIndices) {
  const ir::Source indices = g.Const<int64_t>({ElementType::i64, {5, 2}}, Dims(10, 0));
  EXPECT_EQ(GroupsOf(Of(g.Add("Gather", 8, {X({3, 4, 6}), indices, g.Int(1)}))),
            (Groups{"in0.0=out0.0", "in0.2=out0.3", "in1.0=out0.1", "in1.1=out0.2"}));
}

TEST_F(Axes, OfAGatherByOneIndexSelectIt) {
  const AxisRelation relation = Of(g.Add("Gather", 8, {X({3, 4}), g.Int(-1), g.Int(1)}));
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.0=out0.0"}));
  ASSERT_EQ(relation.selections.size(), 1u);
  EXPECT_EQ(relation.selections[0].begin, 3);
  EXPECT_EQ(relation.selections[0].end, 4);
}

TEST_F(Axes, OfElementsByIndexAreAllButTheirOwn) {
  const ir::Source indices = g.Parameter({ElementType::i32, {2, 5, 4}});
  const AxisRelation relation =
      Of(g.Add("GatherElements", 6, {X({2, 3, 4}), indices}, {{"axis", "-2"}}));
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.0=in1.0=out0.0", "in0.2=in1.2=out0.2"}));
  EXPECT_TRUE(relation.selections.empty());
}

TEST_F(Axes, OfRowsByTuplesAreTheBatchTheTuplesAndTheRest) {
  const auto gather = [&](int opset, Dims data, Dims indices, const std::string& batch_dims) {
    const ir::Source index = g.Parameter({ElementType::i64, std::move(indices)});
    return GroupsOf(
        Of(g.Add("GatherND", opset, {X(std::move(data)), index}, {{"batch_dims", batch_dims}})));
  };
  EXPECT_EQ(gather(8, {3, 4, 5, 6}, {3, 7, 2}, "1"),
            (Groups{"in0.0=in1.0=out0.0", "in1.1=out0.1", "in0.3=out0.2"}));
  EXPECT_EQ(gather(5, {3, 4, 5}, {3, 7, 1}, "1"),
            (Groups{"in0.0=in1.0=out0.0", "in1.1=out0.1", "in0.2=out0.2"}));
  EXPECT_EQ(gather(8, {3, 4, 5, 6}, {3, 4, 7, 1}, "2"),
            (Groups{"in0.0=in1.0=out0.0", "in0.1=in1.1=out0.1", "in1.2=out0.2", "in0.3=out0.3"}));
  EXPECT_EQ(gather(5, {3, 4, 5, 6}, {3, 4, 7, 1}, "2"), (Groups{"in1.2=out0.1", "in0.3=out0.2"}));
}

TEST_F(Axes, OfWhatIsWrittenAreThoseThatNoIndexNames) {
  const ir::Source indices = g.Parameter({ElementType::i32, {2, 5, 4}});
  EXPECT_EQ(GroupsOf(Of(g.Add("ScatterElementsUpdate", 3,
                              {X({2, 3, 4}), indices, X({2, 5, 4}), g.Int(1)}))),
            (Groups{"in0.0=in1.0=in2.0=out0.0", "in0.2=in1.2=in2.2=out0.2"}));
  // Only half of the first axis is written, so that its positions differ.
  const ir::Source some = g.Const<int64_t>({ElementType::i64, {1, 5, 4}}, Dims(20, 0));
  EXPECT_EQ(
      GroupsOf(Of(g.Add("ScatterElementsUpdate", 3, {X({2, 3, 4}), some, X({1, 5, 4}), g.Int(1)}))),
      (Groups{"in0.2=in1.2=in2.2=out0.2"}));
  EXPECT_EQ(GroupsOf(Of(g.Add("ScatterNDUpdate", 4,
                              {X({4, 5, 6}), g.Parameter({ElementType::i64, {7, 2}}), X({7, 6})}))),
            (Groups{"in0.2=in2.1=out0.2"}));
}

TEST_F(Axes, OfWrittenRowsAreTheOthers) {
  const ir::Source two = g.Ints({2, 0});
  EXPECT_EQ(GroupsOf(Of(g.Add("ScatterUpdate", 3, {X({3, 4, 5}), two, X({3, 2, 5}), g.Int(1)}))),
            (Groups{"in0.0=in2.0=out0.0", "in0.2=in2.2=out0.2"}));
  EXPECT_EQ(GroupsOf(Of(g.Add("ScatterUpdate", 3, {X({3, 4, 5}), g.Int(2), X({4, 5}), g.Int(0)}))),
            (Groups{"in0.1=in2.0=out0.1", "in0.2=in2.1=out0.2"}));
  EXPECT_EQ(GroupsOf(Of(
                g.Add("SliceScatter", 15,
                      {X({3, 4}), X({3, 2}), g.Ints({1}), g.Ints({3}), g.Ints({1}), g.Ints({1})}))),
            (Groups{"in0.0=in1.0=out0.0"}));
}

TEST_F(Axes, OfRunningSumsGoOn) {
  const AxisRelation sums =
      Of(g.Add("CumSum", 3, {X({2, 3, 4}), g.Int(-2)}, {{"exclusive", "true"}}));
  EXPECT_EQ(GroupsOf(sums), (Groups{"in0.0=out0.0", "in0.2=out0.2"}));
  ASSERT_TRUE(sums.sum.has_value());
  EXPECT_EQ(sums.sum->axis, 1);
  EXPECT_TRUE(sums.sum->exclusive);
}

TEST_F(Axes, OfSumsFromTheEndAreTheOthers) {
  const AxisRelation sums =
      Of(g.Add("CumSum", 3, {X({2, 3, 4}), g.Int(-2)}, {{"reverse", "true"}}));
  EXPECT_EQ(GroupsOf(sums), (Groups{"in0.0=out0.0", "in0.2=out0.2"}));
  EXPECT_FALSE(sums.sum.has_value());
  EXPECT_EQ(sums.reason, "sums over time from the end");
}

TEST_F(Axes, OfNeighboursThatNormaliseAreTheOthers) {
  const AxisRelation windows =
      Of(g.Add("LRN", 1, {X({2, 3, 4}), g.Ints({1})},
               {{"alpha", "1"}, {"beta", "1"}, {"bias", "1"}, {"size", "3"}}));
  EXPECT_EQ(GroupsOf(windows), (Groups{"in0.0=out0.0", "in0.2=out0.2"}));
}

TEST_F(Axes, OfAProductAreTheBatchAndTheRowsOfEach) {
  EXPECT_EQ(GroupsOf(Of(g.Add("MatMul", 1, {X({5, 2, 3}), X({5, 3, 4})}))),
            (Groups{"in0.0=in1.0=out0.0", "in0.1=out0.1", "in1.2=out0.2"}));
  EXPECT_EQ(GroupsOf(Of(g.Add("MatMul", 1, {X({3, 2}), X({4, 3})},
                              {{"transpose_a", "true"}, {"transpose_b", "true"}}))),
            (Groups{"in0.1=out0.0", "in1.0=out0.1"}));
  EXPECT_EQ(GroupsOf(Of(g.Add("MatMul", 1, {X({3}), X({3, 4})}))), (Groups{"in1.1=out0.0"}));
}

TEST_F(Axes, OfAnAttentionAreAllButTheKeys) {
  const auto attention = [&](const std::string& causal) {
    return Of(g.Add("ScaledDotProductAttention", 13,
                    {X({2, 4, 5, 8}), X({2, 1, 6, 8}), X({2, 4, 6, 7}), X({5, 6})},
                    {{"causal", causal}}));
  };
  const AxisRelation relation = attention("false");
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.0=in1.0=in2.0=out0.0", "in0.1=in2.1=out0.1",
                                        "in0.2=in3.0=out0.2", "in2.3=out0.3"}));
  EXPECT_EQ(relation.reason, "attends over time");
  // In the causal form a query's position decides which keys it attends to.
  EXPECT_EQ(GroupsOf(attention("true")),
            (Groups{"in0.0=in1.0=in2.0=out0.0", "in0.1=in2.1=out0.1", "in2.3=out0.3"}));
}

TEST_F(Axes, OfAnEinsumAreItsLabels) {
  const auto groups = [&](const std::string& equation, std::vector<ir::Source> inputs) {
    return GroupsOf(Of(g.Add("Einsum", 7, std::move(inputs), {{"equation", equation}})));
  };
  EXPECT_EQ(groups("bij,bjk->bki", {X({2, 3, 4}), X({2, 4, 5})}),
            (Groups{"in0.0=in1.0=out0.0", "in0.1=out0.2", "in1.2=out0.1"}));
  EXPECT_EQ(groups("...i,...i->...", {X({4, 1, 3}), X({1, 5, 3})}),
            (Groups{"in0.0=out0.0", "in1.1=out0.1"}));
  EXPECT_EQ(groups("bii->bi", {X({2, 3, 3})}), (Groups{"in0.0=out0.0"}));
  EXPECT_EQ(groups("bj->b", {X({2, 3})}), (Groups{"in0.0=out0.0"}));
  // The accumulation order changes if the inner axis has extent 1.
  EXPECT_EQ(groups("jb->b", {X({3, 2})}), (Groups{}));
  EXPECT_EQ(groups("jb,j->b", {X({3, 2}), X({3})}), (Groups{"in0.1=out0.0"}));
}

TEST_F(Axes, OfASoftmaxButTheSummed) {
  const AxisRelation relation = Of(g.Add("Softmax", 8, {X({2, 3})}, {{"axis", "-1"}}));
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.0=out0.0"}));
  EXPECT_EQ(relation.summed, (std::vector<bool>{false, true}));
}

TEST_F(Axes, OfANormalisationButTheSummed) {
  const std::map<std::string, std::string> inside = {{"eps", "1"}, {"normalize_variance", "true"}};
  const AxisRelation layer = Of(g.Add("MVN", 6, {X({2, 3, 4}), g.Ints({-1})}, inside));
  EXPECT_EQ(GroupsOf(layer), (Groups{"in0.0=out0.0", "in0.1=out0.1"}));
  EXPECT_EQ(layer.summed, (std::vector<bool>{false, false, true}));
  EXPECT_EQ(GroupsOf(Of(g.Add("MVN", 2, {X({2, 3, 4})}, {{"eps", "1"}}))),
            (Groups{"in0.0=out0.0", "in0.1=out0.1"}));
  EXPECT_EQ(GroupsOf(Of(g.Add("NormalizeL2", 1, {X({2, 3}), g.Ints({0})}, {{"eps", "1"}}))),
            (Groups{"in0.1=out0.1"}));
  EXPECT_EQ(GroupsOf(Of(g.Add("GRN", 1, {X({2, 3, 4})}, {{"bias", "1"}}))),
            (Groups{"in0.0=out0.0", "in0.2=out0.2"}));
}

TEST_F(Axes, OfANormalisationOfGroupsAreTheBatch) {
  const AxisRelation relation =
      Of(g.Add("GroupNormalization", 12, {X({2, 4, 3}), Some({4}), Some({4})},
               {{"num_groups", "2"}, {"epsilon", "1"}}));
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.0=out0.0"}));
  EXPECT_EQ(relation.reason, "normalises over time");
}

TEST_F(Axes, OfANormalisationByGivenStatisticsButTheChannels) {
  const std::map<std::string, std::string> one = {{"epsilon", "1"}};
  const std::vector<ir::Source> four = {Some({3}), Some({3}), Some({3}), Some({3})};
  EXPECT_EQ(GroupsOf(Of(g.Add("BatchNormInference", 5,
                              {X({2, 3, 4}), four[0], four[1], four[2], four[3]}, one))),
            (Groups{"in0.0=out0.0", "in0.2=out0.2"}));
  EXPECT_EQ(GroupsOf(Of(g.Add("BatchNormInference", 1,
                              {four[0], four[1], X({2, 3, 4}), four[2], four[3]}, one))),
            (Groups{"in2.0=out0.0", "in2.2=out0.2"}));
}

TEST_F(Axes, OfAChoiceButTheOneChosenFrom) {
  const AxisRelation relation =
      Of(g.Add("TopK", 11, {X({2, 5, 3}), g.Int(2)}, {{"axis", "1"}, {"mode", "max"}}, 2));
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.0=out0.0=out1.0", "in0.2=out0.2=out1.2"}));
  EXPECT_EQ(relation.reason, "selects among time steps");
}

TEST_F(Axes, OfPooledRegionsAreTheRegionsAndTheChannels) {
  const ir::Source batches = g.Const<int32_t>({ElementType::i32, {5}}, {0, 1, 0, 1, 0});
  const AxisRelation relation = Of(g.Add("ROIAlign", 9, {X({2, 3, 7, 8}), X({5, 4}), batches},
                                         {{"pooled_h", "7"},
                                          {"pooled_w", "8"},
                                          {"sampling_ratio", "2"},
                                          {"spatial_scale", "1"},
                                          {"mode", "avg"}}));
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.1=out0.1", "in1.0=in2.0=out0.0"}));
}

TEST_F(Axes, OfSuppressedBoxesAreNone) {
  const AxisRelation relation =
      Of(g.Add("NonMaxSuppression", 9, {X({1, 3, 4}), X({1, 3, 3}), g.Int(1)}, {}, 3));
  EXPECT_EQ(GroupsOf(relation), Groups{});
  EXPECT_EQ(relation.reason, "selects among the boxes of all time steps");
}

TEST_F(Axes, OfDetectionsAreNone) {
  const AxisRelation relation =
      Of(g.Add("DetectionOutput", 8, {X({2, 12}), X({2, 9}), X({2, 2, 12})},
               {{"keep_top_k", "3"}, {"nms_threshold", "1"}, {"normalized", "1"}}));
  EXPECT_EQ(GroupsOf(relation), Groups{});
  EXPECT_EQ(relation.reason, "selects among the boxes of all time steps");
}

TEST_F(Axes, OfPooledListsOfRegionsAreTheChannelsAlone) {
  const AxisRelation relation =
      Of(g.Add("ROIPooling", 1, {X({2, 3, 7, 8}), X({5, 5})},
               {{"pooled_h", "7"}, {"pooled_w", "8"}, {"spatial_scale", "1"}}));
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.1=out0.1"}));
}

TEST_F(Axes, OfAReductionCloseUp) {
  const AxisRelation dropped = Of(g.Add("ReduceMean", 1, {X({2, 3, 4}), g.Ints({1})}));
  EXPECT_EQ(GroupsOf(dropped), (Groups{"in0.0=out0.0", "in0.2=out0.1"}));
  EXPECT_EQ(dropped.summed, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(
      GroupsOf(Of(g.Add("ReduceMax", 1, {X({2, 3, 4}), g.Ints({1})}, {{"keep_dims", "true"}}))),
      (Groups{"in0.0=out0.0", "in0.2=out0.2"}));
  const ir::Source counts = g.Parameter({ElementType::i32, {2, 3}});
  EXPECT_TRUE(Of(g.Add("ReduceSum", 1, {counts, g.Ints({1})})).summed.empty());
}

TEST_F(Axes, OfAConvolutionAreTheBatchAndWindowsOfOne) {
  const auto convolution = [&](Dims weights, const std::string& begin, const std::string& end) {
    return g.Add(
        "Convolution", 1, {X({2, 3, 8, 6}), Some(std::move(weights))},
        {{"strides", "1,1"}, {"dilations", "1,1"}, {"pads_begin", begin}, {"pads_end", end}});
  };
  EXPECT_EQ(GroupsOf(Of(convolution({5, 3, 3, 1}, "1,0", "1,0"))),
            (Groups{"in0.0=out0.0", "in0.3=out0.3"}));
  // The output is as long as the data, but shifted by one position.
  EXPECT_EQ(GroupsOf(Of(convolution({5, 3, 3, 1}, "1,1", "1,-1"))), (Groups{"in0.0=out0.0"}));
  const AxisRelation past = Of(convolution({5, 3, 3, 1}, "2,0", "0,0"));
  EXPECT_EQ(GroupsOf(past), (Groups{"in0.0=out0.0", "in0.2=out0.2", "in0.3=out0.3"}));
  ASSERT_EQ(past.delays.size(), 1u);
  EXPECT_EQ(past.delays[0].axis, 2);
  EXPECT_EQ(past.delays[0].past, 2);
}

TEST_F(Axes, OfAConvolutionWithInfiniteWeightsLookNowhereBack) {
  const ir::Source weights = Some({1, 1, 2}, std::numeric_limits<float>::infinity());
  const AxisRelation relation =
      Of(g.Add("Convolution", 1, {X({1, 1, 4}), weights},
               {{"strides", "1"}, {"dilations", "1"}, {"pads_begin", "1"}, {"pads_end", "0"}}));
  EXPECT_TRUE(relation.delays.empty());
}

TEST_F(Axes, OfATransposedConvolutionAreTheBatchAndWindowsOfOne) {
  const auto transposed = [&](Dims weights, const std::string& strides, const std::string& begin) {
    return g.Add("ConvolutionBackpropData", 1, {X({2, 3, 8, 6}), Some(std::move(weights))},
                 {{"strides", strides}, {"pads_begin", begin}, {"output_padding", begin}});
  };
  const AxisRelation wide = Of(transposed({3, 5, 3, 1}, "1,1", "0,0"));
  EXPECT_EQ(GroupsOf(wide), (Groups{"in0.0=out0.0", "in0.3=out0.3"}));
  EXPECT_EQ(wide.reason, "has windows over time");
  const AxisRelation denser = Of(transposed({3, 5, 1, 1}, "2,1", "0,0"));
  EXPECT_EQ(GroupsOf(denser), (Groups{"in0.0=out0.0", "in0.3=out0.3"}));
  EXPECT_EQ(denser.reason, "upsamples the time axis");
  // The output is as long as the data, but shifted by one position.
  EXPECT_EQ(GroupsOf(Of(transposed({3, 5, 1, 1}, "1,1", "0,1"))),
            (Groups{"in0.0=out0.0", "in0.2=out0.2"}));
}

TEST_F(Axes, OfATransposedConvolutionToAGivenShapeAreTheBatch) {
  const ir::Source x = X({2, 3, 8, 6}), filters = Some({3, 5, 3, 1});
  EXPECT_EQ(GroupsOf(Of(g.Add("ConvolutionBackpropData", 1, {x, filters, g.Ints({10, 6})}))),
            (Groups{"in0.0=out0.0"}));
}

TEST_F(Axes, OfAResizingAreThoseThatStay) {
  const auto resized = [&](Dims data, std::vector<float> scales, const Dims& axes) {
    const auto count = static_cast<int64_t>(scales.size());
    return g.Add("Interpolate", 11, {X(std::move(data)), g.Floats({count}, scales), g.Ints(axes)},
                 {{"shape_calculation_mode", "scales"}});
  };
  const AxisRelation doubled = Of(resized({2, 3, 8, 6}, {1, 2}, {2, 3}));
  EXPECT_EQ(GroupsOf(doubled), (Groups{"in0.0=out0.0", "in0.1=out0.1", "in0.2=out0.2"}));
  EXPECT_EQ(doubled.reason, "resamples the time axis");
  EXPECT_FALSE(doubled.stretches);
  // An extent of 5 times 1.1 stays 5, but 10 becomes 11.
  EXPECT_EQ(GroupsOf(Of(resized({2, 5}, {1.1f}, {1}))), (Groups{"in0.0=out0.0"}));
}

TEST_F(Axes, OfAResizingToSizesAreMadeLongerWithThem) {
  const ir::Source all = g.Add("Interpolate", 11, {X({2, 3, 8, 6}), g.Ints({2, 3, 8, 12})});
  const AxisRelation relation = Of(all);
  EXPECT_EQ(GroupsOf(relation), (Groups{"in0.0=out0.0", "in0.1=out0.1", "in0.2=out0.2"}));
  EXPECT_TRUE(relation.stretches);
  // The second size does not belong to the last axis.
  const ir::Source inner =
      g.Add("Interpolate", 11, {X({2, 3, 8, 6}), g.Ints({3, 16}), g.Ints({1, 2})});
  EXPECT_EQ(GroupsOf(Of(inner)), (Groups{"in0.0=out0.0", "in0.3=out0.3"}));
  EXPECT_FALSE(Of(inner).stretches);
  const ir::Source first = g.Add("Interpolate", 1, {X({2, 3, 8, 6}), g.Ints({8, 12})},
                                 {{"axes", "3,2"}, {"mode", "nearest"}});
  EXPECT_EQ(GroupsOf(Of(first)), (Groups{"in0.0=out0.0", "in0.1=out0.1", "in0.2=out0.2"}));
}

TEST_F(Axes, OfPoolingKeepTheChannelsApart) {
  EXPECT_EQ(
      GroupsOf(Of(g.Add(
          "MaxPool", 1, {X({2, 3, 8, 6})},
          {{"strides", "2,1"}, {"kernel", "2,1"}, {"pads_begin", "0,0"}, {"pads_end", "0,0"}}))),
      (Groups{"in0.0=out0.0", "in0.1=out0.1", "in0.3=out0.3"}));
}

TEST_F(Axes, OfAPadButThePadded) {
  EXPECT_EQ(GroupsOf(Of(g.Add("Pad", 1, {X({2, 3}), g.Ints({0, 1}), g.Ints({0, 0})},
                              {{"pad_mode", "edge"}}))),
            (Groups{"in0.0=out0.0"}));
}

TEST_F(Axes, OfWhatMovesAlongAnAxisAreTheOthers) {
  const Groups first = {"in0.0=out0.0"}, last = {"in0.1=out0.1"};
  EXPECT_EQ(GroupsOf(Of(g.Add("Reverse", 1, {X({2, 3}), g.Ints({1})}, {{"mode", "index"}}))),
            first);
  const ir::Source mask = g.Const<uint8_t>({ElementType::boolean, {2}}, {1, 0});
  EXPECT_EQ(GroupsOf(Of(g.Add("Reverse", 1, {X({2, 3}), mask}, {{"mode", "mask"}}))), last);
  EXPECT_EQ(GroupsOf(Of(g.Add("Roll", 7, {X({2, 3}), g.Int(1), g.Int(-1)}))), first);
  const ir::Source lengths = g.Const<int32_t>({ElementType::i32, {2}}, {1, 2});
  EXPECT_EQ(GroupsOf(Of(g.Add("ReverseSequence", 1, {X({2, 3, 4}), lengths},
                              {{"batch_axis", "0"}, {"seq_axis", "1"}}))),
            (Groups{"in0.0=in1.0=out0.0", "in0.2=out0.2"}));
  EXPECT_EQ(
      GroupsOf(Of(g.Add("ShuffleChannels", 1, {X({2, 4, 3, 3})}, {{"axis", "1"}, {"group", "2"}}))),
      (Groups{"in0.0=out0.0", "in0.2=out0.2", "in0.3=out0.3"}));
}

TEST_F(Axes, OfBlocksAreThoseThatNoBlockCuts) {
  EXPECT_EQ(GroupsOf(Of(g.Add("DepthToSpace", 1, {X({2, 4, 3, 3})},
                              {{"mode", "blocks_first"}, {"block_size", "2"}}))),
            (Groups{"in0.0=out0.0"}));
  EXPECT_EQ(
      GroupsOf(Of(g.Add("SpaceToBatch", 2,
                        {X({2, 3, 4}), g.Ints({1, 1, 2}), g.Ints({0, 0, 0}), g.Ints({0, 0, 0})}))),
      (Groups{"in0.1=out0.1"}));
}

TEST_F(Axes, ThatAreRepeatedAreOfTheOutputAlone) {
  const AxisRelation tiled = Of(g.Add("Tile", 1, {X({1, 3}), g.Ints({5, 1})}));
  EXPECT_EQ(GroupsOf(tiled), (Groups{"out0.0", "in0.1=out0.1"}));
  EXPECT_TRUE(tiled.stretches);
  EXPECT_EQ(GroupsOf(Of(g.Add("Tile", 1, {X({2}), g.Ints({3})}))), Groups{});
  EXPECT_EQ(GroupsOf(Of(g.Add("Broadcast", 3, {X({3}), g.Ints({2, 3, 4}), g.Ints({1})},
                              {{"mode", "explicit"}}))),
            (Groups{"out0.0", "in0.0=out0.1", "out0.2"}));
}

TEST_F(Axes, OfABroadcastScalarAreOfTheOutputAlone) {
  const ir::Source y =
      g.Add("Broadcast", 3, {X({}), g.Ints({2, 3}), g.Ints({1})}, {{"mode", "explicit"}});
  EXPECT_EQ(GroupsOf(Of(y)), (Groups{"out0.0", "out0.1"}));
}

TEST_F(Axes, OfFakeQuantizeMeetThoseOfItsRanges) {
  const std::map<std::string, std::string> codes = {{"levels", "5"}};
  const ir::Source one = Some({1, 1, 1, 1}, 1);
  EXPECT_EQ(GroupsOf(Of(g.Add("FakeQuantize", 1,
                              {X({2, 3, 4}), Some({3, 1}, -1), one, Some({4}, 0), one}, codes))),
            (Groups{"in0.0=out0.0", "in0.1=in1.0=out0.1", "in0.2=in3.0=out0.2"}));
}

TEST_F(Axes, OfOneHotMakeRoomForTheDepth) {
  const ir::Source indices = g.Parameter({ElementType::i32, {2, 3}});
  EXPECT_EQ(GroupsOf(Of(
                g.Add("OneHot", 1, {indices, g.Int(4), g.Float(1), g.Float(0)}, {{"axis", "1"}}))),
            (Groups{"in0.0=out0.0", "in0.1=out0.2"}));
}

TEST_F(Axes, OfCellsAreTheRows) {
  const ir::Source gru =
      g.Add("GRUCell", 3, {X({2, 3}), X({2, 4}), Some({12, 3}), Some({12, 4}), Some({12})},
            {{"hidden_size", "4"}});
  EXPECT_EQ(GroupsOf(Of(gru)), (Groups{"in0.0=in1.0=out0.0"}));
  const ir::Source lstm = g.Add(
      "LSTMCell", 4, {X({2, 3}), X({2, 4}), X({2, 4}), Some({16, 3}), Some({16, 4}), Some({16})},
      {{"hidden_size", "4"}}, 2);
  EXPECT_EQ(GroupsOf(Of(lstm)), (Groups{"in0.0=in1.0=in2.0=out0.0=out1.0"}));
}

TEST_F(Axes, OfSequencesAreTheStepsAndTheRows) {
  const ir::Source lengths = g.Const<int32_t>({ElementType::i32, {2}}, {5, 5});
  const ir::Source sequence = g.Add(
      "GRUSequence", 5,
      {X({2, 5, 3}), X({2, 1, 4}), lengths, Some({1, 12, 3}), Some({1, 12, 4}), Some({1, 12})},
      {{"hidden_size", "4"}}, 2);
  EXPECT_EQ(GroupsOf(Of(sequence)), (Groups{"in0.1=out0.2", "in0.0=in1.0=in2.0=out0.0=out1.0"}));
  EXPECT_EQ(sequence.node->operation->traits.sequence_states, 1u);
  EXPECT_EQ(Find("LSTMSequence", 5)->traits.sequence_states, 2u);
}

TEST_F(Axes, OfPortsStandAlone) {
  const ir::Source x = X({2, 3});
  EXPECT_EQ(GroupsOf(Of(x)), (Groups{"out0.0", "out0.1"}));
  EXPECT_EQ(GroupsOf(Of(Some({2}))), (Groups{"out0.0"}));
  g.Result(x);
  EXPECT_EQ(GroupsOf(RelationOf(g.graph, *g.graph.results[0])), (Groups{"in0.0", "in0.1"}));
}

TEST_F(Axes, OfOperationsWithoutARuleMix) {
  const AxisRelation relation = Of(g.Add("ShapeOf", 3, {X({2, 3})}));
  EXPECT_TRUE(relation.groups.empty());
  EXPECT_EQ(relation.reason, "may combine time steps");
}

TEST_F(Axes, OfConvertLikeAreThoseOfItsData) {
  EXPECT_EQ(GroupsOf(Of(g.Add("ConvertLike", 1, {X({2, 3}), X({7})}))),
            (Groups{"in0.0=out0.0", "in0.1=out0.1"}));
}

TEST_F(Axes, OfTypesThatMeetAreThoseOfEachInput) {
  const ir::Source numbers = g.Parameter({ElementType::i32, {2, 3}});
  EXPECT_EQ(GroupsOf(Of(g.Add("ConvertPromoteTypes", 14, {X({2, 3}), numbers}, {}, 2))),
            (Groups{"in0.0=out0.0", "in0.1=out0.1", "in1.0=out1.0", "in1.1=out1.1"}));
}

TEST_F(Axes, OfBagsAreThoseThatStandBesideEachOther) {
  const ir::Source table = X({5, 3, 2}), indices = g.Parameter({ElementType::i32, {4, 6}});
  EXPECT_EQ(GroupsOf(Of(g.Add("EmbeddingBagPackedSum", 3, {table, indices, X({4, 6})}))),
            (Groups{"in1.0=in2.0=out0.0"}));
  const AxisRelation bags =
      Of(g.Add("EmbeddingBagOffsetsSum", 3, {table, g.Ints({0, 1}), g.Ints({0, 1})}));
  EXPECT_TRUE(bags.groups.empty());
  EXPECT_EQ(bags.reason, "has the time axis in its table or in its bags");
}

TEST_F(Axes, OfSegmentsAreTheRest) {
  const ir::Source y =
      g.Add("SegmentMax", 16, {X({4, 3, 2}), g.Ints({0, 0, 1, 2})}, {{"fill_mode", "zero"}});
  EXPECT_EQ(GroupsOf(Of(y)), (Groups{"in0.1=out0.1", "in0.2=out0.2"}));
}

TEST_F(Axes, OfTransformsAreThoseThatAreNotNamed) {
  const ir::Source x = X({4, 3, 2});
  EXPECT_EQ(GroupsOf(Of(g.Add("DFT", 7, {x, g.Ints({-1})}))), (Groups{"in0.0=out0.0"}));
  EXPECT_EQ(GroupsOf(Of(g.Add("RDFT", 9, {x, g.Ints({1})}))),
            (Groups{"in0.0=out0.0", "in0.2=out0.2"}));
  EXPECT_EQ(GroupsOf(Of(g.Add("IRDFT", 9, {x, g.Ints({0})}))), (Groups{"in0.1=out0.1"}));
}

TEST_F(Axes, OfFramingAreTheBatch) {
  const std::vector<ir::Source> rest = {Some({4}), g.Int(4), g.Int(2)};
  const auto stft = [&](Dims dims) {
    return Of(g.Add("STFT", 15, {X(std::move(dims)), rest[0], rest[1], rest[2]}));
  };
  EXPECT_EQ(GroupsOf(stft({3, 8})), (Groups{"in0.0=out0.0"}));
  EXPECT_EQ(GroupsOf(stft({8})), (Groups{}));
  EXPECT_EQ(stft({8}).reason, "splits time into frames");
}

}  // namespace
}  // namespace weft::ops
