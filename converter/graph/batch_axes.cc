// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/batch_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "converter/base/visible.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

using ir::BodyInput;

BatchAxis Along(int64_t axis, BatchAxis batch) {
  batch.axis = axis;
  return batch;
}

bool HasOutput(const AxisGroup& group) { return std::ranges::any_of(group, &PortAxis::output); }

bool IsPaired(const AxisRelation& relation, const PortAxis& at) {
  return std::ranges::any_of(relation.groups, [&](const AxisGroup& group) {
    return HasOutput(group) && std::ranges::find(group, at) != group.end();
  });
}

// Returns the batch after an operation that moves blocks to the batch or back, before the streams;
// null for other operations.
const BatchAxis* ThroughBlocks(const AxisRelation& relation, const BatchAxis* in, BatchAxis& out) {
  if (in == nullptr || in->axis != 0 || !relation.blocks) return nullptr;
  if (in->outer % relation.blocks->in != 0) return nullptr;
  out = *in;
  out.outer = in->outer / relation.blocks->in * relation.blocks->out;
  return &out;
}

}  // namespace

BatchAxes::BatchAxes(ir::Graph& graph, bool prefers_last) : prefers_last_(prefers_last) {
  for (ir::Node* const parameter : graph.parameters) {
    const ir::OutputPort& port = parameter->outputs[0];
    if (!port.type.dims.empty() && port.type.dims[0] == 1) {
      axes_[{parameter, 0}] = {0, 1, 1};
      continue;
    }
    const std::string name = port.names.empty() ? parameter->name : port.names.front();
    faults_.Add(fmt::format("input \"{}\" is {}; must have a first axis of extent 1, the batch",
                            OneLine(name), ToString(port.type)));
  }
  for (changed_ = true; changed_ && faults_.ok();) {
    changed_ = false;
    SpreadIn(graph);
  }
  if (faults_.ok() && squeezes_.empty()) CheckIn(graph);
}

const BatchAxis* BatchAxes::Of(const ir::Source& source) const {
  const auto found = axes_.find({source.node, source.port});
  return found == axes_.end() ? nullptr : &found->second;
}

const AxisRelation* BatchAxes::RelationTo(const ir::Node& node) const {
  const auto found = relations_.find(&node);
  return found == relations_.end() ? nullptr : &found->second;
}

std::map<std::pair<const ir::Node*, uint32_t>, Dims> BatchAxes::DimsFor(int64_t streams) const {
  std::map<std::pair<const ir::Node*, uint32_t>, Dims> all;
  for (const auto& [tensor, batch] : axes_) {
    Dims dims = tensor.first->outputs[tensor.second].type.dims;
    dims[static_cast<size_t>(batch.axis)] *= streams;
    all[tensor] = std::move(dims);
  }
  return all;
}

void BatchAxes::Refuse(ir::Graph& graph, const ir::Node& node, const std::string& what) {
  faults_.Add(fmt::format("{}: {}; --streams must be able to process each stream independently",
                          ir::Where(graph, node), what));
}

void BatchAxes::Join(ir::Graph& graph, ir::Node& node, const ir::Source& source,
                     const BatchAxis& batch) {
  const auto [found, added] = axes_.try_emplace({source.node, source.port}, batch);
  changed_ = changed_ || added;
  const BatchAxis& known = found->second;
  if (known == batch) return;
  Refuse(graph, node,
         fmt::format("the batch of {} is axis {} and axis {}", ToString(TypeOf(source)), known.axis,
                     batch.axis));
}

void BatchAxes::SpreadIn(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Source& source : node->inputs) used_.insert({source.node, source.port});
    if (!faults_.ok()) return;
    if (node->constant || ir::IsParameter(*node) || node->operation == nullptr) continue;
    if (!relations_.contains(node)) relations_[node] = ops::RelationOf(graph, *node);
    SpreadAt(graph, *node);
  }
}

