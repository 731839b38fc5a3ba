// SPDX-License-Identifier: Apache-2.0
// ExtractImagePatches, ReorgYolo and RegionYolo: shapes, steps and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Kind = std::vector<StepKind>;
using Attributes = std::map<std::string, std::string>;

Attributes Cut(std::string sizes, std::string strides, std::string rates, std::string pad) {
  return {{"sizes", std::move(sizes)},
          {"strides", std::move(strides)},
          {"rates", std::move(rates)},
          {"auto_pad", std::move(pad)}};
}

TEST(Patches, AreOneCopyWithoutPadding) {
  GraphBuilder g;
  const ir::Source y = g.Add("ExtractImagePatches", 3, {g.Parameter(F32({2, 3, 7, 9}))},
                             Cut("3,2", "2,3", "1,2", "valid"));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[2,18,3,3]");
  EXPECT_EQ(Kinds(g.Lower()), (Kind{StepKind::kCopy}));
}

TEST(Patches, StandBetweenZeros) {
  GraphBuilder g;
  const ir::Source y = g.Add("ExtractImagePatches", 3, {g.Parameter(F32({1, 1, 7, 9}))},
                             Cut("3,3", "2,2", "1,1", "same_upper"));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[1,9,4,5]");
  EXPECT_EQ(Kinds(g.Lower()), (Kind{StepKind::kFill, StepKind::kCopy, StepKind::kCopy}));
}

TEST(Patches, RefuseWhatIsNoImage) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({1, 2, 4, 4}));
  g.Add("ExtractImagePatches", 3, {x}, Cut("2", "1,1", "1,1", "valid"));
  g.Add("ExtractImagePatches", 3, {x}, Cut("2,2", "0,1", "1,1", "valid"));
  g.Add("ExtractImagePatches", 3, {g.Parameter(F32({2, 4, 4}))}, Cut("1,1", "1,1", "1,1", "valid"));
  g.Add("ReorgYolo", 2, {x}, {{"stride", "2"}});
  g.Add("ReorgYolo", 2, {x}, {{"stride", "0"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "attribute sizes is [2]; must be two numbers");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute strides is [0,1]; must be two numbers");
  EXPECT_PRED2(Contains, g.FaultText(), "data is f32[2,4,4]; must have rank 4");
  EXPECT_PRED2(Contains, g.FaultText(), "must have channels that stride 2 divides twice");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute stride is [0]; must be a number of at least 1");
}

TEST(Patches, ReorgIsOneCopy) {
  GraphBuilder g;
  const ir::Source y = g.Add("ReorgYolo", 2, {g.Parameter(F32({1, 8, 4, 6}))}, {{"stride", "2"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[1,32,2,3]");
  EXPECT_EQ(Kinds(g.Lower()), (Kind{StepKind::kCopy}));
}

TEST(Regions, AreFlattenedWithSoftmaxAlone) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({1, 14, 3, 5}));
  Attributes attributes = {{"coords", "4"}, {"classes", "2"}, {"num", "2"}, {"mask", "0,1"}};
  const ir::Source flat = g.Add("RegionYolo", 1, {x}, attributes);
  attributes["do_softmax"] = "false";
  const ir::Source plain = g.Add("RegionYolo", 1, {x}, attributes);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(flat)), "f32[1,210]");
  EXPECT_EQ(ToString(g.type(plain)), "f32[1,14,3,5]");
}

TEST(Regions, RefuseOtherChannels) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({1, 15, 3, 5}));
  g.Add("RegionYolo", 1, {x}, {{"coords", "4"}, {"classes", "2"}, {"num", "2"}});
  g.Add("RegionYolo", 1, {x}, {{"coords", "1"}, {"classes", "2"}, {"num", "2"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "data is f32[1,15,3,5]; must have rank 4 and 14 channels, 7 for each of 2 regions");
  EXPECT_PRED2(Contains, g.FaultText(), "has 2 regions of 1 coordinates and 2 classes");
}

}  // namespace
}  // namespace weft
