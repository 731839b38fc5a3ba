// SPDX-License-Identifier: Apache-2.0
// Borders that repeat the first step, borders far from their readers, Gathers that form frames or
// repeat steps, and the order of sums with one step per run. After the last step, streamed models
// must continue like a longer model.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/streamed_graph.h"

namespace weft::borders {
namespace {

constexpr int64_t kSteps = 6, kChannels = 20;
// Input [1, channels, steps].
ir::Source Signal(GraphBuilder& g, int64_t channels, int64_t positions) {
  return g.Parameter(F32({1, channels, positions}));
}

ir::Source Pad(GraphBuilder& g, ir::Source x, const Dims& begin, const Dims& end,
               const char* mode) {
  return g.Add("Pad", 12, {x, g.Ints(begin), g.Ints(end)}, {{"pad_mode", mode}});
}

ir::Source Slice(GraphBuilder& g, ir::Source x, int64_t begin, int64_t end, int64_t axis) {
  return g.Add("Slice", 8, {x, g.Ints({begin}), g.Ints({end}), g.Ints({1}), g.Ints({axis})});
}

// A window of kernel 3, which looks back over 2 * dilation steps if its data has them prepended.
ir::Source Conv(GraphBuilder& g, ir::Source x, int64_t channels, int64_t dilation,
                int64_t border = 0, uint32_t seed = 21) {
  return g.Add("Convolution", 1, {x, Weights(g, {4, channels, 3}, seed)},
               {{"strides", "1"},
                {"dilations", std::to_string(dilation)},
                {"pads_begin", std::to_string(border)},
                {"pads_end", "0"},
                {"auto_pad", "explicit"}});
}

ir::Source Permuted(GraphBuilder& g, ir::Source x) {
  return g.Add("Transpose", 1, {x, g.Ints({0, 2, 1})});
}

TEST(StreamingBorders, BeginsAConvolutionAsTheFirstStep) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    g.Result(Conv(g, Pad(g, Signal(g, 3, steps), {0, 0, 4}, {0, 0, 0}, "edge"), 3, 2));
  });
}

TEST(StreamingBorders, SaysThatAPastBeginsAsTheFirstStep) {
  const Model model(
      [](GraphBuilder& g) {
        g.Result(Conv(g, Pad(g, Signal(g, 3, kSteps), {0, 0, 2}, {0, 0, 0}, "edge"), 3, 1));
      },
      1);
  ASSERT_EQ(model.told.states.size(), 2u);  // and the start of the ring
  EXPECT_EQ(model.told.states[0].from,
            "the last 2 positions of the input of layer 5 \"Convolution5\", initially the first "
            "position repeated");
}

// The data of a window over two axes, [1, 2, steps, 5].
using Bordered = std::function<ir::Source(GraphBuilder&, ir::Source)>;

Build WindowOver(int64_t steps, const Bordered& bordered, const std::string& pads_begin) {
  return [=](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({1, 2, steps, 5}));
    g.Result(g.Add("Convolution", 1, {bordered(g, x), Weights(g, {3, 2, 2, 2}, 21)},
                   {{"strides", "1,1"},
                    {"dilations", "1,1"},
                    {"pads_begin", pads_begin},
                    {"pads_end", "0,0"}}));
  };
}

// Each axis has its own border; that of the other axis does not begin the past.
TEST(StreamingBorders, KeepsBordersOfSeveralAxesApart) {
  const auto number = [](GraphBuilder& g, ir::Source x, const Dims& begin, float fill) {
    return g.Add("Pad", 12, {x, g.Ints(begin), g.Ints({0, 0, 0, 0}), g.Float(fill)},
                 {{"pad_mode", "constant"}});
  };
  const auto edge = [](GraphBuilder& g, ir::Source x, const Dims& begin) {
    return Pad(g, x, begin, {0, 0, 0, 0}, "edge");
  };
  const Dims bands = {0, 0, 0, 1}, time = {0, 0, 1, 0}, both = {0, 0, 1, 1};
  const std::vector<std::pair<Bordered, std::string>> forms = {
      {[=](auto& g, auto x) { return edge(g, x, bands); }, "1,0"},
      {[=](auto& g, auto x) { return edge(g, x, time); }, "0,1"},
      {[=](auto& g, auto x) { return edge(g, x, both); }, "0,0"},
      {[=](auto& g, auto x) { return number(g, x, bands, 0.5f); }, "1,0"},
      {[=](auto& g, auto x) { return number(g, x, time, 0.5f); }, "0,1"},
      {[=](auto& g, auto x) { return number(g, x, both, 0.5f); }, "0,0"},
      {[=](auto& g, auto x) { return number(g, edge(g, x, bands), time, 0); }, "0,0"},
      {[=](auto& g, auto x) { return number(g, number(g, x, bands, 0.5f), time, 0.25f); }, "0,0"}};
  for (size_t i = 0; i < forms.size(); ++i) {
    SCOPED_TRACE(i);
    const auto of = [&form = forms[i]](int64_t steps) {
      return WindowOver(steps, form.first, form.second);
    };
    for (const int64_t steps : {1, 2, 3}) {
      ExpectSameBits(of(12), of(kSteps), 12, steps, {{"0", 2}});
    }
  }
}

