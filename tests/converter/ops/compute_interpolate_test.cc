// SPDX-License-Identifier: Apache-2.0
// Interpolate: positions and weights for each coordinate and rounding mode, the steps, and errors.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/converter/graph_builder.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using InterpolateTexts = std::map<std::string, std::string>;
using InterpolateRow = std::vector<float>;

const InterpolateTexts kLinearResize = {{"mode", "linear_onnx"}};

InterpolateTexts Given(InterpolateTexts more, const InterpolateTexts& base = {}) {
  more.insert(base.begin(), base.end());
  return more;
}

InterpolateTexts CoordinatesOf(const std::string& mode, const InterpolateTexts& base = {}) {
  return Given({{"coordinate_transformation_mode", mode}}, base);
}

// Output for a row of one channel that is resized to `size`.
InterpolateRow ResizedRow(int64_t size, const InterpolateTexts& attributes,
                          const InterpolateRow& x = {1, 2, 3, 4}) {
  GraphBuilder g;
  const ir::Source data = g.Parameter(F32({1, 1, static_cast<int64_t>(x.size())}));
  g.Result(g.Add("Interpolate", 11, {data, g.Ints({size}), g.Ints({2})}, attributes));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.faults.ok() ? RunFloats(g.Lower(), {x}).at(0) : InterpolateRow();
}

InterpolateRow ScaledRow(float scale, InterpolateTexts attributes) {
  GraphBuilder g;
  attributes["shape_calculation_mode"] = "scales";
  const ir::Source data = g.Parameter(F32({1, 1, 4}));
  g.Result(g.Add("Interpolate", 11, {data, g.Floats({1}, {scale}), g.Ints({2})}, attributes));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.faults.ok() ? RunFloats(g.Lower(), {{1, 2, 3, 4}}).at(0) : InterpolateRow();
}

void ExpectRow(const InterpolateRow& actual, const InterpolateRow& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
}

