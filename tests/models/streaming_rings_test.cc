// SPDX-License-Identifier: Apache-2.0
// The past of what looks back, in a ring: whatever is read of it in a run, the bits are those of the
// whole, nothing else is moved, and the state is the same for any number of steps a run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "converter/inspect/cost.h"
#include "tests/models/every_case.h"
#include "tests/models/streamed_graph.h"

namespace weft::rings {
namespace {

using BuildFor = std::function<void(GraphBuilder&, int64_t steps)>;

Build Of(int64_t steps, const BuildFor& build) {
  return [=](GraphBuilder& g) { build(g, steps); };
}

std::map<std::string, std::string> Back(int64_t taps, int64_t dilation) {
  return {{"strides", "1"},
          {"dilations", std::to_string(dilation)},
          {"pads_begin", std::to_string((taps - 1) * dilation)},
          {"pads_end", "0"}};
}

ir::Source Dense(GraphBuilder& g, ir::Source x, int64_t taps, int64_t dilation) {
  return g.Add("Convolution", 1, {x, Weights(g, {5, 5, taps}, 31)}, Back(taps, dilation));
}

ir::Source Depthwise(GraphBuilder& g, ir::Source x, int64_t taps, int64_t dilation) {
  return g.Add("GroupConvolution", 1, {x, Weights(g, {5, 1, 1, taps}, 32)}, Back(taps, dilation));
}

// Several turns of the ring, in runs that are shorter and longer than it.
void ExpectSameInAnyRuns(const BuildFor& build) {
  constexpr int64_t kSteps = 24;
  for (const int64_t steps : {1, 2, 3, 4, 6, 8, 12, 24}) {
    ExpectSameBits(Of(2 * kSteps, build), Of(kSteps, build), 2 * kSteps, steps);
  }
}

TEST(StreamingRings, GiveTheBitsOfTheWholeForEveryDilation) {
  for (const int64_t taps : {2, 3, 5}) {
    for (const int64_t dilation : {1, 2, 3, 4, 7}) {
      SCOPED_TRACE(fmt::format("{} taps, dilation {}", taps, dilation));
      ExpectSameInAnyRuns([=](GraphBuilder& g, int64_t steps) {
        const ir::Source x = g.Parameter(F32({1, 5, steps}));
        g.Result(Depthwise(g, g.Add("Tanh", 1, {Dense(g, x, taps, dilation)}), taps, dilation));
      });
    }
  }
}

TEST(StreamingRings, HoldBatchesAndOtherAxes) {
  ExpectSameInAnyRuns([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({2, 2, steps, 3}));
    const std::map<std::string, std::string> window = {
        {"strides", "1,1"}, {"dilations", "3,2"}, {"pads_begin", "6,1"}, {"pads_end", "0,1"}};
    g.Result(g.Add("Convolution", 1, {x, Weights(g, {4, 2, 3, 2}, 33)}, window));
  });
}

TEST(StreamingRings, HoldTheGreatestOfADilatedPool) {
  ExpectSameInAnyRuns([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({1, 5, steps}));
    std::map<std::string, std::string> window = Back(3, 5);
    window["kernel"] = "3";
    window["axis"] = "0";
    const ir::Source y = g.Add("MaxPool", 8, {x}, window, 2);
    g.Result(y);
  });
}

TEST(StreamingRings, ShiftByMoreAndByLessThanARunHas) {
  for (const int64_t shift : {1, 2, 5, 11}) {
    ExpectSameInAnyRuns([=](GraphBuilder& g, int64_t steps) {
      const ir::Source x = g.Parameter(F32({1, steps, 4}));
      const ir::Source late =
          g.Add("Pad", 12, {x, g.Ints({0, shift, 0}), g.Ints({0, -shift, 0}), g.Floats({}, {0.5f})},
                {{"pad_mode", "constant"}});
      g.Result(g.Add("Subtract", 1, {x, late}));
    });
  }
}

// The bytes of the state, not only their number: each model goes on from the other's.
TEST(StreamingRings, AreTheSameForAnyNumberOfSteps) {
  constexpr int64_t kSteps = 24;
  const BuildFor build = [](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({1, 5, steps}));
    const ir::Source y = Depthwise(g, Dense(g, x, 3, 1), 4, 3);
    g.Result(Dense(g, Dense(g, y, 2, 1), 3, 6));
  };
  Model whole(Of(kSteps, build), 0), one(Of(kSteps, build), 1), many(Of(kSteps, build), 8);
  EXPECT_EQ(one.variables, many.variables);
  ASSERT_EQ(one.state().size(), many.state().size());
  const Tensor all = whole.engine.input(0);
  const std::vector<float> numbers = Numbers(all.bytes / sizeof(float), 41);
  std::copy(numbers.begin(), numbers.end(), all.as<float>());
  PortBytes input = BytesOf(all);
  ASSERT_TRUE(whole.engine.Run().ok());
  const Tensor result = whole.engine.output(0);
  PortBytes output(result.bytes);
  const auto run = [&](Model& model, size_t at) {
    Move(all, model.engine.input(0), input, at, true);
    ASSERT_TRUE(model.engine.Run().ok());
    Move(result, model.engine.output(0), output, at, false);
  };
  run(many, 0);
  for (size_t at = 0; at < 8; ++at) run(one, at);
  EXPECT_EQ(std::memcmp(one.state().data(), many.state().data(), one.state().size()), 0);
  for (size_t at = 8; at < 11; ++at) run(one, at);
  run(many, 1);
  std::memcpy(one.state().data(), many.state().data(), one.state().size());
  for (size_t at = 16; at < 24; ++at) run(one, at);
  EXPECT_EQ(output, BytesOf(result));
}

// A step writes its own place and reads one for each tap.
TEST(StreamingRings, MoveWhatARunReadsAndWrites) {
  const AlignedBytes file = StreamedCase("convolution/1d_k3_dilation2_causal", 1);
  const format::Model& model = *format::GetModel(file.data());
  const auto steps = format::RowsOf(model.steps());
  ASSERT_EQ(steps.count, 2u);
  ASSERT_EQ(static_cast<format::Kind>(steps[0].kind()), format::Kind::ring);
  const format::RingParams& ring = *model.ring()->Get(0);
  EXPECT_EQ(ring.past(), 4u);
  EXPECT_EQ(ring.taps(), 3u);
  EXPECT_EQ(ring.length(), 1u);
  EXPECT_EQ(inspect::MovedBytes(model, steps[0]), 4.0 * ring.outer() * (3 + 1));
  const uint32_t* operands = format::RowsOf(model.operands()).data + steps[0].first_operand();
  EXPECT_EQ(operands[1], operands[4]) << "the ring is overwritten where it is";
  EXPECT_EQ(operands[2], operands[5]);
}

}  // namespace
}  // namespace weft::rings
