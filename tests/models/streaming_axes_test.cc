// SPDX-License-Identifier: Apache-2.0
// Models with several possible time axes: sequences over another axis with time in their batch,
// images, layers without dependence between positions. Time is found or specified, and results are
// bit-identical.
#include <gtest/gtest.h>

#include <string>

#include "converter/graph/streaming/streaming.h"
#include "tests/models/streamed_graph.h"

namespace weft {
namespace {

constexpr int64_t kFrames = 6, kBands = 4, kChannels = 3;

// A sequence over axis 1 of [rows, steps, channels], then a product back to the number of channels.
ir::Source Rows(GraphBuilder& g, ir::Source x, Dims dims, const std::string& direction,
                uint32_t seed) {
  const int64_t both = direction == "bidirectional" ? 2 : 1, hidden = 5;
  const auto rows = static_cast<size_t>(dims[0]);
  const ir::Source initial =
      g.Floats({dims[0], both, hidden}, std::vector<float>(rows * both * hidden, 0.25f));
  const ir::Source lengths = g.Const<int32_t>(
      {ElementType::i32, {dims[0]}}, std::vector<int32_t>(rows, static_cast<int32_t>(dims[1])));
  const ir::Source made = g.Add(
      "GRUSequence", 5,
      {x, initial, lengths, Weights(g, {both, 3 * hidden, dims[2]}, seed),
       Weights(g, {both, 3 * hidden, hidden}, seed + 1), Weights(g, {both, 3 * hidden}, seed + 2)},
      {{"hidden_size", std::to_string(hidden)}, {"direction", direction}}, 2);
  const ir::Source permuted = g.Add("Transpose", 1, {made, g.Ints({0, 2, 1, 3})});
  const ir::Source joined =
      g.Add("Reshape", 1, {permuted, g.Ints({dims[0], dims[1], both * hidden})});
  return g.Add("MatMul", 1, {joined, Weights(g, {both * hidden, dims[2]}, seed + 3)});
}

// Over bands with time in the batch, then over time with the bands in it.
Build DualPath(int64_t batch, std::string over_bands, std::string over_time = "forward") {
  return [=](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({batch, kFrames, kBands, kChannels}));
    const ir::Source bands = g.Add("Reshape", 1, {x, g.Ints({-1, kBands, kChannels})});
    const ir::Source a = Rows(g, bands, {batch * kFrames, kBands, kChannels}, over_bands, 1);
    const ir::Source y =
        g.Add("Add", 1, {x, g.Add("Reshape", 1, {a, g.Ints({batch, kFrames, kBands, kChannels})})});
    const ir::Source permuted = g.Add("Transpose", 1, {y, g.Ints({0, 2, 1, 3})});
    const ir::Source frames = g.Add("Reshape", 1, {permuted, g.Ints({-1, kFrames, kChannels})});
    const ir::Source b = Rows(g, frames, {batch * kBands, kFrames, kChannels}, over_time, 7);
    const ir::Source back = g.Add("Reshape", 1, {b, g.Ints({batch, kBands, kFrames, kChannels})});
    g.Result(g.Add("Add", 1, {y, g.Add("Transpose", 1, {back, g.Ints({0, 2, 1, 3})})}));
  };
}

void ExpectStreamsAlong(const Build& build, const graph::TimeNames& names) {
  for (const int64_t steps : {1, 2, 3, 6}) ExpectSameBits(build, build, kFrames, steps, names);
}

std::string MayRunAlong(const std::string& axes) {
  return "test.xml: time may run along " + axes + "; --time-axis must select one\n";
}

TEST(StreamingAxes, CutsTimeInTheBatchOfSequencesOverAnotherAxis) {
  for (const int64_t batch : {1, 2}) {
    ExpectStreamsAlong(DualPath(batch, "bidirectional"), {});
    EXPECT_EQ(Model(DualPath(batch, "bidirectional"), 1).variables.size(), 1u);
  }
}

TEST(StreamingAxes, AsksWhichOfTwoWalksIsTime) {
  EXPECT_EQ(
      Refusal(DualPath(1, "forward")),
      MayRunAlong("\"Parameter0\" axis 1 (6 positions), \"Parameter0\" axis 2 (4 positions)"));
}

TEST(StreamingAxes, CutsTheAxisThatIsNamed) {
  ExpectStreamsAlong(DualPath(1, "forward"), {{"0", 1}});
  ExpectStreamsAlong(DualPath(1, "forward"), {{"Parameter0", -3}});
  const Build build = DualPath(1, "forward", "bidirectional");
  for (const int64_t steps : {1, 2, 4}) ExpectSameBits(build, build, kBands, steps, {{"0", 2}});
}

TEST(StreamingAxes, CutsTheAxisOfAnOutputThatIsNamed) {
  std::string name;
  const Build build = [&](GraphBuilder& g) {
    DualPath(1, "forward")(g);
    name = g.graph.results[0]->name;
  };
  {
    GraphBuilder g;
    build(g);
  }
  ExpectStreamsAlong(build, {{name, 1}});
}

TEST(StreamingAxes, SaysWhatForbidsToCutTheAxisThatIsNamed) {
  const std::string refusal = Refusal(DualPath(1, "bidirectional"), 1, {{"0", 2}});
  EXPECT_NE(refusal.find("its direction is bidirectional"), std::string::npos) << refusal;
}

ir::Source Windows(GraphBuilder& g, ir::Source x, Dims weights, const std::string& begin,
                   const std::string& strides) {
  return g.Add("Convolution", 1, {x, Weights(g, std::move(weights), 15)},
               {{"strides", strides},
                {"dilations", "1,1"},
                {"pads_begin", begin},
                {"pads_end", "0,0"},
                {"auto_pad", "explicit"}});
}

// Layers that combine only bands are no evidence for a time axis.
TEST(StreamingAxes, AsksWhereOnlyAnotherAxisIsCutIntoWindows) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({1, 2, kFrames, kBands}));
    g.Result(g.Add("Tanh", 1, {Windows(g, x, {3, 2, 1, 2}, "0,0", "1,2")}));
  };
  EXPECT_EQ(
      Refusal(build),
      MayRunAlong("\"Parameter0\" axis 3 (4 positions), \"Parameter0\" axis 2 (6 positions)"));
  ExpectStreamsAlong(build, {{"0", 2}});
}

