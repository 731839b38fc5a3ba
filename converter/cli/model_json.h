// SPDX-License-Identifier: Apache-2.0
// The facts of a finished model as JSON: what `weft inspect --json` prints, and what a report page
// shows. Steps are indices of the listing, offsets and sizes are bytes.
#ifndef WEFT_CONVERTER_CLI_MODEL_JSON_H_
#define WEFT_CONVERTER_CLI_MODEL_JSON_H_

#include <nlohmann/json_fwd.hpp>

#include "converter/cli/loaded_model.h"

namespace weft::cli {

// Of a model that is open: ports, memory, sections, copies, and how many steps of which kind.
nlohmann::ordered_json ModelJson(const LoadedModel& model);

// The same with "budget" (all contributors), "plan" and "listing".
nlohmann::ordered_json ReportJson(const LoadedModel& model);

// Time axes and latencies of the ports of a model that --streaming has converted; null for a model
// of whole sequences. Multiply-adds are those of one step.
nlohmann::ordered_json StreamedJson(const LoadedModel& model);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_MODEL_JSON_H_
