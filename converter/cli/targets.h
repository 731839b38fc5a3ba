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

// A row of targets.inc, which describes the members.
struct Target {
  std::string_view name;
  bool is_processor = false;
  bool is_board = false;
  bool fuses = true;
  bool adds_products = false;
  bool keeps_i8x32 = false;
  bool converts_f16 = false;
  double f16_cost = 0;
  int float_cost = 1;

  // Which plan the converter chooses without --arena-budget.
  plan::Aim aim() const { return is_board ? plan::Aim::kBalanced : plan::Aim::kFastest; }
  // The type of weights that --min-snr keeps.
  const char* wide_type() const { return converts_f16 ? "f16" : "f32"; }
};

std::vector<std::string> TargetNames();

// Returns true for the complete name of a target.
bool IsTarget(std::string_view name);

// For any other name: a target that gets no warnings, whose plan saves scratch, and that may round
// a multiply-add twice.
const Target& TargetOf(std::string_view name);

// Returns the times of integer products on a target whose layers --precision i8 must not make
// slower (program::Precisions::costs); null for others: they store integers to save flash.
const program::IntegerCosts* IntegerCostsOf(std::string_view target);

// Warnings, a line each, if the weight types are slow on the target. Empty for an unknown target.
std::vector<std::string> TargetWarnings(std::string_view target,
                                        const std::vector<program::WeightsOfType>& weights);

// A line that says how many layers compute with floats, with their names on request; empty for a
// target with an FPU, for an unknown one and if there are no such layers.
std::string FloatNote(std::string_view target, const std::vector<std::string>& layers,
                      bool with_names);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TARGETS_H_
