// SPDX-License-Identifier: Apache-2.0
// Requantisation by integers: multipliers, tables and steps, against numbers of tflite-micro.
#include <algorithm>
#include <cmath>

#include "converter/graph/quantise/function_table.h"
#include "converter/graph/quantise/multiplier.h"
#include "converter/graph/quantise/quantise.h"
#include "converter/graph/rewrite.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph/recognise/rewritten.h"
#include "tests/converter/quantised.h"

namespace weft {
namespace {

using graph::QuantParams;

void ByIntegers(ir::Graph& graph) {
  graph::Folding folding = FoldingHere();
  graph::Quantise(graph, folding, {[](const std::string&) { return false; }, true, true});
}

TEST(Multiplier, IsTheClosest) {
  struct Case {
    double factor;
    int32_t mantissa, exponent;
  };
  for (const Case& c :
       {Case{1, 1 << 30, 1}, Case{0.5, 1 << 30, 0}, Case{0.3, 1288490189, -1}, Case{1e-12, 0, 0},
        Case{3.7, 1986422374, 2}, Case{0, 0, 0}, Case{1 - 0x1p-40, 1 << 30, 1}}) {
    const auto multiplier = graph::MultiplierOf(c.factor);
    ASSERT_TRUE(multiplier);
    EXPECT_EQ(multiplier->mantissa, c.mantissa) << c.factor;
    EXPECT_EQ(multiplier->exponent, c.exponent) << c.factor;
  }
  EXPECT_FALSE(graph::MultiplierOf(0x1p31));
}

struct IntegerTables : testing::Test {
  FormBuilder g;
  static constexpr int kCodes[] = {-128, -100, -50, -3, 0, 1, 17, 40, 90, 127};

  static QuantParams Params(float scale, int zero) { return {double{scale}, zero, -128, 127}; }
  static std::vector<int64_t> Samples(const std::optional<std::vector<int64_t>>& table) {
    std::vector<int64_t> samples;
    for (const int code : kCodes) {
      if (table) samples.push_back((*table)[static_cast<size_t>(code + 128)]);
    }
    return samples;
  }
  std::vector<int64_t> Of(const ir::Source& function, const QuantParams& from,
                          const QuantParams& to) {
    return Samples(graph::IntegerTableOf(*function.node, from, to));
  }
  using Codes = std::vector<int64_t>;
};

TEST_F(IntegerTables, AreThoseOfTfliteMicro) {
  const ir::Source x = g.Parameter(F32({4}));
  const QuantParams from = Params(0.0478f, -3), wide = Params(0.05f, -7);
  EXPECT_EQ(Of(g("Sigmoid", x), from, Params(1.0f / 256, -128)),
            (Codes{-127, -126, -104, 0, 9, 12, 57, 99, 125, 127}));
  EXPECT_EQ(Of(g("Tanh", x), from, Params(1.0f / 128, 0)),
            (Codes{-128, -128, -125, 0, 18, 24, 95, 124, 127, 127}));
  EXPECT_EQ(Of(g("PRelu", x, g.Float(0.1f)), wide, Params(0.031f, 5)),
            (Codes{-15, -10, -2, 11, 16, 18, 44, 81, 127, 127}));
  EXPECT_EQ(Of(g("HSwish", x), wide, Params(0.04f, -110)),
            (Codes{-110, -110, -118, -107, -105, -104, -89, -58, 11, 57}));
  EXPECT_EQ(Of(g("Relu", x), wide, Params(0.031f, 5)),
            (Codes{5, 5, 5, 11, 16, 18, 44, 81, 127, 127}));
  EXPECT_EQ(Samples(graph::RequantisedTable(wide, Params(0.031f, 5))),
            (Codes{-128, -128, -64, 11, 16, 18, 44, 81, 127, 127}));
}

TEST_F(IntegerTables, NeedTheScalesOfTflite) {
  const ir::Source x = g.Parameter(F32({4}));
  EXPECT_TRUE(Of(g("Sigmoid", x), Params(0.1f, 0), Params(1.0f / 255, -128)).empty());
  EXPECT_TRUE(Of(g("Tanh", x), Params(0.1f, 0), Params(1.0f / 128, 1)).empty());
  EXPECT_TRUE(Of(g("Exp", x), Params(0.1f, 0), Params(0.1f, 0)).empty());
}

// A FakeQuantize of a reader that knows the scale.
ir::Source FakeIn(FormBuilder& g, ir::Source x, float scale, int zero) {
  const auto number = [&](int code) { return g.Float(static_cast<float>(code - zero) * scale); };
  const ir::Source low = number(-128), high = number(127);
  return g.Of("FakeQuantize", {x, low, high, low, high},
              {{"levels", "256"}, {"scale", fmt::format("{}", scale)}});
}

struct IntegerGraph : testing::Test {
  FormBuilder g;

