// SPDX-License-Identifier: Apache-2.0
// Blocked summation. kSumBlock terms are added sequentially and form a block, which is added to the
// sum of its group; then the block restarts at 0. kSumBlock blocks form a group, which is added to
// the total. The result is total + (group + block): its error grows with the sum of these three
// numbers, not with their product. Part of the numeric contract: every target splits at the same
// terms.
#ifndef WEFT_KERNELS_SIMD_SUM_H_
#define WEFT_KERNELS_SIMD_SUM_H_

#include <cstdint>

namespace weft::kernels {

inline constexpr uint32_t kSumBlock = 64;

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIMD_SUM_H_
