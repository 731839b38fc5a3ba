// SPDX-License-Identifier: Apache-2.0
// y[i] = f(x[i]), element by element. f32 knows every op; i32 and i64 know identity, abs, negative,
// sign, relu and clamp (whose bounds are alpha and beta, truncated towards zero and saturated);
// boolean knows identity and logical_not. clip is for f32 alone.
// abs and negative of the most negative integer are that integer. y may be x itself; any other
// overlap is refused by the caller. The caller owns all memory.
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

// True where Unary computes `op` on `type`; Unary writes nothing for a pair it does not know.
bool UnaryKnows(UnaryOp op, Element type);
void Unary(const UnaryShape& shape, const void* x, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_UNARY_H_
