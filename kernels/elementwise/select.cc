// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/select.h"

#include "kernels/elementwise/broadcast.h"

namespace weft::kernels {
namespace {

template <typename T>
void SelectBlock(const void* const* x, void* y, size_t count) {
  const uint8_t* condition = static_cast<const uint8_t*>(x[0]);
  const Raw<T>* a = static_cast<const Raw<T>*>(x[1]);
  const Raw<T>* b = static_cast<const Raw<T>*>(x[2]);
  Raw<T>* out = static_cast<Raw<T>*>(y);
  for (size_t i = 0; i < count; ++i) {
    const T mask = static_cast<T>(T{0} - static_cast<T>(condition[i] != 0));
    out[i].bits = static_cast<T>((a[i].bits & mask) | (b[i].bits & ~mask));
  }
}

BlockFunction Choose(uint32_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return SelectBlock<uint8_t>;
    case 2:
      return SelectBlock<uint16_t>;
    case 4:
      return SelectBlock<uint32_t>;
    default:
      return SelectBlock<uint64_t>;
  }
}

}  // namespace

void Select(const SelectShape& shape, const void* condition, const void* a, const void* b,
            void* y) {
  const uint32_t bytes = shape.element_bytes;
  const BroadcastOperand operands[] = {{condition, shape.condition_strides, 1},
                                       {a, shape.a_strides, bytes},
                                       {b, shape.b_strides, bytes}};
  ForBlocks(shape.rank, shape.dims, operands, 3, y, bytes, Choose(bytes));
}

void SelectOne(uint32_t element_bytes, const void* condition, const void* a, const void* b,
               void* y) {
  const void* const x[] = {condition, a, b};
  Choose(element_bytes)(x, y, 1);
}

}  // namespace weft::kernels
