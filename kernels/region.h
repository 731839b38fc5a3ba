// SPDX-License-Identifier: Apache-2.0
// Pools regions of planes to one size: y[r,c,i,j] is the mean or the maximum (0 at least) of samples of
// x[batch[r],c] in bin i, j of region r.
//
// x is [batch, channels, height, width], y [regions, channels, pooled_height, pooled_width]. A region
// is x, y of its first and of its last corner, moved to (corner + before) * scale + behind; with
// at_least_one its extents are 1 at least. Along an axis a bin has `samples` places in the middle of
// as many equal parts, or where that is 0 as many as the bin is long, rounded up. A sample is
// interpolated between its four neighbours; beyond the edge it is 0 from 1 on before the first and
// behind the last + 1, else the edge itself.
//
// A bin without samples is 0, and so is a region whose batch does not exist or that reaches beyond
// 2^24. A mean is the sum of its samples, rows first, over their number; a sample is the sum of its
// four products from the upper left on, each operation rounded by itself. No operand overlaps another.
// The caller owns all memory.
#ifndef WEFT_KERNELS_REGION_H_
#define WEFT_KERNELS_REGION_H_

#include "kernels/element.h"

namespace weft::kernels {

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
  uint32_t maximum = 0;
  Element index_type = Element::kI32;
};

void Region(const RegionShape& shape, const float* x, const float* regions, const void* batches,
            float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REGION_H_
