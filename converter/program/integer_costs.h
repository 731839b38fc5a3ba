// SPDX-License-Identifier: Apache-2.0
// Estimated times of products on a target, to decide whether integer weights make a layer slower.
// An estimate is a function of the shape and of the table, never a measurement on this machine.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_COSTS_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_COSTS_H_

#include <cstdint>

#include "converter/program/weight_encodings.h"

namespace weft::program {

// Times in tenths of a picosecond. `*_product` is the time of a multiply-add of an input and an
// output; the rest is what integers add for quantising a row of inputs and scaling its outputs.
struct IntegerCosts {
  int64_t f32_product, i8_product, i8x8_product;
  int64_t f32_product_of_one_row;  // which reads each weight once
  int64_t row;
  int64_t row_input;       // of a dense product
  int64_t patch_input;     // of a convolution with contiguous channels
  int64_t gathered_input;  // of a convolution of planes
  int64_t output;
  int64_t cell;  // of separate products and gates instead of a fused recurrent cell
};

// x86-64 with VNNI: fitted to one-layer models of 1 to 10,000 rows, 16 to 2,304 inputs and 16 to
// 512 outputs, and to GRU and LSTM of 8 to 48 units, on an AMD EPYC (Zen 4) at 3.7 GHz.
inline constexpr IntegerCosts kIntegerCostsOfX86 = {
    .f32_product = 174,
    .i8_product = 94,
    .i8x8_product = 47,
    .f32_product_of_one_row = 300,
    .row = 100000,
    .row_input = 1000,
    .patch_input = 3000,
    .gathered_input = 5500,
    .output = 1700,
    .cell = 600000,
};

// Returns true if the products of these steps are estimated to be slower with integer weights than
// with f32. Depthwise convolutions always are: they convert the integers to floats on each run. The
// weights suit integers.
bool AreIntegersSlower(const IntegerCosts &costs, const WeightUse &use, uint32_t row_bits);

// The same for the integers of a file. False for other steps than convolutions of several taps,
// which quantise each input once for each tap. Neither layout nor the number of pixels decides, so
// a streaming model has the bits of the complete one.
bool AreExactIntegersSlower(const IntegerCosts &costs, const WeightUse &use);

// The same for the product of one row by the recurrent weights of a cell, which f32 fuses with its
// gates.
bool AreIntegersSlowerThanCell(const IntegerCosts &costs, const ProductShape &shape,
                               uint32_t row_bits);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_COSTS_H_
