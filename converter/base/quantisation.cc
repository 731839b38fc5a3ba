// SPDX-License-Identifier: Apache-2.0
#include "converter/base/quantisation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace weft {
namespace {

constexpr int kMaxLaneTries = 16;

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

// Returns how many consecutive lines of `lanes` numbers are equal everywhere; 1 if neighbours
// differ.
size_t RepeatOf(std::span<const float> all, size_t lanes) {
  size_t repeat = all.size() / lanes;
  if (repeat <= 1) return repeat;
  for (auto at = all.begin() + static_cast<std::ptrdiff_t>(lanes); repeat > 1;) {
    at = std::mismatch(at, all.end(), at - static_cast<std::ptrdiff_t>(lanes)).first;
    if (at == all.end()) break;
    const size_t line = static_cast<size_t>(at - all.begin()) / lanes;
    repeat = std::gcd(repeat, line);
    at = all.begin() + static_cast<std::ptrdiff_t>((line + 1) * lanes);
  }
  return repeat;
}

// Returns true if each number is a code times the scale that `scale_at` returns for it.
template <typename ScaleAt>
bool AreCodes(std::span<const float> numbers, const ScaleAt& scale_at) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float scale = scale_at(i), code = CodeOf(numbers[i], scale);
    if (!(std::fabs(code) <= kMaxCode) || code * scale != numbers[i]) return false;
  }
  return true;
}

}  // namespace

Quantisation::Quantisation(std::vector<float> scales) : values_(std::move(scales)) {
  // Lines of one scale, else of the shortest length after which the first line recurs.
  const std::span<const float> all = values_;
  repeat_ = std::max<size_t>(RepeatOf(all, 1), 1);
  int tries = kMaxLaneTries;
  for (size_t lanes = 2; repeat_ == 1 && tries > 0 && lanes <= all.size() / 2; ++lanes) {
    if (all[lanes] != all[0] || all.size() % lanes != 0) continue;
    repeat_ = RepeatOf(all, lanes);
    if (repeat_ > 1) lanes_ = lanes;
    --tries;
  }
  if (repeat_ == 1) return;
  std::vector<float> lines;
  lines.reserve(all.size() / repeat_);
  for (size_t at = 0; at < all.size(); at += lanes_ * repeat_) {
    lines.insert(lines.end(), all.begin() + at, all.begin() + at + lanes_);
  }
  values_ = std::move(lines);
}

std::vector<float> Quantisation::scales() const {
  std::vector<float> all;
  all.reserve(count());
  for (auto line = values_.begin(); line != values_.end(); line += lanes_) {
    if (lanes_ == 1) {
      all.insert(all.end(), repeat_, *line);
      continue;
    }
    for (size_t i = 0; i < repeat_; ++i) all.insert(all.end(), line, line + lanes_);
  }
  return all;
}

CodedFloats CodedFloats::Zeros(size_t count) {
  return {std::vector<float>(count), std::make_shared<const Quantisation>(0.0f, count)};
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
  std::vector<float> scales = quantisation->scales();
  for (size_t i = 0; i < floats.size(); ++i) {
    const float code = CodeOf(floats[i], scales[i]);
    scales[i] *= factors[i];
    floats[i] = code * scales[i];
  }
  quantisation = std::make_shared<const Quantisation>(std::move(scales));
}

void CodedFloats::Append(const CodedFloats& more) {
  if (floats.empty()) {
    *this = more;
    return;
  }
  if (quantisation != nullptr && more.quantisation != nullptr) {
    std::vector<float> scales = quantisation->scales();
    std::ranges::copy(more.quantisation->scales(), std::back_inserter(scales));
    quantisation = std::make_shared<const Quantisation>(std::move(scales));
  } else {
    quantisation = nullptr;
  }
  floats.insert(floats.end(), more.floats.begin(), more.floats.end());
}

QuantisationPtr QuantisationOf(std::span<const float> numbers, std::vector<float> scales) {
  if (!AreCodes(numbers, [&](size_t i) { return scales[i]; })) return nullptr;
  return std::make_shared<const Quantisation>(std::move(scales));
}

QuantisationPtr QuantisationOf(std::span<const float> numbers, float scale) {
  if (!AreCodes(numbers, [&](size_t /*i*/) { return scale; })) return nullptr;
  return std::make_shared<const Quantisation>(scale, numbers.size());
}

std::optional<IntegerGrid> GridOf(std::span<const float> numbers, std::span<const float> scales,
                                  IntegerRange range) {
  IntegerGrid grid;
  grid.integers.resize(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == 0) continue;
    if (grid.scale != 0 && scales[i] != grid.scale) return std::nullopt;
    grid.scale = scales[i];
  }
  if (grid.scale == 0) return grid;
  if (!std::isnormal(grid.scale)) return std::nullopt;
  std::vector<int32_t> codes(numbers.size());
  int32_t divisor = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<int32_t>(CodeOf(numbers[i], grid.scale));
    if (divisor != 1) divisor = std::gcd(divisor, codes[i]);
  }
  // Fewer codes need fewer bits, as long as the larger scale gives the same numbers.
  const float coarse = grid.scale * static_cast<float>(divisor);
  const auto is_kept = [&](int32_t code) {
    return static_cast<float>(code / divisor) * coarse == static_cast<float>(code) * grid.scale;
  };
  if (divisor > 1 && std::ranges::all_of(codes, is_kept)) {
    grid.scale = coarse;
    for (int32_t& code : codes) code /= divisor;
  }
  // The sign of the file's scale is kept if a code is 0, so that 0 * scale keeps its sign.
  const bool is_negative = grid.scale < 0;
  const auto [low, high] = std::ranges::minmax(codes);
  const bool has_zero = std::ranges::find(codes, 0) != codes.end();
  const auto shift = ShiftInto(range, is_negative ? -high : low, is_negative ? -low : high,
                               is_negative && has_zero);
  if (!shift) return std::nullopt;
  const int32_t direction = shift->negated == is_negative ? 1 : -1;
  grid.scale *= static_cast<float>(direction);
  grid.offset = shift->offset;
  for (size_t i = 0; i < codes.size(); ++i) {
    grid.integers[i] = static_cast<int8_t>(codes[i] * direction + shift->offset);
  }
  return grid;
}

}  // namespace weft
