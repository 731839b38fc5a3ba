// SPDX-License-Identifier: Apache-2.0
// Removes the repetition of heads that several query heads share (grouped-query attention). Keys
// and values have repeated heads before a product: by a Broadcast or Tile of an axis of one element
// or by a Gather, possibly with reshapes and transpositions in between. The product then reads each
// head several times by strides, and groups the heads of its other factors:
//   MatMul   q[b, h * r, ..] x repeated(k[b, h, ..])  ->  q[b, h, r, ..] x k[b, h, 1, ..]
//   Einsum   BTNH,BSNH->BNTS with a repeated N        ->  BTNzH,BSNH->BNzTS
// Bit-identical.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/recognise/forms/reduction.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/equation.h"

namespace weft::graph {
namespace {

constexpr size_t kMaxProductAxes = 8;

// A value whose elements along `axis` are each repeated `times` times, consecutively.
struct Repetition {
  ir::Source of;
  size_t axis = 0;
  int64_t times = 1;
};

// An axis that is split into two.
struct AxisPair {
  size_t axis = 0;
  int64_t outer = 1, inner = 1;
};

// Skips broadcasts and reshapes that change nothing.
ir::Source SkipNoOps(ir::Source source) {
  while (!source.node->constant && source.node->operation != nullptr) {
    const bool repeats = IsCalled(*source.node, "Broadcast") || IsCalled(*source.node, "Tile");
    if (!repeats && !ops::TraitsOf(*source.node).reshapes) break;
    const ir::Source before = source.node->inputs[0];
    if (TypeOf(before).dims != TypeOf(source).dims) break;
    source = before;
  }
  return source;
}

Dims WithoutOnes(Dims dims) {
  std::erase(dims, 1);
  return dims;
}

// Returns the transposition with dims `dims`, which differ from its dims only by axes of extent 1.
ir::Source TransposedTo(ir::Graph& graph, const ir::Node& like, const ir::Node& transpose,
                        const Dims& dims) {
  const std::vector<size_t> order = PermutationOf(transpose).value();
  const Dims& permuted = transpose.outputs[0].type.dims;
  const Dims kept = WithoutOnes(TypeOf(transpose.inputs[0]).dims);
  const size_t ones = dims.size() - kept.size();
  std::vector<size_t> moved;  // source axes in order of the result, without extent 1
  for (size_t i = 0; i < order.size(); ++i) {
    if (permuted[i] != 1) moved.push_back(order[i]);
  }
  std::vector<size_t> longer;
  size_t one = 0, next = 0;
  for (const int64_t dim : dims) {
    if (dim == 1) {
      longer.push_back(one++);
      continue;
    }
    const size_t axis = moved[next++];
    const auto before = std::ranges::count_if(moved, [&](size_t other) { return other < axis; });
    longer.push_back(ones + static_cast<size_t>(before));
  }
  Dims whole(ones, 1);
  whole.insert(whole.end(), kept.begin(), kept.end());
  const ir::Source view = Reshaped(graph, like, transpose.inputs[0], whole);
  return Transposed(graph, like, view, std::move(longer));
}

// Returns the elements of `source` with these dims, without the views before it.
ir::Source Viewed(ir::Graph& graph, const ir::Node& like, ir::Source source, const Dims& dims) {
  Covered views;
  const ir::Source before = BeforeViews(source, views);
  if (TypeOf(before).dims != dims && PermutationOf(*before.node) &&
      WithoutOnes(TypeOf(before).dims) == WithoutOnes(dims)) {
    return TransposedTo(graph, like, *before.node, dims);
  }
  return SkipNoOps(Reshaped(graph, like, before, dims));
}

// Splits the axis before preceding transpositions, so that these stay last and a product can read
// them by strides.
ir::Source WithPair(ir::Graph& graph, const ir::Node& like, ir::Source source, AxisPair pair) {
  source = SkipNoOps(source);
  if (const auto order = PermutationOf(*source.node)) {
    const size_t axis = (*order)[pair.axis];
    const ir::Source before =
        WithPair(graph, like, source.node->inputs[0], {axis, pair.outer, pair.inner});
    std::vector<size_t> longer;
    for (const size_t old : *order) {
      longer.push_back(old > axis ? old + 1 : old);
      if (old == axis) longer.push_back(axis + 1);
    }
    return Transposed(graph, like, before, std::move(longer));
  }
  Dims dims = TypeOf(source).dims;
  dims[pair.axis] = pair.inner;
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(pair.axis), pair.outer);
  return Viewed(graph, like, source, dims);
}

// Returns the only axis along which `after` is longer than `before`; `before` has extent 1 there.
std::optional<size_t> RepeatedAxis(const Dims& before, const Dims& after) {
  if (before.size() != after.size()) return std::nullopt;
  std::optional<size_t> found;
  for (size_t axis = 0; axis < before.size(); ++axis) {
    if (before[axis] == after[axis]) continue;
    if (found || before[axis] != 1) return std::nullopt;
    found = axis;
  }
  return found;
}

std::optional<Repetition> RepetitionOfBroadcast(ir::Source source) {
  const ir::Node& node = *source.node;
  const bool broadcasts = IsCalled(node, "Broadcast");
  if (!broadcasts && !IsCalled(node, "Tile")) return std::nullopt;
  if (broadcasts && AttributeText(node, "mode") == "explicit") return std::nullopt;
  const Dims& dims = node.outputs[0].type.dims;
  const std::optional<size_t> axis = RepeatedAxis(TypeOf(node.inputs[0]).dims, dims);
  if (!axis) return std::nullopt;
  return Repetition{node.inputs[0], *axis, dims[*axis]};
}

// Reads a Gather with indices 0, 0, 1, 1, ... along an axis.
std::optional<Repetition> GatheredOf(const ir::Graph& graph, ir::Source source) {
  const std::optional<Gathering> gathering = GatheringOf(graph, *source.node);
  if (!gathering || TypeOf(source.node->inputs[1]).dims.size() != 1) return std::nullopt;
  const ir::Source of = source.node->inputs[0];
  const auto times = RepeatsIn(gathering->indices, TypeOf(of).dims[gathering->axis]);
  return times ? std::optional(Repetition{of, gathering->axis, *times}) : std::nullopt;
}

// Converts the repetition to other dims: repeats remain innermost along the axis that ends at the
// same element.
std::optional<Repetition> UnderDims(ir::Graph& graph, const ir::Node& like,
                                    const Repetition& repeated, Dims dims) {
  const Dims& of = TypeOf(repeated.of).dims;
  int64_t end = repeated.times;
  for (size_t axis = 0; axis <= repeated.axis; ++axis) end *= of[axis];
  int64_t positions = 1;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    positions *= dims[axis];
    if (positions != end || dims[axis] % repeated.times != 0) continue;
    dims[axis] /= repeated.times;
    return Repetition{Viewed(graph, like, repeated.of, dims), axis, repeated.times};
  }
  return std::nullopt;
}

