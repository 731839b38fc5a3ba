// SPDX-License-Identifier: Apache-2.0
// What other commands found out about a model, as parts of a report's facts: times of `weft bench
// --json` or of a board (runtime/step_times.h), and differences of `weft compare --json`. Their
// files may come from anywhere: all that is used of them is checked, and nothing else of them gets
// into the facts.
#ifndef WEFT_CONVERTER_CLI_REPORT_FACTS_H_
#define WEFT_CONVERTER_CLI_REPORT_FACTS_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "converter/base/faults.h"

namespace weft::cli {

// "times" for the models, in order; a file of several models has as many. `models` are facts with a
// "listing", which the times of steps must fit.
void AddTimes(const std::vector<std::string>& files, std::vector<nlohmann::ordered_json>& models,
              Faults& faults);

// "comparison" for the models, in order.
void AddComparisons(const std::vector<std::string>& files,
                    std::vector<nlohmann::ordered_json>& models, Faults& faults);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_REPORT_FACTS_H_
