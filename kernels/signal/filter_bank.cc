// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/filter_bank.h"

namespace weft::kernels {

void FilterBank(const FilterBankShape& shape, const uint32_t* x, const int16_t* weights,
                const int16_t* bands, uint64_t* y) {
  uint64_t falling_before = 0;
  size_t left = shape.pairs;
  for (size_t c = 0; c <= shape.channels; ++c, bands += 2) {
    const auto start = static_cast<size_t>(bands[0]), width = static_cast<size_t>(bands[1]);
    uint64_t rising = falling_before, falling = 0;
    // Negative numbers are large here.
    if (start <= shape.bins && width <= shape.bins - start && width <= left) {
      const uint32_t* const inputs = x + start;
      for (size_t j = 0; j < width; ++j, weights += 2) {
        rising += static_cast<uint64_t>(int64_t{weights[0]}) * inputs[j];
        falling += static_cast<uint64_t>(int64_t{weights[1]}) * inputs[j];
      }
      left -= width;
    }
    if (c != 0) y[c - 1] = rising;
    falling_before = falling;
  }
}

}  // namespace weft::kernels
