// SPDX-License-Identifier: Apache-2.0
// Generates the parameters of a `chain` step that replaces several steps.
#ifndef WEFT_CONVERTER_PROGRAM_CHAIN_CODE_H_
#define WEFT_CONVERTER_PROGRAM_CHAIN_CODE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "converter/program/program.h"

namespace weft::program {

// Returns true for an f32 function of one or two operands, which a chain can compute.
bool MayBeInstruction(const Step& step);

// Returns one step that replaces `members`, given in the order in which they run. All members must
// compute as many elements as the last one. Each result except the last must be read completely,
// and by members only. Returns nullopt if there are too many operands, constants, axes or
// instructions for a chain.
std::optional<Step> ChainOf(const Program& program, const std::vector<const Step*>& members);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_CHAIN_CODE_H_
