// SPDX-License-Identifier: Apache-2.0
// Models with look-ahead (late_graph.h), one kind per test.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/late_graph.h"

namespace weft::latency {
namespace {

TEST(StreamingLatency, WaitsForHalfAWindow) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        g.Result(Bias(g, Conv(g, Signal(g, 3, steps), {4, 3, 3}, Window(1, 1, 1, 1)), 4));
      },
      {1});
}

TEST(StreamingLatency, AddsUpAlongAChain) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        ir::Source x = Conv(g, Signal(g, 2, steps), {3, 2, 3}, Window(1, 1, 1, 1));
        x = Conv(g, Tanh(g, Bias(g, x, 3)), {3, 3, 3}, Window(1, 2, 2, 2));
        x = Conv(g, Tanh(g, Bias(g, x, 3)), {3, 3, 2}, Window(1, 1, 1, 0));
        g.Result(Conv(g, Tanh(g, Bias(g, x, 3)), {2, 3, 5}, Window(1, 1, 2, 2)));
      },
      {5});
}

TEST(StreamingLatency, GivesOneNumberForEachOutput) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        const ir::Source y = Conv(g, x, {3, 3, 3}, Window(1, 1, 1, 1));
        g.Result(Tanh(g, x));
        g.Result(y);
        g.Result(Conv(g, Bias(g, y, 3), {3, 3, 3}, Window(1, 1, 0, 2)));
      },
      {0, 1, 3});
}

// A reversal of channels, as between the couplings of a flow.
TEST(StreamingLatency, TurnsChannelsAround) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source y = Conv(g, Signal(g, 3, steps), {4, 3, 3}, Window(1, 1, 1, 1));
        g.Result(g.Add("Slice", 8, {y, g.Ints({-1}), g.Ints({-100}), g.Ints({-1}), g.Ints({1})}));
      },
      {1});
}

TEST(StreamingLatency, DelaysTheEarlyOfTwoBranches) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        const ir::Source y = Tanh(g, Conv(g, x, {3, 3, 5}, Window(1, 1, 2, 2)));
        const ir::Source sum = g.Add("Add", 1, {Bias(g, y, 3), x});
        g.Result(
            Conv(g, g.Add("Concat", 1, {sum, x}, {{"axis", "1"}}), {2, 6, 3}, Window(1, 1, 1, 1)));
      },
      {3});
}

// The prepended steps are constants of the model, delayed like the tensor they are prepended to.
TEST(StreamingLatency, JoinsTheFirstStepInFrontOfWhatComesLate) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source y = Conv(g, Signal(g, 3, steps), {3, 3, 3}, Window(1, 1, 1, 1));
        const ir::Source apart =
            g.Add("Subtract", 1, {Cropped(g, y, 1, INT32_MAX), Cropped(g, y, 0, -1)});
        const ir::Source joined = g.Add("Concat", 1, {Cropped(g, y, 0, 1), apart}, {{"axis", "2"}});
        g.Result(Conv(g, Tanh(g, joined), {3, 3, 3}, Window(1, 1, 1, 1)));
        const ir::Source rest = Conv(g, y, {3, 3, 3}, Window(1, 1, 0, 0));
        g.Result(g.Add("Concat", 1, {Weights(g, {1, 3, 2}, 31), rest}, {{"axis", "2"}}));
      },
      {2, 1});
}

TEST(StreamingLatency, LeavesOutWhatWindowsWithoutPaddingDo) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        ir::Source y = Tanh(g, Bias(g, Conv(g, x, {3, 3, 3}, Window(1, 1, 0, 0)), 3));
        y = g.Add("Add", 1, {y, Cropped(g, x, 2, INT64_MAX)});
        const ir::Source z = Tanh(g, Conv(g, y, {3, 3, 2}, Window(1, 2, 0, 0)));
        g.Result(g.Add("Add", 1, {z, Cropped(g, y, 2, INT64_MAX)}));
      },
      {4});
}

