// SPDX-License-Identifier: Apache-2.0
// Products read keys and values directly from a ring:
//   ring x past start -> window past' start'; matmul a window -> y
//     ->  ring_matmul a past x start -> y; ring x past start -> past' start'
// This requires that only products read the window, along its time steps, with strides that never
// cross from one time step to another. The ring is then written after the last product. Results are
// bit-identical.
#ifndef WEFT_CONVERTER_PROGRAM_RING_PRODUCTS_H_
#define WEFT_CONVERTER_PROGRAM_RING_PRODUCTS_H_

#include "converter/program/program.h"

namespace weft::program {

// Processes the main block, which contains all rings.
void ReadRingsInPlace(Program& program);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_RING_PRODUCTS_H_
