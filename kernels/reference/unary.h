// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for unary and for every fused activation: the formulas of functions.inc
// in double, the domain on which the tolerance is valid, and the tolerance, which is the guaranteed
// accuracy of the kernels.
#ifndef WEFT_KERNELS_REFERENCE_UNARY_H_
#define WEFT_KERNELS_REFERENCE_UNARY_H_

#include "kernels/elementwise/activation.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline double SigmoidReference(double x) { return 1.0 / (1.0 + std::exp(-x)); }

inline double SoftPlusReference(double x) {
  return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

inline double ClampReference(double x, double low, double high) {
  return x < low ? low : (x > high ? high : x);
}

// x * sigmoid(2 u) with u = sqrt(2 / pi) * (x + 0.044715 x^3).
inline double GeluTanhReference(double x) {
  return x * SigmoidReference(2 * std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x));
}

inline double UnaryReference(UnaryOp op, [[maybe_unused]] double alpha,
                             [[maybe_unused]] double beta, double x) {
  switch (op) {
#define WEFT_FUNCTION(name, Name, Group, operation, fuses, reference, ...) \
  case UnaryOp::k##Name:                                                   \
    return reference;
#include "kernels/elementwise/functions.inc"
#undef WEFT_FUNCTION
  }
  return 0;
}

struct UnaryDomain {
  double low;
  double high;
  Tolerance tolerance;
};

inline UnaryDomain UnaryDomainOf(UnaryOp op) {
  constexpr double kAll = 3e38;
  switch (op) {
#define WEFT_FUNCTION(name, Name, Group, operation, fuses, reference, low, high, absolute, \
                      relative)                                                            \
  case UnaryOp::k##Name:                                                                   \
    return {low, high, {absolute, relative}};
#include "kernels/elementwise/functions.inc"
#undef WEFT_FUNCTION
  }
  return {0, 0, {0, 0}};
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_UNARY_H_
