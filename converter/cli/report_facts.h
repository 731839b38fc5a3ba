// SPDX-License-Identifier: Apache-2.0
// Adds measurements to a report's facts: times of `weft bench --json` or of a board
// (runtime/step_times.h), and differences of `weft compare --json`. The files are untrusted: every
// field used is validated; other fields are ignored.
#ifndef WEFT_CONVERTER_CLI_REPORT_FACTS_H_
#define WEFT_CONVERTER_CLI_REPORT_FACTS_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "converter/base/faults.h"

namespace weft::cli {

// Adds "times" to the models, in order; a file may have times of several models. `models` are facts
// with a "listing", which must match the times of steps.
void AddTimes(const std::vector<std::string>& files, std::vector<nlohmann::ordered_json>& models,
              Faults& faults);

// Adds "comparison" to the models, in order.
void AddComparisons(const std::vector<std::string>& files,
                    std::vector<nlohmann::ordered_json>& models, Faults& faults);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_REPORT_FACTS_H_
