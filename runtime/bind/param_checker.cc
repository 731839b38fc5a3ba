// SPDX-License-Identifier: Apache-2.0
#include "runtime/bind/param_checker.h"

namespace weft::bind {

// Kernels include no other folder, so their enums repeat those of the format; both are visible
// here.
#define WEFT_TYPE(name, Name, ...)                                                                \
  static_assert(                                                                                  \
      static_cast<int>(kernels::Element::k##Name) == static_cast<int>(format::ElementType::name), \
      "kernels/types.inc and enum ElementType of runtime/format/weft.fbs differ at " #name);
#include "kernels/types.inc"
#undef WEFT_TYPE
static_assert(
    static_cast<int>(kernels::Element::kBoolean) == static_cast<int>(format::ElementType::MAX),
    "enum ElementType of runtime/format/weft.fbs has types without a row in kernels/types.inc");
#define WEFT_FUNCTION(name, Name, ...)                                                        \
  static_assert(                                                                              \
      static_cast<int>(kernels::UnaryOp::k##Name) == static_cast<int>(format::UnaryOp::name), \
      "kernels/elementwise/functions.inc and enum UnaryOp of runtime/format/weft.fbs differ " \
      "at " #name);
#include "kernels/elementwise/functions.inc"
#undef WEFT_FUNCTION
static_assert(kernels::kUnaryOpCount == static_cast<int>(format::UnaryOp::MAX) + 1,
              "enum UnaryOp of runtime/format/weft.fbs has ops without a row in "
              "kernels/elementwise/functions.inc");

uint32_t ReachOf(uint32_t rows, uint32_t stride, uint32_t length) {
  if (rows == 0 || length == 0) return 0;
  return Plus(Times(rows - 1, stride), length);
}

uint32_t ReachOf(uint32_t rank, const uint32_t* dims, const uint32_t* strides) {
  uint32_t reach = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    if (dims[i] == 0) return 0;
    reach = Plus(reach, Times(dims[i] - 1, strides[i]));
  }
  return reach;
}

// Saturates if the access leaves the slot at its start.
uint32_t ReachOf(const footprint::SignedDims& x) {
  if (footprint::CountOf(x.rank, x.dims) == 0) return 0;
  uint32_t forward = Plus(x.offset, 1);
  uint32_t backward = 0;
  for (uint32_t i = 0; i < x.rank; ++i) {
    const auto stride = static_cast<uint32_t>(x.strides[i]);
    const bool is_backward = x.strides[i] < 0;
    uint32_t& distance = is_backward ? backward : forward;
    distance = Plus(distance, Times(x.dims[i] - 1, is_backward ? 0u - stride : stride));
  }
  return backward > x.offset ? footprint::kOutOfReach : forward;
}

uint32_t ReachOf(const footprint::Matrices& x) {
  if (x.rows == 0 || x.columns == 0) return 0;
  return Plus(ReachOf(x.batch),
              Plus(Times(x.rows - 1, x.row_stride), Times(x.columns - 1, x.column_stride)));
}

uint32_t ReachOf(const footprint::Map& x) {
  const uint32_t dims[] = {x.images, x.height, x.width, x.channels};
  const uint32_t strides[] = {x.strides.image(), x.strides.row(), x.strides.pixel(),
                              x.strides.channel()};
  return ReachOf(4, dims, strides);
}

void ParamChecker::Report(FaultCode code, uint32_t operand, uint32_t is, uint32_t must) {
  if (fault_.ok()) fault_ = {code, 0, static_cast<uint8_t>(operand), 0, is, must};
}

void ParamChecker::Refuse(FaultCode code, uint32_t is, uint32_t must) { Report(code, 0, is, must); }

void ParamChecker::RequireOperand(uint32_t operand, Unit unit, uint32_t elements) {
  const OperandSlot& slot = slots_[operand];
  if (!slot.present) return;
  const auto type = static_cast<uint32_t>(slot.type);
  if (unit.code() < Unit::kAnyType && unit.code() != type) {
    return Report(FaultCode::kOperandType, operand, type, unit.code());
  }
  const uint32_t bits = unit.bits(), alignment_bytes = bits < 8 ? 1 : bits / 8;
  const uint64_t bytes =
      elements == footprint::kOutOfReach ? uint64_t{1} << 32 : (uint64_t{elements} * bits + 7) / 8;
  if (bytes > slot.bytes) {
    Report(FaultCode::kOperandBytes, operand, slot.bytes, Clip(bytes));
  } else if (slot.alignment_bytes < alignment_bytes) {
    Report(FaultCode::kOperandAlignment, operand, slot.alignment_bytes, alignment_bytes);
  }
}

void ParamChecker::RequireElementBytes(uint32_t element_bytes) {
  Require(element_bytes == 1 || element_bytes == 2 || element_bytes == 4 || element_bytes == 8,
          FaultCode::kParamElementBytes, element_bytes, 0);
}

void ParamChecker::RequireIndexType(format::ElementType type) {
  Require(type == format::ElementType::i32 || type == format::ElementType::i64,
          FaultCode::kParamType, static_cast<uint32_t>(type), 0);
}

void ParamChecker::RequireActivation(const format::Activation& activation) {
  RequireKnownActivation(activation);
  RequireLinkedActivation(activation);
}

void ParamChecker::RequireKnownActivation(const format::Activation& activation) {
  constexpr uint32_t kNot = static_cast<uint32_t>(format::UnaryOp::logical_not);
  const uint32_t op = static_cast<uint32_t>(activation.op());
  Require(op != kNot, FaultCode::kParamOp, op, kNot);
  RequireBelow(FaultCode::kParamOp, op, kernels::kUnaryOpCount);
  RequireZero(ReservedOf(activation, 0));
}

void ParamChecker::RequireLinkedActivation(const format::Activation& activation) {
  const uint32_t op = static_cast<uint32_t>(activation.op());
  Require(kernels::IsLinked(static_cast<kernels::UnaryOp>(op)), FaultCode::kActivationAbsent, op,
          0);
}

void ParamChecker::RequireApart(uint32_t, Unit, const footprint::Map& map) {
  const uint32_t dims[] = {map.images, map.height, map.width, map.channels};
  const uint32_t strides[] = {map.strides.image(), map.strides.row(), map.strides.pixel(),
                              map.strides.channel()};
  if (footprint::CountOf(4, dims) == 0) return;
  for (uint32_t i = 0; i < 4; ++i) {
    if (dims[i] == 1) continue;
    uint32_t inner = 1;  // the extent of the axes with smaller or equal strides
    for (uint32_t j = 0; j < 4; ++j) {
      if (j != i && strides[j] <= strides[i]) inner = Plus(inner, Times(dims[j] - 1, strides[j]));
    }
    RequireAtLeast(FaultCode::kParamRows, strides[i], inner);
  }
}

void ParamChecker::RequireWindow(uint32_t in, uint32_t out, uint32_t taps, uint32_t stride,
                                 uint32_t dilation, uint32_t pad) {
  constexpr uint32_t kFarthest = 0x7FFFFFFFu;
  RequireAtLeast(FaultCode::kParamStride, stride, 1);
  RequireAtLeast(FaultCode::kParamStride, dilation, 1);
  const uint32_t last_start = out == 0 ? 0 : Times(out - 1, stride);
  const uint32_t last_tap = taps == 0 ? 0 : Times(taps - 1, dilation);
  RequireAtMost(FaultCode::kParamWindow, Plus(last_start, last_tap), kFarthest);
  RequireAtMost(FaultCode::kParamWindow, in, kFarthest);
  RequireAtMost(FaultCode::kParamWindow, pad, kFarthest);
}

}  // namespace weft::bind
