// SPDX-License-Identifier: Apache-2.0
// Rows of levels times weights of i8, as dense_q8.h has it: rows of a matrix, pixels of a map or patches
// of one.

#if defined(WEFT_KERNELS_MATRIX_ROWS_Q8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_ROWS_Q8_INL_H_
#undef WEFT_KERNELS_MATRIX_ROWS_Q8_INL_H_
#else
#define WEFT_KERNELS_MATRIX_ROWS_Q8_INL_H_
#endif

#include "kernels/matrix/results_q8-inl.h"
#include "kernels/matrix/sum_panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The result of row r and output n is element place + r * y_stride + n * y_output_stride of y.
struct RowsQ8 {
  ResultWriter results;
  const int8_t* weights;
  FactorsQ8 factors;
  void* y;
  size_t inputs = 0, outputs = 0;
  size_t x_stride = 0, y_stride = 0, y_output_stride = 0, start_stride = 0;
  size_t place = 0;
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if defined(WEFT_SUMS_NEIGHBOURS)
#include "kernels/matrix/rows_q8_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if !defined(WEFT_SUMS_NEIGHBOURS)  // else rows_q8_cortex_m-inl.h has it
// Rows that share weights.
inline constexpr size_t kRowsQ8 = kTileRows;

// kRows rows of x, to be those from `row` on. Strides along one row or one output lead nowhere and may be
// anything: no pointer is made of them.
template <size_t kRows>
WEFT_PART void RowsOfQ8(const RowsQ8& at, const int8_t* x, size_t row) {
  const size_t whole = at.inputs / kInputBlock * kInputBlock, rest = at.inputs - whole;
  int8_t tail[kRows * kInputBlock];
  if (rest != 0) {
    for (size_t r = 0; r < kRows; ++r) {
      const int8_t* const from = x + r * at.x_stride + whole;
      for (size_t i = 0; i < kInputBlock; ++i) {
        tail[r * kInputBlock + i] = i < rest ? from[i] : int8_t{0};
      }
    }
  }
  const NumberRows<int8_t> numbers = {x, at.x_stride, whole, rest != 0 ? tail : nullptr};
  const size_t panel_bytes = (rest != 0 ? whole + kInputBlock : whole) * kPanelOutputs;
  const int8_t* weights = at.weights;
  for (size_t first = 0; first < at.outputs; first += kPanelOutputs, weights += panel_bytes) {
    const size_t left = at.outputs - first, outputs = left < kPanelOutputs ? left : kPanelOutputs;
    FactorsQ8 factors = Behind(at.factors, first);
    alignas(kPanelOutputs * sizeof(int32_t)) int32_t sums[kRows * kPanelOutputs];
    SumPanel<kRows>(numbers, weights, sums);
    const float* const start = factors.start;
    for (size_t r = 0; r < kRows; ++r) {
      if (start != nullptr) factors.start = start + (row + r) * at.start_stride;
      at.results.Write(sums + r * kPanelOutputs, factors, outputs, at.y,
                       at.place + (row + r) * at.y_stride + first * at.y_output_stride,
                       at.y_output_stride);
    }
  }
}
#endif

HWY_INLINE void RunRowsQ8(const RowsQ8& at, const int8_t* x, size_t row, size_t count) {
  size_t done = 0;
  if constexpr (kRowsQ8 > 1) {
    for (; done + kRowsQ8 <= count; done += kRowsQ8) {
      RowsOfQ8<kRowsQ8>(at, x + done * at.x_stride, row + done);
    }
  }
  for (; done < count; ++done) RowsOfQ8<1>(at, x + done * at.x_stride, row + done);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_ROWS_Q8_INL_H_
