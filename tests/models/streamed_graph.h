// SPDX-License-Identifier: Apache-2.0
// A graph of T steps, in full and converted to streaming with N steps per run. The runs of the
// streamed model must be bit-identical to the full model, before and after a reset. If a test can
// build its graph for any T, the streamed model is converted from a shorter graph than the full
// model: after its last step it must continue like a longer model.
#ifndef WEFT_TESTS_MODELS_STREAMED_GRAPH_H_
#define WEFT_TESTS_MODELS_STREAMED_GRAPH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/emit/model_file.h"
#include "converter/graph/canonical/canonical.h"
#include "converter/graph/double_length.h"
#include "converter/graph/infer.h"
#include "converter/graph/layout/layout.h"
#include "converter/graph/lower.h"
#include "converter/graph/recognise/cells/cells.h"
#include "converter/graph/recognise/forms/forms.h"
#include "converter/graph/recognise/loops/loop_passes.h"
#include "converter/graph/streaming/open_time.h"
#include "converter/graph/streaming/streaming.h"
#include "converter/ir/time_length.h"
#include "converter/plan/loops/loops.h"
#include "converter/plan/plan.h"
#include "converter/program/coalesce.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/passes.h"
#include "runtime/weft.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph_builder.h"

namespace weft {

using Build = std::function<void(GraphBuilder&)>;
// Builds a graph of any number of steps.
using BuildFor = std::function<void(GraphBuilder&, int64_t steps)>;

inline Build Of(int64_t steps, const BuildFor& build) {
  return [=](GraphBuilder& g) { build(g, steps); };
}

inline std::vector<float> Numbers(size_t count, uint32_t seed) {
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    seed = seed * 1664525u + 1013904223u;
    number = (static_cast<float>(seed >> 19) - 4096.0f) / 4096.0f;
  }
  return numbers;
}

inline ir::Source Weights(GraphBuilder& g, Dims dims, uint32_t seed) {
  const auto count = static_cast<size_t>(ElementCount(dims).value());
  return g.Floats(std::move(dims), Numbers(count, seed));
}

inline bool Infer(GraphBuilder& g) {
  graph::RecogniseCountsByShapes(g.graph, FoldingHere());
  if (graph::DoubleLength::IsNeeded(g.graph)) graph::UnfoldTripCounts(g.graph);
  const bool is_valid = InferAndFold(g.graph, {}, g.faults);
  if (is_valid) graph::Canonicalise(g.graph);
  return is_valid;
}

// Whether the time axis is dynamic: the graph then has ir::kTimeLength steps.
enum class TimeIs { kFixed, kOpen };

// Makes each input axis of ir::kTimeLength steps a dynamic one.
inline void OpenTime(ir::Graph& graph) {
  for (ir::Node* parameter : graph.parameters) {
    ir::OutputPort& port = parameter->outputs[0];
    port.doubled = port.type.dims;
    for (int64_t& dim : port.doubled) dim *= dim == ir::kTimeLength ? 2 : 1;
    if (port.doubled == port.type.dims) port.doubled.clear();
  }
}

inline std::optional<graph::Streamed> Streamed(GraphBuilder& g, const graph::StreamOptions& options,
                                               TimeIs time) {
  graph::Folding folding = FoldingHere();
  if (time == TimeIs::kFixed) return graph::Stream(g.graph, options, folding, g.faults);
  return graph::StreamOpenTime(g.graph, options, {}, folding, g.faults);
}

// The passes between inference and lowering that rewrite sums, in the order of
// converter/pipeline.cc.
inline void RunGraphPasses(ir::Graph& graph) {
  graph::JoinTables(graph);
  graph::RecogniseCells(graph);
  graph::RecogniseForms(graph);
  graph::JoinConstants(graph);
  graph::ChooseLayouts(graph);
}

// A model converted from a graph, and its engine.
class Model {
 public:
  struct WithGraphPasses {};  // with all graph passes, like the command

  Model(const Build& build, WithGraphPasses) {
    build(graph_);
    EXPECT_TRUE(Infer(graph_)) << graph_.FaultText();
    RunGraphPasses(graph_.graph);
    Open();
  }
  Model(const Build& build, int64_t streaming_steps, const graph::TimeNames& time_axes = {},
        TimeIs time = TimeIs::kFixed) {
    build(graph_);
    if (time == TimeIs::kOpen) OpenTime(graph_.graph);
    EXPECT_TRUE(Infer(graph_)) << graph_.FaultText();
    if (streaming_steps > 0) {
      const auto streamed = Streamed(graph_, {streaming_steps, time_axes}, time);
      EXPECT_TRUE(streamed) << graph_.FaultText();
      if (streamed) told = *streamed;
      EXPECT_TRUE(InferAndFold(graph_.graph, {}, graph_.faults)) << graph_.FaultText();
    }
    Open();
  }

