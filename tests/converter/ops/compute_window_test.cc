// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling: output extents, pads and steps.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/converter/graph_builder.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using Texts = std::map<std::string, std::string>;
using program::StepKind;
using Kind = std::vector<StepKind>;

// Adds the attributes that the specification requires and a test omits.
Texts Window(Texts given, size_t axes = 2) {
  const bool two = axes == 2;
  Texts all = {{"strides", two ? "1,1" : "1"},
               {"dilations", two ? "1,1" : "1"},
               {"pads_begin", two ? "0,0" : "0"},
               {"pads_end", two ? "0,0" : "0"}};
  for (auto& [key, value] : given) all[key] = value;
  return all;
}

// Type of a convolution over Parameters, or the error.
std::string ConvShape(Dims x, Dims filters, Texts attributes, const char* name = "Convolution") {
  GraphBuilder g;
  const size_t axes = x.size() - 2;
  const ir::Source y = g.Add(name, 1, {g.Parameter(F32(x)), g.Parameter(F32(filters))},
                             Window(std::move(attributes), axes));
  return g.Infer() ? ToString(g.type(y)) : g.FaultText();
}

TEST(Convolution, InfersExtentsFromPadsStridesAndDilations) {
  EXPECT_EQ(ConvShape({2, 3, 9, 8}, {5, 3, 3, 2}, {}), "f32[2,5,7,7]");
  EXPECT_EQ(ConvShape({2, 3, 9, 8}, {5, 3, 3, 2}, {{"strides", "2,3"}}), "f32[2,5,4,3]");
  EXPECT_EQ(ConvShape({2, 3, 9, 8}, {5, 3, 3, 2}, {{"dilations", "2,3"}}), "f32[2,5,5,5]");
  EXPECT_EQ(ConvShape({2, 3, 9, 8}, {5, 3, 3, 2}, {{"pads_begin", "1,0"}, {"pads_end", "0,2"}}),
            "f32[2,5,8,9]");
  EXPECT_EQ(ConvShape({1, 4, 17}, {2, 4, 3}, {{"strides", "2"}}), "f32[1,2,8]");
  EXPECT_EQ(ConvShape({1, 6, 9, 9}, {3, 4, 2, 3, 3}, {}, "GroupConvolution"), "f32[1,12,7,7]");
}

TEST(Convolution, WorksOutAutomaticPads) {
  // Saved models with auto_pad have zero pads_*, which are ignored.
  EXPECT_EQ(ConvShape({1, 1, 7, 8}, {1, 1, 4, 3}, {{"auto_pad", "same_upper"}}), "f32[1,1,7,8]");
  EXPECT_EQ(ConvShape({1, 1, 7, 8}, {1, 1, 3, 3}, {{"auto_pad", "same_lower"}, {"strides", "2,3"}}),
            "f32[1,1,4,3]");
  EXPECT_EQ(ConvShape({1, 1, 7, 8}, {1, 1, 3, 3}, {{"auto_pad", "valid"}, {"pads_begin", "9,9"}}),
            "f32[1,1,5,6]");
}

std::vector<StepKind> KindsOfIntegers(Dims x, Dims filters, Texts attributes) {
  GraphBuilder g;
  g.Add("Convolution", 1,
        {g.Parameter({ElementType::i32, std::move(x)}),
         g.Parameter({ElementType::i32, std::move(filters)})},
        Window(std::move(attributes)));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return Kinds(g.Lower());
}

TEST(Convolution, MultipliesPatchesOfIntegers) {
  EXPECT_EQ(KindsOfIntegers({2, 3, 9, 8}, {5, 3, 3, 2}, {}),
            (std::vector<StepKind>{StepKind::kCopy, StepKind::kMatmul}));
  EXPECT_EQ(KindsOfIntegers({2, 3, 9, 8}, {5, 3, 3, 2}, {{"pads_begin", "1,0"}}),
            (std::vector<StepKind>{StepKind::kFill, StepKind::kCopy, StepKind::kCopy,
                                   StepKind::kMatmul}));
  EXPECT_EQ(KindsOfIntegers({2, 3, 9, 8}, {5, 3, 1, 1}, {}),
            (std::vector<StepKind>{StepKind::kMatmul}));
}

