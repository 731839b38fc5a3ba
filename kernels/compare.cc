// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare.h"

#include "kernels/broadcast.h"

namespace weft::kernels {
namespace {

// A byte of which any value but zero is true; read as bool it would be undefined beyond 1.
struct Boolean {
  uint8_t byte;
};

template <typename T>
T ValueOf(T element) {
  return element;
}
int8_t ValueOf(Boolean element) { return element.byte != 0; }

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

struct Row {
  BlockFunction function;
  uint32_t element_bytes;
};

Row Choose(CompareOp op, Element type) {
  switch (type) {
    case Element::kF32:
      return {CompareOf<float>(op), 4};
    case Element::kI32:
      return {CompareOf<int32_t>(op), 4};
    case Element::kI64:
      return {CompareOf<int64_t>(op), 8};
    case Element::kI8:
      return {CompareOf<int8_t>(op), 1};
    case Element::kU8:
      return {CompareOf<uint8_t>(op), 1};
    case Element::kBoolean:
      return {CompareOf<Boolean, int8_t>(op), 1};
    default:
      return {nullptr, 0};
  }
}

}  // namespace

bool CompareKnows(Element type) { return Choose(CompareOp::kEqual, type).function != nullptr; }

void Compare(const CompareShape& shape, const void* a, const void* b, void* y) {
  const Row row = Choose(shape.op, shape.type);
  if (row.function == nullptr) return;
  const BroadcastOperand operands[] = {{a, shape.a_strides, row.element_bytes},
                                       {b, shape.b_strides, row.element_bytes}};
  ForBlocks(shape.rank, shape.dims, operands, 2, y, 1, row.function);
}

}  // namespace weft::kernels
