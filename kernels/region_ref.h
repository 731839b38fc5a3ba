// SPDX-License-Identifier: Apache-2.0
// Scalar twin of region, exact: one element of y, from all samples of its bin.
#ifndef WEFT_KERNELS_REGION_REF_H_
#define WEFT_KERNELS_REGION_REF_H_

#include <algorithm>
#include <cmath>

#include "kernels/region.h"

namespace weft::kernels {

// Between the neighbours of a place; 0 beyond the edges.
inline float RegionSampleTwin(const RegionShape& s, const float* plane, float y, float x) {
  const auto height = static_cast<float>(s.height), width = static_cast<float>(s.width);
  if (!(y >= -1 && y <= height && x >= -1 && x <= width)) return 0;
  y = std::clamp(y, 0.0f, height - 1);
  x = std::clamp(x, 0.0f, width - 1);
  const float top = std::floor(y), left = std::floor(x);
  const auto at = [&](float row, float column) {
    return plane[static_cast<size_t>(std::min(row, height - 1)) * s.width +
                 static_cast<size_t>(std::min(column, width - 1))];
  };
  const float down = y - top, right = x - left;
  const float upper_left = (1 - down) * (1 - right) * at(top, left);
  const float upper_right = (1 - down) * right * at(top, left + 1);
  const float lower_left = down * (1 - right) * at(top + 1, left);
  const float lower_right = down * right * at(top + 1, left + 1);
  return upper_left + upper_right + lower_left + lower_right;
}

// Element [i, j] of a region with these corners, of one plane.
inline float RegionTwin(const RegionShape& s, const float* plane, const float* corners, uint32_t i,
                        uint32_t j) {
  float start[2], bin[2];
  uint32_t samples[2];
  for (int axis = 0; axis < 2; ++axis) {  // x, then y
    const float begin = (corners[axis] + s.before) * s.scale + s.behind;
    const float end = (corners[axis + 2] + s.before) * s.scale + s.behind;
    if (!(std::abs(begin) <= 16777216 && std::abs(end) <= 16777216)) return 0;
    const float length = s.at_least_one != 0 ? std::max(end - begin, 1.0f) : end - begin;
    start[axis] = begin;
    bin[axis] = length / static_cast<float>(axis == 0 ? s.pooled_width : s.pooled_height);
    const float needed = std::max(std::ceil(bin[axis]), 0.0f);
    samples[axis] = s.samples != 0 ? s.samples : static_cast<uint32_t>(needed);
  }
  const auto place = [&](int axis, uint32_t at, uint32_t sample) {
    const float distance = bin[axis] / static_cast<float>(samples[axis]);
    return start[axis] + static_cast<float>(at) * bin[axis] +
           distance * (0.5f + static_cast<float>(sample));
  };
  float result = 0;
  for (uint32_t row = 0; row < samples[1]; ++row) {
    for (uint32_t column = 0; column < samples[0]; ++column) {
      const float y = place(1, i, row), x = place(0, j, column);
      const float value = RegionSampleTwin(s, plane, y, x);
      result = s.maximum != 0 ? std::max(result, value) : result + value;
    }
  }
  const float count = static_cast<float>(samples[0]) * static_cast<float>(samples[1]);
  return s.maximum != 0 || count == 0 ? result : result / count;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REGION_REF_H_
