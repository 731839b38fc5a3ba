// SPDX-License-Identifier: Apache-2.0
// SpaceToBatch, a convolution and BatchToSpace become one dilated convolution if blocks, pads and
// crops match; otherwise they stay.
#include "converter/graph/canonical/canonical.h"
#include "tests/converter/graph/recognise/rewritten.h"

namespace weft {
namespace {

using Ints = std::vector<int64_t>;

struct DecomposedDilation : testing::Test {
  weft::FormBuilder g;
  const KindCounts untouched = {{"BatchToSpace", 1}, {"Convolution", 1}, {"SpaceToBatch", 1}};

  ir::Source ToBatch(ir::Source x, const Ints& block, const Ints& begin, const Ints& end) {
    return g.Of("SpaceToBatch", {x, g.Ints(block), g.Ints(begin), g.Ints(end)});
  }
  ir::Source ToSpace(ir::Source x, const Ints& block, const Ints& begin, const Ints& end) {
    return g.Of("BatchToSpace", {x, g.Ints(block), g.Ints(begin), g.Ints(end)});
  }
  ir::Source Convolved(ir::Source x, const Dims& filters, const std::string& strides = "1,1") {
    const std::vector<float> weights = Numbers(static_cast<size_t>(*ElementCount(filters)), 5);
    const bool is_row = filters.size() == 3;
    const std::string none = is_row ? "0" : "0,0", one = is_row ? "1" : "1,1";
    return g.Of("Convolution", {x, g.Floats(filters, weights)},
                {{"strides", is_row ? "1" : strides},
                 {"dilations", one},
                 {"pads_begin", none},
                 {"pads_end", none},
                 {"auto_pad", "explicit"}});
  }
  ir::Source Permutation(ir::Source x, const Ints& order) {
    return g.Of("Transpose", {x, g.Ints(order)});
  }
  KindCounts Finished(ir::Source y) {
    g.Result(y);
    return Rewritten(g, graph::MergeDilations);
  }
};

TEST_F(DecomposedDilation, OfARowTakesPadsLessCrops) {
  const ir::Source x = ToBatch(g.Parameter(F32({2, 3, 9})), {1, 1, 2}, {0, 0, 4}, {0, 0, 1});
  const ir::Source y = ToSpace(Convolved(x, {4, 3, 3}), {1, 1, 2}, {0, 0, 0}, {0, 0, 1});
  EXPECT_EQ(Finished(y), (KindCounts{{"Convolution", 1}}));
  const ir::Node& made = *g.graph.results[0]->inputs[0].node;
  EXPECT_EQ(made.attributes.at("dilations"), "2");
  EXPECT_EQ(made.attributes.at("pads_begin"), "4");
  EXPECT_EQ(made.attributes.at("pads_end"), "0");
}

TEST_F(DecomposedDilation, GoesThroughAnAxisOfOneElement) {
  const ir::Source x = ToBatch(g.Parameter(F32({1, 3, 12})), {1, 1, 3}, {0, 0, 0}, {0, 0, 0});
  const ir::Source y = Convolved(g.Of("Unsqueeze", {x, g.Ints({2})}), {4, 3, 1, 2});
  EXPECT_EQ(Finished(ToSpace(g.Of("Squeeze", {y, g.Ints({2})}), {1, 1, 3}, {0, 0, 0}, {0, 0, 0})),
            (KindCounts{{"Convolution", 1}, {"Reshape", 2}}));
}

TEST_F(DecomposedDilation, GoesThroughTranspositions) {
  const ir::Source x = ToBatch(g.Parameter(F32({2, 8, 3})), {1, 2, 1}, {0, 0, 0}, {0, 0, 0});
  const ir::Source y = Permutation(Convolved(Permutation(x, {0, 2, 1}), {4, 3, 2}), {0, 2, 1});
  EXPECT_EQ(Finished(ToSpace(y, {1, 2, 1}, {0, 0, 0}, {0, 0, 0})),
            (KindCounts{{"Convolution", 1}, {"Transpose", 2}}));
}

TEST_F(DecomposedDilation, OfAPlaneHasOneForEachAxis) {
  const ir::Source x =
      ToBatch(g.Parameter(F32({1, 2, 7, 9})), {1, 1, 2, 3}, {0, 0, 2, 3}, {0, 0, 1, 3});
  const ir::Source y =
      ToSpace(Convolved(x, {3, 2, 3, 2}), {1, 1, 2, 3}, {0, 0, 1, 0}, {0, 0, 0, 2});
  EXPECT_EQ(Finished(y), (KindCounts{{"Convolution", 1}}));
  EXPECT_EQ(g.graph.results[0]->inputs[0].node->attributes.at("dilations"), "2,3");
}

TEST_F(DecomposedDilation, StaysWithOtherBlocksBehind) {
  const ir::Source x = ToBatch(g.Parameter(F32({1, 2, 8, 8})), {1, 1, 2, 1}, Ints(4), Ints(4));
  EXPECT_EQ(Finished(ToSpace(Convolved(x, {3, 2, 2, 2}), {1, 1, 1, 2}, Ints(4), Ints(4))),
            untouched);
}

TEST_F(DecomposedDilation, StaysWhereMoreIsCroppedThanPadded) {
  const ir::Source x = ToBatch(g.Parameter(F32({1, 2, 8})), {1, 1, 2}, Ints(3), Ints(3));
  EXPECT_EQ(Finished(ToSpace(Convolved(x, {3, 2, 2}), {1, 1, 2}, {0, 0, 1}, Ints(3))), untouched);
}

TEST_F(DecomposedDilation, StaysWithAStride) {
  const ir::Source x = ToBatch(g.Parameter(F32({1, 2, 8, 8})), {1, 1, 2, 1}, Ints(4), Ints(4));
  EXPECT_EQ(Finished(ToSpace(Convolved(x, {3, 2, 2, 2}, "2,1"), {1, 1, 2, 1}, Ints(4), Ints(4))),
            untouched);
}

TEST_F(DecomposedDilation, StaysWhereTheBatchesAreReadBesides) {
  const ir::Source x = ToBatch(g.Parameter(F32({1, 2, 8})), {1, 1, 2}, Ints(3), Ints(3));
  const ir::Source y = Convolved(x, {3, 2, 2});
  g.Result(y);
  EXPECT_EQ(Finished(ToSpace(y, {1, 1, 2}, Ints(3), Ints(3))), untouched);
}

TEST_F(DecomposedDilation, StaysWhereAxesChangePlacesBetween) {
  const ir::Source x = ToBatch(g.Parameter(F32({1, 2, 8, 8})), {1, 1, 2, 2}, Ints(4), Ints(4));
  const ir::Source y = Permutation(Convolved(x, {3, 2, 1, 1}), {0, 1, 3, 2});
  EXPECT_EQ(
      Finished(ToSpace(y, {1, 1, 2, 2}, Ints(4), Ints(4))),
      (KindCounts{{"BatchToSpace", 1}, {"Convolution", 1}, {"SpaceToBatch", 1}, {"Transpose", 1}}));
}

}  // namespace
}  // namespace weft
