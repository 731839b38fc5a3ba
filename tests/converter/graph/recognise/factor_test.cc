// SPDX-License-Identifier: Apache-2.0
// Consecutive constants are merged; a batch normalisation after a product is merged into its
// weights and bias.
#include "converter/graph/recognise/forms/forms.h"
#include "converter/ops/support/packed.h"
#include "converter/program/fuse_tail.h"
#include "tests/converter/graph/recognise/rewritten.h"
#include "tests/converter/quantised.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

// Runs the passes in the converter's order: before and after time is split into chunks.
void JoinAll(ir::Graph& graph) {
  graph::JoinTables(graph);
  graph::JoinConstants(graph);
}

ir::Source PerChannel(FormBuilder& g, std::vector<float> numbers) {
  const auto count = static_cast<int64_t>(numbers.size());
  return g.Floats({1, count, 1}, numbers);
}

// Mean, deviation, gain and shift of three channels, one operation each.
ir::Source BatchNorm(FormBuilder& g, ir::Source x) {
  x = g("Subtract", x, PerChannel(g, {0.5f, -1, 2}));
  x = g("Divide", x, PerChannel(g, {2, 3, 0.7f}));
  x = g("Multiply", x, PerChannel(g, {1.5f, 0, -1}));
  return g("Add", x, PerChannel(g, {0.1f, 0.2f, 0.3f}));
}

ir::Source Convolution(FormBuilder& g, ir::Source x, ir::Source weights) {
  return g.Of("Convolution", {x, weights},
              {{"strides", "1"}, {"dilations", "1"}, {"pads_begin", "1"}, {"pads_end", "1"}});
}

TEST(JoinedConstants, ABatchNormGoesIntoTheConvolutionBeforeIt) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32({2, 2, 5}));
  const ir::Source biased =
      g("Add", Convolution(g, x, Constant(g, {3, 2, 3}, 5)), PerChannel(g, {1, 2, 3}));
  g.Result(BatchNorm(g, biased));
  const KindCounts left = Rewritten(g, JoinAll);
  EXPECT_EQ(left, (KindCounts{{"Add", 1}, {"Convolution", 1}}));
}

// Keras exports a convolution over time as one over images of one row.
TEST(JoinedConstants, ABatchNormGoesIntoTheConvolutionBeforeOtherDims) {
  for (const bool has_bias : {false, true}) {
    FormBuilder g;
    const ir::Source x = g.Parameter(F32({2, 2, 1, 5}));
    const ir::Source image = g.Of(
        "Convolution", {x, Constant(g, {3, 2, 1, 3}, 5)},
        {{"strides", "1,1"}, {"dilations", "1,1"}, {"pads_begin", "0,1"}, {"pads_end", "0,1"}});
    ir::Source y = g.Of("Squeeze", {image, g.Ints({2})});
    if (has_bias) y = g("Add", y, PerChannel(g, {1, 2, 3}));
    g.Result(has_bias ? BatchNorm(g, y) : g("Multiply", y, PerChannel(g, {2, -1, 0.5f})));
    KindCounts left = Rewritten(g, JoinAll);
    for (const char* free : {"Identity", "Reshape", "Squeeze"}) left.erase(free);
    KindCounts all = {{"Convolution", 1}};
    if (has_bias) all["Add"] = 1;
    EXPECT_EQ(left, all);
  }
}

TEST(JoinedConstants, AFactorOfOneIsNothing) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32({3, 4}));
  g.Result(g("Sqrt", g("Abs", g("Multiply", x, g.Row({1, 1, 1, 1})))));
  g.Result(g("Multiply", x, g.Floats({2, 1, 1}, {1, 1})));
  EXPECT_EQ(Rewritten(g, JoinAll),
            (KindCounts{{"Abs", 1}, {"Identity", 1}, {"Multiply", 1}, {"Sqrt", 1}}))
      << "unless it broadcasts the other factor";
}

TEST(JoinedConstants, AFactorPerOutputGoesIntoAMatrix) {
  for (const bool permuted : {false, true}) {
    FormBuilder g;
    const ir::Source x = g.Parameter(F32({4, 2}));
    const Dims dims = permuted ? Dims{3, 2} : Dims{2, 3};
    const ir::Source product =
        g.Of("MatMul", {x, Constant(g, dims, 5)}, {{"transpose_b", permuted ? "true" : "false"}});
    g.Result(g("Multiply", product, g.Row({2, -3, 0.25f})));
    EXPECT_EQ(Rewritten(g, JoinAll), (KindCounts{{"MatMul", 1}}));
  }
}

