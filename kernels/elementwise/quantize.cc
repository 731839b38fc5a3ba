// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/quantize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/quantize.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/codes-inl.h"
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define WEFT_QUANTIZES_BY_HELIUM
#include "kernels/simd/codes_helium-inl.h"
#elif HWY_TARGET == HWY_SCALAR && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && \
    defined(__ARM_FEATURE_DSP) && !defined(__ARM_FEATURE_MVE) && !WEFT_CONSTANT_TIME
#define WEFT_QUANTIZES_FOUR
#include "kernels/simd/codes_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if defined(WEFT_QUANTIZES_FOUR)
// Quantises `count` > 0 numbers, a multiple of four. Returns false if results may be wrong. One
// instruction per line.
bool QuantizeFours(const float* x, size_t count, float inverse, const CodeRange& codes, int8_t* y) {
  const int8_t* const end = y + count;
  int32_t a, b, c, d;
  ForgetInvalid();
  // clang-format off
  __asm__ volatile(
      "vmov.f32 s4, %[inverse]\n"
      "1:\n\t"
      "vldmia %[x]!, {s0-s3}\n\t"
      WEFT_FOUR_PAIRS("vmul.f32", "s4", "s4", "s4", "s4")
      WEFT_FOUR_NUMBERS("vcvtr.s32.f32")
      "vmov %[a], %[b], s0, s1\n\t"
      "vmov %[c], %[d], s2, s3\n\t"
      WEFT_JOIN_FOUR("%[a]", "%[b]", "%[c]", "%[d]", "%[zero]")
      WEFT_LIMIT_FOUR("%[a]", "%[low]", "%[high]", "%[b]")
      "str %[a], [%[y]], #4\n\t"
      "cmp %[y], %[end]\n\t"
      "bne 1b"
      : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [x] "+&r"(x), [y] "+&r"(y)
      : [inverse] "t"(inverse), [zero] "r"(int32_t{codes.zero}), [low] "r"(FourOf(codes.low)),
        [high] "r"(FourOf(codes.high)), [end] "r"(end)
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4");
  // clang-format on
  return !WasInvalid();
}
#endif

void Quantize(const QuantizeShape& shape, const float* x, int8_t* y) {
  const CodeBounds bounds = BoundsOf(shape.codes);
  const float inverse = shape.inverse;
  size_t count = shape.count;
#if defined(WEFT_QUANTIZES_FOUR)
  const size_t fours = count & ~size_t{3};
  if (fours != 0 && QuantizeFours(x, fours, inverse, shape.codes, y)) {
    x += fours;
    y += fours;
    count -= fours;
  }
#endif
#if defined(WEFT_QUANTIZES_BY_HELIUM)
  const BoundVectors vectors = VectorsOf(bounds);
  // Counts down, which Clang compiles to a hardware loop.
  for (auto left = static_cast<int32_t>(count); left > 0; left -= 4, x += 4, y += 4) {
    const mve_pred16_t some = vctp32q(static_cast<uint32_t>(left));
    const float32x4_t v = vmulq_n_f32(vldrwq_z_f32(x, some), inverse);
    vstrbq_p_s32(y, FourCodes(v, vectors), some);
  }
#else
  ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR {
    StoreCodes(ToCodes(hn::Mul(LoadFirst(x + i, lanes), Set(inverse)), bounds), y + i, lanes);
  });
#endif
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(Quantize, (const QuantizeShape& shape, const float* x, int8_t* y), (shape, x, y))
