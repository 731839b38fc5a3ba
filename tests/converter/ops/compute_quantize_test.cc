// SPDX-License-Identifier: Apache-2.0
// FakeQuantize: the steps for each kind of range, the bits of a constant that is quantised at
// conversion, and errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/converter/folding.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using format::BinaryOp;
using program::StepKind;

const std::map<std::string, std::string> kFiveLevels = {{"levels", "5"}};

// input_low, input_high, output_low, output_high
std::vector<ir::Source> WithRange(GraphBuilder& g, ir::Source x, const std::vector<float>& range,
                                  const Dims& dims = {}) {
  std::vector<ir::Source> inputs = {x};
  for (const float limit : range) {
    const auto count = static_cast<size_t>(ElementCount(dims).value_or(1));
    std::vector<float> limits(count, limit);
    limits.back() += count > 1 ? 0.5f : 0.0f;  // so that channels differ
    inputs.push_back(g.Floats(dims, limits));
  }
  return inputs;
}

program::Program LowerQuantize(Dims x, const std::vector<float>& range, const Dims& dims = {}) {
  GraphBuilder g;
  g.Add("FakeQuantize", 1, WithRange(g, g.Parameter(F32(std::move(x))), range, dims), kFiveLevels);
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.Lower();
}

constexpr StepKind kUnary = StepKind::kUnary, kBinary = StepKind::kBinary,
                   kCompare = StepKind::kCompare, kSelect = StepKind::kSelect;

std::vector<BinaryOp> BinaryOps(const program::Program& program) {
  std::vector<BinaryOp> ops;
  for (const program::Step& step : Steps(program)) {
    if (const auto* params = std::get_if<format::BinaryParams>(&step.params)) {
      ops.push_back(params->op());
    }
  }
  return ops;
}

TEST(FakeQuantize, OfOneRangeClampsAndFollowsTheFormula) {
  const program::Program program = LowerQuantize({2, 3}, {-1, 1, -2, 2});
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{kUnary, kBinary, kBinary, kBinary, kUnary,
                                                   kBinary, kBinary, kBinary}));
  EXPECT_EQ(BinaryOps(program),
            (std::vector<BinaryOp>{BinaryOp::subtract, BinaryOp::divide, BinaryOp::multiply,
                                   BinaryOp::divide, BinaryOp::multiply, BinaryOp::add}));
  const format::Activation clamp = ParamsAt<format::UnaryParams>(program).activation();
  EXPECT_EQ(clamp.op(), format::UnaryOp::clamp);
  EXPECT_EQ(clamp.alpha(), -1);
  EXPECT_EQ(clamp.beta(), 1);
  EXPECT_EQ(ParamsAt<format::UnaryParams>(program, 4).activation().op(),
            format::UnaryOp::round_even);
}

TEST(FakeQuantize, FromZeroSubtractsNothing) {
  const program::Program program = LowerQuantize({2, 3}, {0, 1, 0, 1}, {1, 1, 1, 1});
  ASSERT_EQ(Kinds(program),
            (std::vector<StepKind>{kUnary, kBinary, kBinary, kUnary, kBinary, kBinary, kBinary}));
  EXPECT_EQ(BinaryOps(program).front(), BinaryOp::divide);
}

TEST(FakeQuantize, OfChannelsClampsEachToItsRange) {
  const program::Program program = LowerQuantize({2, 3, 4}, {-1, 1, -2, 2}, {3, 1});
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{kBinary, kBinary, kBinary, kBinary, kBinary,
                                                   kUnary, kBinary, kBinary, kBinary}));
  EXPECT_EQ(BinaryOps(program)[0], BinaryOp::maximum);
  EXPECT_EQ(BinaryOps(program)[1], BinaryOp::minimum);
  const auto first = ParamsAt<format::BinaryParams>(program);
  EXPECT_EQ(First(first.dims(), first.rank()), (Dims{2, 3, 4}));
  EXPECT_EQ(First(first.b_strides(), first.rank()), (Dims{0, 1, 0}));
}

