// SPDX-License-Identifier: Apache-2.0
// Counts the steps whose results are int8 codes, by the arithmetic that computes them.
#ifndef WEFT_CONVERTER_PROGRAM_REQUANTISED_H_
#define WEFT_CONVERTER_PROGRAM_REQUANTISED_H_

#include <cstddef>
#include <string>
#include <vector>

#include "converter/program/program.h"

namespace weft::program {

struct Requantised {
  size_t by_integers = 0;
  std::vector<std::string> by_floats;  // the layers, in order of their steps
};
// Steps that move codes, or select the largest, are not counted.
Requantised RequantisedSteps(const Program& program);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_REQUANTISED_H_
