// SPDX-License-Identifier: Apache-2.0
// The pairs of binary_q8 whose codes are computed with floats.
#include "kernels/elementwise/binary_q8.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/binary_q8_floats.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/binary_q8-inl.h"

#undef WEFT_HELIUM_PAIRS
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include "kernels/simd/codes_helium-inl.h"
#define WEFT_HELIUM_PAIRS
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if defined(WEFT_HELIUM_PAIRS)

// The differences of a line to the zero point, four at a time.
template <bool kIsContiguous>
class FourAbove {
 public:
  explicit FourAbove(const CodeLine<int8_t>& line) : from_(line.x), line_(line) {
    offsets_ = vmulq_n_u32(vidupq_n_u32(0, 1), static_cast<uint32_t>(line.stride));
  }
  HWY_INLINE int32x4_t Next(mve_pred16_t some) {
    const int8_t* const from = from_;
    from_ += 4 * (kIsContiguous ? 1 : line_.stride);
    return vsubq_n_s32(
        kIsContiguous ? vldrbq_z_s32(from, some) : vldrbq_gather_offset_z_s32(from, offsets_, some),
        line_.zero);
  }

 private:
  const int8_t* from_;
  CodeLine<int8_t> line_;
  uint32x4_t offsets_;
};

template <bool kMultiplies, bool kIsContiguous>
HWY_INLINE void PairFours(const BinaryQ8Shape& shape, FourAbove<kIsContiguous> a,
                          FourAbove<kIsContiguous> b, size_t count, int8_t* y) {
  const float a_scale = shape.a_scale, b_scale = shape.b_scale;
  const BoundVectors bounds = VectorsOf(BoundsOf(shape.codes));
  for (auto left = static_cast<int32_t>(count); left > 0; left -= 4, y += 4) {
    const mve_pred16_t some = vctp32q(static_cast<uint32_t>(left));
    const int32x4_t above_a = a.Next(some), above_b = b.Next(some);
    float32x4_t v;
    if constexpr (kMultiplies) {
      v = vmulq_n_f32(vcvtq_f32_s32(vmulq_s32(above_a, above_b)), a_scale);
    } else {
      v = vaddq_f32(vmulq_n_f32(vcvtq_f32_s32(above_a), a_scale),
                    vmulq_n_f32(vcvtq_f32_s32(above_b), b_scale));
    }
    vstrbq_p_s32(y, FourCodes(v, bounds), some);
  }
}

template <bool kMultiplies>
HWY_NOINLINE void PairLine(const BinaryQ8Shape& shape, const CodeLine<int8_t>& a,
                           const CodeLine<int8_t>& b, size_t count, int8_t* y) {
  if (a.stride == 1 && b.stride == 1) {
    PairFours<kMultiplies, true>(shape, FourAbove<true>(a), FourAbove<true>(b), count, y);
  } else {
    PairFours<kMultiplies, false>(shape, FourAbove<false>(a), FourAbove<false>(b), count, y);
  }
}

#else

// The differences to the zero point.
HWY_INLINE IntVec Above(const CodeLine<int8_t>& line, size_t i, size_t lanes) {
  if (line.stride == 0) return SetInt(*line.x - line.zero);
  int8_t block[kLanes] = {};
  return hn::Sub(LoadCodes(line.From(i, lanes, block), lanes), SetInt(line.zero));
}

template <bool kMultiplies>
WEFT_PART void PairLine(const BinaryQ8Shape& shape, const CodeLine<int8_t>& a,
                        const CodeLine<int8_t>& b, size_t count, int8_t* y) {
  const float a_scale = shape.a_scale, b_scale = shape.b_scale;
  const auto pair = [&](IntVec above_a, IntVec above_b) HWY_ATTR {
    if constexpr (kMultiplies) {
      return hn::Mul(ToFloats(hn::Mul(above_a, above_b)), Set(a_scale));
    } else {
      return hn::Add(hn::Mul(ToFloats(above_a), Set(a_scale)),
                     hn::Mul(ToFloats(above_b), Set(b_scale)));
    }
  };
  const CodeBounds bounds = BoundsOf(shape.codes);
  ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
    StoreCodes(ToCodes(pair(Above(a, i, lanes), Above(b, i, lanes)), bounds), y + i, lanes);
  });
}

#endif

void BinaryQ8Floats(const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y) {
  const bool multiplies = shape.op == BinaryOp::kMultiply;
  ForLines(shape, a, b, y,
           [&](const CodeLine<int8_t>& of_a, const CodeLine<int8_t>& of_b, size_t count, int8_t* to)
               HWY_ATTR {
                 if (multiplies) {
                   PairLine<true>(shape, of_a, of_b, count, to);
                 } else {
                   PairLine<false>(shape, of_a, of_b, count, to);
                 }
               });
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(BinaryQ8Floats,
            (const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y),
            (shape, a, b, y))

#if HWY_ONCE
const char weft_variant_binary_q8_floats = 0;
#endif  // HWY_ONCE
