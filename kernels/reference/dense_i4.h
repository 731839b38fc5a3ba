// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for dense with 4-bit weights without its activation (see unary.h): the
// formula of dense_i4.h in plain integers, which a kernel must match bit for bit.
#ifndef WEFT_KERNELS_REFERENCE_DENSE_I4_H_
#define WEFT_KERNELS_REFERENCE_DENSE_I4_H_

#include "kernels/matrix/dense_i4.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline int32_t PackedU4Weight(const uint8_t* packed, size_t inputs, size_t output, size_t input) {
  constexpr size_t kHalf = kPanelOutputs / 2;
  const size_t panel = output / kPanelOutputs, block = input / kInputBlock;
  const uint64_t blocks = PaddedInputs(static_cast<uint32_t>(inputs)) / kInputBlock;
  const size_t line = (panel * blocks + block) * kHalf + output % kHalf;
  const uint8_t both = packed[line * kInputBlock + input % kInputBlock];
  return output % kPanelOutputs < kHalf ? both & 15 : both >> 4;
}

// `scales` are floats, or widened halves.
inline float DenseI4Reference(const DenseI4Shape& s, const float* x, const uint8_t* weights,
                              const float* scales, const uint8_t* zeros, const float* start,
                              size_t row, size_t output) {
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
  const size_t group = GroupInputs(s.inputs, s.group_blocks);
  const size_t groups = GroupCount(s.inputs, s.group_blocks);
  float total = 0.0f;
  for (size_t g = 0; g < groups; ++g) {
    const size_t at =
        (output / kPanelOutputs * groups + g) * kPanelOutputs + output % kPanelOutputs;
    const int32_t zero = zeros == nullptr ? 8 : zeros[at];
    int64_t sum = 0;
    for (size_t k = g * group; k < (g + 1) * group && k < s.inputs; ++k) {
      const float scaled = x[k] * factor;
      const int32_t weight = PackedU4Weight(weights, s.inputs, output, k) - zero;
      sum += static_cast<int64_t>(std::nearbyint(scaled)) * weight;
    }
    const float product = static_cast<float>(sum) * scales[at];
    total = total + product;
  }
  const float scaled = total * worth;
  return scaled + (start == nullptr ? 0.0f : start[row * s.start_row_stride + output]);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_DENSE_I4_H_
