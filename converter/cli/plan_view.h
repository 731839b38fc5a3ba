// SPDX-License-Identifier: Apache-2.0
// The plan of a model file, as `weft inspect --plan` shows it: one line for logs and checks, where
// each buffer of scratch lies and when, and a picture of that.
#ifndef WEFT_CONVERTER_CLI_PLAN_VIEW_H_
#define WEFT_CONVERTER_CLI_PLAN_VIEW_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "converter/cli/loaded_model.h"

namespace weft::cli {

// Of a model that is open.
nlohmann::ordered_json PlanJson(const LoadedModel& model);
// The same for people, in 80 columns.
std::string PlanText(const nlohmann::ordered_json& plan);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_PLAN_VIEW_H_
