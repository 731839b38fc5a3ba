// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for binary. Float operations are correctly rounded (or exact: mod, and
// floor_mod while |a / b| is below 2^22), so the reference is in float and kernels must match it
// bit for bit. Only power has a tolerance. Integers are computed modulo 2^64, then truncated to the
// type.
#ifndef WEFT_KERNELS_REFERENCE_BINARY_H_
#define WEFT_KERNELS_REFERENCE_BINARY_H_

#include "kernels/elementwise/binary.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline constexpr Tolerance kPowerTolerance = {2e-38, 1e-6};

inline float FloorModReference(float a, float b) {
  const float rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

inline double BinaryReference(BinaryOp op, float a, float b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSubtract:
      return a - b;
    case BinaryOp::kMultiply:
      return a * b;
    case BinaryOp::kDivide:
      return a / b;
    case BinaryOp::kMaximum:
      return std::isnan(a) || a > b ? a : b;
    case BinaryOp::kMinimum:
      return std::isnan(a) || a < b ? a : b;
    case BinaryOp::kPower:
      if (std::isnan(b) && a != 1) return b;  // newlib returns 1 for (-1)^nan
      return std::pow(static_cast<double>(a), static_cast<double>(b));
    case BinaryOp::kSquaredDifference:
      return (a - b) * (a - b);
    case BinaryOp::kFloorMod:
      return FloorModReference(a, b);
    case BinaryOp::kMod:
      return std::fmod(a, b);
    case BinaryOp::kPrelu:
      return a < 0 ? a * b : a;
    default:
      return 0;
  }
}

// The result before truncation to the type: its low 64 bits.
inline int64_t IntegerReference(BinaryOp op, int64_t a, int64_t b) {
  const uint64_t p = static_cast<uint64_t>(a), q = static_cast<uint64_t>(b);
  const bool overflows = a == INT64_MIN && b == -1;  // the one quotient that does not fit
  switch (op) {
    case BinaryOp::kAdd:
      return static_cast<int64_t>(p + q);
    case BinaryOp::kSubtract:
      return static_cast<int64_t>(p - q);
    case BinaryOp::kMultiply:
      return static_cast<int64_t>(p * q);
    case BinaryOp::kDivide:
      return b == 0 ? 0 : (overflows ? a : a / b);
    case BinaryOp::kMaximum:
      return a > b ? a : b;
    case BinaryOp::kMinimum:
      return a < b ? a : b;
    case BinaryOp::kPower: {
      if (b < 0) return a == 1 ? 1 : (a == -1 ? (b % 2 == 0 ? 1 : -1) : 0);
      uint64_t result = 1;
      for (int64_t i = 0; i < b; ++i) result *= static_cast<uint64_t>(a);
      return static_cast<int64_t>(result);
    }
    case BinaryOp::kSquaredDifference: {
      const uint64_t difference = static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
      return static_cast<int64_t>(difference * difference);
    }
    case BinaryOp::kFloorMod:
      if (b == 0 || overflows) return 0;
      return a % b != 0 && (a < 0) != (b < 0) ? a % b + b : a % b;
    case BinaryOp::kMod:
      return b == 0 || overflows ? 0 : a % b;
    case BinaryOp::kPrelu:
      return a < 0 ? static_cast<int64_t>(p * q) : a;
    case BinaryOp::kBitwiseAnd:
      return a & b;
    case BinaryOp::kBitwiseOr:
      return a | b;
    case BinaryOp::kBitwiseXor:
      return a ^ b;
    default:
      return 0;
  }
}

inline bool LogicalReference(BinaryOp op, bool a, bool b) {
  if (op == BinaryOp::kLogicalAnd) return a && b;
  if (op == BinaryOp::kLogicalOr) return a || b;
  return a != b;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_BINARY_H_
