// SPDX-License-Identifier: Apache-2.0
// What `weft convert --streaming` prints of the cut: ports with their time axes and how late
// outputs come, what stays whole, states with their bytes and where each comes from, how many steps
// an output depends on, and the bytes of all states beside the least that they could have.
#ifndef WEFT_CONVERTER_CLI_STREAMED_H_
#define WEFT_CONVERTER_CLI_STREAMED_H_

#include <nlohmann/json.hpp>
#include <string>

#include "converter/graph/streaming/streamed.h"

namespace weft::cli {

// Whole lines.
std::string StreamedText(const graph::Streamed& streamed);
nlohmann::ordered_json StreamedJson(const graph::Streamed& streamed);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_STREAMED_H_
