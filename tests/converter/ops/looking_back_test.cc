// SPDX-License-Identifier: Apache-2.0
// Operations that look back along an axis but not ahead. Each delay is written "axis: take T past P
// give G".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/ops/support/axes.h"
#include "tests/converter/graph_builder.h"

namespace weft::ops {
namespace {

using Delays = std::vector<std::string>;

std::vector<std::string> DelaysIn(const AxisRelation& relation) {
  std::vector<std::string> texts;
  for (const Delay& delay : relation.delays) {
    texts.push_back(
        fmt::format("{}: take {} past {} give {}", delay.axis, delay.take, delay.past, delay.give));
  }
  return texts;
}
struct LookingBack : testing::Test {
  GraphBuilder g;

  AxisRelation RelationTo(ir::Source source) {
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    return RelationOf(g.graph, *source.node);
  }
  ir::Source X(Dims dims) { return g.Parameter(F32(std::move(dims))); }
  ir::Source Some(Dims dims) {
    const auto count = static_cast<size_t>(ElementCount(dims).value());
    return g.Floats(std::move(dims), std::vector<float>(count, 0.5f));
  }
};

TEST_F(LookingBack, OfStridesTakeSeveralPlaces) {
  const auto convolution = [&](int64_t kernel, const std::string& stride, const std::string& pads) {
    return g.Add("Convolution", 1, {X({1, 2, 12}), Some({3, 2, kernel})},
                 {{"strides", stride}, {"dilations", "1"}, {"pads_begin", pads}});
  };
  EXPECT_EQ(DelaysIn(RelationTo(convolution(4, "2", "2"))), (Delays{"2: take 2 past 2 give 1"}));
  EXPECT_EQ(DelaysIn(RelationTo(convolution(3, "3", "0"))), (Delays{"2: take 3 past 0 give 1"}));
  // The window ends after its positions, begins after its padding, or leaves a last position over.
  EXPECT_EQ(DelaysIn(RelationTo(convolution(4, "2", "1"))), Delays());
  EXPECT_EQ(DelaysIn(RelationTo(convolution(3, "3", "3"))), Delays());
  EXPECT_EQ(DelaysIn(RelationTo(convolution(2, "5", "0"))), Delays());
}

TEST_F(LookingBack, OfATransposedConvolutionGiveSeveralPlaces) {
  const auto transposed = [&](const std::string& begin, const std::string& end) {
    return g.Add("ConvolutionBackpropData", 1, {X({1, 2, 5}), Some({2, 3, 5})},
                 {{"strides", "2"}, {"pads_begin", begin}, {"pads_end", end}});
  };
  const AxisRelation overlaps = RelationTo(transposed("0", "3"));
  EXPECT_EQ(DelaysIn(overlaps), (Delays{"2: take 1 past 2 give 2"}));
  EXPECT_EQ(overlaps.delays[0].attributes.at("pads_begin"), "4");
  EXPECT_EQ(DelaysIn(RelationTo(transposed("1", "2"))), Delays());
}

TEST_F(LookingBack, OfAMaximumLookBackFromWhatLosesAgainstAll) {
  const std::map<std::string, std::string> window = {
      {"kernel", "3"}, {"strides", "1"}, {"pads_begin", "2"}, {"pads_end", "0"}};
  const AxisRelation maxima = RelationTo(g.Add("MaxPool", 1, {X({1, 2, 5})}, window));
  EXPECT_EQ(DelaysIn(maxima), (Delays{"2: take 1 past 2 give 1"}));
  EXPECT_EQ(maxima.delays[0].fill, -std::numeric_limits<double>::infinity());
}

TEST_F(LookingBack, OfAShiftLookBack) {
  const AxisRelation late =
      RelationTo(g.Add("Pad", 12, {X({2, 5}), g.Ints({0, 3}), g.Ints({0, -3}), g.Float(0.5f)},
                       {{"pad_mode", "constant"}}));
  EXPECT_EQ(DelaysIn(late), (Delays{"1: take 1 past 3 give 1"}));
  EXPECT_TRUE(late.delays[0].shifts);
  EXPECT_EQ(late.delays[0].fill, 0.5);
}

TEST_F(LookingBack, OfWholeFactorsTakeOrGiveSeveralPlaces) {
  const auto nearest = [&](float scale, const std::string& mode) {
    return g.Add("Interpolate", 11, {X({2, 6}), g.Floats({1}, {scale}), g.Ints({1})},
                 {{"shape_calculation_mode", "scales"}, {"mode", mode}});
  };
  EXPECT_EQ(DelaysIn(RelationTo(nearest(3, "nearest"))), (Delays{"1: take 1 past 0 give 3"}));
  EXPECT_EQ(DelaysIn(RelationTo(nearest(0.5f, "nearest"))), (Delays{"1: take 2 past 0 give 1"}));
  EXPECT_EQ(DelaysIn(RelationTo(nearest(1.5f, "nearest"))), Delays());
  EXPECT_EQ(DelaysIn(RelationTo(nearest(3, "linear"))), Delays());
  const auto every = [&](int64_t first, int64_t step) {
    return g.Add("Slice", 8,
                 {X({2, 6}), g.Ints({first}), g.Ints({6}), g.Ints({step}), g.Ints({1})});
  };
  EXPECT_EQ(DelaysIn(RelationTo(every(1, 2))), (Delays{"1: take 2 past 0 give 1"}));
  EXPECT_EQ(DelaysIn(RelationTo(every(0, 4))), Delays());
}

}  // namespace
}  // namespace weft::ops
