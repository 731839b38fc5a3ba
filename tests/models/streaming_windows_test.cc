// SPDX-License-Identifier: Apache-2.0
// Windows, sums and shifts along time, converted to streaming: after the last step they must
// continue like a longer model, for any rates of the tensors in between.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/streamed_graph.h"

namespace weft::windows {
namespace {

constexpr int64_t kSteps = 6;
using Attributes = std::map<std::string, std::string>;

void ExpectRefusal(const BuildFor& build, const std::string& layer, const std::string& what) {
  EXPECT_EQ(Refusal(Of(kSteps, build)), NeedsAll(layer, what));
}

Attributes Window(int64_t stride, int64_t dilation, int64_t begin, int64_t end) {
  return {{"strides", std::to_string(stride)},
          {"dilations", std::to_string(dilation)},
          {"pads_begin", std::to_string(begin)},
          {"pads_end", std::to_string(end)},
          {"auto_pad", "explicit"}};
}

Attributes Pool(int64_t kernel, int64_t stride, int64_t begin, int64_t end) {
  Attributes attributes = Window(stride, 1, begin, end);
  attributes.erase("dilations");
  attributes["kernel"] = std::to_string(kernel);
  attributes["rounding_type"] = "floor";
  return attributes;
}

ir::Source Conv(GraphBuilder& g, ir::Source x, Dims filters, const Attributes& window) {
  return g.Add("Convolution", 1, {x, Weights(g, std::move(filters), 21)}, window);
}

// A transposed convolution with filters [in, out, kernel], cropped at the end to stride * extent.
ir::Source Transposed(GraphBuilder& g, ir::Source x, Dims filters, int64_t stride, int64_t end) {
  return g.Add("ConvolutionBackpropData", 1, {x, Weights(g, std::move(filters), 22)},
               Window(stride, 1, 0, end));
}

ir::Source Bias(GraphBuilder& g, ir::Source x, int64_t channels) {
  return g.Add("Add", 1, {x, Weights(g, {1, channels, 1}, 23)});
}

ir::Source Tanh(GraphBuilder& g, ir::Source x) { return g.Add("Tanh", 1, {x}); }

// A tensor [1, channels, steps * rate].
ir::Source Signal(GraphBuilder& g, int64_t channels, int64_t positions) {
  return g.Parameter(F32({1, channels, positions}));
}

// Removes the last `count` elements.
ir::Source WithoutEnd(GraphBuilder& g, ir::Source x, int64_t count) {
  return g.Add("Slice", 8, {x, g.Ints({0}), g.Ints({-count}), g.Ints({1}), g.Ints({2})});
}

// A sequence over the last axis of [1, channels, steps].
ir::Source Gru(GraphBuilder& g, ir::Source x, int64_t channels, int64_t positions) {
  constexpr int64_t kHidden = 3;
  const ir::Source rows = g.Add("Transpose", 1, {x, g.Ints({0, 2, 1})});
  const ir::Source length =
      g.Const<int32_t>({ElementType::i32, {1}}, {static_cast<int32_t>(positions)});
  const ir::Source gru =
      g.Add("GRUSequence", 5,
            {rows, g.Floats({1, 1, kHidden}, {0, 0, 0}), length,
             Weights(g, {1, 3 * kHidden, channels}, 1), Weights(g, {1, 3 * kHidden, kHidden}, 2),
             Weights(g, {1, 3 * kHidden}, 3)},
            {{"hidden_size", "3"}, {"direction", "forward"}}, 2);
  const ir::Source hidden = g.Add("Squeeze", 1, {gru, g.Ints({1})});
  return g.Add("Transpose", 1, {hidden, g.Ints({0, 2, 1})});
}

TEST(StreamingWindows, TakesTheStrideOfAConvolution) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    g.Result(Conv(g, Signal(g, 3, 2 * steps), {4, 3, 3}, Window(2, 1, 1, 0)));
  });
}

TEST(StreamingWindows, TakesTheStrideOfADilatedConvolution) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    g.Result(Conv(g, Signal(g, 3, 3 * steps), {4, 3, 3}, Window(3, 2, 4, 0)));
  });
}