  std::span<std::byte> state() { return {state_.data(), state_.size()}; }

  Engine engine;
  bool opened = false;
  std::vector<std::string> variables;
  graph::Streamed told;

 private:
  void Open() {
    if (!graph_.faults.ok()) return;
    program::Program program;
    EXPECT_TRUE(graph::Lower(graph_.graph, program, graph_.faults)) << graph_.FaultText();
    program::ReadRingsInPlace(program);
    program::FuseTails(program);
    plan::PlanLoops(program);
    program::Hoist(program, INT64_MAX);
    program::Coalesce(program);
    const plan::Plan plan = plan::PlanAsIs(std::move(program));
    const emit::ModelFile file = emit::WriteModelFile(plan, {}, graph_.faults);
    for (const program::Variable& variable : plan.program.variables)
      variables.push_back(variable.name);
    model_ = AlignedBytes(file.bytes.size());
    std::memcpy(model_.data(), file.bytes.data(), file.bytes.size());
    state_ = AlignedBytes(static_cast<size_t>(plan.state_bytes));
    scratch_ = AlignedBytes(static_cast<size_t>(plan.scratch_bytes[0]));
    Memory memory;
    memory.state = {state_.data(), state_.size()};
    memory.scratch = {scratch_.data(), scratch_.size()};
    opened = Engine::Open({model_.data(), model_.size()}, AllSteps(), memory, &engine).ok();
    EXPECT_TRUE(opened);
  }

  GraphBuilder graph_;
  AlignedBytes model_{0}, state_{0}, scratch_{0};
};

using PortBytes = std::vector<unsigned char>;

// Time is the first axis that differs; a port without such an axis is equal in every run.
inline void Move(const Tensor& whole, const Tensor& part, PortBytes& bytes, size_t run,
                 bool to_part) {
  size_t rows = 1;
  uint32_t axis = 0;
  for (; axis < whole.rank && whole.dims[axis] == part.dims[axis]; ++axis) rows *= whole.dims[axis];
  const bool has_time = axis < whole.rank;
  if (!has_time) rows = 1;
  const size_t row_bytes = whole.bytes / rows, part_bytes = part.bytes / rows;
  for (size_t row = 0; row < rows; ++row) {
    unsigned char* position = bytes.data() + row * row_bytes + (has_time ? run * part_bytes : 0);
    unsigned char* piece = part.as<unsigned char>() + row * part_bytes;
    std::copy_n(to_part ? position : piece, part_bytes, to_part ? piece : position);
  }
}

inline PortBytes BytesOf(const Tensor& tensor) {
  return {tensor.as<unsigned char>(), tensor.as<unsigned char>() + tensor.bytes};
}

// Returns true if `runs` parts fill the full tensor along one axis, or if no axis differs.
inline bool Meet(const Tensor& whole, const Tensor& part, int64_t runs) {
  if (whole.rank != part.rank) return false;
  int differing = 0;
  for (uint32_t axis = 0; axis < whole.rank; ++axis) {
    if (whole.dims[axis] == part.dims[axis]) continue;
    ++differing;
    if (whole.dims[axis] != part.dims[axis] * static_cast<uint32_t>(runs)) return false;
  }
  return differing <= 1;
}

