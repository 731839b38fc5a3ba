// SPDX-License-Identifier: Apache-2.0
// Decomposed attention becomes one operation if that is cheaper: if its mask is a triangle, or if
// both query and key are scaled.
#include "converter/graph/recognise/forms/forms.h"
#include "tests/converter/graph/recognise/rewritten.h"

namespace weft {
namespace {

struct DecomposedAttention : testing::Test {
  FormBuilder g;
  const ir::Source query = g.Parameter(F32({2, 3, 4})), key = g.Parameter(F32({2, 3, 4}));
  const ir::Source value = g.Parameter(F32({2, 3, 5}));

  ir::Source Scores(ir::Source q, ir::Source k) {
    return g.Of("MatMul", {q, k}, {{"transpose_b", "true"}});
  }
  // 0 up to `ahead` positions after the query, `min` after that.
  ir::Source Mask(float min, int64_t ahead = 0) {
    std::vector<float> mask;
    for (int64_t i = 0; i < 9; ++i) mask.push_back(i % 3 <= i / 3 + ahead ? 0 : min);
    return g.Floats({3, 3}, mask);
  }
  KindCounts Finished(ir::Source scores) {
    const ir::Source shares = g("Softmax", scores, {{"axis", "-1"}});
    g.Result(g.Of("MatMul", {shares, value}));
    return Rewritten(g, graph::RecogniseForms);
  }
  const KindCounts one = {{"ScaledDotProductAttention", 1}};
};

TEST_F(DecomposedAttention, WithATriangleAddedIsCausal) {
  EXPECT_EQ(Finished(g("Add", g("Multiply", Scores(query, key), 0.5f), Mask(-INFINITY))), one);
}

TEST_F(DecomposedAttention, MayCallTheLowestNumberInfinite) {
  EXPECT_EQ(Finished(g("Add", Mask(-3.4028235e38f), g("Divide", Scores(query, key), 2.0f))), one);
}

TEST_F(DecomposedAttention, WithATriangleChosenIsCausal) {
  const ir::Source allowed = g.Const<uint8_t>({ElementType::boolean, {1, 3, 3}},
                                              std::vector<uint8_t>{1, 0, 0, 1, 1, 0, 1, 1, 1});
  const ir::Source scores = Scores(g("Multiply", query, 0.5f), key);
  EXPECT_EQ(Finished(g.Of("Select", {allowed, scores, g.Number(-1e9f)})), one);
}

TEST_F(DecomposedAttention, WithATriangleExcludedIsCausal) {
  const ir::Source after = g.Const<uint8_t>({ElementType::boolean, {3, 3}},
                                            std::vector<uint8_t>{0, 1, 1, 0, 0, 1, 0, 0, 0});
  EXPECT_EQ(Finished(g.Of("Select", {after, g.Number(-INFINITY), Scores(query, key)})), one);
}

TEST_F(DecomposedAttention, ScaledOnBothSidesIsScaledOnce) {
  const ir::Source permuted = g.Of("Transpose", {key, g.Ints({0, 2, 1})});
  const ir::Source product =
      g.Of("MatMul", {g("Multiply", query, 0.7f), g("Multiply", permuted, 0.7f)});
  EXPECT_EQ(Finished(product), one);
}

TEST_F(DecomposedAttention, AsTheOperationNeedsNoTableForATriangle) {
  const ir::Source y = g.Of("ScaledDotProductAttention", {query, key, value, Mask(-INFINITY)},
                            {{"causal", "false"}});
  g.Result(y);
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms), one);
  EXPECT_EQ(y.node->attributes.at("causal"), "true");
}

TEST_F(DecomposedAttention, TakesFactorsBeforeTheOperationIntoItsScale) {
  const ir::Source q = g("Multiply", query, 0.7f), k = g("Divide", key, 2.0f);
  g.Result(g.Of("ScaledDotProductAttention", {q, k, value}, {{"causal", "true"}}));
  const ir::Source scale = g.Floats({1}, {0.3f});
  g.Result(g.Of("ScaledDotProductAttention",
                {g("Multiply", 3.0f, query), key, value, g.Number(0), scale},
                {{"causal", "false"}}));
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms), (KindCounts{{"ScaledDotProductAttention", 2}}));
}

TEST_F(DecomposedAttention, LeavesAFactorThatIsComputed) {
  const ir::Source scale = g.Parameter(F32({1}));
  g.Result(g.Of("ScaledDotProductAttention",
                {g("Multiply", query, 0.7f), key, value, g.Number(0), scale},
                {{"causal", "false"}}));
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms),
            (KindCounts{{"Multiply", 1}, {"ScaledDotProductAttention", 1}}));
}

TEST_F(DecomposedAttention, StaysWhereItIsNoCheaper) {
  EXPECT_EQ(Finished(g("Multiply", Scores(query, key), 0.5f)),
            (KindCounts{{"MatMul", 2}, {"Multiply", 1}, {"Softmax", 1}}));
}

TEST_F(DecomposedAttention, StaysWithAnotherTriangle) {
  EXPECT_EQ(Finished(g("Add", Scores(query, key), Mask(-INFINITY, 1))),
            (KindCounts{{"Add", 1}, {"MatMul", 2}, {"Softmax", 1}}));
}

TEST_F(DecomposedAttention, StaysWhereTheMaskLeavesSome) {
  EXPECT_EQ(Finished(g("Add", Scores(query, key), Mask(-10))),
            (KindCounts{{"Add", 1}, {"MatMul", 2}, {"Softmax", 1}}));
}

