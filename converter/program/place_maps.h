// SPDX-License-Identifier: Apache-2.0
// Steps with windows write their maps by strides. Where all that becomes of a map is a copy into a
// part of another value (of a concatenation of channels that stand last, say), the step writes
// there itself.
#ifndef WEFT_CONVERTER_PROGRAM_PLACE_MAPS_H_
#define WEFT_CONVERTER_PROGRAM_PLACE_MAPS_H_

#include "converter/program/program.h"

namespace weft::plan {

void PlaceMaps(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_PLACE_MAPS_H_
