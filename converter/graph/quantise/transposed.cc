// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/transposed.h"

#include <fmt/format.h>

#include "converter/base/faults.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/permutation.h"

namespace weft::graph {
namespace {

constexpr size_t kRank = 4;

// Spatial extents, height first.
std::array<int64_t, 2> ExtentsOf(const Dims& dims, bool is_last) {
  const size_t first = is_last ? 1 : 2;
  return {dims[first], dims[first + 1]};
}

// The numbers of an attribute for both axes; `otherwise` if it is missing.
std::array<int64_t, 2> PairIn(const ir::Graph& graph, const ir::Node& node, const char* name,
                              int64_t otherwise) {
  const std::vector<int64_t> numbers = Quiet<ops::Attributes>(graph, node).Ints(name);
  if (numbers.size() != 2) return {otherwise, otherwise};
  return {numbers[0], numbers[1]};
}

}  // namespace

std::optional<TransposedConvolution> TransposedConvolutionOf(const ir::Graph& graph,
                                                             const ir::Node& node) {
  if (!IsCalled(node, "ConvolutionBackpropData") || node.inputs.size() != 2) return std::nullopt;
  const Dims& filters = TypeOf(node.inputs[1]).dims;
  if (filters.size() != kRank || TypeOf(node.inputs[0]).dims.size() != kRank) return std::nullopt;
  const bool is_explicit = AttributeText(node, "auto_pad", "explicit") == "explicit";
  const auto dilations = PairIn(graph, node, "dilations", 1);
  if (!is_explicit || dilations[0] != 1 || dilations[1] != 1) return std::nullopt;
  const auto in = ExtentsOf(TypeOf(node.inputs[0]).dims, node.attributes.contains(ops::kXLast));
  const auto out = ExtentsOf(node.outputs[0].type.dims, node.attributes.contains(ops::kYLast));
  const auto strides = PairIn(graph, node, "strides", 1),
             cuts = PairIn(graph, node, "pads_begin", 0);
  TransposedConvolution convolution = {{}, filters[1]};
  for (size_t i = 0; i < 2; ++i) {
    TransposedAxis& axis = convolution.axes[i];
    axis = {in[i], out[i], filters[2 + i], strides[i], cuts[i]};
    if (axis.kernel < 1 || axis.pad_begin() < 0 || axis.pad_end() < 0) return std::nullopt;
  }
  return convolution;
}

ByteProduct PhasesOf(const TransposedConvolution& convolution, const ir::Node& node) {
  const Dims& from = TypeOf(node.inputs[1]).dims;  // [inputs, outputs, height, width]
  const auto& [y, x] = convolution.axes;
  ByteProduct product;
  product.operation = "QuantizedConvolution";
  product.filters = convolution.phases() * convolution.outputs;
  product.dims = {product.filters, from[0], y.taps(), x.taps()};
  product.inputs = from[0] * y.taps() * x.taps();
  product.has_channels_last = node.attributes.contains(ops::kXLast);
  product.makes_channels_last = node.attributes.contains(ops::kYLast);
  product.channel_axis = product.makes_channels_last ? kRank - 1 : 1;
  for (int64_t filter = 0; filter < product.filters; ++filter) {
    const int64_t phase = filter / convolution.outputs, output = filter % convolution.outputs;
    for (int64_t i = 0; i < product.inputs; ++i) {
      const int64_t input = i / (y.taps() * x.taps());
      const int64_t tap_y = i / x.taps() % y.taps(), tap_x = i % x.taps();
      const int64_t row = phase / x.stride + y.stride * (y.taps() - 1 - tap_y);
      const int64_t column = phase % x.stride + x.stride * (x.taps() - 1 - tap_x);
      const int64_t first = (input * from[1] + output) * y.kernel * x.kernel;
      const bool is_tap = row < y.kernel && column < x.kernel;
      product.positions.push_back(is_tap ? first + row * x.kernel + column : -1 - first);
    }
  }
  return product;
}

NodeAttributes WindowOfPhases(const TransposedConvolution& convolution) {
  const auto& [y, x] = convolution.axes;
  return {{"strides", "1,1"},
          {"dilations", "1,1"},
          {"auto_pad", "explicit"},
          {"pads_begin", fmt::format("{},{}", y.pad_begin(), x.pad_begin())},
          {"pads_end", fmt::format("{},{}", y.pad_end(), x.pad_end())}};
}

ir::Source Interleaved(ir::Graph& graph, const ir::Node& like,
                       const TransposedConvolution& convolution, ir::Source phases) {
  const auto& [y, x] = convolution.axes;
  const auto ints = [&](const std::vector<int64_t>& numbers) {
    return NewInts(graph, like, numbers);
  };
  const Dims dims = TypeOf(phases).dims;  // [batch, windows, windows, phases * outputs]
  if (y.stride > 1) {
    phases = Reshaped(graph, like, phases,
                      {dims[0], dims[1], dims[2], y.stride, x.stride * convolution.outputs});
    phases = NewOperation(graph, like, "Transpose", 1, {phases, ints({0, 1, 3, 2, 4})});
  }
  phases = Reshaped(graph, like, phases,
                    {dims[0], dims[1] * y.stride, dims[2] * x.stride, convolution.outputs});
  const Dims first = {y.cut - y.first() * y.stride, x.cut - x.first() * x.stride};
  const Dims end = {first[0] + y.out, first[1] + x.out};
  if (end[0] - first[0] == TypeOf(phases).dims[1] && end[1] - first[1] == TypeOf(phases).dims[2]) {
    return phases;
  }
  return NewOperation(graph, like, "Slice", 8,
                      {phases, ints(first), ints(end), ints({1, 1}), ints({1, 2})});
}

}  // namespace weft::graph
