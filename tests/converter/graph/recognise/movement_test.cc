// SPDX-License-Identifier: Apache-2.0
// Consecutive transpositions and views become one or none: never more steps, with equal numbers.
#include "converter/graph/recognise/forms/forms.h"
#include "tests/converter/graph/recognise/rewritten.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

struct DecomposedMovement : testing::Test {
  weft::FormBuilder g;

  ir::Source Permutation(ir::Source x, const std::vector<int64_t>& order) {
    return g.Of("Transpose", {x, g.Ints(order)});
  }
  ir::Source Shape(ir::Source x, const std::vector<int64_t>& dims) {
    return g.Of("Reshape", {x, g.Ints(dims)}, {{"special_zero", "false"}});
  }
  // Returns the operations that stay if an activation reads `x`.
  KindCounts Finished(ir::Source x) {
    g.Result(g("Exp", x));
    return Rewritten(g, graph::RecogniseForms);
  }
};

TEST_F(DecomposedMovement, ThereAndBackIsNothing) {
  const ir::Source x = g.Parameter(F32({2, 3, 4}));
  EXPECT_EQ(Finished(Permutation(Permutation(x, {2, 0, 1}), {1, 2, 0})), (KindCounts{{"Exp", 1}}));
}

TEST_F(DecomposedMovement, TwoTurnsAreOne) {
  const ir::Source x = g.Parameter(F32({2, 3, 4, 5}));
  EXPECT_EQ(Finished(Permutation(Permutation(x, {3, 0, 2, 1}), {0, 3, 1, 2})),
            (KindCounts{{"Exp", 1}, {"Transpose", 1}}));
}

TEST_F(DecomposedMovement, OtherDimsBetweenDoNotMatter) {
  const ir::Source x = g.Parameter(F32({1, 2, 5, 4}));
  const ir::Source matrices = Permutation(Shape(x, {-1, 5, 4}), {0, 2, 1});
  EXPECT_EQ(Finished(Permutation(Shape(matrices, {1, 2, 4, 5}), {0, 1, 3, 2})),
            (KindCounts{{"Exp", 1}}));
}

TEST_F(DecomposedMovement, ABroadcastToItsOwnDimsIsNothing) {
  const ir::Source x = g.Parameter(F32({2, 3}));
  const ir::Source same = g.Of("Broadcast", {x, g.Ints({2, 3})}, {{"mode", "bidirectional"}});
  EXPECT_EQ(Finished(Shape(Shape(same, {3, 2}), {2, 3})), (KindCounts{{"Exp", 1}}));
}

TEST_F(DecomposedMovement, AProductReadsThroughTheLastOne) {
  const ir::Source x = g.Parameter(F32({5, 2, 4})), y = g.Parameter(F32({1, 2, 4, 3}));
  g.Result(g.Of("MatMul", {Shape(Permutation(x, {1, 0, 2}), {1, 2, 5, 4}), y}));
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms),
            (KindCounts{{"MatMul", 1}, {"Reshape", 1}, {"Transpose", 1}}));
  EXPECT_EQ(Kinds(LowerGraph(g)), std::vector<program::StepKind>{program::StepKind::kMatmul});
}

TEST_F(DecomposedMovement, StaysWhereAnAxisWouldNeedTwoStrides) {
  const ir::Source x = g.Parameter(F32({3, 4, 5}));
  EXPECT_EQ(Finished(Permutation(Shape(Permutation(x, {1, 0, 2}), {6, 10}), {1, 0})),
            (KindCounts{{"Exp", 1}, {"Reshape", 1}, {"Transpose", 2}}));
}

TEST_F(DecomposedMovement, StaysWhereTheFirstIsReadBesides) {
  const ir::Source x = g.Parameter(F32({2, 3, 4}));
  const ir::Source first = Permutation(x, {2, 0, 1});
  g.Result(g("Exp", first));
  EXPECT_EQ(Finished(Permutation(first, {0, 2, 1})), (KindCounts{{"Exp", 2}, {"Transpose", 2}}));
}

}  // namespace
}  // namespace weft