// In the full model the slice separates the convolution from the constants after it.
TEST(StreamingWindows, KeepsConstantsAfterASliceApart) {
  const auto sliced = [](GraphBuilder& g, int64_t steps) {
    return WithoutEnd(g, Conv(g, Signal(g, 3, steps), {4, 3, 3}, Window(1, 1, 2, 2)), 2);
  };
  const auto scaled = [](GraphBuilder& g, ir::Source x) {
    return g.Add("Multiply", 1, {x, Weights(g, {1, 4, 1}, 24)});
  };
  ExpectContinues([&](GraphBuilder& g, int64_t steps) { g.Result(scaled(g, sliced(g, steps))); });
  ExpectContinues([&](GraphBuilder& g, int64_t steps) {
    g.Result(Bias(g, scaled(g, sliced(g, steps)), 4));
    g.Result(scaled(g, Bias(g, sliced(g, steps), 4)));
    g.Result(scaled(g, g.Add("Unsqueeze", 1, {sliced(g, steps), g.Ints({0})})));
  });
}

// No window reads the padding at the end.
TEST(StreamingWindows, TakesAStrideBetweenPadsOnBothSides) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    g.Result(Conv(g, Signal(g, 3, 2 * steps), {4, 3, 3}, Window(2, 1, 1, 1)));
  });
}

TEST(StreamingWindows, TakesWindowsThatDoNotOverlap) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source frames = Conv(g, Signal(g, 1, 4 * steps), {5, 1, 4}, Window(4, 1, 0, 0));
    g.Result(Gru(g, frames, 5, steps));
  });
}

TEST(StreamingWindows, TakesSamplesOfAllStrides) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    ir::Source x = Conv(g, Signal(g, 1, 12 * steps), {3, 1, 4}, Window(2, 1, 2, 0));
    x = Conv(g, Tanh(g, x), {4, 3, 3}, Window(1, 2, 4, 0));
    x = Conv(g, Tanh(g, x), {4, 4, 6}, Window(3, 1, 3, 0));
    g.Result(Conv(g, Tanh(g, x), {2, 4, 2}, Window(2, 1, 0, 0)));
  });
}

TEST(StreamingWindows, PoolsOverTime) {
  for (const char* type : {"MaxPool", "AvgPool"}) {
    ExpectContinues([=](GraphBuilder& g, int64_t steps) {
      Attributes pool = Pool(3, 2, 1, 0), even = Pool(2, 2, 0, 0);
      pool["exclude-pad"] = "false";
      even["exclude-pad"] = "true";
      const ir::Source x = g.Add(type, 1, {Signal(g, 3, 4 * steps)}, pool);
      g.Result(g.Add(type, 1, {Tanh(g, x)}, even));
    });
  }
}

TEST(StreamingWindows, PoolsBehindABorder) {
  for (const char* type : {"MaxPool", "AvgPool"}) {
    ExpectContinues([=](GraphBuilder& g, int64_t steps) {
      Attributes pool = Pool(3, 1, 0, 0);
      pool["exclude-pad"] = "true";
      const ir::Source x =
          g.Add("Pad", 1,
                {Signal(g, 3, steps), g.Ints({0, 0, 2}), g.Ints({0, 0, 0}), g.Floats({}, {0.25f})},
                {{"pad_mode", "constant"}});
      g.Result(g.Add(type, 1, {x}, pool));
    });
  }
}

TEST(StreamingWindows, ConvolvesBehindABorderOfOtherNumbers) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Add(
        "Pad", 1,
        {Signal(g, 3, 2 * steps), g.Ints({0, 0, 3}), g.Ints({0, 0, 0}), g.Floats({}, {-1.5f})},
        {{"pad_mode", "constant"}});
    g.Result(Conv(g, x, {4, 3, 5}, Window(2, 1, 0, 0)));
  });
}

TEST(StreamingWindows, SharesABorder) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x =
        g.Add("Pad", 1, {Signal(g, 3, steps), g.Ints({0, 0, 2}), g.Ints({0, 0, 0})},
              {{"pad_mode", "constant"}});
    const ir::Source values = Tanh(g, Conv(g, x, {4, 3, 3}, Window(1, 1, 0, 0)));
    const ir::Source gates = g.Add("Sigmoid", 1, {Conv(g, x, {4, 3, 3}, Window(1, 1, 0, 0))});
    g.Result(g.Add("Multiply", 1, {values, gates}));
  });
}

TEST(StreamingWindows, TakesOffWhatLooksAhead) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Signal(g, 3, steps);
    ir::Source y = Bias(g, Conv(g, x, {4, 3, 3}, Window(1, 1, 2, 2)), 4);
    y = Tanh(g, WithoutEnd(g, y, 2));
    y = Bias(g, Conv(g, y, {3, 4, 3}, Window(1, 2, 4, 4)), 3);
    g.Result(g.Add("Add", 1, {Tanh(g, WithoutEnd(g, y, 4)), x}));
  });
}

