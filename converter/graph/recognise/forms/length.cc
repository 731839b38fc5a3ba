// SPDX-License-Identifier: Apache-2.0
// Recognises lengths, which ReduceL2 computes in one pass:
//   sqrt(sum x^2), sqrt(mean x^2) and similar, with a factor applied to the result
//   sqrt(a^2 + b^2) of the two halves of one tensor, such as the magnitude of a spectrum
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "converter/graph/recognise/forms/form_rows.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/axes.h"

namespace weft::graph {
namespace {

// Returns the length of x along the axes, with the dims of `node`.
ir::Source LengthOf(ir::Graph& graph, const ir::Node& node, ir::Source x,
                    const std::vector<int64_t>& axes) {
  const ir::Source along = NewInts(graph, node, axes);
  const ir::Source length =
      NewOperation(graph, node, "ReduceL2", 4, {x, along}, {{"keep_dims", "true"}});
  return Reshaped(graph, node, length, Dims(node.outputs[0].type.dims));
}

std::optional<Form> Length(FormSite& site, const ir::Node& root, Pattern::Match& match) {
  const double factor = match.Number("sum");
  const bool fits = factor > 0 && std::isfinite(factor) &&
                    CountIn(match.at("squares")) == CountIn({const_cast<ir::Node*>(&root), 0});
  if (!fits) return std::nullopt;
  const ir::Source length = LengthOf(site.graph(), root, match.at("v"), match.axes);
  if (factor == 1) return Form{"Identity", 16, {length}};
  const auto scale = static_cast<float>(std::sqrt(factor));
  return Form{"Multiply", 1, {length, NewFloats(site.graph(), root, {}, {scale})}};
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

std::optional<Form> Magnitude(FormSite& site, const ir::Node& root, Pattern::Match& match) {
  std::array<std::optional<Half>, 2> halves;
  for (size_t i = 0; i < 2; ++i) {
    const ir::Source of = match.at(i == 0 ? "a" : "b");
    if (TypeOf(of).dims == root.outputs[0].type.dims) halves[i] = HalfOf(site.graph(), of);
  }
  const auto& [a, b] = halves;
  if (!a || !b || !(a->whole == b->whole) || a->axis != b->axis) return std::nullopt;
  constexpr size_t kMaxHalved = 7;  // plus the axis of the halves
  Dims dims = TypeOf(a->whole).dims;
  if (a->is_second == b->is_second || dims.size() > kMaxHalved) return std::nullopt;
  dims[a->axis] /= 2;
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(a->axis), 2);
  const ir::Source pairs = Reshaped(site.graph(), root, a->whole, dims);
  return Form{
      "Identity", 16, {LengthOf(site.graph(), root, pairs, {static_cast<int64_t>(a->axis)})}};
}

}  // namespace

bool RecogniseLength(FormSite& site, ir::Node& node) {
  static const FormRow kRows[] = {{FormPattern("Root(squares:{sum:Reduced(Square(v))})"), Length},
                                  {FormPattern("Root(Add(Square(a),Square(b)))"), Magnitude}};
  return ReplaceByRow(site, node, kRows);
}

}  // namespace weft::graph
