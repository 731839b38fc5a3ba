// SPDX-License-Identifier: Apache-2.0
// The memory plan of a model file, as `weft inspect --plan` prints it: one line for logs and
// checks, and address and lifetime of each scratch buffer as a table and as a picture.
#ifndef WEFT_CONVERTER_CLI_PLAN_VIEW_H_
#define WEFT_CONVERTER_CLI_PLAN_VIEW_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "converter/cli/loaded_model.h"

namespace weft::cli {

// `model` must be open.
nlohmann::ordered_json PlanJson(const LoadedModel& model);
// `plan` as text in 80 columns.
std::string PlanText(const nlohmann::ordered_json& plan);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_PLAN_VIEW_H_
