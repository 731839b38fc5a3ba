// SPDX-License-Identifier: Apache-2.0
// What `weft convert --target` knows of the processors in targets.inc.
#ifndef WEFT_CONVERTER_CLI_TARGETS_H_
#define WEFT_CONVERTER_CLI_TARGETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "converter/program/narrow_weights.h"

namespace weft::cli {

std::vector<std::string> TargetNames();

// Returns true for a name of a target and for the beginning of exactly one, as cortex-m4 is.
bool IsTarget(std::string_view word);

// What to think of when a model with such weights runs on the target, a line each.
std::vector<std::string> TargetWarnings(std::string_view target,
                                        const std::vector<plan::WeightsOfType>& weights);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TARGETS_H_
