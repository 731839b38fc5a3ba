// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_KERNELS_SIGNAL_BIT_COUNT_H_
#define WEFT_KERNELS_SIGNAL_BIT_COUNT_H_

#include <cstdint>

namespace weft::kernels {

// Number of bits of x without leading zeros; 0 for 0.
inline uint32_t BitCount(uint32_t x) {
  uint32_t bits = 0;
  for (; x != 0; x >>= 1) ++bits;
  return bits;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIGNAL_BIT_COUNT_H_
