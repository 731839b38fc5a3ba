// SPDX-License-Identifier: Apache-2.0
// Layout groups with windows become channels-last: which operations are permuted, which
// transpositions remain at the borders. Results are bit-identical.
#include "converter/graph/layout/layout.h"

#include <algorithm>
#include <functional>

#include "tests/converter/graph/recognise/rewritten.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using Dimensions = std::vector<int64_t>;

struct Layouts : testing::Test {
  weft::FormBuilder g;

  ir::Source Random(const Dimensions& dims) {
    std::vector<float> numbers =
        Numbers(static_cast<size_t>(ElementCount(dims).value_or(0)), std::ssize(dims));
    return g.Floats(dims, numbers);
  }
  // The rank of the filters determines the number of spatial axes.
  ir::Source Convolved(ir::Source x, const Dimensions& filters, bool grouped = false,
                       const std::string& pad = "0") {
    const size_t space = filters.size() - (grouped ? 3 : 2);
    const auto each = [&](const std::string& text) {
      return space == 1 ? text : text + "," + text;
    };
    return g.Of(grouped ? "GroupConvolution" : "Convolution", {x, Random(filters)},
                {{"strides", each("1")},
                 {"dilations", each("1")},
                 {"pads_begin", each(pad)},
                 {"pads_end", each(pad)}});
  }
  ir::Source Reshaped(ir::Source x, const Dimensions& dims) {
    return g.Of("Reshape", {x, g.Ints(dims)}, {{"special_zero", "false"}});
  }

  // Compares bit by bit.
  KindCounts Chosen() { return Rewritten(g, graph::ChooseLayouts, 0); }
  // Inserts operations between a convolution with five channels and 7 x 6 positions, and one with
  // any number of channels.
  KindCounts Between(const std::function<ir::Source(ir::Source)>& between) {
    const ir::Source first = Convolved(g.Parameter(F32({2, 3, 8, 7})), {5, 3, 2, 2});
    const ir::Source second = between(first);
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    const Dims dims = g.type(second).dims;
    g.Result(Convolved(second, {4, dims[1], 1, 1}));
    return Chosen();
  }
  int Count(const std::string& attribute) const {
    return static_cast<int>(std::ranges::count_if(
        g.graph.nodes, [&](const auto& node) { return node->attributes.contains(attribute); }));
  }
  // Expects that the facing sides of both convolutions are channels-last, without a transposition.
  void ExpectPermuted(const KindCounts& kinds, int others = 0) const {
    EXPECT_FALSE(kinds.contains("Transpose"));
    EXPECT_EQ(Count("x_last"), 1 + others);
    EXPECT_EQ(Count("y_last"), 1 + others);
  }
};

TEST_F(Layouts, PortsKeepTheirOrderAndConvolutionsReadAndWriteIt) {
  ExpectPermuted(Between([&](ir::Source x) { return g("Relu", x); }));
}

TEST_F(Layouts, OneConvolutionAloneStaysAsItIs) {
  g.Result(g("Relu", Convolved(g.Parameter(F32({2, 3, 8, 7})), {5, 3, 2, 2})));
  EXPECT_EQ(Chosen(), (KindCounts{{"Convolution", 1}, {"Relu", 1}}));
  EXPECT_EQ(Count("x_last") + Count("y_last"), 0);
}

TEST_F(Layouts, ConstantsOfAnyRankTurnAlong) {
  ExpectPermuted(Between([&](ir::Source x) {
    const ir::Source scaled = g.Of("Multiply", {x, Random({1, 5, 1, 1})});
    const ir::Source moved = g.Of("Add", {scaled, Random({5, 7, 1})});
    return g.Of("Subtract", {Random({6}), moved});
  }));
}

TEST_F(Layouts, SlopesStandAtChannels) {
  ExpectPermuted(Between([&](ir::Source x) { return g.Of("PRelu", {x, Random({5})}); }));
}

