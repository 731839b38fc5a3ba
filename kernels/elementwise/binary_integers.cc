// SPDX-License-Identifier: Apache-2.0
// The integers and booleans of binary.
#include <type_traits>

#include "kernels/elementwise/binary.h"
#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/map_elements.h"
#include "kernels/integer.h"
#include "kernels/variants.h"

namespace weft::kernels {
namespace {

// For functions that no vector unit has.
template <typename T, T (*kFunction)(T, T)>
void DivisionBlock(const void* const* x, void* y, size_t count) {
  const T* a = static_cast<const T*>(x[0]);
  const T* b = static_cast<const T*>(x[1]);
  T* out = static_cast<T*>(y);
  for (size_t i = 0; i < count; ++i) out[i] = kFunction(a[i], b[i]);
}

template <typename T, T (*kFunction)(T, T)>
void IntegerBlock(const void* const* x, void* y, size_t count) {
  MapElements([](T a, T b) { return kFunction(a, b); }, count, static_cast<T*>(y),
              static_cast<const T*>(x[0]), static_cast<const T*>(x[1]));
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
__attribute__((noinline)) void BitBlock(const void* const* x, void* y, size_t count) {
  using Word = Raw<uint32_t>;
  MapElements([](const Word& a, const Word& b) { return Word{kFunction(a.bits, b.bits)}; }, count,
              static_cast<Word*>(y), static_cast<const Word*>(x[0]),
              static_cast<const Word*>(x[1]));
}

// Bitwise functions of 64-bit words, computed as twice as many 32-bit words.
template <uint32_t (*kFunction)(uint32_t, uint32_t)>
void LongBitBlock(const void* const* x, void* y, size_t count) {
  BitBlock<kFunction>(x, y, 2 * count);
}

// Only for words of 32 and 64 bits: the converter widens narrower types.
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

// If the low bits of a result do not depend on the sign, signed and unsigned bytes share a
// function.
template <typename T>
using WithoutSign = std::conditional_t<sizeof(T) == 1, uint8_t, T>;

template <typename T>
BlockFunction BinaryOf(BinaryOp op) {
  using Bits = WithoutSign<T>;
  switch (op) {
    case BinaryOp::kAdd:
      return IntegerBlock<Bits, WrappingAdd<Bits>>;
    case BinaryOp::kSubtract:
      return IntegerBlock<Bits, WrappingSubtract<Bits>>;
    case BinaryOp::kMultiply:
      return IntegerBlock<Bits, WrappingMultiply<Bits>>;
    case BinaryOp::kDivide:
      return DivisionBlock<T, Quotient<T>>;
    case BinaryOp::kMaximum:
      return IntegerBlock<T, Maximum<T>>;
    case BinaryOp::kMinimum:
      return IntegerBlock<T, Minimum<T>>;
    case BinaryOp::kPower:
      return DivisionBlock<T, Power<T>>;
    case BinaryOp::kSquaredDifference:
      return IntegerBlock<Bits, SquareOfDifference<Bits>>;
    case BinaryOp::kFloorMod:
      return DivisionBlock<T, FloorRemainder<T>>;
    case BinaryOp::kMod:
      return DivisionBlock<T, Remainder<T>>;
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

}  // namespace

TypedBlock BinaryOfIntegers(BinaryOp op, Element type) {
  switch (type) {
    case Element::kI32:
      return {BinaryOf<int32_t>(op), 4};
    case Element::kI64:
      return {BinaryOf<int64_t>(op), 8};
    case Element::kI8:
      return {BinaryOf<int8_t>(op), 1};
    case Element::kU8:
      return {BinaryOf<uint8_t>(op), 1};
    case Element::kBoolean:
      return {BinaryOfBooleans(op), 1};
    default:
      return {};
  }
}

}  // namespace weft::kernels

const char weft_variant_binary_integers = 0;
