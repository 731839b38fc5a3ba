// SPDX-License-Identifier: Apache-2.0
// What cutting time has made of a model: its ports and states, for the user.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_STREAMED_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_STREAMED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/element_type.h"

namespace weft::graph {

// Of a port's time axis: a run takes `places` of `all_places`; 0: of any number.
struct CutAxis {
  int64_t axis = 0, places = 0, all_places = 0;
};

struct StreamedPort {
  std::string name;
  TensorType type;              // of one run
  std::optional<CutAxis> time;  // absent where no time runs
  bool so_far = false;          // an output without time, of the steps so far
  int64_t latency = 0;  // steps that this output comes late: its first so many are of no step
};

struct StreamedState {
  std::string name;  // of the variable
  int64_t bytes = 0;
  std::string from;      // "carried value "h" of layer 12 "rnn""
  bool is_past = false;  // places that an operation looks back to
};

struct Streamed {
  int64_t steps = 0, all_steps = 0;  // in a run, and 0 where the model is of any number
  // Constants differ from step to step: those behind `all_steps` are like the last.
  bool has_tables = false;
  std::vector<StreamedPort> inputs, outputs;
  std::vector<StreamedState> states;
  int64_t least_state_bytes = 0;           // the bound of bound.h
  std::optional<int64_t> receptive_steps;  // that an output depends on; nullopt: all so far
  std::optional<double> multiply_adds;     // of a run of the whole model, where it can be lowered
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_STREAMED_H_
