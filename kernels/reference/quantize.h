// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for quantize, and the quantisation of one value for all quantised steps.
#ifndef WEFT_KERNELS_REFERENCE_QUANTIZE_H_
#define WEFT_KERNELS_REFERENCE_QUANTIZE_H_

#include "kernels/elementwise/quantize.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline int8_t LevelReference(const Levels& levels, float v) {
  if (std::isnan(v)) return levels.low;
  const double rounded = std::nearbyint(static_cast<double>(v)) + levels.zero;
  if (rounded < levels.low) return levels.low;
  return rounded > levels.high ? levels.high : static_cast<int8_t>(rounded);
}

inline int8_t QuantizeReference(const QuantizeShape& s, float x) {
  const float scaled = x * s.inverse;
  return LevelReference(s.levels, scaled);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_QUANTIZE_H_
