// SPDX-License-Identifier: Apache-2.0
// Building blocks of the rules of steps: ParamChecker checks parameters and operands, and keeps the
// first error. Everything is in elements until it is compared with a slot's bytes.
#ifndef WEFT_RUNTIME_BIND_PARAM_CHECKER_H_
#define WEFT_RUNTIME_BIND_PARAM_CHECKER_H_

#include <cstdint>

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"
#include "kernels/matrix/weights.h"
#include "kernels/matrix/window.h"
#include "runtime/bind/bind.h"
#include "runtime/footprint/footprint.h"
#include "runtime/format/listing.h"

namespace weft::bind {

using footprint::Clip;
using footprint::kF32;
using footprint::Numbers;
using footprint::Plus;
using footprint::Times;
using footprint::Unit;

// Elements from the first to the end of the last. The functions of numbers exist because firmware
// passes those in registers.
uint32_t ReachOf(uint32_t rows, uint32_t stride, uint32_t length);
uint32_t ReachOf(uint32_t rank, const uint32_t* dims, const uint32_t* strides);
constexpr uint32_t ReachOf(uint32_t count) { return count; }
constexpr uint32_t ReachOf(const footprint::Words& x) { return x.count; }
inline uint32_t ReachOf(const footprint::Rows& x) { return ReachOf(x.rows, x.stride, x.length); }
inline uint32_t ReachOf(const footprint::Dims& x) { return ReachOf(x.rank, x.dims, x.strides); }
uint32_t ReachOf(const footprint::SignedDims& x);
uint32_t ReachOf(const footprint::Matrices& x);
uint32_t ReachOf(const footprint::Map& x);
// Returns true for a single element, such as a loop counter, where computing the geometry would be
// most of the cost. Always false in firmware, where it is not worth the code.
inline bool IsOneElement(uint32_t rank, const uint32_t* dims) {
  if (kernels::kIsMicrocontroller) return false;
  for (uint32_t d = 0; d < rank; ++d) {
    if (dims[d] != 1) return false;
  }
  return true;
}
// Returns a step's operand with the kernel's type. Check has verified type and alignment.
template <typename T>
T* As(std::byte* operand) {
  return reinterpret_cast<T*>(operand);
}

inline kernels::Element ElementOf(format::ElementType type) {
  return static_cast<kernels::Element>(type);
}

// The reserved fields of a row; 0 if it has none. The second argument is 0.
template <typename Params>
auto ReservedOf(const Params& params, int) -> decltype(uint32_t{params.reserved()}) {
  return params.reserved();
}
template <typename Params>
auto ReservedOf(const Params& params, int) -> decltype(uint32_t{params.reserved0()}) {
  return uint32_t{params.reserved0()} | params.reserved1();
}
template <typename Params>
uint32_t ReservedOf(const Params&, long) {
  return 0;
}

class ParamChecker {
 public:
  static constexpr bool kHasShorts = false;  // shorts.h has the visitor of other steps
  ParamChecker(const OperandSlots& slots, Fault* fault) : slots_(slots), fault_(*fault) {}
  ParamChecker(const ParamChecker&) = delete;
  ParamChecker& operator=(const ParamChecker&) = delete;

  // A visitor of the step's footprint. Requires that the operand has the type of the unit, is
  // aligned to it and holds all elements. An absent operand is optional in its row of ops.inc
  // (CheckStep has checked that) and needs nothing.
  template <typename Elements>
  WEFT_INLINE void Reads(uint32_t operand, Unit unit, const Elements& elements) {
    RequireOperand(operand, unit, ReachOf(elements));
  }
  WEFT_INLINE void Reads(uint32_t operand, Unit unit, const footprint::Words& words) {
    RequireOperand(operand, unit, words.count);
    RequireOperand(operand, Unit::OfBytes(kernels::kWeightsAlignment), 0);
  }
  // Also requires that no element is written twice.
  template <typename Elements>
  WEFT_INLINE void Writes(uint32_t operand, Unit unit, const Elements& elements) {
    RequireApart(operand, unit, elements);
    Reads(operand, unit, elements);
  }
  void MayShare(uint32_t input, uint32_t output, bool holds) {
    shares_[output] = static_cast<uint8_t>(shares_[output] | uint32_t{holds} << input);
  }
  // Returns true if the step may write the output over the input; both are numbered as operands.
  bool Shares(uint32_t input, uint32_t output) const { return (shares_[output] >> input & 1) != 0; }

