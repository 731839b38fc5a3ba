// SPDX-License-Identifier: Apache-2.0
// The means of pool_q8 whose codes are computed by integers.
#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

#include "kernels/reduce/pool_q8.h"
#include "kernels/variants.h"

namespace weft::kernels {
namespace {

#if defined(__ARM_FEATURE_MVE)

// Maximum of taps for which the product of a sum, a half and their number is below 2^32.
constexpr int32_t kMaxDividedTaps = 5000;

// The sums divided by the taps, halves away from zero.
int32x4_t Means(int32x4_t sums, int32_t divisor, uint32_t reciprocal) {
  const uint32x4_t magnitudes = vreinterpretq_u32_s32(vabsq_s32(sums));
  const uint32x4_t above = vaddq_n_u32(magnitudes, static_cast<uint32_t>(divisor / 2));
  const int32x4_t means = vreinterpretq_s32_u32(vmulhq_u32(above, vdupq_n_u32(reciprocal)));
  return vnegq_m_s32(means, means, vcmpltq_n_s32(sums, 0));
}

// Rescaled (requantise.h).
int32x4_t Scaled(int32x4_t v, const Multiplier& by) {
  v = vshlq_r_s32(v, by.exponent > 0 ? by.exponent & 31 : 0);
  v = vqrdmulhq_n_s32(v, by.mantissa);
  if (by.exponent >= 0) return v;
  // Halves are rounded up, so negative numbers are lowered by one first.
  return vrshlq_n_s32(vqaddq_s32(v, vshrq_n_s32(v, 31)), by.exponent);
}

// IntegerMeans by vectors. Returns false if there are too many taps, or one or none.
bool VectorsOfMeans(const PoolQ8Shape& shape, int32_t divisor, size_t count, int32_t* values) {
  const bool is_scaled = shape.multiplier.mantissa != 0;
  if (!is_scaled && (divisor < 2 || divisor > kMaxDividedTaps)) return false;
  const uint32_t reciprocal = is_scaled ? 0 : 0xFFFFFFFFu / static_cast<uint32_t>(divisor) + 1;
  const CodeRange codes = shape.codes;
  const int32_t zero = is_scaled ? codes.zero : 0, zeros = divisor * shape.x_zero;
  const int32x4_t low = vdupq_n_s32(codes.low - zero), high = vdupq_n_s32(codes.high - zero);
  for (int32_t* const end = values + count; values < end; values += 4) {
    int32x4_t v = vldrwq_s32(values);
    v = is_scaled ? Scaled(vsubq_n_s32(v, zeros), shape.multiplier) : Means(v, divisor, reciprocal);
    vstrwq_s32(values, vaddq_n_s32(vminq_s32(vmaxq_s32(v, low), high), zero));
  }
  return true;
}

#endif

int32_t Limited(int32_t code, const CodeRange& codes) {
  return code < codes.low ? codes.low : code > codes.high ? codes.high : code;
}

}  // namespace

void IntegerMeans(const PoolQ8Shape& shape, size_t taps, size_t count, int32_t* values) {
  const auto divisor = static_cast<int32_t>(taps);
#if defined(__ARM_FEATURE_MVE)
  if (VectorsOfMeans(shape, divisor, count, values)) return;
#endif
  // Copies, because the values could alias the originals.
  const CodeRange codes = shape.codes;
  const Multiplier by = shape.multiplier;
  int32_t* const end = values + count;
  if (by.mantissa != 0) {
    const int32_t zeros = divisor * shape.x_zero;
    for (; values != end; ++values) *values = CodeOfInteger(Rescaled(*values - zeros, by), codes);
    return;
  }
  const int32_t half = divisor / 2;
  for (; values != end; ++values) {
    const int32_t sum = *values;
    const int32_t mean = divisor == 0 ? 0 : (sum < 0 ? sum - half : sum + half) / divisor;
    *values = Limited(mean, codes);
  }
}

}  // namespace weft::kernels

const char weft_variant_pool_q8_integers = 0;
