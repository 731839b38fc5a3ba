// SPDX-License-Identifier: Apache-2.0
// Variants of slices and paddings over time that exporters write with other layers: Splits, Gathers
// by constant indices, and a Pad after a transposed convolution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/models/late_graph.h"
#include "tests/models/streamed_graph.h"

namespace weft::latency {
namespace {

ir::Source PartOfSplit(GraphBuilder& g, ir::Source x, std::vector<int64_t> lengths, uint32_t part) {
  const auto count = static_cast<uint32_t>(lengths.size());
  const ir::Source split =
      g.Add("VariadicSplit", 1, {x, g.Int(-1), g.Ints(std::move(lengths))}, {}, count);
  return {split.node, part};
}

ir::Source EveryStep(GraphBuilder& g, ir::Source x, int64_t first, int64_t end, int64_t step) {
  std::vector<int64_t> indices;
  for (int64_t i = first; i < end; i += step) indices.push_back(i);
  return g.Add("Gather", 8, {x, g.Ints(indices), g.Int(2)});
}

TEST(StreamingForms, SplitsWithOneReaderAreSlices) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 2, steps);
        const ir::Source zeros = g.Floats({1, 2, 2}, std::vector<float>(4));
        const ir::Source joined = g.Add("Concat", 1, {zeros, x}, {{"axis", "2"}});
        g.Result(PartOfSplit(g, joined, {steps, 2}, 0));
        const ir::Source later = PartOfSplit(g, Tanh(g, x), {3, -1}, 1);
        g.Result(Bordered(g, later, 0, 3, 0));
      },
      {0, 3});
}

// Both parts of a Split are read: x[0], then x[t] - 0.6 x[t - 1].
TEST(StreamingForms, SplitsWithTwoReadersAreSlices) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Conv(g, Signal(g, 2, steps), {2, 2, 2}, Window(1, 1, 1, 0));
        const ir::Source all = PartOfSplit(g, x, {1, -1}, 0);
        const ir::Source before = PartOfSplit(g, x, {steps - 1, 1}, 0);
        const ir::Source past = g.Add("Multiply", 1, {before, g.Float(0.6f)});
        const ir::Source differences = g.Add("Subtract", 1, {{all.node, 1}, past});
        g.Result(g.Add("Concat", 1, {all, differences}, {{"axis", "2"}}));
      },
      {0});
}

// Indices from the end, and an index 0 that is repeated.
TEST(StreamingForms, GathersOfEarlierStepsAreBorders) {
  for (const bool from_end : {false, true}) {
    for (const int64_t repeats : {1, 2, 5}) {
      ExpectLate(
          [=](GraphBuilder& g, int64_t steps) {
            const ir::Source x = Signal(g, 2, steps);
            std::vector<int64_t> indices;
            for (int64_t i = -repeats; i < steps - repeats; ++i) {
              indices.push_back(std::max<int64_t>(i, 0) - (from_end ? steps : 0));
            }
            g.Result(g.Add("Gather", 8, {Tanh(g, x), g.Ints(indices), g.Int(2)}));
            indices.erase(indices.begin(), indices.begin() + repeats);
            const ir::Source zeros = g.Floats({1, 2, repeats}, std::vector<float>(2 * repeats));
            const ir::Source past = g.Add("Gather", 8, {x, g.Ints(indices), g.Int(2)});
            g.Result(g.Add("Concat", 1, {zeros, past}, {{"axis", "2"}}));
          },
          {0, 0});
    }
  }
}

TEST(StreamingForms, GathersOfEveryStepAreSlices) {
  const BuildFor build = [](GraphBuilder& g, int64_t positions) {
    const ir::Source x = Signal(g, 2, positions);
    g.Result(EveryStep(g, Tanh(g, x), 0, positions, 2));
    g.Result(EveryStep(g, Conv(g, x, {3, 2, 3}, Window(1, 1, 2, 0)), 1, positions, 2));
  };
  for (const int64_t steps : {1, 2, 3}) ExpectSameBits(Of(24, build), Of(12, build), 12, steps);
}

// A selection of every second position from interleaved data is no cache of the last positions.
TEST(StreamingForms, SelectsFromInterleavedPositions) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 2, steps);
        const ir::Source pair = g.Add("Concat", 1,
                                      {g.Add("Unsqueeze", 1, {x, g.Ints({3})}),
                                       g.Add("Unsqueeze", 1, {Tanh(g, x), g.Ints({3})})},
                                      {{"axis", "3"}});
        const ir::Source both = g.Add("Reshape", 1, {pair, g.Ints({1, 2, 2 * steps})});
        g.Result(EveryStep(g, both, 0, 2 * steps, 2));
        g.Result(EveryStep(g, both, 1, 2 * steps, 2));
      },
      {0, 0});
}

TEST(StreamingForms, ZerosAfterTransposedConvolutionsAreOutputPadding) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        for (const int64_t taps : {1, 2}) {
          Attributes window = Window(4, 1, 0, 0);
          window["output_padding"] = "1";
          const ir::Source y = g.Add("ConvolutionBackpropData", 1,
                                     {Signal(g, 2, steps), Weights(g, {2, 3, taps}, 7)}, window);
          g.Result(Bordered(g, y, 0, 3 - taps, 0));
        }
      },
      {0, 0});
}

}  // namespace
}  // namespace weft::latency
