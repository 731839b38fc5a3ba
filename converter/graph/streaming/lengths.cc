// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/lengths.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "converter/graph/infer.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/resize.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// A copy of the constant part of a graph for a longer time axis.
class Longer {
 public:
  Longer(const ir::Graph& graph, const TimeAxes& times) : times_(times), origins_(graph) {
    again_.file = graph.file;
  }

  // Returns the recomputed constant; null if it does not depend on a shape.
  ir::Node* Ask(ir::Node& constant) {
    if (!ReadsAShape(constant)) return nullptr;
    return NewResult(again_, constant, Copy({&constant, 0}));
  }
  // Values that cannot be computed for one more step have no constant afterwards.
  void Compute(const Folding& folding) {
    Faults discarded;
    Folding of_copy = folding.OfCopy();
    InferAndFold(again_, {.check_declared = false}, of_copy, discarded);
  }

 private:
  bool ReadsAShape(const ir::Node& node);
  ir::Source Copy(const ir::Source& source);
  ir::Source CopyShape(ir::Node& node);
  int64_t Growth(const ir::Source& source, size_t axis) const;

  const TimeAxes& times_;
  const Origins origins_;
  ir::Graph again_;
  std::map<const ir::Node*, ir::Node*> copies_;
  std::map<const ir::Node*, bool> reads_a_shape_;
};

// Returns true if the constant was computed from a shape.
bool Longer::ReadsAShape(const ir::Node& node) {
  const auto [found, fresh] = reads_a_shape_.try_emplace(&node, false);
  if (!fresh) return found->second;
  bool reads = node.operation == nullptr || (node.operation->traits.shape_only && !node.constant);
  const ir::Source from = origins_.Of(node);
  if (from.node != nullptr) reads = ReadsAShape(*from.node);
  for (const ir::Source& input : node.inputs) reads = ReadsAShape(*input.node) || reads;
  return reads_a_shape_[&node] = reads;
}

ir::Source Longer::Copy(const ir::Source& source) {
  ir::Node& node = *source.node;
  const ir::Source from = origins_.Of(node);
  if (from.node != nullptr && ReadsAShape(*from.node)) return Copy(from);
  if (const auto found = copies_.find(&node); found != copies_.end()) {
    return {found->second, source.port};
  }
  if (node.operation == nullptr) return {NewParameter(again_, node), 0};
  if (!node.constant && node.operation->traits.shape_only) return CopyShape(node);
  std::vector<ir::Source> inputs;
  for (const ir::Source& input : node.inputs) inputs.push_back(Copy(input));
  ir::Node* copy = NewNode(again_, node, std::string(node.operation->name), node.operation->opset,
                           std::move(inputs), 0, node.attributes);
  copy->outputs = node.outputs;
  copy->constant = node.constant;
  copies_[&node] = copy;
  return {copy, source.port};
}

ir::Source Longer::CopyShape(ir::Node& node) {
  Dims dims = DimsOf(node.inputs[0]);
  for (size_t axis = 0; axis < dims.size(); ++axis) dims[axis] += Growth(node.inputs[0], axis);
  const ir::Source shape = NewInts(again_, node, node.outputs[0].type, dims);
  copies_[&node] = shape.node;
  return shape;
}

// The time axis is unknown for tensors that are read only for their shape: an axis with the extent
// T is assumed to be time.
int64_t Longer::Growth(const ir::Source& source, size_t axis) const {
  if (const TimeAxis* time = times_.Of(source)) {
    return time->axis == static_cast<int64_t>(axis) ? time->outer * time->chunk : 0;
  }
  const bool is_needed = std::ranges::find(times_.nodes(), source.node) != times_.nodes().end();
  return !is_needed && times_.steps() > 1 && DimsOf(source)[axis] == times_.steps();
}

bool IsSame(const ir::Constant& constant, const ir::Node& result, const TimeAxis* time) {
  const ir::Node& again = *result.inputs[0].node;
  if (!again.constant) return false;
  if (time != nullptr) return HaveTheSameStep(constant, *again.constant, *time);
  return constant.type == again.constant->type &&
         std::ranges::equal(constant.bytes, again.constant->bytes);
}

}  // namespace

Origins::Origins(const ir::Graph& graph) {
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    if (node->constant) continue;
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      const ir::Source source = {node.get(), port};
      origins_[{node->id, node->name, FoldedFrom(source).at(kFoldedFrom)}] = source;
    }
  }
}

ir::Source Origins::Of(const ir::Node& constant) const {
  const auto folded_from = constant.attributes.find(kFoldedFrom);
  if (folded_from == constant.attributes.end()) return {};
  const auto found = origins_.find({constant.id, constant.name, folded_from->second});
  return found == origins_.end() ? ir::Source() : found->second;
}

std::set<const ir::Node*> ConstantsOfLength(const ir::Graph& graph, const TimeAxes& times,
                                            const Folding& folding) {
  Longer longer(graph, times);
  std::vector<std::pair<ir::Node*, ir::Node*>> asked;
  for (ir::Node* node : times.nodes()) {
    ir::Node* result = node->constant ? longer.Ask(*node) : nullptr;
    if (result != nullptr) asked.emplace_back(node, result);
  }
  longer.Compute(folding);
  std::set<const ir::Node*> changed;
  for (const auto& [node, result] : asked) {
    if (!IsSame(*node->constant, *result, times.Of({node, 0}))) changed.insert(node);
  }
  return changed;
}

}  // namespace weft::graph
