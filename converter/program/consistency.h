// SPDX-License-Identifier: Apache-2.0
// Invariants of a program between two passes, asserted by the pipeline.
#ifndef WEFT_CONVERTER_PROGRAM_CONSISTENCY_H_
#define WEFT_CONVERTER_PROGRAM_CONSISTENCY_H_

#include <string>

#include "converter/program/program.h"

namespace weft::program {

// Returns the first violation, or an empty string. Every id must be valid. A view must be within
// its parent, and no value may contain itself. Weights must have their bytes. Steps must have the
// operands of their row in ops.inc. Results of a loop body must exist. A block must belong to one
// section, which is entered once.
std::string InconsistencyIn(const Program& program);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_CONSISTENCY_H_
