// SPDX-License-Identifier: Apache-2.0
// Pasts in ring buffers: results are bit-identical to the full model, no other data is moved, and
// the state is equal for any number of steps per run.
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

// Several cycles of the ring, with runs that are shorter and longer than the ring.
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

// The state bytes are equal, not only their number: each model continues from the other's state.
TEST(StreamingRings, AreTheSameForAnyNumberOfSteps) {
  constexpr int64_t kSteps = 24;
  const BuildFor build = [](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({1, 5, steps}));
    const ir::Source overlap = Depthwise(g, Dense(g, x, 3, 1), 4, 3);
    const ir::Source y = g.Add("Add", 1, {overlap, Depthwise(g, x, 2, 11)});
    g.Result(Dense(g, Dense(g, y, 2, 1), 3, 6));
  };
  ExpectHandsOver(Of(kSteps, build), kSteps, 8);
}

int64_t StateBytes(const BuildFor& build, int64_t steps) {
  int64_t bytes = 0;
  for (const graph::StreamedState& state : Model(Of(24, build), steps).told.states) {
    bytes += state.bytes;
  }
  return bytes;
}

// Windows over one tensor share a past of the longest window's length, and its start index.
void ExpectOnePast(const BuildFor& build, int64_t positions, int64_t position_bytes) {
  ExpectSameInAnyRuns(build);
  const Model one(Of(24, build), 1), many(Of(24, build), 8);
  EXPECT_EQ(one.variables.size(), 2u);
  EXPECT_EQ(one.variables, many.variables);
  EXPECT_EQ(StateBytes(build, 1), positions * position_bytes + 4);
  EXPECT_EQ(StateBytes(build, 8), positions * position_bytes + 4);
  EXPECT_LE(one.told.min_state_bytes, positions * position_bytes);
}

ir::Source Late(GraphBuilder& g, ir::Source x, const Dims& by, float fill = 0) {
  Dims ends;
  for (const int64_t positions : by) ends.push_back(-positions);
  return g.Add("Pad", 12, {x, g.Ints(by), g.Ints(ends), g.Floats({}, {fill})},
               {{"pad_mode", "constant"}});
}

TEST(StreamingRings, AreOneForWindowsOnOneTensor) {
  ExpectOnePast(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = g.Parameter(F32({1, 5, steps}));
        const ir::Source wide = Dense(g, x, 5, 1), far = Depthwise(g, x, 3, 4);
        g.Result(g.Add("Add", 1, {g.Add("Tanh", 1, {wide}), g.Add("Multiply", 1, {far, far})}));
        g.Result(Dense(g, x, 2, 1));
      },
      8, 5 * 4);
}

TEST(StreamingRings, AreOneForWindowsOfOtherStrides) {
  ExpectOnePast(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = g.Parameter(F32({1, 5, 2 * steps}));
        std::map<std::string, std::string> window = Back(4, 1);
        window["strides"] = "2";
        window["pads_begin"] = "2";
        const ir::Source y = g.Add("Convolution", 1, {x, Weights(g, {3, 5, 4}, 34)}, window);
        g.Result(y);
        g.Result(Depthwise(g, x, 2, 3));
      },
      3, 5 * 4);
}

TEST(StreamingRings, AreOneForWindowsAndShifts) {
  for (const int64_t shift : {1, 3, 9}) {
    ExpectOnePast(
        [=](GraphBuilder& g, int64_t steps) {
          const ir::Source x = g.Parameter(F32({1, 5, steps}));
          g.Result(g.Add("Subtract", 1, {Dense(g, x, 3, 2), Late(g, x, {0, 0, shift})}));
        },
        std::max<int64_t>(shift, 4), 5 * 4);
  }
}

// The skip around a window with look-ahead is delayed, using the same past as the window.
TEST(StreamingRings, AreOneForWindowsAndWhatWaitsForThem) {
  const BuildFor build = [](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({1, 5, steps}));
    std::map<std::string, std::string> window = Back(5, 1);
    window["pads_begin"] = window["pads_end"] = "2";
    const ir::Source y = g.Add("Convolution", 1, {x, Weights(g, {5, 5, 5}, 35)}, window);
    g.Result(g.Add("Maximum", 1, {x, y}));
  };
  for (const int64_t steps : {1, 3, 8}) {
    EXPECT_EQ(StateBytes(build, steps), 4 * 5 * 4 + 4) << steps << " steps a run";
  }
}

