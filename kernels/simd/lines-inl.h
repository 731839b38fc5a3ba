// SPDX-License-Identifier: Apache-2.0
// Lines along the middle axis of [outer, axis, inner], processed in sixteen lanes. With inner 1 one
// line at a time, and its element i is in lane i % 16; otherwise up to 16 adjacent lines, one per
// lane.

#if defined(WEFT_KERNELS_SIMD_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_LINES_INL_H_
#undef WEFT_KERNELS_SIMD_LINES_INL_H_
#else
#define WEFT_KERNELS_SIMD_LINES_INL_H_
#endif

#include "kernels/simd/lanes16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A row is a vector of up to sixteen floats: row i has `LanesOf(i)` floats, starting at i * step.
struct Lines {
  size_t rows;
  size_t step;
  size_t lanes;
  size_t last_lanes;  // of the last row
  bool is_one;        // all lanes belong to one line

  HWY_INLINE size_t LanesOf(size_t row) const { return row + 1 < rows ? lanes : last_lanes; }
};

// The sum of a line, in each of its lanes.
HWY_INLINE Lanes16 SumOfLine(const Lines& lines, const LongSum& sum) {
  const Lanes16 total = TotalOf(sum);
  return lines.is_one ? SetLanes16(SumOf(total)) : total;
}

// Calls body(lines, at) for every group of lines; `at` is the offset of their first element.
template <class Body>
HWY_INLINE void ForLines(size_t outer, size_t axis, size_t inner, const Body& body) {
  const size_t plane = axis * inner;
  if (plane == 0) return;  // `outer` is unbounded in this case
  for (size_t at = 0; outer != 0; --outer, at += plane) {
    if (inner == 1) {
      const size_t rest = axis % 16;
      body(Lines{axis / 16 + (rest != 0), 16, 16, rest != 0 ? rest : 16, true}, at);
      continue;
    }
    for (size_t i = 0; i < inner; i += 16) {
      const size_t lanes = inner - i < 16 ? inner - i : 16;
      body(Lines{axis, inner, lanes, lanes, false}, at + i);
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_LINES_INL_H_
