// SPDX-License-Identifier: Apache-2.0
// Weights of a dense product as integers of 8 bits with a scale for each output, symmetric around 0:
// the greatest magnitude of an output's weights becomes 127, each weight the nearest multiple.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

// Is a product in integers worth its kernel's reading each row of x twice more? Below 16 outputs that
// costs as much as the products, and whole blocks of 16 are stored.
bool GainsFromIntegers(const format::DenseParams& params);

struct IntegerWeights {
  std::vector<int8_t> packed;  // as kernels::PackDenseI8 lays them out
  std::vector<float> scales;   // of whole panels
  std::vector<float> numbers;  // what the integers stand for, laid out like the floats before
};
// `panels` as kernels::PackDense lays them out, or PackConv those of such a convolution; all are finite.
IntegerWeights QuantizeDense(std::span<const float> panels, const format::DenseParams& params);

// The parameters of the same product in integers, and the value that it scratches in.
format::DenseI8Params InIntegers(const format::DenseParams& params);
Value ScratchOf(const format::DenseI8Params& params);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_
