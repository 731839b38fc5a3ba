// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_CONVERTER_PROGRAM_STRIDED_READS_H_
#define WEFT_CONVERTER_PROGRAM_STRIDED_READS_H_

#include <cstddef>
#include <optional>

#include "converter/base/element_type.h"
#include "converter/program/program.h"

namespace weft::program {

// Returns the step with operand `input` changed to read the source of `copy` instead of its dense
// target. The operand then starts at the first element in memory that the copy reads. Returns
// nullopt if the step has no strides for this, or if elements that must be adjacent would no longer
// be.
std::optional<Step> ReadingThrough(const format::CopyParams& copy, const Step& step, size_t input);

Dims WithoutOnes(Dims dims);

// Returns axes that refine both a and b, which must have as many elements in the same order;
// nullopt if there are no such axes, or no elements.
std::optional<Dims> CommonAxes(Dims a, Dims b);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_STRIDED_READS_H_
