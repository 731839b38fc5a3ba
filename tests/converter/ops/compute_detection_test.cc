// SPDX-License-Identifier: Apache-2.0
// DetectionOutput: its decoding and its step, the capacity of its output, and errors.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Attributes = std::map<std::string, std::string>;

constexpr int64_t kDetectionPriors = 9, kDetectionClasses = 3;

struct Detection : testing::Test {
  GraphBuilder g;

  static Attributes With(const Attributes& more) {
    Attributes all = more;
    all.merge(Attributes{{"keep_top_k", "5"}, {"nms_threshold", "0.5"}, {"normalized", "true"}});
    return all;
  }
  // Shapes of logits, predictions, proposals and optional inputs.
  ir::Source Add(const Attributes& attributes, std::vector<Dims> shapes = {}, int opset = 8) {
    if (shapes.empty()) shapes = Shapes();
    std::vector<ir::Source> inputs;
    for (Dims& dims : shapes) inputs.push_back(g.Parameter(F32(std::move(dims))));
    return g.Add("DetectionOutput", opset, inputs, attributes);
  }
  static std::vector<Dims> Shapes() {
    return {{2, 4 * kDetectionPriors},
            {2, kDetectionClasses * kDetectionPriors},
            {1, 2, 4 * kDetectionPriors}};
  }
  format::DetectParams Params(const Attributes& attributes, const std::string& type) {
    const ir::Source y = Add(attributes);
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(ToString(g.type(y)), type);
    const program::Program program = g.Lower();
    return ParamsAt<format::DetectParams>(program, Kinds(program).size() - 1);
  }
};

TEST_F(Detection, DecodesByStepsAndSelectsByOne) {
  Add(With({{"code_type", "caffe.PriorBoxParameter.CENTER_SIZE"}, {"clip_before_nms", "1"}}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const std::vector<StepKind> kinds = Kinds(g.Lower());
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kUnary), 2);  // exp and the clip
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kCopy), 0);
  EXPECT_EQ(kinds.back(), StepKind::kDetect);
}

TEST_F(Detection, OfCornersIsTwoStepsBesidesItsOwn) {
  Add(With({}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()),
            (std::vector{StepKind::kBinary, StepKind::kBinary, StepKind::kDetect}));
}

TEST_F(Detection, TakesItsAttributes) {
  const format::DetectParams params = Params(With({{"top_k", "7"},
                                                   {"background_label_id", "2"},
                                                   {"clip_after_nms", "1"},
                                                   {"confidence_threshold", "0.25"}}),
                                             "f32[1,1,10,7]");
  EXPECT_EQ(params.batch(), 2u);
  EXPECT_EQ(params.priors(), 9u);
  EXPECT_EQ(params.classes(), 3u);
  EXPECT_EQ(params.box_classes(), 1u);
  EXPECT_EQ(params.candidates(), 7u);
  EXPECT_EQ(params.kept(), 5u);
  EXPECT_EQ(params.rows(), 5u);
  EXPECT_EQ(params.background(), 2u);
  EXPECT_EQ(params.score_threshold(), 0.25f);
  EXPECT_EQ(params.overlap_threshold(), 0.5f);
  EXPECT_EQ(params.best_class(), 0);
  EXPECT_EQ(params.clip(), 1);
}

TEST_F(Detection, HasRoomForAllWhereNoneIsLeftOut) {
  const format::DetectParams params = Params(With({{"keep_top_k", "-1"}}), "f32[1,1,54,7]");
  EXPECT_EQ(params.kept(), 27u);
  EXPECT_EQ(params.rows(), 27u);
}

TEST_F(Detection, HasRoomForTheCandidatesOfEachClass) {
  const format::DetectParams params =
      Params(With({{"keep_top_k", "-1"}, {"top_k", "20"}}), "f32[1,1,120,7]");
  EXPECT_EQ(params.candidates(), 9u);  // the maximum
  EXPECT_EQ(params.kept(), 27u);
  EXPECT_EQ(params.rows(), 60u);
}

TEST_F(Detection, KeepsNoMoreThanThereAre) {
  const format::DetectParams params =
      Params(With({{"keep_top_k", "30"}, {"decrease_label_id", "1"}}), "f32[1,1,60,7]");
  EXPECT_EQ(params.kept(), 9u);
  EXPECT_EQ(params.best_class(), 1);
}

TEST_F(Detection, WithoutABackgroundHasNone) {
  EXPECT_EQ(Params(With({{"background_label_id", "-1"}}), "f32[1,1,10,7]").background(), 3u);
}

