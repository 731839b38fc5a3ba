// SPDX-License-Identifier: Apache-2.0
// Loops that depend on the iteration number. With one step per run, such a loop could be correct
// until its last step and wrong after it. Accepted loops must continue like a longer sequence.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/streaming/counters.h"
#include "tests/converter/counted_loop.h"
#include "tests/models/streamed_graph.h"

namespace weft {
namespace {

constexpr int64_t kTrips = 6, kWidth = 4;
const TensorType kNumber = {ElementType::i64, {}}, kRow = F32({1, kWidth});

// h = tanh(x_t + h + addend of the test); all h are the output: [1, steps, 4] -> [1, steps, 4].
struct Recurrent : CountedLoop {
  explicit Recurrent(int64_t count) : CountedLoop(count), steps(count) {
    x = outer.Parameter(F32({1, count, kWidth}));
    h = Input(outer.Floats({1, kWidth}, std::vector<float>(kWidth, 0.0f)));
    xt = Slice(x, 1);
  }

  ir::Source Slice(ir::Source source, int64_t axis) {
    TensorType type = outer.type(source);
    type.dims[static_cast<size_t>(axis)] = 1;
    const ir::Source parameter = body.Parameter(type);
    ir::AddSlice(*node, ir::AddInput(*node, source), *parameter.node, On(axis));
    return parameter;
  }
  void Scan(ir::Source value, int64_t axis) {
    TensorType type = body.type(value);
    type.dims[static_cast<size_t>(axis)] = steps;
    Last(value);
    GatherOn(axis);
    node->outputs.back().type = type;
  }
  ir::Source Of(const std::string& type, std::vector<ir::Source> inputs, TensorType declared,
                std::map<std::string, std::string> attributes = {}, int opset = 1) {
    return Typed(type, std::move(inputs), std::move(declared), std::move(attributes), opset);
  }
  ir::Source ToFloat(ir::Source number) {
    return Of("Convert", {number}, {ElementType::f32, body.type(number).dims},
              {{"destination_type", "f32"}});
  }
  // The loop with `added` added to its state.
  void End(ir::Source added, GraphBuilder& g) {
    const TensorType rows = F32({1, 1, kWidth});
    const ir::Source sum = Of("Add", {xt, h}, rows);
    const ir::Source more = Of("Tanh", {Of("Add", {sum, added}, rows)}, rows);
    const ir::Source next = Of("Reshape", {more, body.Ints({1, kWidth})}, kRow);
    GoesBack(next, h);
    Scan(more, 1);
    GoOn(body.Const<uint8_t>({ElementType::boolean, {}}, {1}));
    Close();
    g = std::move(outer);
  }

