// SPDX-License-Identifier: Apache-2.0
#include "converter/base/integer_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft {
namespace {

// numbers[i] = integers[i] * scale, without an offset.
struct Multiples {
  float scale = 0;
  std::vector<int32_t> integers;
};

// The product of an integer and a float is exact in double, so the result is rounded once.
float Multiple(int32_t integer, float scale) { return static_cast<float>(double{scale} * integer); }

// Computes the integers for multiples.scale. Returns false if a number is not a multiple. `max` is
// the maximum magnitude of an integer.
bool Fill(std::span<const float> numbers, int32_t max, Multiples& multiples) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double nearest = std::nearbyint(double{numbers[i]} / multiples.scale);
    if (std::fabs(nearest) > max) return false;
    multiples.integers[i] = static_cast<int32_t>(nearest);
    if (Multiple(multiples.integers[i], multiples.scale) != numbers[i]) return false;
  }
  return true;
}

// Finds the coarsest scale. The maximum magnitude is a rounded multiple of the scale, so three
// adjacent floats are candidates for each multiple.
bool FindMultiples(std::span<const float> numbers, float largest, int32_t max,
                   Multiples& multiples) {
  multiples.integers.resize(numbers.size());
  for (int32_t steps = 1; steps <= max; ++steps) {
    const auto middle = static_cast<float>(double{largest} / steps);
    for (const float scale :
         {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, largest)}) {
      if (scale < std::numeric_limits<float>::min()) return false;
      if (Multiple(steps, scale) != largest) continue;
      multiples.scale = scale;
      if (Fill(numbers, steps, multiples)) return true;
    }
  }
  return false;
}

struct Shift {
  bool negated = false;
  int32_t offset = 0;
};

// Finds a sign and an offset that move the integers into the range; nullopt if there are none.
std::optional<Shift> ShiftInto(IntegerRange range, int32_t min, int32_t largest,
                               bool prefers_negated) {
  std::optional<Shift> shift;
  for (const bool negated : {prefers_negated, !prefers_negated}) {
    const int32_t low = negated ? -largest : min, high = negated ? -min : largest;
    if (high - low > range.largest - range.min) return std::nullopt;
    int32_t offset = 0;
    if (high > range.largest) offset = range.largest - high;
    if (low < range.min) offset = range.min - low;
    if (offset == 0) return Shift{negated, 0};
    if (!shift) shift = {negated, offset};
  }
  return shift;
}

}  // namespace

std::optional<IntegerGrid> GridOf(std::span<const float> numbers, IntegerRange range) {
  float largest = 0;
  bool has_negative_zero = false;
  for (const float number : numbers) {
    if (!std::isfinite(number)) return std::nullopt;
    largest = std::max(largest, std::fabs(number));
    has_negative_zero = has_negative_zero || (number == 0 && std::signbit(number));
  }
  IntegerGrid grid;
  grid.integers.resize(numbers.size());
  if (largest == 0) return grid;
  Multiples multiples;
  if (!FindMultiples(numbers, largest, range.largest - range.min, multiples)) return std::nullopt;
  const auto [min, max] = std::ranges::minmax(multiples.integers);
  const auto shift = ShiftInto(range, min, max, has_negative_zero);
  if (!shift) return std::nullopt;
  grid.scale = shift->negated ? -multiples.scale : multiples.scale;
  grid.offset = shift->offset;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int32_t integer = shift->negated ? -multiples.integers[i] : multiples.integers[i];
    grid.integers[i] = static_cast<int8_t>(integer + shift->offset);
  }
  return grid;
}

}  // namespace weft
