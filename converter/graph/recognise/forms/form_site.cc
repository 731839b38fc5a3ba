// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/form_site.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "converter/base/elements.h"
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

bool IsCalled(const ir::Node& node, std::string_view operation) {
  return node.operation != nullptr && !node.constant && node.operation->name == operation;
}

bool IsConvolved(const ir::Node& node) {
  return IsCalled(node, "Convolution") || IsCalled(node, "GroupConvolution");
}

std::optional<double> NumberIn(ir::Source source) {
  const ir::Constant* constant = ConstantOf(source);
  if (constant == nullptr || constant->type.type != ElementType::f32) return std::nullopt;
  const std::span<const std::byte> bytes = constant->bytes;
  if (bytes.size() < sizeof(float)) return std::nullopt;
  // Compares the bytes with themselves, shifted by one element.
  const std::span<const std::byte> next = bytes.subspan(sizeof(float));
  if (std::memcmp(bytes.data(), next.data(), next.size()) != 0) return std::nullopt;
  return RealAt(ElementType::f32, bytes, 0);
}

bool IsClose(double number, double wanted) {
  constexpr double kRoundings = 4e-7;  // about three f32 roundings
  return std::abs(number - wanted) <= kRoundings * std::abs(wanted);
}

std::optional<WithNumber> SplitNumber(const ir::Node& node) {
  if (node.inputs.size() != 2) return std::nullopt;
  for (const size_t i : {1, 0}) {
    const std::optional<double> number = NumberIn(node.inputs[i]);
    if (number) return WithNumber{node.inputs[1 - i], *number};
  }
  return std::nullopt;
}

int64_t CountIn(ir::Source source) { return ElementCount(TypeOf(source).dims).value_or(0); }

}  // namespace weft::graph
