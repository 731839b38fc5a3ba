// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "converter/graph/quantise/conversions.h"
#include "converter/graph/quantise/multiplier.h"
#include "converter/graph/quantise/shorts.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/stated.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/permutation.h"
#include "kernels/reduce/pool_q8_shorts.h"

namespace weft::graph {
namespace {

// The attributes of a mean of `count` codes by integers; nullopt if it has no such form. TFLite
// divides the sum of codes of a window, and multiplies the sum over axes.
std::optional<NodeAttributes> IntegerMean(const QuantParams& from, const QuantParams& to,
                                          std::optional<int64_t> count) {
  NodeAttributes attributes = {{ops::kByIntegers, "1"}, {"exclude-pad", "true"}};
  constexpr int64_t kMaxShorts = kernels::kMaxShortTaps;  // of a mean
  if (to.is_short() && count.value_or(1) > kMaxShorts) return std::nullopt;
  if (!count) return from.AgreesWith(to) ? std::optional(attributes) : std::nullopt;
  std::optional<kernels::Multiplier> multiplier = MultiplierOf(from.scale / to.scale);
  if (!multiplier) return std::nullopt;
  const int shift = std::min({static_cast<int>(std::bit_width(static_cast<uint64_t>(*count))) - 1,
                              32, 31 + multiplier->exponent});
  multiplier->mantissa = static_cast<int32_t>((int64_t{multiplier->mantissa} << shift) / *count);
  multiplier->exponent -= shift;
  attributes[ops::kMultiplier] = AttributeOf(*multiplier);
  return attributes;
}

// Means over windows of the codes `integers`; `attributes` define the windows, or `count` codes of
// an axis.
std::optional<ir::Source> MeanOf(QuantiseSite& site, const ir::Node& like, ir::Source integers,
                                 const QuantParams& from, const QuantParams& to,
                                 NodeAttributes attributes,
                                 std::optional<int64_t> count = std::nullopt) {
  if (from.type != to.type) return std::nullopt;
  // TFLite rounds means over windows, which exclude padding, in one way.
  const auto ties = attributes.find(ir::kTies);
  const bool rounds_away = ties != attributes.end() && ties->second == "away";
  std::optional<NodeAttributes> by_integers;
  if (count ? site.by_integers() : rounds_away) by_integers = IntegerMean(from, to, count);
  if (by_integers) {
    attributes.merge(*by_integers);
  } else {
    if (to.is_short()) return std::nullopt;
    if (!IsScale(from.scale / to.scale)) return std::nullopt;
    attributes[ops::kCodeScale] = AttributeOf(from.scale / to.scale);
  }
  attributes[ops::kInputZero] = std::to_string(from.zero);
  WriteQuantParams(attributes, to);
  const ir::Source mean =
      NewOperation(site.graph(), like, "QuantizedAvgPool", ops::kPassOnly, {integers}, attributes);
  return to.is_short() ? Limited(site.graph(), like, mean, to) : mean;
}

// Concatenated channels with different parameters are averaged separately.
bool QuantiseWindows(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                     const QuantParams& to) {
  constexpr size_t kMaxRank = 4;
  if (TypeOf(node.inputs[0]).dims.size() > kMaxRank) return false;
  const ir::Source x = node.inputs[0];
  std::vector<ir::Source> parts = {x};
  if (site.QuantParamsOf(x) == nullptr) {
    const size_t rank = TypeOf(x).dims.size();
    const size_t channels = node.attributes.contains(ops::kXLast) ? rank - 1 : 1;
    if (!site.ArePartsQuantised(*x.node) || JoinedAxisOf(*x.node) != channels) return false;
    parts = x.node->inputs;
  }
  for (ir::Source& part : parts) {
    const std::optional<ir::Source> mean =
        MeanOf(site, node, site.Integers(part), *site.QuantParamsOf(part), to, node.attributes);
    if (!mean) return false;
    part = *mean;
  }
  if (parts.size() > 1) {
    parts = {NewOperation(site.graph(), *x.node, x.node->type, x.node->operation->opset, parts,
                          x.node->attributes)};
  }
  site.SetIntegers(quantiser, parts[0]);
  return true;
}

// A tensor viewed as [outer, length, inner] after a permutation: the averaged axes are in the
// middle.
struct AxisRun {
  std::vector<int64_t> order = {};
  size_t axes_before = 0, axes = 0;  // numbers of axes, before and in the run
  int64_t outer = 1, length = 1, inner = 1;
  bool is_permuted() const { return !std::ranges::is_sorted(order); }
};

// Axes that are averaged without a permutation stay where they are; else they become the last ones
// but one. The result has the other axes in the order of the node's output.
AxisRun RunOf(const ir::Node& node) {
  const Dims& dims = TypeOf(node.inputs[0]).dims;
  const size_t rank = dims.size();
  const bool is_last = node.attributes.contains(ops::kXLast);
  std::vector<bool> averaged(rank);
  const auto position = [&](int64_t axis) {
    return static_cast<size_t>(is_last ? ops::LastPosition(axis, rank) : axis);
  };
  for (int64_t axis : IntsOf(node.inputs[1])) {
    averaged[position(axis < 0 ? axis + static_cast<int64_t>(rank) : axis)] = true;
  }
  std::vector<int64_t> middle, kept;
  for (size_t at = 0; at < rank; ++at) {
    const size_t axis =
        node.attributes.contains(ops::kYLast) ? at : position(static_cast<int64_t>(at));
    if (averaged[at]) middle.push_back(static_cast<int64_t>(at));
    if (!averaged[axis]) kept.push_back(static_cast<int64_t>(axis));
  }
  // The number of axes before the averaged ones.
  size_t before = kept.empty() ? 0 : kept.size() - 1;
  const bool is_adjacent =
      !middle.empty() && middle.back() - middle.front() + 1 == std::ssize(middle);
  if (is_adjacent && std::ranges::is_sorted(kept)) before = static_cast<size_t>(middle.front());
  AxisRun run = {kept, before, middle.size()};
  run.order.insert(run.order.begin() + static_cast<std::ptrdiff_t>(before), middle.begin(),
                   middle.end());
  for (size_t i = 0; i < rank; ++i) {
    int64_t& part = i < before ? run.outer : i < before + middle.size() ? run.length : run.inner;
    part *= dims[static_cast<size_t>(run.order[i])];
  }
  return run;
}

// Returns true if a mean by floats has the form of a pool.
bool IsByFloats(const ir::Node& node, const AxisRun& run) {
  const bool keeps_order = !node.attributes.contains(ops::kXLast) ||
                           node.attributes.contains(ops::kYLast) ||
                           (run.axes_before == 1 && run.axes + 2 == run.order.size());
  return keeps_order && !run.is_permuted();
}

// Views the run as a column of pixels, with the inner axes as channels.
bool QuantiseRun(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                 const QuantParams& to) {
  const QuantParams* from = site.QuantParamsOf(node.inputs[0]);
  if (from == nullptr) return false;
  const AxisRun run = RunOf(node);
  if (run.axes == 0 || run.length == 0 || !(site.by_integers() || IsByFloats(node, run)))
    return false;
  const bool is_sum = IsCalled(node, "ReduceSum");  // a mean by integers, without its division
  if (is_sum && (!site.by_integers() || !IntegerMean(*from, to, 1))) return false;
  const NodeAttributes attributes = {{"kernel", std::to_string(run.length) + ",1"},
                                     {"strides", "1,1"},
                                     {"pads_begin", "0,0"},
                                     {"pads_end", "0,0"},
                                     {ops::kXLast, "1"},
                                     {ops::kYLast, "1"}};
  ir::Graph& graph = site.graph();
  ir::Source codes = site.Integers(node.inputs[0]);
  if (run.is_permuted()) {
    const ir::Source order = NewInts(graph, node, run.order);
    codes = NewOperation(graph, node, "Transpose", 1, {codes, order});
  }
  const ir::Source column = Reshaped(graph, node, codes, {run.outer, run.length, 1, run.inner});
  const std::optional<ir::Source> mean =
      MeanOf(site, node, column, *from, to, attributes, is_sum ? 1 : run.length);
  if (!mean) return false;
  site.SetIntegers(quantiser, Reshaped(graph, node, *mean, node.outputs[0].type.dims));
  return true;
}

}  // namespace

bool QuantiseMean(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                  const QuantParams& to) {
  if (IsCalled(node, "AvgPool")) return QuantiseWindows(site, quantiser, node, to);
  const bool has_axes = IsCalled(node, "ReduceMean") || IsCalled(node, "ReduceSum");
  return has_axes && QuantiseRun(site, quantiser, node, to);
}

}  // namespace weft::graph