// A padded window after an unpadded one: its own padding precedes the first step.
TEST(StreamingLatency, PadsBehindAWindowWithoutPadding) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x =
            Bias(g, Conv(g, Signal(g, 3, steps), {3, 3, 4}, Window(1, 1, 0, 0)), 3);
        g.Result(Conv(g, x, {3, 3, 3}, Window(1, 1, 2, 0)));
        g.Result(g.Add("MaxPool", 1, {x}, PoolWindow(3, 1, 1, 1)));
      },
      {3, 4});
}

TEST(StreamingLatency, WaitsForWholeStepsOfStrides) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        ir::Source x = Conv(g, Signal(g, 2, 4 * steps), {3, 2, 5}, Window(2, 1, 2, 2));
        x = Conv(g, Tanh(g, Bias(g, x, 3)), {3, 3, 3}, Window(1, 1, 1, 1));
        g.Result(x);
        g.Result(Conv(g, Tanh(g, Bias(g, x, 3)), {2, 3, 4}, Window(2, 1, 1, 1)));
      },
      {1, 2});
}

// The stride is longer than the window, so that the delayed data must start a block.
TEST(StreamingLatency, AlignsWindowsWithGaps) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Conv(g, Signal(g, 2, 4 * steps), {3, 2, 3}, Window(1, 1, 1, 1));
        g.Result(Conv(g, Tanh(g, x), {2, 3, 1}, Window(4, 1, 0, 0)));
        g.Result(g.Add("MaxPool", 1, {Tanh(g, x)}, PoolWindow(2, 4, 0, 0)));
      },
      {1, 1});
}

TEST(StreamingLatency, ShiftsTheDataOfWindowsAfterTheirPadding) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        g.Result(Conv(g, x, {3, 3, 2}, Window(1, 1, 4, 0)));
        g.Result(Conv(g, Conv(g, x, {3, 3, 3}, Window(1, 1, 1, 1)), {3, 3, 2}, Window(1, 1, 4, 0)));
      },
      {0, 0});
}

// A product must not start from an addend after a slice or border that shifts time.
TEST(StreamingLatency, AddsBehindWhatWasMovedAsTheWholeDoes) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Conv(g, Signal(g, 3, steps), {4, 3, 3}, Window(1, 1, 1, 1));
        g.Result(Bias(g, Cropped(g, x, 1, INT64_MAX), 4));
        g.Result(Bias(g, Bordered(g, x, -1, 1, 0), 4));
      },
      {2, 2});
}

TEST(StreamingLatency, TakesTransposedConvolutionsWithoutTheirBeginning) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        ir::Source y =
            g.Add("ConvolutionBackpropData", 1, {x, Weights(g, {3, 2, 4}, 4)}, Window(2, 1, 1, 1));
        g.Result(y);
        y = Conv(g, Tanh(g, y), {3, 2, 4}, Window(2, 1, 1, 1));
        g.Result(g.Add("Multiply", 1, {x, y}));
      },
      {1, 1});
}

TEST(StreamingLatency, SequencesStandStillUntilTheirFirstStep) {
  for (const char* type : {"RNNSequence", "GRUSequence", "LSTMSequence"}) {
    SCOPED_TRACE(type);
    ExpectLate(
        [=](GraphBuilder& g, int64_t steps) {
          const ir::Source x =
              Bias(g, Conv(g, Signal(g, 3, steps), {3, 3, 5}, Window(1, 1, 2, 2)), 3);
          g.Result(Hidden(g, type, x, steps));
        },
        {2});
  }
}

TEST(StreamingLatency, SequencesBehindWindowsWithoutPadding) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x =
            Bias(g, Conv(g, Signal(g, 3, steps), {3, 3, 3}, Window(1, 1, 0, 0)), 3);
        const ir::Source y = Hidden(g, "GRUSequence", x, steps - 2);
        g.Result(Conv(g, g.Add("Add", 1, {x, y}), {2, 3, 3}, Window(1, 1, 1, 1)));
      },
      {3});
}

// More positions than steps, and a length that the model reads from their shape, as in PyTorch's
// models: the positions after the last step are left out.
TEST(StreamingLatency, SequencesOfMorePositionsThanSteps) {
  for (const bool reads_length : {false, true}) {
    ExpectLate(
        [=](GraphBuilder& g, int64_t steps) {
          const ir::Source x =
              Bias(g, Conv(g, Signal(g, 3, steps), {3, 3, 3}, Window(1, 1, 2, 2)), 3);
          g.Result(Hidden(g, "GRUSequence", x, reads_length ? 0 : steps + 2));
          g.Result(Conv(g, x, {2, 3, 3}, Window(1, 1, 1, 1)));
        },
        {0, 1});
  }
}