TEST(Interpolate, TakesTheNearestPlace) {
  const auto nearest = [](int64_t size, const char* coordinates, const char* rounding) {
    return ResizedRow(size, Given({{"nearest_mode", rounding}}, CoordinatesOf(coordinates)));
  };
  EXPECT_EQ(nearest(6, "asymmetric", "round_prefer_floor"), (InterpolateRow{1, 2, 2, 3, 4, 4}));
  EXPECT_EQ(nearest(8, "asymmetric", "round_prefer_floor"),
            (InterpolateRow{1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(nearest(8, "asymmetric", "round_prefer_ceil"),
            (InterpolateRow{1, 2, 2, 3, 3, 4, 4, 4}));
  EXPECT_EQ(nearest(6, "asymmetric", "floor"), (InterpolateRow{1, 1, 2, 3, 3, 4}));
  EXPECT_EQ(nearest(6, "asymmetric", "ceil"), (InterpolateRow{1, 2, 3, 3, 4, 4}));
  EXPECT_EQ(nearest(3, "asymmetric", "simple"), (InterpolateRow{1, 3, 4}));
  EXPECT_EQ(nearest(6, "asymmetric", "simple"), (InterpolateRow{1, 1, 2, 3, 3, 4}));
  EXPECT_EQ(nearest(1, "half_pixel", "floor"), (InterpolateRow{2}));
  EXPECT_EQ(nearest(1, "pytorch_half_pixel", "floor"), (InterpolateRow{1}));
  EXPECT_EQ(nearest(1, "tf_half_pixel_for_nn", "floor"), (InterpolateRow{3}));
  EXPECT_EQ(nearest(7, "align_corners", "floor"), (InterpolateRow{1, 1, 2, 2, 3, 3, 4}));
}

TEST(Interpolate, ResizesItsPads) {
  const InterpolateTexts pads = {{"pads_begin", "0,0,2"}, {"pads_end", "0,0,2"}};
  EXPECT_EQ(ResizedRow(8, pads), (InterpolateRow{0, 0, 1, 2, 3, 4, 0, 0}));
  EXPECT_EQ(ResizedRow(4, Given({{"nearest_mode", "floor"}}, CoordinatesOf("asymmetric", pads))),
            (InterpolateRow{0, 1, 3, 0}));
  ExpectRow(ResizedRow(16, Given(pads, kLinearResize)),
            {0, 0, 0, .25f, .75f, 1.25f, 1.75f, 2.25f, 2.75f, 3.25f, 3.75f, 3, 1, 0, 0, 0});
}

TEST(Interpolate, WeighsNeighbours) {
  const auto linear = [](int64_t size, const char* coordinates) {
    return ResizedRow(size, CoordinatesOf(coordinates, kLinearResize));
  };
  ExpectRow(linear(8, "half_pixel"), {1, 1.25f, 1.75f, 2.25f, 2.75f, 3.25f, 3.75f, 4});
  ExpectRow(linear(3, "half_pixel"), {1.1666667f, 2.5f, 3.8333333f});
  ExpectRow(linear(1, "half_pixel"), {2.5f});
  ExpectRow(linear(1, "pytorch_half_pixel"), {1});
  ExpectRow(linear(8, "asymmetric"), {1, 1.5f, 2, 2.5f, 3, 3.5f, 4, 4});
  ExpectRow(linear(1, "tf_half_pixel_for_nn"), {3});
  ExpectRow(linear(7, "align_corners"), {1, 1.5f, 2, 2.5f, 3, 3.5f, 4});
  const InterpolateRow cubic = ResizedRow(8, {{"mode", "cubic"}});
  ExpectRow({cubic.begin(), cubic.begin() + 4}, {.8945312f, 1.1914062f, 1.6679688f, 2.296875f});
  const InterpolateRow softer = ResizedRow(8, {{"mode", "cubic"}, {"cube_coeff", "-0.5"}});
  ExpectRow({softer.begin(), softer.begin() + 2}, {.9296875f, 1.1796875f});
}

TEST(Interpolate, SamplesByTheGivenScale) {
  ExpectRow(ScaledRow(1.6f, kLinearResize), {1, 1.4375f, 2.0625f, 2.6875f, 3.3125f, 3.9375f});
  EXPECT_EQ(ScaledRow(0.7f, {}).size(), 2u);
  // If the extent does not change, elements are copied in order.
  EXPECT_EQ(ScaledRow(1.2f, {}), (InterpolateRow{1, 2, 3, 4}));
}

TEST(Interpolate, MultipliesNoInfinityByZero) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(ResizedRow(7, CoordinatesOf("align_corners", kLinearResize), {1, 2, kInfinity, 4}),
            (InterpolateRow{1, 1.5f, 2, kInfinity, kInfinity, kInfinity, 4}));
}

// Program for Interpolate-11 by scales over the last two axes.
program::Program LoweredResize(Dims data, const InterpolateRow& scales,
                               InterpolateTexts attributes) {
  GraphBuilder g;
  attributes["shape_calculation_mode"] = "scales";
  g.Result(g.Add("Interpolate", 11,
                 {g.Parameter(F32(std::move(data))), g.Floats({2}, scales), g.Ints({2, 3})},
                 attributes));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.Lower();
}

using InterpolateKinds = std::vector<StepKind>;

TEST(Interpolate, ByWholeFactorsIsOneCopy) {
  const InterpolateTexts detector = Given({{"nearest_mode", "floor"}}, CoordinatesOf("asymmetric"));
  const program::Program program = LoweredResize({1, 3, 4, 5}, {2, 2}, detector);
  ASSERT_EQ(Kinds(program), InterpolateKinds{StepKind::kCopy});
  const auto copy = ParamsAt<format::CopyParams>(program);
  EXPECT_EQ(First(copy.dims(), copy.rank()), (Dims{12, 2, 5, 2}));
  EXPECT_EQ(First(copy.src_strides(), copy.rank()), (Dims{5, 0, 1, 0}));
  EXPECT_EQ(Kinds(LoweredResize({1, 3, 4, 5}, {3, 2}, {})), InterpolateKinds{StepKind::kCopy});
  EXPECT_EQ(Kinds(LoweredResize({1, 3, 4, 6}, {0.5, 0.5}, detector)),
            InterpolateKinds{StepKind::kCopy});
  EXPECT_EQ(Kinds(LoweredResize({1, 3, 4, 5}, {1, 1}, {})), InterpolateKinds());
  EXPECT_EQ(Kinds(LoweredResize({0, 3, 4, 5}, {2, 2}, {})), InterpolateKinds());
}

TEST(Interpolate, ByOtherFactorsGathersTheSmallestFirst) {
  const program::Program program = LoweredResize({1, 2, 11, 33}, {1.7f, 0.61f}, {});
  ASSERT_EQ(Kinds(program), (InterpolateKinds{StepKind::kGather, StepKind::kGather}));
  EXPECT_EQ(ParamsAt<format::GatherParams>(program, 0).axis(), 33u);
  EXPECT_EQ(ParamsAt<format::GatherParams>(program, 0).indices(), 20u);
  EXPECT_EQ(ParamsAt<format::GatherParams>(program, 1).axis(), 11u);
  EXPECT_EQ(ParamsAt<format::GatherParams>(program, 1).inner(), 20u);
}

TEST(Interpolate, IsASumOfTermsWhereItWeighs) {
  const InterpolateKinds of_axis = {StepKind::kGather, StepKind::kBinary, StepKind::kGather,
                                    StepKind::kBinary, StepKind::kBinary};
  EXPECT_EQ(Kinds(LoweredResize({1, 2, 4, 5}, {2, 1}, kLinearResize)), of_axis);
  // Output positions coincide with every second input position.
  EXPECT_EQ(
      Kinds(LoweredResize({1, 2, 4, 6}, {1, 0.5}, CoordinatesOf("asymmetric", kLinearResize))),
      InterpolateKinds{StepKind::kCopy});
}

TEST(Interpolate, IsAProductWhereAPlaceHasManyTerms) {
  const InterpolateTexts pillow = {{"mode", "bicubic_pillow"}, {"cube_coeff", "-0.5"}};
  const program::Program program = LoweredResize({1, 2, 3, 32}, {1, 0.125}, pillow);
  ASSERT_EQ(Kinds(program), InterpolateKinds{StepKind::kDense});
  EXPECT_EQ(ParamsAt<format::DenseParams>(program).inputs(), 32u);
  EXPECT_EQ(ParamsAt<format::DenseParams>(program).outputs(), 4u);
}

std::string InterpolateFault(int opset, TensorType data, const std::vector<int64_t>& sizes,
                             const InterpolateTexts& attributes,
                             const std::vector<int64_t>& axes = {2}) {
  GraphBuilder g;
  std::vector<ir::Source> inputs = {g.Parameter(std::move(data)), g.Ints(sizes)};
  if (opset == 4) inputs.push_back(g.Floats({1}, {2}));
  if (opset > 1) inputs.push_back(g.Ints(axes));
  g.Add("Interpolate", opset, inputs, attributes);
  EXPECT_FALSE(g.Infer());
  return g.FaultText();
}

TEST(Interpolate, RefusesModesThatItLacks) {
  const TensorType row = F32({1, 1, 4}), bytes = {ElementType::u8, {1, 1, 4}};
  EXPECT_PRED2(Contains, InterpolateFault(1, row, {8}, {{"mode", "area"}, {"axes", "2"}}),
               "mode is area; must be nearest, linear or cubic where the extents change");
  EXPECT_PRED2(Contains, InterpolateFault(4, row, {8}, {{"mode", "bicubic_pillow"}}),
               "must be one of nearest linear linear_onnx cubic");
  EXPECT_PRED2(Contains, InterpolateFault(11, bytes, {8}, kLinearResize),
               "mode is linear_onnx and input 0 is u8; mode must be nearest, or the input f32");
  EXPECT_PRED2(Contains, InterpolateFault(11, {ElementType::u4, {1, 1, 4}}, {8}, {}),
               "moves single elements of input 0");
}

TEST(Interpolate, RefusesAxesPadsAndSizesThatDoNotFit) {
  const TensorType row = F32({1, 1, 4});
  EXPECT_PRED2(Contains, InterpolateFault(11, row, {8}, {}, {3}),
               "axes are [3] for data of rank 3; must be different, each from 0 to 2");
  EXPECT_PRED2(Contains, InterpolateFault(11, row, {8, 8}, {}, {2, 2}), "axes are [2,2]");
  EXPECT_PRED2(Contains, InterpolateFault(11, row, {8}, {}, {-1}), "axes are [-1]");
  EXPECT_PRED2(Contains, InterpolateFault(11, row, {8, 8}, {}),
               "input 1 (sizes) has 2 elements; must have 1");
  EXPECT_PRED2(Contains, InterpolateFault(11, row, {-1}, {}), "sizes are [-1]; must be from 0 to");
  EXPECT_PRED2(Contains, InterpolateFault(11, row, {0}, {}),
               "axis 2 of 4 would become 0; both must be at least 1 if an axis is resized");
  EXPECT_PRED2(Contains, InterpolateFault(11, row, {8}, {{"pads_begin", "0,-1"}}),
               "attribute pads_begin is [0,-1]; numbers must be from 0 to");
  EXPECT_PRED2(
      Contains, InterpolateFault(11, row, {8}, {{"pads_end", "0,0,0,1"}}),
      "attribute pads_end is [0,0,0,1] for data of rank 3; must have at most one number per axis");
  EXPECT_PRED2(Contains, InterpolateFault(11, row, {8}, {{"nearest_mode", "up"}}),
               "must be one of round_prefer_floor round_prefer_ceil floor ceil simple");
}

TEST(Interpolate, RefusesTablesOfGigabytes) {
  const TensorType row = F32({1, 1, 4}), long_row = F32({1, 1, 1 << 20});
  EXPECT_PRED2(Contains, InterpolateFault(11, row, {(1 << 24) + 1}, {}),
               "axis 2 of 4 would become 16777217; must be at most 16777216");
  for (const InterpolateTexts& filter :
       {InterpolateTexts{{"mode", "linear"}, {"antialias", "true"}},
        InterpolateTexts{{"mode", "bilinear_pillow"}},
        InterpolateTexts{{"mode", "bicubic_pillow"}}}) {
    EXPECT_PRED2(Contains, InterpolateFault(11, long_row, {17}, filter),
                 "axis 2 of 1048576 would become 17 by a filter; the product must be at most");
  }
}

TEST(Interpolate, RefusesScalesThatItCannotUse) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({1, 1, 4})), axes = g.Ints({2});
  const InterpolateTexts scaled = {{"shape_calculation_mode", "scales"}};
  g.Add("Interpolate", 11, {x, g.Ints({2}), axes}, scaled);
  g.Add("Interpolate", 11, {x, g.Parameter(F32({1})), axes}, scaled);
  g.Add("Interpolate", 11, {x, g.Floats({2}, {1, 2}), axes}, scaled);
  g.Add("Interpolate", 11, {x, g.Floats({1}, {0}), axes}, scaled);
  g.Add("Interpolate", 11, {x, g.Parameter({ElementType::i64, {1}}), axes}, {});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (scales) is i64; must be of a float type");
  EXPECT_PRED2(Contains, g.FaultText(),
               "input 1 (scales) is computed at run time; must be a constant");
  EXPECT_PRED2(Contains, g.FaultText(),
               "input 1 (scales) is f32[2]; must be one-dimensional, a number for each of 1 axes");
  EXPECT_PRED2(Contains, g.FaultText(), "the scale of axis 2 is 0; must be above 0");
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (sizes) is computed at run time");
}

