// SPDX-License-Identifier: Apache-2.0
// The softmax step, for lowerings of any family.
#ifndef WEFT_CONVERTER_OPS_SOFTMAX_H_
#define WEFT_CONVERTER_OPS_SOFTMAX_H_

#include <cstddef>

#include "converter/program/builder.h"

namespace weft::ops {

// An attribute of Softmax-8 that no IR has: of square matrices along their rows, each up to the
// diagonal.
inline constexpr const char* kOfTriangle = "of_triangle";

// y = softmax of x along `axis`, or its logarithm, both of x's dims, none of them 0. Causal: of
// square matrices along their rows, each up to the diagonal.
enum class SoftmaxForm { kShares, kLogarithm, kCausal };
void EmitSoftmax(plan::Builder& builder, size_t axis, SoftmaxForm form, plan::ValueId x,
                 plan::ValueId y);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SOFTMAX_H_