TEST(StreamingLatency, RefusesNumbersOfMorePositionsThanSteps) {
  const auto build = [](GraphBuilder& g) {
    const ir::Source x = Conv(g, Signal(g, 3, 12), {3, 3, 3}, Window(1, 1, 2, 2));
    const ir::Source rows = g.Add("Transpose", 1, {x, g.Ints({0, 2, 1})});
    const ir::Source length =
        g.Add("Convert", 1, {LengthOf(g, rows)}, {{"destination_type", "f32"}});
    g.Result(g.Add("Divide", 1, {rows, length}));
  };
  EXPECT_NE(Refusal(build).find("input 1 is computed from the total number of steps"),
            std::string::npos)
      << Refusal(build);
}

// The last position is repeated after the end, which a stream does not reach.
TEST(StreamingLatency, RepeatsTheFirstAndLastPosition) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 4, steps);
        g.Result(Conv(g, Repeated(g, x, 2, 2), {3, 4, 5}, Window(1, 1, 0, 0)));
        g.Result(Conv(g, Repeated(g, x, 3, 1), {3, 4, 3}, Window(1, 2, 0, 0)));
        g.Result(Conv(g, Repeated(g, x, 0, 1), {3, 4, 3}, Window(1, 1, 1, 0)));
        g.Result(g.Add("MaxPool", 1, {Repeated(g, x, 1, 1)}, PoolWindow(3, 1, 0, 0)));
        g.Result(g.Add("Subtract", 1, {x, Cropped(g, Repeated(g, x, 0, 1), 1, steps + 1)}));
      },
      {2, 1, 1, 1, 1});
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x =
            Conv(g, Repeated(g, Signal(g, 4, 2 * steps), 2, 2), {4, 4, 6}, Window(2, 1, 0, 0));
        g.Result(Hidden(g, "GRUSequence",
                        Conv(g, Repeated(g, x, 0, 2), {3, 4, 3}, Window(1, 1, 0, 0)), steps));
      },
      {3});
}

TEST(StreamingLatency, RefusesToRepeatTheFirstPositionOfADelayedTensor) {
  const auto build = [](GraphBuilder& g) {
    const ir::Source x = Conv(g, Signal(g, 4, 12), {4, 4, 3}, Window(1, 1, 1, 1));
    g.Result(Conv(g, Repeated(g, x, 2, 2), {3, 4, 5}, Window(1, 1, 0, 0)));
  };
  EXPECT_NE(Refusal(build).find("repeats the first step of a delayed tensor"), std::string::npos)
      << Refusal(build);
}

TEST(StreamingLatency, SumsUpFromTheFirstStepOn) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x =
            Bias(g, Conv(g, Signal(g, 3, steps), {3, 3, 3}, Window(1, 1, 1, 1)), 3);
        std::vector<float> numbers;
        for (int64_t i = 1; i <= steps; ++i) numbers.push_back(static_cast<float>(i));
        const ir::Source sum = g.Add("CumSum", 3, {x, g.Int(2)});
        g.Result(g.Add("Divide", 1, {sum, g.Floats({1, 1, steps}, numbers)}));
      },
      {1});
}

TEST(StreamingLatency, ShiftsInBothDirections) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Bias(g, Signal(g, 3, steps), 3);
        const ir::Source left = Bordered(g, x, -2, 2, 0), right = Bordered(g, x, 1, -1, 0.5f);
        const ir::Source all = g.Add("Concat", 1, {left, x, right}, {{"axis", "1"}});
        g.Result(Conv(g, all, {2, 9, 2}, Window(1, 1, 1, 0)));
        g.Result(Bordered(g, left, 3, -3, -1));
      },
      {2, 0});
}

