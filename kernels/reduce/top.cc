// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/top.h"

#include "kernels/reduce/top_line.h"

namespace weft::kernels {

__attribute__((weak)) void TopOfIntegers(const TopShape& shape, const void* x, void* values,
                                         void* indices);

bool TopKnows(Element type) {
  return type == Element::kF32 || type == Element::kI32 || type == Element::kI64 ||
         type == Element::kI8 || type == Element::kU8;
}

void Top(const TopShape& shape, const void* x, void* values, void* indices) {
  if (shape.type == Element::kF32) return TopOf<float>(shape, x, values, indices);
  if (&TopOfIntegers != nullptr) TopOfIntegers(shape, x, values, indices);
}

}  // namespace weft::kernels
