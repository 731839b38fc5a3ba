// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/dequantize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/dequantize.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

void Dequantize(const DequantizeShape& shape, const int8_t* x, float* y) {
  const float scale = shape.scale;
  const int32_t zero = shape.zero;
  ForVectors(shape.count, [&](size_t i, size_t lanes) HWY_ATTR {
    const FloatVec above = ToFloats(hn::Sub(LoadCodes(x + i, lanes), SetInt(zero)));
    StoreFirst(hn::Mul(above, Set(scale)), y + i, lanes);
  });
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(Dequantize, (const DequantizeShape& shape, const int8_t* x, float* y), (shape, x, y))
