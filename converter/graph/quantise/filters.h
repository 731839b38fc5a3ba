// SPDX-License-Identifier: Apache-2.0
// Products with constants in the form of the int8 operations. Wider constants are split into int8
// constants and one offset per output, which is multiplied by the sum of the data.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_FILTERS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_FILTERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// A product in which each of `groups` groups has `filters` filters of `inputs` inputs.
struct ByteProduct {
  std::string operation;
  Dims dims;  // of the constants in the int8 operation
  size_t filter_axis = 0;
  int64_t groups = 1, filters = 0, inputs = 0;
  // Input k of filter n has offset n * filter_stride + k * input_stride in the constants of the
  // graph.
  int64_t filter_stride = 0, input_stride = 0;
  // The offsets of all inputs, filter after filter, if strides cannot express them. -1 - p is an
  // input that the filter lacks: the constant is 0, with the scale of the one at p.
  std::vector<int64_t> positions = {};
  size_t channel_axis = 0;  // of the result
  bool has_channels_last = true, makes_channels_last = true;
  std::vector<int64_t> integers = {};  // filter after filter
  // Per output: constant = integer + offset. Empty if all offsets are 0; else each group has one
  // more filter, which holds ones.
  std::vector<int64_t> offsets = {};

  int64_t outputs() const { return groups * filters; }
  int64_t PositionOf(int64_t filter, int64_t input) const {
    return positions.empty() ? filter * filter_stride + input * input_stride
                             : positions[static_cast<size_t>(filter * inputs + input)];
  }
};

// The geometry of a MatMul or convolution, without integers. Returns nullopt if no int8 operation
// computes the node.
std::optional<ByteProduct> ByteProductOf(const ir::Node& node);

// Splits the integers into int8 and offsets. Returns false if no offset fits, or if f32 might not
// represent a sum of the two parts.
bool BecomeBytes(ByteProduct& product);

// The sum of the integers of each filter.
std::vector<int64_t> SumsOf(const ByteProduct& product);

// Combines the filter results of a product with offsets into [.., outputs]. All are integers in
// f32.
ir::Source WithOffsets(ir::Graph& graph, const ir::Node& like, const ByteProduct& product,
                       ir::Source sums);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_FILTERS_H_