// The codes of compressed weights stay, so that the layer remains one integer product.
TEST(JoinedConstants, AFactorPerOutputGoesIntoTheScalesOfCompressedWeights) {
  FormBuilder g;
  const ir::Source codes =
      g.Of("Convert",
           {g.Const<uint8_t>({ElementType::u8, {3, 4}},
                             {0, 255, 7, 130, 3, 200, 128, 90, 255, 1, 128, 60})},
           {{"destination_type", "f32"}});
  const ir::Source centred = g("Subtract", codes, g.Floats({3, 1}, {128, 100, 128}));
  const ir::Source weights = g("Multiply", centred, g.Floats({3, 1}, {0.1f, 0.02f, 0.3f}));
  const ir::Source x = g.Parameter(F32({2, 4}));
  const ir::Source product = g.Of("MatMul", {x, weights}, {{"transpose_b", "true"}});
  const ir::Source y = g("Multiply", product, g.Floats({1, 3}, {0.7f, -3, 1.1f}));
  g.Result(g("Add", y, g.Floats({1, 3}, {1, 2, 3})));
  EXPECT_EQ(Rewritten(g, JoinAll), (KindCounts{{"Add", 1}, {"MatMul", 1}}));
  for (const ir::Node* node : ir::Topological(g.graph)) {
    if (node->type != "MatMul") continue;
    const ir::Constant& constant = *node->inputs[1].node->constant;
    ASSERT_NE(constant.quantisation, nullptr);
    EXPECT_EQ(CodesOf(ops::Floats(constant), *constant.quantisation),
              (std::vector<float>{-128, 127, -121, 2, -97, 100, 28, -10, 127, -127, 0, -68}));
    const std::vector<float> scales = constant.quantisation->scales();
    EXPECT_EQ(scales[0], 0.1f * 0.7f);
    EXPECT_EQ(scales[4], 0.02f * -3);
    EXPECT_EQ(scales[8], 0.3f * 1.1f);
  }
}

TEST(JoinedConstants, OneFactorGoesIntoADepthwiseConvolution) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32({1, 3, 5}));
  const ir::Source product =
      g.Of("GroupConvolution", {x, Constant(g, {3, 1, 1, 3}, 5)},
           {{"strides", "1"}, {"dilations", "1"}, {"pads_begin", "0"}, {"pads_end", "0"}});
  g.Result(g("Multiply", product, 0.5f));
  EXPECT_EQ(Rewritten(g, JoinAll), (KindCounts{{"GroupConvolution", 1}}));
}

TEST(JoinedConstants, WeightsOfTwoProductsStayOneConstant) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32({4, 2})), weights = Constant(g, {2, 3}, 5);
  for (const float factor : {2.0f, 3.0f}) {
    g.Result(g("Multiply", g("MatMul", x, weights), factor));
  }
  EXPECT_EQ(Rewritten(g, JoinAll), (KindCounts{{"MatMul", 2}, {"Multiply", 2}}));
}

TEST(JoinedConstants, AProductThatIsReadElsewhereKeepsItsWeights) {
  FormBuilder g;
  const ir::Source product = g("MatMul", g.Parameter(F32({4, 2})), Constant(g, {2, 3}, 5));
  g.Result(product);
  g.Result(g("Multiply", product, 2.0f));
  EXPECT_EQ(Rewritten(g, JoinAll), (KindCounts{{"MatMul", 1}, {"Multiply", 1}}));
}

// The factors vary along an axis other than the outputs.
TEST(JoinedConstants, AFactorPerRowStays) {
  FormBuilder g;
  const ir::Source product = g("MatMul", g.Parameter(F32({3, 2})), Constant(g, {2, 3}, 5));
  g.Result(g("Multiply", product, g.Floats({3, 1}, {1, 2, 3})));
  EXPECT_EQ(Rewritten(g, JoinAll), (KindCounts{{"MatMul", 1}, {"Multiply", 1}}));
}

// In a streaming model, positions are no longer a constant: they must be merged with the bias
// before.
TEST(JoinedTables, PositionsBehindABiasBecomeOne) {
  FormBuilder g;
  const ir::Source product = g("MatMul", g.Parameter(F32({4, 2})), Constant(g, {2, 3}, 5));
  g.Result(g("Add", g("Add", product, g.Row({1, -2, 3})), Constant(g, {4, 3}, 6)));
  EXPECT_EQ(Rewritten(g, graph::JoinTables), (KindCounts{{"Add", 1}, {"MatMul", 1}}));
}

TEST(JoinedTables, AWindowBehindAScaleBecomesOne) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32({4, 3}));
  g.Result(g("Divide", g("Multiply", x, g.Row({1, -2, 3})), Constant(g, {4, 3}, 6)));
  EXPECT_EQ(Rewritten(g, graph::JoinTables), (KindCounts{{"Multiply", 1}}));
}

// These factors are merged later, into the weights of the product.
TEST(JoinedTables, AScaleOfAProductIsItsWeights) {
  FormBuilder g;
  const ir::Source product = g("MatMul", g.Parameter(F32({4, 2})), Constant(g, {2, 3}, 5));
  const ir::Source scaled = g("Multiply", product, g.Row({1, -2, 3}));
  g.Result(g("Multiply", scaled, Constant(g, {4, 3}, 6)));
  EXPECT_EQ(Rewritten(g, graph::JoinTables), (KindCounts{{"MatMul", 1}, {"Multiply", 2}}));
}