TEST(StreamingAxes, CutsWindowsOverBothAxesAlongTheNamedOne) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({1, 2, kFrames, kBands}));
    g.Result(Windows(g, x, {3, 2, 3, 3}, "2,2", "1,1"));
  };
  ExpectStreamsAlong(build, {{"0", 2}});
}

TEST(StreamingAxes, CutsLayersThatWorkOnEachStepApart) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({2, kFrames, kChannels}));
    g.Result(g.Add("Tanh", 1, {g.Add("MatMul", 1, {x, Weights(g, {kChannels, 7}, 3)})}));
  };
  ExpectStreamsAlong(build, {});
  EXPECT_EQ(Model(build, 1).variables.size(), 0u);
}

TEST(StreamingAxes, AsksWhichOfTwoAxesThatNothingMovesAlongIsTime) {
  EXPECT_EQ(
      Refusal([](GraphBuilder& g) {
        g.Result(g.Add("Tanh", 1, {g.Parameter(F32({2, kFrames, kBands}))}));
      }),
      MayRunAlong("\"Parameter0\" axis 1 (6 positions), \"Parameter0\" axis 2 (4 positions)"));
}

// With a single step, a transposed product is not transposed and could start from its addend.
TEST(StreamingAxes, AddsToATransposedProductBehindIt) {
  ExpectStreamsAlong(
      [](GraphBuilder& g) {
        const ir::Source x = g.Parameter(F32({1, kFrames, kBands}));
        const ir::Source rows = Rows(g, x, {1, kFrames, kBands}, "forward", 2);
        const ir::Source permuted = g.Add("Transpose", 1, {rows, g.Ints({0, 2, 1})});
        const ir::Source before = g.Add("Transpose", 1, {x, g.Ints({0, 2, 1})});
        g.Result(g.Add("Add", 1, {g.Add("Tanh", 1, {before}), permuted}));
      },
      {});
}

TEST(StreamingAxes, ReadsIndicesOfAllPlacesAsNone) {
  ExpectStreamsAlong(
      [](GraphBuilder& g) {
        const ir::Source x = g.Parameter(F32({1, kFrames, kChannels}));
        const ir::Source indices =
            g.Const<int64_t>({ElementType::i64, {1, kFrames}}, {0, 1, 2, 3, 4, 5});
        const ir::Source taken = g.Add("Gather", 8, {x, indices, g.Int(1)});
        const ir::Source rows = g.Add("Squeeze", 1, {taken, g.Ints({1})});
        g.Result(Rows(g, rows, {1, kFrames, kChannels}, "forward", 2));
      },
      {});
}

}  // namespace
}  // namespace weft
