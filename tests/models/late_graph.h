// SPDX-License-Identifier: Apache-2.0
// Tests models with look-ahead, converted to streaming: run t must give the output of step t -
// latency of the full model, bit-identical for any number of steps per run. Also defines the layers
// of these models, over [1, channels, time].
#ifndef WEFT_TESTS_MODELS_LATE_GRAPH_H_
#define WEFT_TESTS_MODELS_LATE_GRAPH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/streamed_graph.h"

namespace weft::latency {

constexpr int64_t kSteps = 12, kTimes = 3;
using Attributes = std::map<std::string, std::string>;

// A tensor as rows along an axis: the number of rows, and the bytes of one element of the axis.
struct Rows {
  size_t count = 1, position_bytes = sizeof(float);
};

inline Rows RowsAlong(const Tensor& tensor, size_t axis) {
  Rows rows;
  for (size_t i = 0; i < axis; ++i) rows.count *= tensor.dims[i];
  for (size_t i = axis + 1; i < tensor.rank; ++i) rows.position_bytes *= tensor.dims[i];
  return rows;
}

// Copies elements along an axis from one tensor to another, starting at index `at` of the target.
inline void CopyPositions(const unsigned char* from, size_t from_positions, size_t first,
                          unsigned char* to, size_t to_positions, size_t at, size_t count,
                          const Rows& rows) {
  for (size_t row = 0; row < rows.count; ++row) {
    std::copy_n(from + (row * from_positions + first) * rows.position_bytes,
                count * rows.position_bytes, to + (row * to_positions + at) * rows.position_bytes);
  }
}

// A full model of kTimes as many steps as the streamed one, and the outputs of the streamed model's
// runs.
class Comparison {
 public:
  Comparison(const BuildFor& build, int64_t steps, TimeIs time)
      : steps_(steps),
        whole_(Of(kTimes * kSteps, build), 0),
        part_(Of(time == TimeIs::kOpen ? ir::kTimeLength : kSteps, build), steps, {}, time) {}

  void Run(const std::vector<int64_t>& latencies) {
    if (!whole_.opened || !part_.opened) return;
    SetInputs();
    ASSERT_TRUE(whole_.engine.Run().ok());
    for (const char* when : {"after opening", "after a reset"}) {
      SCOPED_TRACE(when);
      RunParts();
      part_.engine.Reset();
    }
    for (size_t i = 0; i < latencies.size(); ++i) EXPECT_EQ(told(i).row.latency(), latencies[i]);
  }
  const graph::Streamed& told() const { return part_.told; }

 private:
  const graph::StreamedPort& told(size_t output) const { return part_.told.outputs[output]; }
  int64_t runs() const {
    const int64_t all = part_.told.all_steps;  // 0 if dynamic
    return kTimes * (all == 0 ? kSteps : all) / steps_;
  }

  void SetInputs() {
    for (uint32_t i = 0; i < whole_.engine.input_count(); ++i) {
      const Tensor tensor = whole_.engine.input(i);
      std::vector<float> numbers = Numbers(tensor.bytes / sizeof(float), 11 + i);
      for (size_t at = 0; at < numbers.size(); at += 7) numbers[at] = -0.0f;
      std::copy(numbers.begin(), numbers.end(), tensor.as<float>());
      inputs_.push_back(BytesOf(tensor));
    }
  }

  void RunParts() {
    std::vector<PortBytes> given(whole_.engine.output_count());
    for (int64_t run = 0; run < runs(); ++run) {
      for (uint32_t i = 0; i < inputs_.size(); ++i) Feed(i, run);
      ASSERT_TRUE(part_.engine.Run().ok());
      for (uint32_t i = 0; i < given.size(); ++i) Take(i, run, given[i]);
    }
    for (uint32_t i = 0; i < given.size(); ++i) Compare(i, given[i]);
  }

  void Feed(uint32_t i, int64_t run) {
    const Tensor whole = whole_.engine.input(i), part = part_.engine.input(i);
    const graph::StreamedPort& port = part_.told.inputs[i];
    if (!port.HasTime())
      return std::copy(inputs_[i].begin(), inputs_[i].end(), part.as<unsigned char>()), void();
    const size_t axis = port.row.axis();
    const size_t positions = part.dims[axis];
    CopyPositions(inputs_[i].data(), whole.dims[axis], static_cast<size_t>(run) * positions,
                  part.as<unsigned char>(), positions, 0, positions, RowsAlong(part, axis));
  }

  void Take(uint32_t i, int64_t run, PortBytes& given) {
    const Tensor part = part_.engine.output(i);
    if (!told(i).HasTime()) return void(given = BytesOf(part));
    given.resize(part.bytes * static_cast<size_t>(runs()));
    const size_t axis = told(i).row.axis();
    const size_t positions = part.dims[axis], all = positions * static_cast<size_t>(runs());
    CopyPositions(part.as<unsigned char>(), positions, 0, given.data(), all,
                  static_cast<size_t>(run) * positions, positions, RowsAlong(part, axis));
  }

  // Compares the part of the full output that has arrived. Skips outputs without a time axis: they
  // belong to the last step, which has not arrived.
  void Compare(uint32_t i, const PortBytes& given) {
    SCOPED_TRACE("output " + std::to_string(i));
    const Tensor whole = whole_.engine.output(i), part = part_.engine.output(i);
    if (!told(i).HasTime()) return;
    const size_t axis = told(i).row.axis();
    const size_t all = part.dims[axis] * static_cast<size_t>(runs());
    const auto late = size_t{told(i).row.latency()} * part.dims[axis] / static_cast<size_t>(steps_);
    ASSERT_LT(late, all);
    const size_t count = std::min<size_t>(all - late, whole.dims[axis]);
    const Rows rows = RowsAlong(part, axis);
    PortBytes expected(rows.count * count * rows.position_bytes), actual = expected;
    CopyPositions(whole.as<unsigned char>(), whole.dims[axis], 0, expected.data(), count, 0, count,
                  rows);
    CopyPositions(given.data(), all, late, actual.data(), count, 0, count, rows);
    const auto differs = std::ranges::mismatch(expected, actual).in1;
    EXPECT_EQ(differs, expected.end()) << "byte " << differs - expected.begin();
  }

