// SPDX-License-Identifier: Apache-2.0
// Weights of products in a type of fewer bits, which the kernels widen as they read them, or as
// integers (integer_weights.h), which they multiply with integers.
#ifndef WEFT_CONVERTER_PROGRAM_NARROW_WEIGHTS_H_
#define WEFT_CONVERTER_PROGRAM_NARROW_WEIGHTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/faults.h"
#include "converter/program/integer_weights.h"
#include "converter/program/program.h"

namespace weft::plan {

// f32, a row of kernels/matrix/weights.inc, i8, or i4, of which so many inputs share a scale for
// each output. Rows of what i8 is multiplied by become so many bits; those of weights that a file
// has in 4 bits keep 16.
struct WeightType {
  ElementType type = ElementType::f32;
  uint32_t group = 0;
  uint32_t row_bits = kWideRows;

  WeightType(ElementType element, uint32_t inputs = 0, uint32_t bits = kWideRows)
      : type(element), group(inputs), row_bits(bits) {}
  bool operator==(const WeightType&) const = default;
};
// nullopt: the integers of up to 8 bits of which they were made, else f16 where every weight is
// one, else f32.
using Precision = std::optional<WeightType>;
inline std::optional<ElementType> TypeOf(const Precision& precision) {
  return precision ? std::optional(precision->type) : std::nullopt;
}
// Do products multiply by such weights as integers?
constexpr bool IsInteger(ElementType type) {
  return type == ElementType::i8 || type == ElementType::i4;
}

// The one that a call names: "auto", "f32", "f16", "i8x8", "i4:32" ...; nullopt where there is no
// such.
std::optional<Precision> PrecisionOf(std::string_view name);
// All of them: "auto, f32, f16 ...".
std::string PrecisionNames();

struct Precisions {
  Precision all;
  std::map<std::string, Precision> layers;  // exceptions, by the name of the layer
  Precision Of(const std::string& layer) const {
    const auto exception = layers.find(layer);
    return exception == layers.end() ? all : exception->second;
  }
};

// Weights of all products that became one type.
struct WeightsOfType {
  ElementType type = ElementType::f32;
  bool is_rounded = false;  // some are other numbers than before
  int64_t bytes = 0;
};

// Weights of a layer's product. The noise is what rounding has changed, in decibels below the
// weights; infinite where that is nothing.
struct LayerWeights {
  std::string layer;
  ElementType type = ElementType::f32;
  int64_t bytes_before = 0, bytes = 0;
  double signal_to_noise_db = 0;
  uint32_t row_bits = kWideRows;
  // Why they stay f32, as "gather reads them as data".
  std::string f32_because = {};
  bool is_fixed = false;  // no request makes them narrow
};
// Constants of fewer bytes that stay f32, such as biases, are not listed.
inline constexpr int64_t kMinListedBytes = 1024;

// "f16", "i8x8": with the bits of rows where those are fewer.
std::string TypeText(const LayerWeights& weights);
struct WeightsReport {
  std::vector<WeightsOfType> types;
  std::vector<LayerWeights> layers;
  // What became narrow before the program was there, without rounding.
  void Add(LayerWeights layer);
};

// i8 is for products and convolutions that gain from it (integer_weights.h), i4 for dense products
// and pointwise convolutions (conv_rows.h) among them; others become what they are without a
// request, and a layer that is named for one must have one. Without a request weights that were
// made from integers are those where the product gains from them. What is left alone: a product's
// constant that something else reads, too; where nothing is said of a layer, a kind of step whose
// weights would save less than its kernel for them takes; weights of products of levels, whose
// layers may be named (level_weights.h). A weight that is too great for its type, and a layer that
// has none, are faults. A matmul step by a constant becomes steps that read narrow weights if these
// need fewer bytes (constant_products.h).
WeightsReport NarrowWeights(Program& program, const Precisions& precisions, Faults& faults);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_NARROW_WEIGHTS_H_
