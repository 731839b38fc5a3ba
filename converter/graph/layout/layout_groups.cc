// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/layout/layout_groups.h"

#include <algorithm>

#include "converter/base/faults.h"
#include "converter/base/narrow.h"
#include "converter/graph/recognise/nodes.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

using ops::LastIs;
using ops::Port;

}  // namespace

ir::Source SourceAt(ir::Node& node, Port port) {
  if (!port.output) return node.inputs[port.index];
  return {&node, Narrow32(port.index, "an output's index")};
}

LayoutGroups::LayoutGroups(const ir::Graph& graph) {
  const std::vector<ir::Node*> nodes = ir::Topological(graph);
  std::map<ir::Node*, ops::Permutation> is_permuted;
  for (ir::Node* node : nodes) {
    Quiet<ops::PermuteScope> scope(graph, *node);
    ops::Permutation permutation = ops::PermutationRuleOf(scope);
    if (permutation.ties.empty()) continue;
    Join(*node, permutation);
    is_permuted[node] = std::move(permutation);
  }
  for (const auto& [node, permutation] : is_permuted) CountSteps(*node, permutation);
  CountMoves(nodes);
  for (ir::Node* node : nodes) CountSaved(*node);
  Decide();
}

size_t LayoutGroups::PositionOf(const ir::Source& source) {
  const auto [entry, is_new] = positions_.try_emplace({source.node, source.port}, sources_.size());
  if (is_new) {
    sources_.push_back(source);
    roots_.push_back(entry->second);
  }
  return entry->second;
}

size_t LayoutGroups::RootOf(size_t position) const {
  while (roots_[position] != position) position = roots_[position] = roots_[roots_[position]];
  return position;
}

void LayoutGroups::Join(ir::Node& node, const ops::Permutation& permutation) {
  for (const std::vector<Port>& tie : permutation.ties) {
    const size_t first = PositionOf(SourceAt(node, tie.front()));
    for (const Port port : tie) {
      roots_[RootOf(PositionOf(SourceAt(node, port)))] = RootOf(first);
      permuted_ports_[&node].push_back(port);
    }
  }
  if (permutation.makes_one_position || HasOrderFreeInputs(node, permutation)) {
    order_free_.insert(PositionOf(SourceAt(node, ops::Out(0))));
  }
}

// Returns true if output 0 is tied to inputs with its dims that all have the same memory layout in
// both orders.
bool LayoutGroups::HasOrderFreeInputs(ir::Node& node, const ops::Permutation& permutation) {
  const Dims& dims = node.outputs[0].type.dims;
  return std::ranges::any_of(permutation.ties, [&](const std::vector<Port>& tie) {
    bool has_output = false, has_input = false;
    for (const Port port : tie) {
      has_output = has_output || (port.output && port.index == 0);
      if (port.output) continue;
      const ir::Source input = SourceAt(node, port);
      if (TypeOf(input).dims != dims || !order_free_.contains(PositionOf(input))) return false;
      has_input = true;
    }
    return has_output && has_input;
  });
}

void LayoutGroups::CountSteps(ir::Node& node, const ops::Permutation& permutation) {
  for (const std::vector<Port>& tie : permutation.ties) {
    Account& account = accounts_[RootOf(PositionOf(SourceAt(node, tie.front())))];
    if (permutation.last_is == LastIs::kGood) ++(tie.front().output ? account.made : account.read);
    account.lanes += permutation.last_is == LastIs::kBetter || permutation.last_is == LastIs::kBest;
    account.slow += permutation.last_is == LastIs::kBest;
  }
}

// Counts transpositions: one per value for all readers that need the other order. The only extent
// that counts is the number of channels. Otherwise a streaming model would choose a different order
// of its history depending on the number of steps per run.
void LayoutGroups::CountMoves(const std::vector<ir::Node*>& nodes) {
  std::set<size_t> handed_out;
  for (const ir::Node* node : nodes) {
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const auto position = positions_.find({node->inputs[i].node, node->inputs[i].port});
      if (position == positions_.end() || IsPermuted(*node, ops::In(i))) continue;
      handed_out.insert(position->second);
    }
  }
  for (size_t position = 0; position < sources_.size(); ++position) {
    const ir::Source& source = sources_[position];
    if (TypeOf(source).dims[1] == 1 || order_free_.contains(position)) continue;
    const bool is_made_there = IsPermuted(*source.node, ops::Out(source.port));
    accounts_[RootOf(position)].moves += is_made_there ? handed_out.contains(position) : 1;
  }
}

// Counts a transposition to or from channels-last that has no effect if only its side in the order
// of the specification is permuted.
void LayoutGroups::CountSaved(ir::Node& node) {
  const std::optional<std::vector<size_t>> order = PermutationOf(node);
  if (!order || !ops::HasChannelAxis(order->size())) return;
  const std::vector<size_t> last = ops::LastOrder(order->size());
  bool is_from_last = true;
  for (size_t i = 0; i < last.size(); ++i) is_from_last = is_from_last && (*order)[last[i]] == i;
  for (const Port port : {ops::In(0), ops::Out(0)}) {
    if (!IsPermuted(node, port) || !(port.output ? is_from_last : *order == last)) continue;
    const size_t position = PositionOf(SourceAt(node, port));
    if (TypeOf(sources_[position]).dims[1] != 1) --accounts_[RootOf(position)].moves;
  }
}

// Any window step gains more than one copy of a tensor costs. A step with strided access on one
// side gains less. Steps whose lanes are channels also gain if transpositions are saved.
void LayoutGroups::Decide() {
  for (const auto& [root, account] : accounts_) {
    const bool saves = account.lanes > 0 && account.moves < 0;
    const bool has_reason = account.made + account.read + account.slow > 0 || saves;
    const bool is_inside = account.made > 0 && account.read > 0;
    if (has_reason && (account.lanes > 0 || is_inside || account.moves <= 0)) last_.insert(root);
  }
}

bool LayoutGroups::IsLast(const ir::Source& source) const {
  const auto position = positions_.find({source.node, source.port});
  return position != positions_.end() && last_.contains(RootOf(position->second));
}

bool LayoutGroups::IsPermuted(const ir::Node& node, Port port) const {
  const auto ports = permuted_ports_.find(&node);
  return ports != permuted_ports_.end() &&
         std::ranges::find(ports->second, port) != ports->second.end();
}

}  // namespace weft::graph
