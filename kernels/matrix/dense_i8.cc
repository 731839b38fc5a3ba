// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_i8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/dense_i8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/matrix/sum_panel-inl.h"
#include "kernels/simd/vector-inl.h"

#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_FMA) && defined(__ARM_ARCH_PROFILE) && \
    __ARM_ARCH_PROFILE == 'M' && !defined(__ARM_FEATURE_MVE)
#include "kernels/matrix/finish_panel_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr uint32_t kMagnitude = 0x7FFFFFFF, kInfinite = 0x7F800000;
inline constexpr uint32_t kLeastRow = (127 - 100) << 23;  // 2^-100
// Its unit is 1: a sum with it holds a small number as the nearest integer, halves to the even one.
inline constexpr float kRounder = 0x1.8p23f;

#if HWY_TARGET == HWY_SCALAR

// In plain C, which compilers keep in registers there and make Helium of; elsewhere four numbers a turn.
#undef WEFT_FOUR_A_TURN
#if defined(__ARM_FEATURE_MVE)
#define WEFT_FOUR_A_TURN
#else
#define WEFT_FOUR_A_TURN HWY_UNROLL(4)
#endif

HWY_INLINE uint32_t BitsOfNumber(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

// The bits of the greatest magnitude, which order magnitudes, infinities and NaNs.
WEFT_PART uint32_t GreatestBits(const float* x, size_t count) {
  uint32_t greatest = 0;
  WEFT_FOUR_A_TURN
  for (size_t i = 0; i < count; ++i) {
    const uint32_t bits = BitsOfNumber(x[i]) << 1;
    greatest = bits > greatest ? bits : greatest;
  }
  return greatest >> 1;
}

// q = x * factor, rounded; zeros from `count` up to `padded`. The lower half of the sum with the
// rounder is the integer.
WEFT_PART void RoundRow(const float* x, float factor, size_t count, size_t padded, int16_t* q) {
  WEFT_FOUR_A_TURN
  for (size_t i = 0; i < count; ++i) {
    q[i] = static_cast<int16_t>(BitsOfNumber(x[i] * factor + kRounder));
  }
  for (size_t i = count; i < padded; ++i) q[i] = 0;
}

#ifndef WEFT_EIGHT_TO_FLOATS
WEFT_PART void FinishPanelFrom(const int32_t* sums, float worth, const float* scales,
                               const float* start, size_t outputs, float* y) {
  WEFT_NO_LOOP_DEPENDENCE
  WEFT_FOUR_A_TURN
  for (size_t i = 0; i < outputs; ++i) {
    y[i] = static_cast<float>(sums[i]) * worth * scales[i] + start[i];
  }
}
#endif

// One row of a panel from its sums; start may be null.
HWY_INLINE void FinishPanel(const int32_t* sums, float worth, const float* scales,
                            const float* start, size_t outputs, float* y) {
  static constexpr float kZeros[kPanelOutputs] = {};
  FinishPanelFrom(sums, worth, scales, start == nullptr ? kZeros : start, outputs, y);
}

#else

// The bits of the greatest magnitude, which order magnitudes, infinities and NaNs.
WEFT_PART uint32_t GreatestBits(const float* x, size_t count) {
  IntVec greatest = SetInt(0);
  const IntVec mask = SetInt(static_cast<int32_t>(kMagnitude));
  ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR {
    const IntVec bits = hn::BitCast(IntTag(), LoadFirst(x + i, lanes));
    greatest = hn::Max(greatest, hn::And(bits, mask));
  });
  return static_cast<uint32_t>(hn::ReduceMax(IntTag(), greatest));
}

// q = x * factor, rounded; zeros from `count` up to `padded`.
WEFT_PART void RoundRow(const float* x, float factor, size_t count, size_t padded, int16_t* q) {
  const FloatVec factors = Set(factor), rounder = Set(kRounder);
  const IntVec rounder_bits = hn::BitCast(IntTag(), rounder);
  const hn::Rebind<int16_t, FloatTag> shorts;
  ForVectors(padded, [&](size_t i, size_t lanes) HWY_ATTR {
    (void)lanes;  // `padded` is whole vectors
    const size_t left = i < count ? count - i : 0;
    const FloatVec numbers = LoadFirst(x + i, left < kLanes ? left : kLanes);
    const FloatVec rounded = hn::Add(hn::Mul(numbers, factors), rounder);
    const IntVec integers = hn::Sub(hn::BitCast(IntTag(), rounded), rounder_bits);
    hn::StoreU(hn::DemoteTo(shorts, integers), shorts, q + i);
  });
}

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

