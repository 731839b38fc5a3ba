// SPDX-License-Identifier: Apache-2.0
// How many terms a sum takes in one chain. kSumBlock of them make a block, which joins the sum of
// its group and begins anew; kSumBlock blocks make a group, which joins the total. The sum is
// total + (group + block): its error grows with the sum of these three numbers, not with their
// product. Part of the numeric contract: every target cuts at the same terms.
#ifndef WEFT_KERNELS_REDUCE_SUM_H_
#define WEFT_KERNELS_REDUCE_SUM_H_

#include <cstdint>

namespace weft::kernels {

inline constexpr uint32_t kSumBlock = 64;

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_SUM_H_