TEST(StreamingWindows, AddsUpWhatOverlaps) {
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t kernel : {stride + 1, 2 * stride, 2 * stride + 1}) {
      ExpectContinues([=](GraphBuilder& g, int64_t steps) {
        g.Result(Transposed(g, Signal(g, 3, steps), {3, 2, kernel}, stride, kernel - stride));
      });
    }
  }
}

TEST(StreamingWindows, TakesTheTailOffWhatOverlaps) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source y = Bias(g, Transposed(g, Signal(g, 3, steps), {3, 2, 5}, 2, 0), 2);
    g.Result(Tanh(g, WithoutEnd(g, y, 3)));
  });
}

TEST(StreamingWindows, SkipsFromEncoderToDecoder) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Signal(g, 1, 4 * steps);
    const ir::Source a = Tanh(g, Conv(g, x, {3, 1, 4}, Window(2, 1, 2, 0)));
    const ir::Source b = Tanh(g, Conv(g, a, {5, 3, 3}, Window(2, 1, 1, 0)));
    const ir::Source c = Gru(g, b, 5, steps);
    const ir::Source d = g.Add("Add", 1, {Transposed(g, c, {3, 3, 4}, 2, 2), a});
    const ir::Source e = Transposed(g, Tanh(g, d), {3, 1, 3}, 2, 1);
    g.Result(g.Add("Concat", 1, {e, x}, {{"axis", "1"}}));
  });
}

TEST(StreamingWindows, WalksAtTwoRates) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source slow = Gru(g, Signal(g, 4, steps), 4, steps);
    const ir::Source fast = Transposed(g, slow, {3, 2, 4}, 2, 2);
    g.Result(Gru(g, fast, 2, 2 * steps));
  });
}

TEST(StreamingWindows, ConvolvesImagesWhoseRowsAreTime) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({1, 2, steps, 9}));
    const Attributes down = {{"strides", "1,2"},
                             {"dilations", "1,1"},
                             {"pads_begin", "1,1"},
                             {"pads_end", "1,1"},
                             {"auto_pad", "explicit"}};
    const auto rows = [&](ir::Source source) {
      return g.Add("Slice", 8, {source, g.Ints({0}), g.Ints({-1}), g.Ints({1}), g.Ints({2})});
    };
    const ir::Source a = rows(g.Add("Convolution", 1, {x, Weights(g, {4, 2, 2, 3}, 5)}, down));
    const Attributes up = {{"strides", "1,2"},
                           {"dilations", "1,1"},
                           {"pads_begin", "0,1"},
                           {"pads_end", "0,1"},
                           {"auto_pad", "explicit"}};
    const ir::Source b =
        g.Add("ConvolutionBackpropData", 1, {Tanh(g, a), Weights(g, {4, 2, 2, 3}, 6)}, up);
    g.Result(g.Add("Add", 1, {rows(b), x}));
  });
}

TEST(StreamingWindows, RepeatsByAWholeFactor) {
  for (const bool by_sizes : {false, true}) {
    ExpectContinues([=](GraphBuilder& g, int64_t steps) {
      const ir::Source x = Conv(g, Signal(g, 3, steps), {4, 3, 3}, Window(1, 1, 2, 0));
      const ir::Source target = by_sizes ? g.Ints({3 * steps}) : g.Floats({1}, {3});
      const ir::Source y = g.Add("Interpolate", 11, {x, target, g.Ints({2})},
                                 {{"mode", "nearest"},
                                  {"shape_calculation_mode", by_sizes ? "sizes" : "scales"},
                                  {"coordinate_transformation_mode", "half_pixel"},
                                  {"nearest_mode", "round_prefer_floor"}});
      g.Result(Conv(g, y, {2, 4, 2}, Window(1, 1, 1, 0)));
    });
  }
}

TEST(StreamingWindows, ShiftsIntoTheFuture) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Signal(g, 3, steps);
    const ir::Source late =
        g.Add("Pad", 12, {x, g.Ints({0, 0, 4}), g.Ints({0, 0, -4}), g.Floats({}, {0.5f})},
              {{"pad_mode", "constant"}});
    g.Result(g.Add("Subtract", 1, {x, late}));
  });
}

