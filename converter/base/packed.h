// SPDX-License-Identifier: Apache-2.0
// NumPy has no i4 and u4. Its files and arrays hold packed i4 and u4 as uint8, in one axis.
#ifndef WEFT_CONVERTER_BASE_PACKED_H_
#define WEFT_CONVERTER_BASE_PACKED_H_

#include "converter/base/element_type.h"

namespace weft {

inline bool IsPacked(ElementType type) { return ElementBytes(type) == 0; }

// Returns true if an array of type `is` has the packed bytes of one tensor of type `of`.
inline bool ArePackedBytes(const TensorType& is, const TensorType& of) {
  return IsPacked(of.type) && is.type == ElementType::u8 && is.dims.size() == 1 &&
         DenseBytes(of) == is.dims[0];
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_PACKED_H_
