// SPDX-License-Identifier: Apache-2.0
// Scales 16-bit integers up without overflow, bit-identical to the operator SignalFftAutoScale of
// TensorFlow Lite for Microcontrollers: y[i] = x[i] << shift, where shift is the number of bits
// that the largest |x[i]| leaves free. The largest magnitude is kept in 16 bits: -32768 counts as
// less than every later element.
#ifndef WEFT_KERNELS_SIGNAL_AUTO_SCALE_H_
#define WEFT_KERNELS_SIGNAL_AUTO_SCALE_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

// y may be x.
void AutoScale(uint32_t count, const int16_t* x, int16_t* y, int32_t* shift);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIGNAL_AUTO_SCALE_H_