TEST(Convolution, SumsBytesUpInWords) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::i8, {2, 3, 9, 8}});
  g.Add("Convolution", 1, {x, g.Parameter({ElementType::i8, {5, 3, 1, 1}})}, Window({}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()), (std::vector<StepKind>{StepKind::kConvert, StepKind::kConvert,
                                                     StepKind::kMatmul, StepKind::kConvert}));
}

TEST(Convolution, NamesWhatDoesNotFit) {
  EXPECT_PRED2(Contains, ConvShape({1, 3, 9, 9}, {5, 4, 3, 3}, {}),
               "data has 3 channels and filters take 4");
  EXPECT_PRED2(Contains, ConvShape({1, 3, 9, 9}, {5, 3, 11, 3}, {}),
               "spatial axis 0 is 9 long, 9 with its pads, and the window covers 11");
  EXPECT_PRED2(Contains, ConvShape({1, 3, 9, 9}, {5, 3, 3}, {}), "must have ranks 3 and 3");
  EXPECT_PRED2(Contains, ConvShape({1, 3, 9, 9}, {5, 3, 3, 3}, {{"strides", "0,1"}}),
               "a stride is 0");
  EXPECT_PRED2(Contains, ConvShape({1, 3, 9, 9}, {5, 3, 3, 3}, {{"strides", "1"}}),
               "attribute strides is [1]; must have one number for each of 2 spatial axes");
  EXPECT_PRED2(Contains, ConvShape({1, 3, 9, 9}, {5, 3, 3, 3}, {{"pads_begin", "-1,0"}}),
               "a pad at the beginning is -1");
  EXPECT_PRED2(Contains, ConvShape({1, 3, 9, 9}, {0, 3, 3, 3}, {}), "no dimension may be 0");
}

TEST(Convolution, PadsTheOddElementBehindOrInFront) {
  for (const bool upper : {true, false}) {
    GraphBuilder g;
    g.Add("Convolution", 1, {g.Parameter(F32({1, 1, 8})), g.Floats({1, 1, 4}, {1, 2, 3, 4})},
          Window({{"auto_pad", upper ? "same_upper" : "same_lower"}}, 1));
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    const auto params = ParamsAt<format::ConvParams>(g.Lower());
    EXPECT_EQ(params.pad_left(), upper ? 1u : 2u);
    EXPECT_EQ(params.out_width(), 8u);
    EXPECT_EQ(params.in_height(), 1u);
    EXPECT_EQ(params.kernel_height(), 1u);
    EXPECT_EQ(params.stride_y(), 1u);
    EXPECT_EQ(params.dilation_y(), 1u);
  }
}

TEST(Convolution, PacksConstantFiltersInPanelsOfSixteenOutputs) {
  GraphBuilder g;
  std::vector<float> filters(17 * 2 * 3);
  for (size_t i = 0; i < filters.size(); ++i) filters[i] = static_cast<float>(i);
  g.Add("Convolution", 1, {g.Parameter(F32({1, 2, 9})), g.Floats({17, 2, 3}, filters)},
        Window({}, 1));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kConv}));
  const program::Value& weights = program.values[Steps(program)[0].inputs[1]];
  ASSERT_EQ(weights.data->size(), 2u * 6 * 16 * sizeof(float));
  std::vector<float> packed(weights.data->size() / sizeof(float));
  std::memcpy(packed.data(), weights.data->data(), weights.data->size());
  for (size_t o = 0; o < 32; ++o) {
    for (size_t k = 0; k < 6; ++k) {  // (tap, channel)
      EXPECT_EQ(packed[(o / 16 * 6 + k) * 16 + o % 16],
                o < 17 ? filters[o * 6 + k % 2 * 3 + k / 2] : 0);
    }
  }
}

TEST(Convolution, CopiesRunTimeFiltersIntoPanels) {
  GraphBuilder g;
  g.Add("Convolution", 1, {g.Parameter(F32({1, 2, 9})), g.Parameter(F32({17, 2, 3}))},
        Window({}, 1));
  g.Add("Convolution", 1, {g.Parameter(F32({1, 2, 9})), g.Parameter(F32({32, 2, 3}))},
        Window({}, 1));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  EXPECT_EQ(Kinds(program),
            (std::vector<StepKind>{StepKind::kFill, StepKind::kCopy, StepKind::kCopy,
                                   StepKind::kConv, StepKind::kCopy, StepKind::kConv}));
  const auto rest = ParamsAt<format::CopyParams>(program, 2);
  EXPECT_EQ(First(rest.dims(), rest.rank()), (Dims{2, 3}));
  EXPECT_EQ(rest.src_offset(), 16u * 6);
  EXPECT_EQ(rest.dst_offset(), 6u * 16);
  EXPECT_EQ(First(rest.dst_strides(), 2), (Dims{16, 32}));
}

