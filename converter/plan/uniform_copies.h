// SPDX-License-Identifier: Apache-2.0
// What is copied from a constant whose elements are all equal, as first states of zeros are, is
// filled in instead: the file has the element in place of the constant, and smaller parameters.
#ifndef WEFT_CONVERTER_PLAN_UNIFORM_COPIES_H_
#define WEFT_CONVERTER_PLAN_UNIFORM_COPIES_H_

#include "converter/program/program.h"

namespace weft::plan {

// Behind the passes that drop copies, which look at plain ones.
void FillUniformCopies(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_UNIFORM_COPIES_H_
