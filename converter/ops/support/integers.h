// SPDX-License-Identifier: Apache-2.0
// Integer operations whose steps lack a narrow type: computed in i32, of which the low bits are
// kept. i32 holds every i8, u8 and i16, so that results that fit are exact and others wrap around.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_INTEGERS_H_
#define WEFT_CONVERTER_OPS_SUPPORT_INTEGERS_H_

#include <functional>
#include <initializer_list>

#include "converter/ops/operation.h"

namespace weft::ops {

inline constexpr std::initializer_list<ElementType> kNarrowIntegers = {
    ElementType::i8, ElementType::u8, ElementType::i16};
bool IsNarrowInteger(ElementType type);

// Returns true if the node's inputs `operands` are all f32 or all of one integer type of 8 to 64
// bits; else reports errors like CheckElements.
bool CheckNumeric(InferScope& scope, std::span<const size_t> operands);
// The same for integers only.
bool CheckIntegers(InferScope& scope, std::span<const size_t> operands);

// Lowers a node whose input 0 may have one of the `narrow` types. If it has, `lower` sees i32
// instead of that type at every input and output that has it. Otherwise the node is lowered
// unchanged.
void LowerInI32(LowerScope& scope, std::initializer_list<ElementType> narrow,
                const std::function<void(LowerScope&)>& lower);

// LowerInI32 in the form of a table entry. `narrow` defaults to all narrow integers.
template <void (*lower)(LowerScope&), ElementType... narrow>
void LowerNarrow(LowerScope& scope) {
  if constexpr (sizeof...(narrow) == 0) return LowerInI32(scope, kNarrowIntegers, lower);
  LowerInI32(scope, {narrow...}, lower);
}

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_INTEGERS_H_
