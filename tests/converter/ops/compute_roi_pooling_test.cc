// SPDX-License-Identifier: Apache-2.0
// ROIPooling and PSROIPooling: the kind of region step, and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Attributes = std::map<std::string, std::string>;

struct RoiPooling : testing::Test {
  GraphBuilder g;

  ir::Source Add(const std::string& type, const Attributes& attributes, int64_t channels = 12,
                 Dims regions = {5, 5}) {
    return g.Add(type, 1,
                 {g.Parameter(F32({2, channels, 7, 8})), g.Parameter(F32(std::move(regions)))},
                 attributes);
  }
  // Parameters of the only region step, which follows the steps that split the regions.
  format::RegionParams Params(const std::string& type, const Attributes& attributes,
                              const std::string& result, size_t step = 3) {
    const ir::Source y = Add(type, attributes);
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(ToString(g.type(y)), result);
    return ParamsAt<format::RegionParams>(g.Lower(), step);
  }
};

TEST_F(RoiPooling, TakesTheMaximumOfPlaces) {
  const format::RegionParams params =
      Params("ROIPooling", {{"pooled_h", "2"}, {"pooled_w", "3"}, {"spatial_scale", "0.5"}},
             "f32[5,12,2,3]");
  EXPECT_EQ(params.op(), format::RegionOp::position_max);
  EXPECT_EQ(params.channels(), 12u);
  EXPECT_EQ(params.regions(), 5u);
  EXPECT_EQ(params.scale(), 0.5f);
  EXPECT_EQ(params.index_type(), ElementType::i32);
}

TEST_F(RoiPooling, InterpolatesAtPartsOfThePicture) {
  const format::RegionParams params = Params(
      "ROIPooling", {{"output_roi", "2, 3"}, {"spatial_scale", "0.5"}, {"method", "bilinear"}},
      "f32[5,12,2,3]");
  EXPECT_EQ(params.op(), format::RegionOp::point);
  EXPECT_EQ(params.scale(), 1);
}

TEST_F(RoiPooling, ByPositionTakesTheMeanOfOwnChannels) {
  const format::RegionParams params =
      Params("PSROIPooling", {{"output_dim", "3"}, {"group_size", "2"}, {"spatial_scale", "0.5"}},
             "f32[5,3,2,2]");
  EXPECT_EQ(params.op(), format::RegionOp::own_mean);
  EXPECT_EQ(params.channels(), 12u);
  EXPECT_EQ(params.scale(), 0.5f);
}

TEST_F(RoiPooling, ByPositionOfBinsPoolsEachAndTakesTheMean) {
  const ir::Source y = Add("PSROIPooling", {{"output_dim", "2"},
                                            {"group_size", "3"},
                                            {"spatial_scale", "0.5"},
                                            {"mode", "bilinear"},
                                            {"spatial_bins_x", "3"},
                                            {"spatial_bins_y", "2"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[5,2,3,3]");
  const program::Program program = g.Lower();
  const std::vector<StepKind> kinds = Kinds(program);
  ASSERT_EQ(kinds.back(), StepKind::kReduce);
  const auto params = ParamsAt<format::RegionParams>(program, kinds.size() - 2);
  EXPECT_EQ(params.op(), format::RegionOp::point);
  EXPECT_EQ(params.batch(), 12u);
  EXPECT_EQ(params.channels(), 2u);
  EXPECT_EQ(params.regions(), 30u);
}

TEST_F(RoiPooling, RefusesWhatItCannotPool) {
  Add("ROIPooling", {{"pooled_h", "2"}, {"spatial_scale", "1"}});
  Add("ROIPooling", {{"output_size", "2,0"}, {"spatial_scale", "1"}});
  Add("ROIPooling", {{"output_size", "2,2"}});
  Add("ROIPooling", {{"output_size", "2,2"}, {"spatial_scale", "0"}});
  Add("ROIPooling", {{"output_size", "2,2"}, {"spatial_scale", "1"}, {"method", "mean"}});
  Add("ROIPooling", {{"output_size", "2,2"}, {"spatial_scale", "1"}}, 12, {5, 4});
  Add("PSROIPooling", {{"spatial_scale", "1"}}, 1);
  Add("PSROIPooling", {{"output_dim", "3"}, {"group_size", "0"}, {"spatial_scale", "1"}});
  Add("PSROIPooling",
      {{"output_dim", "3"}, {"spatial_scale", "1"}, {"mode", "bilinear"}, {"spatial_bins_x", "0"}});
  Add("PSROIPooling", {{"output_dim", "5"}, {"group_size", "2"}, {"spatial_scale", "1"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "pooled_h and pooled_w are []; must be two numbers of at least 1");
  EXPECT_PRED2(Contains, g.FaultText(), "pooled_h and pooled_w are [2,0]; must be two");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute spatial_scale is missing; must be given");
  EXPECT_PRED2(Contains, g.FaultText(), "spatial_scale is 0; must be above 0");
  EXPECT_PRED2(Contains, g.FaultText(), "must be one of max bilinear");
  EXPECT_PRED2(Contains, g.FaultText(),
               "data is [2,12,7,8] and regions [5,4]; must be [batch, channels, height, width] and "
               "[regions, 5]");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute output_dim is missing; must be given");
  EXPECT_PRED2(Contains, g.FaultText(), "spatial_bins_y are [3,1,0,1]; must be from 1 to 65536");
  EXPECT_PRED2(Contains, g.FaultText(),
               "output_dim, group_size are [3,0]; must be from 1 to 65536");
  EXPECT_PRED2(Contains, g.FaultText(),
               "data is f32[2,12,7,8]; must have 20 channels, 4 for each of 5");
}

}  // namespace
}  // namespace weft
