// SPDX-License-Identifier: Apache-2.0
// Element types and shapes as the whole converter speaks of them. Dims are 64-bit here, so that
// products can be checked before they are narrowed to the format's 32 bits.
#ifndef WEFT_CONVERTER_BASE_ELEMENT_TYPE_H_
#define WEFT_CONVERTER_BASE_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/format/weft_generated.h"

namespace weft {

using format::ElementType;
using Dims = std::vector<int64_t>;

struct TensorType {
  ElementType type = ElementType::f32;
  Dims dims;
  bool operator==(const TensorType&) const = default;
};

// An element type of the IR that the format lacks. Constants of it are read as a type that holds
// the same numbers, but for those of u64 from 2^63 on.
struct WidenedType {
  std::string_view name;    // as below
  std::string_view legacy;  // likewise
  int bits;
  ElementType to;
};

int64_t BitsOf(ElementType type);
// Whole bytes of one element; 0 for the sub-byte types.
int64_t ElementBytes(ElementType type);
// Product of the dims; nullopt when negative or beyond 2^62. Scalars have one element.
std::optional<int64_t> ElementCount(std::span<const int64_t> dims);
// Bytes of a dense tensor (sub-byte elements packed); nullopt as above or beyond 4 GiB.
std::optional<int64_t> DenseBytes(const TensorType& tensor);
// "f32", "i64", "boolean": the words of the IR.
std::string_view Name(ElementType type);
// Accepts both spellings of the IR: "f32" and "FP32", "boolean" and "BOOL".
std::optional<ElementType> ParseElementType(std::string_view text);
// As above; null where it is none of these.
const WidenedType* FindWidenedType(std::string_view text);
// All of the format's, for messages: "f32 f16 bf16 ...".
std::string ElementTypeNames();
// "f32[1,64]".
std::string ToString(const TensorType& tensor);
std::string ToString(std::span<const int64_t> dims);  // "[1,64]"

bool IsFloat(ElementType type);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_ELEMENT_TYPE_H_
