// SPDX-License-Identifier: Apache-2.0
// Finds the layers that compute with floats, which are slow on a processor without an FPU.
#ifndef WEFT_CONVERTER_PROGRAM_FLOAT_LAYERS_H_
#define WEFT_CONVERTER_PROGRAM_FLOAT_LAYERS_H_

#include <string>
#include <vector>

#include "converter/program/program.h"

namespace weft::program {

// The names of these layers, each once, in order of their steps. Layers that only move data or
// compute with integers are left out.
std::vector<std::string> LayersWithFloats(const Program& program);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_FLOAT_LAYERS_H_