// Output of Interpolate-1 over the last axis.
InterpolateRow FirstVersionRow(Dims data, const char* mode, const char* align_corners) {
  GraphBuilder g;
  const std::string last = std::to_string(data.size() - 1);
  const ir::Source x = g.Parameter(F32(std::move(data)));
  g.Result(g.Add("Interpolate", 1, {x, g.Ints({8})},
                 {{"axes", last}, {"mode", mode}, {"align_corners", align_corners}}));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.faults.ok() ? RunFloats(g.Lower(), {{1, 2, 3, 4}}).at(0) : InterpolateRow();
}

TEST(Interpolate, OfTheFirstVersionChoosesItsCoordinates) {
  EXPECT_EQ(FirstVersionRow({1, 4}, "nearest", "false"), (InterpolateRow{1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(FirstVersionRow({1, 4}, "nearest", "true"), (InterpolateRow{1, 1, 1, 2, 2, 3, 3, 4}));
  ExpectRow(FirstVersionRow({1, 1, 4}, "linear", "false"),
            {1, 1.25f, 1.75f, 2.25f, 2.75f, 3.25f, 3.75f, 4});
  ExpectRow(FirstVersionRow({1, 1, 4}, "cubic", "false"),
            ResizedRow(8, {{"mode", "cubic"}, {"coordinate_transformation_mode", "asymmetric"}}));
}

}  // namespace
}  // namespace weft
