// SPDX-License-Identifier: Apache-2.0
// Rows of integers and their results, as dense_i8.h defines them. Internal to the steps that
// multiply such rows with int8 weights.

#if defined(WEFT_KERNELS_MATRIX_ROWS_I8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_ROWS_I8_INL_H_
#undef WEFT_KERNELS_MATRIX_ROWS_I8_INL_H_
#else
#define WEFT_KERNELS_MATRIX_ROWS_I8_INL_H_
#endif

#include "kernels/elementwise/activation-inl.h"
#include "kernels/matrix/dense_i8.h"
#include "kernels/matrix/integer_rows-inl.h"
#include "kernels/matrix/sum_panel-inl.h"
#include "kernels/simd/dots-inl.h"
#include "kernels/simd/vector-inl.h"

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

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_ROWS_I8_INL_H_
