// SPDX-License-Identifier: Apache-2.0
// Reads the pre-activation of a gate of a recurrent cell as a sum of products with constant
// matrices:
//   pre = sum over inputs a of a * M_a^T + bias + other
// Accepts all common export variants: one product for all gates followed by a Split, one product
// per gate, a merged matrix over [x, h], several biases, a common scale. Does not change the graph.
// A value that does not have this form is an addend of its own, in `others`.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_AFFINE_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_AFFINE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "converter/graph/recognise/nodes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Columns [begin, begin + count) of a value, which is a matrix of rows.
struct Columns {
  ir::Source source;
  int64_t begin = 0, count = 0;
};

// Elements begin, begin + step, ... of the last axis of another value; all other axes are complete.
struct Cut {
  ir::Source whole;
  int64_t begin = 0, step = 1, count = 0;
};

// Returns the cut of a Split, VariadicSplit, Slice or StridedSlice with a positive step.
std::optional<Cut> CutOf(const ir::Graph& graph, ir::Source source);

// The product of an input and a sum of factors.
struct Product {
  // Rows [first_output, first_output + scale.size()) of a matrix, each times its scale, and `width`
  // columns from first_input on.
  struct Factor {
    ConstantMatrix matrix;
    int64_t first_output = 0, first_input = 0;
    std::vector<float> scale;
  };

  ir::Source input;   // before reshapes
  int64_t width = 0;  // of the input
  std::vector<Factor> factors;

  CodedFloats Weights() const;  // [count, width]
};

struct Affine {
  std::vector<Product> products;       // one per input
  std::vector<float> bias;             // added unchanged
  std::vector<Columns> others;         // added as they are
  std::set<const ir::Node*> nodes;     // nodes that compute it, including the products
  std::set<const ir::Node*> passages;  // between products and inputs: movement only
};

// `columns` has rows * count elements. Returns nullopt if a part is neither a product, nor a
// constant, nor an addend, for example a difference that subtracts another value.
std::optional<Affine> AffineOf(const ir::Graph& graph, const Columns& columns, int64_t rows);

// A gate: an activation applied to columns of a value.
struct Gate {
  std::string activation;  // its name in recurrent cells
  float alpha = 0, beta = 0;
  Columns before;
  std::set<const ir::Node*> nodes;
  bool HasActivationOf(const Gate& other) const {
    return activation == other.activation && alpha == other.alpha && beta == other.beta;
  }
};

// Returns nullopt if `source` is neither an activation nor columns of one.
std::optional<Gate> GateOf(const ir::Graph& graph, ir::Source source);

// Returns all columns of a value.
Columns AllColumns(ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_AFFINE_H_
