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

// Integer weights of all outputs for the inputs [first, first + count).
struct IntegerWeights {
  uint32_t first = 0, count = 0;
  std::vector<int8_t> packed;  // in the layout of the kernel (kernels/matrix/pack.h)
  std::vector<float> scales;   // padded to complete panels in each group
  // For rounded weights: the dequantised weights, laid out like the original floats.
  std::vector<float> numbers;
  // Empty if all offsets are 0; else padded to complete panels in each group. For rows, each output
  // adds its offset times the sum of the row of x. For patches the same, with the sum of a patch as
  // one more output of its group. For taps these are the offsets themselves.
  std::vector<float> offsets;
};
// Rounds weights, which must be finite, laid out by kernels::PackDense, PackConv or PackDepthwise.
IntegerWeights QuantizeProduct(std::span<const float> weights, const ProductShape& shape);
// Returns quantised weights unchanged: all inputs in one group, or, for rows, consecutive groups of
// 128, 64 or 32 inputs, each with separate scales. Returns an empty list if the weights of an
// output in a group have different scales.
std::vector<IntegerWeights> KeptProduct(const CodedFloats& weights, const ProductShape& shape);

// Returns true if a constant is quantised and `asked_for` allows to keep its integers: nothing, i8
// or i4.
bool MayKeepIntegers(const Value& constant, std::optional<ElementType> asked_for);
// Returns true if a product keeps the integers of its constant.
bool KeepsIntegers(const Value& constant, const ProductShape& shape,
                   std::optional<ElementType> asked_for);

// Number of bits to which rows and patches are quantised. 16 bits add no error to that of 8-bit
// weights; 8 bits are faster on processors with int8 dot-product instructions.
inline constexpr uint32_t kWideRows = 16, kNarrowRows = 8;

// Return the parameters of the same step with integer weights, and the types of its scratch values.
format::DenseI8Params InIntegers(const format::DenseParams& params, uint32_t row_bits);
Value ScratchOf(const format::DenseI8Params& params);
format::ConvI8Params InIntegers(const format::ConvParams& params, uint32_t row_bits);
TensorType PatchesOf(const format::ConvI8Params& params);
TensorType ScratchOf(const format::ConvI8Params& params);
format::DepthwiseI8Params InIntegers(const format::DepthwiseParams& params);
TensorType ScratchOf(const format::DepthwiseI8Params& params);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_WEIGHTS_H_
