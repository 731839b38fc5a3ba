// SPDX-License-Identifier: Apache-2.0
// A Pad of zeros before permuted axes of a convolution becomes its padding; other Pads stay.
#include <cmath>

#include "converter/graph/canonical/pads.h"
#include "tests/converter/graph/recognise/rewritten.h"

namespace weft {
namespace {

using Counts = std::vector<int64_t>;

struct DecomposedBorder : testing::Test {
  weft::FormBuilder g;
  const KindCounts padded = {{"Convolution", 1}, {"Pad", 1}, {"Transpose", 1}};
  const KindCounts joined = {{"Convolution", 1}, {"Transpose", 1}};

  // Channels last, 9 positions of 3 channels.
  ir::Source Padded(const Counts& before, const Counts& after, float fill = 0) {
    return g.Of("Pad", {g.Parameter(F32({2, 9, 3})), g.Ints(before), g.Ints(after), g.Float(fill)},
                {{"pad_mode", "constant"}});
  }
  ir::Source Convolved(ir::Source x, const Dims& filters = {4, 3, 3}) {
    std::vector<float> weights = Numbers(*ElementCount(filters), 5);
    return g.Of("Convolution",
                {g.Of("Transpose", {x, g.Ints({0, 2, 1})}), g.Floats(filters, weights)},
                {{"strides", "1"},
                 {"dilations", "2"},
                 {"pads_begin", "1"},
                 {"pads_end", "0"},
                 {"auto_pad", "explicit"}});
  }
  KindCounts Finished(ir::Source y) {
    g.Result(y);
    return Rewritten(g, graph::JoinOwnPads);
  }
};

TEST_F(DecomposedBorder, JoinsTheOwnPadding) {
  const ir::Source y = Convolved(Padded({0, 4, 0}, {0, 1, 0}));
  EXPECT_EQ(Finished(y), joined);
  EXPECT_EQ(y.node->attributes.at("pads_begin"), "5");
  EXPECT_EQ(y.node->attributes.at("pads_end"), "1");
}

TEST_F(DecomposedBorder, JoinsWithoutAPermutation) {
  const ir::Source x =
      g.Of("Pad", {g.Parameter(F32({2, 3, 9})), g.Ints({0, 0, 4}), g.Ints({0, 0, 0}), g.Float(0)},
           {{"pad_mode", "constant"}});
  const ir::Source y = g.Of("Convolution", {x, g.Floats({4, 3, 3}, Numbers(36, 5))},
                            {{"strides", "1"},
                             {"dilations", "1"},
                             {"pads_begin", "0"},
                             {"pads_end", "0"},
                             {"auto_pad", "explicit"}});
  EXPECT_EQ(Finished(y), (KindCounts{{"Convolution", 1}}));
  EXPECT_EQ(y.node->attributes.at("pads_begin"), "4");
}

// Without padding, such a convolution has no window.
TEST_F(DecomposedBorder, JoinsAConvolutionOfOneTap) {
  const ir::Source x = g.Of("Transpose", {Padded({0, 2, 0}, {0, 1, 0}), g.Ints({0, 2, 1})});
  const ir::Source y = g.Of("Convolution", {x, g.Floats({4, 3, 1}, Numbers(12, 5))},
                            {{"strides", "1"},
                             {"dilations", "1"},
                             {"pads_begin", "0"},
                             {"pads_end", "0"},
                             {"auto_pad", "explicit"}});
  EXPECT_EQ(Finished(y), joined);
  EXPECT_EQ(y.node->attributes.at("pads_begin"), "2");
  EXPECT_EQ(y.node->attributes.at("pads_end"), "1");
}

TEST_F(DecomposedBorder, JoinsTheMinimumOfAMaximum) {
  for (const float fill : {-INFINITY, 0.0f}) {
    FormBuilder own;
    const ir::Source x = own.Of(
        "Pad",
        {own.Parameter(F32({2, 3, 9})), own.Ints({0, 0, 1}), own.Ints({0, 0, 1}), own.Float(fill)},
        {{"pad_mode", "constant"}});
    own.Result(own.Add("MaxPool", 1, {x},
                       {{"kernel", "3"},
                        {"strides", "2"},
                        {"pads_begin", "0"},
                        {"pads_end", "0"},
                        {"rounding_type", "floor"},
                        {"auto_pad", "explicit"}}));
    KindCounts expected = {{"MaxPool", 1}};
    if (fill == 0) expected["Pad"] = 1;
    EXPECT_EQ(Rewritten(own, graph::JoinOwnPads), expected);
  }
}

TEST_F(DecomposedBorder, IsStillReadByOthers) {
  const ir::Source x = Padded({0, 4, 0}, {0, 0, 0});
  g.Result(x);
  EXPECT_EQ(Finished(Convolved(x)), padded);
  EXPECT_EQ(g.graph.results[1]->inputs[0].node->attributes.at("pads_begin"), "5");
}

TEST_F(DecomposedBorder, StaysWhereItIsNoZero) {
  EXPECT_EQ(Finished(Convolved(Padded({0, 4, 0}, {0, 0, 0}, 1))), padded);
}

TEST_F(DecomposedBorder, StaysAroundChannelsAndBatches) {
  EXPECT_EQ(Finished(Convolved(Padded({0, 4, 1}, {0, 0, 0}), {4, 4, 3})), padded);
}

TEST_F(DecomposedBorder, StaysWhereItTakesPlacesAway) {
  EXPECT_EQ(Finished(Convolved(Padded({0, 4, 0}, {0, -1, 0}))), padded);
}

}  // namespace
}  // namespace weft
