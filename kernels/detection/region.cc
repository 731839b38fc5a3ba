// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/region.h"

#include <cstddef>

#include "kernels/integer.h"

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

// False for a NaN as well.
bool IsClose(float start, float end) {
  return start >= -kFar && start <= kFar && end >= -kFar && end <= kFar;
}

float MovedCorner(const RegionShape& shape, float corner) {
  return (corner + shape.before) * shape.scale + shape.after;
}

BinAxis BinAxisOf(const RegionShape& shape, float first, float last, uint32_t bins,
                  uint32_t extent) {
  const float start = MovedCorner(shape, first), end = MovedCorner(shape, last);
  BinAxis axis;
  if (!IsClose(start, end)) return axis;
  const float length = end - start;
  axis.start = start;
  axis.extent = extent;
  axis.bin = (shape.at_least_one != 0 && length < 1 ? 1 : length) / static_cast<float>(bins);
  axis.samples = shape.samples != 0 ? shape.samples : RoundedUp(axis.bin);
  if (axis.samples != 0) axis.distance = axis.bin / static_cast<float>(axis.samples);
  return axis;
}

// Two positions on an axis and their weights.
struct Tap {
  uint32_t low, high;
  float low_weight, high_weight;
};

// Interpolates between the neighbours of a position; positions beyond an edge use the edge.
Tap TapAt(float position, uint32_t extent) {
  if (position < 0) position = 0;
  const uint32_t last = extent - 1;
  const auto low = static_cast<uint32_t>(position);
  if (low >= last) return {last, last, 1, 0};
  const float high_weight = position - static_cast<float>(low);
  return {low, low + 1, 1 - high_weight, high_weight};
}

// Iterates over the samples of one bin, except those that are 0 because they are beyond the edges.
class Samples {
 public:
  Samples(const BinAxis& axis, uint32_t bin)
      : axis_(axis), first_(axis.start + static_cast<float>(bin) * axis.bin) {
    if (!(axis.distance > 0)) return;
    // Starts a few samples before the first one inside, which covers rounding errors.
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
      const float position = first_ + axis_.distance * (0.5f + static_cast<float>(next_++));
      if (position >= -1 && position <= extent) {
        *tap = TapAt(position, axis_.extent);
        return true;
      }
      if (axis_.distance > 0 && position > extent) return false;
    }
    return false;
  }

 private:
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
    if (shape.op != RegionOp::kMax) {
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
  if (shape.op == RegionOp::kMax) return;
  const float count = static_cast<float>(rows.samples) * static_cast<float>(columns.samples);
  const size_t step = size_t{shape.pooled_height} * shape.pooled_width;
  for (size_t channel = 0; count != 0 && channel < shape.channels; ++channel) {
    y[channel * step] = y[channel * step] / count;
  }
}

void PoolSamples(const RegionShape& shape, const float* x, const float* corners, float* y) {
  const BinAxis rows = BinAxisOf(shape, corners[1], corners[3], shape.pooled_height, shape.height);
  const BinAxis columns = BinAxisOf(shape, corners[0], corners[2], shape.pooled_width, shape.width);
  for (uint32_t i = 0; i < shape.pooled_height; ++i) {
    for (uint32_t j = 0; j < shape.pooled_width; ++j) {
      PoolBin(shape, x, rows, i, columns, j, y + (size_t{i} * shape.pooled_width + j));
    }
  }
}

// Positions [begin, end) of an axis.
struct PositionRange {
  uint32_t begin = 0, end = 0;
  uint32_t count() const { return begin < end ? end - begin : 0; }
};

PositionRange ExistingPositions(int32_t begin, int32_t end, uint32_t extent) {
  const auto existing = [extent](int32_t position) {
    const uint32_t from_zero = position < 0 ? 0 : static_cast<uint32_t>(position);
    return from_zero < extent ? from_zero : extent;
  };
  return {existing(begin), existing(end)};
}

// Rounds halves away from zero. From 2^23 on every float is an integer.
float Rounded(float x) {
  if (!(x > -8388608.0f && x < 8388608.0f)) return x;
  const auto whole = static_cast<float>(static_cast<int32_t>(x));
  if (x - whole >= 0.5f) return whole + 1;
  return x - whole <= -0.5f ? whole - 1 : whole;
}

int32_t RoundedDown(float x) {
  const auto whole = static_cast<int32_t>(x);
  return static_cast<float>(whole) > x ? whole - 1 : whole;
}

PositionRange WholePositions(const RegionShape& shape, float first, float last, uint32_t bin,
                             uint32_t bins, uint32_t extent) {
  const float start = Rounded(first * shape.scale), end = Rounded(last * shape.scale);
  if (!IsClose(start, end)) return {};
  const auto begin = static_cast<int32_t>(start);
  const int32_t positions = static_cast<int32_t>(end) - begin + 1;
  const uint64_t length = positions > 1 ? static_cast<uint64_t>(positions) : 1;
  const uint64_t before = Divide(length * bin, bins).quotient;
  const uint64_t after = Divide(length * (uint64_t{bin} + 1) + bins - 1, bins).quotient;
  return ExistingPositions(begin + static_cast<int32_t>(before),
                           begin + static_cast<int32_t>(after), extent);
}

