// SPDX-License-Identifier: Apache-2.0
// Steps that walk their operands by strides read a part of a value where it lies: the copy that
// made it dense goes away. So do the parts of a split over channels that stand last.
#ifndef WEFT_CONVERTER_PROGRAM_READ_PARTS_H_
#define WEFT_CONVERTER_PROGRAM_READ_PARTS_H_

#include "converter/program/program.h"

namespace weft::plan {

// All readers of a part or none, and only where no more bytes are live at one time than before.
void ReadParts(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_READ_PARTS_H_
