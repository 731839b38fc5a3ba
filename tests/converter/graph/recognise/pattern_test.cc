// SPDX-License-Identifier: Apache-2.0
// Text patterns: each kind of term matches the operations it describes and no others.
#include "converter/graph/recognise/pattern.h"

#include "converter/graph/recognise/forms/form_rows.h"
#include "tests/converter/graph/recognise/rewritten.h"

namespace weft {
namespace {

using Matches = std::vector<graph::Pattern::Match>;

class PatternText : public testing::Test {
 protected:
  PatternText() : x(g.Parameter(F32({2, 4}))), y(g.Parameter(F32({2, 4}))) {}

  Matches Of(std::string_view text, ir::Source root) {
    EXPECT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
    return graph::FormPattern(text).AllMatches(root);
  }

  weft::FormBuilder g;
  ir::Source x, y;
};

TEST_F(PatternText, SwapsOperandsOfCommutativeOperationsOnly) {
  const ir::Source sum = g("Add", g("Exp", x), y), difference = g("Subtract", g("Exp", x), y);
  g.Result(sum);
  g.Result(difference);
  ASSERT_EQ(Of("Add(b,Exp(a))", sum).size(), 1U);
  EXPECT_TRUE(Of("Add(b,Exp(a))", sum)[0].at("a") == x);
  EXPECT_TRUE(Of("Subtract(b,Exp(a))", difference).empty());
}

TEST_F(PatternText, ANameIsOneValue) {
  const ir::Source square = g("Multiply", x, x), product = g("Multiply", x, y);
  g.Result(square);
  g.Result(product);
  EXPECT_FALSE(Of("Multiply(a,a)", square).empty());
  EXPECT_TRUE(Of("Multiply(a,a)", product).empty());
}

TEST_F(PatternText, NumbersAreFilledConstants) {
  const ir::Source scaled = g("Multiply", x, 0.5f);
  const ir::Source rows = g("Multiply", x, g.Row({1, 2, 3, 4}));
  g.Result(scaled);
  g.Result(rows);
  EXPECT_FALSE(Of("Multiply(0.5,a)", scaled).empty());
  EXPECT_TRUE(Of("Multiply(1,a)", scaled).empty());
  ASSERT_FALSE(Of("Multiply(a,#k)", scaled).empty());
  EXPECT_EQ(Of("Multiply(a,#k)", scaled)[0].Number("k"), 0.5);
  EXPECT_EQ(Of("Multiply(a,#k)", scaled)[0].Number("none", 7), 7);
  EXPECT_TRUE(Of("Multiply(a,#k)", rows).empty());
  EXPECT_FALSE(Of("Multiply(a,%k)", rows).empty());
}

TEST_F(PatternText, TriesAllAlternatives) {
  const ir::Source less = g("LessEqual", x, y), root = g("Negative", g("Exp", x));
  g.Result(less);
  g.Result(root);
  EXPECT_FALSE(Of("Less/LessEqual(a,b)", less).empty());
  EXPECT_TRUE(Of("Less/Greater(a,b)", less).empty());
  const Matches matches = Of("Negative(n:{Exp(a)|a})", root);
  ASSERT_EQ(matches.size(), 2U);
  EXPECT_TRUE(matches[0].at("a") == x);
  EXPECT_TRUE(matches[1].at("a") == matches[1].at("n"));
  EXPECT_EQ(matches[0].covered.size(), 2U);
}

TEST_F(PatternText, ReadersGiveNumbersAndConstants) {
  const ir::Source half = g("Divide", g("Negative", x), 2.0f);
  const ir::Source rows = g("Divide", g("Multiply", x, g.Row({1, 2, 3, 4})), 2.0f);
  g.Result(half);
  g.Result(rows);
  const Matches factors = Of("k:Times(a)", half);
  ASSERT_EQ(factors.size(), 3U);  // of x, of -x and of itself
  EXPECT_TRUE(factors[0].at("a") == x);
  EXPECT_EQ(factors[0].Number("k"), -0.5);
  EXPECT_EQ(factors[2].Number("k"), 1);
  const Matches scaled = Of("k:Scaled(a)", rows);
  ASSERT_EQ(scaled.size(), 3U);
  EXPECT_EQ(scaled[0].readings.at("k").numbers, (std::vector<double>{0.5, 1, 1.5, 2}));
}

TEST_F(PatternText, ReductionsOfAMatchShareTheirAxes) {
  const ir::Source max = g.Reduce("ReduceMax", x, {1}, true);
  const ir::Source shares = g("Divide", max, g.Reduce("ReduceSum", x, {1}, true));
  const ir::Source others = g("Divide", max, g.Reduce("ReduceSum", x, {0}, true));
  g.Result(shares);
  g.Result(others);
  ASSERT_EQ(Of("Divide(Max(a),Sum(a))", shares).size(), 1U);
  EXPECT_EQ(Of("Divide(Max(a),Sum(a))", shares)[0].axes, (std::vector<int64_t>{1}));
  EXPECT_TRUE(Of("Divide(Max(a),Sum(a))", others).empty());
}

}  // namespace
}  // namespace weft
