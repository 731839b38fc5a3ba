// SPDX-License-Identifier: Apache-2.0
// Recognises lengths, which ReduceL2 computes in one pass:
//   sqrt(sum x^2), sqrt(mean x^2) and similar, with a factor applied to the result
//   sqrt(a^2 + b^2) of the two halves of one tensor, such as the magnitude of a spectrum
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/recognise/forms/reduction.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/axes.h"

namespace weft::graph {
namespace {

// Returns the length of x along the axes, with the dims of `node`.
ir::Source LengthOf(ir::Graph& graph, const ir::Node& node, ir::Source x,
                    const std::vector<int64_t>& axes) {
  const ir::Source along = NewInts(graph, node, {ElementType::i64, {std::ssize(axes)}}, axes);
  const ir::Source length = {
      NewInferredNode(graph, node, "ReduceL2", 4, {x, along}, 1, {{"keep_dims", "true"}}), 0};
  return Reshaped(graph, node, length, Dims(node.outputs[0].type.dims));
}

bool ReplaceByLength(FormSite& site, ir::Node& node) {
  std::optional<Reduced> reduced = ReducedOf(node.inputs[0]);
  if (!reduced || !(reduced->factor > 0) || !std::isfinite(reduced->factor)) return false;
  const std::optional<ir::Source> x = SquaredIn(*reduced->of.node);
  if (!x || CountIn(node.inputs[0]) != CountIn({&node, 0})) return false;
  reduced->covered.insert(reduced->of.node);
  if (!site.IsClosed(node, reduced->covered)) return false;
  const ir::Source length = LengthOf(site.graph(), node, *x, NumbersOf(reduced->axes));
  if (reduced->factor == 1) {
    site.Replace(node, reduced->covered, {"Identity", 16, {length}});
    return true;
  }
  const auto factor = static_cast<float>(std::sqrt(reduced->factor));
  site.Replace(node, reduced->covered,
               {"Multiply", 1, {length, NewFloats(site.graph(), node, {}, {factor})}});
  return true;
}

// One half of an axis; all other axes are complete. The half of an axis of extent 2 may omit the
// axis.
struct Half {
  ir::Source whole;
  size_t axis = 0;
  bool is_second = false;
};

// Returns the number of axes of input 0 that continue in the output element by element.
int64_t WholeAxes(const ops::AxisRelation& relation) {
  const auto is_data = [](const ops::PortAxis& axis) { return !axis.output && axis.port == 0; };
  return std::ranges::count_if(relation.groups, [&](const ops::AxisGroup& group) {
    return std::ranges::any_of(group, is_data);
  });
}

std::optional<Half> HalfOf(const ir::Graph& graph, ir::Source source) {
  if (source.node->constant || source.node->operation == nullptr) return std::nullopt;
  const ops::AxisRelation relation = ops::RelationOf(graph, *source.node);
  std::optional<ops::Selection> position;
  if (relation.selections.size() == 1) position = relation.selections[0];
  if (relation.parts.size() == 2) position = relation.parts[source.port];
  if (!position) return std::nullopt;
  const ir::Source whole = source.node->inputs[0];
  const Dims& dims = TypeOf(whole).dims;
  const int64_t count = position->end - position->begin;
  const auto axis = static_cast<size_t>(position->axis);
  if (WholeAxes(relation) + 1 != std::ssize(dims) || dims[axis] != 2 * count) return std::nullopt;
  if (position->begin != 0 && position->begin != count) return std::nullopt;
  return Half{whole, axis, position->begin != 0};
}

bool ReplaceByMagnitude(FormSite& site, ir::Node& node) {
  const ir::Node& sum = *node.inputs[0].node;
  if (!IsCalled(sum, "Add")) return false;
  std::array<std::optional<Half>, 2> halves;
  for (size_t i = 0; i < 2; ++i) {
    const ir::Node& square = *sum.inputs[i].node;
    const std::optional<ir::Source> of = SquaredIn(square);
    if (of && TypeOf(*of).dims == node.outputs[0].type.dims) halves[i] = HalfOf(site.graph(), *of);
  }
  const auto& [a, b] = halves;
  if (!a || !b || !(a->whole == b->whole) || a->axis != b->axis) return false;
  const Covered covered = {&sum, sum.inputs[0].node, sum.inputs[1].node};
  if (a->is_second == b->is_second || !site.IsClosed(node, covered)) return false;
  constexpr size_t kMaxHalved = 7;  // plus the axis of the halves
  Dims dims = TypeOf(a->whole).dims;
  if (dims.size() > kMaxHalved) return false;
  dims[a->axis] /= 2;
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(a->axis), 2);
  const ir::Source pairs = Reshaped(site.graph(), node, a->whole, dims);
  const std::vector<int64_t> along = {static_cast<int64_t>(a->axis)};
  const ir::Source length = LengthOf(site.graph(), node, pairs, along);
  site.Replace(node, covered, {"Identity", 16, {length}});
  return true;
}

}  // namespace

bool RecogniseLength(FormSite& site, ir::Node& node) {
  const bool is_root =
      IsCalled(node, "Sqrt") || (IsCalled(node, "Power") && NumberIn(node.inputs[1]) == 0.5);
  return is_root && (ReplaceByLength(site, node) || ReplaceByMagnitude(site, node));
}

}  // namespace weft::graph
