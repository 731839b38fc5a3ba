// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/resize.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "converter/graph/numbering.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// A dense tensor as [rows, steps, bytes per step].
struct Layout {
  int64_t rows, step_bytes;
};

Layout LayoutOf(const TensorType& type, const TimeAxis& time) {
  const auto at = static_cast<size_t>(time.axis);
  const int64_t inside = ops::ProductOf(type.dims, at + 1, type.dims.size());
  return {ops::ProductOf(type.dims, 0, at) * time.outer,
          time.chunk * inside * ElementBytes(type.type)};
}

// Gives a constant `steps` steps; step i is the previous step from(i).
template <typename From>
void TakeSteps(ir::Constant& constant, const TimeAxis& time, int64_t steps, From from) {
  const auto [rows, step_bytes] = LayoutOf(constant.type, time);
  std::vector<std::byte> bytes;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t begin = row * (std::ssize(constant.bytes) / rows);
    for (int64_t i = 0; i < steps; ++i) {
      const auto step = constant.bytes.subspan(static_cast<size_t>(begin + from(i) * step_bytes),
                                               static_cast<size_t>(step_bytes));
      bytes.insert(bytes.end(), step.begin(), step.end());
    }
  }
  TensorType type = constant.type;
  type.dims[static_cast<size_t>(time.axis)] = time.outer * time.chunk * steps;
  QuantisationPtr quantisation = std::move(constant.quantisation);
  constant = ir::OwnedConstant(std::move(type), std::move(bytes));
  constant.quantisation = std::move(quantisation);
}

class Resizing {
 public:
  Resizing(ir::Graph& graph, const TimeAxes& times, int64_t steps)
      : graph_(graph), times_(times), steps_(steps) {}

  void Run() {
    // Slices are read while their inputs still have all steps.
    for (ir::Node* node : times_.nodes()) TakeLast(*node);
    for (ir::Node* node : times_.nodes()) SetExtents(*node);
    for (ir::Node* node : times_.nodes()) SetTargets(*node);
    for (ir::Node* node : times_.nodes()) TakeEvery(*node);
  }

 private:
  int64_t Extent(const TimeAxis& time) const { return time.outer * steps_ * time.chunk; }

  void TakeLast(ir::Node& node);
  void TakeEvery(ir::Node& node);
  void SetExtents(ir::Node& node);
  void SetTargets(ir::Node& node);

  ir::Graph& graph_;
  const TimeAxes& times_;
  const int64_t steps_;
};

// Converts selections of the last step, or of the first one, to a slice with explicit bounds and a
// reshape.
void Resizing::TakeLast(ir::Node& node) {
  const std::vector<Selection>& selections = times_.Relation(&node).selections;
  const TimeAxis* time = selections.empty() ? nullptr : times_.Of(node.inputs[0]);
  if (time == nullptr) return;
  const auto selection = std::ranges::find(selections, time->axis, &Selection::axis);
  if (selection == selections.end()) return;
  std::vector<ops::Runs> runs = times_.Relation(&node).runs;
  const bool is_last = TakesLastStep(*selection, *time, times_.steps());
  const int64_t shift = is_last ? (steps_ - times_.steps()) * time->chunk : 0;
  runs[static_cast<size_t>(time->axis)] = {
      {0, selection->end - selection->begin, selection->begin + shift, 1}};
  BecomeSlice(graph_, node, runs);
}

// Converts a selection of every n-th position to one that starts at the first position.
void Resizing::TakeEvery(ir::Node& node) {
  const AxisRelation& relation = times_.Relation(&node);
  const TimeAxis* time = relation.runs.empty() ? nullptr : times_.Of(node.inputs[0]);
  if (time == nullptr || DelayAlong(relation, time->axis) == nullptr) return;
  std::vector<ops::Runs> runs = relation.runs;
  ops::Run& run = runs[static_cast<size_t>(time->axis)][0];
  run.count = Extent(*time) / run.step;
  BecomeSlice(graph_, node, runs);
}

void Resizing::SetExtents(ir::Node& node) {
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const TimeAxis* time = times_.Of({&node, port});
    if (time == nullptr) continue;
    if (node.constant && !IsOpenNumbering(node)) {
      TakeSteps(*node.constant, *time, steps_, [](int64_t step) { return step; });
    }
    node.outputs[port].type.dims[static_cast<size_t>(time->axis)] = Extent(*time);
  }
}

