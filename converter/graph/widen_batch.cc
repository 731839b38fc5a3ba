// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/batch_axes.h"
#include "converter/graph/graph_passes.h"
#include "converter/graph/numbering.h"
#include "converter/graph/origins.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/resize.h"
#include "converter/ir/time_length.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

// Replaces constants that were folded from shapes by the nodes that compute them.
class ShapeValues {
 public:
  explicit ShapeValues(ir::Graph& graph) : graph_(graph), origins_(graph) {}

  void Unfold() {
    for (const std::unique_ptr<ir::Node>& node : graph_.nodes) {
      for (ir::Body& body : node->bodies) ShapeValues(*body.graph).Unfold();
      for (ir::Source& input : node->inputs) {
        if (!input.node->constant) continue;
        const ir::Source origin = origins_.Of(*input.node);
        if (origin.node != nullptr && Depends(*origin.node)) input = origin;
      }
    }
  }

 private:
  bool Depends(const ir::Node& node) {
    const auto [found, is_new] = known_.try_emplace(&node, ops::TraitsOf(node).shape_only);
    if (!is_new || found->second) return found->second;
    bool depends = false;
    const ir::Source origin = node.constant ? origins_.Of(node) : ir::Source();
    if (origin.node != nullptr) depends = Depends(*origin.node);
    for (const ir::Source& input : node.inputs) depends = depends || Depends(*input.node);
    return known_[&node] = depends;
  }

  ir::Graph& graph_;
  const Origins origins_;
  std::map<const ir::Node*, bool> known_;
};

// Replaces a Squeeze by a reshape that keeps the batch, whose extent is not 1 for several streams.
void KeepBatch(ir::Graph& graph, ir::Node& node, const BatchAxis& batch) {
  const ir::Source data = node.inputs[0];
  Dims kept;
  for (size_t axis = 0; axis < DimsOf(data).size(); ++axis) {
    const int64_t extent = DimsOf(data)[axis];
    if (extent != 1 || static_cast<int64_t>(axis) == batch.axis) kept.push_back(extent);
  }
  BecomeReshape(graph, node, data, kept);
}

// Finds the batch of all tensors. Returns nullopt if a fault was added.
std::optional<BatchAxes> FindBatch(ir::Graph& graph, bool prefers_last, const InferOptions& options,
                                   Folding& folding, Faults& faults) {
  for (;;) {
    BatchAxes axes(graph, prefers_last);
    if (!axes.faults().ok()) {
      faults.Add(axes.faults().lines().front());
      return std::nullopt;
    }
    if (axes.squeezes().empty()) return axes;
    for (const auto& [node, owner] : axes.squeezes()) {
      KeepBatch(*owner, *node, *axes.Of(node->inputs[0]));
    }
    ShapeValues(graph).Unfold();
    if (!InferAndFold(graph, options, folding, faults)) return std::nullopt;
  }
}

class Widening {
 public:
  Widening(const BatchAxes& axes, int64_t streams)
      : axes_(axes), streams_(streams), expected_(axes.DimsFor(streams)) {}

  // Sets the types from which inference starts: those of inputs and variables.
  void WidenSources(ir::Graph& graph);

  // Edits a node whose inputs are inferred, and returns the new nodes that it reads.
  std::vector<ir::Node*> Edit(ir::Graph& graph, ir::Node& node);
  // Adds a fault for the first tensor without the expected extents.
  bool Check(const ir::Graph& graph, Faults& faults) const;

 private:
  const Dims* Expected(const ir::Source& source) const {
    const auto found = expected_.find({source.node, source.port});
    return found == expected_.end() ? nullptr : &found->second;
  }
  bool HasBatch(ir::Node& node) const;
  bool Fits(ir::Graph& graph, ir::Node& node) const;
  void StoreOperands(const ir::Graph& graph);
  bool MoveStreams(ir::Graph& graph, ir::Node& node, size_t input, const BatchAxis& batch);
  void Widen(ir::Graph& graph, ir::Node& node, size_t input, const BatchAxis& batch);
  void WidenOperands(ir::Graph& graph, ir::Node& node);
  void WidenNumberings(ir::Graph& graph, ir::Node& node);
  void WidenVariable(ir::Graph& graph, ir::Node& node);
  void WidenBodies(ir::Graph& graph, ir::Node& node);
  void WidenResult(ir::Graph& body, ir::Node& result, const BatchAxis* batch);
  bool SetTarget(ir::Graph& graph, ir::Node& node) const;
  void TakeFullBatch(ir::Graph& graph, ir::Node& node);

