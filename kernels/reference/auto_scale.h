// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for auto_scale.
#ifndef WEFT_KERNELS_REFERENCE_AUTO_SCALE_H_
#define WEFT_KERNELS_REFERENCE_AUTO_SCALE_H_

#include <cstdint>
#include <vector>

#include "kernels/signal/auto_scale.h"

namespace weft::kernels {

// The shift, then the elements.
inline std::vector<int16_t> AutoScaleReference(const std::vector<int16_t>& x) {
  int64_t largest = 0;
  for (const int16_t v : x) {
    const int64_t magnitude = v > largest ? v : -v > largest ? -v : largest;
    largest = magnitude == 32768 ? -32768 : magnitude;
  }
  int64_t factor = 1, shift = 0;
  while (largest > 0 && largest * factor * 2 <= 32767) factor *= 2, ++shift;
  std::vector<int16_t> y = {static_cast<int16_t>(shift)};
  for (const int16_t v : x) y.push_back(static_cast<int16_t>(v * factor));
  return y;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_AUTO_SCALE_H_