// Single numbers stay for the recognition of formulas.
TEST(JoinedTables, SingleNumbersStay) {
  FormBuilder g;
  g.Result(g("Multiply", g("Multiply", g.Parameter(F32({4, 3})), 2.0f), 0.5f));
  EXPECT_EQ(Rewritten(g, graph::JoinTables), (KindCounts{{"Multiply", 2}}));
}

struct Pair {
  const char* name;
  ir::Source (*build)(FormBuilder& g, ir::Source x);
  KindCounts left;
};

std::ostream& operator<<(std::ostream& out, const Pair& pair) { return out << pair.name; }

const Pair kPairs[] = {
    {"Factors",
     [](FormBuilder& g, ir::Source x) {
       return g("Divide", g("Multiply", x, 3.0f), g.Row({2, 4}));
     },
     {{"Multiply", 1}}},
    {"Addends",
     [](FormBuilder& g, ir::Source x) {
       return g("Add", g.Row({2, 4}), g("Add", 3.0f, x));
     },
     {{"Add", 1}}},
    {"AddendsThatRound",  // to integers
     [](FormBuilder& g, ir::Source x) {
       return g("Subtract", g("Add", x, 12582912.0f), 12582912.0f);
     },
     {{"Add", 1}, {"Subtract", 1}}},
    {"FactorsOfTwoAxes",
     [](FormBuilder& g, ir::Source x) {
       return g("Multiply", g("Multiply", x, g.Row({1, 2})), g.Floats({3, 1}, {1, 2, 3}));
     },
     {{"Multiply", 2}}},
    {"FactorsBeyondTheNumbers",
     [](FormBuilder& g, ir::Source x) { return g("Multiply", g("Multiply", x, 1e-30f), 1e-30f); },
     {{"Multiply", 2}}},
    {"ADivisionByZero",
     [](FormBuilder& g, ir::Source x) { return g("Multiply", g("Divide", x, 0.0f), 1e-30f); },
     {{"Divide", 1}, {"Multiply", 1}}},
};

class Pairs : public testing::TestWithParam<Pair> {};

TEST_P(Pairs, OfConstants) {
  FormBuilder g;
  g.Result(GetParam().build(g, g.Parameter(F32({3, 2}))));
  EXPECT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  JoinAll(g.graph);
  EXPECT_EQ(KindsIn(g), GetParam().left);
}

INSTANTIATE_TEST_SUITE_P(, Pairs, testing::ValuesIn(kPairs),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(JoinedConstants, WhatJoinedTheProductLeavesOneStep) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32({2, 2, 5}));
  g.Result(BatchNorm(g, Convolution(g, x, Constant(g, {3, 2, 3}, 5))));
  ASSERT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  JoinAll(g.graph);
  program::Program program = LowerGraph(g);
  program::FuseTails(program);
  EXPECT_EQ(Kinds(program), std::vector{program::StepKind::kConv});
}

// Whether an addition of two values is merged into the convolution depends on the number of steps.
TEST(JoinedConstants, WhatIsAddedToAConvolutionRoundsApart) {
  for (const bool of_matrix : {false, true}) {
    FormBuilder g;
    const ir::Source x = g.Parameter(F32({1, 3, 3})), residual = g.Parameter(F32({1, 3, 3}));
    const ir::Source product = of_matrix ? g("MatMul", x, Constant(g, {3, 3}, 5))
                                         : Convolution(g, x, Constant(g, {3, 3, 3}, 5));
    const ir::Source sum = g("Add", g("Multiply", product, 0.5f), residual);
    g.Result(sum);
    const char* kind = of_matrix ? "MatMul" : "Convolution";
    EXPECT_EQ(Rewritten(g, JoinAll), (KindCounts{{"Add", 1}, {kind, 1}}));
    EXPECT_EQ(sum.node->attributes.contains(graph::kRoundsApart), !of_matrix);
  }
}

// An addend that an exporter broadcast along time is reduced to one number per output.
TEST(JoinedConstants, AStretchedAddendIsOnePerOutput) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32({1, 2, 3}));
  const ir::Source product = Convolution(g, x, Constant(g, {2, 2, 3}, 5));
  const ir::Source broadcast = g.Floats({1, 2, 3}, {1, 1, 1, 2, 2, 2});
  const ir::Source sum = g("Add", g("Multiply", product, 0.5f), broadcast);
  g.Result(sum);
  EXPECT_EQ(Rewritten(g, JoinAll), (KindCounts{{"Add", 1}, {"Convolution", 1}}));
  EXPECT_EQ(g.type(sum.node->inputs[1]).dims, (Dims{1, 2, 1}));
}

// Rows of different shapes with equal bytes.
TEST(JoinedConstants, OfEqualBytesAreStoredOnce) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3, 1}));
  g.Result(g("Multiply", x, g.Floats({3, 1}, {1, 2, 3})));
  g.Result(g("Maximum", x, g.Floats({1, 3, 1}, {1, 2, 3})));
  ASSERT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  EXPECT_EQ(plan::PlanAsIs(LowerGraph(g)).weights_bytes, 12);
}

}  // namespace
}  // namespace weft
