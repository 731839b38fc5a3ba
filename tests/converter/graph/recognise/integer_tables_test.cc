// SPDX-License-Identifier: Apache-2.0
// Constants computed from integers are marked, and tables of them are gathered as integers.
#include "converter/graph/recognise/forms/integer_tables.h"

#include "converter/ops/support/packed.h"
#include "tests/converter/graph/recognise/rewritten.h"
#include "tests/converter/quantised.h"

namespace weft {
namespace {

constexpr int64_t kRows = 64, kWidth = 17;

struct Tables : testing::Test {
  FormBuilder g;

  // (integers - zero) * scale, with one `zero` and scale per row.
  ir::Source Table(int64_t rows, uint8_t zero) {
    std::vector<uint8_t> integers, zeros(static_cast<size_t>(rows), zero);
    std::vector<float> scales;
    for (int64_t i = 0; i < rows * kWidth; ++i) integers.push_back(static_cast<uint8_t>(i * 37));
    for (int64_t i = 0; i < rows; ++i) scales.push_back(0.01f * static_cast<float>(i % 5 - 7));
    const auto floats = [&](ir::Source numbers) {
      return g.Of("Convert", {numbers}, {{"destination_type", "f32"}});
    };
    const ir::Source q = floats(g.Const({ElementType::u8, {rows, kWidth}}, integers));
    const ir::Source z = floats(g.Const({ElementType::u8, {rows, 1}}, zeros));
    return g("Multiply", g("Subtract", q, z), g.Floats({rows, 1}, scales));
  }
  ir::Source Gathered(ir::Source table, int64_t axis = 0) {
    const ir::Source x = g.Parameter(F32({3}));
    const ir::Source at = g.Of("Convert", {g("Floor", g("Abs", x))}, {{"destination_type", "i32"}});
    return g.Of("Gather", {table, at, g.Int(axis)}, {{"batch_dims", "0"}});
  }
  // Expects bit-identical results.
  KindCounts Finished(ir::Source y) {
    g.Result(y);
    const auto pass = [](ir::Graph& graph) { (void)graph::KeepIntegerTables(graph); };
    return Rewritten(g, pass, 0);
  }
  const KindCounts kept_whole = {{"Abs", 1}, {"Convert", 1}, {"Floor", 1}, {"Gather", 1}};
};

TEST_F(Tables, OfIntegersAreGatheredAsIntegers) {
  EXPECT_EQ(Finished(Gathered(Table(kRows, 128))),
            (KindCounts{{"Abs", 1}, {"Convert", 2}, {"Floor", 1}, {"Gather", 2}, {"Multiply", 1}}));
}

TEST_F(Tables, HaveOffsetsBeyond8Bits) {
  EXPECT_EQ(Finished(Gathered(Table(kRows * 4, 100))), (KindCounts{{"Abs", 1},
                                                                   {"Convert", 3},
                                                                   {"Floor", 1},
                                                                   {"Gather", 3},
                                                                   {"Multiply", 1},
                                                                   {"Subtract", 1}}));
}

TEST_F(Tables, OfFewNumbersStay) {
  EXPECT_EQ(Finished(Gathered(Table(kRows - 4, 128))), kept_whole);
}

TEST_F(Tables, AlongAnotherAxisStay) {
  EXPECT_EQ(Finished(Gathered(Table(kRows, 128), 1)), kept_whole);
}

TEST_F(Tables, OfFloatsStay) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < kRows * kWidth; ++i) numbers.push_back(0.25f * static_cast<float>(i % 9));
  EXPECT_EQ(Finished(Gathered(g.Floats({kRows, kWidth}, numbers))), kept_whole);
}

TEST(FromIntegers, AreConstantsComputedFromThem) {
  FormBuilder g;
  const ir::Source q = g.Const<int8_t>({ElementType::i8, {2}}, {-3, 5});
  const ir::Source floats = g.Of("Convert", {q}, {{"destination_type", "f32"}});
  const ir::Source x = g.Parameter(F32({2}));
  const ir::Source scaled = g("Multiply", floats, 0.5f), plain = g("Multiply", g.Number(3), 0.5f);
  const ir::Source whole = g.Of("Convert", {q}, {{"destination_type", "i32"}});
  const ir::Source sum = g("Add", x, scaled), other = g("Add", x, plain);
  g.Result(sum);
  g.Result(other);
  g.Result(whole);
  ASSERT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  const ir::Constant& constant = *sum.node->inputs[1].node->constant;
  ASSERT_NE(constant.quantisation, nullptr);
  EXPECT_EQ(CodesOf(ops::Floats(constant), *constant.quantisation), (std::vector<float>{-3, 5}));
  EXPECT_EQ(constant.quantisation->scales(), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(other.node->inputs[1].node->constant->quantisation, nullptr);
  EXPECT_EQ(g.graph.results[2]->inputs[0].node->constant->quantisation, nullptr);
}

TEST(FromIntegers, AreFreedOnceOnlyFoldedNodesReadThem) {
  for (const bool frees_folded : {false, true}) {
    FormBuilder g;
    const ir::Source q = g.Const<int8_t>({ElementType::i8, {2}}, {-3, 5});
    const ir::Source floats = g.Of("Convert", {q}, {{"destination_type", "f32"}});
    const ir::Source scaled = g("Multiply", floats, 0.5f), x = g.Parameter(F32({2}));
    const ir::Source sum = g("Add", x, scaled), twice = g("Add", sum, g("Abs", scaled));
    g.Result(twice);
    ASSERT_TRUE(
        InferAndFold(g.graph, {.check_declared = false, .frees_folded = frees_folded}, g.faults));
    EXPECT_EQ(scaled.node->inputs[0].node->constant->bytes.empty(), frees_folded);
    EXPECT_EQ(ops::Floats(*sum.node->inputs[1].node->constant), (std::vector<float>{-1.5f, 2.5f}));
    EXPECT_EQ(ops::Floats(*twice.node->inputs[1].node->constant), (std::vector<float>{1.5f, 2.5f}));
  }
}

// Compression tools convert integers to f16 first.
TEST(FromIntegers, AreConstantsComputedInHalfPrecision) {
  FormBuilder g;
  const ir::Source q = g.Const<uint8_t>({ElementType::u8, {1, 4}}, {0, 130, 128, 255});
  const ir::Source half = g.Of("Convert", {q}, {{"destination_type", "f16"}});
  const ir::Source floats = g.Of("Convert", {half}, {{"destination_type", "f32"}});
  const ir::Source weights = g("Multiply", g("Subtract", floats, 128.0f), 0.1f);
  const ir::Source rows = g.Of("Reshape", {weights, g.Ints({2, 2})}, {{"special_zero", "false"}});
  const ir::Source columns = g.Of("Transpose", {rows, g.Ints({1, 0})});
  const ir::Source sum = g("Add", g.Parameter(F32({2, 2})), columns);
  g.Result(sum);
  ASSERT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  const ir::Constant& constant = *sum.node->inputs[1].node->constant;
  ASSERT_NE(constant.quantisation, nullptr);
  EXPECT_EQ(CodesOf(ops::Floats(constant), *constant.quantisation),
            (std::vector<float>{-128, 0, 2, 127}));
  EXPECT_EQ(constant.quantisation->scales(), std::vector<float>(4, 0.1f));
}

}  // namespace
}  // namespace weft