TEST(StreamingLatency, TakesBordersOnBothSides) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        const ir::Source y = Conv(g, Bordered(g, x, 1, 1, 0), {3, 3, 3}, Window(1, 1, 0, 0));
        g.Result(Conv(g, Bordered(g, Tanh(g, y), 1, 1, 0.5f), {3, 3, 3}, Window(1, 1, 0, 0)));
        g.Result(g.Add("AvgPool", 1, {Bordered(g, y, 2, 2, -1)}, PoolWindow(5, 1, 0, 0)));
      },
      {2, 3});
}

// An output of the last step belongs to the newest step that has arrived.
TEST(StreamingLatency, GivesTheLastStateOfTheStepThatHasCome) {
  const auto last = [](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Bias(g, Conv(g, Signal(g, 3, steps), {3, 3, 3}, Window(1, 1, 0, 2)), 3);
    ir::Source sequence = Sequence(g, "GRUSequence", x, steps);
    g.Result(sequence);
    g.Result({sequence.node, 1});
  };
  ExpectLate(last, {2, 2});
}

// A dense layer over the rows of a flattened batch of two.
ir::Source FlatDense(GraphBuilder& g, ir::Source x, int64_t steps) {
  const ir::Source rows = g.Add("Transpose", 1, {x, g.Ints({0, 2, 1})});
  const ir::Source flat = g.Add("Reshape", 1, {rows, g.Ints({2 * steps, 3})});
  const ir::Source dense = Tanh(g, g.Add("MatMul", 1, {flat, Weights(g, {3, 3}, 31)}));
  const ir::Source split = g.Add("Reshape", 1, {dense, g.Ints({2, steps, 3})});
  return g.Add("Transpose", 1, {split, g.Ints({0, 2, 1})});
}

TEST(StreamingLatency, PassesThroughABatchFlattenedIntoTime) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = g.Parameter(F32({2, 3, steps}));
        const ir::Source y = FlatDense(g, Conv(g, x, {3, 3, 3}, Window(1, 1, 1, 1)), steps);
        g.Result(g.Add("Add", 1, {y, x}));
        g.Result(Conv(g, y, {3, 3, 3}, Window(1, 1, 1, 1)));
        g.Result(FlatDense(g, x, steps));
      },
      {1, 2, 0});
}

// A shift along the rows of a flattened batch would move steps from one item to the next.
TEST(StreamingLatency, RefusesToDelayABatchFlattenedIntoTime) {
  const auto build = [](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({2, 3, 6}));
    const auto flat = [&](ir::Source y) {
      const ir::Source rows = g.Add("Transpose", 1, {y, g.Ints({0, 2, 1})});
      return g.Add("Reshape", 1, {rows, g.Ints({12, 3})});
    };
    const ir::Source late = flat(Conv(g, x, {3, 3, 3}, Window(1, 1, 1, 1)));
    const ir::Source sum = g.Add("Add", 1, {late, flat(x)});
    g.Result(g.Add("Reshape", 1, {sum, g.Ints({2, 6, 3})}));
  };
  EXPECT_EQ(Refusal(build),
            NeedsAll("11 \"Add11\" (Add)", "its time axis is flattened into a batch"));
}

// Attention of x [1, 3, steps] to itself and the three positions before it.
ir::Source Attends(GraphBuilder& g, ir::Source x, int64_t steps) {
  std::vector<uint8_t> flags;
  for (int64_t at = 0; at < steps * steps; ++at) {
    const int64_t distance = at / steps - at % steps;
    flags.push_back(distance >= 0 && distance < 4 ? 1 : 0);
  }
  const ir::Source rows = g.Add("Transpose", 1, {x, g.Ints({0, 2, 1})});
  const ir::Source mask = g.Const<uint8_t>({ElementType::boolean, {steps, steps}}, flags);
  const ir::Source y =
      g.Add("ScaledDotProductAttention", 13, {rows, rows, rows, mask}, {{"causal", "false"}});
  return g.Add("Transpose", 1, {y, g.Ints({0, 2, 1})});
}

TEST(StreamingLatency, LooksAheadAfterAndBesideAttention) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps), y = Attends(g, x, steps);
        g.Result(Conv(g, y, {3, 3, 3}, Window(1, 1, 1, 1)));
        g.Result(g.Add("Add", 1, {y, Conv(g, x, {3, 3, 5}, Window(1, 1, 2, 2))}));
        g.Result(y);
      },
      {1, 2, 0});
}