  // Requires of an operand, if it is present, the type of the unit, alignment to it, and so many
  // elements.
  void RequireOperand(uint32_t operand, Unit unit, uint32_t elements);
  void RequirePresent(uint32_t operand) {
    if (!IsPresent(operand)) Report(FaultCode::kOperandAbsent, operand, 0, 0);
  }
  // Requires 1, 2, 4 or 8.
  void RequireElementBytes(uint32_t element_bytes);
  // Requires i32 or i64.
  void RequireIndexType(format::ElementType type);

  // Requires an activation of float kernels that this program has linked: a known op, not
  // logical_not, with reserved fields 0.
  void RequireActivation(const format::Activation& activation);
  // The same, whether it is linked or not.
  void RequireKnownActivation(const format::Activation& activation);
  void RequireLinkedActivation(const format::Activation& activation);
  void RequireZero(uint32_t reserved) {
    Require(reserved == 0, FaultCode::kParamReserved, reserved);
  }
  // The numbers of the following functions may be enums.
  template <typename Is>
  void RequireAtMost(FaultCode code, Is is, uint32_t must) {
    Require(static_cast<uint32_t>(is) <= must, code, is, must);
  }
  template <typename Is>
  void RequireAtLeast(FaultCode code, Is is, uint32_t must) {
    Require(static_cast<uint32_t>(is) >= must, code, is, must);
  }
  template <typename Is>
  void RequireBelow(FaultCode code, Is is, uint32_t must) {
    Require(static_cast<uint32_t>(is) < must, code, is, must);
  }
  // Inlined, because the condition nearly always holds.
  template <typename Is, typename Must = uint32_t>
  WEFT_INLINE void Require(bool holds, FaultCode code, Is is, Must must = {}) {
    if (!holds) Refuse(code, static_cast<uint32_t>(is), static_cast<uint32_t>(must));
  }
  // Checks a window of `taps` taps, `dilation` apart, that moves by `stride`. Neither may be 0, and
  // all positions must fit in a signed 32-bit number, in which the kernels count.
  void RequireWindow(uint32_t in, uint32_t out, uint32_t taps, uint32_t stride, uint32_t dilation,
                     uint32_t pad);

  bool ok() const { return fault_.ok(); }
  bool IsPresent(uint32_t operand) const { return slots_[operand].present; }

 private:
  static_assert(format::kMaxOperands <= 8, "shares_ must have a bit for each input");

  void Report(FaultCode code, uint32_t operand, uint32_t is, uint32_t must);
  void Refuse(FaultCode code, uint32_t is, uint32_t must);
  template <typename Elements>
  void RequireApart(uint32_t, Unit, const Elements&) {}
  void RequireApart(uint32_t, Unit, const footprint::Rows& rows) {
    if (rows.rows > 1) RequireAtLeast(FaultCode::kParamRows, rows.stride, rows.length);
  }
  void RequireApart(uint32_t operand, Unit unit, const footprint::SignedDims& moved) {
    RequireOperand(operand, unit, footprint::CountOf(moved.rank, moved.dims));
  }
  // The stride of each axis is at least the extent of all axes with smaller strides.
  void RequireApart(uint32_t operand, Unit unit, const footprint::Map& map);

  const OperandSlots& slots_;
  uint8_t shares_[format::kMaxOperands] = {};  // bit i: with input i
  Fault& fault_;
};

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_PARAM_CHECKER_H_