  const BatchAxes& axes_;
  const int64_t streams_;
  const std::map<std::pair<const ir::Node*, uint32_t>, Dims> expected_;
  std::map<const ir::Node*, std::vector<Dims>> operands_;  // extents of the inputs for one stream
  std::vector<ir::Node*> made_;
};

void Widening::StoreOperands(const ir::Graph& graph) {
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    for (const ir::Body& body : node->bodies) StoreOperands(*body.graph);
    for (const ir::Source& input : node->inputs) operands_[node.get()].push_back(DimsOf(input));
  }
}

void Widening::WidenSources(ir::Graph& graph) {
  StoreOperands(graph);
  for (ir::Node* parameter : graph.parameters) {
    ir::OutputPort& port = parameter->outputs[0];
    if (!port.doubled.empty()) port.doubled[0] = streams_;
    port.type.dims[0] = streams_;
  }
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    const Dims* const expected = ir::IsReadValue(*node) ? Expected({node.get(), 0}) : nullptr;
    if (expected != nullptr) node->outputs[0].type.dims = *expected;
  }
}

bool Widening::HasBatch(ir::Node& node) const {
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    if (Expected({&node, port}) != nullptr) return true;
  }
  return false;
}

std::vector<ir::Node*> Widening::Edit(ir::Graph& graph, ir::Node& node) {
  made_.clear();
  if (node.constant || axes_.RelationTo(node) == nullptr) return {};
  if (!node.bodies.empty()) {
    WidenBodies(graph, node);
  } else if (ir::IsReadValue(node)) {
    WidenVariable(graph, node);
  } else if (HasBatch(node)) {
    WidenNumberings(graph, node);
    if (Fits(graph, node)) return std::move(made_);
    WidenOperands(graph, node);
    const bool fits = Fits(graph, node) || (SetTarget(graph, node) && Fits(graph, node));
    if (!fits) TakeFullBatch(graph, node);
  }
  return std::move(made_);
}

// Returns true if the node computes the expected extents from its inputs.
bool Widening::Fits(ir::Graph& graph, ir::Node& node) const {
  Quiet<ops::InferScope> scope(graph, node);
  scope.check_declared = false;
  scope.limits_bytes = false;
  node.operation->infer(scope);
  bool fits = !scope.failed();
  for (uint32_t port = 0; fits && port < node.outputs.size(); ++port) {
    const Dims* const expected = Expected({&node, port});
    fits = expected == nullptr || node.outputs[port].type.dims == *expected;
  }
  return fits;
}

// Moves the streams of an input to the axis of its batch, if its shape was computed with them along
// another axis: an initial state of zeros [1, batch, hidden size] where [batch, 1, hidden size] is
// required, which is the same for a batch of 1. Returns false for other inputs.
bool Widening::MoveStreams(ir::Graph& graph, ir::Node& node, size_t input, const BatchAxis& batch) {
  const auto stored = operands_.find(&node);
  if (stored == operands_.end() || stored->second.size() != node.inputs.size()) return false;
  const auto at = static_cast<size_t>(batch.axis);
  Dims dims = stored->second[input];
  if (batch.outer * batch.chunk != 1 || dims[at] != 1) return false;
  Dims moved = dims;
  moved[at] = streams_;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (axis == at || dims[axis] != 1) continue;
    const size_t first = std::min(axis, at), last = std::max(axis, at);
    dims[axis] = streams_;
    const bool fits = dims == DimsOf(node.inputs[input]);
    dims[axis] = 1;
    if (!fits || ops::ProductOf(dims, first, last) != 1) continue;
    // Named after its input, because a node may have several such inputs (graph/origins.h).
    const ir::Source source = node.inputs[input];
    node.inputs[input] = Reshaped(graph, *source.node, source, moved);
    made_.push_back(node.inputs[input].node);
    return true;
  }
  return false;
}

