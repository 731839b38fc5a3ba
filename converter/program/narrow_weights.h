// SPDX-License-Identifier: Apache-2.0
// Narrows the weights of products: to a type of fewer bits that the kernels widen while reading, or
// to integers (integer_weights.h) that are multiplied as integers.
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

namespace weft::program {

// The type of a row in weight_encodings.h. With i4, `group` inputs share a scale for
// each output. With i8, `row_bits` is the number of bits to which input rows are quantised, or 32
// if they stay f32; weights that are 4-bit integers in the file always use 16.
struct WeightType {
  ElementType type = ElementType::f32;
  uint32_t group = 0;
  uint32_t row_bits = kWideRows;

  WeightType(ElementType element, uint32_t inputs = 0, uint32_t bits = kWideRows)
      : type(element), group(inputs), row_bits(bits) {}
  bool operator==(const WeightType&) const = default;
};
// nullopt: the integers of at most 8 bits that the weights were derived from; otherwise the type of
// fewest bits that holds every weight exactly: i8 with f32 rows for large weights, f16 or f32.
using Precision = std::optional<WeightType>;
inline std::optional<ElementType> TypeOf(const Precision& precision) {
  return precision ? std::optional(precision->type) : std::nullopt;
}
// Returns true for int8 weights that products widen to floats.
inline bool IsScaled(const WeightType& type) {
  return type.type == ElementType::i8 && type.row_bits == kFloatRows;
}
inline bool IsScaled(const Precision& precision) { return precision && IsScaled(*precision); }
// Returns true if products multiply such weights as integers.
bool IsInteger(const WeightType& type);

// Returns the type of an option value: "auto", "f32", "f16", "i8x8", "i4:32" ...; nullopt for an
// unknown name.
std::optional<Precision> PrecisionOf(std::string_view name);
// Returns all names: "auto, f32, f16 ...".
std::string PrecisionNames();

struct IntegerCosts;  // integer_costs.h

// Requested types: one for all layers, with exceptions.
struct Precisions {
  Precision all;
  std::map<std::string, Precision> layers;  // exceptions, by the name of the layer
  // Large weights become i8x32 without a request if this is exact. False for targets on which
  // widening a code costs more than reading a float.
  bool keeps_scaled = true;
  // Layers that integer weights would make slower on the target stay f32, unless they are named;
  // null if integers are used wherever they are requested.
  const IntegerCosts* costs = nullptr;
  Precision Of(const std::string& layer) const {
    const auto exception = layers.find(layer);
    return exception == layers.end() ? all : exception->second;
  }
};

// Total weights of all products that became one type.
struct WeightsOfType {
  ElementType type = ElementType::f32;
  bool is_rounded = false;  // some weights changed
  int64_t bytes = 0;
};

// Weights of a layer's product. The ratio of weight power to rounding noise power is in decibels;
// infinite if rounding changed nothing.
struct LayerWeights {
  std::string layer;
  ElementType type = ElementType::f32;
  int64_t bytes_before = 0, bytes = 0;
  double signal_to_noise_db = 0;
  uint32_t row_bits = kWideRows;
  // Why they stay f32, for example "gather reads them as data".
  std::string f32_because = {};
  bool is_fixed = false;  // no request makes them narrow
  uint32_t group = 0;     // with i4: inputs that share a scale, if --precision sets them; else 0
};
// Smaller constants that stay f32, such as biases, are not listed.
inline constexpr int64_t kMinListedBytes = 1024;

// Returns the name that --precision has for the type: "f16", "i8x8", "i4:32". i4 weights that keep
// the groups of the file are "i4".
std::string TypeText(const LayerWeights& weights);
// Result of NarrowWeights, for reports: by type and by layer.
struct WeightsReport {
  std::vector<WeightsOfType> types;
  std::vector<LayerWeights> layers;
  // Adds weights that became narrow, without rounding, before the program was lowered.
  void Add(LayerWeights layer);
};

// Narrows the weights of all products as `precisions` requests. i8 is used for products and
// convolutions that gain from it (integer_weights.h), i4 for dense products and pointwise
// convolutions (conv_rows.h) among them. Other products become what they are without a request; it
// is an error to name such a layer for i8 or i4. Without a request, weights derived from integers
// keep these integers if the product gains from them.
//
// Unchanged are constants of a product that other steps read as well, and weights of quantised
// products, whose layers may be named (quantised_weights.h). A request of i8 or i8x8 for all
// layers leaves those out that it would make slower (Precisions::costs). Integers of the file are
// left out only where a convolution of f32 data would be slower. Without a request, a kind of step
// stays f32 if its narrow weights would save less than their kernel needs. A weight that is too
// large for its type and a named layer without weights are errors. A matmul step by a constant
// becomes steps that read narrow weights if these need fewer bytes (constant_products.h).
WeightsReport NarrowWeights(Program& program, const Precisions& precisions, Faults& faults);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_NARROW_WEIGHTS_H_
