// SPDX-License-Identifier: Apache-2.0
// The facts that `weft convert --streaming` prints: time axes of ports, latencies of outputs,
// inputs without a time axis, states with their sizes and origins, the receptive field, and the
// size of all states with its lower bound.
#ifndef WEFT_CONVERTER_CLI_STREAMED_H_
#define WEFT_CONVERTER_CLI_STREAMED_H_

#include <nlohmann/json.hpp>
#include <string>

#include "converter/graph/streaming/streamed.h"

namespace weft::cli {

// Returns lines, each with a line end.
std::string StreamedText(const graph::Streamed& streamed);
nlohmann::ordered_json StreamedJson(const graph::Streamed& streamed);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_STREAMED_H_