// Products that do not form an attention operation: only the softmax becomes causal.
TEST_F(DecomposedAttention, OfAnEquationHasACausalSoftmax) {
  const ir::Source product = g.Of("Einsum", {query, key}, {{"equation", "btc,bsc->bts"}});
  const ir::Source shares = g("Softmax", g("Add", product, Mask(-INFINITY)), {{"axis", "2"}});
  g.Result(g.Of("Einsum", {shares, value}, {{"equation", "bts,bsc->btc"}}));
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms), (KindCounts{{"Einsum", 2}, {"Softmax", 1}}));
}

TEST_F(DecomposedAttention, AlongTheQueriesKeepsItsMask) {
  const ir::Source scores = g("Add", Scores(query, key), Mask(-INFINITY));
  g.Result(g("Softmax", scores, {{"axis", "1"}}));
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms),
            (KindCounts{{"Add", 1}, {"MatMul", 1}, {"Softmax", 1}}));
}

// Two heads of keys for four of queries.
struct SharedHeads : testing::Test {
  FormBuilder g;
  const ir::Source query = g.Parameter(F32({2, 4, 5, 3})), key = g.Parameter(F32({2, 2, 6, 3}));

  ir::Source Broadcast(ir::Source x, const std::vector<int64_t>& to) {
    return g.Of("Broadcast", {x, g.Ints(to)}, {{"mode", "numpy"}});
  }
  ir::Source Shaped(ir::Source x, const std::vector<int64_t>& to) {
    return g.Of("Reshape", {x, g.Ints(to)}, {{"special_zero", "false"}});
  }
  ir::Source Repeated(ir::Source x) {
    const ir::Source broadcast = Broadcast(g.Of("Unsqueeze", {x, g.Ints({2})}), {2, 2, 2, 6, 3});
    return Shaped(broadcast, {2, 4, 6, 3});
  }
  KindCounts Finished(ir::Source result) {
    g.Result(result);
    return Rewritten(g, graph::RecogniseForms, 0);
  }
};

TEST_F(SharedHeads, AreReadWithoutACopy) {
  const ir::Source y = g.Of("MatMul", {query, Repeated(key)}, {{"transpose_b", "true"}});
  EXPECT_EQ(Finished(y), (KindCounts{{"MatMul", 1}, {"Reshape", 3}}));
}

TEST_F(SharedHeads, TurnedAreTurnedOnce) {
  const ir::Source permuted = g.Of("Transpose", {Repeated(key), g.Ints({0, 1, 3, 2})});
  EXPECT_EQ(Finished(g.Of("MatMul", {query, permuted})),
            (KindCounts{{"MatMul", 1}, {"Reshape", 3}, {"Transpose", 1}}));
}

TEST_F(SharedHeads, OfAnEquationLoseALetter) {
  const ir::Source y = g.Of("Einsum", {query, Repeated(key)}, {{"equation", "bhtc,bhsc->bhts"}});
  EXPECT_EQ(Finished(y), (KindCounts{{"Einsum", 1}, {"Reshape", 2}}));
}

TEST_F(SharedHeads, ThatStandInTurnAreRepeated) {
  const ir::Source broadcast = Broadcast(g.Of("Unsqueeze", {key, g.Ints({1})}), {2, 2, 2, 6, 3});
  const ir::Source y =
      g.Of("MatMul", {query, Shaped(broadcast, {2, 4, 6, 3})}, {{"transpose_b", "true"}});
  EXPECT_EQ(Finished(y),
            (KindCounts{{"Broadcast", 1}, {"MatMul", 1}, {"Reshape", 1}, {"Unsqueeze", 1}}));
}

TEST_F(SharedHeads, OfQueriesWithoutHeadsAreRepeated) {
  const KindCounts before = {{"Broadcast", 1}, {"MatMul", 1}, {"Reshape", 1}, {"Unsqueeze", 1}};
  const ir::Source one = g.Parameter(F32({2, 1, 5, 3}));
  EXPECT_EQ(Finished(g.Of("MatMul", {one, Repeated(key)}, {{"transpose_b", "true"}})), before);
}

TEST_F(SharedHeads, OfBothFactorsAreRepeatedOnce) {
  const ir::Source other = g.Parameter(F32({2, 2, 6, 3}));
  g.Result(g.Of("MatMul", {Repeated(other), Repeated(key)}, {{"transpose_b", "true"}}));
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms, 0).at("MatMul"), 1);
}

TEST_F(SharedHeads, BehindAStretchToTheSameDimsAreReadAsTheyLie) {
  const ir::Source other = g.Parameter(F32({2, 4, 6, 3}));
  const ir::Source permuted = g.Of("Transpose", {other, g.Ints({0, 1, 3, 2})});
  const ir::Source y = g.Of("MatMul", {query, Broadcast(permuted, {2, 4, 3, 6})});
  EXPECT_EQ(Finished(y), (KindCounts{{"MatMul", 1}, {"Transpose", 1}}));
}

TEST_F(SharedHeads, WithRowsAmongThemAreRepeated) {
  const ir::Source broadcast = Broadcast(g.Of("Unsqueeze", {key, g.Ints({3})}), {2, 2, 6, 2, 3});
  const ir::Source other = g.Parameter(F32({2, 2, 12, 3}));
  const ir::Source y =
      g.Of("MatMul", {other, Shaped(broadcast, {2, 2, 12, 3})}, {{"transpose_b", "true"}});
  EXPECT_EQ(Finished(y),
            (KindCounts{{"Broadcast", 1}, {"MatMul", 1}, {"Reshape", 1}, {"Unsqueeze", 1}}));
}

}  // namespace
}  // namespace weft
