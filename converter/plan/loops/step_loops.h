// SPDX-License-Identifier: Apache-2.0
// Steps between the loops of stacked layers, such as a dense layer for each time step, a
// normalisation or an added residual, as loops of their own, so that they can become part of the
// loops around them.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_STEP_LOOPS_H_
#define WEFT_CONVERTER_PLAN_LOOPS_STEP_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "converter/program/program.h"

namespace weft::plan {

// Turns a step of a block into a loop of so many iterations in its place, each of which makes one
// part of the result. Nullopt, and nothing changed, where the step mixes the parts (row_parts.h).
std::optional<SectionId> LoopOfStep(Program& program, BlockId block, size_t item, int64_t trips,
                                    bool backward);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_STEP_LOOPS_H_
