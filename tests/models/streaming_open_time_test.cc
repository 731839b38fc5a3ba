// SPDX-License-Identifier: Apache-2.0
// Extents and trip counts that are functions of the length T of a dynamic time axis. Models that
// are streamed from T steps must continue like models of any number of steps.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converter/ir/edit.h"
#include "tests/converter/counted_loop.h"
#include "tests/models/streamed_graph.h"

namespace weft::open_time {
namespace {

constexpr int64_t kWidth = 4;

void ExpectGoesOn(const BuildFor& build, const graph::TimeNames& time_axes = {}) {
  for (const int64_t steps : {1, 2, 3}) {
    ExpectSameBits(Of(12, build), Of(ir::kTimeLength, build), 12, steps, time_axes, TimeIs::kOpen);
  }
}

ir::Source LengthOf(GraphBuilder& g, ir::Source x) {
  const ir::Source shape = g.Add("ShapeOf", 3, {x}, {{"output_type", "i64"}});
  return g.Add("Gather", 8, {shape, g.Int(1), g.Int(0)});
}

ir::Source RunningSum(GraphBuilder& g, ir::Source x, int64_t axis) {
  return g.Add("CumSum", 3, {x, g.Int(axis)});
}

using Form = std::function<ir::Source(GraphBuilder&, ir::Source)>;

BuildFor SumOf(const std::function<Dims(int64_t)>& dims_for, int64_t axis, const Form& form) {
  return [=](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32(dims_for(steps)));
    g.Result(RunningSum(g, form(g, x), axis));
  };
}

TEST(OpenTimeAxis, IsBesideTheOnlyElementOfAnotherAxis) {
  const Form first = [](GraphBuilder& g, ir::Source x) {
    return g.Add("Gather", 8, {x, g.Int(0), g.Int(1)});
  };
  ExpectGoesOn(SumOf([](int64_t steps) { return Dims{1, 1, steps}; }, 1, first));
  ExpectGoesOn(SumOf([](int64_t steps) { return Dims{1, 1, steps, 3}; }, 1, first));
  ExpectGoesOn(SumOf([](int64_t steps) { return Dims{2, 1, steps, 3}; }, 1, first));
}

TEST(OpenTimeAxis, IsBesideAllElementsOfAnotherAxis) {
  const auto dims = [](int64_t steps) { return Dims{1, 6, steps, 2}; };
  ExpectGoesOn(SumOf(dims, 2, [](GraphBuilder& g, ir::Source x) {
    return g.Add("Gather", 8, {x, g.Ints({0, 1, 2, 3, 4, 5}), g.Int(1)});
  }));
  ExpectGoesOn(SumOf(dims, 3, [](GraphBuilder& g, ir::Source x) {
    const ir::Source rows = g.Const<int64_t>({ElementType::i64, {2, 3}}, {0, 1, 2, 3, 4, 5});
    return g.Add("Gather", 8, {x, rows, g.Int(1)});
  }));
}

// A Pad, an additional axis and a window, as PyTorch's models of raw audio begin.
TEST(OpenTimeAxis, IsPaddedBeforeAnAxisIsAdded) {
  ExpectGoesOn([](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32({1, 2 * steps}));
    const ir::Source padded = g.Add("Pad", 12, {x, g.Ints({0, 2}), g.Ints({0, 0}), g.Float(0)},
                                    {{"pad_mode", "constant"}});
    const ir::Source channel = g.Add("Unsqueeze", 1, {padded, g.Ints({1})});
    g.Result(g.Add("Convolution", 1, {channel, Weights(g, {3, 1, 4}, 7)},
                   {{"strides", "2"},
                    {"dilations", "1"},
                    {"pads_begin", "0"},
                    {"pads_end", "0"},
                    {"auto_pad", "explicit"}}));
  });
}

// h = 0.5 h + c with one c for each iteration: the mean of a chunk of positions, or a constant.
struct Decay : CountedLoop {
  explicit Decay(int64_t steps) : CountedLoop(-1), x(outer.Parameter(F32({1, steps, kWidth}))) {}

