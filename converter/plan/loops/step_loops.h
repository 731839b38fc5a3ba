// SPDX-License-Identifier: Apache-2.0
// Converts steps between the loops of stacked layers to separate loops, so that they can be fused
// with these loops. Examples are a dense layer on each time step, a normalisation and an added
// residual.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_STEP_LOOPS_H_
#define WEFT_CONVERTER_PLAN_LOOPS_STEP_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "converter/program/program.h"

namespace weft::plan {

// Replaces a step of a block by a loop of `trips` iterations, each of which computes one part of
// the result. Returns nullopt, and changes nothing, if the step mixes the parts (row_parts.h).
std::optional<program::SectionId> LoopOfStep(program::Program& program, program::BlockId block,
                                             size_t item, int64_t trips, bool backward);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_STEP_LOOPS_H_
