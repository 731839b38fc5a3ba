// SPDX-License-Identifier: Apache-2.0
// The softmax step, for lowerings of any family.
#ifndef WEFT_CONVERTER_OPS_CORE_SOFTMAX_H_
#define WEFT_CONVERTER_OPS_CORE_SOFTMAX_H_

#include <cstddef>

#include "converter/program/builder.h"

namespace weft::ops {

// An internal attribute of Softmax-8: causal softmax over the rows of square matrices, each row up
// to the diagonal.
inline constexpr const char* kOfTriangle = "of_triangle";

// y = softmax of x along `axis`, or its logarithm; x and y have the same dims, none of them 0.
// kCausal: rows of square matrices, each up to the diagonal.
enum class SoftmaxForm { kShares, kLogarithm, kCausal };
void EmitSoftmax(program::Builder& builder, size_t axis, SoftmaxForm form, program::ValueId x,
                 program::ValueId y);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_SOFTMAX_H_
