// SPDX-License-Identifier: Apache-2.0
// Models that use their first step specially: as initial state, as the step that a loop from the
// second step omits, or prepended to other steps. A stream has this step only in its first run.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/converter/counted_loop.h"
#include "tests/models/streamed_graph.h"

namespace weft {
namespace {

constexpr int64_t kFirstSteps = 6, kFirstWidth = 4, kFirstCut = 4;
const TensorType kFirstStep = F32({1, 1, kFirstWidth});

// Also built for other lengths: converted from kFirstCut steps it must continue like a longer
// model.
void ExpectFirstGoesOn(const std::function<void(GraphBuilder&, int64_t)>& build) {
  const auto of = [&](int64_t steps) -> Build {
    return [&build, steps](GraphBuilder& g) { build(g, steps); };
  };
  for (const int64_t steps : {1, 2, 3}) ExpectSameBits(of(12), of(kFirstCut), 12, steps);
}

ir::Source FirstFrames(GraphBuilder& g, int64_t steps) {
  return g.Parameter(F32({1, steps, kFirstWidth}));
}

ir::Source FirstPositions(GraphBuilder& g, ir::Source x, int64_t begin, int64_t end) {
  return g.Add("Slice", 8, {x, g.Ints({begin}), g.Ints({end}), g.Ints({1}), g.Ints({1})});
}

ir::Source FirstSum(GraphBuilder& g, ir::Source x) { return g.Add("CumSum", 3, {x, g.Int(1)}); }

// A sequence [1, steps, 4] -> [1, steps, 4] with the initial state [1, 1, 4].
ir::Node* FirstGru(GraphBuilder& g, ir::Source x, ir::Source initial, int64_t steps) {
  return g
      .Add("GRUSequence", 5,
           {x, initial, g.Const<int32_t>({ElementType::i32, {1}}, {static_cast<int32_t>(steps)}),
            Weights(g, {1, 3 * kFirstWidth, kFirstWidth}, 1),
            Weights(g, {1, 3 * kFirstWidth, kFirstWidth}, 2), Weights(g, {1, 3 * kFirstWidth}, 3)},
           {{"hidden_size", std::to_string(kFirstWidth)}, {"direction", "forward"}}, 2)
      .node;
}

// h = 0.9 h + 0.1 x, y = x / (1 + h * h), over the steps from `first` on.
struct Smoothing : CountedLoop {
  Smoothing(int64_t count, int64_t first)
      : CountedLoop(count - first), x(FirstFrames(outer, count)), steps(count), first_step(first) {}

  void TimeLoop(ir::Source initial) {
    const ir::Source h = body.Parameter(kFirstStep), xt = body.Parameter(kFirstStep);
    map().inputs.push_back({.parameter = h.node, .input = ir::AddInput(*node, initial)});
    ir::ChunkRange range = On(1);
    range.start = first_step;
    ir::AddSlice(*node, ir::AddInput(*node, x), *xt.node, range);
    const ir::Source kept = Typed("Multiply", {h, body.Float(0.9f)}, kFirstStep);
    const ir::Source taken = Typed("Multiply", {xt, body.Float(0.1f)}, kFirstStep);
    const ir::Source next = Typed("Add", {kept, taken}, kFirstStep);
    const ir::Source scale =
        Typed("Add", {Typed("Multiply", {next, next}, kFirstStep), body.Float(1)}, kFirstStep);
    const ir::Source y = Typed("Divide", {xt, scale}, kFirstStep);
    GoesBack(next, h);
    last = Last(next);
    all = Last(y);
    GatherOn(1);
    node->outputs.back().type = F32({1, steps - first_step, kFirstWidth});
    GoOn(body.Const<uint8_t>({ElementType::boolean, {}}, {1}));
    node->bodies[0].graph = std::make_unique<ir::Graph>(std::move(body.graph));
  }

  // The value that is prepended to the loop's scan output.
  ir::Source After(ir::Source first) {
    return outer.Add("Concat", 1, {first, all}, {{"axis", "1"}});
  }

