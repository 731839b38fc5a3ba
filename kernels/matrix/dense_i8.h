// SPDX-License-Identifier: Apache-2.0
// Dense layer in integers: weights are i8 with a scale for each output, rows of x become i16, or,
// where `most` is kLeastMost, numbers of an i8, as they are read. With m the greatest magnitude of
// a row of x, and every operation rounded by itself,
//
//   q[k]   = x[k] * (most / m), to the nearest integer, halves to the even one
//   y[n]   = act((sum_k q[k] * weights[n,k]) * (m / most) * scales[n] + start[n])
//
// from left to right, start 0 where there is none. The sum is exact, its conversion to float
// rounded once: y is bit-identical on every target, also where multiply-adds are rounded twice. A
// row without a number of 2^-100 and above counts as zeros; of one with an infinity or a NaN every
// output is NaN. `most` is at most MostFor(inputs), 32767 up to 512 inputs; beyond that sums would
// wrap.
//
// Where `most` is 0, x are integers of i16 already, whatever numbers they stand for, and
//
//   y[n] = act((sum_k x[k] * weights[n,k]) * scales[n] + start[n])
//
// Then the caller sees to it that no sum leaves 32 bits; one that does wraps around.
#ifndef WEFT_KERNELS_MATRIX_DENSE_I8_H_
#define WEFT_KERNELS_MATRIX_DENSE_I8_H_

#include "kernels/matrix/dense.h"
#include "kernels/matrix/pack.h"

namespace weft::kernels {

// `most`: the magnitude that the greatest number of a row becomes, or 0. With the least one
// products are of bytes where they take less time.
struct DenseI8Shape : DenseShape {
  uint32_t most = 0;
};
inline constexpr uint32_t kLeastMost = 127, kGreatestMost = 32767;

// The greatest `most` with which no sum of so many products leaves the range of 32 bits.
constexpr uint32_t MostFor(uint32_t inputs) {
  constexpr uint32_t kGreatestSum = 0x7FFFFFFF, kGreatestWeight = 128;
  const uint32_t most = inputs == 0 ? kGreatestMost : kGreatestSum / kGreatestWeight / inputs;
  return most < kGreatestMost ? most : kGreatestMost;
}

// Rows that are integers at one time.
inline constexpr uint32_t kDenseI8Rows = 4;

constexpr uint64_t DenseI8ScratchShorts(uint32_t rows, uint32_t inputs) {
  return (rows < kDenseI8Rows ? rows : kDenseI8Rows) * PaddedInputs(inputs);
}

// x is of f32, or of i16; `weights` as PackDenseI8 lays them out, scales for whole panels; scratch
// holds DenseI8ScratchShorts. Otherwise as Dense.
void DenseI8(const DenseI8Shape& shape, const void* x, const int8_t* weights, const float* scales,
             const float* start, float* y, int16_t* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DENSE_I8_H_
