// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_CONVERTER_PROGRAM_STRIDED_READS_H_
#define WEFT_CONVERTER_PROGRAM_STRIDED_READS_H_

#include <cstddef>
#include <optional>

#include "converter/base/element_type.h"
#include "converter/program/program.h"

namespace weft::plan {

// The step as it is when it reads, as operand `input`, what `copy` reads, from the foremost element
// of that on, in the place of the dense value that the copy makes. Nullopt where the step has no
// strides that say so, or neighbours would not be neighbours any more.
std::optional<Step> ReadingThrough(const format::CopyParams& copy, const Step& step, size_t input);

// Axes that divide those of both, which have as many elements in the same order; nullopt where
// there are none, or no elements.
std::optional<Dims> CommonAxes(Dims a, Dims b);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_STRIDED_READS_H_
