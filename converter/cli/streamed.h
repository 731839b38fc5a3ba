// SPDX-License-Identifier: Apache-2.0
// The facts that `weft convert --streaming` and `--streams` print, and `weft inspect` of the files:
// time axes of ports, latencies of outputs, inputs without a time axis, states with their sizes and
// origins, the receptive field, and the size of all states with its lower bound.
#ifndef WEFT_CONVERTER_CLI_STREAMED_H_
#define WEFT_CONVERTER_CLI_STREAMED_H_

#include <cstdint>
#include <string>

#include "converter/base/json.h"
#include "converter/cli/loaded_model.h"
#include "converter/graph/streaming/streamed.h"

namespace weft::cli {

// Return the facts of a conversion. The text has lines, each with a line end.
std::string StreamedText(const graph::Streamed& streamed);
Json StreamedJson(const graph::Streamed& streamed);

// Returns the facts of a file, which include the multiply-adds per step; null without --streaming.
Json StreamedJson(const LoadedModel& model);
// Returns the text of these facts. `layout` is that of the state, empty without variables.
std::string StreamedText(const Json& streamed, const std::string& layout);

// "streams: 4 per run, each with 108 bytes of state"
std::string StreamsText(int64_t count, int64_t state_bytes);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_STREAMED_H_
