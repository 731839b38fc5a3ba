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

inline constexpr float kMaxCode = 255;

// Returns true if steps that convert codes accept the number as a scale, and so its inverse.
constexpr bool IsScale(double scale) { return scale >= 0x1p-100 && scale <= 0x1p100; }

// The scales of floats that are code * scale, rounded once. Codes are integers up to kMaxCode; a
// zero point is already subtracted. A number of 0 has any scale. Codes are not stored, because a
// number and its scale determine the code.
class Quantisation {
 public:
  // One scale for all `count` numbers.
  Quantisation(float scale, size_t count) : values_{scale}, repeat_(count) {}
  // One scale for each number. Scales that axes of the numbers share are stored once.
  explicit Quantisation(std::vector<float> scales);

  size_t count() const { return values_.size() * repeat_; }
  size_t stored() const { return values_.size(); }  // number of scales in memory
  std::vector<float> scales() const;                // one for each number

 private:
  // Lines of `lanes_` scales; each line is that of `repeat_` consecutive lines of numbers.
  std::vector<float> values_;
  size_t lanes_ = 1, repeat_ = 1;
};
using QuantisationPtr = std::shared_ptr<const Quantisation>;

// Returns number / scale, rounded to an integer.
inline float CodeOf(float number, float scale) {
  constexpr float kToInteger = 0x1.8p23f;  // the sum has no bits of less than 1
  return number == 0 ? 0 : number / scale + kToInteger - kToInteger;
}

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
    return {arrange(floats), std::make_shared<const Quantisation>(arrange(quantisation->scales()))};
  }
  CodedFloats Part(size_t first, size_t count) const;
  // Multiplies number i by factors[i]. Quantised numbers become codes times the new scales.
  void MultiplyBy(std::span<const float> factors);
  // The result is quantised if both are.
  void Append(const CodedFloats& more);
};

// Returns null if a number is not a code times its scale.
QuantisationPtr QuantisationOf(std::span<const float> numbers, std::vector<float> scales);
QuantisationPtr QuantisationOf(std::span<const float> numbers, float scale);

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
std::optional<IntegerGrid> GridOf(std::span<const float> numbers, std::span<const float> scales,
                                  IntegerRange range = kRangeOfI8);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_QUANTISATION_H_
