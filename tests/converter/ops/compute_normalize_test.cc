// SPDX-License-Identifier: Apache-2.0
// Normalisation: the geometry of the steps, statistics that are known at conversion, and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using format::NormalizeOp;
using program::StepKind;

using Attributes = std::map<std::string, std::string>;
const Attributes kInside = {
    {"eps", "0.5"}, {"eps_mode", "INSIDE_SQRT"}, {"normalize_variance", "true"}};

program::Program LowerMvn(Dims dims, const std::vector<int64_t>& axes,
                          const Attributes& attributes = kInside) {
  GraphBuilder g;
  g.Add("MVN", 6, {g.Parameter(F32(std::move(dims))), g.Ints(axes)}, attributes);
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.Lower();
}

// The extents outer, axis and inner of step `at`.
Dims LinesOf(const program::Program& program, size_t at = 0) {
  const auto params = ParamsAt<format::NormalizeParams>(program, at);
  return {params.outer(), params.axis(), params.inner()};
}

TEST(Mvn, SplitsTheShapeAroundItsAxes) {
  EXPECT_EQ(LinesOf(LowerMvn({2, 3, 4, 5}, {2, 3})), (Dims{6, 20, 1}));
  EXPECT_EQ(LinesOf(LowerMvn({2, 3, 4, 5}, {1})), (Dims{2, 3, 20}));
  EXPECT_EQ(LinesOf(LowerMvn({2, 3, 4, 5}, {-4, 0})), (Dims{1, 2, 60}));
  EXPECT_EQ(LinesOf(LowerMvn({2, 3, 1, 5}, {1, 3})), (Dims{2, 15, 1}));
  EXPECT_EQ(LinesOf(LowerMvn({2, 1, 5}, {1})), (Dims{10, 1, 1}));
  EXPECT_EQ(LinesOf(LowerMvn({2, 5}, {})), (Dims{10, 1, 1}));
}

TEST(Mvn, BringsAxesTogetherThatAreApart) {
  const program::Program program = LowerMvn({2, 3, 4, 5}, {0, 2});
  ASSERT_EQ(Kinds(program),
            (std::vector<StepKind>{StepKind::kCopy, StepKind::kNormalize, StepKind::kCopy}));
  EXPECT_EQ(LinesOf(program, 1), (Dims{15, 8, 1}));
}

TEST(Mvn, HasNoStepWithoutElements) {
  EXPECT_TRUE(Kinds(LowerMvn({2, 0, 5}, {1})).empty());
  EXPECT_TRUE(Kinds(LowerMvn({2, 0, 5}, {0, 2})).empty());
}

NormalizeOp OpOf(const Attributes& attributes) {
  return ParamsAt<format::NormalizeParams>(LowerMvn({2, 3}, {1}, attributes)).op();
}

TEST(Mvn, KnowsWhereEpsilonStands) {
  EXPECT_EQ(OpOf(kInside), NormalizeOp::standard_inside);
  EXPECT_EQ(OpOf({{"eps", "1"}, {"normalize_variance", "true"}}), NormalizeOp::standard_inside);
  EXPECT_EQ(OpOf({{"eps", "1"}, {"eps_mode", "outside_sqrt"}, {"normalize_variance", "true"}}),
            NormalizeOp::standard_outside);
  EXPECT_EQ(OpOf({{"eps", "1"}, {"eps_mode", "outside_sqrt"}, {"normalize_variance", "false"}}),
            NormalizeOp::centre);
}

TEST(Mvn, RefusesWhatItCannotMean) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3}));
  g.Add("MVN", 6, {x, g.Ints({2})}, kInside);
  g.Add("MVN", 6, {x, g.Parameter({ElementType::i64, {1}})}, kInside);
  g.Add("MVN", 6, {x, g.Ints({1})}, {{"eps", "-1"}, {"eps_mode", "sideways"}});
  g.Add("MVN", 2, {x}, {{"across_channels", "true"}});
  g.Add("MVN", 6, {g.Parameter({ElementType::i32, {2}}), g.Ints({0})}, kInside);
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "axis 2 of a rank 2 tensor");
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (axes) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute eps is -1; must not be negative");
  EXPECT_PRED2(Contains, g.FaultText(), "must be one of inside_sqrt outside_sqrt");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute eps is missing; must be given");
  EXPECT_PRED2(Contains, g.FaultText(), "element type i32; this operation supports f32");
}

TEST(NormalizeL2, GivesOneOverNoAxesAndZeroOfZero) {
  GraphBuilder g;
  g.Add("NormalizeL2", 1, {g.Parameter(F32({2, 3})), g.Ints({})},
        {{"eps", "1"}, {"eps_mode", "max"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kUnary, StepKind::kUnary}));
  EXPECT_EQ(ParamsAt<format::UnaryParams>(program).activation().op(), format::UnaryOp::sign);
  EXPECT_EQ(ParamsAt<format::UnaryParams>(program, 1).activation().op(), format::UnaryOp::abs);
}

TEST(GroupNormalization, SplitsTheChannels) {
  GraphBuilder g;
  const ir::Source scale = g.Parameter(F32({6})), shift = g.Parameter(F32({6}));
  g.Add("GroupNormalization", 12, {g.Parameter(F32({2, 6, 5})), scale, shift},
        {{"num_groups", "3"}, {"epsilon", "0.5"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  EXPECT_EQ(LinesOf(program), (Dims{6, 10, 1}));
  EXPECT_EQ(Kinds(program),
            (std::vector<StepKind>{StepKind::kNormalize, StepKind::kBinary, StepKind::kBinary}));
}

TEST(GroupNormalization, RefusesGroupsThatDoNotDivideAndOtherChannels) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 6, 5})), six = g.Parameter(F32({6}));
  g.Add("GroupNormalization", 12, {x, six, six}, {{"num_groups", "4"}, {"epsilon", "0.5"}});
  g.Add("GroupNormalization", 12, {x, six, g.Parameter(F32({5}))},
        {{"num_groups", "3"}, {"epsilon", "0.5"}});
  g.Add("GRN", 1, {six}, {{"bias", "0.5"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "num_groups is 4; must divide the 6 channels");
  EXPECT_PRED2(Contains, g.FaultText(),
               "input 2 is f32[5]; must have one element for each of 6 channels");
  EXPECT_PRED2(Contains, g.FaultText(), "input 0 is f32[6]; must have a channel axis (axis 1)");
}

TEST(BatchNormInference, IsAProductAndASumOfWhatIsKnown) {
  GraphBuilder g;
  const auto vector = [&](const std::vector<float>& two) { return g.Floats({2}, two); };
  g.Add(
      "BatchNormInference", 5,
      {g.Parameter(F32({2, 2, 3})), vector({2, 1}), vector({1, 0}), vector({3, 0}), vector({3, 0})},
      {{"epsilon", "1"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()), (std::vector<StepKind>{StepKind::kBinary, StepKind::kBinary}));
}

}  // namespace
}  // namespace weft
