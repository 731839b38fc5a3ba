// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for depthwise with int8 weights, without its activation: depthwise's with
// widened weights, to be matched bit for bit.
#ifndef WEFT_KERNELS_REFERENCE_DEPTHWISE_I8_H_
#define WEFT_KERNELS_REFERENCE_DEPTHWISE_I8_H_

#include <vector>

#include "kernels/matrix/depthwise_i8.h"
#include "kernels/reference/depthwise.h"

namespace weft::kernels {

inline void DepthwiseI8Reference(const DepthwiseShape& s, const float* x,
                                 const DepthwiseI8Weights& weights, const float* bias, float* y) {
  const size_t padded = PanelCount(s.channels) * kPanelOutputs;
  std::vector<float> floats(padded * s.kernel_height * s.kernel_width);
  for (size_t i = 0; i < floats.size(); ++i) {
    const size_t channel = i % padded;
    const int32_t zero =
        weights.zeros == nullptr ? 0 : static_cast<int32_t>(weights.zeros[channel]);
    floats[i] = static_cast<float>(double{weights.scales[channel]} * (weights.integers[i] - zero));
  }
  DepthwiseReference(s, x, floats.data(), bias, y);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_DEPTHWISE_I8_H_
