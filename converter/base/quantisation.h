// SPDX-License-Identifier: Apache-2.0
// Floats together with the integers that they were computed from. Constants keep both from the
// reader to the packed weights of a product.
#ifndef WEFT_CONVERTER_BASE_QUANTISATION_H_
#define WEFT_CONVERTER_BASE_QUANTISATION_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace weft {

// number[i] == codes[i] * scales[i], rounded once. Codes are integers up to kMaxCode; a zero point
// is already subtracted. A code of 0 has any scale.
struct Quantisation {
  std::vector<float> codes, scales;
};
inline constexpr float kMaxCode = 255;
using QuantisationPtr = std::shared_ptr<const Quantisation>;

// Floats, and their quantisation, which is null if they have none.
struct CodedFloats {
  std::vector<float> floats;
  QuantisationPtr quantisation;

  CodedFloats() = default;
  CodedFloats(std::vector<float> all, QuantisationPtr of = nullptr)
      : floats(std::move(all)), quantisation(std::move(of)) {}
  CodedFloats(std::initializer_list<float> all) : floats(all) {}
  static CodedFloats Zeros(size_t count);

  // Returns the numbers in another order. `arrange` maps a vector to a vector; it only moves
  // elements and adds zeros.
  template <typename Arrange>
  CodedFloats Arranged(const Arrange& arrange) const {
    if (quantisation == nullptr) return arrange(floats);
    return {arrange(floats), std::make_shared<const Quantisation>(Quantisation{
                                 arrange(quantisation->codes), arrange(quantisation->scales)})};
  }
  CodedFloats Part(size_t first, size_t count) const;
  // Multiplies number i by factors[i]. Quantised numbers become codes times the new scales.
  void MultiplyBy(std::span<const float> factors);
  // The result is quantised if both are.
  void Append(const CodedFloats& more);
};

// Returns null if a number is not exactly its code times its scale.
QuantisationPtr QuantisationOf(std::span<const float> numbers, Quantisation quantisation);

struct IntegerRange {
  int32_t min = 0, largest = 0;
};
inline constexpr IntegerRange kRangeOfI8 = {-128, 127}, kRangeOfI4 = {-8, 7};

// number[i] == (integers[i] - offset) * scale, rounded once.
struct IntegerGrid {
  float scale = 0;  // may be negative; 0 if all numbers are 0
  int32_t offset = 0;
  std::vector<int8_t> integers;
};

// Returns quantised numbers as integers in `range` with one scale and one offset. The offset is 0
// unless the codes exceed the range with either sign of the scale. Returns nullopt if the scales
// differ, if the codes span more than the range, or if the scale is not a normal float.
std::optional<IntegerGrid> GridOf(const Quantisation& row, IntegerRange range = kRangeOfI8);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_QUANTISATION_H_
