// SPDX-License-Identifier: Apache-2.0
// Products read keys and values of a ring where they lie:
//   ring x past start -> window past' start'; matmul a window -> y
//     ->  ring_matmul a past x start -> y; ring x past start -> past' start'
// where nothing but products reads the window, along its places and by strides that keep each place
// whole. The ring is then written behind the last of them. Not a bit changes.
#ifndef WEFT_CONVERTER_PROGRAM_RING_PRODUCTS_H_
#define WEFT_CONVERTER_PROGRAM_RING_PRODUCTS_H_

#include "converter/program/program.h"

namespace weft::plan {

// In the main block: pasts stand nowhere else.
void ReadRingsInPlace(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_RING_PRODUCTS_H_
