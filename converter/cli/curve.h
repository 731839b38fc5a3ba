// SPDX-License-Identifier: Apache-2.0
// The plans of a model that were to choose from, as `weft convert` shows them.
#ifndef WEFT_CONVERTER_CLI_CURVE_H_
#define WEFT_CONVERTER_CLI_CURVE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "converter/pipeline.h"

namespace weft::cli {

nlohmann::ordered_json CurveJson(const pipeline::Converted& converted);
// The ends of the curve and what was taken, whole lines; empty where there is no choice.
// Explains the columns of CurveText, for the help.
std::string CurveHelp();

std::string CurveText(const pipeline::Converted& converted);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_CURVE_H_