// Compares the full model with the streamed one. `of_whole` and `of_part` build the same model for
// `all_steps` and for any number of steps.
inline void ExpectSameBits(const Build& of_whole, const Build& of_part, int64_t all_steps,
                           int64_t steps, const graph::TimeNames& time_axes = {},
                           TimeIs time = TimeIs::kFixed) {
  SCOPED_TRACE(std::to_string(steps) + " steps a run");
  Model whole(of_whole, 0), part(of_part, steps, time_axes, time);
  if (!whole.opened || !part.opened) return;
  for (uint32_t i = 0; i < whole.engine.input_count(); ++i) {
    ASSERT_TRUE(Meet(whole.engine.input(i), part.engine.input(i), all_steps / steps))
        << "input " << i;
  }
  for (uint32_t i = 0; i < whole.engine.output_count(); ++i) {
    ASSERT_TRUE(Meet(whole.engine.output(i), part.engine.output(i), all_steps / steps))
        << "output " << i;
  }
  std::vector<PortBytes> inputs, expected, actual;
  for (uint32_t i = 0; i < whole.engine.input_count(); ++i) {
    const Tensor tensor = whole.engine.input(i);
    const std::vector<float> numbers = Numbers(tensor.bytes / sizeof(float), 11 + i);
    std::copy(numbers.begin(), numbers.end(), tensor.as<float>());
    inputs.push_back(BytesOf(tensor));
  }
  ASSERT_TRUE(whole.engine.Run().ok());
  for (uint32_t i = 0; i < whole.engine.output_count(); ++i) {
    expected.push_back(BytesOf(whole.engine.output(i)));
  }
  for (const char* when : {"after opening", "after a reset"}) {
    actual.clear();
    for (const PortBytes& bytes : expected) actual.emplace_back(bytes.size());
    for (size_t run = 0; run < static_cast<size_t>(all_steps / steps); ++run) {
      for (uint32_t i = 0; i < inputs.size(); ++i) {
        Move(whole.engine.input(i), part.engine.input(i), inputs[i], run, true);
      }
      ASSERT_TRUE(part.engine.Run().ok());
      for (uint32_t i = 0; i < actual.size(); ++i) {
        Move(whole.engine.output(i), part.engine.output(i), actual[i], run, false);
      }
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(expected[i], actual[i]) << "output " << i << " " << when;
    }
    part.engine.Reset();
  }
}

// Checks that a model streamed from 6 steps continues like a model of twice as many steps.
inline void ExpectContinues(const BuildFor& build) {
  for (const int64_t steps : {1, 2, 3, 6}) ExpectSameBits(Of(12, build), Of(6, build), 12, steps);
}

// Checks that models streamed with one step and with `many` steps per run continue from each
// other's state bytes.
inline void ExpectHandsOver(const Build& build, int64_t all_steps, int64_t many_steps) {
  Model whole(build, 0), one(build, 1), many(build, many_steps);
  ASSERT_EQ(all_steps, 3 * many_steps);
  EXPECT_EQ(one.variables, many.variables);
  ASSERT_EQ(one.state().size(), many.state().size());
  const Tensor all = whole.engine.input(0);
  const std::vector<float> numbers = Numbers(all.bytes / sizeof(float), 41);
  std::copy(numbers.begin(), numbers.end(), all.as<float>());
  PortBytes input = BytesOf(all);
  ASSERT_TRUE(whole.engine.Run().ok());
  const Tensor result = whole.engine.output(0);
  PortBytes output(result.bytes);
  const auto run = [&](Model& model, size_t at) {
    Move(all, model.engine.input(0), input, at, true);
    ASSERT_TRUE(model.engine.Run().ok());
    Move(result, model.engine.output(0), output, at, false);
  };
  const auto steps = static_cast<size_t>(many_steps);
  run(many, 0);
  for (size_t at = 0; at < steps; ++at) run(one, at);
  EXPECT_EQ(std::memcmp(one.state().data(), many.state().data(), one.state().size()), 0);
  for (size_t at = steps; at < steps + 3; ++at) run(one, at);
  run(many, 1);
  std::memcpy(one.state().data(), many.state().data(), one.state().size());
  for (size_t at = 2 * steps; at < 3 * steps; ++at) run(one, at);
  EXPECT_EQ(output, BytesOf(result));
}

// Returns the errors of the streaming pass for a graph that it rejects.
inline std::string Refusal(const Build& build, int64_t steps = 1,
                           const graph::TimeNames& time_axes = {}, TimeIs time = TimeIs::kFixed) {
  GraphBuilder g;
  build(g);
  if (time == TimeIs::kOpen) OpenTime(g.graph);
  EXPECT_TRUE(Infer(g)) << g.FaultText();
  EXPECT_FALSE(Streamed(g, {steps, time_axes}, time));
  return g.FaultText();
}

// Returns the expected error line of one rejected layer.
inline std::string NeedsAll(const std::string& layer, const std::string& what) {
  return "test.xml: layer " + layer + ": needs the full sequence (" + what +
         "); --streaming must be able to run it step by step\n";
}

}  // namespace weft

#endif  // WEFT_TESTS_MODELS_STREAMED_GRAPH_H_