// A row of x as integers; returns what one of them is worth.
HWY_INLINE float QuantizeRow(const float* x, size_t count, size_t padded, float most, int16_t* q) {
  const uint32_t bits = GreatestBits(x, count);
  if (bits < kLeastRow || bits >= kInfinite) {
    for (size_t i = 0; i < padded; ++i) q[i] = 0;
    return bits < kInfinite ? 0.0f : __builtin_nanf("");
  }
  float greatest;
  __builtin_memcpy(&greatest, &bits, sizeof greatest);
  RoundRow(x, most / greatest, count, padded, q);
  return greatest / most;
}

struct DenseI8Operands {
  const float* x;
  const int8_t* weights;
  const float* scales;
  const float* start;
  float* y;
  int16_t* scratch;
};

// kRows rows from `row` on.
template <size_t kRows>
WEFT_PART void DenseI8Rows(const DenseI8Shape& shape, const DenseI8Operands& at, size_t row) {
  const auto padded = static_cast<size_t>(PaddedInputs(shape.inputs));
  // Where a row's integers stand depends on no target.
  int16_t* const scratch = at.scratch + row % kDenseI8Rows * padded;
  float worth[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    // A stride that leads to no row may be anything.
    const float* x = shape.inputs == 0 ? at.x : at.x + (row + r) * shape.x_row_stride;
    worth[r] =
        QuantizeRow(x, shape.inputs, padded, static_cast<float>(shape.most), scratch + r * padded);
  }
  const int8_t* weights = at.weights;
  const float* const starts =
      at.start == nullptr ? nullptr : at.start + row * shape.start_row_stride;
  float* const rows = at.y + row * shape.y_row_stride;
  for (size_t first = 0; first < shape.outputs; first += kPanelOutputs) {
    const size_t left = shape.outputs - first,
                 outputs = left < kPanelOutputs ? left : kPanelOutputs;
    alignas(kPanelOutputs * sizeof(int32_t)) int32_t sums[kRows * kPanelOutputs];
    SumPanel<kRows>(NumberRows<int16_t>{scratch, padded, padded, nullptr}, weights, sums);
    weights += kPanelOutputs * padded;
    for (size_t r = 0; r < kRows; ++r) {
      const float* start =
          starts == nullptr ? nullptr : starts + r * shape.start_row_stride + first;
      FinishPanel(sums + r * kPanelOutputs, worth[r], at.scales + first, start, outputs,
                  rows + r * shape.y_row_stride + first);
    }
  }
  if (IsPlain(shape.activation)) return;
  for (size_t r = 0; r < kRows; ++r) {
    float* y = rows + r * shape.y_row_stride;
    ActivateSpan(shape.activation, y, y, shape.outputs);
  }
}

void DenseI8(const DenseI8Shape& shape, const float* x, const int8_t* weights, const float* scales,
             const float* start, float* y, int16_t* scratch) {
  if (shape.outputs == 0) return;  // nothing bounds the rows then
  const DenseI8Operands at = {x, weights, scales, start, y, scratch};
  size_t row = 0;
#if HWY_TARGET != HWY_SCALAR  // where rows share what they load
  static_assert(kDenseI8Rows % kTileRows == 0, "scratch has room for a tile");
  for (; row + kTileRows <= shape.rows; row += kTileRows) {
    DenseI8Rows<kTileRows>(shape, at, row);
  }
#endif
  for (; row < shape.rows; ++row) DenseI8Rows<1>(shape, at, row);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(DenseI8);

void DenseI8(const DenseI8Shape& shape, const float* x, const int8_t* weights, const float* scales,
             const float* start, float* y, int16_t* scratch) {
  HWY_DYNAMIC_DISPATCH(DenseI8)(shape, x, weights, scales, start, y, scratch);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
