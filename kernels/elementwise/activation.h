// SPDX-License-Identifier: Apache-2.0
// The functions of one variable, and the activation that dense, conv, depthwise, unary and the
// gates of recurrent cells share: y = op(min(max(x, -clip), clip)), where clip 0 means none. NaN
// stays NaN through every op except logical_not. Results are bit-identical on every target, except
// for the sign and payload of a NaN. Subnormal inputs may count as zero, depending on the engine's
// setting.
#ifndef WEFT_KERNELS_ELEMENTWISE_ACTIVATION_H_
#define WEFT_KERNELS_ELEMENTWISE_ACTIVATION_H_

#include <cstdint>

namespace weft::kernels {

// One per row of functions.inc, which has the formula, the accuracy and the domain of each. clamp:
// to [alpha, beta]; elu: alpha * (exp(x) - 1) below 0; hard_sigmoid: alpha * x + beta, clamped to
// [0, 1]; hsigmoid: clamp(x + 3, 0, 6) / 6; hswish: x * clamp(x + 3, 0, 6) / 6; swish: x *
// sigmoid(alpha * x); selu: alpha, and beta as its lambda; round_even and round_away: halves to the
// even neighbour, and away from zero.
enum class UnaryOp : uint8_t {
#define WEFT_FUNCTION(name, Name, ...) k##Name,
#include "kernels/elementwise/functions.inc"
#undef WEFT_FUNCTION
};
inline constexpr uint8_t kUnaryOpCount = 0
#define WEFT_FUNCTION(...) +1
#include "kernels/elementwise/functions.inc"
#undef WEFT_FUNCTION
    ;

// Activations of a group share an object file, so that firmware links only the groups of its model.
// kLinear is always linked.
enum class ActivationGroup : uint8_t {
  kLinear,
#define WEFT_ACTIVATIONS(group, Group) k##Group,
#include "kernels/variants.inc"
#undef WEFT_ACTIVATIONS
};

constexpr ActivationGroup GroupOf(UnaryOp op) {
  switch (op) {
#define WEFT_FUNCTION(name, Name, Group, ...) \
  case UnaryOp::k##Name:                      \
    return ActivationGroup::k##Group;
#include "kernels/elementwise/functions.inc"
#undef WEFT_FUNCTION
  }
  return ActivationGroup::kLinear;
}

// The ops of one group as a separate enum: a switch over it that lacks one of them does not compile
// (-Wswitch). The ops of all other groups are kOther.
template <ActivationGroup group>
struct FunctionsOf {
  enum Op : uint8_t {
    kOther = 0xFF,
#define WEFT_FUNCTION(name, Name, Group, ...) \
  k##Name = ActivationGroup::k##Group == group ? static_cast<uint8_t>(UnaryOp::k##Name) : kOther,
#include "kernels/elementwise/functions.inc"
#undef WEFT_FUNCTION
  };
};

// Returns false if this program was linked without the op's group; its kernels must not be called
// then.
bool IsLinked(UnaryOp op);

struct Activation {
  float alpha = 0.0f;
  float beta = 0.0f;
  float clip = 0.0f;
  UnaryOp op = UnaryOp::kIdentity;
};

// Returns true for op only, without clip: such an activation may be inlined.
inline bool IsJust(const Activation& activation, UnaryOp op) {
  return activation.op == op && !(activation.clip > 0.0f);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_ACTIVATION_H_
