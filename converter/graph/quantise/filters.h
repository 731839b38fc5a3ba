// SPDX-License-Identifier: Apache-2.0
// Products by constants as their operations of bytes take them, and constants of more than 8 bits
// as bytes: what is left of each output's is one offset, by which the sum of the data is
// multiplied.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_FILTERS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_FILTERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// In each group so many filters of so many inputs.
struct ByteProduct {
  std::string operation;
  Dims dims;  // of the constants
  size_t filter_axis = 0;
  int64_t groups = 1, filters = 0, inputs = 0;
  // Input k of filter n lies at n * filter_stride + k * input_stride among the document's
  // constants.
  int64_t filter_stride = 0, input_stride = 0;
  size_t channel_axis = 0;  // of the result
  bool has_channels_last = true, makes_channels_last = true;
  std::vector<int64_t> integers = {};  // filter after filter
  // Of each output: the constants are the integers and this. Empty where all are 0; else each group
  // has one more filter, of ones.
  std::vector<int64_t> offsets = {};

  int64_t outputs() const { return groups * filters; }
};

// Of a MatMul or a convolution, without integers; nullopt of one that no such operation computes.
std::optional<ByteProduct> ByteProductOf(const ir::Node& node);

// Brings all integers within i8; false where no offset does, or where a sum that is made of two
// might be no number of f32.
bool BecomeBytes(ByteProduct& product);

// Of each of its filters.
std::vector<int64_t> SumsOf(const ByteProduct& product);

// f32 [.., outputs] of what a product with offsets makes of its filters, as f32: all of them
// integers.
ir::Source WithOffsets(ir::Graph& graph, const ir::Node& like, const ByteProduct& product,
                       ir::Source sums);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_FILTERS_H_