std::optional<Repetition> RepetitionOf(ir::Graph& graph, const ir::Node& like, ir::Source source) {
  source = SkipNoOps(source);
  if (const auto order = PermutationOf(*source.node)) {
    std::optional<Repetition> inner = RepetitionOf(graph, like, source.node->inputs[0]);
    if (!inner) return std::nullopt;
    inner->of = Transposed(graph, like, inner->of, *order);
    inner->axis = static_cast<size_t>(std::ranges::find(*order, inner->axis) - order->begin());
    return inner;
  }
  if (const auto repetition = RepetitionOfBroadcast(source)) return repetition;
  if (const auto gathered = GatheredOf(graph, source)) return gathered;
  if (source.node->constant || !ops::TraitsOf(*source.node).reshapes) return std::nullopt;
  const std::optional<Repetition> inner = RepetitionOf(graph, like, source.node->inputs[0]);
  if (!inner) return std::nullopt;
  return UnderDims(graph, like, *inner, Dims(TypeOf(source).dims));
}

// Merges the pair of axes of the result again and replaces the product.
void ReplaceMerged(FormSite& site, ir::Node& node, ir::Source product) {
  const Dims dims = node.outputs[0].type.dims;
  const ir::Source shape = NewInts(site.graph(), node, dims);
  site.Replace(node, {}, {"Reshape", 1, {product, shape}, {{"special_zero", "false"}}});
}

