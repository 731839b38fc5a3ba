// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernels for dense in integers without its activation (see unary.h): the formula
// of dense_i8.h in plain integers, which a kernel must match bit for bit.
#ifndef WEFT_KERNELS_REFERENCE_DENSE_I8_H_
#define WEFT_KERNELS_REFERENCE_DENSE_I8_H_

#include "kernels/matrix/dense_i8.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

// For int16 rows.
inline float DenseI8Reference(const DenseI8Shape& s, const int16_t* x, const int8_t* weights,
                              const float* scales, const float* start, size_t row, size_t output) {
  uint32_t sum = 0;
  for (size_t k = 0; k < s.inputs; ++k) {
    const int32_t number = x[row * s.x_row_stride + k];
    sum += static_cast<uint32_t>(number * weights[PositionInI8(s.outputs, s.inputs, output, k)]);
  }
  const float scaled = static_cast<float>(static_cast<int32_t>(sum)) * scales[output];
  return scaled + (start == nullptr ? 0.0f : start[row * s.start_row_stride + output]);
}

inline float DenseI8Reference(const DenseI8Shape& s, const float* x, const int8_t* weights,
                              const float* scales, const float* start, size_t row, size_t output) {
  x += row * s.x_row_stride;
  float largest = 0.0f;
  bool is_finite = true;
  for (size_t k = 0; k < s.inputs; ++k) {
    is_finite = is_finite && std::isfinite(x[k]);
    largest = std::fmax(largest, std::fabs(x[k]));
  }
  if (!is_finite) return std::numeric_limits<float>::quiet_NaN();
  const bool is_zero = largest < 0x1p-100f;
  const float max = static_cast<float>(s.max);
  const float factor = is_zero ? 0.0f : max / largest, worth = is_zero ? 0.0f : largest / max;
  int64_t sum = 0;
  for (size_t k = 0; k < s.inputs; ++k) {
    const float scaled = x[k] * factor;
    sum += static_cast<int64_t>(std::nearbyint(scaled)) *
           weights[PositionInI8(s.outputs, s.inputs, output, k)];
  }
  const float scaled = static_cast<float>(sum) * worth;
  const float result = scaled * scales[output];
  return result + (start == nullptr ? 0.0f : start[row * s.start_row_stride + output]);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_DENSE_I8_H_
