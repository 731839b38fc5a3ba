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

// Activations of a group share an object file, so that firmware links those of its model and drops
// the others. Those of kLinear are always there.
enum class ActivationGroup : uint8_t {
  kLinear,
#define WEFT_ACTIVATIONS(group, Group) k##Group,
#include "kernels/activations.inc"
#undef WEFT_ACTIVATIONS
};

constexpr const char* NameOf(ActivationGroup group) {
  constexpr const char* kNames[] = {
      "linear",
#define WEFT_ACTIVATIONS(group, Group) #group,
#include "kernels/activations.inc"
#undef WEFT_ACTIVATIONS
  };
  return kNames[static_cast<uint8_t>(group)];
}

constexpr ActivationGroup GroupOf(UnaryOp op) {
  switch (op) {
    case UnaryOp::kCeiling:
    case UnaryOp::kFloor:
    case UnaryOp::kSign:
    case UnaryOp::kRoundEven:
    case UnaryOp::kRoundAway:
    case UnaryOp::kSqrt:
    case UnaryOp::kSoftSign:
    case UnaryOp::kLogicalNot:
      return ActivationGroup::kRounding;
    case UnaryOp::kSigmoid:
    case UnaryOp::kTanh:
    case UnaryOp::kSwish:
    case UnaryOp::kGeluTanh:
      return ActivationGroup::kSigmoid;
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kElu:
    case UnaryOp::kSelu:
    case UnaryOp::kSoftPlus:
    case UnaryOp::kMish:
      return ActivationGroup::kExponential;
    case UnaryOp::kSin:
    case UnaryOp::kCos:
    case UnaryOp::kErf:
    case UnaryOp::kGeluErf:
      return ActivationGroup::kPeriodic;
    default:
      return ActivationGroup::kLinear;
  }
}

// False where this program was linked without the op's group; its kernels must not be called then.
bool IsLinked(UnaryOp op);

// Names every group, so that a program that calls it has them all.
const char* const* AllActivations();

struct Activation {
  float alpha = 0.0f;
  float beta = 0.0f;
  float clip = 0.0f;
  UnaryOp op = UnaryOp::kIdentity;
};

// True for op alone, without clip: such a tail may run inline.
inline bool IsJust(const Activation& activation, UnaryOp op) {
  return activation.op == op && !(activation.clip > 0.0f);
}

}  // namespace weft::kernels

extern "C" {  // the converter writes these names into C sources
#define WEFT_ACTIVATIONS(group, Group) extern const char weft_activations_##group;
#include "kernels/activations.inc"
#undef WEFT_ACTIVATIONS
}

#endif  // WEFT_KERNELS_ACTIVATION_H_
