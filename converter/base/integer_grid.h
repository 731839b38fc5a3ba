// SPDX-License-Identifier: Apache-2.0
// Finds the integers that floats were made of: numbers that are all whole multiples of one scale,
// as those of a row of compressed weights are once its chain of conversions is computed.
#ifndef WEFT_CONVERTER_BASE_INTEGER_GRID_H_
#define WEFT_CONVERTER_BASE_INTEGER_GRID_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weft {

struct IntegerRange {
  int32_t least = 0, greatest = 0;
};
inline constexpr IntegerRange kRangeOfI8 = {-128, 127}, kRangeOfI4 = {-8, 7};

// number[i] == f32((integers[i] - offset) * scale), the product rounded once.
struct IntegerGrid {
  float scale = 0;  // of either sign; 0 where all numbers are
  int32_t offset = 0;
  std::vector<int8_t> integers;
};

// The grid of the fewest steps that holds every number exactly, with integers within `range`. An
// offset only where they need one: with either sign of the scale, differences of more than the
// range has. Where there is a -0 the scale is negative if it can be, so that 0 * scale is that.
// None where a number is an infinity or a NaN, or the scale would be subnormal.
std::optional<IntegerGrid> GridOf(std::span<const float> numbers, IntegerRange range = kRangeOfI8);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_INTEGER_GRID_H_