TEST_F(Layouts, PartsOfChannelsAndOfSpace) {
  ExpectPermuted(Between([&](ir::Source x) {
    const ir::Source split = g.Add("VariadicSplit", 1, {x, g.Int(1), g.Ints({2, 3})}, {}, 2);
    const ir::Source rest = {split.node, 1};
    const ir::Source cut =
        g.Of("Slice", {rest, g.Ints({-1, 1}), g.Ints({-8, 6}), g.Ints({-1, 2}), g.Ints({1, 3})});
    const ir::Source odd =
        g.Of("Slice", {split, g.Ints({0, 0, 0, 0}), g.Ints({2, 2, 7, 6}), g.Ints({1, 1, 1, 2})});
    return g.Of("Concat", {odd, cut, Random({2, 1, 7, 3})}, {{"axis", "1"}});
  }));
}

TEST_F(Layouts, MasksAreSpelledOut) {
  ExpectPermuted(Between([&](ir::Source x) {
    return g.Of("StridedSlice", {x, g.Ints({0, -1, 1}), g.Ints({0, 0, 5}), g.Ints({1, -1, 2})},
                {{"begin_mask", "1,0,0"},
                 {"end_mask", "1,1,0"},
                 {"new_axis_mask", "0"},
                 {"shrink_axis_mask", "0"},
                 {"ellipsis_mask", "0"}});
  }));
}

TEST_F(Layouts, AnAxisThatShrinksAwayLeavesChannelsBehindTheOther) {
  const ir::Source first = Convolved(g.Parameter(F32({2, 3, 8, 7})), {5, 3, 2, 2});
  const ir::Source row = g.Of("StridedSlice", {first, g.Ints({0, 0, 3}), g.Ints({0, 0, 4})},
                              {{"begin_mask", "1,1,0"},
                               {"end_mask", "1,1,0"},
                               {"new_axis_mask", "0"},
                               {"shrink_axis_mask", "0,0,1"},
                               {"ellipsis_mask", "0"}});
  const ir::Source position = g.Of("Gather", {first, g.Int(2), g.Int(3)});
  const ir::Source padded =
      g.Of("Pad", {position, g.Ints({0, 0, 0}), g.Ints({0, 0, -1})}, {{"pad_mode", "constant"}});
  g.Result(Convolved(g.Of("Add", {row, padded}), {4, 5, 3}));
  ExpectPermuted(Chosen());
}

TEST_F(Layouts, BordersGrowAlongTheirAxes) {
  ExpectPermuted(Between([&](ir::Source x) {
    return g.Of("Pad", {x, g.Ints({0, 1, 0, 2}), g.Ints({0, 0, 3, 1}), g.Float(0.5f)},
                {{"pad_mode", "constant"}});
  }));
}

TEST_F(Layouts, PoolsTurn) {
  ExpectPermuted(
      Between([&](ir::Source x) {
        const FormBuilder::Attributes window = {
            {"kernel", "3,2"}, {"strides", "2,1"}, {"pads_begin", "1,0"}, {"pads_end", "1,0"}};
        auto mean = window;
        mean["exclude-pad"] = "true";
        return g.Of("Subtract", {g.Add("MaxPool", 1, {x}, window), g.Add("AvgPool", 1, {x}, mean)});
      }),
      2);
}

TEST_F(Layouts, MeansOverSpaceAreSummedAsBefore) {
  for (const Dimensions& axes : {Dimensions{2, 3}, Dimensions{3}, Dimensions{2}, Dimensions{-1}}) {
    g = FormBuilder();
    const KindCounts kinds = Between([&](ir::Source x) {
      const ir::Source mean = g.Reduce("ReduceMean", x, axes, true);
      return g.Of("Multiply", {g.Reduce("ReduceMax", x, axes, true), g.Of("Subtract", {x, mean})});
    });
    ExpectPermuted(kinds, 2);
  }
}

TEST_F(Layouts, AMeanOverAllOfSpaceEndsAStretchWithoutACopy) {
  const ir::Source x = Convolved(g.Parameter(F32({2, 3, 8, 7})), {5, 3, 2, 2});
  g.Result(g.Reduce("ReduceMean", x, {2, 3}, true));
  Chosen();
  EXPECT_EQ(Count("y_last"), 2);
  const std::vector<program::StepKind> kinds = Kinds(LowerGraph(g));
  EXPECT_EQ(std::ranges::count(kinds, program::StepKind::kCopy), 0);
}