TEST(StreamingLatency, RefusesAttentionToDelayedSteps) {
  const auto build = [](GraphBuilder& g) {
    g.Result(Attends(g, Conv(g, Signal(g, 3, 12), {3, 3, 3}, Window(1, 1, 1, 1)), 12));
  };
  EXPECT_NE(Refusal(build).find("it attends to tensors that look-ahead delays by 1 of 12 steps"),
            std::string::npos);
}

TEST(StreamingLatency, TakesConstantsAfterTheEndAsBorders) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        const auto zeros = [&](int64_t count) {
          return g.Floats({1, 3, count}, std::vector<float>(static_cast<size_t>(3 * count)));
        };
        const ir::Source later = Cropped(g, Tanh(g, x), 2, steps);
        g.Result(g.Add("Concat", 1, {later, zeros(2)}, {{"axis", "2"}}));
        const ir::Source wide =
            g.Add("Concat", 1, {zeros(3), x, zeros(1), zeros(1)}, {{"axis", "-1"}});
        g.Result(Conv(g, wide, {3, 3, 6}, Window(1, 1, 0, 0)));
      },
      {2, 2});
}

TEST(StreamingLatency, StaysOneWhereNothingLooksAhead) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        g.Result(Conv(g, Signal(g, 3, steps), {3, 3, 3}, Window(1, 1, 2, 0)));
      },
      {0});
}

TEST(StreamingLatency, RefusesToWaitForAllSteps) {
  const auto build = [](GraphBuilder& g) {
    g.Result(Conv(g, Signal(g, 3, 6), {3, 3, 13}, Window(1, 1, 6, 6)));
  };
  EXPECT_EQ(Refusal(build),
            NeedsAll("2 \"Convolution2\" (Convolution)", "it looks ahead over 6 of 6 steps"));
}

TEST(StreamingLatency, RefusesAMeanOverAllSteps) {
  const auto build = [](GraphBuilder& g) {
    const ir::Source x = Conv(g, Signal(g, 3, 6), {3, 3, 3}, Window(1, 1, 1, 1));
    g.Result(g.Add("ReduceMean", 1, {x, g.Ints({2})}));
  };
  EXPECT_EQ(Refusal(build), NeedsAll("4 \"ReduceMean4\" (ReduceMean)", "it reduces over time"));
}

// After the end of the model's steps the stream has further steps instead of padding.
TEST(StreamingLatency, RefusesPaddingWhereLaterStepsWereTakenOff) {
  const auto build = [](GraphBuilder& g) {
    const ir::Source x = Cropped(g, Tanh(g, Signal(g, 3, 6)), 0, 4);
    g.Result(Conv(g, x, {3, 3, 3}, Window(1, 1, 1, 1)));
  };
  EXPECT_EQ(Refusal(build), NeedsAll("8 \"Convolution8\" (Convolution)",
                                     "it reads padding where later steps were sliced off"));
}

TEST(StreamingLatency, RefusesTheLastStateOfStepsThatEndBefore) {
  const auto build = [](GraphBuilder& g) {
    const ir::Source x = Conv(g, Signal(g, 3, 6), {3, 3, 3}, Window(1, 1, 1, 1));
    ir::Source sequence = Sequence(g, "GRUSequence", Cropped(g, x, 0, 4), 4);
    g.Result({sequence.node, 1});
  };
  EXPECT_NE(Refusal(build).find("it depends on where the sequence ends"), std::string::npos);
}

// Symmetric windows over both axes of an image are no evidence for a time axis.
TEST(StreamingLatency, RefusesWindowsAroundTwoAxes) {
  const auto build = [](GraphBuilder& g) {
    g.Result(g.Add("Convolution", 1, {g.Parameter(F32({1, 2, 6, 6})), Weights(g, {2, 2, 3, 3}, 15)},
                   {{"strides", "1,1"},
                    {"dilations", "1,1"},
                    {"pads_begin", "1,1"},
                    {"pads_end", "1,1"},
                    {"auto_pad", "explicit"}}));
  };
  EXPECT_NE(Refusal(build), "");
}

}  // namespace
}  // namespace weft::latency
