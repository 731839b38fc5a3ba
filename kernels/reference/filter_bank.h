// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for filter_bank: each channel from the pairs of its two bands.
#ifndef WEFT_KERNELS_REFERENCE_FILTER_BANK_H_
#define WEFT_KERNELS_REFERENCE_FILTER_BANK_H_

#include <vector>

#include "kernels/signal/filter_bank.h"

namespace weft::kernels {

inline std::vector<uint64_t> FilterBankReference(const FilterBankShape& s,
                                                 const std::vector<uint32_t>& x,
                                                 const std::vector<int16_t>& weights,
                                                 const std::vector<int16_t>& bands) {
  std::vector<uint64_t> y(s.channels);
  size_t pair = 0;
  for (size_t band = 0; band <= s.channels; ++band) {
    const int64_t start = bands[2 * band], width = bands[2 * band + 1];
    if (start < 0 || width < 0 || start + width > s.bins ||
        static_cast<int64_t>(pair) + width > s.pairs) {
      continue;
    }
    for (int64_t bin = start; bin < start + width; ++bin, ++pair) {
      const uint64_t number = x[static_cast<size_t>(bin)];
      if (band > 0) y[band - 1] += number * static_cast<uint64_t>(weights[2 * pair]);
      if (band < s.channels) y[band] += number * static_cast<uint64_t>(weights[2 * pair + 1]);
    }
  }
  return y;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_FILTER_BANK_H_