TEST(FakeQuantize, ComparesWhereAClampWouldGiveOtherNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<std::vector<float>> ranges = {
      {1, 0, -1, 1},           // swapped
      {0.5f, 0.5f, 0, 1},      // an empty range
      {-1, 2, -16777216, 1},   // the formula rounds output_high away
      {-1, 2, -kInfinity, 1},  // the formula does not support infinities
      {-1, 2, 0, kInfinity},  {-3e38f, 3e38f, -1, 1},
  };
  for (const std::vector<float>& range : ranges) {
    std::vector<StepKind> kinds = Kinds(LowerQuantize({7}, range));
    ASSERT_GE(kinds.size(), 4u);
    EXPECT_EQ(std::vector<StepKind>(kinds.end() - 4, kinds.end()),
              (std::vector<StepKind>{kCompare, kSelect, kCompare, kSelect}))
        << range[0] << " " << range[1] << " " << range[2] << " " << range[3];
  }
  EXPECT_EQ(ParamsAt<format::CompareParams>(LowerQuantize({7}, ranges[0]), 7).op(),
            format::CompareOp::greater);
  EXPECT_EQ(ParamsAt<format::CompareParams>(LowerQuantize({7}, ranges[0]), 9).op(),
            format::CompareOp::less_equal);
}

TEST(FakeQuantize, HasNoStepWithoutElements) {
  EXPECT_TRUE(Kinds(LowerQuantize({0, 3}, {-1, 1, -2, 2})).empty());
}

// The specification's formula in f32.
float Quantized(float x, const std::vector<float>& range, float steps) {
  if (x <= std::min(range[0], range[1])) return range[2];
  if (x > std::max(range[0], range[1])) return range[3];
  return std::nearbyint((x - range[0]) / (range[1] - range[0]) * steps) / steps *
             (range[3] - range[2]) +
         range[2];
}

TEST(FakeQuantize, OfAConstantIsOneWithTheBitsOfTheFormula) {
  std::vector<float> x;
  for (int i = -300; i <= 300; ++i) x.push_back(static_cast<float>(i) / 128.0f);
  for (const std::vector<float>& range : std::vector<std::vector<float>>{{-1, 1, -1, 1},
                                                                         {-1.1f, 1.7f, -0.3f, 0.9f},
                                                                         {1, -1, 0.1f, 2},
                                                                         {0, 2, 3, -3},
                                                                         {0.5f, 0.5f, -1, 7}}) {
    GraphBuilder g;
    const ir::Source constant = g.Floats({std::ssize(x)}, x);
    g.Result(g.Add("FakeQuantize", 1, WithRange(g, constant, range), {{"levels", "255"}}));
    ASSERT_TRUE(InferAndFold(g.graph, {}, g.faults)) << g.FaultText();
    const std::optional<ir::Constant>& folded = g.graph.results[0]->inputs[0].node->constant;
    ASSERT_TRUE(folded);
    for (size_t i = 0; i < x.size(); ++i) {
      float y;
      std::memcpy(&y, folded->bytes.data() + i * sizeof y, sizeof y);
      ASSERT_EQ(y, Quantized(x[i], range, 254)) << x[i] << " from " << range[0];
    }
  }
}

TEST(FakeQuantize, SaysWhatIsWrong) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({3, 1}));
  const ir::Source zero = g.Float(0), one = g.Float(1);
  g.Add("FakeQuantize", 1, {x, zero, one, zero, one}, {{"levels", "1"}});
  g.Add("FakeQuantize", 1, {x, zero, one, zero, one});
  g.Add("FakeQuantize", 1, {x, zero, one, g.Floats({4}, {1, 2, 3, 4}), one}, kFiveLevels);
  g.Add("FakeQuantize", 1, {x, zero, one, zero, g.Floats({2, 1}, {1, 2})}, kFiveLevels);
  g.Add("FakeQuantize", 1, {x, zero, one, zero, one},
        {{"levels", "5"}, {"auto_broadcast", "none"}});
  g.Add("FakeQuantize", 1, {x, g.Int(0), one, zero, one}, kFiveLevels);
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "levels is 1; must be at least 2");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute levels is missing; must be given");
  EXPECT_PRED2(
      Contains, g.FaultText(),
      "the ranges broadcast x to [3,4], and x is f32[3,1]; must broadcast to the shape of x");
  EXPECT_PRED2(Contains, g.FaultText(), "shapes [3,1] and [2,1] do not broadcast");
  EXPECT_PRED2(Contains, g.FaultText(), "without broadcast both must be equal");
  EXPECT_PRED2(Contains, g.FaultText(), "both must have one element type");
}

}  // namespace
}  // namespace weft
