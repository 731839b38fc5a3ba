// SPDX-License-Identifier: Apache-2.0
// The loops of compare over one type of element. Internal to compare and compare_integers.
#ifndef WEFT_KERNELS_ELEMENTWISE_COMPARE_BLOCK_H_
#define WEFT_KERNELS_ELEMENTWISE_COMPARE_BLOCK_H_

#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/compare.h"
#include "kernels/elementwise/map_elements.h"

namespace weft::kernels {

// A boolean byte: any nonzero value is true. Reading it as bool would be undefined for values
// above 1.
struct Boolean {
  uint8_t byte;
};

template <typename T>
T ValueOf(T element) {
  return element;
}
inline int8_t ValueOf(Boolean element) { return element.byte != 0; }

template <typename T, typename Value, bool (*kFunction)(Value, Value)>
void CompareBlock(const void* const* x, void* y, size_t count) {
  const auto compared = [](T a, T b) -> uint8_t { return kFunction(ValueOf(a), ValueOf(b)); };
  MapElements(compared, count, static_cast<uint8_t*>(y), static_cast<const T*>(x[0]),
              static_cast<const T*>(x[1]));
}

// Integers of 64 bits are compared by arithmetic, which every vector unit has: a comparison of such
// lanes exists from SSE4.2 on. A microcontroller compares them directly.
template <typename T>
inline constexpr bool kIsWideInteger = sizeof(T) == 8 && !kIsMicrocontroller;

// 1 if a < b, else 0: the sign of a - b, or that of a if the signs of a and b differ.
inline uint32_t LessBit(int64_t a, int64_t b) {
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  return static_cast<uint32_t>(((x & ~y) | (~(x ^ y) & (x - y))) >> 63);
}

template <typename T>
bool IsEqual(T a, T b) {
  if constexpr (kIsWideInteger<T>) {
    const uint64_t difference = static_cast<uint64_t>(a) ^ static_cast<uint64_t>(b);
    return static_cast<uint32_t>(difference | difference >> 32) == 0;
  } else {
    return a == b;
  }
}
template <typename T>
bool IsNotEqual(T a, T b) {
  return !IsEqual(a, b);
}
template <typename T>
bool IsLess(T a, T b) {
  if constexpr (kIsWideInteger<T>) {
    return LessBit(a, b) != 0;
  } else {
    return a < b;
  }
}
template <typename T>
bool IsLessOrEqual(T a, T b) {
  if constexpr (kIsWideInteger<T>) {
    return (LessBit(b, a) ^ 1) != 0;
  } else {
    return a <= b;
  }
}
template <typename T>
bool IsGreater(T a, T b) {
  return IsLess(b, a);
}
template <typename T>
bool IsGreaterOrEqual(T a, T b) {
  return IsLessOrEqual(b, a);
}

template <typename T, typename Value = T>
BlockFunction CompareOf(CompareOp op) {
  switch (op) {
    case CompareOp::kEqual:
      return CompareBlock<T, Value, IsEqual<Value>>;
    case CompareOp::kNotEqual:
      return CompareBlock<T, Value, IsNotEqual<Value>>;
    case CompareOp::kLess:
      return CompareBlock<T, Value, IsLess<Value>>;
    case CompareOp::kLessEqual:
      return CompareBlock<T, Value, IsLessOrEqual<Value>>;
    case CompareOp::kGreater:
      return CompareBlock<T, Value, IsGreater<Value>>;
    case CompareOp::kGreaterEqual:
      return CompareBlock<T, Value, IsGreaterOrEqual<Value>>;
  }
  return nullptr;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_COMPARE_BLOCK_H_
