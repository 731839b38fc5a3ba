// SPDX-License-Identifier: Apache-2.0
// Transposed convolution: output extents, the split into phases, and results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "converter/program/fuse_tail.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using Texts = std::map<std::string, std::string>;
using program::StepKind;
using TransposedKinds = std::vector<StepKind>;

constexpr char kBackprop[] = "ConvolutionBackpropData",
               kGroupBackprop[] = "GroupConvolutionBackpropData";

// 1, 2, 3, ... 7, repeated: all sums of products are exact.
ir::Source CountingFilters(GraphBuilder& g, Dims dims) {
  std::vector<float> numbers(static_cast<size_t>(ElementCount(dims).value()));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7 + 1);
  return g.Floats(std::move(dims), numbers);
}

// Type of the output, or the error.
std::string TransposedShape(Dims x, Dims filters, Texts attributes,
                            const std::vector<int64_t>& shape = {}, const char* name = kBackprop) {
  GraphBuilder g;
  std::vector<ir::Source> inputs = {g.Parameter(F32(std::move(x))),
                                    CountingFilters(g, std::move(filters))};
  if (!shape.empty()) inputs.push_back(g.Ints(shape));
  const ir::Source y = g.Add(name, 1, inputs, std::move(attributes));
  return g.Infer() ? ToString(g.type(y)) : g.FaultText();
}

TEST(TransposedConvolution, OfIntegersHasNotThreeAxes) {
  GraphBuilder g;
  for (const Dims& window : {Dims{2, 3}, Dims{2, 3, 2}}) {
    Dims data = {1, 2}, filters = {2, 3};
    data.insert(data.end(), window.size(), 4);
    filters.insert(filters.end(), window.begin(), window.end());
    g.Result(g.Add(
        kBackprop, 1,
        {g.Parameter({ElementType::i32, data}), g.Parameter({ElementType::i32, filters})}, {}));
  }
  EXPECT_FALSE(g.Infer());
  EXPECT_EQ(g.faults.lines().size(), 1u);
  EXPECT_PRED2(Contains, g.FaultText(),
               "data is i32[1,2,4,4,4]; must be f32 for three spatial axes");
}

TEST(TransposedConvolution, InfersExtentsFromStridesPadsAndOutputPadding) {
  EXPECT_EQ(TransposedShape({2, 3, 5, 4}, {3, 7, 3, 2}, {}), "f32[2,7,7,5]");
  EXPECT_EQ(TransposedShape({2, 3, 5, 4}, {3, 7, 3, 2}, {{"strides", "2,3"}, {"dilations", "1,2"}}),
            "f32[2,7,11,12]");
  const Texts padded = {
      {"strides", "2,2"}, {"pads_begin", "1,0"}, {"pads_end", "1,2"}, {"output_padding", "1,0"}};
  EXPECT_EQ(TransposedShape({2, 3, 5, 4}, {3, 7, 3, 3}, padded), "f32[2,7,10,7]");
  EXPECT_EQ(TransposedShape({1, 6, 5}, {2, 3, 4, 3}, {{"strides", "3"}}, {}, kGroupBackprop),
            "f32[1,8,15]");
  EXPECT_EQ(TransposedShape({2, 3, 5, 4, 1}, {3, 7, 3, 2, 4}, {{"strides", "2,3,1"}}),
            "f32[2,7,11,11,4]");
  for (const char* automatic : {"valid", "same_upper", "same_lower"}) {
    Texts pads = padded;
    pads["auto_pad"] = automatic;  // the pads are ignored
    EXPECT_EQ(TransposedShape({2, 3, 5, 4}, {3, 7, 3, 3}, pads), "f32[2,7,12,9]");
    EXPECT_EQ(TransposedShape({2, 3, 5, 4}, {3, 7, 3, 3}, pads, {10, 8}), "f32[2,7,10,8]");
  }
}

