// SPDX-License-Identifier: Apache-2.0
// A product of several rows that is read in parts.
#include "converter/graph/recognise/forms/divide.h"

#include "tests/converter/graph/recognise/rewritten.h"

namespace weft {
namespace {

struct CutProducts : testing::Test {
  FormBuilder g;

  ir::Source Product(int64_t rows, int64_t outputs) {
    std::vector<float> weights, bias;
    for (int64_t i = 0; i < 3 * outputs; ++i) weights.push_back(static_cast<float>(i % 7) - 3);
    for (int64_t i = 0; i < outputs; ++i) bias.push_back(static_cast<float>(i));
    const ir::Source x = g.Parameter(F32({rows, 3}));
    return g("Add", g.Of("MatMul", {x, g.Floats({3, outputs}, weights)}), g.Row(bias));
  }
  ir::Source Columns(ir::Source y, int64_t begin, int64_t end) {
    return g.Of("Slice", {y, g.Ints({begin}), g.Ints({end}), g.Ints({1}), g.Ints({1})});
  }
  KindCounts Finished(ir::Source a, ir::Source b) {
    g.Result(a);
    g.Result(g("Sigmoid", b));
    return Rewritten(g, graph::DivideProducts);
  }
  const KindCounts divided = {{"Add", 2}, {"MatMul", 2}, {"Sigmoid", 1}};
  const KindCounts whole = {{"Add", 1}, {"MatMul", 1}, {"Sigmoid", 1}, {"Slice", 2}};
};

TEST_F(CutProducts, AreOneForEachPart) {
  const ir::Source y = Product(5, 48);
  EXPECT_EQ(Finished(Columns(y, 16, 48), Columns(y, 0, 16)), divided);
}

TEST_F(CutProducts, OfOneRowStayWhole) {
  const ir::Source y = Product(1, 48);
  EXPECT_EQ(Finished(Columns(y, 16, 48), Columns(y, 0, 16)), whole);
}

TEST_F(CutProducts, StayWholeWhereTheirPartsFillMorePanels) {
  const ir::Source y = Product(5, 16);
  EXPECT_EQ(Finished(Columns(y, 8, 16), Columns(y, 0, 8)), whole);
}

TEST_F(CutProducts, StayWholeWhereColumnsAreReadTwice) {
  const ir::Source y = Product(5, 48);
  EXPECT_EQ(Finished(Columns(y, 0, 32), Columns(y, 16, 48)), whole);
}

TEST_F(CutProducts, StayWholeWhereAllOfThemIsRead) {
  const ir::Source y = Product(5, 32);
  g.Result(y);
  EXPECT_EQ(Finished(Columns(y, 0, 16), Columns(y, 16, 32)), whole);
}

}  // namespace
}  // namespace weft