void BatchAxes::SpreadAt(ir::Graph& graph, ir::Node& node) {
  if (!node.bodies.empty()) return SpreadThroughBodies(graph, node);
  const BatchAxis* const first = node.inputs.empty() ? nullptr : Of(node.inputs[0]);
  if (ir::IsReadValue(node)) {
    const auto assigned = assigned_.find(AttributeText(node, "variable_id"));
    if (assigned != assigned_.end()) Join(graph, node, {&node, 0}, assigned->second);
    if (first != nullptr) Join(graph, node, {&node, 0}, *first);
    return;
  }
  if (ir::IsAssign(node) && first != nullptr) {
    changed_ = assigned_.try_emplace(AttributeText(node, "variable_id"), *first).second || changed_;
  }
  BatchAxis next;
  if (first != nullptr && SqueezesBatch(node, *first)) {
    squeezes_[&node] = &graph;
  } else if (first != nullptr && OnlyReshapes(node)) {
    next = *first;
    if (Reshaped(node, next) != nullptr) Join(graph, node, {&node, 0}, next);
  } else if (ThroughBlocks(relations_.at(&node), first, next) != nullptr) {
    Join(graph, node, {&node, 0}, next);
  } else {
    SpreadThroughGroups(graph, node);
  }
}

// Further outputs with the extents of output 0, such as indices of maxima, have its batch.
void BatchAxes::SpreadThroughGroups(ir::Graph& graph, ir::Node& node) {
  for (const AxisGroup& group : relations_.at(&node).groups) {
    for (const PortAxis& from : group) {
      const BatchAxis* const batch = from.output ? nullptr : Of(node.inputs[from.port]);
      if (batch == nullptr || batch->axis != from.axis) continue;
      const bool is_sequence = node.operation->traits.sequence_states > 0;
      if (is_sequence && from.port == 0 && from.axis == 1) {
        return Refuse(graph, node, "iterates over its batch");
      }
      const BatchAxis joined = *batch;
      for (const PortAxis& to : group) {
        if (to.output) Join(graph, node, TensorAt(node, to), Along(to.axis, joined));
      }
    }
  }
  for (uint32_t port = 1; port < node.outputs.size(); ++port) {
    const BatchAxis* const batch = Of({&node, 0});
    if (batch == nullptr || Of({&node, port}) != nullptr) continue;
    if (DimsOf({&node, port}) == DimsOf({&node, 0})) Join(graph, node, {&node, port}, *batch);
  }
}

bool BatchAxes::SqueezesBatch(ir::Node& node, const BatchAxis& batch) const {
  const bool has_axes = node.inputs.size() > 1 && ElementCount(DimsOf(node.inputs[1])) != 0;
  if (!relations_.at(&node).reshapes || has_axes) return false;
  return DimsOf(node.inputs[0])[static_cast<size_t>(batch.axis)] == 1;
}

// Returns true if the output has the elements of input 0 in the same order: a reshape, or a
// selection of the only element of the batch.
bool BatchAxes::OnlyReshapes(ir::Node& node) const {
  const AxisRelation& relation = relations_.at(&node);
  if (relation.reshapes) return true;
  const BatchAxis* const batch = relation.selects ? Of(node.inputs[0]) : nullptr;
  if (batch == nullptr || node.outputs.size() != 1) return false;
  const Dims& dims = DimsOf(node.inputs[0]);
  if (dims[static_cast<size_t>(batch->axis)] != 1) return false;
  if (ElementCount(dims) != ElementCount(node.outputs[0].type.dims)) return false;
  if (IsPaired(relation, {false, 0, batch->axis})) return false;
  for (int64_t axis = 0; axis < std::ssize(dims); ++axis) {
    if (axis != batch->axis && !IsPaired(relation, {false, 0, axis})) return false;
  }
  return true;
}

