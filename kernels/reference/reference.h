// SPDX-License-Identifier: Apache-2.0
// Shared by the scalar reference kernels. These are only for tests: they are written for
// readability, compute offsets by division, and use double precision and the host's mathematical
// functions.
#ifndef WEFT_KERNELS_REFERENCE_REFERENCE_H_
#define WEFT_KERNELS_REFERENCE_REFERENCE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/matrix/window.h"

namespace weft::kernels {

inline size_t CountOf(const uint32_t* dims, uint32_t rank) {
  size_t count = 1;
  for (uint32_t d = 0; d < rank; ++d) count *= dims[d];
  return count;
}

// Offset under `strides` of the element with row-major index `linear`.
template <typename Stride>
ptrdiff_t OffsetOf(size_t linear, uint32_t rank, const uint32_t* dims, const Stride* strides) {
  ptrdiff_t offset = 0;
  for (uint32_t d = rank; d-- > 0;) {
    offset += static_cast<ptrdiff_t>(linear % dims[d]) * static_cast<ptrdiff_t>(strides[d]);
    linear /= dims[d];
  }
  return offset;
}

// A tap of a window, at row iy and column ix of x. Inside the input its element is `offset` from
// the first one of the image and channel.
struct WindowTap {
  int64_t index, iy, ix, offset;
  bool is_inside;
};

// Calls visit(WindowTap) for the taps of output pixel (py, px), row by row.
template <typename Visit>
void ForEachTap(const WindowShape& s, int64_t py, int64_t px, const Visit& visit) {
  for (int64_t ky = 0; ky < s.kernel_height; ++ky) {
    for (int64_t kx = 0; kx < s.kernel_width; ++kx) {
      const int64_t iy = py * s.stride_y + ky * s.dilation_y - s.pad_top;
      const int64_t ix = px * s.stride_x + kx * s.dilation_x - s.pad_left;
      const bool is_inside = iy >= 0 && ix >= 0 && iy < s.in_height && ix < s.in_width;
      const int64_t offset = is_inside ? iy * s.x.row + ix * s.x.pixel : 0;
      visit(WindowTap{ky * s.kernel_width + kx, iy, ix, offset, is_inside});
    }
  }
}

// Sets each element of the map y to pixel(b, c, py, px).
template <typename Pixel>
void ForEachPixel(const WindowShape& s, size_t channels, float* y, const Pixel& pixel) {
  for (size_t b = 0; b < s.batch; ++b) {
    for (size_t c = 0; c < channels; ++c) {
      float* to = y + b * s.y.image + c * s.y.channel;
      for (int64_t py = 0; py < s.out_height; ++py) {
        for (int64_t px = 0; px < s.out_width; ++px) {
          to[py * s.y.row + px * s.y.pixel] = pixel(b, c, py, px);
        }
      }
    }
  }
}

// Maximum difference between a result and a reference in double.
struct Tolerance {
  double absolute;
  double relative;
};

inline bool IsClose(double is, double must, Tolerance tolerance) {
  if (std::isnan(must)) return std::isnan(is);
  if (std::isinf(must)) return is == must;
  return std::fabs(is - must) <= tolerance.absolute + tolerance.relative * std::fabs(must);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_REFERENCE_H_
