// SPDX-License-Identifier: Apache-2.0
// The costs of a model, as `weft inspect --budget` prints them: flash by part, memory by region,
// stack, work per run and per iteration, and the largest contributors to each.
#ifndef WEFT_CONVERTER_CLI_BUDGET_H_
#define WEFT_CONVERTER_CLI_BUDGET_H_

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "converter/cli/loaded_model.h"

namespace weft::cli {

// Default length of the lists of contributors.
inline constexpr size_t kReadableRows = 10;

// `model` must be open. Lists of contributors have at most `max_rows` rows.
nlohmann::ordered_json BudgetJson(const LoadedModel& model, size_t max_rows = kReadableRows);
// `budget` as text.
std::string BudgetText(const nlohmann::ordered_json& budget);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_BUDGET_H_
