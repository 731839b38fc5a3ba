// SPDX-License-Identifier: Apache-2.0
// The types that weights of products can have in a file. Each type is a row: its names for
// --precision, the products that can have it, the constants that hold given weights exactly, those
// that hold rounded ones, and the steps that multiply by them.
#ifndef WEFT_CONVERTER_PROGRAM_WEIGHT_ENCODINGS_H_
#define WEFT_CONVERTER_PROGRAM_WEIGHT_ENCODINGS_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "converter/program/builder.h"
#include "converter/program/encoded_weights.h"
#include "converter/program/integer_values.h"
#include "converter/program/narrow_weights.h"

namespace weft::program {

struct Constant;

// y = act(x * weights + start) over contiguous rows.
struct RowProduct {
  format::DenseParams params;
  ValueId x = kNone, start = kNone, y = kNone;
};

struct NamedWeightType {
  std::string_view name;  // "i4:32"
  WeightType type;
};

// The steps that read a constant as weights.
struct WeightUse {
  const ProductShape *shape = nullptr;  // of all of them; null if they are no such products
  std::span<Step *const> readers = {};
};

struct WeightEncoding {
  WeightType type;
  std::vector<NamedWeightType> names = {};
  // Weights have the type without a request, if it holds them exactly.
  bool is_default = false;
  // The products that can have it, for messages; empty: all.
  std::string_view products = {};
  // Returns true if these steps can have it.
  bool (*suits)(const WeightUse &use);
  // Returns exactly these weights; nullopt if the encoding does not hold them, or if it is the
  // default and products would be slower. The use suits.
  std::optional<EncodedWeights> (*keep)(const CodedFloats &weights, const WeightUse &use);
  // Returns the nearest weights. The use suits. Integers need finite weights.
  EncodedWeights (*round)(const CodedFloats &weights, const WeightUse &use, const WeightType &type);
  // Emits a product by integers; null if the kernels widen the weights to f32.
  void (*multiply)(Builder &builder, const IntegerValues &values, const Constant &constant,
                   const RowProduct &product) = nullptr;
};

// All encodings, in the order of --precision; f32 comes first.
std::span<const WeightEncoding> WeightEncodings();
const WeightEncoding &EncodingOf(const WeightType &type);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_WEIGHT_ENCODINGS_H_
