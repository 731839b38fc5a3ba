// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for compare: exact, for every supported type.
#ifndef WEFT_KERNELS_REFERENCE_COMPARE_H_
#define WEFT_KERNELS_REFERENCE_COMPARE_H_

#include "kernels/elementwise/compare.h"

namespace weft::kernels {

template <typename T>
bool CompareReference(CompareOp op, T a, T b) {
  const bool is_less = a < b;
  const bool is_equal = a == b;
  const bool is_greater = b < a;  // with a NaN, all three are false
  switch (op) {
    case CompareOp::kEqual:
      return is_equal;
    case CompareOp::kNotEqual:
      return !is_equal;
    case CompareOp::kLess:
      return is_less;
    case CompareOp::kLessEqual:
      return is_less || is_equal;
    case CompareOp::kGreater:
      return is_greater;
    case CompareOp::kGreaterEqual:
      return is_greater || is_equal;
  }
  return false;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_COMPARE_H_
