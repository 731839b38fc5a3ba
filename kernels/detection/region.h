// SPDX-License-Identifier: Apache-2.0
// Pools regions of maps to a fixed size: y[r,c,i,j] is computed from bin (i, j) of region r of
// x[batch[r],c].
//
// x is [batch, channels, height, width], y [regions, channels, pooled_height, pooled_width]. A
// region is x and y of its first corner, then of its last corner.
//
// mean, max (ROI align): corners are transformed to (corner + before) * scale + after. With
//   at_least_one the extents are at least 1. On each axis a bin is divided into `samples` equal
//   parts (if that is 0, as many as the bin's extent, rounded up), with a sample at the centre of
//   each part. A sample is interpolated between its four neighbours. A sample more than 1 before
//   the first element, or more than 1 after the last, is 0; other samples beyond an edge use the
//   edge. y is the mean of the samples, or their maximum (at least 0). A bin without samples is 0.
// position_max (ROI pooling): corners are corner * scale, rounded, halves away from zero. The
// `extent`
//   positions from the first to the last corner (at least 1) are divided into bins: bin i has those
//   from extent * i / bins, rounded down, to extent * (i + 1) / bins, rounded up, that are inside
//   the map. y is the maximum of their elements.
// own_mean (position-sensitive ROI pooling): corners are round(first) * scale and
//   round(last + 1) * scale, at least 0.1 apart. A bin has the positions from its begin, rounded
//   down, to its end, rounded up, that are inside the map. y is the mean of their elements. Each
//   bin reads its own channel, (c * pooled_height + i) * pooled_width + j, so that y has
//   channels / bins channels. Bins of position_max and own_mean without elements are 0.
// point: corners are corner * scale, as fractions of the way from the first position of an axis to
//   the last. A bin is one sample: positions from corner to corner at equal distances, or the
//   middle if there is one bin; 0 beyond the edges. y is the interpolated value.
//
// A region whose batch does not exist, or that reaches beyond 2^24, is 0. Except for mean and max,
// all regions after one with a batch below 0 are 0 as well. A mean is the sum of its terms, in
// row-major order, divided by their number. A sample is the sum of its four products, from the
// upper left on, with each operation rounded separately. No operand overlaps another. The caller
// owns all memory.
#ifndef WEFT_KERNELS_DETECTION_REGION_H_
#define WEFT_KERNELS_DETECTION_REGION_H_

#include "kernels/element.h"

namespace weft::kernels {

enum class RegionOp : uint8_t { kMean, kMax, kPositionMax, kOwnMean, kPoint };
inline constexpr uint8_t kRegionOpCount = 5;

struct RegionShape {
  uint32_t batch = 0;
  uint32_t channels = 0;
  uint32_t height = 0;
  uint32_t width = 0;
  uint32_t regions = 0;
  uint32_t pooled_height = 0;
  uint32_t pooled_width = 0;
  uint32_t samples = 0;
  float scale = 1;
  float before = 0;
  float after = 0;
  uint32_t at_least_one = 0;
  RegionOp op = RegionOp::kMean;
  Element index_type = Element::kI32;
};

// Number of channels of y: with own_mean each of `bins` bins reads its own channels, else all bins
// read the same ones.
constexpr uint32_t RegionChannels(RegionOp op, uint32_t channels, uint32_t bins) {
  if (op != RegionOp::kOwnMean) return channels;
  return bins == 0 ? 0 : channels / bins;
}

void Region(const RegionShape& shape, const float* x, const float* regions, const void* batches,
            float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_DETECTION_REGION_H_
