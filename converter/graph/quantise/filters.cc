// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/filters.h"

#include <algorithm>
#include <cstdlib>

#include "converter/graph/quantise/conversions.h"
#include "converter/graph/quantise/quant_params.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/permutation.h"

namespace weft::graph {
namespace {

// With up to this many inputs a sum of (byte - zero) * int8 weight fits 32 bits.
constexpr int64_t kMaxInputs = 65535;
// Maximum difference of two bytes; f32 represents all integers up to the second magnitude.
constexpr int64_t kMaxDifference = 255, kMaxExact = 1 << 24;

// The offset that moves integers in [min, largest] towards the i8 range.
int64_t OffsetOf(int64_t min, int64_t largest) {
  return std::max<int64_t>(largest - kMaxByte, 0) + std::min<int64_t>(min - kMinByte, 0);
}

}  // namespace

std::optional<ByteProduct> ByteProductOf(const ir::Node& node) {
  if (node.inputs.size() != 2 || ElementCount(node.outputs[0].type.dims).value_or(0) == 0) {
    return std::nullopt;
  }
  const Dims& dims = TypeOf(node.inputs[1]).dims;
  const size_t rank = TypeOf(node.inputs[0]).dims.size();
  ByteProduct product;
  if (IsConvolved(node)) {
    if (!ops::HasChannelAxis(rank)) return std::nullopt;
    product.operation = "QuantizedConvolution";
    product.dims = dims;
    product.filter_axis = dims.size() - rank;  // 1 for grouped filters
    product.groups = product.filter_axis == 0 ? 1 : dims[0];
    product.filters = dims[product.filter_axis];
    product.inputs = ElementCount(dims).value_or(0) / product.outputs();
    product.filter_stride = product.inputs;
    product.input_stride = 1;
    product.has_channels_last = node.attributes.contains(ops::kXLast);
    product.makes_channels_last = node.attributes.contains(ops::kYLast);
  } else {
    if (!IsCalled(node, "MatMul") || dims.size() != 2 || rank < 2) return std::nullopt;
    if (IsFlagged(node, "transpose_a")) return std::nullopt;
    const bool is_permuted = IsFlagged(node, "transpose_b");
    product.operation = "QuantizedMatMul";
    product.filters = dims[is_permuted ? 0 : 1];
    product.inputs = dims[is_permuted ? 1 : 0];
    product.dims = {product.filters, product.inputs};
    product.filter_stride = is_permuted ? product.inputs : 1;
    product.input_stride = is_permuted ? 1 : product.filters;
  }
  if (product.inputs == 0 || product.inputs > kMaxInputs) return std::nullopt;
  product.channel_axis = product.makes_channels_last ? rank - 1 : 1;
  return product;
}

bool BecomeBytes(ByteProduct& product) {
  std::vector<int64_t> integers, offsets;
  int64_t max = product.inputs;
  for (int64_t n = 0; n < product.outputs(); ++n) {
    const auto first = product.integers.begin() + n * product.inputs, end = first + product.inputs;
    const auto [min, largest] = std::minmax_element(first, end);
    const int64_t offset = OffsetOf(*min, *largest);
    if (*min - offset < kMinByte || *largest - offset > kMaxByte) return false;
    int64_t of_bytes = 0, of_all = 0;
    for (auto number = first; number != end; ++number) {
      integers.push_back(*number - offset);
      of_bytes += std::abs(*number - offset);
      of_all += std::abs(*number);
    }
    offsets.push_back(offset);
    max = std::max({max, of_bytes, of_all, product.inputs * std::abs(offset)});
    if ((n + 1) % product.filters == 0) integers.insert(integers.end(), product.inputs, 1);
  }
  if (std::ranges::all_of(offsets, [](int64_t offset) { return offset == 0; })) return true;
  if (max > kMaxExact / kMaxDifference) return false;
  product.integers = std::move(integers);
  product.offsets = std::move(offsets);
  ++product.dims[product.filter_axis];
  ++product.filters;
  return true;
}

std::vector<int64_t> SumsOf(const ByteProduct& product) {
  std::vector<int64_t> sums(static_cast<size_t>(product.outputs()));
  for (size_t i = 0; i < product.integers.size(); ++i) {
    sums[i / static_cast<size_t>(product.inputs)] += product.integers[i];
  }
  return sums;
}

ir::Source WithOffsets(ir::Graph& graph, const ir::Node& like, const ByteProduct& product,
                       ir::Source sums) {
  Dims dims = TypeOf(sums).dims;
  const auto axis = static_cast<int64_t>(dims.size());
  const int64_t filters = product.filters - 1;
  dims.back() = product.groups;
  dims.push_back(product.filters);
  const ir::Source grouped = Reshaped(graph, like, sums, dims);
  const auto part = [&](int64_t begin, int64_t end) {
    const auto one = [&](int64_t number) { return NewInts(graph, like, {number}); };
    return NewOperation(graph, like, "Slice", 8,
                        {grouped, one(begin), one(end), one(1), one(axis)});
  };
  const ir::Source offsets =
      NewFloats(graph, like, {product.groups, filters},
                std::vector<float>(product.offsets.begin(), product.offsets.end()));
  const ir::Source added =
      NewOperation(graph, like, "Multiply", 1, {part(filters, filters + 1), offsets});
  const ir::Source all = NewOperation(graph, like, "Add", 1, {part(0, filters), added});
  dims.pop_back();
  dims.back() = product.groups * filters;
  return Reshaped(graph, like, all, dims);
}

}  // namespace weft::graph
