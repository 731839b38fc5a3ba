// SPDX-License-Identifier: Apache-2.0
#include "kernels/region.h"

#include <cstddef>

namespace weft::kernels {
namespace {

constexpr float kFar = 16777216.0f;  // 2^24: numbers up to here are exact

// Bins of a region along one axis of the planes.
struct BinAxis {
  float start = 0, bin = 0, distance = 0;
  uint32_t samples = 0;
  uint32_t extent = 0;
};

uint32_t RoundedUp(float length) {
  if (!(length > 0)) return 0;
  const auto whole = static_cast<uint32_t>(length);
  return static_cast<float>(whole) < length ? whole + 1 : whole;
}

float MovedCorner(const RegionShape& shape, float corner) {
  return (corner + shape.before) * shape.scale + shape.behind;
}

BinAxis BinAxisOf(const RegionShape& shape, float first, float last, uint32_t bins,
                  uint32_t extent) {
  const float start = MovedCorner(shape, first), end = MovedCorner(shape, last);
  BinAxis axis;
  const bool is_near = start >= -kFar && start <= kFar && end >= -kFar && end <= kFar;
  if (!is_near) return axis;
  const float length = end - start;
  axis.start = start;
  axis.extent = extent;
  axis.bin = (shape.at_least_one != 0 && length < 1 ? 1 : length) / static_cast<float>(bins);
  axis.samples = shape.samples != 0 ? shape.samples : RoundedUp(axis.bin);
  if (axis.samples != 0) axis.distance = axis.bin / static_cast<float>(axis.samples);
  return axis;
}

// Two places of an axis and the weights of both.
struct Tap {
  uint32_t low, high;
  float low_weight, high_weight;
};

// The samples of one bin that are not beyond the edges.
class Samples {
 public:
  Samples(const BinAxis& axis, uint32_t bin)
      : axis_(axis), first_(axis.start + static_cast<float>(bin) * axis.bin) {
    if (!(axis.distance > 0)) return;
    // Some before the first one inside: rounding is far less.
    const float outside = (-1 - first_) / axis.distance * 0.9999f - 8;
    if (outside >= static_cast<float>(axis.samples)) {
      next_ = axis.samples;
    } else if (outside > 0) {
      next_ = static_cast<uint32_t>(outside);
    }
  }

  bool Next(Tap* tap) {
    const auto extent = static_cast<float>(axis_.extent);
    while (next_ < axis_.samples) {
      const float place = first_ + axis_.distance * (0.5f + static_cast<float>(next_++));
      if (place >= -1 && place <= extent) {
        *tap = TapAt(place);
        return true;
      }
      if (axis_.distance > 0 && place > extent) return false;
    }
    return false;
  }

 private:
  Tap TapAt(float place) const {
    if (place < 0) place = 0;
    const uint32_t last = axis_.extent - 1;
    const auto low = static_cast<uint32_t>(place);
    if (low >= last) return {last, last, 1, 0};
    const float high_weight = place - static_cast<float>(low);
    return {low, low + 1, 1 - high_weight, high_weight};
  }

  const BinAxis& axis_;
  const float first_;
  uint32_t next_ = 0;
};

void TakeSample(const RegionShape& shape, const float* x, const Tap& row, const Tap& column,
                float* y) {
  const size_t plane = size_t{shape.height} * shape.width;
  const size_t step = size_t{shape.pooled_height} * shape.pooled_width;
  const float* const upper = x + size_t{row.low} * shape.width;
  const float* const lower = x + size_t{row.high} * shape.width;
  const float weights[4] = {row.low_weight * column.low_weight, row.low_weight * column.high_weight,
                            row.high_weight * column.low_weight,
                            row.high_weight * column.high_weight};
  for (size_t channel = 0; channel < shape.channels; ++channel) {
    const size_t from = channel * plane;
    float value = weights[0] * upper[from + column.low];
    value = value + weights[1] * upper[from + column.high];
    value = value + weights[2] * lower[from + column.low];
    value = value + weights[3] * lower[from + column.high];
    float& to = y[channel * step];
    if (shape.maximum == 0) {
      to = to + value;
    } else if (value > to) {
      to = value;
    }
  }
}

void PoolBin(const RegionShape& shape, const float* x, const BinAxis& rows, uint32_t bin_row,
             const BinAxis& columns, uint32_t bin_column, float* y) {
  Tap row, column;
  for (Samples down(rows, bin_row); down.Next(&row);) {
    for (Samples across(columns, bin_column); across.Next(&column);) {
      TakeSample(shape, x, row, column, y);
    }
  }
  if (shape.maximum != 0) return;
  const float count = static_cast<float>(rows.samples) * static_cast<float>(columns.samples);
  const size_t step = size_t{shape.pooled_height} * shape.pooled_width;
  for (size_t channel = 0; count != 0 && channel < shape.channels; ++channel) {
    y[channel * step] = y[channel * step] / count;
  }
}

void PoolRegion(const RegionShape& shape, const float* x, const float* corners, float* y) {
  const BinAxis rows = BinAxisOf(shape, corners[1], corners[3], shape.pooled_height, shape.height);
  const BinAxis columns = BinAxisOf(shape, corners[0], corners[2], shape.pooled_width, shape.width);
  for (uint32_t i = 0; i < shape.pooled_height; ++i) {
    for (uint32_t j = 0; j < shape.pooled_width; ++j) {
      PoolBin(shape, x, rows, i, columns, j, y + (size_t{i} * shape.pooled_width + j));
    }
  }
}

}  // namespace

void Region(const RegionShape& shape, const float* x, const float* regions, const void* batches,
            float* y) {
  const size_t bins = size_t{shape.pooled_height} * shape.pooled_width;
  const size_t in = size_t{shape.channels} * shape.height * shape.width;
  const size_t out = shape.channels * bins;
  if (out == 0) return;
  for (size_t region = 0; region < shape.regions; ++region) {
    float* const to = y + region * out;
    for (size_t i = 0; i < out; ++i) to[i] = 0;
    const int64_t batch = shape.index_type == Element::kI64
                              ? static_cast<const int64_t*>(batches)[region]
                              : static_cast<const int32_t*>(batches)[region];
    if (in == 0 || batch < 0 || batch >= int64_t{shape.batch}) continue;
    PoolRegion(shape, x + static_cast<size_t>(batch) * in, regions + 4 * region, to);
  }
}

}  // namespace weft::kernels
