// SPDX-License-Identifier: Apache-2.0
// The loops of compare over one type of element. Internal to compare and compare_integers.
#ifndef WEFT_KERNELS_ELEMENTWISE_COMPARE_BLOCK_H_
#define WEFT_KERNELS_ELEMENTWISE_COMPARE_BLOCK_H_

#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/compare.h"

namespace weft::kernels {

// A byte of which any value but zero is true; read as bool it would be undefined beyond 1.
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
  const T* a = static_cast<const T*>(x[0]);
  const T* b = static_cast<const T*>(x[1]);
  uint8_t* out = static_cast<uint8_t*>(y);
  for (size_t i = 0; i < count; ++i) out[i] = kFunction(ValueOf(a[i]), ValueOf(b[i]));
}

template <typename T>
bool IsEqual(T a, T b) {
  return a == b;
}
template <typename T>
bool IsNotEqual(T a, T b) {
  return a != b;
}
template <typename T>
bool IsLess(T a, T b) {
  return a < b;
}
template <typename T>
bool IsLessOrEqual(T a, T b) {
  return a <= b;
}
template <typename T>
bool IsGreater(T a, T b) {
  return a > b;
}
template <typename T>
bool IsGreaterOrEqual(T a, T b) {
  return a >= b;
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