TEST(TransposedConvolution, NamesWhatDoesNotFit) {
  EXPECT_PRED2(Contains, TransposedShape({1, 3, 5}, {4, 3, 2}, {}),
               "data has 3 channels and filters take 4; both must be equal");
  EXPECT_PRED2(Contains, TransposedShape({1, 3, 5}, {3, 3, 2, 2}, {}), "must have ranks 3 and 3");
  EXPECT_PRED2(Contains, TransposedShape({1, 3, 5}, {3, 3, 2}, {}, {}, kGroupBackprop),
               "must have ranks 3 and 4");
  EXPECT_PRED2(Contains, TransposedShape({1, 1, 2, 2, 2, 2}, {1, 1, 2, 2, 2, 2}, {}),
               "the data has 4 spatial axes; 1, 2 and 3 are supported");
  EXPECT_PRED2(Contains, TransposedShape({1, 3, 5}, {3, 0, 2}, {}), "no dimension may be 0");
  EXPECT_PRED2(Contains,
               TransposedShape({1, 3, 2}, {3, 3, 2}, {{"pads_begin", "2"}, {"pads_end", "1"}}),
               "spatial axis 0 is 2 long and its output 0; both must be 1 or more");
  EXPECT_PRED2(Contains, TransposedShape({1, 3, 5}, {3, 3, 2}, {{"strides", "0"}}),
               "a stride is 0; must be from 1 to");
  EXPECT_PRED2(Contains, TransposedShape({1, 3, 5}, {3, 3, 2}, {{"output_padding", "-1"}}),
               "an output padding is -1; must be from 0 to");
  EXPECT_PRED2(
      Contains, TransposedShape({1, 3, 5}, {3, 3, 2}, {{"output_padding", "1,1"}}),
      "attribute output_padding is [1,1]; must have one number for each of 1 spatial axes");
  EXPECT_PRED2(Contains, TransposedShape({1, 3, 5}, {3, 3, 2}, {}, {9, 9}),
               "input 2 (output_shape) has 2 elements; must have 1");
  EXPECT_PRED2(Contains, TransposedShape({1, 3, 5}, {3, 3, 2}, {}, {0}),
               "an extent of output_shape is 0; must be from 1 to");
}

TEST(TransposedConvolution, RefusesAShapeThatIsComputedAtRunTime) {
  GraphBuilder shaped;
  shaped.Add(kBackprop, 1,
             {shaped.Parameter(F32({1, 3, 5})), CountingFilters(shaped, {3, 2, 4}),
              shaped.Parameter({ElementType::i64, {1}})});
  EXPECT_FALSE(shaped.Infer());
  EXPECT_PRED2(Contains, shaped.FaultText(), "input 2 (output_shape) is computed at run time");
}

program::Program LoweredTransposed(Dims x, Dims filters, Texts attributes,
                                   const char* name = kBackprop) {
  GraphBuilder g;
  g.Result(g.Add(name, 1, {g.Parameter(F32(std::move(x))), CountingFilters(g, std::move(filters))},
                 std::move(attributes)));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.Lower();
}

size_t KindCount(const program::Program& program, StepKind kind) {
  const TransposedKinds kinds = Kinds(program);
  return static_cast<size_t>(std::ranges::count(kinds, kind));
}

TEST(TransposedConvolution, IsOneConvolutionWhereTheStrideIsOne) {
  const program::Program program =
      LoweredTransposed({1, 2, 5}, {2, 1, 3}, {{"pads_begin", "1"}, {"dilations", "2"}});
  ASSERT_EQ(Kinds(program), (TransposedKinds{StepKind::kConv}));
  const auto params = ParamsAt<format::ConvParams>(program);
  EXPECT_EQ(params.pad_left(), 3u);
  EXPECT_EQ(params.dilation_x(), 2u);
  EXPECT_EQ(params.out_width(), 8u);
  std::vector<float> packed(2 * 3 * 16);
  const program::Value& weights = program.values[Steps(program)[0].inputs[1]];
  ASSERT_EQ(weights.data->size(), packed.size() * sizeof(float));
  std::memcpy(packed.data(), weights.data->data(), weights.data->size());
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(packed[i * 16], (std::vector{3, 6, 2, 5, 1, 4})[i]);
}

TEST(TransposedConvolution, OfVocodersIsAConvolutionPerPhase) {
  const Texts vocoder = {{"strides", "8"}, {"pads_begin", "4"}, {"pads_end", "4"}};
  const program::Program program = LoweredTransposed({1, 32, 10}, {32, 16, 16}, vocoder);
  ASSERT_EQ(Kinds(program), TransposedKinds(8, StepKind::kConv));
  for (size_t phase = 0; phase < 8; ++phase) {
    const auto conv = ParamsAt<format::ConvParams>(program, phase);
    EXPECT_EQ(conv.kernel_width(), 2u);
    EXPECT_EQ(conv.out_width(), 10u);
    EXPECT_EQ(conv.pad_left(), phase < 4 ? 1u : 0u);
    EXPECT_EQ(conv.y().pixel(), 8u);
    EXPECT_EQ(conv.y().channel(), 80u);
    const program::Value& y = program.values[Steps(program)[phase].outputs[0]];
    EXPECT_EQ(y.offset_bytes, static_cast<int64_t>(phase * sizeof(float)));
    EXPECT_EQ(y.bytes, static_cast<int64_t>((15 * 80 + 9 * 8 + 1) * sizeof(float)));
  }
}