void Resizing::SetTargets(ir::Node& node) {
  if (node.outputs.empty()) return;
  const TimeAxis* time = times_.Of({&node, 0});
  if (time == nullptr) return;
  const AxisRelation& relation = times_.Relation(&node);
  if (relation.reshapes) {
    BecomeReshape(graph_, node, node.inputs[0], node.outputs[0].type.dims);
  }
  if (relation.stretches) SetBroadcastExtent(graph_, node, time->axis, Extent(*time));
}

}  // namespace

bool TakesLastStep(const Selection& selection, const TimeAxis& time, int64_t steps) {
  return time.outer == 1 && selection.begin >= (steps - 1) * time.chunk;
}

bool IsAlikeAtEveryStep(const ir::Constant& constant, const TimeAxis& time, int64_t steps) {
  const auto [rows, step_bytes] = LayoutOf(constant.type, time);
  const auto step = [&](int64_t row, int64_t at) {
    return constant.bytes.subspan(static_cast<size_t>((row * steps + at) * step_bytes),
                                  static_cast<size_t>(step_bytes));
  };
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t at = 1; at < steps; ++at) {
      if (!std::ranges::equal(step(row, 0), step(row, at))) return false;
    }
  }
  return true;
}

bool HaveTheSameStep(const ir::Constant& a, const ir::Constant& b, const TimeAxis& time) {
  const auto at = static_cast<size_t>(time.axis);
  Dims a_dims = a.type.dims, b_dims = b.type.dims;
  if (a.type.type != b.type.type || a_dims.size() != b_dims.size()) return false;
  a_dims[at] = b_dims[at] = 0;
  if (a_dims != b_dims) return false;
  const auto [rows, step_bytes] = LayoutOf(a.type, time);
  const auto first = [&, row_count = rows, bytes = step_bytes](const ir::Constant& of,
                                                               int64_t row) {
    const int64_t row_bytes = static_cast<int64_t>(of.bytes.size()) / row_count;
    return of.bytes.subspan(static_cast<size_t>(row * row_bytes), static_cast<size_t>(bytes));
  };
  for (int64_t row = 0; row < rows; ++row) {
    if (!std::ranges::equal(first(a, row), first(b, row))) return false;
  }
  return true;
}

void RepeatStep(ir::Constant& constant, const TimeAxis& time, int64_t steps) {
  TakeSteps(constant, time, steps, [](int64_t) { return 0; });
}

void BecomeSlice(ir::Graph& graph, ir::Node& node, const std::vector<ops::Runs>& runs) {
  SliceBounds bounds;
  Dims kept;
  for (const ops::Runs& axis : runs) {
    const ops::Run& run = axis[0];
    const int64_t end = run.source + run.count * run.step;
    bounds.begins.push_back(run.source);
    bounds.ends.push_back(end < 0 ? std::numeric_limits<int32_t>::min() : end);
    bounds.steps.push_back(run.step);
    kept.push_back(run.count);
  }
  const ir::Source slice = NewSlice(graph, node, node.inputs[0], bounds);
  slice.node->outputs[0].type = {TypeOf(node.inputs[0]).type, kept};
  BecomeReshape(graph, node, slice, node.outputs[0].type.dims);
}

void DelayPositions(ir::Node& node, const TimeAxis& time, int64_t late, int64_t positions) {
  ir::Constant& constant = *node.constant;
  const int64_t extent = constant.type.dims[static_cast<size_t>(time.axis)];
  TakeSteps(constant, {time.axis, 1, 1}, positions, [&](int64_t i) {
    const int64_t position = i - late;
    if (position < extent) return std::max<int64_t>(position, 0);
    return std::max<int64_t>(extent - time.chunk, 0) +
           (position - extent) % std::min(time.chunk, extent);
  });
  node.outputs[0].type = constant.type;
}

// The numbers are aligned with the last axes.
void SetBroadcastExtent(ir::Graph& graph, ir::Node& node, int64_t axis, int64_t extent) {
  const Quiet<ops::NodeScope> scope(graph, node);
  Dims numbers = scope.Ints(1).value();
  const auto rank = static_cast<int64_t>(node.outputs[0].type.dims.size());
  const int64_t at = axis - rank + static_cast<int64_t>(numbers.size());
  if (at < 0 || numbers[static_cast<size_t>(at)] == 1) return;
  numbers[static_cast<size_t>(at)] = extent;
  const TensorType type = scope.input_type(1);
  node.inputs[1] = NewInts(graph, node, type, numbers);
}

void Resize(ir::Graph& graph, const TimeAxes& times, int64_t steps) {
  Resizing(graph, times, steps).Run();
}

}  // namespace weft::graph
