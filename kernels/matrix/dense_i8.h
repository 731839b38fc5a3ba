// SPDX-License-Identifier: Apache-2.0
// Dense layer in integers: weights are int8 with one scale per output. Rows of x become int16 when
// they are read, or int8 if `max` is kMinMax. With m the maximum magnitude of a row of x, and
// every float operation rounded separately,
//
//   q[k]   = x[k] * (most / m), to the nearest integer, ties to even
//   y[n]   = act((sum_k q[k] * weights[n,k]) * (m / most) * scales[n] + start[n])
//
// from left to right, start 0 without. The sum is exact and rounded once when converted to float: y
// is bit-identical on every target, also on those without fused multiply-add. A row whose
// magnitudes are all below 2^-100 counts as zeros; if a row contains an infinity or a NaN, all its
// outputs are NaN. `max` is at most MaxFor(inputs), which is 32767 up to 512 inputs; larger
// values would overflow sums.
//
// If `max` is 0, x already holds int16 values with any scale, and
//
//   y[n] = act((sum_k x[k] * weights[n,k]) * scales[n] + start[n])
//
// The caller then guarantees that no sum exceeds int32; one that does wraps around.
#ifndef WEFT_KERNELS_MATRIX_DENSE_I8_H_
#define WEFT_KERNELS_MATRIX_DENSE_I8_H_

#include "kernels/matrix/dense.h"
#include "kernels/matrix/pack.h"

namespace weft::kernels {

// `max`: the integer to which the maximum magnitude of a row is mapped, or 0. With kMinMax,
// products are computed in int8 on targets where that is faster.
struct DenseI8Shape : DenseShape {
  uint32_t max = 0;
};
inline constexpr uint32_t kMinMax = 127, kMaxMax = 32767;

// The maximum `max` for which no sum of `inputs` products exceeds the range of int32.
constexpr uint32_t MaxFor(uint32_t inputs) {
  constexpr uint32_t kMaxSum = 0x7FFFFFFF, kMaxWeight = 128;
  const uint32_t max = inputs == 0 ? kMaxMax : kMaxSum / kMaxWeight / inputs;
  return max < kMaxMax ? max : kMaxMax;
}

// Number of rows in scratch at the same time.
inline constexpr uint32_t kDenseI8Rows = 4;

// Size of scratch in int16 elements.
constexpr uint64_t DenseI8ScratchShorts(uint32_t rows, uint32_t inputs) {
  return (rows < kDenseI8Rows ? rows : kDenseI8Rows) * PaddedInputs(inputs);
}

// x is float, or int16 if `max` is 0. `weights` as PackDenseI8 lays them out; scales are padded to
// complete panels. scratch holds DenseI8ScratchShorts. Otherwise as Dense.
void DenseI8(const DenseI8Shape& shape, const void* x, const int8_t* weights, const float* scales,
             const float* start, float* y, int16_t* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DENSE_I8_H_
