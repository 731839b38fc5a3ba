// SPDX-License-Identifier: Apache-2.0
// ROIAlign: the geometry of its step, and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Attributes = std::map<std::string, std::string>;

Attributes Pooled(const Attributes& more) {
  Attributes all = more;
  all.merge(Attributes{{"pooled_h", "2"},
                       {"pooled_w", "3"},
                       {"sampling_ratio", "2"},
                       {"spatial_scale", "0.5"},
                       {"mode", "avg"}});
  return all;
}

ir::Source AddRoiAlign(GraphBuilder& g, const Attributes& attributes, int opset = 9,
                       Dims regions = {5, 4}) {
  return g.Add("ROIAlign", opset,
               {g.Parameter(F32({2, 3, 7, 8})), g.Parameter(F32(std::move(regions))),
                g.Parameter({ElementType::i64, {5}})},
               attributes);
}

format::RegionParams RegionParamsOf(const Attributes& attributes, int opset = 9) {
  GraphBuilder g;
  const ir::Source y = AddRoiAlign(g, attributes, opset);
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[5,3,2,3]");
  return ParamsAt<format::RegionParams>(g.Lower());
}

TEST(RoiAlign, IsOneStep) {
  const format::RegionParams params = RegionParamsOf(Pooled({{"mode", "max"}}));
  EXPECT_EQ(params.channels(), 3u);
  EXPECT_EQ(params.width(), 8u);
  EXPECT_EQ(params.regions(), 5u);
  EXPECT_EQ(params.pooled_width(), 3u);
  EXPECT_EQ(params.scale(), 0.5f);
  EXPECT_EQ(params.samples(), 2);
  EXPECT_EQ(params.op(), format::RegionOp::max);
  EXPECT_EQ(params.index_type(), format::ElementType::i64);
}

TEST(RoiAlign, AlignsByItsMode) {
  const format::RegionParams plain = RegionParamsOf(Pooled({}));
  EXPECT_EQ(plain.after(), 0);
  EXPECT_EQ(plain.at_least_one(), 1);
  const format::RegionParams half = RegionParamsOf(Pooled({{"aligned_mode", "half_pixel"}}));
  EXPECT_EQ(half.before(), 0.5f);
  EXPECT_EQ(half.after(), -0.5f);
  EXPECT_EQ(half.at_least_one(), 0);
  EXPECT_EQ(RegionParamsOf(Pooled({{"aligned_mode", "half_pixel_for_nn"}})).before(), 0);
  EXPECT_EQ(RegionParamsOf(Pooled({{"aligned_mode", "half_pixel"}}), 3).before(), 0);
}

TEST(RoiAlign, RefusesWhatItCannotPool) {
  GraphBuilder g;
  AddRoiAlign(g, {{"pooled_h", "2"}});
  AddRoiAlign(g, Pooled({{"pooled_w", "0"}}));
  AddRoiAlign(g, Pooled({{"sampling_ratio", "256"}}));
  AddRoiAlign(g, Pooled({{"aligned_mode", "pixel"}}));
  AddRoiAlign(g, Pooled({}), 9, {4, 4});
  g.Add("ROIAlign", 9,
        {g.Parameter(F32({2, 3, 7, 8})), g.Parameter(F32({5, 4})), g.Parameter(F32({5}))},
        Pooled({}));
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "attribute spatial_scale is missing; must be given");
  EXPECT_PRED2(Contains, g.FaultText(), "pooled_h is 2 and pooled_w 0; must be at least 1");
  EXPECT_PRED2(Contains, g.FaultText(), "sampling_ratio is 256; must be from 0 to 255");
  EXPECT_PRED2(Contains, g.FaultText(), "must be one of asymmetric half_pixel_for_nn half_pixel");
  EXPECT_PRED2(Contains, g.FaultText(),
               "input 2 has element type f32; this operation supports i32");
  EXPECT_PRED2(Contains, g.FaultText(), "regions [4,4] and batch indices [5]; must be [batch,");
}

}  // namespace
}  // namespace weft