TEST(StreamingBorders, BeginsAPoolAsTheFirstStep) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source before = Pad(g, Signal(g, 3, steps), {0, 0, 2}, {0, 0, 0}, "edge");
    g.Result(g.Add("MaxPool", 1, {before},
                   {{"strides", "1"},
                    {"kernel", "3"},
                    {"pads_begin", "0"},
                    {"pads_end", "0"},
                    {"rounding_type", "floor"}}));
  });
}

TEST(StreamingBorders, ShiftsByAStepThatBeginsAsTheFirst) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Conv(g, Signal(g, 3, steps), 3, 1, 2);
    g.Result(g.Add("Subtract", 1, {x, Pad(g, x, {0, 0, 1}, {0, 0, -1}, "edge")}));
  });
}

// x[:1] prepended to x[:-1], and to x before a difference.
TEST(StreamingBorders, TakesTheFirstStepJoinedInFront) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Conv(g, Signal(g, 3, steps), 3, 1, 2);
    const ir::Source first = Slice(g, x, 0, 1, 2), rest = Slice(g, x, 0, -1, 2);
    g.Result(g.Add("Concat", 1, {first, rest}, {{"axis", "2"}}));
    const ir::Source longer = g.Add("Concat", 1, {first, x}, {{"axis", "2"}});
    g.Result(g.Add("Subtract", 1, {x, Slice(g, longer, 0, steps, 2)}));
  });
}

// A window over copies of the first step, followed by all steps.
using Repeated = std::function<std::vector<ir::Source>(GraphBuilder&, ir::Source first)>;

BuildFor WindowAfter(const Repeated& repeated) {
  return [=](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Signal(g, 3, steps);
    std::vector<ir::Source> parts = repeated(g, Slice(g, x, 0, 1, 2));
    parts.push_back(x);
    const ir::Source joined = g.Add("Concat", 1, parts, {{"axis", "2"}});
    g.Result(g.Add("Add", 1, {Conv(g, joined, 3, 2), Weights(g, {1, 4, 1}, 8)}));
  };
}

TEST(StreamingBorders, TakesTheFirstStepJoinedSeveralTimesInFront) {
  const std::vector<Repeated> forms = {
      [](GraphBuilder&, ir::Source first) { return std::vector<ir::Source>(4, first); },
      [](GraphBuilder& g, ir::Source first) {
        return std::vector<ir::Source>{g.Add("Tile", 1, {first, g.Ints({1, 1, 4})})};
      },
      [](GraphBuilder& g, ir::Source first) {
        return std::vector<ir::Source>{g.Add("Broadcast", 3, {first, g.Ints({1, 3, 4})})};
      },
      [](GraphBuilder& g, ir::Source first) {
        const ir::Source two = g.Add("Concat", 1, {first, first}, {{"axis", "2"}});
        return std::vector<ir::Source>{g.Add("Tile", 1, {first, g.Ints({2})}), two};
      },
      [](GraphBuilder& g, ir::Source first) {
        const ir::Source x = first.node->inputs[0];
        const ir::Source removed = g.Add("Gather", 8, {x, g.Int(0), g.Int(2)});
        const ir::Source added = g.Add("Unsqueeze", 1, {removed, g.Ints({2})});
        return std::vector<ir::Source>{g.Add("Tile", 1, {added, g.Ints({1, 1, 4})})};
      },
      [](GraphBuilder& g, ir::Source first) {
        const ir::Source x = first.node->inputs[0];
        return std::vector<ir::Source>{g.Add("Gather", 8, {x, g.Ints({0, 0, 0, 0}), g.Int(2)})};
      }};
  for (size_t i = 0; i < forms.size(); ++i) {
    SCOPED_TRACE(i);
    const BuildFor build = WindowAfter(forms[i]);
    ExpectContinues(build);
    for (const int64_t steps : {1, 2, 3}) {
      ExpectSameBits(Of(12, build), Of(ir::kTimeLength, build), 12, steps, {}, TimeIs::kOpen);
    }
    EXPECT_EQ(Model(Of(kSteps, build), 1).told.states.size(), 2u);  // the past, and its start
  }
}