TEST(Convolution, IsDenseWhereOneWindowCoversAllInTheOrderOfTheSum) {
  GraphBuilder g;
  const auto add = [&](int64_t channels, int64_t taps) {
    const std::vector<float> filters(static_cast<size_t>(channels * taps));
    g.Add("Convolution", 1,
          {g.Parameter(F32({3, channels, taps})), g.Floats({1, channels, taps}, filters)},
          Window({}, 1));
  };
  add(1, 8);
  add(8, 1);
  add(2, 4);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program),
            (std::vector<StepKind>{StepKind::kDense, StepKind::kDense, StepKind::kConv}));
  for (const size_t at : {0u, 1u}) {
    EXPECT_EQ(ParamsAt<format::DenseParams>(program, at).rows(), 3u);
    EXPECT_EQ(ParamsAt<format::DenseParams>(program, at).inputs(), 8u);
  }
}

// The filters have as many taps as the data has elements, and their last taps are in the padding.
TEST(Convolution, ReadsPaddingWithDilatedTapsAsManyAsElements) {
  GraphBuilder g;
  g.Result(g.Add("Convolution", 1,
                 {g.Parameter(F32({2, 1, 3})), g.Floats({2, 1, 3}, {2, 7, -5, 1, 10, 100})},
                 Window({{"strides", "2"}, {"dilations", "2"}, {"pads_end", "2"}}, 1)));
  g.Result(g.Add("Convolution", 1,
                 {g.Parameter(F32({1, 1, 2, 2})), g.Floats({1, 1, 2, 2}, {1, 10, 100, 1000})},
                 Window({{"dilations", "2,1"}, {"pads_end", "1,0"}})));
  g.Result(g.Add("Convolution", 1,
                 {g.Parameter(F32({1, 1, 2, 2})), g.Floats({1, 1, 2, 2}, {1, 10, 100, 1000})},
                 Window({{"dilations", "1,3"}, {"pads_end", "0,2"}})));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const std::vector<std::vector<float>> x = {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4}, {1, 2, 3, 4}};
  const std::vector<std::vector<float>> y = RunPlan(plan::PlanAsIs(g.Lower()), x);
  ASSERT_EQ(y.size(), 3u);
  EXPECT_EQ(y[0], (std::vector<float>{23, 31, 50, 64}));
  EXPECT_EQ(y[1], (std::vector<float>{21}));
  EXPECT_EQ(y[2], (std::vector<float>{301}));
}

TEST(GroupConvolution, IsDepthwiseWithOneInputChannelPerGroup) {
  GraphBuilder g;
  g.Add("GroupConvolution", 1,
        {g.Parameter(F32({1, 3, 9})), g.Floats({3, 2, 1, 2}, std::vector<float>(12))},
        Window({}, 1));
  g.Add("GroupConvolution", 1,
        {g.Parameter(F32({1, 4, 9})), g.Floats({2, 5, 2, 2}, std::vector<float>(40))},
        Window({}, 1));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kDepthwise, StepKind::kConv}));
  EXPECT_EQ(ParamsAt<format::DepthwiseParams>(program, 0).channels(), 6u);
  EXPECT_EQ(ParamsAt<format::DepthwiseParams>(program, 0).multiplier(), 2u);
  const auto grouped = ParamsAt<format::ConvParams>(program, 1);
  EXPECT_EQ(grouped.groups(), 2u);
  EXPECT_EQ(grouped.in_channels(), 2u);
  EXPECT_EQ(grouped.out_channels(), 5u);
}

std::string PoolShape(const char* name, int opset, Dims x, Texts attributes) {
  GraphBuilder g;
  const ir::Source y =
      g.Add(name, opset, {g.Parameter(F32(x))}, Window(std::move(attributes), x.size() - 2));
  return g.Infer() ? ToString(g.type(y)) : g.FaultText();
}

