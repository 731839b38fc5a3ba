// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/late_masks.h"

#include <algorithm>
#include <vector>

#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

constexpr const char* kLate = "late";  // attribute: the number of late positions

int64_t LateOf(const ir::Node& mask) { return std::stoll(mask.attributes.at(kLate)); }

int64_t StepsFor(int64_t positions, int64_t per_step) {
  return positions <= 0 ? 0 : (positions - 1) / per_step + 1;
}

ir::Source Made(ir::Graph& graph, const ir::Node& like, const char* type, ir::Source a,
                ir::Source b) {
  return NewOperation(graph, like, type, 1, {a, b});
}

// Returns, for each position of a run, the number of steps before the run from which it belongs to
// the model.
ir::Source Thresholds(ir::Graph& graph, const ir::Node& mask, const TimeAxis& time) {
  TensorType type = mask.outputs[0].type;
  type.type = ElementType::i64;
  std::vector<int64_t> min;
  const int64_t positions = type.dims[static_cast<size_t>(time.axis)];
  for (int64_t i = 0; i < positions; ++i) min.push_back(StepsFor(LateOf(mask) - i, time.chunk));
  return NewInts(graph, mask, type, min);
}

}  // namespace

ir::Source NewLateMask(ir::Graph& graph, const ir::Node& like, const Dims& dims, int64_t axis,
                       int64_t late) {
  const auto at = static_cast<size_t>(axis);
  std::vector<int64_t> flags(static_cast<size_t>(ElementCount(dims).value_or(0)), 1);
  std::fill_n(flags.begin(), std::min(late, dims[at]), 0);
  const ir::Source mask = NewInts(graph, like, {ElementType::boolean, dims}, flags);
  mask.node->attributes[kLate] = std::to_string(late);
  return mask;
}

void DelayLateMask(ir::Graph& graph, ir::Node& mask, int64_t axis, int64_t more,
                   int64_t positions) {
  Dims dims = mask.outputs[0].type.dims;
  dims[static_cast<size_t>(axis)] = positions;
  const ir::Source later = NewLateMask(graph, mask, dims, axis, LateOf(mask) + more);
  mask.constant = later.node->constant;
  mask.outputs[0].type = later.node->outputs[0].type;
  mask.attributes[kLate] = later.node->attributes[kLate];
}

bool IsLateMask(const ir::Node& node) { return node.constant && node.attributes.contains(kLate); }

int64_t ReadLateMasks(ir::Graph& graph, const TimeAxes& times, int64_t steps,
                      const std::string& name) {
  std::vector<ir::Node*> masks;
  int64_t max = 0;
  for (ir::Node* node : times.nodes()) {
    if (!IsLateMask(*node)) continue;
    masks.push_back(node);
    max = std::max(max, StepsFor(LateOf(*node), times.Of({node, 0})->chunk));
  }
  if (masks.empty()) return 0;
  const ir::Node& like = *masks[0];
  const TensorType number = {ElementType::i64, {1}};
  const ir::Source count = NewReadValue(graph, like, name, NewInts(graph, like, number, {0}));
  for (ir::Node* mask : masks) {
    const ir::Source min = Thresholds(graph, *mask, *times.Of({mask, 0}));
    const ir::Source valid = Made(graph, *mask, "GreaterEqual", count, min);
    ir::HandOver(graph, {mask, 0}, valid);
  }
  const ir::Source next = Made(graph, like, "Add", count, NewInts(graph, like, number, {steps}));
  NewAssign(graph, like, name,
            Made(graph, like, "Minimum", next, NewInts(graph, like, number, {max})));
  return DenseBytes(number).value_or(0);
}

}  // namespace weft::graph