// The copies are equal numbers in several constants.
TEST(StreamingBorders, TakesSeveralConstantsJoinedInFront) {
  ExpectContinues(WindowAfter([](GraphBuilder& g, ir::Source) {
    const ir::Source one = g.Floats({1, 3, 1}, {0.5f, 0.5f, 0.5f});
    return std::vector<ir::Source>{one, g.Floats({1, 3, 2}, std::vector<float>(6, 0.5f)), one};
  }));
}

// Keras is channels-last: the border comes before a transposition.
TEST(StreamingBorders, MovesABorderOverATransposition) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({1, steps, 3}));
    g.Result(Conv(g, Permuted(g, Pad(g, x, {0, 4, 0}, {0, 0, 0}, "constant")), 3, 2));
    const ir::Source repeated = Pad(g, x, {0, 2, 0}, {0, 0, 0}, "edge");
    g.Result(Conv(g, g.Add("Tanh", 1, {Permuted(g, repeated)}), 3, 1));
  });
}

// TensorFlow adds a second spatial axis to a convolution over time.
TEST(StreamingBorders, MovesABorderOverAnAxisOfOne) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Pad(g, Signal(g, 3, steps), {0, 0, 2}, {0, 0, 0}, "constant");
    const ir::Source image = g.Add("Unsqueeze", 1, {x, g.Ints({2})});
    g.Result(g.Add("Convolution", 1, {image, Weights(g, {4, 3, 1, 3}, 5)},
                   {{"strides", "1,1"},
                    {"dilations", "1,1"},
                    {"pads_begin", "0,0"},
                    {"pads_end", "0,0"},
                    {"auto_pad", "explicit"}}));
  });
}

// Indices [frame, element], or flattened; a frame starts at every `hop`-th step.
ir::Source Framed(GraphBuilder& g, ir::Source x, int64_t frames, int64_t positions, int64_t hop,
                  bool flat) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < frames * positions; ++i)
    indices.push_back(i / positions * hop + i % positions);
  const Dims dims = flat ? Dims{frames * positions} : Dims{frames, positions};
  const ir::Source constant = g.Const<int64_t>({ElementType::i64, dims}, indices);
  return g.Add("Gather", 8, {x, constant, g.Int(2)});
}

TEST(StreamingBorders, TakesFramesGatheredByIndex) {
  for (const bool flat : {false, true}) {
    ExpectContinues([flat](GraphBuilder& g, int64_t steps) {
      const ir::Source x = Pad(g, Signal(g, 3, steps), {0, 0, 2}, {0, 0, 0}, "constant");
      const ir::Source framed = Framed(g, x, steps, 3, 1, flat);
      const ir::Source apart = g.Add("Reshape", 1, {framed, g.Ints({1, 3, -1, 3})});
      g.Result(g.Add("ReduceMax", 1, {apart, g.Ints({3})}));
    });
  }
}

TEST(StreamingBorders, TakesFramesThatOverlapByHalf) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Pad(g, Signal(g, 3, 2 * steps), {0, 0, 2}, {0, 0, 0}, "edge");
    g.Result(Framed(g, x, steps, 4, 2, /*flat=*/false));
  });
}

// PyTorch moves the axis of an index to the front.
TEST(StreamingBorders, TakesFramesOfAPermutedBorder) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Pad(g, Signal(g, 3, 2 * steps), {0, 0, 2}, {0, 0, 0}, "constant");
    const ir::Source rows = g.Add("Transpose", 1, {x, g.Ints({2, 1, 0})});
    const ir::Source flat = g.Add("Reshape", 1, {rows, g.Ints({-1, 3})});
    const ir::Source back = g.Add("Unsqueeze", 1, {flat, g.Ints({0})});
    const ir::Source columns = g.Add("Transpose", 1, {back, g.Ints({0, 2, 1})});
    g.Result(Framed(g, columns, steps, 4, 2, /*flat=*/false));
  });
}

