// SPDX-License-Identifier: Apache-2.0
// What every program keeps to between two passes, for the assertions of the pipeline.
#ifndef WEFT_CONVERTER_PROGRAM_CONSISTENCY_H_
#define WEFT_CONVERTER_PROGRAM_CONSISTENCY_H_

#include <string>

#include "converter/program/program.h"

namespace weft::plan {

// The first thing that is wrong, empty when nothing is. Every id names a row; a view lies within
// its parent and no value is a part of itself; weights have their bytes; steps have the operands of
// their row in ops.inc; results of a loop's body are there; a block belongs to one section, which
// is entered once.
std::string InconsistencyIn(const Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_CONSISTENCY_H_