  ir::Source x, last, all;
  const int64_t steps, first_step;
};

TEST(StreamingFirst, BeginsALoopAsItsFirstStep) {
  ExpectFirstGoesOn([](GraphBuilder& g, int64_t steps) {
    Smoothing loop(steps, 0);
    loop.TimeLoop(FirstPositions(loop.outer, loop.x, 0, 1));
    loop.outer.Result(loop.all);
    loop.outer.Result(loop.last);
    g = std::move(loop.outer);
  });
}

TEST(StreamingFirst, TakesIntoALoopWhatItLeavesOut) {
  ExpectFirstGoesOn([](GraphBuilder& g, int64_t steps) {
    Smoothing loop(steps, 1);
    const ir::Source first = FirstPositions(loop.outer, loop.x, 0, 1);
    loop.TimeLoop(loop.outer.Add("Tanh", 1, {first}));
    loop.outer.Result(
        loop.After(loop.outer.Add("MatMul", 1, {first, Weights(loop.outer, {4, 4}, 5)})));
    loop.outer.Result(loop.last);
    g = std::move(loop.outer);
  });
}

// Infinity or NaN before the first step would change the result.
TEST(StreamingFirst, ChoosesTheFirstStepAndAddsNothing) {
  ExpectFirstGoesOn([](GraphBuilder& g, int64_t steps) {
    Smoothing loop(steps, 1);
    const ir::Source first = FirstPositions(loop.outer, loop.x, 0, 1);
    const ir::Source none = loop.outer.Add("Subtract", 1, {first, first});
    loop.TimeLoop(loop.outer.Add("Divide", 1, {loop.outer.Float(1), none}));
    loop.outer.Result(loop.After(loop.outer.Add("Divide", 1, {none, none})));
    g = std::move(loop.outer);
  });
}

TEST(StreamingFirst, BeginsBehindTheFirstStepAsAnInputSays) {
  ExpectFirstGoesOn([](GraphBuilder& g, int64_t steps) {
    Smoothing loop(steps, 1);
    loop.TimeLoop(loop.outer.Parameter(kFirstStep));
    loop.outer.Result(loop.After(FirstPositions(loop.outer, loop.x, 0, 1)));
    g = std::move(loop.outer);
  });
}

TEST(StreamingFirst, RefusesALoopWhoseFirstStepIsMadeOfAll) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              Smoothing loop(kFirstSteps, 1);
              loop.TimeLoop(FirstPositions(loop.outer, loop.x, 0, 1));
              loop.outer.Result(loop.After(loop.outer.Add(
                  "ReduceMax", 1, {loop.x, loop.outer.Ints({1})}, {{"keep_dims", "true"}})));
              g = std::move(loop.outer);
            }),
            NeedsAll("2 \"Loop2\" (Loop)", "input 3 is sliced over [1, 6) of 6 positions") +
                NeedsAll("3 \"Parameter3\" (Parameter)", "output 0 has 6 positions for 5 steps"));
}

TEST(StreamingFirst, BeginsASequenceAsItsFirstStep) {
  ExpectFirstGoesOn([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = FirstFrames(g, steps);
    ir::Node* gru = FirstGru(g, x, g.Add("Tanh", 1, {FirstPositions(g, x, 0, 1)}), steps);
    g.Result(g.Add("Squeeze", 1, {{gru, 0}, g.Ints({1})}));
    g.Result({gru, 1});
  });
}

TEST(StreamingFirst, HoldsTheFirstStepWhereLaterOnesMeetIt) {
  ExpectFirstGoesOn([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = FirstFrames(g, steps), first = FirstPositions(g, x, 0, 1);
    g.Result(FirstSum(g, g.Add("Subtract", 1, {x, first})));
    g.Result(g.Add("Tanh", 1, {first}));
    g.Result(g.Add("Subtract", 1, {FirstPositions(g, x, -1, INT32_MAX), first}));
  });
}

TEST(StreamingFirst, RefusesAFirstStepThatComesLate) {
  const std::string text = Refusal([](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({1, kFirstWidth, kFirstSteps}));
    const ir::Source y = g.Add("Convolution", 1, {x, Weights(g, {kFirstWidth, kFirstWidth, 3}, 4)},
                               {{"strides", "1"},
                                {"dilations", "1"},
                                {"pads_begin", "1"},
                                {"pads_end", "1"},
                                {"auto_pad", "explicit"}});
    const ir::Source first =
        g.Add("Slice", 8, {y, g.Ints({0}), g.Ints({1}), g.Ints({1}), g.Ints({2})});
    g.Result(g.Add("CumSum", 3, {g.Add("Subtract", 1, {y, first}), g.Int(2)}));
  });
  EXPECT_NE(text.find("it selects the first step of a delayed tensor"), std::string::npos) << text;
}

