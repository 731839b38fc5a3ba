// SPDX-License-Identifier: Apache-2.0
// Steps with windows write their output maps with strides. If a map is only copied into a part of
// another value, for example of a Concat of channels-last maps, the step writes to that part
// directly.
#ifndef WEFT_CONVERTER_PROGRAM_PLACE_MAPS_H_
#define WEFT_CONVERTER_PROGRAM_PLACE_MAPS_H_

#include "converter/program/program.h"

namespace weft::program {

// Removes such copies in every block.
void PlaceMaps(Program& program);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_PLACE_MAPS_H_
