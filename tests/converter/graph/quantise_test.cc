// SPDX-License-Identifier: Apache-2.0
// Which operations between quantisers become integer operations; results stay equal.
#include "converter/graph/quantise/quantise.h"

#include <algorithm>

#include "converter/graph/rewrite.h"
#include "converter/ir/consistency.h"
#include "converter/ir/stated.h"
#include "converter/program/consistency.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph/recognise/rewritten.h"
#include "tests/converter/quantised.h"

namespace weft {
namespace {

void QuantiseAll(ir::Graph& graph) {
  graph::Folding folding = FoldingHere();
  graph::Quantise(graph, folding, {[](const std::string&) { return false; }});
}

// A constant of codes times a scale.
ir::Source WithCodes(GraphBuilder& g, const Dims& dims, std::vector<float> codes, float scale) {
  const CodedFloats numbers = Quantised(std::move(codes), scale);
  const ir::Source constant = g.Floats(dims, numbers.floats);
  constant.node->constant->quantisation = numbers.quantisation;
  return constant;
}

struct QuantisedGraph : testing::Test {
  weft::FormBuilder g;

  // 256 levels; zero is one of the levels if `low` is a multiple of their distance.
  ir::Source Fake(ir::Source x, float low, float high) {
    return g.Of("FakeQuantize", {x, g.Float(low), g.Float(high), g.Float(low), g.Float(high)},
                {{"levels", "256"}});
  }
  ir::Source Symmetric(ir::Source x) { return Fake(x, -12.8f, 12.7f); }
  ir::Source Positive(ir::Source x) { return Fake(x, 0, 25.5f); }
  // Integers in f32 times a power of two.
  ir::Source Weights(const Dims& dims) {
    std::vector<float> codes;
    for (int64_t i = 0; i < ElementCount(dims).value_or(0); ++i) {
      codes.push_back(static_cast<float>(i * 37 % 255 - 127));
    }
    return WithCodes(g, dims, std::move(codes), 1.0f / 256);
  }
  ir::Source Product(ir::Source x, const Dims& weights) {
    return g.Of("MatMul", {x, Weights(weights)}, {{"transpose_b", "true"}});
  }
  ir::Source Convolved(ir::Source x, const Dims& weights) {
    return g.Of(
        "Convolution", {x, Weights(weights)},
        {{"strides", "1,1"}, {"dilations", "1,1"}, {"pads_begin", "1,0"}, {"pads_end", "0,1"}});
  }
  KindCounts Kinds(ir::Source result) {
    g.Result(result);
    const KindCounts kinds = Rewritten(g, QuantiseAll);
    EXPECT_EQ(ir::InconsistencyIn(g.graph), "");
    EXPECT_EQ(program::InconsistencyIn(LowerGraph(g)), "");
    return kinds;
  }
};

TEST_F(QuantisedGraph, ProductsTakeWhatFollowsThem) {
  const ir::Source first = Product(Symmetric(g.Parameter(F32({3, 7}))), {5, 7});
  const ir::Source bias = g("Add", first, g.Floats({1, 5}, {1, -2, 3, 0, 0.5f}));
  const ir::Source second = Product(Positive(g("Relu", bias)), {4, 5});
  EXPECT_EQ(Kinds(second), (KindCounts{{"Quantize", 1}, {"QuantizedMatMul", 2}, {"Identity", 1}}));
}

// MatMulInteger after DynamicQuantizeLinear, as frontends export it: int8 values and zero point are
// computed.
struct ComputedQuantParams : QuantisedGraph {
  ir::Source As(const char* type, ir::Source x) {
    return g.Of("Convert", {x}, {{"destination_type", type}});
  }
  ir::Source Floats(ir::Source x) { return As("f32", x); }
  ir::Source Wide(const char* type, const Dims& dims) {
    return As("i32", As(type, g.Parameter(F32(dims))));
  }
  ir::Source Centred(const char* type, const Dims& zero) {
    return g("Subtract", Wide(type, {3, 7}), Wide(type, zero));
  }
  ir::Source Constants(const Dims& dims, int32_t largest = 127) {
    std::vector<int32_t> numbers(static_cast<size_t>(ElementCount(dims).value_or(0)), -128);
    numbers.back() = largest;
    return g.Const({ElementType::i32, dims}, numbers);
  }
};

TEST_F(ComputedQuantParams, ProductsTakeConversionAndFactor) {
  for (const char* type : {"u8", "i8"}) {
    for (const Dims& factor : {Dims{}, Dims{1, 1}, Dims{5}, Dims{1, 5}}) {
      g = {};
      const ir::Source sums = g("MatMul", Centred(type, {}), Constants({7, 5}));
      const KindCounts kinds = Kinds(g("Multiply", Floats(sums), g.Parameter(F32(factor))));
      EXPECT_EQ(kinds.at("QuantizedMatMul"), 1);
      EXPECT_FALSE(kinds.contains("MatMul"));
    }
  }
}

TEST_F(ComputedQuantParams, ProductsWithoutZeroAndFactorAreBytesToo) {
  const ir::Source sums =
      g.Of("MatMul", {Wide("u8", {3, 7}), Constants({5, 7})}, {{"transpose_b", "true"}});
  EXPECT_EQ(
      Kinds(Floats(sums)),
      (KindCounts{{"Convert", 1}, {"ByteTable", 1}, {"QuantizedMatMul", 1}, {"Identity", 1}}));
}

// A convolution of 8-bit data minus a zero point with integer filters, followed by a conversion.
struct ComputedWindows : ComputedQuantParams {
  ir::Source Filters(const Dims& dims, int32_t min, int32_t largest) {
    std::vector<int32_t> numbers(static_cast<size_t>(ElementCount(dims).value_or(0)), min);
    numbers.back() = largest;
    return g.Const({ElementType::i32, dims}, numbers);
  }
  ir::Source Of(const char* operation, ir::Source data, ir::Source filters) {
    return g.Of(
        operation, {data, filters},
        {{"strides", "1,1"}, {"dilations", "1,1"}, {"pads_begin", "1,1"}, {"pads_end", "1,1"}});
  }
  ir::Source Data() { return g("Subtract", Wide("u8", {1, 4, 6, 5}), Wide("u8", {})); }
  // Returns the number of operands of the only int8 convolution.
  size_t OperandsOf(ir::Source result) {
    EXPECT_EQ(Kinds(result).at("QuantizedConvolution"), 1);
    for (const auto& node : g.graph.nodes) {
      if (node->type == "QuantizedConvolution") return node->inputs.size();
    }
    return 0;
  }
};

TEST_F(ComputedWindows, PadWithTheZeroThatIsComputed) {
  constexpr size_t kWithPadding = 6;
  EXPECT_EQ(OperandsOf(Floats(Of("Convolution", Data(), Filters({3, 4, 3, 3}, -128, 127)))),
            kWithPadding);
  g = {};
  EXPECT_EQ(OperandsOf(Floats(Of("GroupConvolution", Data(), Filters({2, 3, 2, 3, 3}, -5, 5)))),
            kWithPadding);
  g = {};
  EXPECT_EQ(OperandsOf(Floats(
                Of("Convolution", Wide("i8", {1, 4, 6, 5}), Filters({3, 4, 3, 3}, -128, 127)))),
            kWithPadding - 1)
      << "no zero point";
  g = {};
  const ir::Source other = g("Subtract", Wide("u8", {1, 4, 6, 5}), Wide("i8", {}));
  EXPECT_FALSE(Kinds(Floats(Of("Convolution", other, Filters({3, 4, 3, 3}, -5, 5))))
                   .contains("QuantizedConvolution"))
      << "a zero point outside of the data's range";
}

// A u8 input with a zero point other than 128: adds one filter of ones to each group.
TEST_F(ComputedWindows, TakeWeightsThatAnOffsetBringsWithinBytes) {
  const auto kinds = [&](const char* operation, const Dims& dims, int32_t min, int32_t largest) {
    g = {};
    return Kinds(Floats(Of(operation, Data(), Filters(dims, min, largest))));
  };
  for (const auto& [operation, dims] : {std::pair<const char*, Dims>{"Convolution", {3, 4, 3, 3}},
                                        {"GroupConvolution", {2, 3, 2, 3, 3}},
                                        {"GroupConvolution", {4, 1, 1, 3, 3}}}) {
    for (const int32_t min : {-100, -255, 0}) {
      const KindCounts counts = kinds(operation, dims, min, min + 255);
      EXPECT_EQ(counts.at("QuantizedConvolution"), 1) << operation << " " << min;
      EXPECT_EQ(counts.at("Slice"), 2);
      EXPECT_FALSE(counts.contains(operation));
    }
    EXPECT_FALSE(kinds(operation, dims, -100, 156).contains("QuantizedConvolution"))
        << "257 integers";
  }
  g = {};
  const ir::Source rows = g("Subtract", Wide("u8", {3, 1024}), Wide("u8", {}));
  EXPECT_FALSE(
      Kinds(Floats(g("MatMul", rows, Filters({1024, 5}, -100, 155)))).contains("QuantizedMatMul"))
      << "sums beyond the integers of f32";
}

TEST_F(ComputedQuantParams, OtherProductsStayWhatTheyAre) {
  const auto stays = [&](ir::Source result) {
    const KindCounts kinds = Kinds(result);
    EXPECT_EQ(kinds.at("MatMul"), 1);
    EXPECT_FALSE(kinds.contains("QuantizedMatMul"));
    g = {};
  };
  stays(Floats(g("MatMul", Centred("u8", {}), Constants({7, 5}, 128))));
  stays(Floats(g("MatMul", Centred("u8", {7}), Constants({7, 5}))));
  stays(Floats(g("MatMul", Centred("u8", {}), Constants({2, 7, 5}))));
  stays(Floats(g("MatMul", As("i32", g.Parameter(F32({3, 7}))), Constants({7, 5}))));
  const ir::Source sums = g("MatMul", Centred("u8", {}), Constants({7, 5}));
  g.Result(Floats(g("Negative", sums)));
  stays(Floats(sums));
}

TEST_F(QuantisedGraph, ConvolutionsHaveTheirChannelsLast) {
  const ir::Source x = Symmetric(g.Parameter(F32({1, 3, 5, 6})));
  EXPECT_EQ(
      Kinds(Symmetric(Convolved(x, {4, 3, 2, 2}))),
      (KindCounts{
          {"Quantize", 1}, {"Transpose", 2}, {"QuantizedConvolution", 1}, {"Dequantize", 1}}));
}

// A depthwise convolution input as NNCF quantises it.
// The Pad has codes on both sides, and its number is a code.
TEST_F(QuantisedGraph, AConvolutionTakesThePadBeforeTheQuantiserOfItsData) {
  for (const float fill : {0.0f, 0.5f}) {
    g = {};
    const ir::Source x = Symmetric(g.Parameter(F32({1, 3, 6, 5})));
    const ir::Source padded =
        g.Of("Pad", {x, g.Ints({0, 0, 2, 0}), g.Ints({0, 0, 0, 1}), g.Float(fill)},
             {{"pad_mode", "constant"}});
    const ir::Source y = Convolved(Symmetric(padded), {4, 3, 2, 2});
    g.Result(y);
    const KindCounts kinds = Rewritten(g, [](ir::Graph& graph) {
      graph::JoinPadsOfData(graph, [](const std::string&) { return false; });
      QuantiseAll(graph);
    });
    EXPECT_EQ(ir::InconsistencyIn(g.graph), "");
    EXPECT_EQ(kinds.contains("Pad"), fill != 0);
    EXPECT_EQ(kinds.at("QuantizedConvolution"), 1);
    for (const ir::Node* node : ir::Topological(g.graph)) {
      if (node->type != "QuantizedConvolution") continue;
      EXPECT_EQ(node->attributes.at("pads_begin"), fill == 0 ? "3,0" : "1,0");
      EXPECT_EQ(node->attributes.at("pads_end"), fill == 0 ? "0,2" : "0,1");
    }
  }
}

TEST_F(QuantisedGraph, ADepthwiseConvolutionTakesAScaleForEachChannel) {
  const ir::Source x = Convolved(Symmetric(g.Parameter(F32({2, 3, 5, 4}))), {2, 3, 2, 2});
  const ir::Source low = g.Float(0), high = g.Floats({1, 2, 1, 1}, {25.5f, 51});
  const ir::Source each = g.Of("FakeQuantize", {x, low, high, low, high}, {{"levels", "256"}});
  const KindCounts kinds = Kinds(
      g.Of("GroupConvolution", {each, Weights({2, 1, 1, 3, 3})},
           {{"strides", "1,1"}, {"dilations", "1,1"}, {"pads_begin", "1,1"}, {"pads_end", "1,1"}}));
  EXPECT_EQ(kinds.at("QuantizedConvolution"), 2);
  EXPECT_FALSE(kinds.contains("FakeQuantize"));
}

TEST_F(QuantisedGraph, AResultThatSomethingElseReadsStaysOne) {
  const ir::Source made = Product(Symmetric(g.Parameter(F32({3, 7}))), {5, 7});
  g.Result(made);
  EXPECT_EQ(Kinds(Symmetric(made)).at("FakeQuantize"), 1);
}

TEST_F(QuantisedGraph, SumsProductsAndFunctionsBetweenQuantisers) {
  const ir::Source x = Symmetric(g.Parameter(F32({3, 7}))), y = Positive(g.Parameter(F32({7})));
  const ir::Source sum = Symmetric(g("Relu", g("Add", x, y)));
  const ir::Source product = Symmetric(g("Multiply", sum, y));
  const ir::Source function = Positive(g("Exp", g("Multiply", product, 0.25f)));
  EXPECT_EQ(Kinds(function), (KindCounts{{"Quantize", 2},
                                         {"QuantizedAdd", 1},
                                         {"QuantizedMultiply", 1},
                                         {"ByteTable", 1},
                                         {"Dequantize", 1}}));
}

TEST_F(QuantisedGraph, MovesKeepLevelsAndQuantisersOfThemAreDropped) {
  const ir::Source x = Symmetric(g.Parameter(F32({2, 3, 4})));
  const ir::Source permuted = Symmetric(g.Of("Transpose", {x, g.Ints({0, 2, 1})}));
  const ir::Source row = g.Of("Reshape", {permuted, g.Ints({2, 12})}, {{"special_zero", "false"}});
  EXPECT_EQ(Kinds(Product(Symmetric(row), {5, 12})), (KindCounts{{"Quantize", 1},
                                                                 {"Transpose", 1},
                                                                 {"Reshape", 1},
                                                                 {"QuantizedMatMul", 1},
                                                                 {"Identity", 1}}));
}

// Weights whose integers an exporter has converted to f32.
TEST_F(QuantisedGraph, ProductsTakePlainWeightsThatAreMultiples) {
  for (const bool are_exact : {true, false}) {
    g = {};
    std::vector<float> numbers;
    for (int i = 0; i < 35; ++i) numbers.push_back(static_cast<float>(i * 37 % 255 - 127) * 0.013f);
    if (!are_exact) numbers[3] += 1e-6f;
    const ir::Source weights = g.Floats({5, 7}, numbers);
    const ir::Source x = Symmetric(g.Parameter(F32({3, 7})));
    const KindCounts kinds = Kinds(g.Of("MatMul", {x, weights}, {{"transpose_b", "true"}}));
    EXPECT_EQ(kinds.contains("QuantizedMatMul"), are_exact);
  }
}

// The code of 0 is -128. Gather reads 0 at an index out of range, and has no input for it.
TEST_F(QuantisedGraph, MovesThatAddZerosAddTheirCode) {
  const ir::Source x = Positive(g.Parameter(F32({3, 4})));
  const ir::Source indices = g.Parameter({ElementType::i32, {2}});
  KindCounts kinds = Kinds(Product(g.Of("Gather", {x, indices, g.Ints({0})}), {5, 4}));
  EXPECT_EQ(kinds.at("QuantizedMatMul"), 1);
  EXPECT_EQ(kinds.at("ByteTable"), 2);
  g = {};
  const ir::Source padded =
      g.Of("Pad", {Positive(g.Parameter(F32({3, 4}))), g.Ints({0, 1}), g.Ints({1, 0})},
           {{"pad_mode", "constant"}});
  kinds = Kinds(Product(padded, {5, 5}));
  EXPECT_EQ(kinds.at("QuantizedMatMul"), 1);
  EXPECT_FALSE(kinds.contains("ByteTable"));
  for (const auto& node : g.graph.nodes) {
    if (node->type == "Pad" && node->inputs.size() == 4) {
      const ir::Constant* fill = graph::ConstantOf(node->inputs[3]);
      ASSERT_NE(fill, nullptr);
      EXPECT_EQ(static_cast<int8_t>(fill->bytes[0]), -128);
    }
  }
}

// The number of such a Pad is ignored, and stays no operand of codes.
TEST_F(QuantisedGraph, MovesCodesOfPadsThatRepeatTheirData) {
  for (const char* mode : {"edge", "reflect", "symmetric"}) {
    SCOPED_TRACE(mode);
    g = {};
    const ir::Source x = Symmetric(g.Parameter(F32({3, 4})));
    const ir::Source padded =
        g.Of("Pad", {x, g.Ints({0, 1}), g.Ints({1, 0}), g.Float(0)}, {{"pad_mode", mode}});
    const KindCounts kinds = Kinds(Product(Positive(g("Relu", padded)), {5, 5}));
    EXPECT_EQ(kinds.at("QuantizedMatMul"), 1);
    EXPECT_FALSE(kinds.contains("Relu"));
    for (const auto& node : g.graph.nodes) {
      if (node->type != "Pad" || node->outputs[0].type.type != ElementType::i8) continue;
      EXPECT_EQ(node->outputs[0].type.dims, (Dims{4, 5}));
      EXPECT_EQ(node->inputs.size(), 3u);
    }
  }
}

// Constants that are numbers of codes do not prevent a move of codes; others do.
TEST_F(QuantisedGraph, MovesJoinConstantsThatHaveCodes) {
  for (const auto& [number, count] : {std::pair(0.3f, 1), std::pair(0.35f, 0)}) {
    g = {};
    const ir::Source x = Positive(g.Parameter(F32({3, 4})));
    const ir::Source joined =
        g.Of("Concat", {x, g.Floats({3, 1}, {0.1f, 0.2f, number})}, {{"axis", "1"}});
    const KindCounts kinds = Kinds(Product(joined, {5, 5}));
    EXPECT_EQ(kinds.contains("QuantizedMatMul"), count == 1) << number;
  }
}

// The layers of a file that stay in f32, with the reason.
TEST_F(QuantisedGraph, ReportsFloatLayers) {
  const auto stated = [&](ir::Source x, const char* place) {
    const ir::Source y = Symmetric(x);
    y.node->attributes[ir::kStatedOperator] = place;
    return y;
  };
  const ir::Source input = g.Parameter(F32({3, 7}));
  const ir::Source x = stated(input, "first");
  const ir::Source sum = stated(g.Of("CumSum", {x, g.Int(1)}), "second");
  g.Result(stated(g("Add", sum, x), "third"));
  graph::Folding folding = FoldingHere();
  ASSERT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  auto layers = graph::Quantise(g.graph, folding, {[](const std::string&) { return false; }});
  ASSERT_EQ(layers.size(), 2U);
  std::ranges::sort(layers, {}, &graph::FloatLayer::place);
  EXPECT_EQ(layers[0].place, "first");
  EXPECT_EQ(layers[0].reason, "its input \"" + input.node->name + "\" is not quantised");
  EXPECT_EQ(layers[1].place, "second");
  EXPECT_EQ(layers[1].reason, "there is no int8 step for it");
}

// Quantised values that i16 holds and i8 does not. A product with non-integer weights reads the f32
// numbers.
// The last rows of a stream: a variable that is read and assigned between quantisers.
struct QuantisedVariable : QuantisedGraph {
  KindCounts KindsFrom(float initial, bool reads_floats) {
    const std::vector<float> numbers(14, initial);
    const ir::Source past =
        g.Of("ReadValue", {g.Floats({2, 7}, numbers)}, {{"variable_id", "past"}});
    const ir::Source joined =
        g.Of("Concat", {Symmetric(past), Symmetric(g.Parameter(F32({1, 7})))}, {{"axis", "0"}});
    const ir::Source kept =
        g.Of("Slice", {joined, g.Ints({1}), g.Ints({3}), g.Ints({1}), g.Ints({0})});
    assign = g.Of("Assign", {kept}, {{"variable_id", "past"}}).node;
    if (reads_floats) g.Result(g("Abs", past));
    return Kinds(Product(joined, {5, 7}));
  }
  ElementType AssignedType() const {
    return assign->inputs[0].node->outputs[assign->inputs[0].port].type.type;
  }
  ir::Node* assign = nullptr;
};

TEST_F(QuantisedVariable, HoldsCodes) {
  for (const float initial : {0.0f, -12.8f}) {
    g = {};
    EXPECT_EQ(KindsFrom(initial, false).at("Quantize"), 1) << initial;  // of the new row
    EXPECT_EQ(AssignedType(), ElementType::i8) << initial;
  }
}

TEST_F(QuantisedVariable, HoldsNumbersThatAreNoCodesOrReadAsNumbers) {
  KindsFrom(0.5f / 3, false);
  EXPECT_EQ(AssignedType(), ElementType::f32);
  g = {};
  KindsFrom(0, true);
  EXPECT_EQ(AssignedType(), ElementType::f32);
}

TEST_F(QuantisedGraph, DataOf16BitsIsRoundedByItself) {
  const auto product = [](weft::FormBuilder& of, float low, bool has_integers) {
    const ir::Source x = of.Parameter(F32({3, 4}));
    const float high = low + 65535.0f / 4096;
    const ir::Source rounded =
        of.Of("FakeQuantize", {x, of.Float(low), of.Float(high), of.Float(low), of.Float(high)},
              {{"levels", "65536"}});
    const ir::Source weights = WithCodes(of, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, 1);
    if (!has_integers) weights.node->constant->quantisation = nullptr;
    return of.Of("MatMul", {rounded, weights});
  };
  const auto kinds = [&](float low, bool has_integers) {
    weft::FormBuilder built;
    built.Result(product(built, low, has_integers));
    const KindCounts counts = Rewritten(built, QuantiseAll);
    EXPECT_EQ(ir::InconsistencyIn(built.graph), "");
    return counts;
  };
  EXPECT_EQ(
      kinds(-8, true),
      (KindCounts{{"Multiply", 2}, {"Clamp", 1}, {"Round", 1}, {"Convert", 2}, {"MatMul", 1}}));
  const KindCounts unchanged = {{"FakeQuantize", 1}, {"MatMul", 1}};
  EXPECT_EQ(kinds(-8, false), unchanged);
  EXPECT_EQ(kinds(0, true), unchanged) << "65535 is no integer of i16";
}

TEST_F(QuantisedGraph, OtherLevelsAreATable) {
  const ir::Source x = Symmetric(g.Parameter(F32({3, 7})));
  const KindCounts kinds = Kinds(Product(Fake(x, -6.4f, 6.35f), {5, 7}));
  EXPECT_EQ(kinds.at("ByteTable"), 1);
  EXPECT_EQ(kinds.at("Quantize"), 1);
}

// Models with other quantisers stay unchanged.
TEST_F(QuantisedGraph, WhatIsOnNoLevelsStays) {
  const ir::Source x = g.Parameter(F32({3, 7}));
  const ir::Source floats = g.Floats({5, 7}, Numbers(35, 3));
  const auto product = [&](ir::Source data, ir::Source weights) {
    g.Result(g.Of("MatMul", {data, weights}, {{"transpose_b", "true"}}));
  };
  product(Symmetric(x), floats);                    // weights that are not integers
  product(Fake(x, 0.1f, 12.8f), Weights({5, 7}));   // zero is no level
  product(Fake(x, 10.0f, 35.5f), Weights({5, 7}));  // a level that i8 does not hold
  product(x, Weights({5, 7}));                      // no quantiser
  EXPECT_EQ(
      Kinds(Product(g.Of("FakeQuantize",
                         {x, g.Floats({7}, Numbers(7, 2)), g.Float(5), g.Float(-1), g.Float(1)},
                         {{"levels", "256"}}),
                    {5, 7})),
      (KindCounts{{"FakeQuantize", 4}, {"MatMul", 5}}));
}

TEST_F(QuantisedGraph, ProductsOfWhatWasJoinedAreSums) {
  const ir::Source x = Symmetric(g.Parameter(F32({3, 4}))), y = Positive(g.Parameter(F32({3, 3})));
  const KindCounts kinds = Kinds(Product(g.Of("Concat", {x, y}, {{"axis", "-1"}}), {5, 7}));
  EXPECT_EQ(kinds.at("QuantizedMatMul"), 2);
  EXPECT_EQ(kinds.at("Add"), 1);
  EXPECT_FALSE(kinds.contains("Concat"));
}

TEST_F(QuantisedGraph, OperationsOfIntegersCheckTheirInputs) {
  const ir::Source bytes = g.Parameter({ElementType::i8, {3, 7}});
  g.Add("Quantize", ops::kPassOnly, {bytes});
  g.Add("ByteTable", ops::kPassOnly, {bytes, bytes});
  const ir::Source row = g.Parameter(F32({6}));
  g.Add("QuantizedMatMul", ops::kPassOnly, {bytes, bytes, row, row, row});
  EXPECT_FALSE(g.Infer());
  EXPECT_NE(g.FaultText().find("input 0 has element type i8; this operation supports f32"),
            std::string::npos)
      << g.FaultText();
  EXPECT_NE(g.FaultText().find("input 1 (table) is i8[3,7]; must have 256 elements"),
            std::string::npos);
  EXPECT_NE(g.FaultText().find("input 2 is f32[6] and there are 3 outputs; must have one number"),
            std::string::npos);
}

// A Quantize of a reader after numbers with its parameters is removed; codes of a Dequantize are
// read.
TEST_F(QuantisedGraph, CodesOfAReaderAreNotConvertedTwice) {
  const auto kinds = [this](const char* scale) {
    g = {};
    const ir::Source codes = g.Parameter({ElementType::i8, {3, 8}});
    const ir::Source numbers =
        g.Add("Dequantize", ops::kPassOnly, {codes}, {{"scale", "0.5"}, {"x_zero", "-3"}});
    const ir::Source again = g.Add(
        "Quantize", ops::kPassOnly, {numbers},
        {{"inverse", "2"}, {"scale", scale}, {"zero", "-3"}, {"low", "-128"}, {"high", "127"}});
    g.Result(g.Of("Convert", {again}, {{"destination_type", "f32"}}));
    return Rewritten(g, QuantiseAll);
  };
  EXPECT_FALSE(kinds("0.5").contains("Quantize"));
  EXPECT_TRUE(kinds("0.25").contains("Quantize"));
}

TEST_F(QuantisedGraph, ALayerThatKeepsFloatsDoes) {
  g.Result(Product(Symmetric(g.Parameter(F32({3, 7}))), {5, 7}));
  EXPECT_EQ(Rewritten(g,
                      [](ir::Graph& graph) {
                        graph::Folding folding = FoldingHere();
                        graph::Quantise(graph, folding, {[](const std::string&) { return true; }});
                      }),
            (KindCounts{{"FakeQuantize", 1}, {"MatMul", 1}}));
}

}  // namespace
}  // namespace weft
