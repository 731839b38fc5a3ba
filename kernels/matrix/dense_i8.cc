// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_i8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/dense_i8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/matrix/integer_rows-inl.h"
#include "kernels/matrix/sum_panel-inl.h"
#include "kernels/simd/vector-inl.h"

#undef WEFT_RUNS_OUTPUTS
#if defined(WEFT_SUMS_NEIGHBOURS) && defined(__ARM_FEATURE_MVE)
#include "kernels/matrix/dense_i8_helium-inl.h"
#define WEFT_RUNS_OUTPUTS
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

struct DenseI8Operands {
  const void* x;
  const int8_t* weights;
  const float* scales;
  const float* start;
  float* y;
  int16_t* scratch;
};

// Multiplying int8 is faster than int16 with Helium and with the instructions of dots.h, and on no
// other target.
#if defined(WEFT_TARGET_DOTS)
inline constexpr bool kMultipliesBytes = true;
HWY_INLINE bool AreBytes(const DenseI8Shape& shape) { return shape.max == kMinMax && HasDots(); }
#elif HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE)
inline constexpr bool kMultipliesBytes = true;
HWY_INLINE bool AreBytes(const DenseI8Shape& shape) { return shape.max == kMinMax; }
#else
inline constexpr bool kMultipliesBytes = false;
HWY_INLINE bool AreBytes(const DenseI8Shape&) { return false; }
#endif

// Converts row `row` of x to integers. Returns the value of integer 1.
template <typename Number>
HWY_INLINE float IntegersOfRow(const DenseI8Shape& shape, const void* x, size_t row, size_t padded,
                               Number* q) {
  // The stride after the last row may have any value.
  const size_t position = shape.inputs == 0 ? 0 : row * shape.x_row_stride;
  if (sizeof(Number) == sizeof(int8_t) || shape.max != 0) {
    return QuantizeRow(static_cast<const float*>(x) + position, shape.inputs, padded,
                       static_cast<float>(shape.max), q);
  }
  const int16_t* const from = static_cast<const int16_t*>(x) + position;
  for (size_t i = 0; i < padded; ++i) {
    q[PositionInRow(i)] = static_cast<Number>(i < shape.inputs ? from[i] : 0);
  }
  return 1.0f;
}

// Applies the activation to the outputs of a row, which begin at y.
HWY_INLINE void ActivateRow(const DenseI8Shape& shape, float* y) {
  if (!IsPlain(shape.activation)) ActivateSpan(shape.activation, y, y, shape.outputs);
}

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

#if HWY_TARGET == HWY_SCALAR

// One row of a panel from its sums; start may be null.
WEFT_PART void FinishPanel(const int32_t* sums, float worth, const float* scales,
                           const float* start, size_t outputs, float* y) {
  size_t i = 0;
#if defined(WEFT_ROUNDS_EIGHTS)
  i = FinishEights(sums, worth, scales, start, outputs, y);
#else
  WEFT_FOUR_AN_ITERATION
#endif
  for (; i < outputs; ++i) {
    const float begun = start == nullptr ? 0.0f : start[i];
    y[i] = static_cast<float>(sums[i]) * worth * scales[i] + begun;
  }
}

#else

// One row of a panel from its sums; start may be null.
WEFT_PART void FinishPanel(const int32_t* sums, float worth, const float* scales,
                           const float* start, size_t outputs, float* y) {
  ForVectors(outputs, [&](size_t i, size_t lanes) HWY_ATTR {
    const FloatVec numbers = hn::ConvertTo(FloatTag(), hn::LoadU(IntTag(), sums + i));
    const FloatVec scaled = hn::Mul(hn::Mul(numbers, Set(worth)), Load(scales + i));
    const FloatVec begun = start == nullptr ? Set(0.0f) : LoadFirst(start + i, lanes);
    StoreFirst(hn::Add(scaled, begun), y + i, lanes);
  });
}

#endif

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

void DenseI8(const DenseI8Shape& shape, const void* x, const int8_t* weights, const float* scales,
             const float* start, float* y, int16_t* scratch) {
  if (shape.outputs == 0) return;  // the rows are not bounded then
  const DenseI8Operands at = {x, weights, scales, start, y, scratch};
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

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(DenseI8);

void DenseI8(const DenseI8Shape& shape, const void* x, const int8_t* weights, const float* scales,
             const float* start, float* y, int16_t* scratch) {
  HWY_DYNAMIC_DISPATCH(DenseI8)(shape, x, weights, scales, start, y, scratch);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
