// SPDX-License-Identifier: Apache-2.0
// Reads single elements of dense bytes, which need no alignment (a constant may start anywhere in
// its .bin). The index must be in range. All functions are exact.
#ifndef WEFT_CONVERTER_BASE_ELEMENTS_H_
#define WEFT_CONVERTER_BASE_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "converter/base/element_type.h"

namespace weft {

// For f32, f16, bf16 and f64.
double RealAt(ElementType type, std::span<const std::byte> bytes, size_t index);
// For the integer types and boolean. Elements of 4 bits are stored low nibble first.
int64_t IntegerAt(ElementType type, std::span<const std::byte> bytes, size_t index);
// Returns the stored number. Elements of u1 are stored high bit first.
uint64_t WidenedAt(const WidenedType& type, std::span<const std::byte> bytes, size_t index);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_ELEMENTS_H_