TEST(TransposedConvolution, JoinsPhasesThatWouldLeavePanelsEmpty) {
  const Texts vocoder = {{"strides", "8"}, {"pads_begin", "4"}, {"pads_end", "4"}};
  const program::Program program = LoweredTransposed({1, 32, 10}, {32, 1, 16}, vocoder);
  ASSERT_EQ(Kinds(program), (TransposedKinds{StepKind::kConv, StepKind::kCopy, StepKind::kCopy}));
  EXPECT_EQ(ParamsAt<format::ConvParams>(program).out_channels(), 8u);
  EXPECT_EQ(ParamsAt<format::ConvParams>(program).out_width(), 11u);
  const program::Program without_pads =
      LoweredTransposed({1, 32, 10}, {32, 5, 8}, {{"strides", "8"}});
  EXPECT_EQ(Kinds(without_pads), (TransposedKinds{StepKind::kConv, StepKind::kCopy}));
}

TEST(TransposedConvolution, IsOneStepWhereItsPhasesLieEvenly) {
  const program::Program program = LoweredTransposed({2, 32, 10}, {32, 1, 16}, {{"strides", "8"}});
  ASSERT_EQ(Kinds(program), (TransposedKinds{StepKind::kConv}));
  const auto conv = ParamsAt<format::ConvParams>(program);
  EXPECT_EQ(conv.out_channels(), 8u);
  EXPECT_EQ(conv.out_width(), 11u);
  EXPECT_EQ(conv.y().pixel(), 8u);
  EXPECT_EQ(conv.y().channel(), 1u);
  EXPECT_EQ(conv.y().image(), 88u);
}

TEST(TransposedConvolution, OfStrideTwoHasFourPhasesInTwoDimensions) {
  const Texts half = {{"strides", "2,2"}, {"pads_begin", "1,1"}, {"pads_end", "1,1"}};
  const program::Program apart = LoweredTransposed({1, 8, 5, 6}, {8, 16, 4, 4}, half);
  ASSERT_EQ(Kinds(apart), TransposedKinds(4, StepKind::kConv));
  const auto conv = ParamsAt<format::ConvParams>(apart, 3);
  EXPECT_EQ(conv.y().row(), 24u);
  EXPECT_EQ(conv.y().pixel(), 2u);
  EXPECT_EQ(apart.values[Steps(apart)[3].outputs[0]].offset_bytes, 13 * int64_t{sizeof(float)});
  const program::Program joined = LoweredTransposed({1, 8, 5, 6}, {8, 3, 4, 4}, half);
  EXPECT_EQ(KindCount(joined, StepKind::kConv), 1u);
  EXPECT_EQ(KindCount(joined, StepKind::kCopy), 4u);
  EXPECT_EQ(Steps(joined).size(), 5u);
  // With one or two taps along an axis, all phases differ.
  const program::Program odd = LoweredTransposed({1, 8, 5, 6}, {8, 3, 3, 3}, half);
  EXPECT_EQ(Kinds(odd), TransposedKinds(4, StepKind::kConv));
  const program::Program blocks =
      LoweredTransposed({1, 8, 5, 6}, {8, 3, 2, 2}, {{"strides", "2,2"}});
  EXPECT_EQ(Kinds(blocks), (TransposedKinds{StepKind::kConv, StepKind::kCopy}));
}

TEST(TransposedConvolution, FillsPlacesThatNoTapReaches) {
  const program::Program program = LoweredTransposed({1, 8, 5}, {8, 16, 1}, {{"strides", "3"}});
  ASSERT_EQ(Kinds(program), (TransposedKinds{StepKind::kFill, StepKind::kConv}));
}

TEST(TransposedConvolution, IsDepthwiseWithOneInputChannelPerGroup) {
  const Texts twice = {{"strides", "2"}, {"pads_begin", "1"}, {"pads_end", "1"}};
  const program::Program program =
      LoweredTransposed({1, 3, 9}, {3, 1, 2, 4}, twice, kGroupBackprop);
  ASSERT_EQ(Kinds(program), TransposedKinds(2, StepKind::kDepthwise));
  EXPECT_EQ(ParamsAt<format::DepthwiseParams>(program).channels(), 6u);
  EXPECT_EQ(ParamsAt<format::DepthwiseParams>(program).multiplier(), 2u);
  EXPECT_EQ(ParamsAt<format::DepthwiseParams>(program).y().pixel(), 2u);
  // With more phases than the maximum number of steps, all are computed in one step.
  const program::Program many =
      LoweredTransposed({1, 3, 9}, {3, 1, 1, 64}, {{"strides", "32"}}, kGroupBackprop);
  ASSERT_EQ(Kinds(many), (TransposedKinds{StepKind::kDepthwise, StepKind::kCopy}));
  EXPECT_EQ(ParamsAt<format::DepthwiseParams>(many).multiplier(), 32u);
}

