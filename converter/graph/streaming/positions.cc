// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/positions.h"

#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include "converter/graph/numbering.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/closed_values.h"
#include "converter/graph/streaming/length_values.h"
#include "converter/graph/streaming/mask_samples.h"
#include "converter/ir/time_length.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

class Positions {
 public:
  Positions(ir::Graph& graph, const Folding& folding)
      : graph_(graph), closed_(graph), values_(graph, folding) {}

  void Run() {
    for (ir::Node* node : ir::Topological(graph_)) {
      if (!closed_.Is(*node)) ComputeInputs(*node);
    }
  }

 private:
  void ComputeInputs(ir::Node& node);
  ir::Source Computed(const ir::Source& source);
  std::optional<ir::Source> Range(ir::Node& node);
  std::optional<ir::Source> Rows(ir::Node& slice);
  std::optional<ir::Source> NumbersFrom(const ir::Node& like, const TensorType& type, int64_t first,
                                        int64_t step);

  ir::Graph& graph_;
  ClosedNodes closed_;
  LengthValues values_;
  std::map<const ir::Node*, ir::Source> computed_;
};

// Inputs that only determine extents, or which elements are selected, stay constant.
void Positions::ComputeInputs(ir::Node& node) {
  if (node.operation == nullptr && !ir::IsResult(node)) return;
  bool is_shaped = false;
  if (node.operation != nullptr) {
    const AxisRelation relation = ops::RelationOf(graph_, node);
    is_shaped = relation.stretches || relation.reshapes ||
                (relation.selects && ir::OpenAxes(node.inputs[0]) != 0);
  }
  for (size_t i = 0; i < node.inputs.size() && (i == 0 || !is_shaped); ++i) {
    node.inputs[i] = Computed(node.inputs[i]);
  }
}

ir::Source Positions::Computed(const ir::Source& source) {
  ir::Node& node = *source.node;
  if (node.constant || ir::OpenAxes(source) == 0 || !closed_.Is(node)) return source;
  if (IsOverPairs(source)) return source;
  const auto found = computed_.find(&node);
  if (found != computed_.end()) return found->second;
  ir::Source computed = source;
  const bool is_slice = ops::RelationOf(graph_, node).selects &&
                        ir::OpenAxes(node.inputs[0]) == 0 && node.inputs[0].node->constant &&
                        node.inputs.size() > 3;
  if (node.operation->name == "Range") {
    computed = Range(node).value_or(source);
  } else if (is_slice) {
    computed = Rows(node).value_or(source);
  } else {
    ComputeInputs(node);
  }
  return computed_[&node] = computed;
}

// Only the stop of a Range may depend on T, because it only determines the number of elements.
std::optional<ir::Source> Positions::Range(ir::Node& node) {
  constexpr size_t kStart = 0, kStop = 1, kStep = 2;
  const Quiet<ops::NodeScope> scope(graph_, node);
  const auto first = scope.Numbers(kStart), step = scope.Numbers(kStep);
  const auto is_integer = [](const auto& numbers) {
    return numbers && numbers->size() == 1 && (*numbers)[0] == std::nearbyint((*numbers)[0]);
  };
  if (!is_integer(first) || !is_integer(step)) return std::nullopt;
  if (!values_.OnlyInputDepends(node, kStop)) return std::nullopt;
  return NumbersFrom(node, TypeOf({&node, 0}), static_cast<int64_t>((*first)[0]),
                     static_cast<int64_t>((*step)[0]));
}

// Converts a slice of a table, from a constant start to the length of time, to rows by step number.
// After the end of the table its last row repeats.
std::optional<ir::Source> Positions::Rows(ir::Node& slice) {
  constexpr size_t kEnd = 2;
  const ir::Source made = {&slice, 0}, table = slice.inputs[0];
  const uint32_t open = ir::OpenAxes(made);
  const auto axis = static_cast<size_t>(std::countr_zero(open));
  const AxisRelation relation = ops::RelationOf(graph_, slice);
  const Dims &dims = DimsOf(table), &taken = DimsOf(made);
  const bool is_plain = std::has_single_bit(open) && dims.size() == taken.size() &&
                        relation.runs.size() == dims.size() &&
                        values_.OnlyInputDepends(slice, kEnd);
  if (!is_plain) return std::nullopt;
  for (size_t i = 0; i < dims.size(); ++i) {
    const ops::Runs& runs = relation.runs[i];
    if (i == axis ? runs.size() != 1 || runs[0].step != 1 : !ops::IsInOrder(runs, dims[i])) {
      return std::nullopt;
    }
  }
  const int64_t first = relation.runs[axis][0].source, last = dims[axis] - 1;
  const TensorType one = {ElementType::i64, {1}};
  const std::optional<ir::Source> numbers =
      NumbersFrom(slice, {ElementType::i64, {taken[axis]}}, first, 1);
  if (!numbers) return std::nullopt;
  const ir::Source rows =
      NewOperation(graph_, slice, "Minimum", 1, {*numbers, NewInts(graph_, slice, one, {last})});
  const ir::Source at = NewInts(graph_, slice, one, {static_cast<int64_t>(axis)});
  return NewOperation(graph_, slice, "Gather", 8, {table, rows, at});
}

std::optional<ir::Source> Positions::NumbersFrom(const ir::Node& like, const TensorType& type,
                                                 int64_t first, int64_t step) {
  const ir::Source source = NewNumbering(graph_, like, type, {0, first, step});
  if (!NumberingOf(*source.node, 0)) return std::nullopt;  // for example a step below 1
  source.node->outputs[0].doubled = {2 * type.dims[0]};
  return source;
}

}  // namespace

void ComputePositions(ir::Graph& graph, const Folding& folding) { Positions(graph, folding).Run(); }

}  // namespace weft::graph
