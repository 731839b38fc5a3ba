// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/unary_q8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/unary_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/recurrent/gates_q8-inl.h"
#include "kernels/simd/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// `lanes` integers from element i on.
HWY_INLINE ints::Vec LoadAt(Element type, const void* x, size_t i, size_t lanes) {
  if (type == Element::kI8) return ints::Load(static_cast<const int8_t*>(x) + i, lanes);
  if (type == Element::kI16) return ints::Load(static_cast<const int16_t*>(x) + i, lanes);
  return ints::Load(static_cast<const int32_t*>(x) + i, lanes);
}
HWY_INLINE void StoreAt(ints::Vec v, Element type, void* y, size_t i, size_t lanes) {
  if (type == Element::kI8) return ints::Store(v, static_cast<int8_t*>(y) + i, lanes);
  if (type == Element::kI16) return ints::Store(v, static_cast<int16_t*>(y) + i, lanes);
  ints::Store(v, static_cast<int32_t*>(y) + i, lanes);
}

WEFT_PART void Rescale(const UnaryQ8Shape& shape, const void* x, void* y) {
  const ints::Rescaler above(shape.above), below(shape.below);
  const bool is_limited = shape.to != Element::kI32;
  const int32_t low = is_limited ? shape.low - shape.zero : 0;
  const int32_t high = is_limited ? shape.high - shape.zero : 0;
  ints::ForVectors(shape.count, [&](size_t i, size_t lanes) HWY_ATTR {
    const ints::Vec from = ints::Sub(LoadAt(shape.from, x, i, lanes), ints::Set(shape.x_zero));
    ints::Vec v = ints::If(ints::Lt(from, ints::Set(0)), below(from), above(from));
    if (is_limited) v = ints::Limited(v, low, high);
    StoreAt(ints::Add(v, ints::Set(shape.zero)), shape.to, y, i, lanes);
  });
}

WEFT_PART void Gate(const UnaryQ8Shape& shape, const int16_t* x, int16_t* y) {
  const int32_t shift = -shape.above.exponent, half = shift == 0 ? 0 : 1 << (shift - 1);
  ints::ForVectors(shape.count, [&](size_t i, size_t lanes) HWY_ATTR {
    const ints::Vec product = ints::Mul(ints::Load(x + i, lanes), ints::Set(shape.above.mantissa));
    const ints::Vec t = ints::ShiftRightSame(ints::Add(product, ints::Set(half)), shift);
    const bool is_sigmoid = shape.op == CodeFunction::kSigmoid;
    ints::Store(is_sigmoid ? ints::TableSigmoid(t) : ints::TableTanh(t), y + i, lanes);
  });
}

// Sums of products of int16 codes.
WEFT_PART void RescaleSums(const UnaryQ8Shape& shape, const int64_t* x, int16_t* y) {
  for (size_t i = 0; i < shape.count; ++i) {
    const int64_t v = RescaledOnce(x[i], shape.above);
    y[i] = static_cast<int16_t>(v < shape.low ? shape.low : v > shape.high ? shape.high : v);
  }
}

void UnaryQ8(const UnaryQ8Shape& shape, const void* x, void* y) {
  if (shape.from == Element::kI64) {
    return RescaleSums(shape, static_cast<const int64_t*>(x), static_cast<int16_t*>(y));
  }
  if (shape.op == CodeFunction::kRescale) return Rescale(shape, x, y);
  Gate(shape, static_cast<const int16_t*>(x), static_cast<int16_t*>(y));
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(UnaryQ8);

void UnaryQ8(const UnaryQ8Shape& shape, const void* x, void* y) {
  HWY_DYNAMIC_DISPATCH(UnaryQ8)(shape, x, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