TEST(TransposedConvolution, OfStrideOneTakesItsBias) {
  GraphBuilder g;
  const ir::Source y =
      g.Add(kBackprop, 1, {g.Parameter(F32({1, 2, 5})), CountingFilters(g, {2, 4, 3})},
            {{"pads_begin", "1"}, {"pads_end", "1"}});
  g.Result(g.Add("Relu", 1, {g.Add("Add", 1, {y, CountingFilters(g, {1, 4, 1})})}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  program::Program program = g.Lower();
  program::FuseTails(program);
  EXPECT_EQ(Kinds(program), (TransposedKinds{StepKind::kConv}));
}

// The extents along one axis.
struct TransposedLine {
  int64_t in, kernel, stride, dilation, begin, end, padding;
  int64_t out() const {
    return stride * (in - 1) + (kernel - 1) * dilation + 1 + padding - begin - end;
  }
};

// Reference result [groups * outs, out] by the definition. Data and filters count from 1 to 7.
std::vector<float> TransposedSums(const TransposedLine& line, int64_t groups, int64_t ins,
                                  int64_t outs, const std::vector<float>& x) {
  std::vector<float> y(static_cast<size_t>(groups * outs * line.out()));
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t c = 0; c < ins; ++c) {
      for (int64_t o = 0; o < outs; ++o) {
        for (int64_t i = 0; i < line.in; ++i) {
          for (int64_t t = 0; t < line.kernel; ++t) {
            const int64_t position = i * line.stride + t * line.dilation - line.begin;
            if (position < 0 || position >= line.out()) continue;
            const int64_t weight = ((g * ins + c) * outs + o) * line.kernel + t;
            y[static_cast<size_t>((g * outs + o) * line.out() + position)] +=
                x[static_cast<size_t>((g * ins + c) * line.in + i)] *
                static_cast<float>(weight % 7 + 1);
          }
        }
      }
    }
  }
  return y;
}

void ExpectTransposed(const TransposedLine& line, int64_t groups, int64_t ins, int64_t outs) {
  if (line.out() < 1) return;
  SCOPED_TRACE(testing::Message() << "in " << line.in << " kernel " << line.kernel << " stride "
                                  << line.stride << " dilation " << line.dilation << " begin "
                                  << line.begin << " end " << line.end << " padding "
                                  << line.padding << " groups " << groups);
  const Texts attributes = {{"strides", std::to_string(line.stride)},
                            {"dilations", std::to_string(line.dilation)},
                            {"pads_begin", std::to_string(line.begin)},
                            {"pads_end", std::to_string(line.end)},
                            {"output_padding", std::to_string(line.padding)}};
  const Dims filters =
      groups > 1 ? Dims{groups, ins, outs, line.kernel} : Dims{ins, outs, line.kernel};
  std::vector<float> x(static_cast<size_t>(groups * ins * line.in));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) - 2;
  const std::vector<std::vector<float>> y =
      RunFloats(LoweredTransposed({1, groups * ins, line.in}, filters, attributes,
                                  groups > 1 ? kGroupBackprop : kBackprop),
                {x});
  ASSERT_EQ(y.size(), 1u);
  EXPECT_EQ(y[0], TransposedSums(line, groups, ins, outs, x));
}

TEST(TransposedConvolution, GivesTheSumsOfItsDefinition) {
  for (int64_t kernel = 1; kernel <= 5; ++kernel) {
    for (int64_t stride = 1; stride <= 4; ++stride) {
      for (int64_t dilation = 1; dilation <= 3; ++dilation) {
        for (int64_t cut = 0; cut <= 3; ++cut) {
          ExpectTransposed({4, kernel, stride, dilation, cut, 3 - cut, cut % 2 + stride - 1}, 1, 2,
                           3);
        }
        ExpectTransposed({3, kernel, stride, dilation, 1, 0, 0}, 2, 1, 2);
        ExpectTransposed({3, kernel, stride, dilation, 0, 1, 5}, 2, 2, 16);
      }
    }
  }
  ExpectTransposed({3, 40, 20, 1, 10, 10, 0}, 3, 1, 1);
  ExpectTransposed({3, 40, 20, 3, 11, 10, 0}, 1, 2, 16);
  ExpectTransposed({1, 7, 3, 1, 2, 2, 0}, 1, 2, 16);
}

}  // namespace
}  // namespace weft
