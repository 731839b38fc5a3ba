// SPDX-License-Identifier: Apache-2.0
// The integers and booleans of compare.
#include "kernels/elementwise/compare_block.h"
#include "kernels/variants.h"

namespace weft::kernels {

TypedBlock CompareOfIntegers(CompareOp op, Element type) {
  switch (type) {
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
      return {};
  }
}

}  // namespace weft::kernels

const char weft_variant_compare_integers = 0;
