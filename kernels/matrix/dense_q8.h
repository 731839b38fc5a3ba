// SPDX-License-Identifier: Apache-2.0
// Dense layer of levels (levels.h): x and weights are i8. With every operation on floats rounded by
// itself,
//
//   v[r,n] = float(first[n] + sum_k x[r,k] * weights[n,k]) * scales[n] + start[r,n]
//
// from left to right, first and start 0 where there are none; y is act(v) in f32, or the level of
// v. The sum is exact, its conversion to float rounded once: y is bit-identical on every target.
// `first` takes in what the zero of x adds to each product, and a bias of integers; a sum with it
// wraps around.
#ifndef WEFT_KERNELS_MATRIX_DENSE_Q8_H_
#define WEFT_KERNELS_MATRIX_DENSE_Q8_H_

#include "kernels/elementwise/levels.h"
#include "kernels/matrix/dense.h"

namespace weft::kernels {

// What becomes of a sum: levels, whose activation is plain, or floats.
struct ResultsQ8 {
  Levels levels;
  bool is_float = false;
};
// Of each output; `first` and `start` may be null.
struct FactorsQ8 {
  const float* scales = nullptr;
  const int32_t* first = nullptr;
  const float* start = nullptr;
};

// At most kMostProducts inputs.
struct DenseQ8Shape : DenseShape {
  ResultsQ8 results;
};

// `weights` as PackDenseI8 lays them out; y as `results` says. y must not overlap an operand.
void DenseQ8(const DenseQ8Shape& shape, const int8_t* x, const int8_t* weights,
             const FactorsQ8& factors, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DENSE_Q8_H_
