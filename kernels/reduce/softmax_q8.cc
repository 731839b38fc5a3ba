// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/softmax_q8.h"

#include <cstddef>

#include "kernels/simd/fixed_point.h"

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

namespace weft::kernels {
namespace {

// Number of bits before the point: of differences and of the sum.
constexpr int32_t kDifferenceBits = 5, kSumBits = 12;

// Shared by the elements of a row.
struct RowNumbers {
  int32_t max;
  int32_t limit;  // the lowest difference from the maximum that counts: -31 in Q5
  int32_t reciprocal, shift;
};

#if defined(__ARM_FEATURE_MVE)

// ExpOfNegative of four numbers in Q5. Numbers that are shifted to the right are not negative, so
// that VRSHL rounds halves away from zero.
int32x4_t Exponentials(int32x4_t a) {
  constexpr int32_t kQuarterBit = 29 - kDifferenceBits, kQuarter = 1 << kQuarterBit;
  const int32x4_t part = vsubq_n_s32(vandq_s32(a, vdupq_n_s32(kQuarter - 1)), kQuarter);
  const int32x4_t x = vaddq_n_s32(vshlq_n_s32(part, kDifferenceBits), 1 << 28);
  const int32x4_t x2 = vqrdmulhq_s32(x, x);
  const int32x4_t x3 = vqrdmulhq_s32(x2, x), x4 = vqrdmulhq_s32(x2, x2);
  int32x4_t higher = vqrdmulhq_n_s32(vaddq_s32(vrshrq_n_s32(x4, 2), x3), kThird);
  higher = vrshrq_n_s32(vaddq_s32(higher, x2), 1);
  int32x4_t y = vqrdmulhq_n_s32(vaddq_s32(x, higher), kExpOfEighth);
  y = vaddq_n_s32(y, kExpOfEighth);
  const int32x4_t quarters = vsubq_s32(part, a);
  for (int32_t i = 0; i < kDifferenceBits + 2; ++i) {
    const int32x4_t bit = vandq_s32(quarters, vdupq_n_s32(kQuarter << i));
    const int32x4_t factor = vdupq_n_s32(kExponentials[i]);
    y = vqrdmulhq_m_s32(y, y, factor, vcmpneq_n_s32(bit, 0));
  }
  return vpselq_s32(vdupq_n_s32(kMaxFixed), y, vcmpeqq_n_s32(a, 0));
}

// exp of four differences from the maximum, in Q0; 0 for those below the limit and after the row.
int32x4_t ExponentialsOf(const SoftmaxQ8Shape& shape, const RowNumbers& row, const int8_t* x,
                         size_t i) {
  const mve_pred16_t some = vctp32q(shape.length - static_cast<uint32_t>(i));
  const int32x4_t difference = vsubq_n_s32(vldrbq_z_s32(x + i, some), row.max);
  const int32x4_t shifted = vshlq_r_s32(difference, shape.multiplier.exponent & 31);
  const int32x4_t y = Exponentials(vqrdmulhq_n_s32(shifted, shape.multiplier.mantissa));
  return vpselq_s32(y, vdupq_n_s32(0), vcmpgeq_m_n_s32(difference, row.limit, some));
}

uint32_t SumOf(const SoftmaxQ8Shape& shape, const RowNumbers& row, const int8_t* x) {
  uint32_t sum = 0;
  for (size_t i = 0; i < shape.length; i += 4) {
    const int32x4_t shifted = vrshrq_n_s32(ExponentialsOf(shape, row, x, i), kSumBits);
    sum = vaddvaq_u32(sum, vreinterpretq_u32_s32(shifted));
  }
  return sum;
}

void WriteRow(const SoftmaxQ8Shape& shape, const RowNumbers& row, const int8_t* x, std::byte* y) {
  const int32_t bits = shape.gives_shorts ? 16 : 8, zero = 1 << (bits - 1);
  const int32x4_t limit_of_y = vdupq_n_s32((1 << bits) - 1);
  for (size_t i = 0; i < shape.length; i += 4) {
    const mve_pred16_t some = vctp32q(shape.length - static_cast<uint32_t>(i));
    int32x4_t v = vqrdmulhq_n_s32(ExponentialsOf(shape, row, x, i), row.reciprocal);
    v = vsubq_n_s32(vminq_s32(vrshlq_n_s32(v, -row.shift), limit_of_y), zero);
    if (shape.gives_shorts) {
      vstrhq_p_s32(reinterpret_cast<int16_t*>(y) + i, v, some);
    } else {
      vstrbq_p_s32(reinterpret_cast<int8_t*>(y) + i, v, some);
    }
  }
}

#else

// exp of a difference that is not below the limit, in Q0.
int32_t Exponential(int32_t difference, const Multiplier& by) {
  const auto shifted = static_cast<uint32_t>(difference) << (by.exponent & 31);
  return ExpOfNegative(HighProduct(static_cast<int32_t>(shifted), by.mantissa), kDifferenceBits);
}

uint32_t SumOf(const SoftmaxQ8Shape& shape, const RowNumbers& row, const int8_t* x) {
  uint32_t sum = 0;
  for (size_t i = 0; i < shape.length; ++i) {
    const int32_t difference = x[i] - row.max;
    if (difference < row.limit) continue;
    sum +=
        static_cast<uint32_t>(DivideByPower(Exponential(difference, shape.multiplier), kSumBits));
  }
  return sum;
}

void WriteRow(const SoftmaxQ8Shape& shape, const RowNumbers& row, const int8_t* x, std::byte* y) {
  const int32_t bits = shape.gives_shorts ? 16 : 8;
  const int32_t limit_of_y = (1 << bits) - 1, zero = 1 << (bits - 1);
  for (size_t i = 0; i < shape.length; ++i) {
    const int32_t difference = x[i] - row.max;
    int32_t result = 0;
    if (difference >= row.limit && row.shift <= 31) {
      const int32_t exponential = Exponential(difference, shape.multiplier);
      result = DivideByPower(HighProduct(row.reciprocal, exponential), row.shift);
    }
    const int32_t code = (result < limit_of_y ? result : limit_of_y) - zero;
    if (shape.gives_shorts) {
      reinterpret_cast<int16_t*>(y)[i] = static_cast<int16_t>(code);
    } else {
      reinterpret_cast<int8_t*>(y)[i] = static_cast<int8_t>(code);
    }
  }
}

#endif

int32_t LeadingZeros(uint32_t x) {
  int32_t zeros = 32;
  for (; x != 0; x >>= 1) --zeros;
  return zeros;
}

void Row(const SoftmaxQ8Shape& shape, const int8_t* x, std::byte* y) {
  RowNumbers row = {-128, 0, 0, 0};
  for (size_t i = 0; i < shape.length; ++i) row.max = x[i] > row.max ? x[i] : row.max;
  row.limit = static_cast<int32_t>(-((int64_t{31} << 26) >> (shape.multiplier.exponent & 31)));
  const uint32_t sum = SumOf(shape, row, x);
  // The sum is 2^over * (1 + fraction).
  const int32_t zeros = LeadingZeros(sum), over = kSumBits - zeros;
  const auto fraction = static_cast<int32_t>((sum << (zeros & 31)) - 0x80000000u);
  row.reciprocal = ShiftSaturated(TwiceReciprocalOfOnePlus(fraction), 1);
  row.shift = over + 31 - (shape.gives_shorts ? 16 : 8);
  WriteRow(shape, row, x, y);
}

}  // namespace

void SoftmaxQ8(const SoftmaxQ8Shape& shape, const int8_t* x, void* y) {
  if (shape.length == 0) return;
  const size_t row_bytes = size_t{shape.length} * (shape.gives_shorts ? 2 : 1);
  auto* to = static_cast<std::byte*>(y);
  for (uint32_t row = 0; row < shape.rows; ++row, x += shape.length, to += row_bytes) {
    Row(shape, x, to);
  }
}

}  // namespace weft::kernels
