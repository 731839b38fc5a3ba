// SPDX-License-Identifier: Apache-2.0
// One row of int16 values times int8 weights, for dense_q8_shorts and conv_q8_shorts.

#if defined(WEFT_KERNELS_MATRIX_ROW_OF_SHORTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_ROW_OF_SHORTS_INL_H_
#undef WEFT_KERNELS_MATRIX_ROW_OF_SHORTS_INL_H_
#else
#define WEFT_KERNELS_MATRIX_ROW_OF_SHORTS_INL_H_
#endif

#include "kernels/matrix/code_row-inl.h"
#include "kernels/matrix/dense_q8_shorts.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr int32_t kNoShorts[kPanelOutputs] = {};

// One panel of `outputs` outputs of a row of any length, in parts whose sums fit in 32 bits.
WEFT_PART void SumLongRow(const int16_t* x, size_t inputs, const int8_t* panel, size_t outputs,
                          int64_t* sums) {
  for (size_t n = 0; n < outputs; ++n) sums[n] = 0;
  const size_t width = PanelWidth(outputs);
  for (size_t k = 0; k < inputs; k += kMaxShortProducts) {
    const size_t left = inputs - k;
    CodeRow<int16_t> part(x + k, left < kMaxShortProducts ? left : kMaxShortProducts);
    part.Sum(panel + k * width, kNoShorts, outputs);
    for (size_t n = 0; n < outputs; ++n) sums[n] += part.sums()[n];
  }
}

// Writes all outputs of a row, `step` apart.
WEFT_PART void RunRowOfShorts(const int16_t* x, size_t inputs, const int8_t* weights,
                              const ShortResults& results, size_t outputs, int16_t* y,
                              size_t step) {
  const size_t panel_bytes = PackedDenseI8Bytes(kPanelOutputs, static_cast<uint32_t>(inputs));
  const bool is_long = inputs > kMaxShortProducts;
  CodeRow<int16_t> row(x, is_long ? 0 : inputs);
  int64_t sums[kPanelOutputs];
  for (size_t first = 0; first < outputs; first += kPanelOutputs, weights += panel_bytes) {
    const size_t left = outputs - first, count = left < kPanelOutputs ? left : kPanelOutputs;
    if (is_long) {
      SumLongRow(x, inputs, weights, count, sums);
    } else {
      row.Sum(weights, kNoShorts, count);
      for (size_t n = 0; n < count; ++n) sums[n] = row.sums()[n];
    }
    for (size_t n = 0; n < count; ++n) y[(first + n) * step] = results.Of(sums[n], first + n);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_ROW_OF_SHORTS_INL_H_