  ir::Source State() {
    const ir::Source initial = outer.Floats({1, 1, kWidth}, std::vector<float>(kWidth, 0.25f));
    return Input(initial);
  }
  ir::Source Step(ir::Source h, ir::Source added) {
    const TensorType type = F32({1, 1, kWidth});
    return Typed("Add", {Typed("Multiply", {h, body.Float(0.5f)}, type), added}, type);
  }
  ir::Source Chunk(int64_t positions) {
    const ir::Source chunk = body.Parameter(F32({1, positions, kWidth}));
    ir::ChunkRange range = On(1);
    range.part_size = positions;
    ir::AddSlice(*node, ir::AddInput(*node, x), *chunk.node, range);
    return Typed("ReduceMean", {chunk, body.Ints({1})}, F32({1, 1, kWidth}),
                 {{"keep_dims", "true"}});
  }
  // Returns the scan output.
  ir::Source Finish(ir::Source h, ir::Source next, ir::Source condition) {
    GoesBack(next, h);
    const ir::Source all = Last(next);
    GatherOn(1);
    node->outputs.back() = {F32({1, -1, kWidth}), false, {}};
    GoOn(condition);
    node->bodies[0].graph = std::make_unique<ir::Graph>(std::move(body.graph));
    return all;
  }
  ir::Source True() { return body.Const<uint8_t>({ElementType::boolean, {}}, {1}); }

  ir::Source x;
};

TEST(OpenTimeAxis, IsThatOfALoopAndOfItsInput) {
  for (const int64_t positions : {1, 2, 4}) {
    SCOPED_TRACE(positions);
    const BuildFor build = [=](GraphBuilder& g, int64_t steps) {
      Decay loop(steps);
      GraphBuilder& outer = loop.outer;
      const ir::Source length = LengthOf(outer, loop.x);
      loop.node->inputs[0] = outer.Add("Divide", 1, {length, outer.Int(positions)});
      const ir::Source h = loop.State();
      const ir::Source all = loop.Finish(h, loop.Step(h, loop.Chunk(positions)), loop.True());
      const ir::Source chunks =
          outer.Add("Reshape", 1, {loop.x, outer.Ints({1, -1, positions, kWidth})});
      const ir::Source mean =
          outer.Add("ReduceMean", 1, {chunks, outer.Ints({2})}, {{"keep_dims", "false"}});
      outer.Result(outer.Add("Multiply", 1, {all, mean}));
      g = std::move(outer);
    };
    for (const int64_t steps : {1, 2, 3}) {
      ExpectSameBits(Of(12 * positions, build), Of(ir::kTimeLength, build), 12, steps, {},
                     TimeIs::kOpen);
    }
  }
}

TEST(OpenTimeAxis, IsThatOfALoopWithoutSlices) {
  ExpectGoesOn([](GraphBuilder& g, int64_t steps) {
    Decay loop(steps);
    loop.node->inputs[0] = LengthOf(loop.outer, loop.x);
    const ir::Source h = loop.State();
    const ir::Source all = loop.Finish(h, loop.Step(h, loop.body.Float(1)), loop.True());
    loop.outer.Result(loop.outer.Add("Multiply", 1, {all, loop.x}));
    g = std::move(loop.outer);
  });
}

// The body compares its counter with the length, as TensorFlow writes loops.
TEST(OpenTimeAxis, IsThatOfALoopThatCountsToIt) {
  ExpectGoesOn([](GraphBuilder& g, int64_t steps) {
    Decay loop(steps);
    const ir::Source i = loop.Counter(0, 1), length = LengthOf(loop.outer, loop.x);
    length.node->outputs[0].type = {ElementType::i64, {}};
    const ir::Source end = loop.Input(length), all_steps = loop.Input(loop.x);
    const ir::Source h = loop.State();
    const ir::Source xt =
        loop.Typed("Unsqueeze",
                   {loop.Typed("Gather", {all_steps, i, loop.body.Int(1)}, F32({1, kWidth}), {}, 8),
                    loop.body.Ints({1})},
                   F32({1, 1, kWidth}));
    const ir::Source next = loop.Typed("Add", {i, loop.body.Int(1)}, {ElementType::i64, {}});
    const ir::Source all = loop.Finish(h, loop.Step(h, xt), loop.Compared("Less", next, end));
    loop.outer.Result(loop.outer.Add("Multiply", 1, {all, loop.x}));
    g = std::move(loop.outer);
  });
}

}  // namespace
}  // namespace weft::open_time
