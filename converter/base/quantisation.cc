// SPDX-License-Identifier: Apache-2.0
#include "converter/base/quantisation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weft {
namespace {

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

CodedFloats CodedFloats::Zeros(size_t count) {
  const std::vector<float> zeros(count);
  return {zeros, std::make_shared<const Quantisation>(Quantisation{zeros, zeros})};
}

CodedFloats CodedFloats::Part(size_t first, size_t count) const {
  return Arranged([&](const std::vector<float>& all) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(count));
  });
}

void CodedFloats::MultiplyBy(std::span<const float> factors) {
  if (quantisation == nullptr) {
    for (size_t i = 0; i < floats.size(); ++i) floats[i] *= factors[i];
    return;
  }
  Quantisation scaled = *quantisation;
  for (size_t i = 0; i < floats.size(); ++i) {
    scaled.scales[i] *= factors[i];
    floats[i] = scaled.codes[i] * scaled.scales[i];
  }
  quantisation = std::make_shared<const Quantisation>(std::move(scaled));
}

void CodedFloats::Append(const CodedFloats& more) {
  const auto joined = [](const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<float> both = a;
    both.insert(both.end(), b.begin(), b.end());
    return both;
  };
  if (floats.empty()) {
    *this = more;
    return;
  }
  const QuantisationPtr &a = quantisation, &b = more.quantisation;
  quantisation = a == nullptr || b == nullptr
                     ? nullptr
                     : std::make_shared<const Quantisation>(
                           Quantisation{joined(a->codes, b->codes), joined(a->scales, b->scales)});
  floats.insert(floats.end(), more.floats.begin(), more.floats.end());
}

QuantisationPtr QuantisationOf(std::span<const float> numbers, Quantisation quantisation) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float code = quantisation.codes[i];
    if (std::nearbyint(code) != code || std::fabs(code) > kMaxCode) return nullptr;
    if (code * quantisation.scales[i] != numbers[i]) return nullptr;
  }
  return std::make_shared<const Quantisation>(std::move(quantisation));
}

std::optional<IntegerGrid> GridOf(const Quantisation& row, IntegerRange range) {
  IntegerGrid grid;
  grid.integers.resize(row.codes.size());
  int32_t divisor = 0;
  bool has_zero = false;
  for (size_t i = 0; i < row.codes.size(); ++i) {
    has_zero = has_zero || row.codes[i] == 0;
    if (row.codes[i] == 0) continue;
    if (grid.scale != 0 && row.scales[i] != grid.scale) return std::nullopt;
    grid.scale = row.scales[i];
    divisor = std::gcd(divisor, static_cast<int32_t>(row.codes[i]));
  }
  if (grid.scale == 0) return grid;
  if (!std::isnormal(grid.scale)) return std::nullopt;
  // Fewer codes need fewer bits, as long as the larger scale gives the same numbers.
  const auto part = static_cast<float>(divisor);
  const float coarse = grid.scale * part;
  const auto is_kept = [&](float code) { return code / part * coarse == code * grid.scale; };
  if (std::ranges::all_of(row.codes, is_kept)) {
    grid.scale = coarse;
  } else {
    divisor = 1;
  }
  // The sign of the file's scale is kept if a code is 0, so that 0 * scale keeps its sign.
  const bool is_negative = grid.scale < 0;
  const auto [low, high] = std::ranges::minmax(row.codes);
  const auto min = static_cast<int32_t>(is_negative ? -high : low) / divisor;
  const auto largest = static_cast<int32_t>(is_negative ? -low : high) / divisor;
  const auto shift = ShiftInto(range, min, largest, is_negative && has_zero);
  if (!shift) return std::nullopt;
  const int32_t direction = shift->negated == is_negative ? 1 : -1;
  grid.scale *= static_cast<float>(direction);
  grid.offset = shift->offset;
  for (size_t i = 0; i < row.codes.size(); ++i) {
    const int32_t integer = static_cast<int32_t>(row.codes[i]) / divisor * direction;
    grid.integers[i] = static_cast<int8_t>(integer + shift->offset);
  }
  return grid;
}

}  // namespace weft
