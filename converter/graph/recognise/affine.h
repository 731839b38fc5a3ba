// SPDX-License-Identifier: Apache-2.0
// Reads what a gate of a recurrent cell computes before its activation as sums of products with
// constant matrices:
//   pre = sum over inputs a of a * M_a^T + bias + other
// however the export has cut it: one product for all gates and a Split behind it, one per gate,
// [x, h] concatenated before a merged matrix, biases in several places, all of it scaled. Nothing
// is changed; a value that is not of this form is an addend of its own, among `others`.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_AFFINE_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_AFFINE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// Columns [begin, begin + count) of a value, which stands in rows.
struct Columns {
  ir::Source source;
  int64_t begin = 0, count = 0;
};

// Places begin, begin + step, ... of the last axis of another value, its other axes whole.
struct Cut {
  ir::Source whole;
  int64_t begin = 0, step = 1, count = 0;
};

// Of a Split, VariadicSplit, Slice or StridedSlice with a step above 0.
std::optional<Cut> CutOf(ir::Source source);

struct Product {
  ir::Source input;            // before reshapes
  int64_t width = 0;           // of the input
  std::vector<float> weights;  // [count, width]
  bool from_integers = false;  // some of the weights, as ir::Constant has it
};

struct Affine {
  std::vector<Product> products;    // one per input
  std::vector<float> bias;          // [count]
  std::vector<Columns> others;      // added as they are
  std::set<const ir::Node*> nodes;  // that compute it, the products included
  std::set<const ir::Node*>
      passages;  // between the products and their inputs: nothing but movement
};

// Of rows * count elements that `columns` are. Nullopt where a part is neither product, constant
// nor addend (a difference that takes something else away).
std::optional<Affine> AffineOf(const Columns& columns, int64_t rows);

// A gate: an activation over columns of something.
struct Gate {
  std::string activation;  // as cells name it
  float alpha = 0, beta = 0;
  Columns before;
  std::set<const ir::Node*> nodes;
  bool HasActivationOf(const Gate& other) const {
    return activation == other.activation && alpha == other.alpha && beta == other.beta;
  }
};

// Nullopt when `source` is no activation, nor columns of one.
std::optional<Gate> GateOf(ir::Source source);

// All columns of a value.
Columns AllColumns(ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_AFFINE_H_