TEST(StreamingWindows, ShiftsByWhatIsJoinedInFront) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Signal(g, 3, steps);
    const ir::Source first = g.Floats({1, 3, 2}, std::vector<float>(6, 0.5f));
    const ir::Source late = g.Add("Concat", 1, {first, WithoutEnd(g, x, 2)}, {{"axis", "2"}});
    g.Result(g.Add("Subtract", 1, {x, late}));
  });
}

TEST(StreamingWindows, ConvolvesBehindWhatIsJoinedInFront) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source first = g.Floats({1, 3, 2}, std::vector<float>(6, 0.0f));
    const ir::Source x = g.Add("Concat", 1, {first, Signal(g, 3, steps)}, {{"axis", "2"}});
    g.Result(Conv(g, x, {4, 3, 3}, Window(1, 1, 0, 0)));
  });
}

TEST(StreamingWindows, AddsSlicesOfABorder) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Signal(g, 3, steps);
    const ir::Source padded =
        g.Add("Pad", 1, {x, g.Ints({0, 0, 2}), g.Ints({0, 0, 0})}, {{"pad_mode", "constant"}});
    ir::Source sum = x;
    for (int64_t i = 0; i < 3; ++i) {
      const ir::Source late =
          g.Add("Slice", 8, {padded, g.Ints({i}), g.Ints({i + steps}), g.Ints({1}), g.Ints({2})});
      sum =
          g.Add("Add", 1,
                {g.Add("Multiply", 1, {late, Weights(g, {1, 3, 1}, static_cast<uint32_t>(30 + i))}),
                 sum});
    }
    g.Result(sum);
  });
}

TEST(StreamingWindows, TakesEveryThirdPlace) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Conv(g, Signal(g, 3, 3 * steps), {4, 3, 3}, Window(1, 1, 2, 0));
    g.Result(g.Add("Slice", 8, {x, g.Ints({1}), g.Ints({INT64_MAX}), g.Ints({3}), g.Ints({2})}));
  });
}

TEST(StreamingWindows, GoesOnWithASum) {
  for (const char* exclusive : {"false", "true"}) {
    ExpectContinues([=](GraphBuilder& g, int64_t steps) {
      const ir::Source x = Conv(g, Signal(g, 3, steps), {4, 3, 1}, Window(1, 1, 0, 0));
      g.Result(g.Add("CumSum", 3, {x, g.Int(2)}, {{"exclusive", exclusive}}));
    });
  }
}

TEST(StreamingWindows, GoesOnWithSumsOfIntegers) {
  for (const char* type : {"i32", "i64", "u8"}) {
    ExpectContinues([=](GraphBuilder& g, int64_t steps) {
      const ir::Source x = g.Add("Abs", 1, {Signal(g, 3, steps)});
      const ir::Source wide = g.Add("Multiply", 1, {x, g.Float(90)});
      const ir::Source whole = g.Add("Convert", 1, {wide}, {{"destination_type", type}});
      const ir::Source sums = g.Add("CumSum", 3, {whole, g.Int(-1)});
      g.Result(g.Add("Convert", 1, {sums}, {{"destination_type", "f32"}}));
    });
  }
}

// Mean and deviation of all steps so far, over all channels.
TEST(StreamingWindows, NormalisesByAllStepsSoFar) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Signal(g, 3, steps);
    std::vector<float> numbers;
    for (int64_t i = 1; i <= steps; ++i) numbers.push_back(static_cast<float>(3 * i));
    const auto sum_so_far = [&](ir::Source source) {
      const ir::Source sum = g.Add("ReduceSum", 1, {source, g.Ints({1})}, {{"keep_dims", "true"}});
      return g.Add("CumSum", 3, {sum, g.Int(2)});
    };
    const auto count = [&] { return g.Floats({1, 1, steps}, numbers); };
    const ir::Source sum = sum_so_far(x);
    const ir::Source squares = sum_so_far(g.Add("Multiply", 1, {x, x}));
    const ir::Source mean = g.Add("Divide", 1, {sum, count()});
    const ir::Source twice = g.Add("Multiply", 1, {mean, g.Float(2)});
    const ir::Source less = g.Add("Subtract", 1, {squares, g.Add("Multiply", 1, {twice, sum})});
    const ir::Source variance =
        g.Add("Add", 1, {g.Add("Divide", 1, {less, count()}), g.Add("Multiply", 1, {mean, mean})});
    const ir::Source deviation = g.Add("Sqrt", 1, {g.Add("Add", 1, {variance, g.Float(1e-3f)})});
    g.Result(g.Add("Divide", 1, {g.Add("Subtract", 1, {x, mean}), deviation}));
  });
}

