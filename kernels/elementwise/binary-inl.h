// SPDX-License-Identifier: Apache-2.0
// The loops of binary over contiguous blocks of floats, one compiled copy per target (binary.cc),
// for other kernels that work in blocks. Defined per target: no dispatch at run time.

#if defined(WEFT_KERNELS_ELEMENTWISE_BINARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_ELEMENTWISE_BINARY_INL_H_
#undef WEFT_KERNELS_ELEMENTWISE_BINARY_INL_H_
#else
#define WEFT_KERNELS_ELEMENTWISE_BINARY_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/elementwise/binary.h"
#include "kernels/elementwise/broadcast.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Returns null for an op that does not exist for floats.
BlockFunction BinaryOfFloats(BinaryOp op);

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_ELEMENTWISE_BINARY_INL_H_
