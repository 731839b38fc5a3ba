// SPDX-License-Identifier: Apache-2.0
// The available plans of a model, as `weft convert` prints them.
#ifndef WEFT_CONVERTER_CLI_CURVE_H_
#define WEFT_CONVERTER_CLI_CURVE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "converter/pipeline.h"

namespace weft::cli {

// All plans, the fastest first.
nlohmann::ordered_json CurveJson(const pipeline::Converted& converted);

// A table of the smallest, the chosen and the fastest plan, with a line end after each line; empty
// if there is only one plan.
std::string CurveText(const pipeline::Converted& converted);

// Explains CurveText in the help.
std::string CurveHelp();

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_CURVE_H_
