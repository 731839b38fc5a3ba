// SPDX-License-Identifier: Apache-2.0
// What a model costs, as `weft inspect --budget` prints it: flash by part, memory by region, stack,
// work per run and per iteration, and what contributes most to each.
#ifndef WEFT_CONVERTER_CLI_BUDGET_H_
#define WEFT_CONVERTER_CLI_BUDGET_H_

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "converter/cli/loaded_model.h"

namespace weft::cli {

// Rows of a list of contributors that people read.
inline constexpr size_t kReadableRows = 10;

// Of a model that is open; the lists of contributors have `most_rows` at most.
nlohmann::ordered_json BudgetJson(const LoadedModel& model, size_t most_rows = kReadableRows);
// The same for people.
std::string BudgetText(const nlohmann::ordered_json& budget);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_BUDGET_H_