TEST_F(Layouts, WhatIsMadeOfSuchAMeanIsNoMoveEither) {
  const ir::Source x = Convolved(g.Parameter(F32({2, 3, 8, 7})), {5, 3, 2, 2});
  const ir::Source mean = g.Reduce("ReduceMean", x, {2, 3}, true);
  g.Result(Reshaped(g("Relu", g.Of("Add", {mean, mean})), {2, 5}));
  Chosen();
  EXPECT_EQ(Count("y_last"), 2);
  const std::vector<program::StepKind> kinds = Kinds(LowerGraph(g));
  EXPECT_EQ(std::ranges::count(kinds, program::StepKind::kCopy), 0);
}

TEST_F(Layouts, AMeanOverOneAxisOfSpaceIsNoReasonToTurn) {
  const ir::Source x = Convolved(g.Parameter(F32({2, 3, 8, 7})), {5, 3, 2, 2});
  g.Result(g.Reduce("ReduceMean", x, {2}, true));
  Chosen();
  EXPECT_EQ(Count("y_last"), 0);
}

TEST_F(Layouts, SumsOverManyPlacesAreCutIntoBlocksAsBefore) {
  const ir::Source first = Convolved(g.Parameter(F32({1, 2, 45, 50})), {19, 2, 1, 1});
  g.Result(g.Reduce("ReduceSum", first, {2, 3}, false));
  g.Result(g.Reduce("ReduceL2", first, {2, 3}, true));
  const ir::Source second = Convolved(first, {3, 19, 1, 1});
  g.Result(g.Reduce("ReduceMean", second, {1}, true));
  Chosen();
  const std::vector<program::StepKind> kinds = Kinds(LowerGraph(g));
  EXPECT_EQ(std::ranges::count(kinds, program::StepKind::kCopy), 0);
  EXPECT_EQ(Count("x_last"), 4);
}

TEST_F(Layouts, ASumOverChannelsAndSpaceKeepsTheDocumentsOrder) {
  const ir::Source first = Convolved(g.Parameter(F32({2, 3, 9, 7})), {33, 3, 1, 1});
  const ir::Source second = Convolved(first, {33, 33, 1, 1});
  g.Result(g.Reduce("ReduceSum", first, {1, 2, 3}, false));
  g.Result(g.Reduce("ReduceMean", second, {1}, false));
  EXPECT_EQ(Chosen()["Transpose"], 1);
}

TEST_F(Layouts, WhatKnowsOneOrderAloneIsABorder) {
  const ir::Source x = Convolved(g.Parameter(F32({2, 3, 8, 7})), {6, 3, 2, 2});
  const ir::Source normal =
      g.Of("MVN", {Convolved(x, {6, 1, 1, 3, 3}, true), g.Ints({1})},
           {{"eps", "1e-5"}, {"eps_mode", "inside_sqrt"}, {"normalize_variance", "true"}});
  g.Result(Convolved(normal, {4, 6, 1, 1}));
  const KindCounts kinds = Chosen();
  EXPECT_EQ(kinds.at("Transpose"), 1);
  EXPECT_EQ(Count("x_last"), 1);
  EXPECT_EQ(Count("y_last"), 2);
}

TEST_F(Layouts, ChannelsOneByOneTurnWhateverStandsAround) {
  g.Result(g("Relu", Convolved(g.Parameter(F32({1, 5, 8, 7})), {5, 1, 1, 3, 3}, true, "1")));
  EXPECT_EQ(Chosen()["Transpose"], 2);
  EXPECT_EQ(Count("x_last") + Count("y_last"), 2);
}

TEST_F(Layouts, OneChannelIsTheSameMemory) {
  g.Result(Convolved(Convolved(g.Parameter(F32({1, 1, 8, 7})), {5, 1, 2, 2}), {2, 5, 2, 2}));
  const program::Program program = [&] {
    Chosen();
    return LowerGraph(g);
  }();
  EXPECT_EQ(Count("x_last"), 2);
  EXPECT_EQ(Kinds(program), (std::vector{program::StepKind::kConv, program::StepKind::kConv}));
}

