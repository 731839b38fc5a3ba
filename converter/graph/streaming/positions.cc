// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/positions.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "converter/base/elements.h"
#include "converter/graph/numbering.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/length_values.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

bool IsOperation(const ir::Node& node, std::string_view name) {
  return node.operation != nullptr && !node.constant && node.operation->name == name;
}

uint32_t OpenAxes(const ir::Source& source) { return source.node->outputs[source.port].open_axes; }

// Returns true if there are a row and a column per step, as in attention masks, which
// ReadAttentions handles.
bool IsOverPairs(const ir::Source& source) {
  const size_t rank = DimsOf(source).size();
  return rank >= 2 && (OpenAxes(source) >> (rank - 2) & 3U) == 3U;
}

bool HasNoZero(const ir::Constant& constant) {
  const auto count = static_cast<size_t>(ElementCount(constant.type.dims).value_or(0));
  const ElementType type = constant.type.type;
  for (size_t i = 0; i < count; ++i) {
    const bool is_zero = IsFloat(type) ? RealAt(type, constant.bytes, i) == 0
                                       : IntegerAt(type, constant.bytes, i) == 0;
    if (is_zero) return false;
  }
  return count > 0;
}

class Positions {
 public:
  Positions(ir::Graph& graph, const Folding& folding) : graph_(graph), values_(graph, folding) {}

  void Run() {
    for (ir::Node* node : ir::Topological(graph_)) {
      if (!node->constant) ComputeInputs(*node);
    }
  }

 private:
  void ComputeInputs(ir::Node& node);
  ir::Source Computed(const ir::Source& constant);
  ir::Source ComputedFrom(const ir::Source& constant, const ir::Source& origin);
  std::optional<ir::Source> Rows(ir::Node& slice);
  ir::Source NumbersFrom(const ir::Node& like, int64_t first, int64_t positions);

  ir::Graph& graph_;
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
                (relation.selects && OpenAxes(node.inputs[0]) != 0);
  }
  for (size_t i = 0; i < node.inputs.size() && (i == 0 || !is_shaped); ++i) {
    node.inputs[i] = Computed(node.inputs[i]);
  }
}

ir::Source Positions::Computed(const ir::Source& constant) {
  if (!constant.node->constant || OpenAxes(constant) == 0) return constant;
  if (IsOverPairs(constant)) return constant;
  const auto found = computed_.find(constant.node);
  if (found != computed_.end()) return found->second;
  const ir::Source origin = values_.origins().Of(*constant.node);
  const bool stays = origin.node == nullptr || values_.AreAlike(origin);
  const ir::Source computed = stays ? constant : ComputedFrom(constant, origin);
  computed_[constant.node] = computed;
  return computed;
}

ir::Source Positions::ComputedFrom(const ir::Source& constant, const ir::Source& origin) {
  ir::Node& node = *origin.node;
  if (IsOperation(node, "Range")) {
    if (values_.OnlyInputDepends(node, 1)) (void)MarkNumbering(*constant.node, 0);
    return constant;
  }
  if (IsOperation(node, "NonZero")) {
    const ir::Source& searched = node.inputs[0];
    const bool finds_all = searched.node->constant && DimsOf(searched).size() == 1 &&
                           values_.AreAlike(searched) && HasNoZero(*searched.node->constant);
    if (finds_all) (void)MarkNumbering(*constant.node, 1);
    return constant;
  }
  const bool is_slice = ops::RelationOf(graph_, node).selects && OpenAxes(node.inputs[0]) == 0 &&
                        node.inputs[0].node->constant && node.inputs.size() > 3;
  if (is_slice) return Rows(node).value_or(constant);
  if (node.operation->traits.shape_only) return constant;
  ComputeInputs(node);
  return origin;
}

// Converts a slice of a table, from a constant start to the length of time, to rows by step number.
// After the end of the table its last row repeats.
std::optional<ir::Source> Positions::Rows(ir::Node& slice) {
  constexpr size_t kEnd = 2;
  const ir::Source made = {&slice, 0}, table = slice.inputs[0];
  const uint32_t open = OpenAxes(made);
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
  const ir::Source numbers = NumbersFrom(slice, first, taken[axis]);
  if (numbers.node == nullptr) return std::nullopt;
  const TensorType one = {ElementType::i64, {1}};
  const ir::Source rows = {
      NewInferredNode(graph_, slice, "Minimum", 1, {numbers, NewInts(graph_, slice, one, {last})}),
      0};
  const ir::Source at = NewInts(graph_, slice, one, {static_cast<int64_t>(axis)});
  return ir::Source{NewInferredNode(graph_, slice, "Gather", 8, {table, rows, at}), 0};
}

ir::Source Positions::NumbersFrom(const ir::Node& like, int64_t first, int64_t positions) {
  std::vector<int64_t> numbers(static_cast<size_t>(positions));
  std::iota(numbers.begin(), numbers.end(), first);
  const ir::Source source = NewInts(graph_, like, {ElementType::i64, {positions}}, numbers);
  source.node->outputs[0].open_axes = 1;
  return MarkNumbering(*source.node, 0) ? source : ir::Source();
}

}  // namespace

void ComputePositions(ir::Graph& graph, const Folding& folding) { Positions(graph, folding).Run(); }

}  // namespace weft::graph