TEST(StreamingRings, AreOneForWindowsAndPoolsThatBeginAlike) {
  ExpectOnePast(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = g.Parameter(F32({1, 5, steps}));
        std::map<std::string, std::string> window = Back(4, 1);
        window["kernel"] = "4";
        window["exclude-pad"] = "false";
        const ir::Source mean = g.Add("AvgPool", 1, {x}, window);
        g.Result(g.Add("Subtract", 1, {Dense(g, x, 2, 2), mean}));
      },
      3, 5 * 4);
}

// The past of a max pool starts with the lowest number, the past of a product with zeros.
TEST(StreamingRings, AreSeveralWhereTheyBeginOtherwise) {
  const BuildFor build = [](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({1, 5, steps}));
    std::map<std::string, std::string> window = Back(3, 1);
    window["kernel"] = "3";
    window["axis"] = "0";
    const ir::Source max = g.Add("MaxPool", 8, {x}, window, 2);
    g.Result(g.Add("Subtract", 1, {Dense(g, x, 3, 1), max}));
    g.Result(g.Add("Subtract", 1, {Late(g, x, {0, 0, 2}), Late(g, x, {0, 0, 2}, 0.5f)}));
  };
  ExpectSameInAnyRuns(build);
  EXPECT_EQ(StateBytes(build, 1), 3 * (2 * 5 * 4 + 4));
}

// Each reader has time at another axis, and a different slice and function.
TEST(StreamingRings, AreOneBehindEqualMoves) {
  ExpectOnePast(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = g.Parameter(F32({1, steps, 7}));
        const auto part = [&] {
          const ir::Source slice =
              g.Add("Slice", 8, {x, g.Ints({1}), g.Ints({6}), g.Ints({1}), g.Ints({2})});
          return g.Add("Transpose", 1, {g.Add("Tanh", 1, {slice}), g.Ints({0, 2, 1})});
        };
        const ir::Source y = Dense(g, part(), 3, 1);
        g.Result(g.Add("Transpose", 1, {y, g.Ints({0, 2, 1})}));
        const ir::Source rows =
            g.Add("Reshape", 1, {part(), g.Ints({5, 1, steps})}, {{"special_zero", "false"}});
        g.Result(g.Add("Subtract", 1, {rows, Late(g, rows, {0, 0, 5})}));
        const ir::Source slice =
            g.Add("Slice", 8, {x, g.Ints({1}), g.Ints({6}), g.Ints({1}), g.Ints({2})});
        g.Result(Late(g, g.Add("Tanh", 1, {slice}), {0, 4, 0}));
      },
      5, 5 * 4);
}

// A different order of the other axes needs a separate past.
TEST(StreamingRings, AreSeveralWhereAxesChangePlaces) {
  const BuildFor build = [](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({1, 2, 3, steps}));
    const ir::Source permuted = g.Add("Transpose", 1, {x, g.Ints({0, 2, 1, 3})});
    g.Result(g.Add("Subtract", 1, {x, Late(g, x, {0, 0, 0, 2})}));
    g.Result(g.Add("Subtract", 1, {permuted, Late(g, permuted, {0, 0, 0, 3})}));
  };
  ExpectSameInAnyRuns(build);
  EXPECT_EQ(StateBytes(build, 1), (2 + 3) * 6 * 4 + 2 * 4);
}

// Only the last reader updates the ring, in place. One of the case's five shifts of one tensor has
// another initial value.
TEST(StreamingRings, AreWrittenOnceWhereTheyAre) {
  const AlignedBytes file = StreamedCase("streaming/shifts", 1);
  const format::Model& model = *format::GetModel(file.data());
  const auto operands = format::RowsOf(model.operands());
  size_t rings = 0, written = 0;
  for (const format::Step& step : format::RowsOf(model.steps())) {
    if (static_cast<format::Kind>(step.kind()) != format::Kind::ring) continue;
    ++rings;
    const uint32_t* of = operands.data + step.first_operand();
    if (of[4] == format::kNoSlot) continue;
    ++written;
    EXPECT_EQ(of[1], of[4]);
    EXPECT_EQ(of[2], of[5]);
  }
  EXPECT_EQ(rings, 4u);
  EXPECT_EQ(written, 2u);
}

// A run writes the newest element of the ring and reads one element per tap.
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
