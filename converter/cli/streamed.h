// SPDX-License-Identifier: Apache-2.0
// The facts that `weft convert --streaming` and `--streams` print: time axes of ports, latencies of
// outputs, inputs without a time axis, states with their sizes and origins, the receptive field,
// and the size of all states with its lower bound.
#ifndef WEFT_CONVERTER_CLI_STREAMED_H_
#define WEFT_CONVERTER_CLI_STREAMED_H_

#include <cstdint>
#include <optional>
#include <string>

#include "converter/base/json.h"
#include "converter/graph/streaming/streamed.h"

namespace weft::cli {

// Parts of the text, also for `weft inspect`. `all` is 0 for any number of time steps.
// "streaming: 4 of 12 time steps per run"
std::string StepsText(int64_t steps, int64_t all);
// "time axis 1, 4 of 12 positions per run"
std::string TimeAxisText(int64_t axis, int64_t positions, int64_t all);
// ", delayed by 2 time steps"; empty without latency.
std::string DelayText(int64_t latency);
// "each output depends on 7 time steps, including its own"; nullopt: on all so far.
std::string DependsText(const std::optional<int64_t>& receptive_steps);
// "states: 432 bytes, in memory each rounded up to a multiple of 16; lower bound 424 bytes"
std::string StatesText(int64_t bytes, int64_t min_bytes);

// "streams: 4 per run, each with 108 bytes of state"
std::string StreamsText(int64_t count, int64_t state_bytes);

// Returns lines, each with a line end.
std::string StreamedText(const graph::Streamed& streamed);
Json StreamedJson(const graph::Streamed& streamed);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_STREAMED_H_
