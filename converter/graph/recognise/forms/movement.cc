// SPDX-License-Identifier: Apache-2.0
// Merges consecutive transpositions and reshapes, which exporters leave around products of heads.
// Computes an extent and a stride of the original tensor for each axis that an input sees. The
// input then reads that tensor directly, through a reshape, or through one transposition. The
// transposition is last if the operation can read by strides, because then nothing is copied.
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "converter/graph/lower.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/program/builder.h"

namespace weft::graph {
namespace {

// An axis of a view of another tensor, whose elements are dense.
struct SeenAxis {
  int64_t extent = 1, stride = 0;
};
using SeenAxes = std::vector<SeenAxis>;

SeenAxes AllOf(const Dims& dims) {
  SeenAxes axes;
  const Dims strides = program::DenseStrides(dims);
  for (size_t i = 0; i < dims.size(); ++i) axes.push_back({dims[i], strides[i]});
  return axes;
}

// Removes axes of extent 1 and merges axes that are contiguous.
SeenAxes Collapsed(const SeenAxes& axes) {
  SeenAxes joined;
  for (const SeenAxis& axis : axes) {
    if (axis.extent == 1) continue;
    if (!joined.empty() && joined.back().stride == axis.stride * axis.extent) {
      joined.back() = {joined.back().extent * axis.extent, axis.stride};
    } else {
      joined.push_back(axis);
    }
  }
  return joined;
}

bool IsInOrder(const SeenAxes& axes) {
  const SeenAxes joined = Collapsed(axes);
  return joined.empty() || (joined.size() == 1 && joined[0].stride == 1);
}

// Returns the view of the same elements in the same order with `dims`; nullopt if an axis would
// need two strides.
std::optional<SeenAxes> Redivided(const SeenAxes& axes, const Dims& dims) {
  const SeenAxes joined = Collapsed(axes);
  SeenAxes divided;
  size_t at = 0;
  int64_t left = joined.empty() ? 1 : joined[0].extent;  // remaining extent of the merged axis
  for (const int64_t extent : dims) {
    if (extent == 1) {
      divided.push_back({1, 1});
      continue;
    }
    if (left == 1 && ++at < joined.size()) left = joined[at].extent;
    if (at >= joined.size() || left % extent != 0) return std::nullopt;
    left /= extent;
    divided.push_back({extent, joined[at].stride * left});
  }
  return divided;
}

bool IsView(const ir::Node& node) {
  if (node.constant || node.operation == nullptr || node.outputs.size() != 1) return false;
  if (ops::TraitsOf(node).reshapes) return true;
  return IsCalled(node, "Broadcast") &&
         ElementCount(node.outputs[0].type.dims) == CountIn(node.inputs[0]);
}

// Returns the view of the same tensor after `node`, whose input 0 has the view `axes`.
std::optional<SeenAxes> SeenAfter(const ir::Node& node, const SeenAxes& axes) {
  if (IsView(node)) return Redivided(axes, node.outputs[0].type.dims);
  SeenAxes permuted;
  const std::vector<size_t> order = PermutationOf(node).value();
  for (const size_t axis : order) permuted.push_back(axes[axis]);
  return permuted;
}

// Returns true if the operation moves elements. Permuting axes of extent 1 moves nothing.
bool Moves(const ir::Node& node) {
  if (IsView(node)) return false;
  const std::optional<SeenAxes> seen = SeenAfter(node, AllOf(TypeOf(node.inputs[0]).dims));
  return !seen || !IsInOrder(*seen);
}

struct Chain {
  std::vector<const ir::Node*> nodes;  // from the input backwards
  bool is_sole = true;                 // each has only one reader
};

Chain MovementsBefore(const FormSite& site, ir::Source source) {
  constexpr size_t kLongest = 16;
  Chain chain;
  while (chain.nodes.size() < kLongest) {
    const ir::Node& node = *source.node;
    const bool goes_on = (IsView(node) || PermutationOf(node)) && !ir::ExtentOf(source) &&
                         !ir::ExtentOf(node.inputs[0]) && CountIn(source) > 0;
    if (!goes_on) break;
    chain.nodes.push_back(&node);
    source = node.inputs[0];
  }
  for (const ir::Node* node : chain.nodes) {
    chain.is_sole = chain.is_sole && site.SoleReader(*node) != nullptr;
  }
  return chain;
}

// Returns the view, through all nodes, of the last node's input.
std::optional<SeenAxes> SeenThrough(std::span<const ir::Node* const> nodes) {
  std::optional<SeenAxes> seen = AllOf(TypeOf(nodes.back()->inputs[0]).dims);
  for (size_t i = nodes.size(); i-- > 0 && seen;) seen = SeenAfter(*nodes[i], *seen);
  return seen;
}

// Returns `source` permuted to the axes of the view, by one transposition.
ir::Source Permuted(ir::Graph& graph, const ir::Node& like, ir::Source source,
                    const SeenAxes& seen) {
  std::vector<size_t> by_stride(seen.size());
  std::iota(by_stride.begin(), by_stride.end(), size_t{0});
  const auto position = [&](size_t i) {
    return seen[i].extent == 1 ? std::numeric_limits<int64_t>::max() : seen[i].stride;
  };
  std::ranges::stable_sort(by_stride,
                           [&](size_t a, size_t b) { return position(a) > position(b); });
  Dims dims;
  std::vector<size_t> order(seen.size());
  for (size_t i = 0; i < by_stride.size(); ++i) {
    dims.push_back(seen[by_stride[i]].extent);
    order[by_stride[i]] = i;
  }
  return Transposed(graph, like, Reshaped(graph, like, source, dims), std::move(order));
}

bool ShortenInput(FormSite& site, ir::Node& node, size_t input) {
  const Chain chain = MovementsBefore(site, node.inputs[input]);
  const auto takes = ops::TraitsOf(node).takes_strides;
  const bool by_strides =
      takes != nullptr && takes(Quiet<ops::NodeScope>(site.graph(), node), input);
  for (size_t length = chain.nodes.size(); length > 0; --length) {
    const std::span<const ir::Node* const> nodes(chain.nodes.data(), length);
    const std::optional<SeenAxes> seen = SeenThrough(nodes);
    if (!seen) continue;
    const ir::Source source = nodes.back()->inputs[0];
    const Dims& dims = TypeOf(node.inputs[input]).dims;
    const auto moves = [](const ir::Node* one) { return Moves(*one); };
    const bool is_last_free = by_strides && moves(nodes[0]);
    const int64_t before = std::ranges::count_if(nodes, moves) - (is_last_free ? 1 : 0);
    const int64_t after = IsInOrder(*seen) || by_strides ? 0 : 1;
    const bool is_nothing = before == 0 && IsInOrder(*seen) && TypeOf(source).dims == dims;
    const bool is_less = after < before && (after == 0 || chain.is_sole);
    const bool was_moved = std::ranges::any_of(
        nodes, [](const ir::Node* one) { return one->attributes.contains(kMoved); });
    if (is_nothing && was_moved && length == 1) continue;
    if (!is_nothing && !is_less) continue;
    ir::Source moved = IsInOrder(*seen) ? Reshaped(site.graph(), node, source, dims)
                                        : Permuted(site.graph(), node, source, *seen);
    if (was_moved) {
      if (moved == source) moved = NewReshape(site.graph(), node, source, dims);
      moved.node->outputs[0].type = TypeOf(node.inputs[input]);
      moved.node->attributes[kMoved] = "true";
    }
    site.Redirect(node, input, moved);
    return true;
  }
  return false;
}

}  // namespace

bool RecogniseMovement(FormSite& site, ir::Node& node) {
  bool is_changed = false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (TypeOf(node.inputs[i]).type == ElementType::f32) {
      is_changed = ShortenInput(site, node, i) || is_changed;
    }
  }
  return is_changed;
}

}  // namespace weft::graph
