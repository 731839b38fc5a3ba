// SPDX-License-Identifier: Apache-2.0
//
// Reads the numbers of a NumPy file: version 1, little-endian f32, C order; every other form is
// refused with one line. The shape is left to the caller, who knows how many numbers there must be.

#ifndef WEFT_EXAMPLES_DTMF_NPY_H_
#define WEFT_EXAMPLES_DTMF_NPY_H_

#include <string>
#include <vector>

namespace dtmf {

// Empty when `values` holds the numbers, else the fault; `values` is then unspecified.
std::string ReadNpy(const char* path, std::vector<float>* values);

}  // namespace dtmf

#endif  // WEFT_EXAMPLES_DTMF_NPY_H_
