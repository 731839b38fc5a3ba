// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_i8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/dense_i8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/rows_i8_quads-inl.h"
#include "kernels/matrix/sum_panel-inl.h"

#undef WEFT_RUNS_OUTPUTS
#if defined(WEFT_SUMS_NEIGHBOURS) && defined(__ARM_FEATURE_MVE)
#include "kernels/matrix/dense_i8_helium-inl.h"
#define WEFT_RUNS_OUTPUTS
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if defined(WEFT_RUNS_OUTPUTS)

// One row: several rows would share nothing.
template <size_t kRows>
HWY_NOINLINE void DenseI8Rows(const DenseI8Shape& shape, const DenseI8Operands& at, size_t row) {
  static_assert(kRows == 1, "several rows share no loads here");
  const auto padded = static_cast<size_t>(PaddedInputs(shape.inputs));
  int16_t* const q = at.scratch + row % kDenseI8Rows * padded;
  const bool are_bytes = AreBytes(shape);
  const float worth = are_bytes
                          ? IntegersOfRow(shape, at.x, row, padded, reinterpret_cast<int8_t*>(q))
                          : IntegersOfRow(shape, at.x, row, padded, q);
  const float* const start =
      at.start == nullptr ? nullptr : at.start + row * shape.start_row_stride;
  float* const y = at.y + row * shape.y_row_stride;
  OutputsOfRow of = {worth,      at.scales,
                     start,      y,
                     q,          kPanelOutputs * padded,
                     0,          q + (are_bytes ? padded / 2 : padded),
                     at.weights, are_bytes};
  RunOutputs(of, shape.outputs);
  ActivateRow(shape, y);
}

#else

// All outputs of quantised rows, kPanelsAtOnce panels at a time; starts may be null.
template <size_t kRows, typename Number>
HWY_INLINE void RunPanels(const DenseI8Shape& shape, const DenseI8Operands& at,
                          const NumberRows<Number>& numbers, const float* worth,
                          const float* starts, float* rows) {
  constexpr size_t kMax = kPanelsAtOnce * kPanelOutputs;
  const size_t panel_bytes = PackedDenseI8Bytes(kPanelOutputs, shape.inputs);
  const int8_t* weights = at.weights;
  for (size_t first = 0; first < shape.outputs; first += kMax) {
    const size_t left = shape.outputs - first, outputs = left < kMax ? left : kMax;
    alignas(kPanelOutputs * sizeof(int32_t)) int32_t sums[kRows * kMax];
    SumPanels<kRows>(numbers, weights, outputs, sums);
    for (size_t r = 0; r < kRows; ++r) {
      const float* start =
          starts == nullptr ? nullptr : starts + r * shape.start_row_stride + first;
      FinishPanel(sums + r * kMax, worth[r], at.scales + first, start, outputs,
                  rows + r * shape.y_row_stride + first);
    }
    weights += kPanelsAtOnce * panel_bytes;
  }
}

// RunPanels for int8.
template <size_t kRows>
HWY_INLINE void RunBytes(const DenseI8Shape& shape, const DenseI8Operands& at,
                         NumberRows<int8_t> numbers, const float* worth, const float* starts,
                         float* rows) {
#if defined(WEFT_TARGET_DOTS)
  int32_t biases[kRows];
  if (kFirstBias != 0) {
    BiasesOf<kRows>(numbers, biases);
    numbers.biases = biases;
  }
#endif
  RunPanels<kRows>(shape, at, numbers, worth, starts, rows);
}

// RunPanels for int16.
template <size_t kRows>
HWY_INLINE void RunShorts(const DenseI8Shape& shape, const DenseI8Operands& at, int16_t* shorts,
                          size_t padded, const float* worth, const float* starts, float* rows) {
  NumberRows<int16_t> numbers = {shorts, padded, padded, nullptr};
#if defined(WEFT_TARGET_DOTS) && HWY_ARCH_X86
  int32_t biases[kRows];
  if (HasDots()) {
    for (size_t r = 0; r < kRows; ++r) biases[r] = SplitRow(shorts + r * padded, padded);
    numbers.biases = biases;
  }
#endif
  RunPanels<kRows>(shape, at, numbers, worth, starts, rows);
}