// Replaces an input by copies of it, one for each stream.
void Widening::Widen(ir::Graph& graph, ir::Node& node, size_t input, const BatchAxis& batch) {
  if (MoveStreams(graph, node, input, batch)) return;
  ir::Source& source = node.inputs[input];
  const ir::Constant* const constant = ConstantOf(source);
  if (constant != nullptr && BitsOf(constant->type.type) % 8 == 0) {
    ir::Constant copies = *constant;
    copies.quantisation = nullptr;
    RepeatStep(copies, {batch.axis, batch.outer, batch.chunk}, streams_);
    source = NewConstant(graph, node, std::move(copies));
  } else if (batch.outer == 1) {
    const std::vector<ir::Source> copies(static_cast<size_t>(streams_), source);
    made_.push_back(NewInferredNode(graph, node, "Concat", 1, copies, 1,
                                    {{"axis", std::to_string(batch.axis)}}));
    source = {made_.back(), 0};
  }
}

// Widens the inputs without streams that belong to an axis with streams.
void Widening::WidenOperands(ir::Graph& graph, ir::Node& node) {
  for (const AxisGroup& group : axes_.RelationTo(node)->groups) {
    for (const PortAxis& to : group) {
      const BatchAxis* const batch = to.output ? axes_.Of(TensorAt(node, to)) : nullptr;
      if (batch == nullptr || batch->axis != to.axis) continue;
      const int64_t extent = batch->outer * batch->chunk;
      for (const PortAxis& from : group) {
        if (from.output || axes_.Of(node.inputs[from.port]) != nullptr) continue;
        if (DimsOf(node.inputs[from.port])[static_cast<size_t>(from.axis)] != extent) continue;
        Widen(graph, node, from.port, {from.axis, batch->outer, batch->chunk});
      }
      break;
    }
  }
}

// Gives each stream its own numbers of time steps, because it may begin at any run.
void Widening::WidenNumberings(ir::Graph& graph, ir::Node& node) {
  const BatchAxis* const batch = axes_.Of({&node, 0});
  if (AttributeText(node, "auto_broadcast", "numpy") != "numpy") return;
  if (batch == nullptr || !ops::TraitsOf(node).pointwise) return;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ir::Constant* const constant = ConstantOf(node.inputs[i]);
    if (constant == nullptr || !IsNumbering(*constant)) continue;
    ir::Constant numbers = *constant;
    Dims& dims = numbers.type.dims;
    dims.insert(dims.begin(), node.outputs[0].type.dims.size() - dims.size(), 1);
    const int64_t extent = dims[static_cast<size_t>(batch->axis)];
    // A constant that was computed from a shape already has the streams.
    if (extent != 1 && (extent != streams_ || batch->outer * batch->chunk != 1)) continue;
    if (extent == 1) RepeatStep(numbers, {batch->axis, 1, 1}, streams_);
    // The name of the constant is that of its variable, which orders the variables.
    node.inputs[i] = NewConstant(graph, *node.inputs[i].node, std::move(numbers));
    node.inputs[i].node->attributes[kCountedAlong] = std::to_string(batch->axis);
  }
}

void Widening::WidenVariable(ir::Graph& graph, ir::Node& node) {
  const Dims* const expected = Expected({&node, 0});
  if (expected == nullptr) return;
  if (!node.inputs.empty() && DimsOf(node.inputs[0]) != *expected) {
    Widen(graph, node, 0, *axes_.Of({&node, 0}));
  }
  const auto shape = node.attributes.find("variable_shape");
  if (shape != node.attributes.end() && shape->second != "...") {
    shape->second = fmt::format("{}", fmt::join(*expected, ","));
  }
}

void Widening::WidenBodies(ir::Graph& graph, ir::Node& node) {
  for (ir::Body& body : node.bodies) {
    for (const ir::BodyInput& input : body.map.inputs) {
      const ir::Source parameter = {input.parameter, 0};
      const BatchAxis* const batch = axes_.Of(parameter);
      if (batch == nullptr) continue;
      const auto at = static_cast<size_t>(batch->axis);
      if (DimsOf(node.inputs[*input.input])[at] != (*Expected(parameter))[at]) {
        Widen(graph, node, *input.input, *batch);
      }
      if (input.is(ir::BodyInput::Kind::kCarried)) WidenResult(*body.graph, *input.next, batch);
    }
    for (uint32_t i = 0; i < body.map.outputs.size(); ++i) {
      WidenResult(*body.graph, *body.map.outputs[i].result, axes_.Of({&node, i}));
    }
  }
}