PositionRange TouchedPositions(const RegionShape& shape, float first, float last, uint32_t bin,
                               uint32_t bins, uint32_t extent) {
  const float start = Rounded(first) * shape.scale, end = Rounded(last + 1) * shape.scale;
  if (!IsClose(start, end)) return {};
  const float size = (end - start > 0.1f ? end - start : 0.1f) / static_cast<float>(bins);
  const float begin = static_cast<float>(bin) * size + start;
  const float after = static_cast<float>(bin + 1) * size + start;
  return ExistingPositions(RoundedDown(begin), -RoundedDown(-after), extent);
}

float MaximumOf(const float* plane, size_t width, const PositionRange& rows,
                const PositionRange& columns) {
  float maximum = plane[rows.begin * width + columns.begin];
  for (size_t row = rows.begin; row < rows.end; ++row) {
    for (size_t column = columns.begin; column < columns.end; ++column) {
      const float value = plane[row * width + column];
      if (value > maximum) maximum = value;
    }
  }
  return maximum;
}

float MeanOf(const float* plane, size_t width, const PositionRange& rows,
             const PositionRange& columns) {
  float sum = 0;
  for (size_t row = rows.begin; row < rows.end; ++row) {
    for (size_t column = columns.begin; column < columns.end; ++column) {
      sum = sum + plane[row * width + column];
    }
  }
  return sum / (static_cast<float>(rows.count()) * static_cast<float>(columns.count()));
}

void PoolPositions(const RegionShape& shape, const float* x, const float* corners, float* y) {
  const bool is_own = shape.op == RegionOp::kOwnMean;
  const auto range = is_own ? TouchedPositions : WholePositions;
  const size_t bins = size_t{shape.pooled_height} * shape.pooled_width;
  const size_t plane = size_t{shape.height} * shape.width;
  const size_t channels = is_own ? shape.channels / bins : shape.channels;
  for (size_t bin = 0; bin < bins; ++bin) {
    const auto i = static_cast<uint32_t>(bin / shape.pooled_width);
    const auto j = static_cast<uint32_t>(bin % shape.pooled_width);
    const PositionRange rows =
        range(shape, corners[1], corners[3], i, shape.pooled_height, shape.height);
    const PositionRange columns =
        range(shape, corners[0], corners[2], j, shape.pooled_width, shape.width);
    if (rows.count() == 0 || columns.count() == 0) continue;
    for (size_t channel = 0; channel < channels; ++channel) {
      y[channel * bins + bin] =
          is_own ? MeanOf(x + (channel * bins + bin) * plane, shape.width, rows, columns)
                 : MaximumOf(x + channel * plane, shape.width, rows, columns);
    }
  }
}

// Returns false if the position is beyond the edges.
bool PointTap(float first, float last, uint32_t bin, uint32_t bins, uint32_t extent, Tap* tap) {
  const auto reach = static_cast<float>(extent - 1);
  float position = 0.5f * (first + last) * reach;
  if (bins > 1 && bin + 1 == bins) {
    position = last * reach;
  } else if (bins > 1) {
    const float distance = (last - first) * reach / static_cast<float>(bins - 1);
    position = static_cast<float>(bin) * distance + first * reach;
  }
  if (!(position >= 0 && position <= reach)) return false;
  *tap = TapAt(position, extent);
  return true;
}

void PoolPoints(const RegionShape& shape, const float* x, const float* corners, float* y) {
  float parts[4];
  for (size_t i = 0; i < 4; ++i) parts[i] = corners[i] * shape.scale;
  for (uint32_t i = 0; i < shape.pooled_height; ++i) {
    Tap row, column;
    if (!PointTap(parts[1], parts[3], i, shape.pooled_height, shape.height, &row)) continue;
    for (uint32_t j = 0; j < shape.pooled_width; ++j) {
      if (!PointTap(parts[0], parts[2], j, shape.pooled_width, shape.width, &column)) continue;
      TakeSample(shape, x, row, column, y + (size_t{i} * shape.pooled_width + j));
    }
  }
}

void PoolRegion(const RegionShape& shape, const float* x, const float* corners, float* y) {
  switch (shape.op) {
    case RegionOp::kMean:
    case RegionOp::kMax:
      return PoolSamples(shape, x, corners, y);
    case RegionOp::kPositionMax:
    case RegionOp::kOwnMean:
      return PoolPositions(shape, x, corners, y);
    case RegionOp::kPoint:
      return PoolPoints(shape, x, corners, y);
  }
}

}  // namespace

void Region(const RegionShape& shape, const float* x, const float* regions, const void* batches,
            float* y) {
  const uint32_t bins = shape.pooled_height * shape.pooled_width;
  const size_t in = size_t{shape.channels} * shape.height * shape.width;
  const size_t out = size_t{RegionChannels(shape.op, shape.channels, bins)} * bins;
  if (out == 0) return;
  const bool is_list = shape.op != RegionOp::kMean && shape.op != RegionOp::kMax;
  bool has_ended = false;
  for (size_t region = 0; region < shape.regions; ++region) {
    float* const to = y + region * out;
    for (size_t i = 0; i < out; ++i) to[i] = 0;
    const int64_t batch = shape.index_type == Element::kI64
                              ? static_cast<const int64_t*>(batches)[region]
                              : static_cast<const int32_t*>(batches)[region];
    has_ended = has_ended || (is_list && batch < 0);
    if (has_ended || in == 0 || batch < 0 || batch >= int64_t{shape.batch}) continue;
    PoolRegion(shape, x + static_cast<size_t>(batch) * in, regions + 4 * region, to);
  }
}

}  // namespace weft::kernels
