// SPDX-License-Identifier: Apache-2.0
// Single elements out of dense bytes, which need no alignment (a constant lies anywhere in its
// .bin). The index must lie inside; all functions are exact.
#ifndef WEFT_CONVERTER_BASE_ELEMENTS_H_
#define WEFT_CONVERTER_BASE_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "converter/base/element_type.h"

namespace weft {

// Of f32, f16, bf16, f64.
double RealAt(ElementType type, std::span<const std::byte> bytes, size_t index);
// Of the integer types and boolean; sub-byte elements lie low nibble first.
int64_t IntegerAt(ElementType type, std::span<const std::byte> bytes, size_t index);
// The number as it stands in the file: u1 lies high bit first.
uint64_t WidenedAt(const WidenedType& type, std::span<const std::byte> bytes, size_t index);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_ELEMENTS_H_
