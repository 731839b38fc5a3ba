// SPDX-License-Identifier: Apache-2.0
// The pairs of binary_q8 whose codes are computed with floats.
#include "kernels/elementwise/binary_q8.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/binary_q8_floats.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/binary_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

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

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(BinaryQ8Floats);

void BinaryQ8Floats(const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y) {
  HWY_DYNAMIC_DISPATCH(BinaryQ8Floats)(shape, a, b, y);
}

}  // namespace weft::kernels

const char weft_variant_binary_q8_floats = 0;
#endif  // HWY_ONCE
