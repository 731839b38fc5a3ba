// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/reduction.h"

#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

int64_t PositionsAlong(const Dims& dims, const std::vector<bool>& axes) {
  int64_t count = 1;
  for (size_t i = 0; i < dims.size(); ++i) count *= axes[i] ? dims[i] : 1;
  return count;
}

// Reads a product with, or quotient by, one number, and returns the factor.
std::optional<WithNumber> ScaledBy(const ir::Node& node) {
  if (IsCalled(node, "Multiply")) return SplitNumber(node);
  if (!IsCalled(node, "Divide")) return std::nullopt;
  const std::optional<double> number = NumberIn(node.inputs[1]);
  if (!number || *number == 0) return std::nullopt;
  return WithNumber{node.inputs[0], 1 / *number};
}

}  // namespace

double Reduced::PerMean() const {
  return factor * static_cast<double>(PositionsAlong(TypeOf(of).dims, axes));
}

std::optional<Reduced> ReducedBy(std::string_view operation, ir::Source source) {
  Reduced reduced;
  const ir::Node& node = *BeforeViews(source, reduced.covered).node;
  if (!IsCalled(node, operation)) return std::nullopt;
  reduced.of = node.inputs[0];
  const auto rank = static_cast<int64_t>(TypeOf(reduced.of).dims.size());
  reduced.axes.assign(static_cast<size_t>(rank), false);
  const std::vector<int64_t> axes = IntsOf(node.inputs[1]);
  if (axes.empty()) return std::nullopt;
  for (const int64_t axis : axes) {
    const int64_t normal = axis < 0 ? axis + rank : axis;
    if (normal < 0 || normal >= rank) return std::nullopt;
    reduced.axes[static_cast<size_t>(normal)] = true;
  }
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

bool KeepsAxes(ir::Source source, const Dims& dims, const std::vector<bool>& axes) {
  const Dims& is = TypeOf(source).dims;
  if (is.size() > dims.size()) return false;
  const size_t missing = dims.size() - is.size();
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t extent = i < missing ? 1 : is[i - missing];
    if (extent != (axes[i] ? 1 : dims[i])) return false;
  }
  return true;
}

std::optional<ir::Source> NegatedBy(const ir::Node& node) {
  if (IsCalled(node, "Negative")) return node.inputs[0];
  if (!IsCalled(node, "Multiply")) return std::nullopt;
  const std::optional<WithNumber> by = SplitNumber(node);
  const bool fits = by && by->number == -1 && TypeOf(by->other).dims == node.outputs[0].type.dims;
  return fits ? std::optional(by->other) : std::nullopt;
}

namespace {

std::optional<Centred> CentredBy(ir::Source x, ir::Source taken, const ir::Node& node) {
  std::optional<Reduced> mean = ReducedOf(taken);
  if (!mean || !mean->IsMean() || !(mean->of == x)) return std::nullopt;
  if (!KeepsAxes(taken, TypeOf(x).dims, mean->axes)) return std::nullopt;
  Centred centred{x, std::move(mean->axes), std::move(mean->covered)};
  centred.covered.insert(&node);
  return centred;
}

}  // namespace

std::optional<Centred> CentredOf(ir::Source source) {
  const ir::Node& node = *source.node;
  if (IsCalled(node, "Subtract")) return CentredBy(node.inputs[0], node.inputs[1], node);
  if (!IsCalled(node, "Add")) return std::nullopt;
  for (const size_t i : {1, 0}) {
    const ir::Node& added = *node.inputs[i].node;
    const std::optional<ir::Source> taken = NegatedBy(added);
    if (!taken) continue;
    std::optional<Centred> centred = CentredBy(node.inputs[1 - i], *taken, node);
    if (!centred) continue;
    centred->covered.insert(&added);
    return centred;
  }
  return std::nullopt;
}

ir::Source BeforeViews(ir::Source source, Covered& covered) {
  while (ops::TraitsOf(*source.node).reshapes && !source.node->constant) {
    covered.insert(source.node);
    source = source.node->inputs[0];
  }
  return source;
}

std::vector<int64_t> NumbersOf(const std::vector<bool>& axes) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i]) numbers.push_back(static_cast<int64_t>(i));
  }
  return numbers;
}

void Join(Covered& covered, const Covered& more) { covered.insert(more.begin(), more.end()); }

}  // namespace weft::graph
