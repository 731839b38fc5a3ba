// SPDX-License-Identifier: Apache-2.0
// Chain on processors other than microcontrollers. Successive cheap instructions run on a group of
// vectors that stay in registers; each other instruction runs over a block. Single numbers, and
// long contiguous rows, are read in place. Only few contiguous elements, which are not worth the
// preparation, use the chain of microcontrollers.
#ifndef WEFT_KERNELS_ELEMENTWISE_CHAIN_GROUPS_H_
#define WEFT_KERNELS_ELEMENTWISE_CHAIN_GROUPS_H_

#include "kernels/elementwise/chain.h"

namespace weft::kernels {

// The chain of microcontrollers, with the contract of Chain().
void ChainInBlocks(const ChainShape& shape, const float* const* x, float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_CHAIN_GROUPS_H_
