// SPDX-License-Identifier: Apache-2.0
// Types of tensors that tests of the converter name in one word.
#ifndef WEFT_TESTS_CONVERTER_TYPES_H_
#define WEFT_TESTS_CONVERTER_TYPES_H_

#include <utility>

#include "converter/base/element_type.h"

namespace weft {

inline TensorType F32(Dims dims) { return {ElementType::f32, std::move(dims)}; }

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_TYPES_H_
