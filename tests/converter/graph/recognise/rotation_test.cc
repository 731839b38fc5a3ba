// SPDX-License-Identifier: Apache-2.0
// Rotary positions: one copy, with the constants of both halves together.
#include "converter/graph/recognise/forms/forms.h"
#include "tests/converter/graph/recognise/rewritten.h"

namespace weft {
namespace {

struct DecomposedRotation : testing::Test {
  weft::FormBuilder g;
  const ir::Source x = g.Parameter(F32({2, 5, 6}));

  ir::Source Half(size_t which) {
    const int64_t begin = which == 0 ? 0 : 3;
    return g.Of("Slice", {x, g.Ints({begin}), g.Ints({begin + 3}), g.Ints({1}), g.Ints({2})});
  }
  ir::Source Positions(int64_t begin) {
    return g.Of("Slice", {x, g.Ints({begin}), g.Ints({6}), g.Ints({2}), g.Ints({-1})});
  }
  ir::Source Joined(ir::Source a, ir::Source b) { return g.Of("Concat", {a, b}, {{"axis", "-1"}}); }
  ir::Source Stacked(ir::Source a, ir::Source b) {
    const ir::Source first = g.Of("Unsqueeze", {a, g.Ints({3})});
    const ir::Source second = g.Of("Unsqueeze", {b, g.Ints({3})});
    return g.Of("Reshape", {Joined(first, second), g.Ints({2, 5, 6})});
  }
  ir::Source Pair(ir::Source a, ir::Source b, bool first) {
    const ir::Source cos = g.Row({0.5f, 0.25f, 0.125f}), sin = g.Row({2, 3, 4});
    return first ? g("Subtract", g("Multiply", a, cos), g("Multiply", b, sin))
                 : g("Add", g("Multiply", a, sin), g("Multiply", b, cos));
  }
  KindCounts Finished(ir::Source y) {
    g.Result(y);
    KindCounts kinds = Rewritten(g, graph::RecogniseForms);
    for (const char* free : {"Identity", "Reshape"}) kinds.erase(free);
    return kinds;
  }
};

TEST_F(DecomposedRotation, OfHalvesIsOneCopy) {
  EXPECT_EQ(Finished(Joined(g("Negative", Half(1)), Half(0))),
            (KindCounts{{"Multiply", 1}, {"Reverse", 1}}));
}

TEST_F(DecomposedRotation, OfNeighboursIsOneCopy) {
  EXPECT_EQ(Finished(Stacked(g("Multiply", Positions(1), -1.0f), Positions(0))),
            (KindCounts{{"Multiply", 1}, {"Reverse", 1}}));
}

TEST_F(DecomposedRotation, OfPairsIsTwoProductsAndASum) {
  const KindCounts left = {{"Add", 1}, {"Multiply", 2}, {"Reverse", 1}};
  const ir::Source a = Positions(0), b = Positions(1);
  EXPECT_EQ(Finished(Stacked(Pair(a, b, true), Pair(a, b, false))), left);
}

TEST_F(DecomposedRotation, OfPairsOfHalves) {
  const KindCounts left = {{"Add", 1}, {"Multiply", 2}, {"Reverse", 1}};
  const ir::Source a = Half(0), b = Half(1);
  EXPECT_EQ(Finished(Joined(Pair(a, b, true), Pair(a, b, false))), left);
}

TEST_F(DecomposedRotation, StaysWhereAHalfIsTakenTwice) {
  EXPECT_EQ(Finished(Joined(g("Negative", Half(1)), Half(1))),
            (KindCounts{{"Concat", 1}, {"Negative", 1}, {"Slice", 2}}));
}

TEST_F(DecomposedRotation, StaysWhereAHalfReversesAnotherAxis) {
  const auto half = [&](int64_t begin) {
    return g.Of("Slice",
                {x, g.Ints({-1, begin}), g.Ints({-6, begin + 3}), g.Ints({-1, 1}), g.Ints({1, 2})});
  };
  EXPECT_EQ(Finished(Joined(g("Negative", half(3)), half(0))),
            (KindCounts{{"Concat", 1}, {"Negative", 1}, {"Slice", 2}}));
}

TEST_F(DecomposedRotation, StaysWhereEvenPlacesBecomeAHalf) {
  EXPECT_EQ(Finished(Joined(g("Negative", Positions(1)), Positions(0))),
            (KindCounts{{"Concat", 1}, {"Negative", 1}, {"Slice", 2}}));
}

}  // namespace
}  // namespace weft