TEST(StreamingBorders, TakesStepsRepeatedByIndex) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < 2 * steps; ++i) indices.push_back(i / 2);
    const ir::Source x = Conv(g, Signal(g, 3, steps), 3, 1, 2);
    g.Result(g.Add("Gather", 8, {x, g.Ints(indices), g.Int(2)}));
  });
}

// A mean over all steps so far, with reciprocals that the exporter computed.
TEST(StreamingBorders, CountsOnWithInverses) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    std::vector<float> inverses;
    for (int64_t i = 1; i <= steps; ++i) inverses.push_back(1.0F / static_cast<float>(6 * i));
    const ir::Source sum = g.Add("CumSum", 3, {Signal(g, 3, steps), g.Int(2)});
    g.Result(g.Add("Multiply", 1, {sum, g.Floats({1, 1, steps}, inverses)}));
  });
}

// Time follows the channels: with one step per run, the channels become adjacent.
TEST(StreamingBorders, SumsOverChannelsInOneOrder) {
  const auto after = [](const std::function<ir::Source(GraphBuilder&, ir::Source)>& make) {
    ExpectContinues([&](GraphBuilder& g, int64_t steps) {
      const ir::Source x = Signal(g, kChannels, steps);
      const ir::Source y = g.Add("CumSum", 3, {x, g.Int(2)});
      g.Result(make(g, y));
    });
  };
  for (const char* name : {"Softmax", "LogSoftmax"}) {
    const int opset = std::string(name) == "Softmax" ? 8 : 5;
    after([&](GraphBuilder& g, ir::Source y) { return g.Add(name, opset, {y}, {{"axis", "1"}}); });
  }
  after([](GraphBuilder& g, ir::Source y) {
    return g.Add("MVN", 6, {y, g.Ints({1})},
                 {{"eps", "0.01"}, {"eps_mode", "inside_sqrt"}, {"normalize_variance", "true"}});
  });
  after([](GraphBuilder& g, ir::Source y) {
    return g.Add("NormalizeL2", 1, {y, g.Ints({1})}, {{"eps", "0.01"}, {"eps_mode", "add"}});
  });
  after([](GraphBuilder& g, ir::Source y) {
    return g.Add("ReduceMean", 1, {y, g.Ints({1})}, {{"keep_dims", "true"}});
  });
}

// With a single position, a product could start from the bias of another one; with many it does
// not.
TEST(StreamingBorders, SumsProductsWithBiasesInOneOrder) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Signal(g, 3, steps);
    ir::Source sum;
    for (uint32_t i = 0; i < 4; ++i) {
      const ir::Source y = g.Add(
          "Add", 1, {Conv(g, x, 3, 1 + i, 2 * (1 + i), 30 + i), Weights(g, {1, 4, 1}, 40 + i)});
      sum = i == 0 ? y : g.Add("Add", 1, {sum, y});
    }
    g.Result(sum);
  });
}

// A slice after a window separates product and sum, also along an axis other than time.
TEST(StreamingBorders, AddsBehindASliceThatItsWindowHasTakenOver) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    constexpr int64_t kHidden = 5;
    const ir::Source length =
        g.Const<int32_t>({ElementType::i32, {1}}, {static_cast<int32_t>(steps)});
    const ir::Source gru =
        g.Add("GRUSequence", 5,
              {g.Parameter(F32({1, steps, 3})), Weights(g, {1, 1, kHidden}, 4), length,
               Weights(g, {1, 3 * kHidden, 3}, 1), Weights(g, {1, 3 * kHidden, kHidden}, 2),
               Weights(g, {1, 3 * kHidden}, 3)},
              {{"hidden_size", "5"}, {"direction", "forward"}}, 2);
    ir::Source y = g.Add("Convolution", 1, {gru, Weights(g, {4, 1, 1, 3}, 7)},
                         {{"strides", "1,1"},
                          {"dilations", "1,1"},
                          {"pads_begin", "0,2"},
                          {"pads_end", "0,2"},
                          {"auto_pad", "explicit"}});
    y = Slice(g, g.Add("Add", 1, {y, Weights(g, {1, 4, 1, 1}, 8)}), 0, -2, 3);
    g.Result(g.Add("Add", 1, {y, Weights(g, {1, 4, 1, 1}, 9)}));
  });
}

}  // namespace
}  // namespace weft::borders
