// SPDX-License-Identifier: Apache-2.0
// Converts quantised models. The output of a FakeQuantize whose levels fit int8 becomes int8 codes
// (code_range.h). Products, sums, means and functions between two such values become integer
// operations (ops/quantised.h). Nothing changes where values are not quantised, or weights are not
// integers times one scale per output.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_QUANTISE_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_QUANTISE_H_

#include <functional>
#include <string>
#include <vector>

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Returns true for the names of layers that stay unchanged.
using KeepsFloats = std::function<bool(const std::string& layer)>;

// Merges a Pad with zeros into a convolution that Quantise will convert, if only the quantiser of
// its data is between them. Runs before the axis order is chosen.
void JoinPadsOfData(ir::Graph& graph, const KeepsFloats& keeps_floats);

// Moves each quantiser with an exact scale before the permutations and reshapes that compute its
// data, so that it follows the operation that computes the numbers. Runs before the axis order is
// chosen.
void QuantiseBeforeMoves(ir::Graph& graph);

struct QuantiseOptions {
  KeepsFloats keeps_floats;
  // Requantise by integers, with the codes of tflite-micro (kernels/simd/requantise.h), if the
  // operation has such a form. All others are computed by floats.
  bool by_integers = false;
  // Weights keep the codes and the scales of the model, even if all codes have a common factor.
  bool keeps_codes = false;
};

// A layer between quantised tensors that is computed in f32.
struct FloatLayer {
  std::string place;   // in the file: ir::kStatedOperator
  std::string reason;  // "its input "x" is not quantised"
};

// Returns true if the reader of the model set the exact scale of a quantised value.
bool HasExactScales(const ir::Graph& graph);

// Converts `graph` and its bodies; all types must be inferred and the axis order chosen. Returns
// the layers that stay in f32, in their order.
std::vector<FloatLayer> Quantise(ir::Graph& graph, Folding& folding,
                                 const QuantiseOptions& options);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_QUANTISE_H_
