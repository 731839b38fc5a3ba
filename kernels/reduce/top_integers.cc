// SPDX-License-Identifier: Apache-2.0
// top for integers.
#include "kernels/reduce/top_line.h"
#include "kernels/variants.h"

namespace weft::kernels {

void TopOfIntegers(const TopShape& shape, const void* x, void* values, void* indices) {
  switch (shape.type) {
    case Element::kI32:
      return TopOf<int32_t>(shape, x, values, indices);
    case Element::kI64:
      return TopOf<int64_t>(shape, x, values, indices);
    case Element::kI8:
      return TopOf<int8_t>(shape, x, values, indices);
    case Element::kU8:
      return TopOf<uint8_t>(shape, x, values, indices);
    default:
      return;
  }
}

}  // namespace weft::kernels

const char weft_variant_top_integers = 0;
