// SPDX-License-Identifier: Apache-2.0
// What a model costs, as `weft inspect --budget` prints it: flash by part, memory by region, stack,
// work per run and per iteration, and what contributes most to each.
#ifndef WEFT_CONVERTER_CLI_BUDGET_H_
#define WEFT_CONVERTER_CLI_BUDGET_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "converter/cli/loaded_model.h"

namespace weft::cli {

// Of a model that is open.
nlohmann::ordered_json BudgetJson(const LoadedModel& model);
// The same for people.
std::string BudgetText(const nlohmann::ordered_json& budget);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_BUDGET_H_
