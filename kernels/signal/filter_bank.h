// SPDX-License-Identifier: Apache-2.0
// The channels of a bank of triangular filters, as the sums of the operator SignalFilterBank of
// TensorFlow Lite for Microcontrollers. Band c of channels + 1 bands is the falling side of the
// triangle of channel c - 2 and the rising side of that of channel c - 1:
//
//   rising[c]  = sum_j weights[j].first  * x[start[c] + j]        over width[c] bins
//   falling[c] = sum_j weights[j].second * x[start[c] + j]
//   y[c - 1]   = falling[c - 1] + rising[c],   c = 1 .. channels
//
// x is u32 and y u64, stored as i32 and i64; sums wrap around. `weights` has a pair for each bin of
// each band, band after band. A band that leaves x or the weights counts as empty.
#ifndef WEFT_KERNELS_SIGNAL_FILTER_BANK_H_
#define WEFT_KERNELS_SIGNAL_FILTER_BANK_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

struct FilterBankShape {
  uint32_t channels = 0;
  uint32_t bins = 0;   // of x
  uint32_t pairs = 0;  // of weights
};

// bands: start and width of each. Nothing may overlap.
void FilterBank(const FilterBankShape& shape, const uint32_t* x, const int16_t* weights,
                const int16_t* bands, uint64_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIGNAL_FILTER_BANK_H_
