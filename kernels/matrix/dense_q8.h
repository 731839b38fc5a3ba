// SPDX-License-Identifier: Apache-2.0
// Dense layer of quantised values (code_range.h): x and weights are int8. With every float
// operation rounded separately,
//
//   v[r,n] = float(first[n] + sum_k x[r,k] * weights[n,k]) * scales[n] + start[r,n]
//
// from left to right, first and start 0 without. y is act(v) in f32, or v requantised. The sum is
// exact and rounded once when converted to float: y is bit-identical on every target. `first`
// contains the correction for the zero point of x and an integer bias; adding it wraps around.
//
// If its codes are computed by integers (requantise.h), without a float:
//
//   y[r,n] = CodeOfInteger(Rescaled(first[n] + sum_k x[r,k] * weights[n,k], multipliers[n]))
//
// `scales` then points to the mantissas and `start` to the exponents, both i32 and one per output.
#ifndef WEFT_KERNELS_MATRIX_DENSE_Q8_H_
#define WEFT_KERNELS_MATRIX_DENSE_Q8_H_

#include "kernels/matrix/dense.h"
#include "kernels/simd/requantise.h"

namespace weft::kernels {

// The output of a sum: a quantised value, without activation, or a float.
struct ResultsQ8 {
  CodeRange codes;
  bool is_float = false;
};
// One element per output; `first` may be null, and `start` if codes are not computed by integers.
struct FactorsQ8 {
  const float* scales = nullptr;
  const int32_t* first = nullptr;
  const float* start = nullptr;

  const int32_t* mantissas() const { return reinterpret_cast<const int32_t*>(scales); }
  const int32_t* exponents() const { return reinterpret_cast<const int32_t*>(start); }
};

// inputs is at most kMaxProducts.
struct DenseQ8Shape : DenseShape {
  ResultsQ8 results;
};

// `weights` as PackDenseI8 lays them out; `results` gives the type of y. y must not overlap an
// operand.
void DenseQ8(const DenseQ8Shape& shape, const int8_t* x, const int8_t* weights,
             const FactorsQ8& factors, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DENSE_Q8_H_
