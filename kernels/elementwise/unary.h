// SPDX-License-Identifier: Apache-2.0
// y[i] = f(x[i]), element by element. f32 supports every op; i32 and i64 support identity, abs,
// negative, sign, relu and clamp (whose bounds are alpha and beta, truncated towards zero and
// saturated); boolean supports identity and logical_not. clip is for f32 only. abs and negative of
// the most negative integer are that integer. y may be x; the caller rejects any other overlap. The
// caller owns all memory.
#ifndef WEFT_KERNELS_ELEMENTWISE_UNARY_H_
#define WEFT_KERNELS_ELEMENTWISE_UNARY_H_

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"

namespace weft::kernels {

struct UnaryShape {
  uint32_t count = 0;
  Activation activation;
  Element type = Element::kF32;
};

// Returns true if Unary supports `op` on `type`; Unary writes nothing for other pairs.
bool UnaryKnows(UnaryOp op, Element type);
void Unary(const UnaryShape& shape, const void* x, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_UNARY_H_