TEST(StreamingFirst, ShiftsBehindAnInputAndBehindWhatWasLearned) {
  for (const int64_t positions : {1, 3}) {
    ExpectFirstGoesOn([positions](GraphBuilder& g, int64_t steps) {
      const ir::Source x = FirstFrames(g, steps), kept = FirstPositions(g, x, 0, -positions);
      const ir::Source start = g.Parameter(F32({1, positions, kFirstWidth}));
      const ir::Source learned = Weights(g, {1, positions, kFirstWidth}, 8);
      g.Result(FirstSum(g, g.Add("Concat", 1, {start, kept}, {{"axis", "1"}})));
      g.Result(g.Add("Concat", 1, {learned, kept}, {{"axis", "1"}}));
    });
  }
}

// x[t] - 0.97 x[t - 1] in all steps except the first.
ir::Source FirstDifferences(GraphBuilder& g, ir::Source x) {
  const ir::Source before = g.Add("Multiply", 1, {FirstPositions(g, x, 0, -1), g.Float(0.97f)});
  return g.Add("Subtract", 1, {FirstPositions(g, x, 1, INT32_MAX), before});
}

ir::Source FirstJoined(GraphBuilder& g, ir::Source first, ir::Source rest) {
  return g.Add("Concat", 1, {first, rest}, {{"axis", "1"}});
}

TEST(StreamingFirst, JoinsTheFirstStepInFrontOfDifferences) {
  ExpectFirstGoesOn([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = FirstFrames(g, steps), first = FirstPositions(g, x, 0, 1);
    g.Result(FirstSum(g, FirstJoined(g, first, FirstDifferences(g, x))));
    g.Result(FirstJoined(g, g.Add("Tanh", 1, {first}), FirstDifferences(g, x)));
    g.Result(FirstJoined(g, Weights(g, {1, 1, kFirstWidth}, 7), FirstDifferences(g, x)));
  });
}

TEST(StreamingFirst, JoinsSeveralStepsInFrontOfDifferencesOfDifferences) {
  const auto build = [](GraphBuilder& g, int64_t steps) {
    const ir::Source x = FirstFrames(g, steps), start = FirstPositions(g, x, 0, 2);
    const ir::Source twice = FirstDifferences(g, FirstDifferences(g, x));
    g.Result(FirstSum(g, FirstJoined(g, start, twice)));
    g.Result(FirstJoined(g, g.Parameter(F32({1, 2, kFirstWidth})), twice));
  };
  ExpectFirstGoesOn(build);
}

// Attention of [1, steps, kFirstWidth] to itself and the position before it.
ir::Source FirstAttention(GraphBuilder& g, ir::Source x, int64_t steps) {
  std::vector<uint8_t> flags;
  for (int64_t at = 0; at < steps * steps; ++at) {
    const int64_t distance = at / steps - at % steps;
    flags.push_back(distance == 0 || distance == 1 ? 1 : 0);
  }
  const ir::Source mask = g.Const<uint8_t>({ElementType::boolean, {steps, steps}}, flags);
  return g.Add("ScaledDotProductAttention", 13, {x, x, x, mask}, {{"causal", "false"}});
}

TEST(StreamingFirst, JoinsTheFirstStepInFrontOfDifferencesBesideAttention) {
  ExpectFirstGoesOn([](GraphBuilder& g, int64_t steps) {
    const auto differ = [&](ir::Source x) {
      const ir::Source first = g.Add("Tanh", 1, {FirstPositions(g, x, 0, 1)});
      return FirstJoined(g, first, FirstDifferences(g, x));
    };
    const ir::Source x = FirstFrames(g, steps);
    g.Result(differ(FirstAttention(g, x, steps)));
    g.Result(FirstAttention(g, differ(x), steps));
  });
}

// The state is unchanged in the first step, and has the model's initial value in the second.
TEST(StreamingFirst, JoinsTheFirstStepInFrontOfASequenceOverTheOthers) {
  ExpectFirstGoesOn([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = FirstFrames(g, steps), first = FirstPositions(g, x, 0, 1);
    ir::Node* gru =
        FirstGru(g, FirstPositions(g, x, 1, INT32_MAX), g.Add("Tanh", 1, {first}), steps - 1);
    const ir::Source rest = g.Add("Squeeze", 1, {{gru, 0}, g.Ints({1})});
    g.Result(FirstSum(g, FirstJoined(g, first, rest)));
  });
}

const TensorType kBand = F32({2, kFirstSteps, 1, 3});
using NextState = std::function<ir::Source(CountedLoop&, ir::Source)>;

// An operation in the body of the loop over bands, whose result has the type of a band.
NextState InBody(const std::string& type, std::map<std::string, std::string> attributes,
                 int opset = 1) {
  return [=](CountedLoop& loop, ir::Source x) {
    return loop.Typed(type, {x}, kBand, attributes, opset);
  };
}

