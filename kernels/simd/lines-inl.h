// SPDX-License-Identifier: Apache-2.0
// The lines along the middle axis of [outer, axis, inner], as sixteen lanes take them: with inner 1
// one line at a time, whose element i goes to lane i % 16; else up to 16 lines that lie side by
// side, each in a lane of its own.

#if defined(WEFT_KERNELS_SIMD_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_LINES_INL_H_
#undef WEFT_KERNELS_SIMD_LINES_INL_H_
#else
#define WEFT_KERNELS_SIMD_LINES_INL_H_
#endif

#include "kernels/simd/lanes16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Row i is `LanesOf(i)` floats from i * step on.
struct Lines {
  size_t rows;
  size_t step;
  size_t lanes;
  size_t last_lanes;  // of the last row
  bool is_one;        // the lanes hold one line together

  HWY_INLINE size_t LanesOf(size_t row) const { return row + 1 < rows ? lanes : last_lanes; }
};

// The sum of a line in each of its lanes.
HWY_INLINE Lanes16 SumOfLine(const Lines& lines, const LongSum& sum) {
  const Lanes16 total = TotalOf(sum);
  return lines.is_one ? SetLanes16(SumOf(total)) : total;
}

// Calls body(lines, at) until every line has been met; `at` is where their first element lies.
template <class Body>
HWY_INLINE void ForLines(size_t outer, size_t axis, size_t inner, const Body& body) {
  const size_t plane = axis * inner;
  if (plane == 0) return;  // nothing bounds `outer` then
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
