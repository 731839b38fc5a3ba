// SPDX-License-Identifier: Apache-2.0
// The result of streaming: ports and states of the model, for the user and for the file's note.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_STREAMED_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_STREAMED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/element_type.h"
#include "runtime/format/listing.h"

namespace weft::graph {

struct StreamedPort {
  std::string name;
  TensorType type;                // of one run
  format::StreamedPort row = {};  // as in the file: the time axis, and the latency of an output
  bool is_initial = false;        // an input that is read only as the initial value of a state

  bool HasTime() const { return row.time() == format::PortTime::steps; }
};

struct StreamedState {
  std::string name;  // of the variable
  int64_t bytes = 0;
  std::string from;      // "carried value "h" of layer 12 "rnn""
  bool is_past = false;  // past positions of an operation
};

struct Streamed {
  int64_t steps = 0, all_steps = 0;  // per run and in total; 0: any number
  // Constants differ from step to step; steps after `all_steps` use the values of the last one.
  bool has_tables = false;
  std::vector<StreamedPort> inputs, outputs;
  std::vector<StreamedState> states;
  int64_t min_state_bytes = 0;             // the bound of bound.h
  std::optional<int64_t> receptive_steps;  // that an output depends on; nullopt: all so far
  std::optional<double> multiply_adds;     // per run of the full model, if it can be lowered
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_STREAMED_H_
