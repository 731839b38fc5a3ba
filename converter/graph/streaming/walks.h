// SPDX-License-Identifier: Apache-2.0
// The operations that walk a time axis step by step: LSTM, GRU and RNN sequences, TensorIterators
// and Loops with slices or scan outputs. Reads how they walk, says what cannot be cut, and shortens
// those that can. The graph owns every node made here.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_WALKS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_WALKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// What is carried from step to step: enters at an input, leaves after the last step at an output.
struct Carried {
  std::string name, from;        // of the variable; "hidden state of layer 12 "rnn""
  size_t input = 0;              // of a sequence; a loop's stands in the entry
  std::optional<size_t> output;  // absent where the model does not ask for the last value
  size_t entry = 0;              // of a loop's map, among the inputs
};

struct Walk {
  ir::Node* node = nullptr;
  int64_t steps = 0;
  std::vector<Stride> strides;
  std::vector<Carried> states;
};

// Nullopt for a node that walks nothing. What forbids to cut is added to the faults.
std::optional<Walk> ReadWalk(const ir::Graph& graph, ir::Node& node, Faults& faults);

// Makes the walk `steps` long and gives every state an output.
void Shorten(ir::Graph& graph, Walk& walk, int64_t steps);

// Where the state begins.
ir::Source InitialOf(const Walk& walk, const Carried& state);
void SetInitial(Walk& walk, const Carried& state, const ir::Source& source);

// Does the operation walk its time axis step by step, with states that it carries along?
bool IsSequence(const ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_WALKS_H_
