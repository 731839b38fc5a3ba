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
};

struct StreamedState {
  std::string name;  // of the variable
  int64_t bytes = 0;
  std::string from;  // "carried value "h" of layer 12 "rnn""
};

struct Streamed {
  int64_t steps = 0, all_steps = 0;  // in a run, and 0 where the model is of any number
  std::vector<StreamedPort> inputs, outputs;
  std::vector<StreamedState> states;
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_STREAMED_H_