// A loop over four bands that processes all time steps at once; each band starts from the previous
// state.
Build OverBands(int64_t axis, const NextState& next_state) {
  return [=](GraphBuilder& g) {
    CountedLoop loop(4);
    const ir::Source x = loop.outer.Parameter(F32({2, kFirstSteps, 4, 3}));
    const ir::Source b = loop.body.Parameter(kBand);
    ir::AddSlice(*loop.node, ir::AddInput(*loop.node, x), *b.node, CountedLoop::On(2));
    const ir::Source initial =
        loop.outer.Floats({2, kFirstSteps, 1, 3}, std::vector<float>(2 * kFirstSteps * 3, 0.0f));
    const ir::Source h = loop.Input(initial);
    const ir::Source rows = loop.Typed(
        "Reshape", {loop.Typed("Add", {b, h}, kBand), loop.body.Ints({2 * kFirstSteps, 3})},
        F32({2 * kFirstSteps, 3}));
    const ir::Source product =
        loop.Typed("MatMul", {rows, Weights(loop.body, {3, 3}, 6)}, F32({2 * kFirstSteps, 3}));
    const ir::Source next = next_state(
        loop, loop.Typed("Reshape", {product, loop.body.Ints({2, kFirstSteps, 1, 3})}, kBand));
    loop.GoesBack(next, h);
    const ir::Source all = loop.Last(next);
    loop.GatherOn(2);
    loop.node->outputs.back().type = F32({2, kFirstSteps, 4, 3});
    loop.GoOn(loop.body.Const<uint8_t>({ElementType::boolean, {}}, {1}));
    loop.node->bodies[0].graph = std::make_unique<ir::Graph>(std::move(loop.body.graph));
    loop.outer.Result(loop.outer.Add("CumSum", 3, {all, loop.outer.Int(axis)}));
    g = std::move(loop.outer);
  };
}

TEST(StreamingFirst, CutsTheBodyOfALoopOverBands) {
  for (const int64_t steps : {1, 2, 3}) {
    const Build build = OverBands(1, InBody("Tanh", {}));
    ExpectSameBits(build, build, kFirstSteps, steps, {{"0", 1}});
  }
}

// The body has no state between runs.
TEST(StreamingFirst, RefusesALoopOverBandsThatMixesSteps) {
  const NextState sums = [](CountedLoop& loop, ir::Source x) {
    return loop.Typed("CumSum", {x, loop.body.Int(1)}, kBand, {}, 3);
  };
  const NextState early = [](CountedLoop& loop, ir::Source x) {
    const TensorType row = F32({2, 1, kFirstSteps, 3});
    const ir::Source rows = loop.Typed("Reshape", {x, loop.body.Ints({2, 1, kFirstSteps, 3})}, row);
    const ir::Source windows = loop.Typed(
        "Convolution", {rows, Weights(loop.body, {1, 1, 3, 1}, 8)}, row,
        {{"strides", "1,1"}, {"dilations", "1,1"}, {"pads_begin", "2,0"}, {"pads_end", "0,0"}});
    return loop.Typed("Reshape", {windows, loop.body.Ints({2, kFirstSteps, 1, 3})}, kBand);
  };
  const NextState gru = [](CountedLoop& loop, ir::Source x) {
    const ir::Source rows =
        loop.Typed("Squeeze", {x, loop.body.Ints({2})}, F32({2, kFirstSteps, 3}));
    const ir::Source zeros = loop.body.Floats({2, 1, 3}, std::vector<float>(6, 0.0f));
    const ir::Source lengths =
        loop.body.Const<int32_t>({ElementType::i32, {2}}, {kFirstSteps, kFirstSteps});
    const ir::Source all = loop.Typed(
        "GRUSequence",
        {rows, zeros, lengths, Weights(loop.body, {1, 9, 3}, 1), Weights(loop.body, {1, 9, 3}, 2),
         Weights(loop.body, {1, 9}, 3)},
        F32({2, 1, kFirstSteps, 3}), {{"hidden_size", "3"}, {"direction", "forward"}}, 5);
    return loop.Typed("Reshape", {all, loop.body.Ints({2, kFirstSteps, 1, 3})}, kBand);
  };
  for (const NextState& next_state : {InBody("Softmax", {{"axis", "1"}}, 8), sums, early, gru}) {
    EXPECT_EQ(Refusal(OverBands(1, next_state), 1, {{"0", 1}}),
              NeedsAll("2 \"Loop2\" (Loop)", "it has a body that may combine time steps"));
  }
}

}  // namespace
}  // namespace weft