// kRows rows from `row` on.
template <size_t kRows>
WEFT_PART void DenseI8Rows(const DenseI8Shape& shape, const DenseI8Operands& at, size_t row) {
  const auto padded = static_cast<size_t>(PaddedInputs(shape.inputs));
  // The address of a row's integers is the same on all targets.
  int16_t* const shorts = at.scratch + row % kDenseI8Rows * padded;
  auto* const bytes = reinterpret_cast<int8_t*>(shorts);
  const bool are_bytes = AreBytes(shape);
  float worth[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    worth[r] = are_bytes ? IntegersOfRow(shape, at.x, row + r, padded, bytes + r * padded)
                         : IntegersOfRow(shape, at.x, row + r, padded, shorts + r * padded);
  }
  const float* const starts =
      at.start == nullptr ? nullptr : at.start + row * shape.start_row_stride;
  float* const rows = at.y + row * shape.y_row_stride;
  if (are_bytes) {
    if constexpr (kMultipliesBytes) {
      RunBytes<kRows>(shape, at, {bytes, padded, padded, nullptr}, worth, starts, rows);
    }
  } else {
    RunShorts<kRows>(shape, at, shorts, padded, worth, starts, rows);
  }
  for (size_t r = 0; r < kRows; ++r) ActivateRow(shape, rows + r * shape.y_row_stride);
}

#endif

#if defined(WEFT_QUADS)
template <size_t kPlanes>
HWY_NOINLINE void ManyRows(const DenseI8Shape& shape, const DenseI8Operands& at) {
  PlaneRows<kPlanes> rows(shape, at.weights);
  for (size_t row = 0, some; row < shape.rows; row += some) {
    some = rows.ChunkOf(shape.rows - row);
    for (size_t r = 0; r < some; ++r) {
      const size_t position = (row + r) * shape.x_row_stride;
      rows.Read(shape.max != 0
                    ? static_cast<const void*>(static_cast<const float*>(at.x) + position)
                    : static_cast<const int16_t*>(at.x) + position,
                r);
    }
    const float* const start =
        at.start == nullptr ? nullptr : at.start + row * shape.start_row_stride;
    rows.Run(at.scales, start, at.y + row * shape.y_row_stride, some);
  }
}
#endif

void DenseI8(const DenseI8Shape& shape, const void* x, const int8_t* weights, const float* scales,
             const float* start, float* y, int16_t* scratch) {
  if (shape.outputs == 0) return;  // the rows are not bounded then
  const DenseI8Operands at = {x, weights, scales, start, y, scratch};
#if defined(WEFT_QUADS)
  if (RunsByPlanes(shape, shape.rows)) {
    return AreBytes(shape) ? ManyRows<1>(shape, at) : ManyRows<2>(shape, at);
  }
#endif
  size_t row = 0;
#if HWY_TARGET != HWY_SCALAR  // rows share loads there
  static_assert(kDenseI8Rows % kTileRows == 0, "scratch must hold complete tiles");
  for (; row + kTileRows <= shape.rows; row += kTileRows) {
    DenseI8Rows<kTileRows>(shape, at, row);
  }
  if constexpr (kTileRows > 2) {
    for (; row + 2 <= shape.rows; row += 2) DenseI8Rows<2>(shape, at, row);
  }
#endif
  for (; row < shape.rows; ++row) DenseI8Rows<1>(shape, at, row);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(DenseI8,
            (const DenseI8Shape& shape, const void* x, const int8_t* weights, const float* scales,
             const float* start, float* y, int16_t* scratch),
            (shape, x, weights, scales, start, y, scratch))
