// SPDX-License-Identifier: Apache-2.0
// Weights of a dense product as integers of 8 bits with a scale for each output: those that they were made
// of, where a file has compressed them, or the nearest. The nearest are symmetric around 0, the greatest
// magnitude of an output's weights becomes 127.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "converter/base/integer_grid.h"
#include "converter/program/program.h"

namespace weft::plan {

// Is a product in integers worth its kernel's reading each row of x twice more? Below 16 outputs that
// costs as much as the products, and whole blocks of 16 are stored.
bool GainsFromIntegers(const format::DenseParams& params);

std::vector<float> FloatsOf(const std::vector<std::byte>& bytes);

// The integers and the scale of an output's weights, which are finite; no offset.
IntegerGrid NearestIntegers(std::span<const float> weights);

// Of all outputs and the inputs [first, first + count).
struct IntegerWeights {
  uint32_t first = 0, count = 0;
  std::vector<int8_t> packed;  // as kernels::PackDenseI8 lays them out
  std::vector<float> scales;   // of whole panels
  std::vector<float> numbers;  // what the integers stand for, laid out like the floats before
  // Where some integers have an offset: what the sum of a row of x adds to each output, of whole panels.
  std::vector<float> offsets;
};
// `panels` as kernels::PackDense lays them out, or PackConv those of such a convolution; all are finite.
IntegerWeights QuantizeDense(std::span<const float> panels, const format::DenseParams& params);
// Without rounding: all inputs in one, or in groups of 128, 64 or 32 that follow one another, each with scales
// of its own. Empty where an output's weights are no multiples of a scale.
std::vector<IntegerWeights> RecoverDense(std::span<const float> panels,
                                         const format::DenseParams& params);

// May a constant be integers of which it was made, where nothing else is asked for? So may the nearest be
// those where that is i8.
bool MayKeepIntegers(const Value& constant, std::optional<ElementType> asked_for);
// Does a product's constant keep them?
bool KeepsIntegers(const Value& constant, const format::DenseParams& params,
                   std::optional<ElementType> asked_for);

// The parameters of the same product in integers, and the value that it scratches in.
format::DenseI8Params InIntegers(const format::DenseParams& params);
Value ScratchOf(const format::DenseI8Params& params);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_