// Products with batch axes aligned at the last axes.

// An axis of heads, counted from the last axis.
struct Groups {
  size_t from_end = 0;
  int64_t heads = 1, times = 1;
};

// Returns a factor with its heads in groups; nullopt if its heads do not match. A factor without
// this axis, or with extent 1 along it, serves all heads unchanged.
std::optional<ir::Source> Grouped(ir::Graph& graph, const ir::Node& like, ir::Source factor,
                                  const Groups& groups) {
  const Dims& dims = TypeOf(factor).dims;
  if (dims.size() < groups.from_end) return factor;
  const size_t axis = dims.size() - groups.from_end;
  const std::optional<Repetition> repeated = RepetitionOf(graph, like, factor);
  if (repeated && repeated->axis == axis && repeated->times == groups.times &&
      TypeOf(repeated->of).dims[axis] == groups.heads) {
    return WithPair(graph, like, repeated->of, {axis, groups.heads, 1});
  }
  if (dims[axis] == 1) return WithPair(graph, like, factor, {axis, 1, 1});
  if (dims[axis] != groups.heads * groups.times) return std::nullopt;
  return WithPair(graph, like, factor, {axis, groups.heads, groups.times});
}

// Returns the number of inputs that have batch axes: the factors, and the addend of attention
// scores.
size_t BatchInputsOf(const ir::Node& node) {
  if (IsCalled(node, "MatMul")) return 2;
  if (!IsCalled(node, "ScaledDotProductAttention")) return 0;
  return std::min<size_t>(node.inputs.size(), 4);
}

std::optional<Groups> GroupsOf(ir::Graph& graph, const ir::Node& node, ir::Source factor) {
  const std::optional<Repetition> repeated = RepetitionOf(graph, node, factor);
  const size_t rank = TypeOf(factor).dims.size();
  if (!repeated || rank - repeated->axis <= 2) return std::nullopt;
  return Groups{rank - repeated->axis, TypeOf(repeated->of).dims[repeated->axis], repeated->times};
}

bool ShareInBatch(FormSite& site, ir::Node& node) {
  const size_t count = BatchInputsOf(node);
  if (count == 0 || node.outputs[0].type.dims.size() + 1 > kMaxProductAxes) return false;
  ir::Graph& graph = site.graph();
  std::optional<Groups> groups;
  for (size_t i = 0; i < 3 && i < count && !groups; ++i) {
    groups = GroupsOf(graph, node, node.inputs[i]);
  }
  const auto is_known = [](ir::Source factor) { return factor.node->constant.has_value(); };
  const bool packs = std::ranges::any_of(std::span(node.inputs).first(2), is_known);
  if (!groups || packs || !site.IsClosed(node, {})) return false;
  std::vector<ir::Source> inputs = node.inputs;
  for (size_t i = 0; i < count; ++i) {
    const std::optional<ir::Source> grouped = Grouped(graph, node, inputs[i], *groups);
    if (!grouped) return false;
    inputs[i] = *grouped;
  }
  const ir::Source product =
      NewOperation(graph, node, std::string(node.operation->name), node.operation->opset,
                   std::move(inputs), node.attributes);
  // The result has fewer elements if no factor has separate heads.
  if (CountIn(product) != CountIn({&node, 0})) return false;
  ReplaceMerged(site, node, product);
  return true;
}

// Removes no-ops between a factor and its transposition. torch.export writes a Broadcast to the
// same dims before every product; a transposition before it would need a copy.
ir::Source AsItLies(ir::Graph& graph, const ir::Node& like, ir::Source factor) {
  const ir::Source source = SkipNoOps(factor);
  const auto order = PermutationOf(*source.node);
  if (!order) return source;
  const ir::Source before = source.node->inputs[0], plain = AsItLies(graph, like, before);
  return plain == before ? source : Transposed(graph, like, plain, *order);
}

