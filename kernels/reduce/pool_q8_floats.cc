// SPDX-License-Identifier: Apache-2.0
// The means of pool_q8 whose codes are computed with floats.
#include "kernels/reduce/pool_divisor.h"
#include "kernels/reduce/pool_q8.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/pool_q8_floats.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

void FloatMeans(const PoolQ8Shape& shape, size_t taps, size_t divisor, size_t count,
                int32_t* values) {
  const CodeBounds bounds = BoundsOf(shape.codes);
  const int32_t zeros = static_cast<int32_t>(taps) * shape.x_zero;
  const FloatVec by = Set(DivisorOf(divisor));
  ForVectors(count, [&](size_t i, size_t) HWY_ATTR {
    const IntVec above = hn::Sub(hn::LoadU(IntTag(), values + i), SetInt(zeros));
    const FloatVec scaled = hn::Mul(ToFloats(above), Set(shape.scale));
    hn::StoreU(ToCodes(Divide(scaled, by), bounds), IntTag(), values + i);
  });
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
const char weft_variant_pool_q8_floats = 0;
#endif  // HWY_ONCE
