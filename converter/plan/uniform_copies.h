// SPDX-License-Identifier: Apache-2.0
// Replaces copies of a constant whose elements are all equal, such as initial states of zeros, by
// fill steps: the file stores one element instead of the constant, and smaller parameters.
#ifndef WEFT_CONVERTER_PLAN_UNIFORM_COPIES_H_
#define WEFT_CONVERTER_PLAN_UNIFORM_COPIES_H_

#include "converter/program/program.h"

namespace weft::plan {

// Run this after the passes that drop copies, which only handle plain copies.
void FillUniformCopies(program::Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_UNIFORM_COPIES_H_
