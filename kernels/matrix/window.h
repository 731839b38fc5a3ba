// SPDX-License-Identifier: Apache-2.0
// One axis of a sliding window: the taps of an output that are inside the input, and the outputs
// whose taps are all inside. Output p reads input p * stride + tap * dilation - pad. For any field
// values, the returned taps are inside the input. Also the strides of a map, for conv, depthwise
// and pool.
#ifndef WEFT_KERNELS_MATRIX_WINDOW_H_
#define WEFT_KERNELS_MATRIX_WINDOW_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

// Half-open range [first, end).
struct IndexRange {
  uint32_t first = 0;
  uint32_t end = 0;
  uint32_t count() const { return end > first ? end - first : 0; }
};

// Strides of a map. Row i, column j and channel c (over all groups) of image b is at
//   b * image + i * row + j * pixel + c * channel
// The stride of an axis of length 1 may have any value: it is never used to form a pointer.
struct MapStrides {
  uint32_t image = 0;
  uint32_t row = 0;
  uint32_t pixel = 0;
  uint32_t channel = 0;
};

// Lengths in elements; `pad` counts the padding before the data.
struct WindowAxis {
  uint32_t input = 0;
  uint32_t output = 0;
  uint32_t kernel = 0;
  uint32_t stride = 1;
  uint32_t dilation = 1;
  uint32_t pad = 0;

  // Input index of tap 0 of an output; negative inside the padding before the data.
  int64_t Origin(uint32_t position) const {
    return static_cast<int64_t>(uint64_t{position} * stride) - int64_t{pad};
  }

  // The taps of an output that are inside the input.
  __attribute__((noinline)) IndexRange Taps(uint32_t position) const {
    const int64_t origin = Origin(position);
    const uint32_t first = origin < 0 ? StepsTo(-origin, dilation) : 0;
    const uint32_t end = StepsTo(int64_t{input} - origin, dilation);
    return {first < kernel ? first : kernel, end < kernel ? end : kernel};
  }

  // The outputs whose taps are all inside the input. All outputs before are on the left edge, all
  // after on the right edge.
  __attribute__((noinline)) IndexRange Inside() const {
    const int64_t reach = static_cast<int64_t>(uint64_t{kernel - 1} * dilation);
    uint32_t first = StepsTo(int64_t{pad}, stride);
    uint32_t end = StepsTo(int64_t{input} - reach + int64_t{pad}, stride);
    if (first > output) first = output;
    if (end > output) end = output;
    return {first, end < first ? first : end};
  }

 private:
  // The minimum n with n * step >= distance, 0 for a negative distance. Distances are capped to 32
  // bits: larger ones exceed every axis, and small processors divide 32 bits. Not inlined, which
  // saves 400 bytes in each of three kernels: there are four calls per axis.
  __attribute__((noinline)) static uint32_t StepsTo(int64_t distance, uint32_t step) {
    if (distance <= 0) return 0;
    const uint32_t capped = distance > 0xFFFFFFFF ? 0xFFFFFFFFu : static_cast<uint32_t>(distance);
    if (step == 1) return capped;  // the common case; a division costs as much as many taps
    return capped / step + (capped % step != 0);
  }
};

// Fields shared by conv, depthwise and pool; conventions as above, y has its own strides.
struct WindowShape {
  uint32_t batch = 0;
  uint32_t in_height = 0;
  uint32_t in_width = 0;
  uint32_t out_height = 0;
  uint32_t out_width = 0;
  uint32_t kernel_height = 0;
  uint32_t kernel_width = 0;
  uint32_t stride_y = 0;
  uint32_t stride_x = 0;
  uint32_t dilation_y = 0;
  uint32_t dilation_x = 0;
  uint32_t pad_top = 0;
  uint32_t pad_left = 0;
  MapStrides x;
  MapStrides y;

  WindowAxis down() const {
    return {in_height, out_height, kernel_height, stride_y, dilation_y, pad_top};
  }
  WindowAxis across() const {
    return {in_width, out_width, kernel_width, stride_x, dilation_x, pad_left};
  }
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_WINDOW_H_
