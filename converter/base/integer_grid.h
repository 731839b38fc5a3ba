// SPDX-License-Identifier: Apache-2.0
// Recovers quantised integers from floats that are all integer multiples of one scale, such as a
// row of compressed weights after its dequantisation was folded.
#ifndef WEFT_CONVERTER_BASE_INTEGER_GRID_H_
#define WEFT_CONVERTER_BASE_INTEGER_GRID_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weft {

struct IntegerRange {
  int32_t min = 0, largest = 0;
};
inline constexpr IntegerRange kRangeOfI8 = {-128, 127}, kRangeOfI4 = {-8, 7};

// number[i] == f32((integers[i] - offset) * scale), the product rounded once.
struct IntegerGrid {
  float scale = 0;  // may be negative; 0 if all numbers are 0
  int32_t offset = 0;
  std::vector<int8_t> integers;
};

// Returns the coarsest grid that represents every number exactly with integers in `range`. The
// offset is 0 unless the integers would exceed the range with either sign of the scale. If a number
// is -0 and the range allows it, the scale is negative, so that 0 * scale is -0. Returns
// nullopt if there is no such grid, if a number is infinite or NaN, or if the scale would be
// subnormal.
std::optional<IntegerGrid> GridOf(std::span<const float> numbers, IntegerRange range = kRangeOfI8);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_INTEGER_GRID_H_
