// SPDX-License-Identifier: Apache-2.0
// Near in place: a step with a window writes y over x. y is made in blocks of at most
// kNearPixels pixels of one row, from the first to the last (from the last to the first where y
// lies behind x), one call of the kernel each, in which y does not overlap what the call reads:
//
//          x     |   |   |   |   |   |   |   |   |
//   y begins      +---- still read by this block and those to come
//   before x  |   |   |   |   |   |   |   |   |
//             written ----+
//
// How far before or behind x that takes is found from the parameters alone. Windows that reach back
// over p pixels want y to begin p pixels and one block before x; where every pixel of x serves its
// own pixel of y only, one block before or behind will do.
//
// Only the entries of steps.h that are called near know this. The others refuse such a file, and
// bring none of it into firmware that does without.
#ifndef WEFT_RUNTIME_BIND_NEAR_H_
#define WEFT_RUNTIME_BIND_NEAR_H_

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/window.h"
#include "runtime/format/listing.h"

namespace weft::bind {

inline constexpr uint32_t kNearPixels = 15;  // whole tiles of 3 and of 5 pixels

// y may begin so many bytes before x, or so many behind where x begins.
struct NearLimits {
  static constexpr uint32_t kNever = 0xFFFFFFFFu;
  uint32_t before_bytes = kNever;
  uint32_t behind_bytes = kNever;

  constexpr bool never() const { return before_bytes == kNever && behind_bytes == kNever; }
  // `before` is how many bytes before x y begins; negative where it begins behind.
  constexpr bool Allow(int64_t before) const {
    return before < 0 ? behind_bytes != kNever && -before >= int64_t{behind_bytes}
                      : before_bytes != kNever && before >= int64_t{before_bytes};
  }
};

// Of parameters that their step's check has passed.
#define WEFT_NEAR_STEP(name, Name) NearLimits NearLimitsOf(const format::Name##Params& params);
#include "runtime/format/near_steps.inc"
#undef WEFT_NEAR_STEP

// What a step reads and writes, pixel by pixel.
struct MapWalk {
  uint32_t batch, in_height, in_width, out_height, out_width;
  uint32_t kernel_height, kernel_width, stride_y, stride_x, pad_top, pad_left;
  uint32_t in_channels, out_channels;  // of a pixel, over all groups
  kernels::MapStrides x, y;
};
NearLimits LimitsOf(MapWalk walk);

// A step of its own, of one image and one row of y: the parameters in which it differs from the
// whole, and where its x and y begin, in elements.
struct NearBlock {
  uint32_t in_height, in_width, out_width, stride_x, pad_top, pad_left;
  uint32_t x_pixel, y_pixel;  // strides
  size_t x_offset, y_offset;
};

// The blocks of a walk whose y overlaps its x; none where y has no order of pixels.
class NearBlocks {
 public:
  // Descending where y begins behind x.
  NearBlocks(const MapWalk& walk, bool descending);

  // Goes to the first, then to the next block; false behind the last.
  bool Next(NearBlock* block);

 private:
  MapWalk walk_;
  uint32_t blocks_of_row_ = 0, count_ = 0, left_ = 0;
  const bool descending_;
};

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_NEAR_H_
