// SPDX-License-Identifier: Apache-2.0
// NonMaxSuppression: its step, its run-time lengths, and errors.
#include <gtest/gtest.h>

#include <limits>

#include "converter/ops/vision/suppression.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Kind = std::vector<StepKind>;
using Attributes = std::map<std::string, std::string>;

struct Suppression : testing::Test {
  GraphBuilder g;

  ir::Source Add(int opset, const std::vector<ir::Source>& limits, const Attributes& attributes,
                 Dims boxes = {2, 9, 4}, Dims scores = {2, 3, 9}) {
    std::vector<ir::Source> inputs = {g.Parameter(F32(std::move(boxes))),
                                      g.Parameter(F32(std::move(scores)))};
    inputs.insert(inputs.end(), limits.begin(), limits.end());
    return g.Add("NonMaxSuppression", opset, inputs, attributes, opset < 5 ? 1 : 3);
  }
  std::vector<ir::Source> Limits() { return {g.Int(5), g.Float(0.5f), g.Float(0.25f)}; }
};

TEST_F(Suppression, HasRoomForTheMostRowsOfEveryClass) {
  const ir::Source found = Add(9, Limits(), {});
  for (uint32_t port = 0; port < 3; ++port) g.Result({found.node, port});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(found)), "i64[30,3]");
  EXPECT_EQ(ToString(g.type({found.node, 1})), "f32[30,3]");
  EXPECT_EQ(ToString(g.type({found.node, 2})), "i64[1]");
  EXPECT_EQ(found.node->outputs[0].run_time_extent->axis, 0u);
  EXPECT_TRUE(found.node->outputs[1].run_time_extent);
  EXPECT_FALSE(found.node->outputs[2].run_time_extent);
  const program::Program program = g.Lower();
  EXPECT_EQ(Kinds(program), (Kind{StepKind::kSuppress, StepKind::kConvert, StepKind::kConvert}));
  const auto params = ParamsAt<format::SuppressParams>(program);
  EXPECT_EQ(params.boxes(), 9u);
  EXPECT_EQ(params.max(), 5u);
  EXPECT_EQ(params.iou_threshold(), 0.5f);
  EXPECT_EQ(params.score_threshold(), 0.25f);
  EXPECT_EQ(params.centred(), 0);
  EXPECT_EQ(params.across(), 1);
}

TEST_F(Suppression, TakesItsAttributes) {
  g.Result(
      Add(3, {g.Int(100)},
          {{"box_encoding", "center"}, {"sort_result_descending", "0"}, {"output_type", "i32"}}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  EXPECT_EQ(Kinds(program), (Kind{StepKind::kSuppress}));
  const auto params = ParamsAt<format::SuppressParams>(program);
  EXPECT_EQ(params.max(), 9u);  // the maximum
  EXPECT_EQ(params.centred(), 1);
  EXPECT_EQ(params.across(), 0);
}

TEST_F(Suppression, PaddedHasRowsOfOneLength) {
  const ir::Source found = g.Add(ops::kPaddedSuppression, ops::kPassOnly,
                                 {g.Parameter(F32({2, 9, 4})), g.Parameter(F32({2, 3, 9}))},
                                 {{"max", "12"}, {"iou_threshold", "0.5"}}, 3);
  for (uint32_t port = 0; port < 3; ++port) g.Result({found.node, port});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(found)), "i32[54,3]");
  EXPECT_EQ(ToString(g.type({found.node, 1})), "f32[54,3]");
  EXPECT_EQ(ToString(g.type({found.node, 2})), "i32[1]");
  EXPECT_FALSE(found.node->outputs[0].run_time_extent);
  const program::Program program = g.Lower();
  EXPECT_EQ(Kinds(program), (Kind{StepKind::kSuppress}));
  const auto params = ParamsAt<format::SuppressParams>(program);
  EXPECT_EQ(params.max(), 9u);
  EXPECT_EQ(params.iou_threshold(), 0.5f);
  EXPECT_EQ(params.across(), 1);
}

TEST_F(Suppression, LowersScores) {
  std::vector<ir::Source> limits = Limits();
  limits.push_back(g.Float(0.25f));
  for (const auto& [opset, iou] :
       {std::pair{5, 0.5f}, {9, std::numeric_limits<float>::infinity()}}) {
    const ir::Source found = Add(opset, limits, {});
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(ToString(g.type(found)), "i64[30,3]");
    const program::Program program = g.Lower();
    const size_t last = opset == 5 ? 0 : Kinds(program).size() / 2;
    const auto params = ParamsAt<format::SuppressParams>(program, last);
    EXPECT_EQ(params.iou_threshold(), iou);
    EXPECT_EQ(params.decay(), -2);
    EXPECT_EQ(program.values[Steps(program)[last].outputs.back()].type.dims, Dims{18});
  }
}

TEST_F(Suppression, FindsNothingWithoutALimit) {
  const ir::Source found = Add(5, {}, {});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(found)), "i64[0,3]");
  EXPECT_FALSE(found.node->outputs[0].run_time_extent);
  EXPECT_EQ(Kinds(g.Lower()), (Kind{}));
}

TEST_F(Suppression, RefusesWhatItCannotSelect) {
  Add(9, {g.Parameter({ElementType::i64, {}})}, {});
  Add(9, {g.Int(-1)}, {});
  Add(9, {g.Int(1), g.Parameter(F32({}))}, {});
  Add(9, {g.Int(1), g.Floats({2}, {1, 2})}, {});
  Add(9, {g.Int(1), g.Float(1), g.Float(1), g.Float(-0.5f)}, {});
  Add(9, Limits(), {{"box_encoding", "diagonal"}});
  Add(9, Limits(), {}, {2, 9, 4}, {2, 3, 8});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "input 2 (max_output_boxes_per_class) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "max_output_boxes_per_class is -1; must be at least 0");
  EXPECT_PRED2(Contains, g.FaultText(), "input 3 (iou_threshold) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "input 3 (iou_threshold) is f32[2]; must be one number");
  EXPECT_PRED2(Contains, g.FaultText(), "soft_nms_sigma is -0.5; must be at least 0");
  EXPECT_PRED2(Contains, g.FaultText(), "must be one of corner center");
  EXPECT_PRED2(Contains, g.FaultText(),
               "boxes are [2,9,4] and scores [2,3,8]; must be [batch, boxes, 4] and");
}

}  // namespace
}  // namespace weft