  const int64_t steps_;
  Model whole_, part_;
  std::vector<PortBytes> inputs_;
};

// Checks that results and state sizes are equal for any number of steps per run.
inline void ExpectLate(const BuildFor& build, const std::vector<int64_t>& latencies,
                       TimeIs time = TimeIs::kFixed) {
  std::vector<std::pair<std::string, int64_t>> states;
  for (const int64_t steps : {1, 2, 3, 5}) {
    SCOPED_TRACE(std::to_string(steps) + " steps a run");
    Comparison comparison(build, steps, time);
    comparison.Run(latencies);
    std::vector<std::pair<std::string, int64_t>> found;
    for (const graph::StreamedState& state : comparison.told().states) {
      found.emplace_back(state.name, state.bytes);
    }
    if (steps == 1) states = found;
    EXPECT_EQ(found, states);
  }
}

inline Attributes Window(int64_t stride, int64_t dilation, int64_t begin, int64_t end) {
  return {{"strides", std::to_string(stride)},
          {"dilations", std::to_string(dilation)},
          {"pads_begin", std::to_string(begin)},
          {"pads_end", std::to_string(end)},
          {"auto_pad", "explicit"}};
}

inline Attributes PoolWindow(int64_t kernel, int64_t stride, int64_t begin, int64_t end) {
  Attributes attributes = Window(stride, 1, begin, end);
  attributes.erase("dilations");
  attributes["kernel"] = std::to_string(kernel);
  attributes["rounding_type"] = "floor";
  attributes["exclude-pad"] = "false";
  return attributes;
}

inline ir::Source Conv(GraphBuilder& g, ir::Source x, Dims filters, const Attributes& window) {
  return g.Add("Convolution", 1, {x, Weights(g, std::move(filters), 21)}, window);
}

inline ir::Source Tanh(GraphBuilder& g, ir::Source x) { return g.Add("Tanh", 1, {x}); }

inline ir::Source Bias(GraphBuilder& g, ir::Source x, int64_t channels) {
  return g.Add("Add", 1, {x, Weights(g, {1, channels, 1}, 23)});
}

inline ir::Source Signal(GraphBuilder& g, int64_t channels, int64_t positions) {
  return g.Parameter(F32({1, channels, positions}));
}

inline ir::Source Cropped(GraphBuilder& g, ir::Source x, int64_t begin, int64_t end) {
  return g.Add("Slice", 8, {x, g.Ints({begin}), g.Ints({end}), g.Ints({1}), g.Ints({2})});
}

inline ir::Source Bordered(GraphBuilder& g, ir::Source x, int64_t begin, int64_t end, float fill) {
  return g.Add("Pad", 12, {x, g.Ints({0, 0, begin}), g.Ints({0, 0, end}), g.Float(fill)},
               {{"pad_mode", "constant"}});
}

inline ir::Source Repeated(GraphBuilder& g, ir::Source x, int64_t begin, int64_t end) {
  return g.Add("Pad", 12, {x, g.Ints({0, 0, begin}), g.Ints({0, 0, end})}, {{"pad_mode", "edge"}});
}

// The number of positions of [batch, positions, width], computed by the model.
inline ir::Source LengthOf(GraphBuilder& g, ir::Source rows) {
  return g.Add("Gather", 8, {g.Add("ShapeOf", 3, {rows}), g.Ints({1}), g.Int(0)});
}

// A sequence over x [1, 3, time]; its last state is port 1 of the sequence. With `positions` 0 the
// model computes the length.
inline ir::Source Sequence(GraphBuilder& g, const std::string& type, ir::Source x,
                           int64_t positions) {
  const int64_t gates = type == "LSTMSequence" ? 4 : type == "GRUSequence" ? 3 : 1;
  const ir::Source rows = g.Add("Transpose", 1, {x, g.Ints({0, 2, 1})});
  const ir::Source length =
      positions == 0 ? LengthOf(g, rows)
                     : g.Const<int32_t>({ElementType::i32, {1}}, {static_cast<int32_t>(positions)});
  std::vector<ir::Source> inputs = {rows, Weights(g, {1, 1, 3}, 5)};
  if (gates == 4) inputs.push_back(Weights(g, {1, 1, 3}, 6));
  inputs.insert(inputs.end(), {length, Weights(g, {1, 3 * gates, 3}, 1),
                               Weights(g, {1, 3 * gates, 3}, 2), Weights(g, {1, 3 * gates}, 3)});
  return g.Add(type, 5, inputs, {{"hidden_size", "3"}, {"direction", "forward"}},
               gates == 4 ? 3 : 2);
}

inline ir::Source Hidden(GraphBuilder& g, const std::string& type, ir::Source x,
                         int64_t positions) {
  const ir::Source hidden = g.Add("Squeeze", 1, {Sequence(g, type, x, positions), g.Ints({1})});
  return g.Add("Transpose", 1, {hidden, g.Ints({0, 2, 1})});
}

}  // namespace weft::latency

#endif  // WEFT_TESTS_MODELS_LATE_GRAPH_H_