// Each step separately, over channels that precede time and another axis.
TEST(StreamingWindows, NormalisesChannelsOfOneStep) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({1, 19, steps, 3}));
    const auto mean_of = [&](ir::Source source) {
      return g.Add("ReduceMean", 1, {source, g.Ints({1})}, {{"keep_dims", "true"}});
    };
    const ir::Source centred = g.Add("Subtract", 1, {x, mean_of(x)});
    const ir::Source variance = mean_of(g.Add("Multiply", 1, {centred, centred}));
    const ir::Source deviation = g.Add("Sqrt", 1, {g.Add("Add", 1, {variance, g.Float(1e-5f)})});
    const ir::Source y = g.Add("Divide", 1, {centred, deviation});
    g.Result(g.Add("CumSum", 3, {g.Add("Softmax", 8, {y}, {{"axis", "1"}}), g.Int(2)}));
  });
}

// With a single step, a product could start from the other sum, which rounds differently.
TEST(StreamingWindows, AddsProductsWithBiases) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Signal(g, 3, steps);
    const Attributes point = Window(1, 1, 0, 0);
    const ir::Source first = Bias(g, Conv(g, x, {7, 3, 1}, point), 7);
    const ir::Source second = Bias(g, Conv(g, Tanh(g, x), {7, 3, 1}, point), 7);
    const ir::Source sum = g.Add("Add", 1, {first, second});
    g.Result(Conv(g, sum, {2, 7, 2}, Window(1, 1, 1, 0)));
  });
}

// In the full model a slice separates two additions, which are therefore not merged.
TEST(StreamingWindows, AddsBehindACutEndAsTheWholeDoes) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Signal(g, 3, steps);
    const ir::Source first = Conv(g, x, {4, 3, 3}, Window(1, 1, 2, 2));
    const ir::Source second = Bias(g, Conv(g, x, {4, 3, 3}, Window(1, 1, 2, 2)), 4);
    g.Result(Bias(g, WithoutEnd(g, first, 2), 4));
    g.Result(Bias(g, WithoutEnd(g, second, 2), 4));
  });
}

// In the full model, weights with two readers do not include a factor.
TEST(StreamingWindows, ScalesWhatSharesWeights) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source weights = Weights(g, {3, 3, 2}, 31);
    const auto scaled = [&](const ir::Source& x) {
      const ir::Source y = g.Add("Convolution", 1, {x, weights}, Window(1, 1, 1, 0));
      return g.Add("Multiply", 1, {y, Weights(g, {1, 1, 1}, 32)});
    };
    g.Result(scaled(Tanh(g, scaled(Signal(g, 3, steps)))));
  });
}

// One number per batch element is a separate row with a single step, but not with several.
TEST(StreamingWindows, AddsToEachItemOfABatch) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({2, 3, steps}));
    const ir::Source scaled = g.Add(
        "Multiply", 1, {Conv(g, x, {4, 3, 2}, Window(1, 1, 1, 0)), Weights(g, {1, 4, 1}, 33)});
    const ir::Source biased = Bias(g, Conv(g, x, {4, 3, 2}, Window(1, 1, 1, 0)), 4);
    g.Result(g.Add("Add", 1, {scaled, Weights(g, {2, 4, 1}, 34)}));
    g.Result(g.Add("Add", 1, {biased, Weights(g, {2, 4, 1}, 35)}));
  });
}

// With a single step a convolution is a dense product, which could start from a computed row.
TEST(StreamingWindows, AddsAResidualAsTheWholeDoes) {
  for (const int64_t taps : {1, 3}) {
    ExpectContinues([taps](GraphBuilder& g, int64_t steps) {
      const ir::Source x = Signal(g, 4, steps), before = Tanh(g, x);
      const ir::Source y = Conv(g, x, {4, 4, taps}, Window(1, 1, taps - 1, 0));
      g.Result(g.Add("CumSum", 3, {g.Add("Add", 1, {y, before}), g.Int(2)}));
      g.Result(g.Add("Add", 1, {before, Bias(g, y, 4)}));
      g.Result(Bias(g, g.Add("Add", 1, {Conv(g, x, {4, 4, 1}, Window(1, 1, 0, 0)), x}), 4));
    });
  }
}