bool TakeAsTheyLie(FormSite& site, ir::Node& node) {
  std::vector<ir::Source> inputs = node.inputs;
  for (size_t i = 0; i < std::min<size_t>(BatchInputsOf(node), 3); ++i) {
    inputs[i] = AsItLies(site.graph(), node, inputs[i]);
  }
  if (inputs == node.inputs || !site.IsClosed(node, {})) return false;
  const ops::Operation& same = *node.operation;
  site.Replace(node, {}, {std::string(same.name), same.opset, std::move(inputs), node.attributes});
  return true;
}

// Products whose axes are named by letters.

// Returns nullopt for an axis without letter, or an equation without output subscript.
std::optional<ops::Equation> EquationOf(const ir::Graph& graph, ir::Node& node) {
  Quiet<ops::NodeScope> scope(graph, node);
  const std::string text = scope.attributes.Text("equation", "");
  if (text.find("->") == std::string::npos || ops::HasEllipsis(text)) return std::nullopt;
  return ops::ReadEquation(scope);
}

std::optional<char> UnusedLetter(const ops::Equation& equation) {
  std::string used = equation.output;
  for (const std::string& input : equation.inputs) used += input;
  for (char letter = 'z'; letter >= 'a'; --letter) {
    if (used.find(letter) == std::string::npos) return letter;
  }
  return std::nullopt;
}

std::string TextOf(const ops::Equation& equation) {
  return fmt::format("{}->{}", fmt::join(equation.inputs, ","), equation.output);
}

bool HasOnce(const std::string& subscript, char letter) {
  return std::ranges::count(subscript, letter) == 1;
}

// Input `shared` does not have the second letter.
bool ShareByLetter(FormSite& site, ir::Node& node, size_t shared, ops::Equation equation) {
  ir::Graph& graph = site.graph();
  const std::optional<Repetition> repeated = RepetitionOf(graph, node, node.inputs[shared]);
  const std::optional<char> second = UnusedLetter(equation);
  if (!repeated || !second) return false;
  const char letter = equation.inputs[shared][repeated->axis];
  const int64_t heads = TypeOf(repeated->of).dims[repeated->axis];
  std::vector<ir::Source> inputs = node.inputs;
  inputs[shared] = repeated->of;
  bool is_grouped = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string& subscript = equation.inputs[i];
    if (subscript.find(letter) == std::string::npos) continue;
    if (!HasOnce(subscript, letter)) return false;
    if (i == shared) continue;
    const size_t axis = subscript.find(letter);
    inputs[i] = WithPair(graph, node, inputs[i], {axis, heads, repeated->times});
    subscript.insert(axis + 1, 1, *second);
    is_grouped = true;
  }
  if (!is_grouped || !HasOnce(equation.output, letter) || !site.IsClosed(node, {})) return false;
  equation.output.insert(equation.output.find(letter) + 1, 1, *second);
  std::map<std::string, std::string> attributes = {{"equation", TextOf(equation)}};
  ReplaceMerged(site, node, NewOperation(graph, node, "Einsum", 7, std::move(inputs), attributes));
  return true;
}

bool ShareByLetters(FormSite& site, ir::Node& node) {
  if (!IsCalled(node, "Einsum") || node.outputs[0].type.dims.size() + 1 > kMaxProductAxes)
    return false;
  const std::optional<ops::Equation> equation = EquationOf(site.graph(), node);
  for (size_t i = 0; equation && i < node.inputs.size(); ++i) {
    if (ShareByLetter(site, node, i, *equation)) return true;
  }
  return false;
}

}  // namespace

bool RecogniseSharedHeads(FormSite& site, ir::Node& node) {
  return ShareInBatch(site, node) || ShareByLetters(site, node) || TakeAsTheyLie(site, node);
}

}  // namespace weft::graph
