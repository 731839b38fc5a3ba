// SPDX-License-Identifier: Apache-2.0
// What each operation does to the axes of its tensors: which axes are one axis whose places it
// works on apart from each other, so that a time axis runs through them, and which it mixes. Known
// operations have a row in streaming_rules.cc; any other mixes all of its axes. Reads inferred
// shapes and constant inputs, changes nothing, adds no fault.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_RULES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_RULES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// One axis of one tensor at a node: of an input or of an output.
struct PortAxis {
  bool output = false;
  size_t port = 0;
  int64_t axis = 0;
  bool operator==(const PortAxis&) const = default;
};

// Axes of equal extent that are one axis. A strand of an output alone is an axis along which the
// operation repeats one value.
using Strand = std::vector<PortAxis>;

// Places [begin, end) of an axis of input 0, in order, are all that the output has of it.
struct Selection {
  int64_t axis = 0, begin = 0, end = 0;
};

// An axis of input 0 of which each place needs that many before it, too.
struct Delay {
  int64_t axis = 0, past = 0;
};

struct AxisRelation {
  std::vector<Strand> strands;
  std::vector<Selection> selections;
  std::vector<Delay> delays;
  // The elements of input 0 in the same order under other dims: an axis that stays apart goes on.
  bool reshapes = false;
  // Axes of input 0 that floats are summed over, in an order that depends on what stands inside.
  std::vector<bool> summed;
  std::string mixing;  // what happens along the axes of no strand: "joins steps of time"
};

AxisRelation RelationOf(const ir::Graph& graph, ir::Node& node);

// Does the operation walk its time axis step by step, with states that it carries along?
bool IsSequence(const ir::Node& node);
bool IsLoop(const ir::Node& node);  // Loop or TensorIterator
// The same elements under other dims?
bool IsReshape(const ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_RULES_H_