TEST(Pool, RoundsExtentsDownUpOrAsTorchDoes) {
  Texts window = {{"kernel", "2,2"}, {"strides", "2,2"}, {"pads_begin", "1,0"}};
  EXPECT_EQ(PoolShape("MaxPool", 1, {1, 2, 6, 5}, window), "f32[1,2,3,2]");
  window["rounding_type"] = "ceil";
  EXPECT_EQ(PoolShape("MaxPool", 1, {1, 2, 6, 5}, window), "f32[1,2,4,3]");
  window = {{"kernel", "2"}, {"strides", "3"}, {"pads_end", "1"}, {"rounding_type", "ceil"}};
  EXPECT_EQ(PoolShape("AvgPool", 14, {1, 1, 6}, window), "f32[1,1,3]");
  window["rounding_type"] = "ceil_torch";
  EXPECT_EQ(PoolShape("AvgPool", 14, {1, 1, 6}, window), "f32[1,1,2]");
}

TEST(Pool, RefusesWindowsOfPaddingAlone) {
  EXPECT_PRED2(Contains, PoolShape("MaxPool", 1, {1, 1, 6}, {{"kernel", "2"}, {"pads_end", "2"}}),
               "spatial axis 0 has pads 0 and 2; must be from 0 to 1");
  EXPECT_PRED2(Contains, PoolShape("MaxPool", 1, {1, 1, 6}, {}),
               "the window is [] and the data has 1 spatial axes");
}

TEST(Pool, CarriesPadsAndTheRuleForThem) {
  const Texts window =
      Window({{"kernel", "3"}, {"pads_begin", "1"}, {"pads_end", "2"}, {"strides", "2"}}, 1);
  for (const bool exclude : {true, false}) {
    GraphBuilder g;
    Texts attributes = window;
    attributes["exclude-pad"] = exclude ? "true" : "false";
    g.Add("AvgPool", 1, {g.Parameter(F32({2, 3, 8}))}, attributes);
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    const auto params = ParamsAt<format::PoolParams>(g.Lower());
    EXPECT_EQ(params.batch(), 2u);
    EXPECT_EQ(params.channels(), 3u);
    EXPECT_EQ(params.x().channel(), 8u);
    EXPECT_EQ(params.y().image(), 15u);
    EXPECT_EQ(params.y().pixel(), 1u);
    EXPECT_EQ(params.pad_left(), 1u);
    EXPECT_EQ(params.pad_right(), 2u);
    EXPECT_EQ(params.pad_top(), 0u);
    EXPECT_EQ(params.out_width(), 5u);
    EXPECT_EQ(params.op(),
              exclude ? format::PoolOp::mean_exclude_pad : format::PoolOp::mean_include_pad);
  }
}

TEST(Pool, CountsWhatLiesBeyondThePadsOnlyWhereThereAreAny) {
  for (const bool padded : {false, true}) {
    GraphBuilder g;
    g.Add("AvgPool", 1, {g.Parameter(F32({1, 1, 6}))},
          Window({{"kernel", "3"},
                  {"strides", "2"},
                  {"pads_begin", padded ? "2" : "0"},
                  {"rounding_type", "ceil"}},
                 1));
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    const auto params = ParamsAt<format::PoolParams>(g.Lower());
    EXPECT_EQ(params.op(), format::PoolOp::mean_include_pad);
    EXPECT_EQ(params.out_width(), padded ? 4u : 3u);
    EXPECT_EQ(params.pad_right(), padded ? 1u : 0u);
    EXPECT_EQ(params.pad_bottom(), 0u);
  }
}

TEST(Pool, ReducesWindowsOfIntegersRowByRow) {
  for (const bool padded : {false, true}) {
    GraphBuilder g;
    const Texts window =
        Window({{"kernel", "2"}, {"strides", "2"}, {"pads_begin", padded ? "1" : "0"}}, 1);
    g.Add("MaxPool", 1, {g.Parameter({ElementType::i64, {1, 2, 6}})}, window);
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    const program::Program program = g.Lower();
    const size_t first = padded ? 2 : 0;
    ASSERT_EQ(Steps(program).size(), first + 2);
    const auto rows = ParamsAt<format::CopyParams>(program, first);
    EXPECT_EQ(rows.element_bytes(), 8u);
    const auto reduce = ParamsAt<format::ReduceParams>(program, first + 1);
    EXPECT_EQ(First(reduce.dims(), 2), (Dims{6, 2}));
    EXPECT_EQ(reduce.op(), format::ReduceOp::max);
    if (!padded) continue;
    EXPECT_EQ(ParamsAt<format::FillParams>(program, 0).bits_high(), 0x80000000u);
    EXPECT_EQ(ParamsAt<format::CopyParams>(program, 1).dst_offset(), 1u);
  }
}

