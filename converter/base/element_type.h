// SPDX-License-Identifier: Apache-2.0
// Element types and shapes of the converter. Dims are 64-bit here, so that products can be checked
// before they are narrowed to the format's 32 bits.
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

// An element type of the IR that the file format lacks. Its constants are read as type `to`, which
// holds the same numbers, except u64 numbers from 2^63 on.
struct WidenedType {
  std::string_view name;    // "u16"
  std::string_view legacy;  // "U16"
  int bits;
  ElementType to;
};

int64_t BitsOf(ElementType type);
// Bytes of one element; 0 for types of less than a byte.
int64_t ElementBytes(ElementType type);
// Product of the dims; nullopt if a dim is negative or the product exceeds 2^62. A scalar has one
// element.
std::optional<int64_t> ElementCount(std::span<const int64_t> dims);
// Product of dims[first, last), without checks.
int64_t ProductOf(std::span<const int64_t> dims, size_t first, size_t last);
// Bytes of a dense tensor (elements of less than a byte are packed); nullopt if ElementCount is, or
// beyond 4 GiB.
std::optional<int64_t> DenseBytes(const TensorType& tensor);
// The type of a slot, with the maximum of an axis of run-time length.
TensorType TypeOfSlot(const format::Model& model, const format::Slot& slot);
// The IR's name of the type: "f32", "i64", "boolean".
std::string_view Name(ElementType type);
// Accepts both names of the IR: "f32" and "FP32", "boolean" and "BOOL".
std::optional<ElementType> ParseElementType(std::string_view text);
// Accepts both names; null if no widened type has the name.
const WidenedType* FindWidenedType(std::string_view text);
// All types of the file format, for messages: "f32 f16 bf16 ...".
std::string ElementTypeNames();
// "f32[1,64]"; a dynamic axis, which is -1, is "?" as in the option --shape.
std::string ToString(const TensorType& tensor);
// "[1,64]". Also for numbers that are no dims; -1 stays a number.
std::string ToString(std::span<const int64_t> numbers);

bool IsFloat(ElementType type);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_ELEMENT_TYPE_H_
