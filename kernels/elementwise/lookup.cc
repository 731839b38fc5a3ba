// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/lookup.h"

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

namespace weft::kernels {

void Lookup(uint32_t count, const int8_t* x, const int8_t* table, int8_t* y) {
#if defined(__ARM_FEATURE_MVE)
  // Counts down, which Clang compiles to a hardware loop.
  for (auto left = static_cast<int32_t>(count); left > 0; left -= 16, x += 16, y += 16) {
    const mve_pred16_t some = vctp8q(static_cast<uint32_t>(left));
    const uint8x16_t positions = vaddq_n_u8(vreinterpretq_u8_s8(vldrbq_z_s8(x, some)), 128);
    vstrbq_p_s8(y, vldrbq_gather_offset_z_s8(table, positions, some), some);
  }
#else
  for (size_t i = 0; i < count; ++i) y[i] = table[x[i] + 128];
#endif
}

}  // namespace weft::kernels
