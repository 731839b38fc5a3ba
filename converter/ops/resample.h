// SPDX-License-Identifier: Apache-2.0
// How Interpolate resizes each axis: its extents, and the places of the data that every place of
// the output is made of. Coordinates are computed in f32, operation by operation as the documents
// write them: where a place is chosen, a rounding decides.
#ifndef WEFT_CONVERTER_OPS_RESAMPLE_H_
#define WEFT_CONVERTER_OPS_RESAMPLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// One axis of the data. Its zero padding is resized with it; `scale` leads from the padded axis to
// the output.
struct ResampledAxis {
  int64_t in = 1, pad_begin = 0, pad_end = 0, out = 1;
  float scale = 1;
  int64_t padded() const { return in + pad_begin + pad_end; }
  // Every place stays where it is, whatever mode and scale say.
  bool stays() const { return pad_begin == 0 && pad_end == 0 && out == in; }
};

struct Resampling {
  std::vector<ResampledAxis> axes;  // all of the data's
  Dims listed;                      // axes that the sizes or scales are for, in their order
  bool by_scales = false;           // else by sizes
  std::string mode, coordinates, rounding;
  float cube_coeff = -0.75f;
  bool antialias = false;  // linear, and an axis shrinks: the scales say how far a place reaches
};

// The attributes and control inputs of Interpolate as of `opset`; nullopt after faults.
std::optional<Resampling> ReadResampling(NodeScope& scope, int opset);

// One term of the sum that makes an output place: weight times place of the data. The place is the
// data's extent where the term is 0.
struct ResampleTap {
  Dims places;
  std::vector<float> weights;
  // Weights are 1 where there is a term.
  bool moves() const;
};

// The terms of an axis that does not stay; at least one. The mode is not area.
std::vector<ResampleTap> ResampleTaps(const Resampling& resampling, const ResampledAxis& axis);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_RESAMPLE_H_
