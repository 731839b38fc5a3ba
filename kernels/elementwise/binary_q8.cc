// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary_q8.h"

#include "kernels/strided_iterator.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/binary_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// `count` elements of an operand, `stride` apart.
struct CodeLine {
  const int8_t* x;
  size_t stride;
  int32_t zero;

  HWY_INLINE IntVec Above(size_t i, size_t lanes) const {
    if (stride == 1) return hn::Sub(LoadCodes(x + i, lanes), SetInt(zero));
    if (stride == 0) return SetInt(*x - zero);
    int8_t block[kLanes] = {};
    for (size_t lane = 0; lane < lanes; ++lane) block[lane] = x[(i + lane) * stride];
    return hn::Sub(LoadCodes(block, kLanes), SetInt(zero));
  }
};

template <bool kMultiplies>
WEFT_PART void PairLine(const BinaryQ8Shape& shape, const CodeLine& a, const CodeLine& b,
                        size_t count, int8_t* y) {
  const CodeBounds bounds = BoundsOf(shape.codes);
  const float a_scale = shape.a_scale, b_scale = shape.b_scale;
  ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR {
    const IntVec above_a = a.Above(i, lanes), above_b = b.Above(i, lanes);
    FloatVec v;
    if constexpr (kMultiplies) {
      v = hn::Mul(ToFloats(hn::Mul(above_a, above_b)), Set(a_scale));
    } else {
      v = hn::Add(hn::Mul(ToFloats(above_a), Set(a_scale)),
                  hn::Mul(ToFloats(above_b), Set(b_scale)));
    }
    StoreCodes(ToCodes(v, bounds), y + i, lanes);
  });
}

void BinaryQ8(const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y) {
  if (IsEmpty(shape.dims, shape.rank)) return;
  // The stride along an axis of one element is never used.
  const uint32_t outer = shape.rank == 0 ? 0 : shape.rank - 1;
  const size_t count = shape.rank == 0 ? 1 : shape.dims[outer];
  const auto stride = [&](const uint32_t* strides) {
    return count == 1 ? size_t{1} : size_t{strides[outer]};
  };
  const size_t a_stride = stride(shape.a_strides), b_stride = stride(shape.b_strides);
  StridedIterator<uint32_t, 2> iterator(outer, shape.dims, {shape.a_strides, shape.b_strides});
  do {
    const CodeLine from_a = {a + iterator.offset(0), a_stride, shape.a_zero};
    const CodeLine from_b = {b + iterator.offset(1), b_stride, shape.b_zero};
    if (shape.multiplies) {
      PairLine<true>(shape, from_a, from_b, count, y);
    } else {
      PairLine<false>(shape, from_a, from_b, count, y);
    }
    y += count;
  } while (iterator.Next());
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(BinaryQ8);

void BinaryQ8(const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y) {
  HWY_DYNAMIC_DISPATCH(BinaryQ8)(shape, a, b, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
