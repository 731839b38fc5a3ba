// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/form_site.h"

#include <algorithm>
#include <utility>

#include "converter/graph/lower.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {

FormSite::FormSite(ir::Graph& graph) : graph_(graph) {
  for (ir::Node* node : ir::Topological(graph)) Count(*node);
}

void FormSite::Count(ir::Node& reader) {
  reads_.try_emplace(&reader);
  for (const ir::Source& source : reader.inputs) {
    Reads& reads = reads_[source.node];
    ++reads.count;
    reads.last = &reader;
  }
}

// Counts the reads of a node that was created for a form, and of its new inputs.
void FormSite::CountNew(ir::Node& node) {
  if (!reads_.try_emplace(&node).second) return;
  for (const ir::Source& source : node.inputs) CountNew(*source.node);
  Count(node);
}

ir::Node* FormSite::SoleReader(const ir::Node& node) const {
  const auto found = reads_.find(&node);
  if (found == reads_.end() || found->second.count != 1) return nullptr;
  return IsReplaced(*found->second.last) ? nullptr : found->second.last;
}

bool FormSite::IsClosed(const ir::Node& root, const Covered& covered) const {
  const auto has_fixed_inputs = [](const ir::Node* node) {
    return std::ranges::none_of(
        node->inputs, [](const ir::Source& source) { return ir::ExtentOf(source).has_value(); });
  };
  if (!has_fixed_inputs(&root) || !std::ranges::all_of(covered, has_fixed_inputs)) return false;
  std::unordered_map<const ir::Node*, int64_t> inside;
  const auto count = [&](const ir::Node& node) {
    for (const ir::Source& source : node.inputs) ++inside[source.node];
  };
  for (const ir::Node* node : covered) count(*node);
  count(root);
  for (const ir::Node* node : covered) {
    const auto found = reads_.find(node);
    if (found == reads_.end() || found->second.count != inside[node]) return false;
  }
  return true;
}

void FormSite::Replace(ir::Node& root, const Covered& covered, Form form) {
  const auto forget = [&](const ir::Node& node) {
    for (const ir::Source& source : node.inputs) --reads_[source.node].count;
  };
  for (const ir::Node* node : covered) {
    forget(*node);
    replaced_.insert(node);
  }
  forget(root);
  const auto is_apart = [](const ir::Node& node) { return node.attributes.contains(kRoundsApart); };
  const bool adds_apart =
      form.operation == "Add" &&
      (is_apart(root) || std::ranges::any_of(covered, [&](auto* node) { return is_apart(*node); }));
  Become(root, form.operation, form.opset, std::move(form.inputs));
  root.attributes = std::move(form.attributes);
  // An addition that must round separately also keeps the attribute when constants are merged.
  if (adds_apart) root.attributes[kRoundsApart] = "true";
  for (const ir::Source& source : root.inputs) CountNew(*source.node);
  Count(root);
}

// A node without readers no longer reads its inputs.
void FormSite::Release(const ir::Node& node) {
  if (--reads_[&node].count > 0) return;
  replaced_.insert(&node);
  for (const ir::Source& source : node.inputs) Release(*source.node);
}

void FormSite::Redirect(ir::Node& reader, size_t input, ir::Source source) {
  const ir::Source before = std::exchange(reader.inputs[input], source);
  CountNew(*source.node);
  Reads& reads = reads_[source.node];
  ++reads.count;
  reads.last = &reader;
  Release(*before.node);
}

ir::Source Transposed(ir::Graph& graph, const ir::Node& like, ir::Source source,
                      std::vector<size_t> order, Covered* covered) {
  while (const auto before = PermutationOf(*source.node)) {
    for (size_t& axis : order) axis = (*before)[axis];
    if (covered != nullptr) covered->insert(source.node);
    source = source.node->inputs[0];
  }
  if (std::ranges::is_sorted(order)) return source;
  const ir::Source by = NewInts(graph, like, {ElementType::i64, {std::ssize(order)}},
                                std::vector<int64_t>(order.begin(), order.end()));
  return NewOperation(graph, like, "Transpose", 1, {source, by});
}

}  // namespace weft::graph
