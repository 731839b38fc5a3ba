// SPDX-License-Identifier: Apache-2.0
// Copies of lines of a map as first factors of dot products (dots-inl.h), with their padding, so
// that no tap is outside of a line.

#if defined(WEFT_KERNELS_MATRIX_FACTOR_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_FACTOR_LINES_INL_H_
#undef WEFT_KERNELS_MATRIX_FACTOR_LINES_INL_H_
#else
#define WEFT_KERNELS_MATRIX_FACTOR_LINES_INL_H_
#endif

#include "kernels/matrix/window.h"
#include "kernels/simd/bytes-inl.h"
#include "kernels/simd/dots-inl.h"

#if defined(WEFT_TARGET_DOTS)
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Copies numbers as first factors. Up to a vector after the end of `to` may be written.
HWY_INLINE void CopyFactors(int8_t* to, const int8_t* from, size_t count) {
  const DotBytes bytes;
  constexpr size_t kBytes = HWY_MAX_LANES_D(DotBytes);
  size_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    hn::StoreU(FirstFactors(hn::LoadU(bytes, from + i)), bytes, to + i);
  }
  if (i < count) hn::StoreU(FirstFactors(hn::LoadN(bytes, from + i, count - i)), bytes, to + i);
}

// A line: the pixels of one row of x from `first` on, which is negative for the padding before it.
// `channels` of each pixel are copied, `pitch` bytes apart.
struct FactorLine {
  int64_t first;
  size_t pixels, channels, pitch;
};

// Copies a row of x, or padding if x has no such row. Up to a vector after the line may be written.
HWY_INLINE void CopyLine(const WindowShape& shape, const int8_t* x, int8_t x_zero,
                         const FactorLine& line, int64_t row, int8_t* to) {
  const auto padding = static_cast<int8_t>(static_cast<uint8_t>(x_zero) ^ kFirstBias);
  const int64_t end = line.first + static_cast<int64_t>(line.pixels);
  const int64_t width = shape.in_width;
  const int64_t from = HWY_MAX(line.first, int64_t{0}), until = HWY_MIN(end, width);
  if (row < 0 || row >= int64_t{shape.in_height} || from >= until) {
    return FillBytes(to, line.pixels * line.pitch, padding);
  }
  const auto bytes = [&line](int64_t pixels) { return static_cast<size_t>(pixels) * line.pitch; };
  FillBytes(to, bytes(from - line.first), padding);
  to += bytes(from - line.first);
  // The stride of an axis of length 1 may have any value.
  if (row != 0) x += static_cast<size_t>(row) * shape.x.row;
  if (from != 0) x += static_cast<size_t>(from) * shape.x.pixel;
  if (line.channels == line.pitch && (shape.x.pixel == line.pitch || until - from == 1)) {
    CopyFactors(to, x, bytes(until - from));
    to += bytes(until - from);
  } else {
    for (int64_t i = from; i < until; ++i, to += line.pitch) {
      CopyFactors(to, x + static_cast<size_t>(i - from) * shape.x.pixel, line.channels);
    }
  }
  FillBytes(to, bytes(end - until), padding);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_MATRIX_FACTOR_LINES_INL_H_