  const int64_t steps;
  ir::Source x, h, xt;
};

using BuildLoop = std::function<void(Recurrent&, GraphBuilder&)>;

Build Of(int64_t steps, const BuildLoop& build) {
  return [=](GraphBuilder& g) {
    Recurrent loop(steps);
    build(loop, g);
  };
}

// Converted from kTrips steps, it must continue like a model of more than twice as many steps.
void ExpectGoesOn(const BuildLoop& build) {
  for (const int64_t steps : {1, 2, 5}) {
    const int64_t all = (2 * kTrips + 3 + steps - 1) / steps * steps;
    ExpectSameBits(Of(all, build), Of(kTrips, build), all, steps);
  }
}

void ExpectRefuses(const BuildLoop& build, const std::string& layer, const std::string& what) {
  EXPECT_EQ(Refusal(Of(kTrips, build)), NeedsAll(layer, what));
  EXPECT_EQ(Refusal(Of(kTrips, build), kTrips), NeedsAll(layer, what));
}

const std::string kLoop = " of layer 2 \"Loop2\"";

TEST(StreamingCounters, GoesOnBehindTheLastStep) {
  ExpectGoesOn([](Recurrent& l, GraphBuilder& g) { l.End(l.body.Float(0.5f), g); });
}

TEST(StreamingCounters, GoesOnAlongAnInputThatTheCounterIndexes) {
  ExpectGoesOn([](Recurrent& l, GraphBuilder& g) {
    const ir::Source whole = l.Input(l.outer.Parameter(F32({1, l.steps, kWidth})));
    const ir::Source i = l.Iteration(), axis = l.body.Int(1);
    l.End(l.Of("Gather", {whole, i, axis}, kRow, {}, 8), g);
  });
}

// The axis has more elements than there are iterations.
TEST(StreamingCounters, RefusesAWholeInputThatTheCounterIndexes) {
  ExpectRefuses(
      [](Recurrent& l, GraphBuilder& g) {
        const ir::Source whole = l.Input(l.outer.Parameter(F32({1, kTrips + 1, kWidth})));
        const ir::Source i = l.Iteration(), axis = l.body.Int(1);
        l.End(l.Of("Gather", {whole, i, axis}, kRow, {}, 8), g);
      },
      "5 \"Gather5\" (Gather)",
      "input 1 is computed from the iteration counter \"Parameter3\"" + kLoop);
}

TEST(StreamingCounters, RefusesACounterAsANumber) {
  ExpectRefuses([](Recurrent& l, GraphBuilder& g) { l.End(l.ToFloat(l.Iteration()), g); },
                "3 \"Convert3\" (Convert)",
                "input 0 is computed from the iteration counter \"Parameter2\"" + kLoop);
}

TEST(StreamingCounters, RefusesAComparedCounter) {
  ExpectRefuses(
      [](Recurrent& l, GraphBuilder& g) {
        const ir::Source i = l.Iteration(), two = l.body.Int(2), none = l.body.Float(0);
        const ir::Source is_first = l.Compared("Less", i, two);
        l.End(l.Of("Select", {is_first, l.xt, none}, F32({1, 1, kWidth})), g);
      },
      "6 \"Select6\" (Select)",
      "input 0 is computed from the iteration counter \"Parameter2\"" + kLoop);
}

TEST(StreamingCounters, RefusesACounterThatIsCarriedUnderAnotherName) {
  const BuildLoop build = [](Recurrent& l, GraphBuilder& g) {
    const ir::Source table = l.body.Floats({64, kWidth}, Numbers(64 * kWidth, 3));
    const ir::Source i = l.Counter(5, 2), axis = l.body.Int(0);
    l.End(l.Of("Gather", {table, i, axis}, F32({kWidth}), {}, 8), g);
  };
  ExpectRefuses(build, "8 \"Gather8\" (Gather)",
                "input 1 is computed from the carried counter \"Parameter3\"" + kLoop);
}

TEST(StreamingCounters, RefusesAStateThatFollowsACounter) {
  ExpectRefuses(
      [](Recurrent& l, GraphBuilder& g) {
        const ir::Source late = l.Input(l.outer.Int(0));
        const ir::Source i = l.Iteration(), three = l.body.Int(3);
        l.GoesBack(l.Of("Multiply", {i, three}, kNumber), late);
        l.End(l.ToFloat(late), g);
      },
      "2 \"Loop2\" (Loop)",
      "its state \"Parameter2\" is computed from the iteration counter \"Parameter3\"");
}

TEST(StreamingCounters, RefusesACounterThatIsAnOutput) {
  ExpectRefuses(
      [](Recurrent& l, GraphBuilder& g) {
        const ir::Source i = l.Iteration(), three = l.body.Int(3);
        l.Last(l.Of("Multiply", {i, three}, kNumber));
        l.End(l.body.Float(0), g);
      },
      "2 \"Loop2\" (Loop)", "output 0 depends on the iteration counter \"Parameter2\"");
}

TEST(StreamingCounters, RefusesFloatsThatCountAndDecide) {
  ExpectRefuses(
      [](Recurrent& l, GraphBuilder& g) {
        const ir::Source count = l.Input(l.outer.Float(0)), one = l.body.Float(1);
        l.GoesBack(l.Of("Add", {count, one}, F32({})), count);
        const ir::Source three = l.body.Float(3), none = l.body.Float(0);
        const ir::Source late = l.Compared("Greater", count, three);
        l.End(l.Of("Select", {late, l.xt, none}, F32({1, 1, kWidth})), g);
      },
      "8 \"Greater8\" (Greater)",
      "input 0 is computed from the carried counter \"Parameter2\"" + kLoop);
}

TEST(StreamingCounters, RefusesTheTripCountInABody) {
  ExpectRefuses(
      [](Recurrent& l, GraphBuilder& g) {
        const ir::Source all = l.body.Parameter(kNumber);
        l.map().inputs.push_back({.parameter = all.node, .input = 0});
        l.End(l.Of("Divide", {l.xt, l.ToFloat(all)}, F32({1, 1, kWidth})), g);
      },
      "4 \"Divide4\" (Divide)", "input 1 is computed from the total number of steps" + kLoop);
}

// Computed numbers that do not depend on a slice.
TEST(StreamingCounters, GoesOnWithASeed) {
  ExpectGoesOn([](Recurrent& l, GraphBuilder& g) {
    const ir::Source seed = l.Input(l.outer.Int(1));
    const ir::Source wide = l.Of("Multiply", {seed, l.body.Int(25)}, kNumber);
    const ir::Source next = l.Of("FloorMod", {wide, l.body.Int(1009)}, kNumber);
    l.GoesBack(next, seed);
    l.End(l.Of("Multiply", {l.ToFloat(next), l.body.Float(0.001f)}, F32({})), g);
  });
}

TEST(StreamingCounters, GoesOnWithARunningMean) {
  ExpectGoesOn([](Recurrent& l, GraphBuilder& g) {
    const ir::Source count = l.Input(l.outer.Float(0));
    const ir::Source next = l.Of("Add", {count, l.body.Float(1)}, F32({}));
    l.GoesBack(next, count);
    l.End(l.Of("Divide", {l.h, next}, kRow), g);
  });
}

// No output depends on it.
TEST(StreamingCounters, LeavesAnUnusedCounter) {
  ExpectGoesOn([](Recurrent& l, GraphBuilder& g) {
    l.Counter(5, 2);
    l.Iteration();
    l.End(l.body.Float(0.25f), g);
  });
}

// One extent of a tensor, as a value outside of the loop before inference, with its declared type.
ir::Source ExtentOf(GraphBuilder& g, ir::Source source, int64_t axis) {
  const ir::Source shape = g.Add("ShapeOf", 3, {source}, {{"output_type", "i64"}});
  shape.node->outputs[0] = {{ElementType::i64, {3}}, true, {}};
  const ir::Source index = g.Int(axis), first = g.Int(0);
  const ir::Source extent = g.Add("Gather", 8, {shape, index, first});
  extent.node->outputs[0] = {kNumber, true, {}};
  return extent;
}

ir::Source FloatOf(GraphBuilder& g, ir::Source number) {
  const ir::Source converted = g.Add("Convert", 1, {number}, {{"destination_type", "f32"}});
  converted.node->outputs[0] = {F32({}), true, {}};
  return converted;
}

TEST(StreamingLengths, RefusesTheLengthInABody) {
  ExpectRefuses(
      [](Recurrent& l, GraphBuilder& g) {
        const ir::Source all = l.Input(FloatOf(l.outer, ExtentOf(l.outer, l.x, 1)));
        l.End(l.Of("Divide", {l.xt, all}, F32({1, 1, kWidth})), g);
      },
      "3 \"Divide3\" (Divide)", "input 1 is computed from the total number of steps" + kLoop);
}

TEST(StreamingLengths, RefusesTheLengthBehindALoop) {
  const Build build = Of(kTrips, [](Recurrent& l, GraphBuilder& g) {
    const ir::Source all = FloatOf(l.outer, ExtentOf(l.outer, l.x, 1));
    l.End(l.body.Float(0.25f), g);
    g.Result(g.Add("Divide", 1, {{l.node, 0}, all}));
  });
  EXPECT_EQ(Refusal(build), NeedsAll("11 \"Divide11\" (Divide)",
                                     "input 1 is computed from the total number of steps"));
}

TEST(StreamingLengths, RefusesAStateThatBeginsAsTheLength) {
  ExpectRefuses(
      [](Recurrent& l, GraphBuilder& g) {
        const ir::Source left = l.Input(FloatOf(l.outer, ExtentOf(l.outer, l.x, 1)));
        l.GoesBack(l.Of("Multiply", {left, l.body.Float(0.5f)}, F32({})), left);
        l.End(left, g);
      },
      "2 \"Loop2\" (Loop)", "its state \"Parameter2\" begins as the total number of steps");
}

TEST(StreamingLengths, RefusesAnOutputThatIsTheLength) {
  const Build build = Of(kTrips, [](Recurrent& l, GraphBuilder& g) {
    const ir::Source all = ExtentOf(l.outer, l.x, 1);
    l.End(l.body.Float(0.25f), g);
    g.Result(all);
  });
  EXPECT_EQ(Refusal(build), NeedsAll("10 \"Result10\" (Result)",
                                     "input 0 is computed from the total number of steps"));
}

// Values that depend on other extents, or only define the trip count, are valid for every length.
TEST(StreamingLengths, GoesOnWithALoopThatCountsToItsLength) {
  ExpectGoesOn([](Recurrent& l, GraphBuilder& g) {
    const ir::Source all = ExtentOf(l.outer, l.x, 1), width = ExtentOf(l.outer, l.x, 2);
    l.node->inputs[0] = all;
    const ir::Source scale = l.Input(FloatOf(l.outer, width));
    l.End(l.Of("Divide", {l.xt, scale}, F32({1, 1, kWidth})), g);
    const ir::Source row = g.Add("Unsqueeze", 1, {ExtentOf(g, l.x, 1), g.Ints({0})});
    const ir::Source shape = g.Add("Concat", 1, {g.Ints({1}), row, g.Ints({2})}, {{"axis", "0"}});
    const ir::Source told = g.Add("Broadcast", 3, {g.Parameter(F32({1, 1, 2})), shape});
    g.Result(g.Add("Concat", 1, {{l.node, 0}, told}, {{"axis", "2"}}));
  });
}

}  // namespace
}  // namespace weft
