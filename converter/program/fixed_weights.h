// SPDX-License-Identifier: Apache-2.0
// Reports float constants that keep their type because a step reads them as data, not as weights.
#ifndef WEFT_CONVERTER_PROGRAM_FIXED_WEIGHTS_H_
#define WEFT_CONVERTER_PROGRAM_FIXED_WEIGHTS_H_

#include <functional>

#include "converter/program/narrow_weights.h"
#include "converter/program/program.h"

namespace weft::program {

// Adds each f32 constant that a step reads, once, under the layer that reads it first. `is_listed`
// returns true for constants that are already in the report.
void AddFixedWeights(const Program& program, WeightsReport& report,
                     const std::function<bool(ValueId root)>& is_listed);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_FIXED_WEIGHTS_H_
