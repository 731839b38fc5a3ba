// SPDX-License-Identifier: Apache-2.0
// Steps with strided operands read a part of a value directly, so the copy that made the part dense
// is removed. The same applies to the parts of a split along channels in channels-last order.
#ifndef WEFT_CONVERTER_PROGRAM_READ_PARTS_H_
#define WEFT_CONVERTER_PROGRAM_READ_PARTS_H_

#include "converter/program/program.h"

namespace weft::program {

// Redirects all readers of a part or none, and only if the number of live bytes does not grow.
void ReadParts(Program& program);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_READ_PARTS_H_