// Moves `batch` from input 0 to the output of a reshape: the numbers of elements before and after
// the batch remain. Returns null if no axis has them.
const BatchAxis* BatchAxes::Reshaped(ir::Node& node, BatchAxis& batch) const {
  const Dims &in = DimsOf(node.inputs[0]), &out = node.outputs[0].type.dims;
  const auto at = static_cast<size_t>(batch.axis);
  const int64_t before = ops::ProductOf(in, 0, at) * batch.outer;
  const std::vector<int64_t>& followed = relations_.at(&node).followed;
  std::optional<BatchAxis> found;
  bool is_only = false;  // the axis found has no other elements
  int64_t outside = 1;
  for (size_t axis = 0; axis < out.size(); outside *= out[axis], ++axis) {
    if (outside == 0 || before % outside != 0) continue;
    const int64_t outer = before / outside;
    if (outer == 0 || out[axis] % outer != 0) continue;
    const BatchAxis next = {static_cast<int64_t>(axis), outer, out[axis] / outer};
    const bool follows = at < followed.size() && followed[at] == next.axis;
    if (follows && in[at] == 1 && out[axis] == 1) {
      batch = next;
      return &batch;
    }
    const bool has_others = out[axis] != 1;
    if (found && (has_others || (is_only && !prefers_last_))) continue;
    found = next;
    is_only = !has_others;
  }
  if (!found) return nullptr;
  batch = *found;
  return &batch;
}

void BatchAxes::SpreadThroughBodies(ir::Graph& graph, ir::Node& node) {
  if (!ir::IsTensorIterator(node) && Of(node.inputs[0]) != nullptr) {
    return Refuse(graph, node, "its condition or trip count depends on the data of a stream");
  }
  for (ir::Body& body : node.bodies) {
    for (const BodyInput& input : body.map.inputs) {
      const BatchAxis* const batch = input.input ? Of(node.inputs[*input.input]) : nullptr;
      if (batch == nullptr) continue;
      if (input.range && input.slicing.axis == batch->axis) {
        return Refuse(graph, node, "iterates over its batch");
      }
      Join(graph, node, {input.parameter, 0}, *batch);
    }
    SpreadIn(*body.graph);
    for (const BodyInput& input : body.map.inputs) {
      if (!input.is(BodyInput::Kind::kCarried)) continue;
      const BatchAxis* const batch = Of(input.next->inputs[0]);
      if (batch != nullptr) Join(graph, node, {input.parameter, 0}, *batch);
    }
    const ir::Node* const condition = body.map.condition;
    if (condition != nullptr && Of(condition->inputs[0]) != nullptr) {
      return Refuse(graph, node, "its condition depends on the data of a stream");
    }
    for (uint32_t i = 0; i < body.map.outputs.size(); ++i) {
      const ir::BodyOutput& output = body.map.outputs[i];
      const BatchAxis* const batch = Of(output.result->inputs[0]);
      if (batch == nullptr) continue;
      if (output.range && output.axis == batch->axis) {
        return Refuse(graph, node, "concatenates iterations along its batch");
      }
      Join(graph, node, {&node, i}, *batch);
    }
  }
}

void BatchAxes::CheckIn(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    if (!relations_.contains(node)) continue;
    for (ir::Body& body : node->bodies) CheckIn(*body.graph);
    CheckAt(graph, *node);
  }
}

// Returns true if the operation processes each element of the batch of that input independently.
bool BatchAxes::IsProcessed(ir::Node& node, size_t input) const {
  const BatchAxis& batch = *Of(node.inputs[input]);
  const AxisRelation& relation = relations_.at(&node);
  BatchAxis next;
  if (input == 0 && (OnlyReshapes(node) || ThroughBlocks(relation, &batch, next) != nullptr)) {
    return true;
  }
  return IsPaired(relation, {false, input, batch.axis});
}

void BatchAxes::CheckAt(ir::Graph& graph, ir::Node& node) {
  const bool has_no_output = ir::IsResult(node) || ir::IsAssign(node) || ir::IsReadValue(node);
  if (has_no_output || !node.bodies.empty() || ops::TraitsOf(node).shape_only) return;
  bool has_batch = false, is_processed = true;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (Of(node.inputs[i]) == nullptr) continue;
    has_batch = true;
    is_processed = is_processed && IsProcessed(node, i);
  }
  for (uint32_t port = 0; has_batch && port < node.outputs.size(); ++port) {
    is_processed = is_processed && (Of({&node, port}) != nullptr || !used_.contains({&node, port}));
  }
  if (!is_processed) Refuse(graph, node, "combines its batch with another axis, or removes it");
}

}  // namespace weft::graph
