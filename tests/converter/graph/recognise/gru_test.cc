// SPDX-License-Identifier: Apache-2.0
// GRU cells in every form of the update, with the reset before and after the product.
#include "tests/converter/graph/recognise/decomposed_cells.h"

namespace weft {
namespace {

ir::Source Times(GraphBuilder& g, ir::Source a, int64_t inputs, int64_t outputs, uint32_t seed) {
  return g.Add("MatMul", 1, {a, Constant(g, {inputs, outputs}, seed)});
}

ir::Source Plus(GraphBuilder& g, ir::Source a, ir::Source b) { return g.Add("Add", 1, {a, b}); }
ir::Source Minus(GraphBuilder& g, ir::Source a, ir::Source b) {
  return g.Add("Subtract", 1, {a, b});
}
ir::Source By(GraphBuilder& g, ir::Source a, ir::Source b) { return g.Add("Multiply", 1, {a, b}); }

struct Parts {
  ir::Source x, h, z, r, n;
};

// The gates with one product each for x and h, shared by all three.
Parts Gates(GraphBuilder& g, bool linear, const std::string& activation = "Sigmoid") {
  Parts parts;
  parts.x = g.Parameter(F32({kRows, kInputs}));
  parts.h = g.Parameter(F32({kRows, kHidden}));
  const ir::Source of_x =
      Plus(g, Times(g, parts.x, kInputs, 3 * kHidden, 1), Constant(g, {3 * kHidden}, 2));
  const std::vector<ir::Source> from_x = CutColumns(g, of_x, 3, CutBy::kSplit);
  const int64_t recurrent = linear ? 3 : 2;
  ir::Source of_h = Times(g, parts.h, kHidden, recurrent * kHidden, 3);
  if (linear) of_h = Plus(g, of_h, Constant(g, {1, 3 * kHidden}, 4));
  const std::vector<ir::Source> from_h = CutColumns(g, of_h, recurrent, CutBy::kStridedSlice);
  parts.z = g.Add(activation, 1, {Plus(g, from_x[0], from_h[0])});
  parts.r = g.Add(activation, 1, {Plus(g, from_x[1], from_h[1])});
  const ir::Source reset =
      linear ? By(g, parts.r, from_h[2]) : Times(g, By(g, parts.r, parts.h), kHidden, kHidden, 5);
  parts.n = g.Add("Tanh", 1, {Plus(g, from_x[2], reset)});
  return parts;
}

// (1 - z) * n + z * h in one of its forms; `permuted` exchanges z and 1 - z.
ir::Source Update(GraphBuilder& g, const Parts& parts, int form, bool permuted) {
  const ir::Source z = parts.z;
  const ir::Source n = permuted ? parts.h : parts.n, h = permuted ? parts.n : parts.h;
  const ir::Source one = g.Float(1), minus = g.Floats({1, 1}, {-1});
  switch (form) {
    case 0:
      return Plus(g, By(g, z, h), By(g, Minus(g, one, z), n));
    case 1:
      return Plus(g, By(g, Plus(g, g.Add("Negative", 1, {z}), one), n), By(g, z, h));
    case 2:
      return Plus(g, By(g, Plus(g, By(g, z, minus), one), n), By(g, h, z));
    case 3:
      return Plus(g, Minus(g, n, By(g, z, n)), By(g, z, h));
    case 4:
      return Plus(g, n, By(g, z, Minus(g, h, n)));
    default:
      return Minus(g, n, By(g, Minus(g, n, h), z));
  }
}

TEST(RecogniseGru, KnowsEveryFormOfTheUpdate) {
  for (const bool linear : {false, true}) {
    for (const bool permuted : {false, true}) {
      for (int form = 0; form < 6; ++form) {
        SCOPED_TRACE(testing::Message() << linear << permuted << form);
        GraphBuilder g;
        const Parts parts = Gates(g, linear);
        g.Result(Update(g, parts, form, permuted));
        const std::map<std::string, int> left = Recognised(g);
        EXPECT_EQ(left,
                  (std::map<std::string, int>{{"GRUCell", 1}, {"Parameter", 2}, {"Result", 1}}));
      }
    }
  }
}

// Like TensorFlow's GRUCell: [x, h] for both gates, then [x, r * h].
TEST(RecogniseGru, KnowsMergedMatrices) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({kRows, kInputs})), h = g.Parameter(F32({kRows, kHidden}));
  const auto joined = [&](ir::Source a) { return g.Add("Concat", 1, {x, a}, {{"axis", "-1"}}); };
  const int64_t both = kInputs + kHidden;
  const ir::Source gates =
      g.Add("Sigmoid", 1,
            {Plus(g, Times(g, joined(h), both, 2 * kHidden, 1), Constant(g, {2 * kHidden}, 2))});
  const std::vector<ir::Source> parts = CutColumns(g, gates, 2, CutBy::kSplit);
  const ir::Source r = parts[0], z = parts[1];
  const ir::Source n =
      g.Add("Tanh", 1,
            {Plus(g, Times(g, joined(By(g, r, h)), both, kHidden, 3), Constant(g, {kHidden}, 4))});
  g.Result(Plus(g, By(g, z, h), By(g, Minus(g, g.Float(1), z), n)));
  std::map<std::string, int> left = Recognised(g);
  EXPECT_EQ(left["GRUCell"], 1);
  EXPECT_EQ(left["MatMul"], 0);
}

