// SPDX-License-Identifier: Apache-2.0
// The reported receptive field and minimum state, for graphs with known values.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "converter/graph/streaming/bound.h"
#include "tests/models/streamed_graph.h"

namespace weft {
namespace {

constexpr int64_t kPositions = 24;

ir::Source Window(GraphBuilder& g, ir::Source x, Dims weights, int64_t dilation,
                  int64_t stride = 1) {
  const int64_t past = (weights[2] - 1) * dilation - (stride - 1);
  return g.Add("Convolution", 1, {x, Weights(g, weights, 3)},
               {{"strides", std::to_string(stride)},
                {"dilations", std::to_string(dilation)},
                {"pads_begin", std::to_string(past)},
                {"pads_end", "0"},
                {"auto_pad", "explicit"}});
}

constexpr int64_t kStart = 4;  // bytes of a ring's start index

struct Facts {
  std::optional<int64_t> steps;
  int64_t bytes = 0, state_bytes = 0;
  bool operator==(const Facts&) const = default;
};

Facts FactsOf(const Build& build, int64_t steps, TimeIs time = TimeIs::kFixed) {
  const graph::Streamed told = Model(build, steps, {}, time).told;
  Facts facts{told.receptive_steps, told.min_state_bytes, 0};
  for (const graph::StreamedState& state : told.states) facts.state_bytes += state.bytes;
  return facts;
}

// The values are equal for every number of steps per run.
void ExpectFacts(const Build& build, const Facts& expected, TimeIs time = TimeIs::kFixed) {
  for (const int64_t steps : {1, 3}) {
    const Facts facts = FactsOf(build, steps, time);
    EXPECT_EQ(facts.steps, expected.steps) << steps << " steps a run";
    EXPECT_EQ(facts.bytes, expected.bytes) << steps << " steps a run";
    EXPECT_EQ(facts.state_bytes, expected.state_bytes) << steps << " steps a run";
  }
}

TEST(StreamingBound, AddsTheLooksOfAChain) {
  ExpectFacts(
      [](GraphBuilder& g) {
        const ir::Source x = g.Parameter(F32({1, 2, kPositions}));
        const ir::Source a = g.Add("Relu", 1, {Window(g, x, {3, 2, 3}, 1)});
        g.Result(Window(g, a, {4, 3, 2}, 5));
      },
      {1 + 2 + 5, 4 * (2 * 2 + 5 * 3), 4 * (2 * 2 + 5 * 3) + 2 * kStart});
}

// A step is two elements of the input. The second window looks back over four outputs of the first
// window, which looks back over two elements.
TEST(StreamingBound, CountsTheStepsOfStrides) {
  ExpectFacts(
      [](GraphBuilder& g) {
        const ir::Source x = g.Parameter(F32({1, 1, kPositions}));
        g.Result(Window(g, Window(g, x, {3, 1, 4}, 1, 2), {2, 3, 3}, 2));
      },
      {1 + 4 + 1, 4 * (2 * 1 + 4 * 3), 4 * (2 * 1 + 4 * 3) + 2 * kStart});
}

TEST(StreamingBound, HasNoEndBehindARunningSum) {
  ExpectFacts(
      [](GraphBuilder& g) {
        const ir::Source x = g.Parameter(F32({1, 2, kPositions}));
        g.Result(g.Add("CumSum", 3, {Window(g, x, {3, 2, 3}, 1), g.Int(2)}));
      },
      {std::nullopt, 4 * (2 * 2 + 3), 4 * (2 * 2 + 3) + kStart});
}

// Two windows over one tensor: its past is stored once, with the length of the longer window.
TEST(StreamingBound, CountsATensorOnce) {
  const Facts facts = FactsOf(
      [](GraphBuilder& g) {
        const ir::Source x = g.Parameter(F32({1, 2, kPositions}));
        g.Result(g.Add("Add", 1, {Window(g, x, {3, 2, 3}, 1), Window(g, x, {3, 2, 2}, 4)}));
      },
      1);
  EXPECT_EQ(facts.steps, 5);
  EXPECT_EQ(facts.bytes, 4 * 4 * 2);
  EXPECT_EQ(facts.state_bytes, facts.bytes + kStart);
}

// The five elements before the four of a step belong to the two previous steps, which are all that
// exist.
TEST(StreamingBound, DoesNotLookBackBeforeTheFirstStep) {
  const auto steps_of = [](int64_t positions) {
    return FactsOf(
               [=](GraphBuilder& g) {
                 const ir::Source x = g.Parameter(F32({1, 1, positions}));
                 const ir::Source y = Window(g, x, {2, 1, 9}, 1, 4);
                 g.Result(y);
               },
               1)
        .steps;
  };
  EXPECT_EQ(steps_of(8), 2);
  EXPECT_EQ(steps_of(12), 3);
  EXPECT_EQ(steps_of(24), 3);
}

// A tensor with a dynamic time axis may have more bytes than a file can store; its past counts.
TEST(StreamingBound, CountsChannelsOfADynamicTime) {
  for (const int64_t channels : {2, 2000}) {
    ExpectFacts(
        [=](GraphBuilder& g) {
          const ir::Source x = g.Parameter(F32({1, channels, ir::kTimeLength}));
          g.Result(Window(g, x, {1, channels, 3}, 1));
        },
        {1 + 2, 4 * 2 * channels, 4 * 2 * channels + kStart}, TimeIs::kOpen);
  }
}

// The past of a window counts as the bytes before conversion and repetition.
TEST(StreamingBound, CountsWhereNumbersAreFewest) {
  const Facts facts = FactsOf(
      [](GraphBuilder& g) {
        const ir::Source x = g.Parameter({ElementType::u8, {1, 1, kPositions}});
        const ir::Source wide = g.Add("Convert", 1, {x}, {{"destination_type", "f32"}});
        const ir::Source all =
            g.Add("Broadcast", 3, {wide, g.Ints({1, 6, kPositions})}, {{"mode", "numpy"}});
        g.Result(Window(g, all, {3, 6, 3}, 1));
      },
      1);
  EXPECT_EQ(facts.steps, 3);
  EXPECT_EQ(facts.bytes, 2);
  EXPECT_GE(facts.state_bytes, facts.bytes);
}

}  // namespace
}  // namespace weft
