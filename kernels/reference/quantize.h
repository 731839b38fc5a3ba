// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for quantize, and the quantisation of one value for all quantised steps.
#ifndef WEFT_KERNELS_REFERENCE_QUANTIZE_H_
#define WEFT_KERNELS_REFERENCE_QUANTIZE_H_

#include "kernels/elementwise/quantize.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline int8_t CodeReference(const CodeRange& codes, float v) {
  if (std::isnan(v)) return codes.low;
  const double rounded = std::nearbyint(static_cast<double>(v)) + codes.zero;
  if (rounded < codes.low) return codes.low;
  return rounded > codes.high ? codes.high : static_cast<int8_t>(rounded);
}

inline int8_t QuantizeReference(const QuantizeShape& s, float x) {
  const float scaled = x * s.inverse;
  return CodeReference(s.codes, scaled);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_QUANTIZE_H_
