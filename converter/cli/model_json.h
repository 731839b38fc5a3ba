// SPDX-License-Identifier: Apache-2.0
// The facts of a model file as JSON, for `weft inspect --json` and report pages. Steps are indices
// of the listing; offsets and sizes are bytes.
#ifndef WEFT_CONVERTER_CLI_MODEL_JSON_H_
#define WEFT_CONVERTER_CLI_MODEL_JSON_H_

#include <nlohmann/json_fwd.hpp>

#include "converter/cli/loaded_model.h"

namespace weft::cli {

// Ports, memory, sections, copies, and the number of steps of each kind. `model` must be open.
nlohmann::ordered_json ModelJson(const LoadedModel& model);

// ModelJson with "budget" (all contributors), "plan" and "listing".
nlohmann::ordered_json ReportJson(const LoadedModel& model);

// Time axes and latencies of the ports, and multiply-adds per step, of a model that was converted
// with
// --streaming; null for other models.
nlohmann::ordered_json StreamedJson(const LoadedModel& model);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_MODEL_JSON_H_