TEST_F(Layouts, ATranspositionThatTurnsTheSameWayGoes) {
  const ir::Source x = Convolved(g.Parameter(F32({2, 3, 20})), {5, 3, 3});
  const ir::Source steps = g.Of("Transpose", {x, g.Ints({0, 2, 1})});
  g.Result(g.Of("MatMul", {steps, Random({5, 4})}));
  EXPECT_EQ(Chosen(), (KindCounts{{"Convolution", 1}, {"MatMul", 1}}));
  EXPECT_EQ(Count("y_last"), 1);
}

const std::map<std::string, std::string> kPool = {
    {"kernel", "2,2"},   {"strides", "1,1"},      {"pads_begin", "0,0"},
    {"pads_end", "0,0"}, {"exclude-pad", "true"}, {"rounding_type", "floor"}};

// As in files of TensorFlow Lite, whose tensors are channels-last.
TEST_F(Layouts, APoolBetweenTranspositionsReadsChannelsLast) {
  const ir::Source x = g.Parameter(F32({1, 6, 7, 5}));
  const ir::Source pooled =
      g.Add("AvgPool", 1, {g.Of("Transpose", {x, g.Ints({0, 3, 1, 2})})}, kPool);
  const ir::Source last = g.Of("Transpose", {pooled, g.Ints({0, 2, 3, 1})});
  g.Result(g.Of("MatMul", {last, Random({5, 4})}));
  EXPECT_EQ(Chosen(), (KindCounts{{"AvgPool", 1}, {"MatMul", 1}}));
  EXPECT_EQ(Count("x_last") + Count("y_last"), 2);
}

// Only the input has a transposition, and another one would be needed for the output.
TEST_F(Layouts, APoolAfterATranspositionOfTheOtherWayStaysAsItIs) {
  const ir::Source x = g.Parameter(F32({1, 6, 7, 5}));
  const ir::Source pooled =
      g.Add("AvgPool", 1, {g.Of("Transpose", {x, g.Ints({0, 2, 3, 1})})}, kPool);
  g.Result(pooled);
  EXPECT_EQ(Chosen(), (KindCounts{{"AvgPool", 1}, {"Transpose", 1}}));
  EXPECT_EQ(Count("x_last") + Count("y_last"), 0);
}

TEST_F(Layouts, ATransposedFactorIsNoneAnyMore) {
  const ir::Source x = Convolved(g.Parameter(F32({2, 3, 20})), {5, 3, 3});
  g.Result(g.Of("MatMul", {x, Random({5, 4})}, {{"transpose_a", "true"}}));
  g.Result(
      g.Of("MatMul", {Random({2, 18, 7}), x}, {{"transpose_a", "true"}, {"transpose_b", "true"}}));
  EXPECT_EQ(Chosen(), (KindCounts{{"Convolution", 1}, {"MatMul", 2}}));
  EXPECT_EQ(Count("y_last"), 1);
}

TEST_F(Layouts, OtherAxesOfSpaceAreStillTheSameChannels) {
  const ir::Source x = Convolved(g.Parameter(F32({2, 3, 20})), {5, 3, 3});
  const ir::Source image = Reshaped(x, {2, 5, 1, 18});
  g.Result(Convolved(g.Of("Squeeze", {image, g.Ints({2})}), {4, 5, 3}));
  ExpectPermuted(Chosen());
}

TEST_F(Layouts, ResultsKeepTheirNames) {
  const ir::Source x = Convolved(g.Parameter(F32({2, 3, 8, 7})), {5, 3, 2, 2});
  g.Result(x);
  g.Result(Convolved(x, {4, 5, 1, 1}));
  x.node->outputs[0].names = {"middle"};
  EXPECT_EQ(Chosen()["Transpose"], 1);
  const ir::Source read = g.graph.results[0]->inputs[0];
  EXPECT_EQ(read.node->type, "Transpose");
  EXPECT_EQ(read.node->outputs[read.port].names, std::vector<std::string>{"middle"});
}

TEST_F(Layouts, PlacesTakenTwiceTurn) {
  ExpectPermuted(Between([&](ir::Source x) {
    return g.Of("Interpolate", {x, g.Ints({14, 12}), g.Ints({2, 3})},
                {{"mode", "nearest"},
                 {"shape_calculation_mode", "sizes"},
                 {"coordinate_transformation_mode", "asymmetric"},
                 {"nearest_mode", "floor"}});
  }));
}

}  // namespace
}  // namespace weft
