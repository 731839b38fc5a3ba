// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for region, exact: one element of y, from all samples of its bin.
#ifndef WEFT_KERNELS_REFERENCE_REGION_H_
#define WEFT_KERNELS_REFERENCE_REGION_H_

#include <algorithm>
#include <cmath>

#include "kernels/detection/region.h"

namespace weft::kernels {

// Bilinear interpolation at (y, x); 0 if that is more than one element outside the plane.
inline float RegionSampleReference(const RegionShape& s, const float* plane, float y, float x) {
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

// mean and max: element [i, j] of a region with these corners, for one plane.
inline float RegionSamplesReference(const RegionShape& s, const float* plane, const float* corners,
                                    uint32_t i, uint32_t j) {
  float start[2], bin[2];
  uint32_t samples[2];
  for (int axis = 0; axis < 2; ++axis) {  // x, then y
    const float begin = (corners[axis] + s.before) * s.scale + s.after;
    const float end = (corners[axis + 2] + s.before) * s.scale + s.after;
    if (!(std::abs(begin) <= 16777216 && std::abs(end) <= 16777216)) return 0;
    const float length = s.at_least_one != 0 ? std::max(end - begin, 1.0f) : end - begin;
    start[axis] = begin;
    bin[axis] = length / static_cast<float>(axis == 0 ? s.pooled_width : s.pooled_height);
    const float needed = std::max(std::ceil(bin[axis]), 0.0f);
    samples[axis] = s.samples != 0 ? s.samples : static_cast<uint32_t>(needed);
  }
  const auto position = [&](int axis, uint32_t at, uint32_t sample) {
    const float distance = bin[axis] / static_cast<float>(samples[axis]);
    return start[axis] + static_cast<float>(at) * bin[axis] +
           distance * (0.5f + static_cast<float>(sample));
  };
  float result = 0;
  for (uint32_t row = 0; row < samples[1]; ++row) {
    for (uint32_t column = 0; column < samples[0]; ++column) {
      const float y = position(1, i, row), x = position(0, j, column);
      const float value = RegionSampleReference(s, plane, y, x);
      result = s.op == RegionOp::kMax ? std::max(result, value) : result + value;
    }
  }
  const float count = static_cast<float>(samples[0]) * static_cast<float>(samples[1]);
  return s.op == RegionOp::kMax || count == 0 ? result : result / count;
}

// Returns true if bin `at` of an axis (0: x) contains index `position`. In float for own_mean, in
// double for position_max.
inline bool RegionHasReference(const RegionShape& s, const float* corners, int axis, uint32_t at,
                               uint32_t position) {
  const uint32_t bins = axis == 0 ? s.pooled_width : s.pooled_height;
  if (s.op == RegionOp::kOwnMean) {
    const float begin = std::round(corners[axis]) * s.scale;
    const float end = std::round(corners[axis + 2] + 1) * s.scale;
    if (!(std::abs(begin) <= 16777216 && std::abs(end) <= 16777216)) return false;
    const float size = std::max(end - begin, 0.1f) / static_cast<float>(bins);
    const auto edge = [&](uint32_t i) { return static_cast<float>(i) * size + begin; };
    const auto number = static_cast<float>(position);
    return number >= std::floor(edge(at)) && number < std::ceil(edge(at + 1));
  }
  const double first = std::round(corners[axis] * s.scale);
  const double last = std::round(corners[axis + 2] * s.scale);
  if (!(std::abs(first) <= 16777216 && std::abs(last) <= 16777216)) return false;
  const double extent = std::max(last - first + 1, 1.0);
  const double from_first = position - first;
  return from_first >= std::floor(extent * at / bins) &&
         from_first < std::ceil(extent * (at + 1) / bins);
}

// position_max and own_mean, for one plane.
inline float RegionPositionsReference(const RegionShape& s, const float* plane,
                                      const float* corners, uint32_t i, uint32_t j) {
  float sum = 0, maximum = 0;
  uint32_t count = 0;
  for (uint32_t y = 0; y < s.height; ++y) {
    for (uint32_t x = 0; x < s.width; ++x) {
      if (!RegionHasReference(s, corners, 1, i, y) || !RegionHasReference(s, corners, 0, j, x))
        continue;
      const float value = plane[size_t{y} * s.width + x];
      maximum = count == 0 || value > maximum ? value : maximum;
      sum += value;
      ++count;
    }
  }
  if (s.op == RegionOp::kPositionMax || count == 0) return maximum;
  return sum / static_cast<float>(count);
}

// point, for one plane.
inline float RegionPointReference(const RegionShape& s, const float* plane, const float* corners,
                                  uint32_t i, uint32_t j) {
  const auto position = [&](int axis, uint32_t at) {
    const float reach = static_cast<float>((axis == 0 ? s.width : s.height) - 1);
    const uint32_t bins = axis == 0 ? s.pooled_width : s.pooled_height;
    const float first = corners[axis] * s.scale, last = corners[axis + 2] * s.scale;
    float at_position = 0.5f * (first + last) * reach;
    if (bins > 1) {
      at_position =
          static_cast<float>(at) * ((last - first) * reach / static_cast<float>(bins - 1)) +
          first * reach;
      if (at + 1 == bins) at_position = last * reach;
    }
    return at_position >= 0 && at_position <= reach ? at_position : -2;
  };
  return RegionSampleReference(s, plane, position(1, i), position(0, j));
}

// Element [i, j] of a region with these corners; reads `plane`.
inline float RegionReference(const RegionShape& s, const float* plane, const float* corners,
                             uint32_t i, uint32_t j) {
  switch (s.op) {
    case RegionOp::kMean:
    case RegionOp::kMax:
      return RegionSamplesReference(s, plane, corners, i, j);
    case RegionOp::kPositionMax:
    case RegionOp::kOwnMean:
      return RegionPositionsReference(s, plane, corners, i, j);
    case RegionOp::kPoint:
      return RegionPointReference(s, plane, corners, i, j);
  }
  return 0;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_REGION_H_
