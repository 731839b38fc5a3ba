// SPDX-License-Identifier: Apache-2.0
// The functions of one variable, and the tail that dense, conv, depthwise, unary and the gates of
// recurrent cells share: y = op(min(max(x, -clip), clip)), where clip 0 means none.
// NaN stays NaN through every op but logical_not. Results are bit-identical on every target, save
// for the sign and payload of a NaN. Subnormal inputs may count as zero, as the engine sets it.
#ifndef WEFT_KERNELS_ACTIVATION_H_
#define WEFT_KERNELS_ACTIVATION_H_

#include <cstdint>

namespace weft::kernels {

// Formulas, domains and tolerances: unary_ref.h. Same order as the format's enum.
enum class UnaryOp : uint8_t {
  kIdentity,
  kAbs,
  kCeiling,
  kFloor,
  kNegative,
  kSign,
  kRoundEven,  // halves to the even neighbour
  kRoundAway,  // halves away from zero
  kSqrt,
  kExp,
  kLog,
  kSin,
  kCos,
  kErf,
  kRelu,
  kClamp,  // into [alpha, beta]
  kElu,    // x < 0 ? alpha * (exp(x) - 1) : x
  kSigmoid,
  kTanh,
  kHardSigmoid,  // alpha * x + beta into [0, 1]
  kHSigmoid,     // (x + 3 into [0, 6]) / 6
  kHSwish,       // x * (x + 3 into [0, 6]) / 6
  kSwish,        // x * sigmoid(alpha * x)
  kGeluErf,
  kGeluTanh,
  kSoftPlus,
  kMish,
  kSoftSign,
  kSelu,  // beta * (x > 0 ? x : alpha * (exp(x) - 1))
  kLogicalNot
};
inline constexpr uint8_t kUnaryOpCount = 30;

struct Activation {
  float alpha = 0.0f;
  float beta = 0.0f;
  float clip = 0.0f;
  UnaryOp op = UnaryOp::kIdentity;
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ACTIVATION_H_
