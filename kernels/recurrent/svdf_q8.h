// SPDX-License-Identifier: Apache-2.0
// A layer of TensorFlow Lite's SVDF in integers, bit-identical to it: a convolution over time of
// rank `rank`, one time step a call. x is int8, the filters are unit after unit. Each call shifts
// the state of each filter, oldest first, and computes
//
//   new[f]  = sat(Rescaled(first[f] + sum_k feature[f,k] x[k], of_x))     the last of the state
//   y[unit] = sat8(Rescaled(bias[unit] + sum_{f of unit, m} time[f,m] state[f,m], of_state) + zero)
//
// State and time weights are int16, or int8 as TensorFlow Lite for Microcontrollers also has them.
// Sums wrap around.
#ifndef WEFT_KERNELS_RECURRENT_SVDF_Q8_H_
#define WEFT_KERNELS_RECURRENT_SVDF_Q8_H_

#include <cstddef>
#include <cstdint>

#include "kernels/simd/requantise.h"

namespace weft::kernels {

struct SvdfQ8Shape {
  uint32_t rows = 0;
  uint32_t inputs = 0;
  uint32_t units = 0;
  uint32_t rank = 0;
  uint32_t memory = 0;  // time steps
  uint32_t x_row_stride = 0;
  Multiplier of_x, of_state;
  CodeRange codes;  // of y
};

// `numbers` are first of all filters, then bias of all units.
constexpr uint64_t SvdfQ8Numbers(uint32_t units, uint32_t rank) {
  return uint64_t{units} * rank + units;
}

// Feature weights as PackDenseI8 lays them out, time weights [filters, memory], state [rows,
// filters, memory]. state_next may be state; nothing else may overlap.
void SvdfQ8(const SvdfQ8Shape& shape, const int8_t* x, const int8_t* weights, const int16_t* time,
            const int32_t* numbers, const int16_t* state, int8_t* y, int16_t* state_next);
void SvdfQ8(const SvdfQ8Shape& shape, const int8_t* x, const int8_t* weights, const int8_t* time,
            const int32_t* numbers, const int8_t* state, int8_t* y, int8_t* state_next);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_SVDF_Q8_H_
