// SPDX-License-Identifier: Apache-2.0
// The processors of `weft convert --target`, from targets.inc.
#ifndef WEFT_CONVERTER_CLI_TARGETS_H_
#define WEFT_CONVERTER_CLI_TARGETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "converter/program/narrow_weights.h"

namespace weft::cli {

std::vector<std::string> TargetNames();

// Returns true for the complete name of a target.
bool IsTarget(std::string_view name);

// Warnings, a line each, if the weight types are slow on the target. Empty for an unknown target.
std::vector<std::string> TargetWarnings(std::string_view target,
                                        const std::vector<program::WeightsOfType>& weights);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TARGETS_H_
