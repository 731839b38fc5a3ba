// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/rounding.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "converter/graph/canonical/borders.h"
#include "converter/graph/lower.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/program/fuse_tail.h"

namespace weft::graph {
namespace {

// Results of a product as [outer, outputs, inner].
struct Product {
  int64_t outputs = 1, inner = 1;
  bool is_dense = false;
};

bool EmitsNoStep(const ir::Node& node) {
  const ops::Traits& traits = ops::TraitsOf(node);
  return traits.reshapes || (traits.pointwise && traits.free);
}

bool IsMoved(ir::Source source) {
  while (EmitsNoStep(*source.node) && !source.node->attributes.contains(kMoved)) {
    source = source.node->inputs[0];
  }
  return source.node->attributes.contains(kMoved);
}

// Skips reshapes and constant addends, after which a product can still start.
ir::Source UnderConstants(ir::Source source) {
  for (;;) {
    const ir::Node& node = *source.node;
    if (EmitsNoStep(node)) {
      source = node.inputs[0];
      continue;
    }
    if (node.operation == nullptr || node.constant || node.operation->name != "Add") return source;
    const size_t data = node.inputs[0].node->constant ? 1 : 0;
    if (!node.inputs[1 - data].node->constant) return source;
    if (ElementCount(DimsOf(node.inputs[data])) != ElementCount(DimsOf(source))) return source;
    source = node.inputs[data];
  }
}

std::optional<Product> ProductOf(ir::Source source) {
  source = UnderConstants(source);
  const ir::Node& node = *source.node;
  if (node.operation == nullptr || node.constant) return std::nullopt;
  const std::string_view name = node.operation->name;
  const Dims& dims = DimsOf(source);
  if (name == "MatMul" && node.inputs[1].node->constant && !dims.empty()) {
    return Product{dims.back(), 1, true};
  }
  if (name == "Convolution" || name == "GroupConvolution" || name == "ConvolutionBackpropData" ||
      name == "GroupConvolutionBackpropData") {
    return Product{dims[1], ops::ProductOf(dims, 2, dims.size()), false};
  }
  return std::nullopt;
}

// Whether a sum is in a loop body, where a product may start from computed rows (fuse_tail.cc).
enum class At { kOutsideLoops, kInLoop };

// Returns true if the product may start from an addend of these dims, which broadcast to those of
// the result.
bool Fits(const Product& product, const Dims& dims, const Dims& addend, bool is_constant, At at) {
  const bool has_rows = product.is_dense && at == At::kInLoop;
  if (!has_rows && !is_constant) return false;
  // Merges contiguous axes, as the lowered step does.
  Dims iterated, strides;
  int64_t stride = 1;
  for (size_t axis = dims.size(); axis-- > 0;) {
    if (dims[axis] == 1) continue;
    const int64_t step = addend[axis] != 1 ? stride : 0;
    stride *= addend[axis];
    if (!iterated.empty() && step == strides.front() * iterated.front()) {
      iterated.front() *= dims[axis];
      continue;
    }
    iterated.insert(iterated.begin(), dims[axis]);
    strides.insert(strides.begin(), step);
  }
  const int64_t count = ElementCount(dims).value_or(0);
  const int64_t outer_count = count / (product.outputs * product.inner);
  const std::optional<Dims> strided =
      program::StridesOver(iterated, strides, {outer_count, product.outputs, product.inner});
  if (!strided) return false;
  const int64_t outer = (*strided)[0], output = (*strided)[1], inner = (*strided)[2];
  if (outer == 0 && output == 0 && inner == 0 && is_constant) return true;
  return inner == 0 && (product.outputs == 1 || output == 1) && (outer == 0 || has_rows);
}

Dims Cut(Dims dims, const Dims& whole, const TimeAxis& time, int64_t steps) {
  const auto at = static_cast<size_t>(time.axis);
  if (dims[at] == whole[at]) dims[at] = time.outer * time.chunk * steps;
  return dims;
}

// Returns true if the transposition moves nothing, ignoring axes of extent 1.
bool MovesNothing(const ir::Graph& graph, ir::Node& transposition, const Dims& dims) {
  const Quiet<ops::NodeScope> scope(graph, transposition);
  const std::optional<Dims> order = scope.Ints(1);
  int64_t last = -1;
  for (const int64_t axis : order.value_or(Dims())) {
    if (dims[static_cast<size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return order && !order->empty();
}

// Returns true if resizing to `steps` removes the transposition between a product and the node.
bool MeetsProductForBeingCut(const ir::Graph& graph, const TimeAxes& times, ir::Source source,
                             int64_t steps) {
  bool was_moved = false;
  for (;;) {
    ir::Node& node = *source.node;
    const bool is_transposed = IsTransposition(node);
    if (!is_transposed && !ops::TraitsOf(node).reshapes) break;
    source = node.inputs[0];
    if (!is_transposed) continue;
    const Dims& whole = DimsOf(source);
    const TimeAxis* time = times.Of(source);
    if (time == nullptr || !MovesNothing(graph, node, Cut(whole, whole, *time, steps))) break;
    was_moved = was_moved || !MovesNothing(graph, node, whole);
  }
  return was_moved && ProductOf(source);
}

bool FitsForBeingCut(const ir::Graph& graph, ir::Node& node, const TimeAxis& time, int64_t steps,
                     At at) {
  Quiet<ops::NodeScope> scope(graph, node);
  const Dims& whole = node.outputs[0].type.dims;
  const Dims cut = Cut(whole, whole, time, steps);
  for (size_t i = 0; i < 2; ++i) {
    std::optional<Product> product = ProductOf(node.inputs[i]);
    if (!product || scope.input_dims(i) != whole) continue;
    const Dims addend = ops::AlignedDims(scope, 1 - i, whole);
    const bool is_constant = scope.constant(1 - i) != nullptr;
    if (Fits(*product, whole, addend, is_constant, at)) return false;
    const int64_t after = ElementCount(cut).value_or(0), before = ElementCount(whole).value_or(1);
    if (!product->is_dense && time.axis > 1) product->inner = product->inner * after / before;
    if (product->is_dense && product->outputs == whole.back() &&
        time.axis + 1 == static_cast<int64_t>(whole.size())) {
      product->outputs = cut.back();
    }
    if (Fits(*product, cut, Cut(addend, whole, time, steps), is_constant, at)) return true;
  }
  return false;
}

bool IsAddition(const ir::Node& node) {
  return !node.constant && node.operation->name == "Add" && IsFloat(node.outputs[0].type.type);
}

// Returns true if a product may start at one of the two inputs.
bool FitsWhole(const ir::Graph& graph, ir::Node& node) {
  Quiet<ops::NodeScope> scope(graph, node);
  const Dims& whole = node.outputs[0].type.dims;
  for (size_t i = 0; i < 2; ++i) {
    const std::optional<Product> product = ProductOf(node.inputs[i]);
    if (!product || scope.input_dims(i) != whole) continue;
    const Dims addend = ops::AlignedDims(scope, 1 - i, whole);
    const bool is_constant = scope.constant(1 - i) != nullptr;
    if (Fits(*product, whole, addend, is_constant, At::kOutsideLoops)) return true;
  }
  return false;
}

// Returns true if the node adds to the last step of a tensor with time, with any position of its
// axes. For a single step, this is the complete tensor.
bool AddsToLast(const TimeAxes& times, const ir::Node& node) {
  return std::ranges::any_of(node.inputs, [&](ir::Source source) {
    while (ops::TraitsOf(*source.node).reshapes || IsTransposition(*source.node)) {
      source = source.node->inputs[0];
    }
    const ir::Node& taken = *source.node;
    return !taken.constant && !taken.inputs.empty() && times.Of(source) == nullptr &&
           times.Of(taken.inputs[0]) != nullptr && !times.Relation(&taken).selections.empty();
  });
}

// Returns true if a constant repeats along an axis that merges time with the outputs of a product.
// For a single step that axis is the outputs alone, and the constant could join the weights.
bool RepeatsOnMergedAxis(const TimeAxes& times, const ir::Node& node) {
  return std::ranges::any_of(node.inputs, [&](const ir::Source& source) {
    const TimeAxis* time = times.Of(source);
    return source.node->constant && time != nullptr && time->chunk != 1;
  });
}

}  // namespace

std::set<const ir::Node*> StartedProducts(const ir::Graph& graph) {
  std::set<const ir::Node*> started;
  for (ir::Node* node : ir::Topological(graph)) {
    if (IsAddition(*node) && FitsWhole(graph, *node)) started.insert(node);
  }
  return started;
}

const ir::Node* KeepStarts(const ir::Graph& graph, const std::set<const ir::Node*>& started) {
  const ir::Node* apart = nullptr;
  for (ir::Node* node : ir::Topological(graph)) {
    if (!IsAddition(*node)) continue;
    const bool was_started = started.contains(node), is_started = FitsWhole(graph, *node);
    const bool was_moved = std::ranges::any_of(node->inputs, IsMoved);
    if (was_moved || (is_started && !was_started)) node->attributes[kRoundsApart] = "true";
    if (was_started && !is_started) apart = node;
  }
  return apart;
}

void KeepRounding(const ir::Graph& graph, const TimeAxes& times, int64_t steps, bool is_body) {
  const At at = is_body ? At::kInLoop : At::kOutsideLoops;
  for (ir::Node* node : times.nodes()) {
    if (RepeatsOnMergedAxis(times, *node)) node->attributes[kRoundsApart] = "true";
    if (!IsAddition(*node)) continue;
    const TimeAxis* time = times.Of({node, 0});
    const bool meets = std::ranges::any_of(node->inputs, [&](const ir::Source& term) {
      return MeetsProductForBeingCut(graph, times, term, steps);
    });
    const bool is_apart = time == nullptr ? AddsToLast(times, *node)
                                          : FitsForBeingCut(graph, *node, *time, steps, at);
    if (meets || is_apart) node->attributes[kRoundsApart] = "true";
  }
}

std::optional<int64_t> AxisOutOfOrder(const TimeAxes& times, const ir::Node& node, int64_t steps) {
  const std::vector<bool>& summed = times.Relation(&node).summed;
  const TimeAxis* time = summed.empty() ? nullptr : times.Of(node.inputs[0]);
  if (time == nullptr || time->outer * steps * time->chunk != 1) return std::nullopt;
  const Dims& dims = DimsOf(node.inputs[0]);
  const auto at = static_cast<size_t>(time->axis);
  std::optional<int64_t> outside;
  bool after = false;
  for (size_t axis = 0; axis < summed.size(); ++axis) {
    if (!summed[axis] || dims[axis] == 1) continue;
    if (axis > at) after = true;
    if (axis < at && !outside) outside = static_cast<int64_t>(axis);
  }
  const bool stays_apart = !after && ops::ProductOf(dims, at + 1, dims.size()) != 1;
  return stays_apart ? std::nullopt : outside;
}

}  // namespace weft::graph
