// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/closed_values.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/infer.h"
#include "converter/graph/numbering.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {

ClosedNodes::ClosedNodes(const ir::Graph& graph) {
  for (const ir::Node* node : ir::Topological(graph)) {
    if (node->constant) nodes_.insert(node);
    if (node->operation == nullptr || ir::IsParameter(*node) || ir::IsReadValue(*node)) continue;
    const ops::Traits& traits = node->operation->traits;
    const bool is_closed =
        traits.shape_only || (!node->inputs.empty() && node->bodies.empty() && !traits.draws &&
                              std::ranges::all_of(node->inputs, [&](const ir::Source& input) {
                                return Is(*input.node);
                              }));
    if (is_closed) nodes_.insert(node);
  }
}

OtherLength::OtherLength(const ir::Graph& graph, Extents extents)
    : extents_(std::move(extents)), origins_(graph) {
  again_.file = graph.file;
}

ir::Node* OtherLength::Add(const ir::Source& source) {
  return NewResult(again_, *source.node, Copy(source));
}

void OtherLength::Compute(const Folding& folding) {
  Faults discarded;
  Folding of_copy = folding.OfCopy();
  InferAndFold(again_, {.check_declared = false}, of_copy, discarded);
}

bool OtherLength::ReadsAShape(const ir::Node& node) {
  const auto [found, fresh] = reads_a_shape_.try_emplace(&node, false);
  if (!fresh) return found->second;
  bool reads = node.operation == nullptr || (node.operation->traits.shape_only && !node.constant) ||
               IsOpenNumbering(node);
  const ir::Source from = origins_.Of(node);
  if (from.node != nullptr) reads = ReadsAShape(*from.node);
  for (const ir::Source& input : node.inputs) reads = ReadsAShape(*input.node) || reads;
  return reads_a_shape_[&node] = reads;
}

ir::Source OtherLength::Copy(const ir::Source& source) {
  ir::Node& node = *source.node;
  const ir::Source from = origins_.Of(node);
  // A node of the same name may be mistaken for the origin: it reads the constant.
  if (from.node != nullptr && ReadsAShape(*from.node) && under_way_.insert(from.node).second) {
    const ir::Source copy = Copy(from);
    under_way_.erase(from.node);
    return copy;
  }
  if (const auto found = copies_.find(&node); found != copies_.end()) {
    return {found->second, source.port};
  }
  if (node.operation == nullptr) return {NewParameter(again_, node), 0};
  if (!node.constant && node.operation->traits.shape_only) return CopyShape(node);
  if (IsOpenNumbering(node)) return CopyNumbering(node);
  std::vector<ir::Source> inputs;
  for (const ir::Source& input : node.inputs) inputs.push_back(Copy(input));
  ir::Node* copy = NewNode(again_, node, std::string(node.operation->name), node.operation->opset,
                           std::move(inputs), 0, node.attributes);
  copy->outputs = node.outputs;
  for (ir::OutputPort& port : copy->outputs) port.doubled.clear();
  copy->constant = node.constant;
  copies_[&node] = copy;
  return {copy, source.port};
}

ir::Source OtherLength::CopyShape(ir::Node& node) {
  const ir::Source shape = NewInts(again_, node, node.outputs[0].type, extents_(node.inputs[0]));
  copies_[&node] = shape.node;
  return shape;
}

ir::Source OtherLength::CopyNumbering(ir::Node& node) {
  const Numbering numbering = NumberingOf(node, 0).value();
  const ir::Source numbers = NewConstant(again_, node, *node.constant);
  if (CanStartAt(*node.constant, numbering, numbering.first)) {
    Renumber(*numbers.node, numbering, numbering.first, extents_({&node, 0})[0]);
  }
  copies_[&node] = numbers.node;
  return numbers;
}

}  // namespace weft::graph
