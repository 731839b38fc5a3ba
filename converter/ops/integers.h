// SPDX-License-Identifier: Apache-2.0
// Operations on integers that their steps do not know: computed in i32, of which the low bits are
// kept. i32 holds every i8, u8 and i16, so a result that fits is exact and one that does not wraps
// around.
#ifndef WEFT_CONVERTER_OPS_INTEGERS_H_
#define WEFT_CONVERTER_OPS_INTEGERS_H_

#include <functional>
#include <initializer_list>

#include "converter/ops/operation.h"

namespace weft::ops {

inline constexpr std::initializer_list<ElementType> kNarrowIntegers = {
    ElementType::i8, ElementType::u8, ElementType::i16};
bool IsNarrowInteger(ElementType type);

// True when the node's inputs `operands` are of one type, f32 or integers of 8 to 64 bits; else
// faults, as CheckElements.
bool CheckNumeric(InferScope& scope, std::span<const size_t> operands);
// As above for integers alone.
bool CheckIntegers(InferScope& scope, std::span<const size_t> operands);

// Lowers a node whose input 0 is of one of the `narrow` types: `lower` sees it with i32 in place of
// that type, at every input and output that has it. Of any other type it is lowered as it is.
void LowerInI32(LowerScope& scope, std::initializer_list<ElementType> narrow,
                const std::function<void(LowerScope&)>& lower);

// The same for rows of the table, of all narrow integers where none are named.
template <void (*lower)(LowerScope&), ElementType... narrow>
void LowerNarrow(LowerScope& scope) {
  if constexpr (sizeof...(narrow) == 0) return LowerInI32(scope, kNarrowIntegers, lower);
  LowerInI32(scope, {narrow...}, lower);
}

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_INTEGERS_H_
