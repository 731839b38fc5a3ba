// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/auto_scale.h"

#include "kernels/signal/bit_count.h"

namespace weft::kernels {

void AutoScale(uint32_t count, const int16_t* x, int16_t* y, int32_t* shift) {
  int16_t max = 0;
  for (size_t i = 0; i < count; ++i) {
    if (x[i] > max) {
      max = x[i];
    } else if (-int32_t{x[i]} > max) {
      max = static_cast<int16_t>(-int32_t{x[i]});
    }
  }
  const uint32_t free = max <= 0 ? 0 : 15 - BitCount(static_cast<uint32_t>(max));
  for (size_t i = 0; i < count; ++i) {
    y[i] = static_cast<int16_t>(static_cast<uint32_t>(x[i]) << free);
  }
  *shift = static_cast<int32_t>(free);
}

}  // namespace weft::kernels
