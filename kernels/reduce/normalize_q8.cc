// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/normalize_q8.h"

#include "kernels/simd/inverse_square_root.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/normalize_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Bits after the point of y.
inline constexpr int32_t kResultBits = 7;

void NormalizeQ8(const NormalizeQ8Shape& shape, const int8_t* x, int8_t* y) {
  const size_t length = shape.length;
  if (length == 0) return;
  const ints::Vec zero = ints::Set(shape.x_zero);
  for (uint32_t row = 0; row < shape.rows; ++row, x += length, y += length) {
    int32_t sum = 0;
    for (size_t i = 0; i < length; ++i) {
      const int32_t a = x[i] - shape.x_zero;
      sum += a * a;
    }
    Multiplier by = InverseSquareRoot(sum);
    by.exponent += kResultBits;
    const ints::Rescaler rescale(by);
    ints::ForVectors(length, [&](size_t i, size_t lanes) HWY_ATTR {
      const ints::Vec v = rescale(ints::Sub(ints::Load(x + i, lanes), zero));
      ints::Store(ints::Limited(v, -128, 127), y + i, lanes);
    });
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(NormalizeQ8, (const NormalizeQ8Shape& shape, const int8_t* x, int8_t* y), (shape, x, y))