TEST(RecogniseGru, LeavesATurnedUpdateOfAnotherActivation) {
  for (const bool permuted : {false, true}) {
    GraphBuilder g;
    const Parts parts = Gates(g, true, "Tanh");
    g.Result(Update(g, parts, 0, permuted));
    EXPECT_EQ(Recognised(g)["GRUCell"], permuted ? 0 : 1);
  }
}

TEST(RecogniseGru, LeavesACellWhoseGateIsRead) {
  for (const bool linear : {false, true}) {
    GraphBuilder g;
    const Parts parts = Gates(g, linear);
    g.Result(Update(g, parts, 0, false));
    g.Result(parts.r);
    EXPECT_EQ(Recognised(g)["GRUCell"], 0);
  }
}

// A minimal gated unit has one gate for reset and update.
TEST(RecogniseGru, TakesOneGateForBoth) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({kRows, kInputs})), h = g.Parameter(F32({kRows, kHidden}));
  const ir::Source f = g.Add(
      "Sigmoid", 1, {Plus(g, Times(g, x, kInputs, kHidden, 1), Times(g, h, kHidden, kHidden, 2))});
  const ir::Source n = g.Add(
      "Tanh", 1,
      {Plus(g, Times(g, x, kInputs, kHidden, 3), Times(g, By(g, f, h), kHidden, kHidden, 4))});
  g.Result(Plus(g, By(g, f, h), By(g, Minus(g, g.Float(1), f), n)));
  EXPECT_EQ(Recognised(g)["GRUCell"], 1);
}

// The candidate reads a different state than the update.
TEST(RecogniseGru, LeavesAForeignState) {
  GraphBuilder g;
  Parts parts = Gates(g, false);
  parts.h = g.Parameter(F32({kRows, kHidden}));
  g.Result(Update(g, parts, 0, false));
  EXPECT_EQ(Recognised(g)["GRUCell"], 0);
}

TEST(RecogniseGru, LeavesACandidateWithoutReset) {
  GraphBuilder g;
  Parts parts = Gates(g, false);
  parts.n = g.Add(
      "Tanh", 1,
      {Plus(g, Times(g, parts.x, kInputs, kHidden, 8), Times(g, parts.h, kHidden, kHidden, 9))});
  g.Result(Update(g, parts, 0, false));
  EXPECT_EQ(Recognised(g)["GRUCell"], 0);
}

}  // namespace
}  // namespace weft
