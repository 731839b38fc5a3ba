// SPDX-License-Identifier: Apache-2.0
// Pools regions of planes to one size: y[r,c,i,j] is made of what stands in bin i, j of region r of
// x[batch[r],c].
//
// x is [batch, channels, height, width], y [regions, channels, pooled_height, pooled_width]. A
// region is x, y of its first and of its last corner.
//
// mean, max: corners are moved to (corner + before) * scale + behind; with at_least_one extents are
// 1
//   at least. Along an axis a bin has `samples` places in the middle of as many equal parts, or
//   where that is 0 as many as the bin is long, rounded up. A sample is interpolated between its
//   four neighbours; beyond the edge it is 0 from 1 on before the first and behind the last + 1,
//   else the edge itself. y is their mean or their maximum (0 at least); a bin without samples is
//   0.
// place_max: corners are corner * scale, rounded, halves away from zero. Of the `extent` places
// from the
//   first to the last one (1 at least) a bin has those from extent * i / bins, rounded down, to
//   extent * (i + 1) / bins, rounded up, as far as they exist. y is the maximum of their elements.
// own_mean: corners are round(first) * scale and round(last + 1) * scale, at least 0.1 apart; a bin
// has
//   the places from its begin, rounded down, to its end, rounded up, as far as they exist. y is the
//   mean of their elements in the channel of the bin's own: (c * pooled_height + i) * pooled_width
//   + j, so that it has channels / bins channels. Where there are none, place_max and own_mean are
//   0.
// point: corners are corner * scale, parts of the way from the first place of an axis to the last.
// A bin
//   is one sample: places from corner to corner at equal distances, of one bin the middle; 0 beyond
//   the edges. y is what is interpolated there.
//
// A region whose batch does not exist or that reaches beyond 2^24 is 0; but for mean and max, so
// are all regions behind one of a batch below 0. A mean is the sum of its parts, rows first, over
// their number; a sample is the sum of its four products from the upper left on, each operation
// rounded by itself. No operand overlaps another. The caller owns all memory.
#ifndef WEFT_KERNELS_DETECTION_REGION_H_
#define WEFT_KERNELS_DETECTION_REGION_H_

#include "kernels/element.h"

namespace weft::kernels {

enum class RegionOp : uint8_t { kMean, kMax, kPlaceMax, kOwnMean, kPoint };
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
  float behind = 0;
  uint32_t at_least_one = 0;
  RegionOp op = RegionOp::kMean;
  Element index_type = Element::kI32;
};

// Channels of y, where each of `bins` takes channels of its own or all take the same.
constexpr uint32_t RegionChannels(RegionOp op, uint32_t channels, uint32_t bins) {
  if (op != RegionOp::kOwnMean) return channels;
  return bins == 0 ? 0 : channels / bins;
}

void Region(const RegionShape& shape, const float* x, const float* regions, const void* batches,
            float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_DETECTION_REGION_H_