TEST_F(Detection, RefinesPriorsAndLeavesThoseWithoutAnObject) {
  std::vector<Dims> shapes = Shapes();
  shapes.insert(shapes.end(), {{2, 2 * kDetectionPriors}, {2, 4 * kDetectionPriors}});
  Add(With({{"objectness_score", "0.5"}}), shapes);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const std::vector<StepKind> kinds = Kinds(g.Lower());
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kBinary), 4);
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kCompare), 1);
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kSelect), 1);
}

TEST_F(Detection, LooksForTheEndOfPriorsThatHaveAnImage) {
  std::vector<Dims> shapes = Shapes();
  shapes[2][2] = 5 * kDetectionPriors;
  Add(With({{"normalized", "0"}}), shapes);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const std::vector<StepKind> kinds = Kinds(g.Lower());
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kTop), 1);
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kCompare), 2);
}

TEST_F(Detection, KnowsTheEndOfConstantPriors) {
  for (const float image : {0.0f, -1.0f}) {
    GraphBuilder other;
    std::vector<float> numbers(10 * kDetectionPriors, 0.5f);
    numbers[5] = image;
    numbers[5 * kDetectionPriors] = -1;  // a variance
    const std::vector<Dims> shapes = Shapes();
    const ir::Source proposals = other.Floats({1, 2, 5 * kDetectionPriors}, numbers);
    other.Add("DetectionOutput", 8,
              {other.Parameter(F32(shapes[0])), other.Parameter(F32(shapes[1])), proposals},
              With({{"normalized", "0"}}));
    ASSERT_TRUE(other.Infer()) << other.FaultText();
    const std::vector<StepKind> kinds = Kinds(other.Lower());
    EXPECT_EQ(std::ranges::count(kinds, StepKind::kTop), image == -1 ? 1 : 0);
  }
}

TEST_F(Detection, OfNoImagesHasNoSteps) {
  std::vector<Dims> shapes = Shapes();
  shapes[0][0] = shapes[1][0] = 0;
  const ir::Source y = Add(With({}), shapes);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[1,1,0,7]");
  EXPECT_TRUE(Kinds(g.Lower()).empty());
}

TEST_F(Detection, RefusesAttributesThatMeanNothing) {
  Add({{"normalized", "true"}});
  Add(With({}), {}, 1);
  Add(With({{"num_classes", "4"}}), {}, 1);
  Add(With({{"keep_top_k", "-2"}}));
  Add(With({{"decrease_label_id", "1"}, {"background_label_id", "1"}}));
  Add(With({{"code_type", "caffe.PriorBoxParameter.CORNER_SIZE"}}));
  std::vector<Dims> shapes = Shapes();
  shapes[2][2] = 5 * kDetectionPriors;
  Add(With({{"normalized", "0"}, {"input_width", "0"}}), shapes);
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "attribute nms_threshold is missing; must be given");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute keep_top_k is missing; must be given");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute num_classes is missing; must be given");
  EXPECT_PRED2(Contains, g.FaultText(),
               "num_classes is 4 and class predictions are [2,27]; must be 3 for 9 priors");
  EXPECT_PRED2(Contains, g.FaultText(), "keep_top_k is -2 and top_k -1; must be from -1 to");
  EXPECT_PRED2(
      Contains, g.FaultText(),
      "background_label_id is 1 and decrease_label_id is set; background_label_id must be 0");
  EXPECT_PRED2(Contains, g.FaultText(), "must be one of caffe.PriorBoxParameter.CORNER caffe.");
  EXPECT_PRED2(Contains, g.FaultText(), "input_height is 1 and input_width 0; must be at least 1");
}

TEST_F(Detection, RefusesShapesThatDoNotFit) {
  std::vector<Dims> shapes = Shapes();
  shapes[0][1] = 35;
  Add(With({}), shapes);
  Add(With({{"share_location", "0"}}));
  Add(With({{"variance_encoded_in_target", "1"}}));
  shapes = Shapes();
  shapes.push_back({2, 2 * kDetectionPriors});
  Add(With({}), shapes);
  shapes.push_back({2, 4});
  Add(With({}), shapes);
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "box logits are [2,35], class predictions [2,27] and proposals [1,2,36]; must be "
               "[batch, priors * 4], [batch, priors * classes] and [1 or batch, 2, priors * 4]");
  EXPECT_PRED2(Contains, g.FaultText(), "must be [batch, priors * classes * 4]");
  EXPECT_PRED2(Contains, g.FaultText(), "[1 or batch, 1, priors * 4]");
  EXPECT_PRED2(Contains, g.FaultText(), "has 4 inputs; must have 3 or 5");
  EXPECT_PRED2(Contains, g.FaultText(),
               "additional class predictions are [2,18] and box logits [2,4]; must be [2,18] and "
               "[2,36]");
}

}  // namespace
}  // namespace weft
