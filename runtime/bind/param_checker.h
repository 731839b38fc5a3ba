// SPDX-License-Identifier: Apache-2.0
// Building blocks of the validation rules: counts that saturate instead of overflowing, the extent
// of a strided access, and ParamChecker, which checks operands and parameters and keeps the first
// error. Everything is in elements until it is compared with a slot's bytes.
#ifndef WEFT_RUNTIME_BIND_PARAM_CHECKER_H_
#define WEFT_RUNTIME_BIND_PARAM_CHECKER_H_

#include <cstdint>

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"
#include "kernels/matrix/window.h"
#include "runtime/bind/bind.h"
#include "runtime/format/listing.h"

namespace weft::bind {

// The saturated count: this value or more. No slot is that large, so a saturated count never fits.
inline constexpr uint32_t kOutOfReach = 0xFFFFFFFFu;

constexpr uint32_t Clip(uint64_t count) {
  return count < kOutOfReach ? static_cast<uint32_t>(count) : kOutOfReach;
}
constexpr uint32_t Times(uint32_t a, uint32_t b) { return Clip(uint64_t{a} * b); }
constexpr uint32_t Plus(uint32_t a, uint32_t b) { return Clip(uint64_t{a} + b); }

// Elements from the first to the end of `rows` rows of `length` elements, `stride` apart.
constexpr uint32_t RowsReach(uint32_t rows, uint32_t stride, uint32_t length) {
  if (rows == 0 || length == 0) return 0;
  return Plus(Times(rows - 1, stride), length);
}

// The same for a strided access over `dims`; 0 if a dim is 0, 1 for rank 0.
uint32_t StridedReach(uint32_t rank, const uint32_t* dims, const uint32_t* strides);
// Product of the dims.
uint32_t StridedCount(uint32_t rank, const uint32_t* dims);
// Returns true for a single element, such as a loop counter, where computing the geometry would be
// most of the cost. Always false in firmware, where it is not worth the code.
inline bool IsOneElement(uint32_t rank, const uint32_t* dims) {
  if (kernels::kIsMicrocontroller) return false;
  for (uint32_t d = 0; d < rank; ++d) {
    if (dims[d] != 1) return false;
  }
  return true;
}
// Returns true if the access visits the elements in contiguous order, so that an output may be
// written over the operand that is read.
bool IsInOrder(uint32_t rank, const uint32_t* dims, const uint32_t* strides);

// Returns the data of a fixed array in a parameter row.
template <uint16_t N>
const uint32_t* Numbers(const flatbuffers::Array<uint32_t, N>* array) {
  return reinterpret_cast<const uint32_t*>(array->Data());
}
template <uint16_t N>
const int32_t* Numbers(const flatbuffers::Array<int32_t, N>* array) {
  return reinterpret_cast<const int32_t*>(array->Data());
}
// Copies a fixed array of a parameter row into a kernel's geometry.
template <typename T, uint16_t N>
void Assign(T (&to)[N], const flatbuffers::Array<T, N>* from) {
  const T* numbers = Numbers(from);
  for (uint32_t i = 0; i < N; ++i) to[i] = numbers[i];
}

// The extents of a map; channels over all groups.
struct MapExtents {
  uint32_t images, height, width, channels;
};
uint32_t MapReach(const MapExtents& extents, const format::MapStrides& strides);

inline constexpr format::ElementType kF32 = format::ElementType::f32;

// Returns a step's operand with the kernel's type. Check has verified type and alignment.
template <typename T>
T* As(std::byte* operand) {
  return reinterpret_cast<T*>(operand);
}

// Inlined, so that nothing is stored twice of an enclosing shape.
__attribute__((always_inline)) inline kernels::Activation ActivationOf(
    const format::Activation& activation) {
  return {activation.alpha(), activation.beta(), activation.clip(),
          static_cast<kernels::UnaryOp>(activation.op())};
}
inline kernels::MapStrides StridesOf(const format::MapStrides& strides) {
  return {strides.image(), strides.row(), strides.pixel(), strides.channel()};
}
inline kernels::Element ElementOf(format::ElementType type) {
  return static_cast<kernels::Element>(type);
}

class ParamChecker {
 public:
  explicit ParamChecker(const OperandSlots& slots) : slots_(slots) {}
  ParamChecker(const ParamChecker&) = delete;
  ParamChecker& operator=(const ParamChecker&) = delete;

  // Requires that the operand has this type, is aligned to it and holds at least `elements`. An
  // absent operand is optional in its row of ops.inc (CheckStep has checked that) and needs
  // nothing.
  void RequireOperand(uint32_t operand, format::ElementType type, uint32_t elements);
  // Requires that the operand's address is a multiple of `alignment_bytes` in every iteration.
  void RequireAlignment(uint32_t operand, uint32_t alignment_bytes) {
    RequireRoom(operand, alignment_bytes, 0);
  }
  // Any type, moved as elements of 1, 2, 4 or 8 bytes (see RequireElementBytes).
  void RequireElements(uint32_t operand, uint32_t element_bytes, uint32_t elements);
  void RequireElementBytes(uint32_t element_bytes);

  // Requires an activation of float kernels that this program has linked: a known op, not
  // logical_not, with reserved fields 0.
  void RequireActivation(const format::Activation& activation);
  // The same, whether it is linked or not.
  void RequireKnownActivation(const format::Activation& activation);
  void RequireLinkedActivation(const format::Activation& activation);
  void RequireZero(uint32_t reserved);
  void RequireAtMost(FaultCode code, uint32_t is, uint32_t must) {
    Require(is <= must, code, is, must);
  }
  void RequireAtLeast(FaultCode code, uint32_t is, uint32_t must) {
    Require(is >= must, code, is, must);
  }
  void RequireBelow(FaultCode code, uint32_t is, uint32_t must) {
    Require(is < must, code, is, must);
  }
  // Requires that rows of an output do not overlap.
  void RequireRowsApart(uint32_t rows, uint32_t stride, uint32_t length) {
    if (rows > 1) RequireAtLeast(FaultCode::kParamRows, stride, length);
  }
  // Requires that the elements of a written map do not overlap: the stride of each axis is at least
  // the extent of all axes with smaller strides.
  void RequireApart(const MapExtents& extents, const format::MapStrides& strides);
  // Checks a window of `taps` taps, `dilation` apart, that moves by `stride`. Neither may be 0, and
  // all positions must fit in a signed 32-bit number, in which the kernels count.
  void RequireWindow(uint32_t in, uint32_t out, uint32_t taps, uint32_t stride, uint32_t dilation,
                     uint32_t pad);
  // Inlined, because the condition nearly always holds.
  __attribute__((always_inline)) void Require(bool holds, FaultCode code, uint32_t is,
                                              uint32_t must) {
    if (!holds) Refuse(code, is, must);
  }

  const Fault& fault() const { return fault_; }

 private:
  void Report(FaultCode code, uint32_t operand, uint32_t is, uint32_t must);
  void Refuse(FaultCode code, uint32_t is, uint32_t must);
  void RequireRoom(uint32_t operand, uint32_t alignment_bytes, uint64_t bytes);

  const OperandSlots& slots_;
  Fault fault_;
};

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_PARAM_CHECKER_H_