TEST(Pool, NumbersItsMaximaOnlyWhereThatIsRead) {
  for (const bool read : {false, true}) {
    GraphBuilder g;
    const Texts window = Window({{"kernel", "2"}, {"index_element_type", "i32"}}, 1);
    const ir::Source y = g.Add("MaxPool", 8, {g.Parameter(F32({1, 1, 6}))}, window, 2);
    g.Result(y);
    if (read) g.Result({y.node, 1});
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(ToString(g.type({y.node, 1})), "i32[1,1,5]");
    std::vector<StepKind> kinds = {StepKind::kPool};
    if (read) {
      for (const StepKind kind : {StepKind::kCopy, StepKind::kTop, StepKind::kGather,
                                  StepKind::kBinary, StepKind::kBinary}) {
        kinds.push_back(kind);
      }
    }
    const program::Program program = g.Lower();
    EXPECT_EQ(Kinds(program), kinds);
  }
}

Texts Cube(Texts given) {
  Texts all = {
      {"strides", "1,1,1"}, {"dilations", "1,1,1"}, {"pads_begin", "0,0,0"}, {"pads_end", "0,0,0"}};
  for (auto& [key, value] : given) all[key] = value;
  return all;
}

std::vector<StepKind> VolumeKinds(const char* name, Dims x, Dims filters, Texts attributes) {
  GraphBuilder g;
  std::vector<ir::Source> inputs = {g.Parameter(F32(std::move(x)))};
  if (!filters.empty()) {
    const auto count = static_cast<size_t>(ElementCount(filters).value_or(0));
    inputs.push_back(g.Floats(filters, std::vector<float>(count)));
  }
  g.Add(name, 1, inputs, Cube(std::move(attributes)));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return Kinds(g.Lower());
}

TEST(Volume, IsConvolvedAsImages) {
  EXPECT_EQ(VolumeKinds("Convolution", {1, 3, 5, 6, 7}, {4, 3, 3, 3, 3}, {}),
            (Kind{StepKind::kCopy, StepKind::kConv, StepKind::kCopy}));
  EXPECT_EQ(VolumeKinds("Convolution", {1, 3, 3, 6, 7}, {4, 3, 3, 3, 3}, {}),
            (Kind{StepKind::kConv}));
  EXPECT_EQ(VolumeKinds("Convolution", {2, 1, 3, 6, 7}, {1, 1, 1, 3, 3}, {}),
            (Kind{StepKind::kConv}));
  EXPECT_EQ(VolumeKinds("GroupConvolution", {1, 3, 4, 6, 7}, {3, 1, 1, 2, 3, 3}, {}),
            (Kind{StepKind::kCopy, StepKind::kDepthwise, StepKind::kCopy, StepKind::kDepthwise,
                  StepKind::kBinary, StepKind::kCopy}));
}

// A fused addition would round differently if the depth has one position.
TEST(Volume, IsFusedWithNothing) {
  GraphBuilder g;
  g.Add("Convolution", 1,
        {g.Parameter(F32({1, 2, 2, 3, 3})), g.Floats({4, 2, 2, 2, 2}, std::vector<float>(64))},
        Cube({}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const std::vector<program::Step> steps = Steps(g.Lower());
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_TRUE(steps[0].is_never_fused);
}

TEST(Volume, IsPooledAxesOfAnImageFirst) {
  EXPECT_EQ(VolumeKinds("MaxPool", {1, 3, 5, 6, 7}, {}, {{"kernel", "2,2,2"}}),
            (Kind{StepKind::kPool, StepKind::kPool}));
  EXPECT_EQ(VolumeKinds("AvgPool", {1, 3, 5, 6, 7}, {}, {{"kernel", "1,2,2"}}),
            (Kind{StepKind::kPool}));
  EXPECT_EQ(VolumeKinds("AvgPool", {1, 3, 5, 6, 7}, {}, {{"kernel", "3,1,1"}}),
            (Kind{StepKind::kPool}));
}

TEST(Volume, HasThreeAxesAtMost) {
  EXPECT_PRED2(Contains, ConvShape({1, 3, 9, 9, 9, 9}, {5, 3, 1, 1, 1, 1}, {}),
               "the data has 4 spatial axes; 1, 2 and 3 are supported");
}

}  // namespace
}  // namespace weft
