// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/quantize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/quantize.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/levels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

void Quantize(const QuantizeShape& shape, const float* x, int8_t* y) {
  const LevelBounds bounds = BoundsOf(shape.levels);
  const float inverse = shape.inverse;
  ForVectors(shape.count, [&](size_t i, size_t lanes) HWY_ATTR {
    StoreLevels(ToLevels(hn::Mul(LoadFirst(x + i, lanes), Set(inverse)), bounds), y + i, lanes);
  });
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(Quantize);

void Quantize(const QuantizeShape& shape, const float* x, int8_t* y) {
  HWY_DYNAMIC_DISPATCH(Quantize)(shape, x, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
