// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/select.h"

#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/map_elements.h"

namespace weft::kernels {
namespace {

template <typename T>
void SelectBlock(const void* const* x, void* y, size_t count) {
  const auto selected = [](uint8_t condition, const Raw<T>& a, const Raw<T>& b) {
    const T mask = static_cast<T>(T{0} - static_cast<T>(condition != 0));
    return Raw<T>{static_cast<T>((a.bits & mask) | (b.bits & ~mask))};
  };
  MapElements(selected, count, static_cast<Raw<T>*>(y), static_cast<const uint8_t*>(x[0]),
              static_cast<const Raw<T>*>(x[1]), static_cast<const Raw<T>*>(x[2]));
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
