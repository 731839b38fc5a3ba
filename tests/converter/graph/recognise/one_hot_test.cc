// SPDX-License-Identifier: Apache-2.0
// Products of one-hot vectors and constant tables become reads of table rows.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "converter/graph/recognise/forms/forms.h"
#include "tests/converter/graph/recognise/rewritten.h"

namespace weft {
namespace {

struct OneHotProduct : testing::Test {
  static constexpr int64_t kClasses = 5, kWidth = 3, kIndices = 24;
  weft::FormBuilder g;

  // From -3 to 4, with a last axis of 1 if `is_column`.
  ir::Source Index(bool is_column, const std::string& type = "i32") {
    const ir::Source x =
        g.Parameter(F32(is_column ? Dims{2, kIndices / 2, 1} : Dims{2, kIndices / 2}));
    return Converted(g("Floor", x), type);
  }
  ir::Source Converted(ir::Source x, const std::string& type = "f32") {
    return g.Of("Convert", {x}, {{"destination_type", type}});
  }
  template <typename T = int32_t>
  ir::Source Classes(const std::vector<T>& classes, ElementType type = ElementType::i32) {
    return g.Const({type, {1, 1, static_cast<int64_t>(classes.size())}}, classes);
  }
  ir::Source Equal(ir::Source index) {
    return g("Equal", index, Classes<int32_t>({0, 1, 2, 3, 4}));
  }
  ir::Source Table(int64_t classes = kClasses) { return Constant(g, {classes, kWidth}, 5); }
  ir::Source Product(ir::Source one_hot, ir::Source table, const char* transposes = "false") {
    return g.Of("MatMul", {one_hot, table},
                {{"transpose_a", "false"}, {"transpose_b", transposes}});
  }
  // Expects bit-identical outputs.
  KindCounts Finished(ir::Source y) {
    g.Result(y);
    return Rewritten(g, graph::RecogniseForms, 0);
  }
  int CountOf(const KindCounts& kinds, const std::string& kind) {
    return kinds.contains(kind) ? kinds.at(kind) : 0;
  }
  void ExpectGather(ir::Source y) {
    const KindCounts kinds = Finished(y);
    EXPECT_EQ(CountOf(kinds, "Gather"), 1);
    EXPECT_EQ(CountOf(kinds, "MatMul") + CountOf(kinds, "Equal") + CountOf(kinds, "OneHot"), 0);
  }
  void ExpectProduct(ir::Source y) {
    const KindCounts kinds = Finished(y);
    EXPECT_EQ(CountOf(kinds, "Gather"), 0);
    EXPECT_EQ(CountOf(kinds, "MatMul"), 1);
  }
};

TEST_F(OneHotProduct, OfAnEqualIsAGather) {
  ExpectGather(Product(Converted(Equal(Index(true))), Table()));
}

TEST_F(OneHotProduct, OfATransposedTableIsAGather) {
  const ir::Source table = Constant(g, {1, kWidth, kClasses}, 5);
  ExpectGather(Product(Converted(Equal(Index(true))), table, "true"));
}

TEST_F(OneHotProduct, OfIndicesOf64BitsIsAGather) {
  const ir::Source classes = Classes<int64_t>({0, 1, 2, 3, 4}, ElementType::i64);
  ExpectGather(Product(Converted(g("Equal", classes, Index(true, "i64"))), Table()));
}

TEST_F(OneHotProduct, OfBytesIsAGatherWithoutABound) {
  const ir::Source classes = Classes<uint8_t>({0, 1, 2, 3, 4}, ElementType::u8);
  const KindCounts kinds =
      Finished(Product(Converted(g("Equal", Index(true, "u8"), classes)), Table()));
  EXPECT_EQ(
      kinds,
      (KindCounts{{"Convert", 2}, {"Floor", 1}, {"Gather", 1}, {"Identity", 1}, {"Reshape", 1}}));
}

TEST_F(OneHotProduct, OfSelectedOnesIsAGather) {
  const ir::Source chosen = g.Of("Select", {Equal(Index(true)), g.Number(1), g.Number(0)});
  ExpectGather(Product(chosen, Table()));
}

TEST_F(OneHotProduct, OfOneHotIsAGather) {
  const ir::Source one_hot =
      g.Of("OneHot", {Index(false), g.Int(kClasses), g.Number(1), g.Number(0)}, {{"axis", "-1"}});
  ExpectGather(Product(one_hot, Table()));
}

TEST_F(OneHotProduct, OfConvertedAndReshapedOneHotIsAGather) {
  const ir::Source one_hot =
      g.Of("OneHot", {Index(false), g.Int(kClasses), g.Int(1), g.Int(0)}, {{"axis", "2"}});
  const ir::Source rows = g.Of("Reshape", {Converted(one_hot), g.Ints({kIndices, kClasses})});
  ExpectGather(Product(rows, Table()));
}

TEST_F(OneHotProduct, CountsNegativeIndicesFromTheEndWhereOneHotDoes) {
  for (const int opset : {1, 16}) {  // version 1 does not have this mode
    SCOPED_TRACE(opset);
    g = weft::FormBuilder();
    const ir::Source one_hot =
        g.Add("OneHot", opset, {Index(false), g.Int(kClasses), g.Number(1), g.Number(0)},
              {{"axis", "-1"}, {"negative_indices_mode", "normalize"}});
    ExpectGather(Product(one_hot, Table()));
  }
}

TEST_F(OneHotProduct, OfClassesInAnyOrderIsAGather) {
  ExpectGather(
      Product(Converted(g("Equal", Index(true), Classes<int32_t>({3, -2, 1, 0}))), Table(4)));
}

TEST_F(OneHotProduct, OfTwoProductsIsTwoGathers) {
  const ir::Source one_hot = Converted(Equal(Index(true)));
  g.Result(Product(one_hot, Constant(g, {kClasses, 2}, 9)));
  const KindCounts kinds = Finished(Product(one_hot, Table()));
  EXPECT_EQ(CountOf(kinds, "Gather"), 2);
  EXPECT_EQ(CountOf(kinds, "Equal"), 0);
}

TEST_F(OneHotProduct, OfVectorsOfOneIndexIsAGather) {
  const ir::Source x = g.Parameter(F32({1}));
  const ir::Source classes = g.Const<int32_t>({ElementType::i32, {5}}, {0, 1, 2, 3, 4});
  ExpectGather(Product(Converted(g("Equal", Converted(g("Floor", x), "i32"), classes)), Table()));
}

TEST_F(OneHotProduct, OfALargeTableOfHalvesGathersHalves) {
  constexpr int64_t kTableRows = 64, kColumns = 17;
  for (const float unit : {0.25f, 1.0f / 3}) {
    SCOPED_TRACE(unit);
    g = weft::FormBuilder();
    std::vector<int32_t> classes;
    for (int32_t i = 0; i < kTableRows; ++i) classes.push_back(i);
    std::vector<float> table;
    for (int i = 0; i < kTableRows * kColumns; ++i)
      table.push_back(unit * static_cast<float>(i - 99));
    const ir::Source one_hot = Converted(g("Equal", Index(true), Classes<int32_t>(classes)));
    const KindCounts kinds = Finished(Product(one_hot, g.Floats({kTableRows, kColumns}, table)));
    EXPECT_EQ(CountOf(kinds, "Gather"), 1);
    EXPECT_EQ(CountOf(kinds, "Convert"), unit == 0.25f ? 2 : 1);
  }
}

TEST_F(OneHotProduct, GivesPositiveZeros) {
  std::vector<float> table(kClasses * kWidth, -0.0f);
  g.Result(Product(Converted(Equal(Index(true))), g.Floats({kClasses, kWidth}, table)));
  ASSERT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  const program::Program before = LowerGraph(g);
  graph::RecogniseForms(g.graph);
  const program::Program after = LowerGraph(g);
  const std::vector<std::vector<float>> inputs = {Numbers(kIndices, 1)};
  for (const program::Program* program : {&before, &after}) {
    const std::vector<std::vector<float>> outputs = RunFloats(*program, inputs);
    for (const float number : outputs.at(0)) EXPECT_FALSE(std::signbit(number));
  }
}

TEST_F(OneHotProduct, WithInfinityStaysAProduct) {
  std::vector<float> table(kClasses * kWidth, 1.0f);
  table[4] = std::numeric_limits<float>::infinity();
  const ir::Source y = Product(Converted(Equal(Index(true))), g.Floats({kClasses, kWidth}, table));
  g.Result(y);
  ASSERT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  graph::RecogniseForms(g.graph);
  EXPECT_EQ(CountOf(KindsIn(g), "MatMul"), 1);
}

TEST_F(OneHotProduct, OfEqualClassesStaysAProduct) {
  ExpectProduct(
      Product(Converted(g("Equal", Index(true), Classes<int32_t>({0, 1, 1, 2}))), Table(4)));
}

TEST_F(OneHotProduct, OfClassesFarApartStaysAProduct) {
  ExpectProduct(
      Product(Converted(g("Equal", Index(true), Classes<int32_t>({0, 1, 9, 2}))), Table(4)));
}

TEST_F(OneHotProduct, OfOtherNumbersThanOneStaysAProduct) {
  const ir::Source one_hot =
      g.Of("OneHot", {Index(false), g.Int(kClasses), g.Number(2), g.Number(0)}, {{"axis", "-1"}});
  ExpectProduct(Product(one_hot, Table()));
}

TEST_F(OneHotProduct, AlongAnotherAxisStaysAProduct) {
  const ir::Source one_hot = g.Of(
      "OneHot", {Index(false), g.Int(kIndices / 2), g.Number(1), g.Number(0)}, {{"axis", "1"}});
  ExpectProduct(Product(one_hot, Table(kIndices / 2)));
}

TEST_F(OneHotProduct, WithARunTimeTableStaysAProduct) {
  ExpectProduct(Product(Converted(Equal(Index(true))), g.Parameter(F32({kClasses, kWidth}))));
}

}  // namespace
}  // namespace weft