  ir::Source Fake(ir::Source x, float scale, int zero) { return FakeIn(g, x, scale, zero); }
  const ir::Node* Only(const std::string& type) {
    const ir::Node* found = nullptr;
    for (const auto& node : g.graph.nodes) {
      if (node->type != type) continue;
      EXPECT_EQ(found, nullptr);
      found = node.get();
    }
    EXPECT_NE(found, nullptr) << type;
    return found;
  }
  std::vector<int64_t> Numbers(const ir::Node& node, size_t input) {
    return graph::IntsOf(node.inputs[input]);
  }
};

TEST_F(IntegerGraph, ProductsHaveMultipliersAndTheBias) {
  const CodedFloats weights = Quantised({2, 4, -6, 8, 0, 127}, 0.02f);
  const ir::Source constant = g.Floats({2, 3}, weights.floats);
  constant.node->constant->quantisation = weights.quantisation;
  const ir::Source x = Fake(g.Parameter(F32({5, 3})), 0.1f, -7);
  const ir::Source product = g.Of("MatMul", {x, constant}, {{"transpose_b", "true"}});
  const float unit = 0.1f * 0.02f;
  const ir::Source sum = g("Add", product, g.Floats({1, 2}, {100 * unit, -31 * unit}));
  g.Result(Fake(g.Of("Clamp", {sum}, {{"min", "0"}, {"max", "6"}}), 0.05f, -120));
  Rewritten(g, ByIntegers, 0.06);
  const ir::Node& node = *Only("QuantizedMatMul");
  EXPECT_EQ(Numbers(node, 2), (std::vector<int64_t>{1374389504, 1374389504}));
  EXPECT_EQ(Numbers(node, 3), (std::vector<int64_t>{100 + 7 * 0, -31 + 7 * 135}));
  EXPECT_EQ(Numbers(node, 4), (std::vector<int64_t>{-4, -4}));
  EXPECT_EQ(node.attributes.at("low"), "-120");
  EXPECT_EQ(node.attributes.at("high"), "0");
}

TEST_F(IntegerGraph, SumsMeansAndSoftmaxHaveMultipliers) {
  const ir::Source a = Fake(g.Parameter(F32({2, 49})), 0.1f, 3);
  const ir::Source b = Fake(g.Parameter(F32({2, 49})), 0.05f, -4);
  const ir::Source sum = Fake(g("Add", a, b), 0.125f, 7);
  g.Result(Fake(g.Of("Softmax", {sum}, {{"axis", "1"}}), 1.0f / 256, -128));
  const ir::Source mean = g.Of("ReduceMean", {a, g.Ints({1})}, {{"keep_dims", "true"}});
  g.Result(Fake(mean, 0.125f, 7));
  g.Result(Fake(g("Multiply", a, b), 0.125f, 7));
  Rewritten(g, ByIntegers, 0.13);
  const auto& of_sum = Only("QuantizedAdd")->attributes;
  EXPECT_EQ(of_sum.at("a_multiplier"), "1073741824,0");
  EXPECT_EQ(of_sum.at("b_multiplier"), "1073741824,-1");
  EXPECT_EQ(of_sum.at("multiplier"), "1717986944,-19");
  EXPECT_EQ(Only("QuantizedMultiply")->attributes.at("multiplier"), "1374389576,-4");
  EXPECT_EQ(Only("QuantizedAvgPool")->attributes.at("multiplier"), "1121950657,-5");
  EXPECT_EQ(Only("QuantizedSoftmax")->attributes.at("multiplier"), "1073741824,24");
}

TEST(IntegerNorms, NeedOneAxisAndASmallEpsilon) {
  const auto norms = [](const char* epsilon, const char* mode, int64_t axis, float scale) {
    FormBuilder b;
    const ir::Source x = FakeIn(b, b.Parameter(F32({2, 5, 7})), 0.01f, 3);
    const ir::Source y =
        b.Of("NormalizeL2", {x, b.Ints({axis})}, {{"eps", epsilon}, {"eps_mode", mode}});
    b.Result(FakeIn(b, y, scale, 0));
    Rewritten(b, ByIntegers, 0.13);
    return std::ranges::count_if(b.graph.nodes, [](const auto& node) {
      return node->type == "QuantizedNormalizeL2" && node->attributes.at("x_zero") == "3";
    });
  };
  constexpr float kUnit = 1.0f / 128;
  EXPECT_EQ(norms("1e-12", "max", 2, kUnit), 1);
  EXPECT_EQ(norms("9e-5", "max", -1, kUnit), 1);
  EXPECT_EQ(norms("1e-10", "add", 2, kUnit), 1);
  EXPECT_EQ(norms("2e-4", "max", 2, kUnit), 0);
  EXPECT_EQ(norms("9e-5", "add", 2, kUnit), 0);
  EXPECT_EQ(norms("1e-12", "max", 1, kUnit), 0);
  EXPECT_EQ(norms("1e-12", "max", 2, 1.0f / 127), 0);
}

// Also if results are requantised by floats.
TEST_F(IntegerGraph, MeansOverWindowsRoundHalvesAwayFromZero) {
  const ir::Source x = Fake(g.Parameter(F32({1, 3, 4, 4})), 0.1f, 3);
  const ir::Source mean = g.Of("AvgPool", {x},
                               {{"kernel", "2,2"},
                                {"strides", "2,2"},
                                {"pads_begin", "0,0"},
                                {"pads_end", "0,0"},
                                {"exclude-pad", "true"},
                                {"rounding_type", "floor"},
                                {"ties", "away"}});
  g.Result(Fake(mean, 0.1f, 3));
  Rewritten(
      g,
      [](ir::Graph& graph) {
        graph::Folding folding = FoldingHere();
        graph::Quantise(graph, folding, {[](const std::string&) { return false; }});
      },
      0.11);
  EXPECT_EQ(Only("QuantizedAvgPool")->attributes.at("by_integers"), "1");
}

// The mean of no elements is NaN, which has no code.
TEST_F(IntegerGraph, MeansOfNoElementsStayFloats) {
  for (const char* type : {"ReduceMean", "ReduceSum"}) {
    g = {};
    const ir::Source x = Fake(g.Parameter(F32({0, 3})), 0.1f, 3);
    g.Result(Fake(g.Of(type, {x, g.Ints({0})}, {{"keep_dims", "true"}}), 0.1f, 3));
    ASSERT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
    ByIntegers(g.graph);
    EXPECT_TRUE(
        std::ranges::any_of(g.graph.nodes, [&](const auto& node) { return node->type == type; }));
  }
}

TEST_F(IntegerGraph, QuantisersFollowTheirOperation) {
  const ir::Source x = Fake(g.Parameter(F32({1, 4, 4, 3})), 0.1f, 3);
  const auto permuted = [&](ir::Source source, std::initializer_list<int64_t> order) {
    return g("Transpose", source, g.Ints(order));
  };
  const ir::Source mean = g.Of("AvgPool", {permuted(x, {0, 3, 1, 2})},
                               {{"kernel", "4,4"},
                                {"strides", "1,1"},
                                {"pads_begin", "0,0"},
                                {"pads_end", "0,0"},
                                {"exclude-pad", "true"},
                                {"rounding_type", "floor"},
                                {"ties", "away"}});
  g.Result(Fake(permuted(mean, {0, 2, 3, 1}), 0.1f, 3));
  Rewritten(
      g,
      [](ir::Graph& graph) {
        graph::QuantiseBeforeMoves(graph);
        ByIntegers(graph);
      },
      0.11);
  EXPECT_EQ(Only("QuantizedAvgPool")->attributes.at("by_integers"), "1");
}

TEST_F(IntegerGraph, TheExactScaleSelectsIntegers) {
  const ir::Source x = g.Parameter(F32({4}));
  g.Result(g.Of("FakeQuantize", {x, g.Float(-1), g.Float(1), g.Float(-1), g.Float(1)},
                {{"levels", "256"}}));
  EXPECT_FALSE(graph::HasExactScales(g.graph));
  g.Result(Fake(x, 0.1f, 3));
  EXPECT_TRUE(graph::HasExactScales(g.graph));
}

}  // namespace
}  // namespace weft
