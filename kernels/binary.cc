// SPDX-License-Identifier: Apache-2.0
#include "kernels/binary.h"

#include <type_traits>

#include "kernels/broadcast.h"
#include "kernels/integer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/power-inl.h"
#include "kernels/vector-inl.h"

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

// a - quotient * b, put right where the rounded quotient was one off. Exact for |a / b| < 2^22.
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

namespace {

template <typename T, T (*kFunction)(T, T)>
void IntegerBlock(const void* const* x, void* y, size_t count) {
  const T* a = static_cast<const T*>(x[0]);
  const T* b = static_cast<const T*>(x[1]);
  T* out = static_cast<T*>(y);
  for (size_t i = 0; i < count; ++i) out[i] = kFunction(a[i], b[i]);
}

template <typename T>
T Maximum(T a, T b) {
  return a > b ? a : b;
}
template <typename T>
T Minimum(T a, T b) {
  return a < b ? a : b;
}
template <typename T>
T SquareOfDifference(T a, T b) {
  const T difference = WrappingSubtract(a, b);
  return WrappingMultiply(difference, difference);
}
template <typename T>
T Prelu(T a, T b) {
  return a < 0 ? WrappingMultiply(a, b) : a;
}

uint32_t BitwiseAnd(uint32_t a, uint32_t b) { return a & b; }
uint32_t BitwiseOr(uint32_t a, uint32_t b) { return a | b; }
uint32_t BitwiseXor(uint32_t a, uint32_t b) { return a ^ b; }

template <uint32_t (*kFunction)(uint32_t, uint32_t)>
HWY_NOINLINE void BitBlock(const void* const* x, void* y, size_t count) {
  const Raw<uint32_t>* a = static_cast<const Raw<uint32_t>*>(x[0]);
  const Raw<uint32_t>* b = static_cast<const Raw<uint32_t>*>(x[1]);
  Raw<uint32_t>* out = static_cast<Raw<uint32_t>*>(y);
  for (size_t i = 0; i < count; ++i) out[i].bits = kFunction(a[i].bits, b[i].bits);
}

// The bits of 64 are those of twice 32.
template <uint32_t (*kFunction)(uint32_t, uint32_t)>
void LongBitBlock(const void* const* x, void* y, size_t count) {
  BitBlock<kFunction>(x, y, 2 * count);
}

// Of words alone: the converter widens what is narrower.
template <typename T>
BlockFunction BinaryOfBits(BinaryOp op) {
  if constexpr (sizeof(T) < sizeof(uint32_t)) return nullptr;
  constexpr bool kIsLong = sizeof(T) > sizeof(uint32_t);
  switch (op) {
    case BinaryOp::kBitwiseAnd:
      return kIsLong ? LongBitBlock<BitwiseAnd> : BitBlock<BitwiseAnd>;
    case BinaryOp::kBitwiseOr:
      return kIsLong ? LongBitBlock<BitwiseOr> : BitBlock<BitwiseOr>;
    case BinaryOp::kBitwiseXor:
      return kIsLong ? LongBitBlock<BitwiseXor> : BitBlock<BitwiseXor>;
    default:
      return nullptr;
  }
}

// Where the low bits of a result do not depend on the sign, bytes of either kind share a function.
template <typename T>
using WithoutSign = std::conditional_t<sizeof(T) == 1, uint8_t, T>;

template <typename T>
BlockFunction BinaryOfIntegers(BinaryOp op) {
  using Bits = WithoutSign<T>;
  switch (op) {
    case BinaryOp::kAdd:
      return IntegerBlock<Bits, WrappingAdd<Bits>>;
    case BinaryOp::kSubtract:
      return IntegerBlock<Bits, WrappingSubtract<Bits>>;
    case BinaryOp::kMultiply:
      return IntegerBlock<Bits, WrappingMultiply<Bits>>;
    case BinaryOp::kDivide:
      return IntegerBlock<T, Quotient<T>>;
    case BinaryOp::kMaximum:
      return IntegerBlock<T, Maximum<T>>;
    case BinaryOp::kMinimum:
      return IntegerBlock<T, Minimum<T>>;
    case BinaryOp::kPower:
      return IntegerBlock<T, Power<T>>;
    case BinaryOp::kSquaredDifference:
      return IntegerBlock<Bits, SquareOfDifference<Bits>>;
    case BinaryOp::kFloorMod:
      return IntegerBlock<T, FloorRemainder<T>>;
    case BinaryOp::kMod:
      return IntegerBlock<T, Remainder<T>>;
    case BinaryOp::kPrelu:
      return IntegerBlock<T, Prelu<T>>;
    default:
      return BinaryOfBits<T>(op);
  }
}

uint8_t And(uint8_t a, uint8_t b) { return a != 0 && b != 0; }
uint8_t Or(uint8_t a, uint8_t b) { return a != 0 || b != 0; }
uint8_t Xor(uint8_t a, uint8_t b) { return (a != 0) != (b != 0); }

BlockFunction BinaryOfBooleans(BinaryOp op) {
  switch (op) {
    case BinaryOp::kLogicalAnd:
      return IntegerBlock<uint8_t, And>;
    case BinaryOp::kLogicalOr:
      return IntegerBlock<uint8_t, Or>;
    case BinaryOp::kLogicalXor:
      return IntegerBlock<uint8_t, Xor>;
    default:
      return nullptr;
  }
}

struct Row {
  BlockFunction function;
  uint32_t element_bytes;
};

// The loop for a pair of op and type; its function is null where there is none. Out of line: both
// callers would hold all of it.
HWY_NOINLINE Row Choose(BinaryOp op, Element type) {
  switch (type) {
    case Element::kF32:
      return {HWY_DYNAMIC_DISPATCH(BinaryOfFloats)(op), 4};
    case Element::kI32:
      return {BinaryOfIntegers<int32_t>(op), 4};
    case Element::kI64:
      return {BinaryOfIntegers<int64_t>(op), 8};
    case Element::kI8:
      return {BinaryOfIntegers<int8_t>(op), 1};
    case Element::kU8:
      return {BinaryOfIntegers<uint8_t>(op), 1};
    case Element::kBoolean:
      return {BinaryOfBooleans(op), 1};
    default:
      return {nullptr, 0};
  }
}

}  // namespace

bool BinaryKnows(BinaryOp op, Element type) { return Choose(op, type).function != nullptr; }

void Binary(const BinaryShape& shape, const void* a, const void* b, void* y) {
  const Row row = Choose(shape.op, shape.type);
  if (row.function == nullptr) return;
  const BroadcastOperand operands[] = {{a, shape.a_strides, row.element_bytes},
                                       {b, shape.b_strides, row.element_bytes}};
  ForBlocks(shape.rank, shape.dims, operands, 2, y, row.element_bytes, row.function);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
