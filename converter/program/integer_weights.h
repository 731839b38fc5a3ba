// SPDX-License-Identifier: Apache-2.0
// Weights of a product as integers of 8 bits with a scale for each output: those that they were
// made of, where a file has compressed them, or the nearest. The nearest are symmetric around 0,
// -127 to 127; of several scales an output has the one with which its weights are off least.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "converter/base/integer_grid.h"
#include "converter/program/program.h"

namespace weft::plan {

// What the outputs of a product are sums of: the inputs of a row; the taps of a window with their
// channels; the taps of one channel, whose weights lie tap by tap.
enum class SumsOver { kRows, kPatches, kTaps };

// Extents of a product's weights: in each group so many outputs of so many inputs.
struct ProductShape {
  SumsOver over = SumsOver::kRows;
  uint32_t groups = 1, inputs = 0, outputs = 0;
  bool operator==(const ProductShape&) const = default;
};
ProductShape ShapeOfProduct(const format::DenseParams& params);
// Of a step that multiplies by constants and may do so by integers: dense, conv or depthwise.
std::optional<ProductShape> ShapeOfProduct(const Step& step);

// Are integers worth what they take? Those of rows and patches are multiplied by integers, for
// which each row of x is read twice more: below 16 outputs that costs as much as the products, and
// whole blocks of 16 are stored. Those of taps are stored only: below 3 a channel's scale takes as
// much as they save.
bool GainsFromIntegers(const ProductShape& shape);

std::vector<float> FloatsOf(const std::vector<std::byte>& bytes);

// The integers and the scale of an output's weights, which are finite; no offset.
IntegerGrid NearestIntegers(std::span<const float> weights);

// Of all outputs and the inputs [first, first + count).
struct IntegerWeights {
  uint32_t first = 0, count = 0;
  std::vector<int8_t> packed;  // as the kernel reads them (kernels/matrix/pack.h)
  std::vector<float> scales;   // of whole panels of each group
  std::vector<float> numbers;  // what the integers stand for, laid out like the floats before
  // Where some integers have an offset, of whole panels of each group: what the sum of a row of x
  // adds to each output, that of a patch being one more output of its group; of taps the offsets
  // themselves.
  std::vector<float> offsets;
};
// `floats` as kernels::PackDense, PackConv or PackDepthwise lays them out; all are finite.
IntegerWeights QuantizeProduct(std::span<const float> floats, const ProductShape& shape);
// Without rounding: all inputs in one, or those of rows in groups of 128, 64 or 32 that follow one
// another, each with scales of its own. Empty where an output's weights are no multiples of a
// scale.
std::vector<IntegerWeights> RecoverProduct(std::span<const float> floats,
                                           const ProductShape& shape);

// May a constant be integers of which it was made, where nothing else is asked for? So may the
// nearest be those where that is i8 or i4.
bool MayKeepIntegers(const Value& constant, std::optional<ElementType> asked_for);
// Does a product's constant keep them?
bool KeepsIntegers(const Value& constant, const ProductShape& shape,
                   std::optional<ElementType> asked_for);

// Bits of the integers that rows and patches become: 16 cost no accuracy beside weights of 8, 8 are
// multiplied in less time where a processor has instructions for them.
inline constexpr uint32_t kWideRows = 16, kNarrowRows = 8;

// The parameters of the same step in integers, and the values that it scratches in.
format::DenseI8Params InIntegers(const format::DenseParams& params, uint32_t row_bits);
Value ScratchOf(const format::DenseI8Params& params);
format::ConvI8Params InIntegers(const format::ConvParams& params, uint32_t row_bits);
TensorType PatchesOf(const format::ConvI8Params& params);
TensorType ScratchOf(const format::ConvI8Params& params);
format::DepthwiseI8Params InIntegers(const format::DepthwiseParams& params);
TensorType ScratchOf(const format::DepthwiseI8Params& params);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_
