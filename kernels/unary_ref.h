// SPDX-License-Identifier: Apache-2.0
// Scalar twin of unary and of every activation tail: formulas in double, the domain on which the
// tolerance holds, and the tolerance, which is the accuracy the kernels promise.
#ifndef WEFT_KERNELS_UNARY_REF_H_
#define WEFT_KERNELS_UNARY_REF_H_

#include "kernels/activation.h"
#include "kernels/twin.h"

namespace weft::kernels {

inline double SigmoidTwin(double x) { return 1.0 / (1.0 + std::exp(-x)); }

inline double SoftPlusTwin(double x) {
  return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

inline double ClampTwin(double x, double low, double high) {
  return x < low ? low : (x > high ? high : x);
}

inline double UnaryTwin(UnaryOp op, double alpha, double beta, double x) {
  switch (op) {
    case UnaryOp::kIdentity:
      return x;
    case UnaryOp::kAbs:
      return std::fabs(x);
    case UnaryOp::kCeiling:
      return std::ceil(x);
    case UnaryOp::kFloor:
      return std::floor(x);
    case UnaryOp::kNegative:
      return -x;
    case UnaryOp::kSign:
      return x > 0 ? 1 : (x < 0 ? -1 : x);
    case UnaryOp::kRoundEven:
      return std::nearbyint(x);
    case UnaryOp::kRoundAway:
      return std::round(x);
    case UnaryOp::kSqrt:
      return std::sqrt(x);
    case UnaryOp::kExp:
      return std::exp(x);
    case UnaryOp::kLog:
      return std::log(x);
    case UnaryOp::kSin:
      return std::sin(x);
    case UnaryOp::kCos:
      return std::cos(x);
    case UnaryOp::kErf:
      return std::erf(x);
    case UnaryOp::kRelu:
      return x < 0 ? 0 : x;
    case UnaryOp::kClamp:
      return ClampTwin(x, alpha, beta);
    case UnaryOp::kElu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case UnaryOp::kSigmoid:
      return SigmoidTwin(x);
    case UnaryOp::kTanh:
      return std::tanh(x);
    case UnaryOp::kHardSigmoid:
      return ClampTwin(alpha * x + beta, 0, 1);
    case UnaryOp::kHSigmoid:
      return ClampTwin(x + 3, 0, 6) / 6;
    case UnaryOp::kHSwish:
      return x * ClampTwin(x + 3, 0, 6) / 6;
    case UnaryOp::kSwish:
      return x * SigmoidTwin(alpha * x);
    case UnaryOp::kGeluErf:
      return 0.5 * x * std::erfc(-x * std::sqrt(0.5));
    case UnaryOp::kGeluTanh:
      return x * SigmoidTwin(2 * std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x));
    case UnaryOp::kSoftPlus:
      return SoftPlusTwin(x);
    case UnaryOp::kMish:
      return x * std::tanh(SoftPlusTwin(x));
    case UnaryOp::kSoftSign:
      return x / (1 + std::fabs(x));
    case UnaryOp::kSelu:
      return beta * (x > 0 ? x : alpha * std::expm1(x));
    case UnaryOp::kLogicalNot:
      return x == 0 ? 1 : 0;
  }
  return 0;
}

struct UnaryDomain {
  double low;
  double high;
  Tolerance tolerance;
};

// The tolerance is for alpha and beta of about 1; outside the domain functions saturate or, with
// sin and cos, slowly lose their meaning.
inline UnaryDomain UnaryDomainOf(UnaryOp op) {
  constexpr double kAll = 3e38;
  switch (op) {
    case UnaryOp::kSqrt:
      return {0, kAll, {0, 6e-8}};
    case UnaryOp::kExp:
      return {-87.3, 88.72, {0, 1.2e-7}};
    case UnaryOp::kLog:
      return {1.2e-38, kAll, {0, 1.2e-7}};
    case UnaryOp::kSin:
    case UnaryOp::kCos:
      return {-1e5, 1e5, {1e-7, 0}};
    case UnaryOp::kErf:
      return {-kAll, kAll, {0, 4e-7}};
    case UnaryOp::kElu:
    case UnaryOp::kSelu:
      return {-kAll, kAll, {0, 2.5e-7}};
    case UnaryOp::kSigmoid:
      return {-87.3, kAll, {0, 2e-7}};
    case UnaryOp::kTanh:
      return {-kAll, kAll, {0, 3e-7}};
    case UnaryOp::kHardSigmoid:
      return {-kAll, kAll, {1e-7, 1e-7}};
    case UnaryOp::kHSigmoid:
    case UnaryOp::kHSwish:
      return {-1e18, 1e18, {2e-7, 2e-7}};
    case UnaryOp::kSwish:
      return {-80, kAll, {0, 3e-7}};
    case UnaryOp::kGeluErf:
      return {-1e18, kAll, {1e-6, 4e-7}};
    case UnaryOp::kGeluTanh:
      return {-5, 1e12, {0, 5e-6}};  // the sigmoid's argument passes on its rounding
    case UnaryOp::kSoftPlus:
      return {-87, kAll, {0, 3e-7}};
    case UnaryOp::kMish:
      return {-80, kAll, {0, 4e-7}};
    case UnaryOp::kSoftSign:
      return {-kAll, kAll, {0, 1.5e-7}};
    default:
      return {-kAll, kAll, {0, 0}};
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_UNARY_REF_H_
