// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/unary.h"

#include <limits>

#include "kernels/elementwise/map_elements.h"
#include "kernels/elementwise/number.h"
#include "kernels/integer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/unary.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

void UnaryOfFloats(const Activation& activation, const float* x, float* y, size_t count) {
  ActivateSpan(activation, x, y, count);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(UnaryOfFloats);

namespace {

// The integer version of Clamp; relu, clamp and identity all use it.
template <typename T>
void ClampIntegers(T low, T high, const T* x, T* y, size_t count) {
  const auto clamped = [low, high](T element) {
    const T raised = element < low ? low : element;
    return raised > high ? high : raised;
  };
  MapElements(clamped, count, y, x);
}

// `factor` < 0 negates every element, 0 only the negative ones.
template <typename T>
void NegateIntegers(int factor, const T* x, T* y, size_t count) {
  const auto negated = [factor](T element) {
    return factor < 0 || element < 0 ? WrappingSubtract(T{0}, element) : element;
  };
  MapElements(negated, count, y, x);
}

template <typename T>
void UnaryOfIntegers(const Activation& activation, const T* x, T* y, size_t count) {
  constexpr T kLow = std::numeric_limits<T>::min();
  constexpr T kHigh = std::numeric_limits<T>::max();
  switch (activation.op) {
    case UnaryOp::kIdentity:
      return ClampIntegers<T>(kLow, kHigh, x, y, count);
    case UnaryOp::kAbs:
      return NegateIntegers<T>(0, x, y, count);
    case UnaryOp::kNegative:
      return NegateIntegers<T>(-1, x, y, count);
    case UnaryOp::kSign:
      return ClampIntegers<T>(-1, 1, x, y, count);
    case UnaryOp::kRelu:
      return ClampIntegers<T>(0, kHigh, x, y, count);
    case UnaryOp::kClamp:
      return ClampIntegers<T>(
          static_cast<T>(ToInteger(DecodeFloat(BitsOf(activation.alpha), kFormatF32), kLow, kHigh)),
          static_cast<T>(ToInteger(DecodeFloat(BitsOf(activation.beta), kFormatF32), kLow, kHigh)),
          x, y, count);
    default:
      return;
  }
}

void UnaryOfBooleans(UnaryOp op, const uint8_t* x, uint8_t* y, size_t count) {
  const bool flips = op == UnaryOp::kLogicalNot;
  const auto flipped = [flips](uint8_t byte) -> uint8_t { return (byte != 0) != flips; };
  MapElements(flipped, count, y, x);
}

}  // namespace

bool UnaryKnows(UnaryOp op, Element type) {
  switch (type) {
    case Element::kF32:
      return true;
    case Element::kI32:
    case Element::kI64:
      return op == UnaryOp::kIdentity || op == UnaryOp::kAbs || op == UnaryOp::kNegative ||
             op == UnaryOp::kSign || op == UnaryOp::kRelu || op == UnaryOp::kClamp;
    case Element::kBoolean:
      return op == UnaryOp::kIdentity || op == UnaryOp::kLogicalNot;
    default:
      return false;
  }
}

void Unary(const UnaryShape& shape, const void* x, void* y) {
  const Activation& activation = shape.activation;
  if (!UnaryKnows(activation.op, shape.type)) return;
  switch (shape.type) {
    case Element::kF32:
      return HWY_DYNAMIC_DISPATCH(UnaryOfFloats)(activation, static_cast<const float*>(x),
                                                 static_cast<float*>(y), shape.count);
    case Element::kI32:
      return UnaryOfIntegers(activation, static_cast<const int32_t*>(x), static_cast<int32_t*>(y),
                             shape.count);
    case Element::kI64:
      return UnaryOfIntegers(activation, static_cast<const int64_t*>(x), static_cast<int64_t*>(y),
                             shape.count);
    default:
      return UnaryOfBooleans(activation.op, static_cast<const uint8_t*>(x),
                             static_cast<uint8_t*>(y), shape.count);
  }
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
