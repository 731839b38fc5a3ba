// SPDX-License-Identifier: Apache-2.0
//
// Reads the numbers of a NumPy file: version 1, little-endian f32, C order. Other forms are an
// error of one line. The caller must check the number of elements; the shape is ignored.

#ifndef WEFT_EXAMPLES_DTMF_NPY_H_
#define WEFT_EXAMPLES_DTMF_NPY_H_

#include <string>
#include <vector>

namespace dtmf {

// Returns "" on success, else the error message; `values` is then unspecified.
std::string ReadNpy(const char* path, std::vector<float>* values);

}  // namespace dtmf

#endif  // WEFT_EXAMPLES_DTMF_NPY_H_
