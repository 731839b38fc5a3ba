// SPDX-License-Identifier: Apache-2.0
// Overlap in place with an offset: a step with a window writes y over x. y is computed in blocks of
// at most kOverlapPixels pixels of one row, with one call of the kernel per block. The blocks run
// from the first to the last, or from the last to the first if y starts after x. Within a call, y
// does not overlap the pixels that the call reads:
//
//          x     |   |   |   |   |   |   |   |   |
//   y starts      +---- still read by this block and later ones
//   before x  |   |   |   |   |   |   |   |   |
//             written ----+
//
// The required distance between x and y follows from the parameters. For windows that reach back
// over p pixels, y must start p pixels and one block before x. If every pixel of y depends only on
// the pixel of x at the same position, a distance of one block before or after x is enough.
//
// Only the near_ entries of steps.h support this. The others reject such a file, and do not link
// this code.
#ifndef WEFT_RUNTIME_BIND_OVERLAPPING_H_
#define WEFT_RUNTIME_BIND_OVERLAPPING_H_

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/window.h"
#include "runtime/format/listing.h"

namespace weft::bind {

inline constexpr uint32_t kOverlapPixels = 15;  // a multiple of the tiles of 3 and of 5 pixels

// y may start at least before_bytes before x, or at least after_bytes after the start of x.
struct OverlapLimits {
  static constexpr uint32_t kNever = 0xFFFFFFFFu;
  uint32_t before_bytes = kNever;
  uint32_t after_bytes = kNever;

  constexpr bool never() const { return before_bytes == kNever && after_bytes == kNever; }
  // `before` is how many bytes before x y starts; negative if y starts after x.
  constexpr bool Allow(int64_t before) const {
    return before < 0 ? after_bytes != kNever && -before >= int64_t{after_bytes}
                      : before_bytes != kNever && before >= int64_t{before_bytes};
  }
};

// The parameters must have passed the check of their step.
#define WEFT_OVERLAPPING_STEP(name, Name) \
  OverlapLimits OverlapLimitsOf(const format::Name##Params& params);
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP

// Geometry of the pixels that a step reads and writes.
struct MapGeometry {
  uint32_t batch, in_height, in_width, out_height, out_width;
  uint32_t kernel_height, kernel_width, stride_y, stride_x, pad_top, pad_left;
  uint32_t in_channels, out_channels;  // of a pixel, over all groups
  kernels::MapStrides x, y;
};
OverlapLimits LimitsOf(MapGeometry geometry);

// A block as a separate step, with one image and one row of y: the parameters that differ from the
// complete step, and the offsets of its x and y in elements.
struct OverlapBlock {
  uint32_t in_height, in_width, out_width, stride_x, pad_top, pad_left;
  uint32_t x_pixel, y_pixel;  // strides
  size_t x_offset, y_offset;
};

// The blocks of a step whose y overlaps its x; there are none if y has no order of pixels.
class OverlapBlocks {
 public:
  // `descending` if y starts after x.
  OverlapBlocks(const MapGeometry& geometry, bool descending);

  // Moves to the first, then to the next block. Returns false after the last.
  bool Next(OverlapBlock* block);

 private:
  MapGeometry geometry_;
  uint32_t blocks_of_row_ = 0, count_ = 0, left_ = 0;
  const bool descending_;
};

// Sets the parameters of one block; the others are those of the complete step, with one image and
// one row.
template <typename Params>
void SetBlock(const OverlapBlock& block, Params& part) {
  part.mutate_batch(1);
  part.mutate_out_height(1);
  part.mutate_in_height(block.in_height);
  part.mutate_in_width(block.in_width);
  part.mutate_out_width(block.out_width);
  part.mutate_stride_x(block.stride_x);
  part.mutate_pad_top(block.pad_top);
  part.mutate_pad_left(block.pad_left);
  part.mutable_x().mutate_pixel(block.x_pixel);
  part.mutable_y().mutate_pixel(block.y_pixel);
}

// Returns true if a step runs in blocks if y starts `before` floats before x, or after x if it is
// negative. Then `geometry` is that of the step.
#define WEFT_OVERLAPPING_STEP(name, Name) \
  bool RunsInBlocks(const format::Name##Params& params, int64_t before, MapGeometry* geometry);
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_OVERLAPPING_H_
