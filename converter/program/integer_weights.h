// SPDX-License-Identifier: Apache-2.0
// Weights of a product as 8-bit integers with a scale for each output: the original integers if the
// file has compressed weights, otherwise the nearest ones. The nearest integers are symmetric
// around 0, -127 to 127, with the scale of the smallest squared error among several.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "converter/base/quantisation.h"
#include "converter/program/encoded_weights.h"
#include "converter/program/program.h"

namespace weft::program {

// The inputs that each output of a product sums over: a row; the taps and channels of a window; the
// taps of one channel, with weights stored tap by tap.
enum class SumsOver { kRows, kPatches, kTaps };

// Extents of a product's weights: each of `groups` groups has `outputs` outputs of `inputs` inputs.
struct ProductShape {
  SumsOver over = SumsOver::kRows;
  uint32_t groups = 1, inputs = 0, outputs = 0;
  bool operator==(const ProductShape&) const = default;
};
ProductShape ShapeOfProduct(const format::DenseParams& params);
// Returns the shape of a step that multiplies by constants and can use integer weights: dense, conv
// or depthwise; nullopt for others.
std::optional<ProductShape> ShapeOfProduct(const Step& step);

// Returns true if integer weights pay for their cost. Rows and patches are multiplied as integers,
// which reads each row of x twice more. Below 16 outputs that costs as much as the products, and
// weights are stored in complete blocks of 16. Taps are only stored as integers: below 3 taps the
// scale of a channel needs as much space as the integers save.
bool GainsFromIntegers(const ProductShape& shape);

// Reinterprets the bytes as floats.
std::vector<float> FloatsOf(const std::vector<std::byte>& bytes);
CodedFloats CodedFloatsOf(const Value& constant);

// Returns the nearest integers and the scale of an output's weights, which must be finite; the
// offset is 0.
IntegerGrid NearestIntegers(std::span<const float> weights);

// Rounds weights, which must be finite, laid out by kernels::PackDense, PackConv or PackDepthwise.
EncodedWeights QuantizeProduct(std::span<const float> weights, const ProductShape& shape);
// Returns quantised weights unchanged: all inputs in one part, or, for rows, consecutive parts of
// 128, 64 or 32 inputs, each with separate scales. Returns nullopt if the weights of an output in a
// part have different scales, or if there is no quantisation.
std::optional<EncodedWeights> KeptProduct(const CodedFloats& weights, const ProductShape& shape);

// Returns true if a product keeps the integers of its constant.
bool KeepsIntegers(const Value& constant, const ProductShape& shape,
                   std::optional<ElementType> asked_for);

// Number of bits to which rows and patches are quantised. 16 bits add no error to that of 8-bit
// weights; 8 bits are faster on processors with int8 dot-product instructions.
inline constexpr uint32_t kWideRows = 16, kNarrowRows = 8;
// Rows that stay f32: products widen the integers to floats (scaled_products.h).
inline constexpr uint32_t kFloatRows = 32;

// Return the parameters of the same step with integer weights, and the types of its scratch values.
format::DenseI8Params InIntegers(const format::DenseParams& params, uint32_t row_bits);
TensorType ScratchOf(const format::DenseI8Params& params);
format::ConvI8Params InIntegers(const format::ConvParams& params, uint32_t row_bits);
TensorType PatchesOf(const format::ConvI8Params& params);
TensorType ScratchOf(const format::ConvI8Params& params);
format::DepthwiseI8Params InIntegers(const format::DepthwiseParams& params);
TensorType ScratchOf(const format::DepthwiseI8Params& params);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_
