// SPDX-License-Identifier: Apache-2.0
// Time loops (type Walk): operations that iterate over a time axis step by step. They are LSTM, GRU
// and RNN sequences, and TensorIterators and Loops with slices or scan outputs. Reads how they
// iterate, reports those that cannot be streamed, and shortens the others. The graph owns every
// node created here.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_TIME_LOOPS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_TIME_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// A value carried from step to step: read from an input, and returned by an output after the last
// step.
struct Carried {
  std::string name, from;        // variable name; "hidden state of layer 12 "rnn""
  size_t input = 0;              // of a sequence; loops use `entry`
  std::optional<size_t> output;  // absent if the model does not read the last value
  size_t entry = 0;              // of a loop: index in its map's inputs
};

struct TimeLoop {
  ir::Node* node = nullptr;
  int64_t steps = 0;
  std::vector<Stride> strides;
  std::vector<Carried> states;
};

// Returns nullopt for a node that is no time loop. Adds a fault for each reason that prevents
// streaming.
std::optional<TimeLoop> ReadTimeLoop(const ir::Graph& graph, ir::Node& node, Faults& faults);

// Sets the time loop's number of steps and adds an output for every state.
void Shorten(ir::Graph& graph, TimeLoop& time_loop, int64_t steps);

// Read and set the initial value of a state.
ir::Source InitialOf(const TimeLoop& time_loop, const Carried& state);
void SetInitial(TimeLoop& time_loop, const Carried& state, const ir::Source& source);

// Returns true if the operation iterates over a time axis step by step, with carried states.
bool IsSequence(const ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_TIME_LOOPS_H_
