// SPDX-License-Identifier: Apache-2.0
// How Interpolate resizes each axis: extents, and the weighted input positions that contribute to
// each output position. Coordinates are computed in f32 with the operation order of the OpenVINO
// specification, because rounding decides which position is selected.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_RESAMPLE_H_
#define WEFT_CONVERTER_OPS_SUPPORT_RESAMPLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// One axis of the data. Zero padding is part of the input that is resized: `scale` maps the padded
// axis to the output.
struct ResampledAxis {
  int64_t in = 1, pad_begin = 0, pad_end = 0, out = 1;
  float scale = 1;
  int64_t padded() const { return in + pad_begin + pad_end; }
  // Returns true if the axis is unchanged whatever mode and scale are.
  bool stays() const { return pad_begin == 0 && pad_end == 0 && out == in; }
};

struct Resampling {
  std::vector<ResampledAxis> axes;  // one per axis of the data
  Dims listed;                      // axes that the sizes or scales refer to, in their order
  bool by_scales = false;           // else by sizes
  std::string mode, coordinates, rounding;
  float cube_coeff = -0.75f;
  bool antialias = false;  // linear and some axis shrinks: the scales set the filter width
};

// Reads the attributes and control inputs of Interpolate as of `opset`. Returns nullopt after
// errors.
std::optional<Resampling> ReadResampling(NodeScope& scope, int opset);

// One term of the weighted sum, for every output position: input position and weight. A position
// equal to the data's extent marks a zero term.
struct ResampleTap {
  Dims positions;
  std::vector<float> weights;
  // Returns true if all weights of nonzero terms are 1, so that the term only moves data.
  bool moves() const;
};

// The terms of an axis for which stays() is false; at least one. The mode must not be area.
std::vector<ResampleTap> ResampleTaps(const Resampling& resampling, const ResampledAxis& axis);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_RESAMPLE_H_
