// SPDX-License-Identifier: Apache-2.0
// What the validation rules of a step are written in: counts that saturate instead of overflowing,
// the extent of a strided walk, and ParamChecker, which checks operands and parameters and keeps
// the first fault. Everything is in elements until it is compared with a slot's bytes.
#ifndef WEFT_RUNTIME_BIND_PARAM_CHECKER_H_
#define WEFT_RUNTIME_BIND_PARAM_CHECKER_H_

#include <cstdint>

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"
#include "kernels/matrix/window.h"
#include "runtime/bind/bind.h"
#include "runtime/format/listing.h"

namespace weft::bind {

// Stands for every count from here up. No slot is that large, so a saturated count fits nowhere.
inline constexpr uint32_t kOutOfReach = 0xFFFFFFFFu;

constexpr uint32_t Clip(uint64_t count) {
  return count < kOutOfReach ? static_cast<uint32_t>(count) : kOutOfReach;
}
constexpr uint32_t Times(uint32_t a, uint32_t b) { return Clip(uint64_t{a} * b); }
constexpr uint32_t Plus(uint32_t a, uint32_t b) { return Clip(uint64_t{a} + b); }

// Elements from the first to behind the last of `rows` rows of `length` elements, `stride` apart.
constexpr uint32_t RowsReach(uint32_t rows, uint32_t stride, uint32_t length) {
  if (rows == 0 || length == 0) return 0;
  return Plus(Times(rows - 1, stride), length);
}

// The same for a walk over `dims`; 0 where a dim is 0, 1 for rank 0.
uint32_t WalkReach(uint32_t rank, const uint32_t* dims, const uint32_t* strides);
// Product of the dims.
uint32_t WalkCount(uint32_t rank, const uint32_t* dims);
// True of numbers by themselves, as of loops that count: there the walk and its geometry would be
// most of the cost. Not worth code in firmware.
inline bool IsOneElement(uint32_t rank, const uint32_t* dims) {
  if (kernels::kIsMicrocontroller) return false;
  for (uint32_t d = 0; d < rank; ++d) {
    if (dims[d] != 1) return false;
  }
  return true;
}
// True where the walk visits the elements one after the other, so that an output may be written
// over the operand it reads.
bool WalksInOrder(uint32_t rank, const uint32_t* dims, const uint32_t* strides);

// The numbers of a fixed array in a parameter row.
template <uint16_t N>
const uint32_t* Numbers(const flatbuffers::Array<uint32_t, N>* array) {
  return reinterpret_cast<const uint32_t*>(array->Data());
}
template <uint16_t N>
const int32_t* Numbers(const flatbuffers::Array<int32_t, N>* array) {
  return reinterpret_cast<const int32_t*>(array->Data());
}
// Copies them into a kernel's geometry.
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

// A step's operand as the kernel sees it. Check has held it to this type and its alignment.
template <typename T>
T* As(std::byte* operand) {
  return reinterpret_cast<T*>(operand);
}

// Inlined, so that nothing is stored twice of a shape around it.
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

  // The operand is of this type, aligned to it and holds at least `elements`. One that is absent is
  // optional in its row of ops.inc (CheckStep has seen to that) and needs nothing.
  void RequireOperand(uint32_t operand, format::ElementType type, uint32_t elements);
  // Its address is a multiple of that in every iteration.
  void RequireAlignment(uint32_t operand, uint32_t alignment_bytes) {
    RequireRoom(operand, alignment_bytes, 0);
  }
  // Any type, moved as elements of 1, 2, 4 or 8 bytes (see RequireElementBytes).
  void RequireElements(uint32_t operand, uint32_t element_bytes, uint32_t elements);
  void RequireElementBytes(uint32_t element_bytes);

  // An activation of float kernels that this program has linked: known op, not logical_not,
  // reserved fields zero.
  void RequireActivation(const format::Activation& activation);
  // The same, linked or not.
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
  // Rows of an output do not run into each other.
  void RequireRowsApart(uint32_t rows, uint32_t stride, uint32_t length) {
    if (rows > 1) RequireAtLeast(FaultCode::kParamRows, stride, length);
  }
  // No two elements of a written map lie in one place: a step along each of its axes leads beyond
  // all that the axes of smaller steps hold.
  void RequireApart(const MapExtents& extents, const format::MapStrides& strides);
  // A window of `taps` that are `dilation` apart moves by `stride`: none is 0, and no position of
  // it leaves the range of a signed 32-bit number, in which the kernels count.
  void RequireWindow(uint32_t in, uint32_t out, uint32_t taps, uint32_t stride, uint32_t dilation,
                     uint32_t pad);
  // No call where it holds, as it does nearly always.
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