// With a single step, the last step is the only one, and its transposition moves nothing.
TEST(StreamingWindows, AddsToTheLastStepOfTurnedChannels) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source y = Bias(g, Conv(g, Signal(g, 4, steps), {3, 4, 2}, Window(1, 1, 1, 0)), 3);
    const ir::Source last = g.Add("Gather", 8, {y, g.Int(-1), g.Int(2)});
    const ir::Source permuted = g.Add("Transpose", 1, {last, g.Ints({1, 0})});
    g.Result(g.Add("Add", 1, {permuted, Weights(g, {3, 1}, 36)}));
  });
}

// One slice removes the end and reverses the channels.
TEST(StreamingWindows, TakesOffTheEndOfTurnedChannels) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source y = Conv(g, Signal(g, 3, steps), {4, 3, 3}, Window(1, 1, 2, 2));
    g.Result(g.Add("Slice", 8,
                   {y, g.Ints({-1, 0}), g.Ints({-100, -2}), g.Ints({-1, 1}), g.Ints({1, 2})}));
  });
}

TEST(StreamingWindows, RefusesAWholeOfOneStep) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              g.Result(Conv(g, Signal(g, 3, 2), {3, 3, 3}, Window(2, 1, 1, 0)));
            }),
            "test.xml: the time axis has only one step (layer 2 \"Convolution2\" 1); "
            "--streaming must have at least 2, which a longer input has (--shape)\n");
}

// A window over the complete axis, as in a classifier of one window: the reason is the extent.
TEST(StreamingWindows, NamesTheWindowThatLeavesOneStep) {
  for (const int64_t steps : {4, 6}) {
    const std::string text = Refusal([&](GraphBuilder& g) {
      const ir::Source x = Conv(g, Signal(g, 3, steps), {4, 3, steps}, Window(1, 1, 0, 0));
      g.Result(g.Add("Softmax", 8, {x}, {{"axis", "1"}}));
    });
    EXPECT_NE(
        text.find("\"Convolution2\" (Convolution): its window covers all " + std::to_string(steps) +
                  " positions of axis 2, so the model may have only one time step; --shape "
                  "must give its input more, or --time-axis must select another axis\n"),
        std::string::npos)
        << text;
  }
}

TEST(StreamingWindows, RefusesASumFromTheEnd) {
  ExpectRefusal(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Conv(g, Signal(g, 3, steps), {3, 3, 2}, Window(1, 1, 1, 0));
        g.Result(g.Add("CumSum", 3, {x, g.Int(2)}, {{"reverse", "true"}}));
      },
      "4 \"CumSum4\" (CumSum)", "it sums over time from the end");
}

TEST(StreamingWindows, RefusesAMeanOfFewerPlacesAtTheBeginning) {
  ExpectRefusal(
      [](GraphBuilder& g, int64_t steps) {
        Attributes pool = Pool(2, 1, 1, 0);
        pool["exclude-pad"] = "true";
        const ir::Source x = Conv(g, Signal(g, 3, steps), {3, 3, 2}, Window(1, 1, 1, 0));
        g.Result(g.Add("AvgPool", 1, {x}, pool));
      },
      "3 \"AvgPool3\" (AvgPool)", "it averages over fewer elements at the start of the sequence");
}

TEST(StreamingWindows, LeavesABorderAlongAnotherAxis) {
  ExpectContinues([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({1, 2, steps, 5}));
    const Attributes window = {{"strides", "1,1"},
                               {"dilations", "1,1"},
                               {"pads_begin", "1,0"},
                               {"pads_end", "0,0"},
                               {"auto_pad", "explicit"}};
    const ir::Source padded =
        g.Add("Pad", 1, {x, g.Ints({0, 0, 0, 1}), g.Ints({0, 0, 0, 0}), g.Floats({}, {2})},
              {{"pad_mode", "constant"}});
    const Attributes even = {{"strides", "1,1"},
                             {"dilations", "1,1"},
                             {"pads_begin", "0,0"},
                             {"pads_end", "0,0"},
                             {"auto_pad", "explicit"}};
    const ir::Source y = g.Add("Convolution", 1, {padded, Weights(g, {2, 2, 1, 2}, 8)}, even);
    g.Result(g.Add("Convolution", 1, {y, Weights(g, {2, 2, 2, 1}, 9)}, window));
  });
}

}  // namespace
}  // namespace weft::windows
