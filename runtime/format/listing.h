// SPDX-License-Identifier: Apache-2.0
// The part of the format that weft.fbs cannot express: the numbers that mean "none", the limits,
// the kinds of step, and Rows, the view of a vector of the file that every reader uses. A missing
// vector reads as an empty one. Nothing here checks the file (runtime/verify.h does) or owns
// memory.
#ifndef WEFT_RUNTIME_FORMAT_LISTING_H_
#define WEFT_RUNTIME_FORMAT_LISTING_H_

#include <cstddef>
#include <cstdint>

#include "runtime/format/weft_generated.h"

namespace weft::format {

inline constexpr uint32_t kNoSlot = 0xFFFFFFFFu;   // an absent operand, slot or name
inline constexpr uint32_t kNoLimit = 0xFFFFFFFFu;  // of Section::trip_count
inline constexpr uint32_t kMaxSectionDepth = 16;   // sections inside each other
inline constexpr uint32_t kWeightsRegion = 0;
inline constexpr uint32_t kStateRegion = 1;
inline constexpr uint32_t kFirstScratchRegion = 2;
inline constexpr uint32_t kMaxSelfTestRuns = 1000;
inline constexpr uint32_t kWeightsAlignment = 64;  // of the weights vector in the file

// Row of ops.inc, from 1; the value of Step::kind.
enum class Kind : uint16_t {
  section = 0,
#define WEFT_STEP(name, ...) name,
#include "runtime/format/ops.inc"
#undef WEFT_STEP
};

// Indexed by Kind; see NameOf.
inline constexpr const char* kKindNames[] = {
    "section",
#define WEFT_STEP(name, ...) #name,
#include "runtime/format/ops.inc"
#undef WEFT_STEP
};

// The operand counts of a step. Bit i of `optional` is set if operand i, inputs first, may be
// absent.
struct Arity {
  uint8_t inputs, outputs, optional;
  constexpr uint32_t operands() const { return uint32_t{inputs} + outputs; }
  constexpr bool MayLack(uint32_t operand) const { return (optional >> operand & 1) != 0; }
};

// Parses the operands column of ops.inc, such as "x weights [start] -> y".
constexpr Arity ArityOf(const char* operands) {
  Arity arity = {};
  bool in_outputs = false;
  for (const char* at = operands; *at != '\0';) {
    const bool is_arrow = at[0] == '-' && at[1] == '>';
    if (is_arrow) {
      in_outputs = true;
    } else if (*at != ' ') {
      if (*at == '[')
        arity.optional = static_cast<uint8_t>(arity.optional | 1u << arity.operands());
      uint8_t& count = in_outputs ? arity.outputs : arity.inputs;
      ++count;
    }
    while (*at != ' ' && *at != '\0') ++at;
    while (*at == ' ') ++at;
  }
  return arity;
}

// Indexed by Kind. A section has no operands.
inline constexpr Arity kArity[] = {
    {0, 0, 0},
#define WEFT_STEP(name, Name, operands, ...) ArityOf(operands),
#include "runtime/format/ops.inc"
#undef WEFT_STEP
};
inline constexpr uint32_t kKindCount = sizeof(kArity) / sizeof(kArity[0]);

// Returns the name as in ops.inc, such as "dense", or "?" for a number that is no kind.
constexpr const char* NameOf(Kind kind) {
  const uint32_t row = static_cast<uint32_t>(kind);
  return row < kKindCount ? kKindNames[row] : "?";
}

constexpr uint32_t MaxOperands() {
  uint32_t max = 0;
  for (const Arity& arity : kArity) max = arity.operands() > max ? arity.operands() : max;
  return max;
}
inline constexpr uint32_t kMaxOperands = MaxOperands();

// Size of one element; sub-byte types are packed.
constexpr uint32_t BitsOf(ElementType type) {
  switch (type) {
#define WEFT_TYPE(name, Name, bits, ...) \
  case ElementType::name:                \
    return bits;
#include "kernels/types.inc"
#undef WEFT_TYPE
  }
  return 0;
}
inline constexpr uint32_t kElementTypeCount = static_cast<uint32_t>(ElementType::MAX) + 1;

// Readers access the bytes of the file in place.
static_assert(FLATBUFFERS_LITTLEENDIAN,
              "weft reads its models in place, on little-endian machines");

template <typename T>
struct Rows {
  const T* data = nullptr;
  uint32_t count = 0;
  const T& operator[](uint32_t index) const { return data[index]; }
  const T* begin() const { return data; }
  const T* end() const { return data + count; }
};

template <typename T>
Rows<T> RowsOf(const flatbuffers::Vector<const T*>* rows) {
  if (rows == nullptr) return {};
  return {reinterpret_cast<const T*>(rows->Data()), rows->size()};
}
inline Rows<uint32_t> RowsOf(const flatbuffers::Vector<uint32_t>* rows) {
  if (rows == nullptr) return {};
  return {reinterpret_cast<const uint32_t*>(rows->Data()), rows->size()};
}

// Returns the head of the self test, or null if there is none or it has too few bytes.
inline const SelfTest* SelfTestOf(const Model& model) {
  const flatbuffers::Vector<uint8_t>* bytes = model.self_test();
  if (bytes == nullptr || bytes->size() < sizeof(SelfTest)) return nullptr;
  return reinterpret_cast<const SelfTest*>(bytes->data());  // vectors begin on a multiple of 4
}

}  // namespace weft::format

#endif  // WEFT_RUNTIME_FORMAT_LISTING_H_
