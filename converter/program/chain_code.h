// SPDX-License-Identifier: Apache-2.0
// The program of a step `chain` that computes what several steps do.
#ifndef WEFT_CONVERTER_PROGRAM_CHAIN_CODE_H_
#define WEFT_CONVERTER_PROGRAM_CHAIN_CODE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

// A function of one or two variables of f32, which a chain can compute.
bool MayBeInstruction(const Step& step);

// One step for `members`, in the order in which they run: each computes as many elements as the
// last, and what it makes is read as a whole, by members alone, but for the result of the last.
// Nullopt where a chain has no room for so many operands, numbers, axes or instructions.
std::optional<Step> ChainOf(const Program& program, const std::vector<const Step*>& members);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_CHAIN_CODE_H_
