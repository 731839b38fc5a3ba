// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/reduction.h"

#include <algorithm>

#include "converter/graph/lower.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {

std::optional<WithNumber> ScaledBy(const ir::Node& node) {
  if (IsCalled(node, "Multiply")) return SplitNumber(node);
  if (!IsCalled(node, "Divide")) return std::nullopt;
  const std::optional<double> number = NumberIn(node.inputs[1]);
  if (!number || *number == 0) return std::nullopt;
  return WithNumber{node.inputs[0], 1 / *number};
}

double Reduced::PerMean() const {
  double mean = factor;
  for (const int64_t axis : axes) {
    mean *= static_cast<double>(TypeOf(of).dims[static_cast<size_t>(axis)]);
  }
  return mean;
}

std::optional<Reduced> ReducedBy(std::string_view operation, ir::Source source) {
  Reduced reduced;
  const ir::Node& node = *BeforeViews(source, reduced.covered).node;
  if (!IsCalled(node, operation)) return std::nullopt;
  reduced.of = node.inputs[0];
  const auto rank = static_cast<int64_t>(TypeOf(reduced.of).dims.size());
  for (const int64_t axis : IntsOf(node.inputs[1])) {
    reduced.axes.push_back(axis < 0 ? axis + rank : axis);
    if (reduced.axes.back() < 0 || reduced.axes.back() >= rank) return std::nullopt;
  }
  if (reduced.axes.empty()) return std::nullopt;
  std::ranges::sort(reduced.axes);
  const auto repeated = std::ranges::unique(reduced.axes);
  reduced.axes.erase(repeated.begin(), repeated.end());
  reduced.covered.insert(&node);
  return reduced;
}

std::optional<Reduced> ReducedOf(ir::Source source) {
  if (auto sum = ReducedBy("ReduceSum", source)) return sum;
  if (auto mean = ReducedBy("ReduceMean", source)) {
    mean->factor = 1 / mean->PerMean();
    return mean;
  }
  Covered views;
  const ir::Node& node = *BeforeViews(source, views).node;
  const std::optional<WithNumber> scaled = ScaledBy(node);
  if (!scaled || CountIn(scaled->other) != CountIn(source)) return std::nullopt;
  std::optional<Reduced> reduced = ReducedOf(scaled->other);
  if (!reduced) return std::nullopt;
  reduced->factor *= scaled->number;
  reduced->covered.insert(&node);
  Join(reduced->covered, views);
  return reduced;
}

std::optional<ir::Source> SquaredIn(const ir::Node& node) {
  const bool is_power = IsCalled(node, "Power") && NumberIn(node.inputs[1]) == 2.0;
  const bool is_product = IsCalled(node, "Multiply") && node.inputs[0] == node.inputs[1];
  if (!is_power && !is_product) return std::nullopt;
  const ir::Source of = node.inputs[0];  // an exponent with more axes would broadcast the result
  return TypeOf(of).dims == node.outputs[0].type.dims ? std::optional(of) : std::nullopt;
}

std::optional<ir::Source> RootedIn(const ir::Node& node) {
  const bool is_power = IsCalled(node, "Power") && NumberIn(node.inputs[1]) == 0.5;
  return is_power || IsCalled(node, "Sqrt") ? std::optional(node.inputs[0]) : std::nullopt;
}

std::optional<ir::Source> InvertedIn(const ir::Node& node) {
  if (IsCalled(node, "Power") && NumberIn(node.inputs[1]) == -1.0) return node.inputs[0];
  const bool divides = IsCalled(node, "Divide") && NumberIn(node.inputs[0]) == 1.0;
  return divides ? std::optional(node.inputs[1]) : std::nullopt;
}

bool KeepsAxes(ir::Source source, const Dims& dims, const std::vector<int64_t>& axes) {
  Dims kept = dims;
  for (const int64_t axis : axes) kept[static_cast<size_t>(axis)] = 1;
  Dims is = TypeOf(source).dims;
  if (is.size() < kept.size()) is.insert(is.begin(), kept.size() - is.size(), 1);
  return is == kept;
}

ir::Source BeforeViews(ir::Source source, Covered& covered) {
  while (ops::TraitsOf(*source.node).reshapes && !source.node->constant &&
         !source.node->attributes.contains(kMoved)) {
    covered.insert(source.node);
    source = source.node->inputs[0];
  }
  return source;
}

}  // namespace weft::graph
