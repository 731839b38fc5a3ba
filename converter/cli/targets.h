// SPDX-License-Identifier: Apache-2.0
// The processors of `weft convert --target`, from targets.inc.
#ifndef WEFT_CONVERTER_CLI_TARGETS_H_
#define WEFT_CONVERTER_CLI_TARGETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "converter/plan/plan.h"
#include "converter/program/narrow_weights.h"

namespace weft::cli {

std::vector<std::string> TargetNames();

// Returns true for the complete name of a target.
bool IsTarget(std::string_view name);

// Returns true if a target rounds a multiply-add once, as the class exact requires. False for an
// unknown target.
bool FusesMultiplyAdd(std::string_view target);

// Returns which plan the converter chooses for a target without --arena-budget: the fastest if
// memory is plentiful, else one that saves scratch. kBalanced for an unknown target.
plan::Aim AimFor(std::string_view target);

// Returns true if weights without a request may become i8x32 (program::Precisions::keeps_scaled).
// True for an unknown target.
bool KeepsScaledWeights(std::string_view target);

// Returns the times of integer products on a target whose layers --precision i8 must not make
// slower (program::Precisions::costs); null for others: they store integers to save flash.
const program::IntegerCosts* IntegerCostsOf(std::string_view target);

// The type of weights that --min-snr keeps: f16 if it is about as fast as f32 on the target and for
// an unknown one, else f32.
std::string WideTypeOf(std::string_view target);

// Warnings, a line each, if the weight types are slow on the target. Empty for an unknown target.
std::vector<std::string> TargetWarnings(std::string_view target,
                                        const std::vector<program::WeightsOfType>& weights);

// A line that says how many layers compute with floats, with their names on request; empty for a
// target with an FPU, for an unknown one and if there are no such layers.
std::string FloatNote(std::string_view target, const std::vector<std::string>& layers,
                      bool with_names);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TARGETS_H_
