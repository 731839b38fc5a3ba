// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary.h"

#include "kernels/elementwise/broadcast.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/binary.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/binary-inl.h"
#include "kernels/simd/power-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

template <class Function>
HWY_INLINE void MapPairs(const void* const* x, void* y, size_t count, const Function& function) {
  const float* a = static_cast<const float*>(x[0]);
  const float* b = static_cast<const float*>(x[1]);
  float* out = static_cast<float*>(y);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) Store(function(Load(a + i), Load(b + i)), out + i);
  if (kLanes > 1 && i < count) {
    const size_t left = count - i;
    StoreFirst(function(LoadFirst(a + i, left), LoadFirst(b + i, left)), out + i, left);
  }
}

// a - quotient * b, corrected if the rounded quotient was off by one. Exact for |a / b| < 2^22.
HWY_INLINE FloatVec Mod(FloatVec a, FloatVec b) {
  const FloatVec size = hn::Abs(b);
  const FloatVec magnitude = hn::Abs(a);
  FloatVec rest = Fnma(RoundToZero(Divide(magnitude, size)), size, magnitude);
  rest = hn::IfThenElse(hn::Lt(rest, Set(0.0f)), hn::Add(rest, size), rest);
  rest = hn::IfThenElse(hn::Ge(rest, size), hn::Sub(rest, size), rest);
  return hn::CopySign(rest, a);
}

HWY_INLINE FloatVec FloorMod(FloatVec a, FloatVec b) {
  const FloatVec rest = Mod(a, b);
  const FloatMask differs = hn::Lt(hn::Mul(hn::CopySign(Set(1.0f), rest), b), Set(0.0f));
  const FloatMask is_zero = hn::Eq(rest, Set(0.0f));
  return hn::IfThenElse(hn::AndNot(is_zero, differs), hn::Add(rest, b), rest);
}

HWY_INLINE FloatVec SquaredDifference(FloatVec a, FloatVec b) {
  const FloatVec difference = hn::Sub(a, b);
  return hn::Mul(difference, difference);
}

#define WEFT_PAIRS(op, formula)                                                       \
  case BinaryOp::op:                                                                  \
    return [](const void* const* x, void* y, size_t count) HWY_ATTR {                 \
      MapPairs(x, y, count, [](FloatVec a, FloatVec b) HWY_ATTR { return formula; }); \
    };

BlockFunction BinaryOfFloats(BinaryOp op) {
  switch (op) {
    WEFT_PAIRS(kAdd, hn::Add(a, b))
    WEFT_PAIRS(kSubtract, hn::Sub(a, b))
    WEFT_PAIRS(kMultiply, hn::Mul(a, b))
    WEFT_PAIRS(kDivide, Divide(a, b))
    WEFT_PAIRS(kMaximum, Greater(a, b))
    WEFT_PAIRS(kMinimum, Lesser(a, b))
    WEFT_PAIRS(kPower, PowerOf(a, b))
    WEFT_PAIRS(kSquaredDifference, SquaredDifference(a, b))
    WEFT_PAIRS(kFloorMod, FloorMod(a, b))
    WEFT_PAIRS(kMod, Mod(a, b))
    WEFT_PAIRS(kPrelu, hn::IfThenElse(hn::Lt(a, Set(0.0f)), hn::Mul(a, b), a))
    default:
      return nullptr;
  }
}

#undef WEFT_PAIRS

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(BinaryOfFloats);

__attribute__((weak)) TypedBlock BinaryOfIntegers(BinaryOp op, Element type);

namespace {

// Not inlined: otherwise both callers would contain a copy.
HWY_NOINLINE TypedBlock Choose(BinaryOp op, Element type) {
  if (type == Element::kF32) return {HWY_DYNAMIC_DISPATCH(BinaryOfFloats)(op), 4};
  return &BinaryOfIntegers == nullptr ? TypedBlock() : BinaryOfIntegers(op, type);
}

}  // namespace

bool BinaryKnows(BinaryOp op, Element type) { return Choose(op, type).function != nullptr; }

void Binary(const BinaryShape& shape, const void* a, const void* b, void* y) {
  const TypedBlock row = Choose(shape.op, shape.type);
  if (row.function == nullptr) return;
  const BroadcastOperand operands[] = {{a, shape.a_strides, row.element_bytes},
                                       {b, shape.b_strides, row.element_bytes}};
  ForBlocks(shape.rank, shape.dims, operands, 2, y, row.element_bytes, row.function);
}

void BinaryOne(BinaryOp op, Element type, const void* a, const void* b, void* y) {
  const TypedBlock row = Choose(op, type);
  const void* const x[] = {a, b};
  if (row.function != nullptr) row.function(x, y, 1);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