void Widening::WidenResult(ir::Graph& body, ir::Node& result, const BatchAxis* batch) {
  if (batch == nullptr || axes_.Of(result.inputs[0]) != nullptr) return;
  const Dims& dims = DimsOf(result.inputs[0]);
  if (dims[static_cast<size_t>(batch->axis)] != batch->outer * batch->chunk) return;  // was widened
  Widen(body, result, 0, *batch);
}

// Sets the batch in input 1, if it lists the last extents of the output.
bool Widening::SetTarget(ir::Graph& graph, ir::Node& node) const {
  const AxisRelation& relation = *axes_.RelationTo(node);
  const bool sets_shape = ops::TraitsOf(node).steering == ops::Steering::kShape;
  if (node.inputs.size() < 2 || !sets_shape || relation.selects) return false;
  const ir::Constant* const target = ConstantOf(node.inputs[1]);
  const Dims* const expected = Expected({&node, 0});
  if (target == nullptr || expected == nullptr) return false;
  std::vector<int64_t> dims = IntsOf(node.inputs[1]);
  if (dims.size() > expected->size()) return false;
  const size_t first = expected->size() - dims.size();
  const auto batch = static_cast<size_t>(axes_.Of({&node, 0})->axis);
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool copies = relation.reshapes && dims[i] == 0;
    if (copies || first + i == batch) dims[i] = (*expected)[first + i];
  }
  node.inputs[1] = NewInts(graph, node, target->type, dims);
  return true;
}

// Replaces a selection of the only element of the batch by one of all streams, and a reshape by one
// to the expected extents. Not with a dynamic time axis, whose extents are unknown.
void Widening::TakeFullBatch(ir::Graph& graph, ir::Node& node) {
  const AxisRelation& relation = *axes_.RelationTo(node);
  const Dims* const expected = Expected({&node, 0});
  const ir::Source data = node.inputs.empty() ? ir::Source() : node.inputs[0];
  const BatchAxis* const batch = data.node == nullptr ? nullptr : axes_.Of(data);
  if (batch == nullptr || expected == nullptr) return;
  for (const int64_t extent : *expected) {
    if (extent >= ir::kTimeLength / 2) return;
  }
  if (relation.reshapes) return BecomeReshape(graph, node, data, *expected);
  if (!relation.selects || relation.runs.empty()) return;
  std::vector<ops::Runs> runs = relation.runs;
  const auto at = static_cast<size_t>(batch->axis);
  runs[at] = ops::FullAxis(DimsOf(data)[at]);
  node.outputs[0].type.dims = *expected;
  BecomeSlice(graph, node, runs);
  made_.push_back(node.inputs[0].node);
}

bool Widening::Check(const ir::Graph& graph, Faults& faults) const {
  for (ir::Node* node : ir::Topological(graph)) {
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      const Dims* const expected = Expected({node, port});
      const TensorType& type = node->outputs[port].type;
      if (expected == nullptr || type.dims == *expected) continue;
      faults.Add(
          fmt::format("{}: output {} is {}; must be {} for {} streams: this layer has no "
                      "rule to widen its batch",
                      ir::Where(graph, *node), port, ToString(type),
                      ToString(TensorType{type.type, *expected}), streams_));
      return false;
    }
    for (const ir::Body& body : node->bodies) {
      if (!Check(*body.graph, faults)) return false;
    }
  }
  return true;
}

}  // namespace

bool WidenBatch(ir::Graph& graph, int64_t streams, const InferOptions& options, Folding& folding,
                Faults& faults) {
  InferOptions widened = options;
  widened.check_declared = false;
  Faults own;
  std::optional<BatchAxes> axes = FindBatch(graph, false, widened, folding, own);
  if (!axes) {
    Faults discarded;
    axes = FindBatch(graph, true, widened, folding, discarded);
  }
  if (!axes) {
    faults.Add(own.lines().front());
    return false;
  }
  Widening widening(*axes, streams);
  ShapeValues(graph).Unfold();
  widening.WidenSources(graph);
  widened.edit = [&](ir::Graph& owner, ir::Node& node) { return widening.Edit(owner, node); };
  return InferAndFold(graph, widened, folding, faults) && widening.Check(graph, faults);
}

}  // namespace weft::graph
