// SPDX-License-Identifier: Apache-2.0
// Random windows and maps for the tests of conv, depthwise and pool.
#ifndef WEFT_TESTS_KERNELS_WINDOW_CASES_H_
#define WEFT_TESTS_KERNELS_WINDOW_CASES_H_

#include <cstring>

#include "kernels/matrix/conv.h"
#include "kernels/matrix/window.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {

// One random axis of a window; `output` follows from the padding after the data.
struct AxisCase {
  AxisCase(Random* random, uint32_t longest, uint32_t longest_kernel = 4) {
    axis.kernel = 1 + random->Below(longest_kernel);
    axis.stride = 1 + random->Below(3);
    axis.dilation = 1 + random->Below(3);
    axis.input = 1 + random->Below(longest);
    axis.pad = random->Below(4);
    const uint32_t reach = (axis.kernel - 1) * axis.dilation + 1;
    pad_after = random->Below(4);
    if (axis.input + axis.pad + pad_after < reach) pad_after = reach - axis.input - axis.pad;
    if (axis.input + axis.pad + pad_after < reach) pad_after = reach;
    axis.output = (axis.input + axis.pad + pad_after - reach) / axis.stride + 1;
  }
  WindowAxis axis;
  uint32_t pad_after;
};

// Sets all fields of the window except the strides of its maps.
inline void AssignAxes(const WindowAxis& down, const WindowAxis& across, WindowShape* shape) {
  shape->in_height = down.input;
  shape->in_width = across.input;
  shape->out_height = down.output;
  shape->out_width = across.output;
  shape->kernel_height = down.kernel;
  shape->kernel_width = across.kernel;
  shape->stride_y = down.stride;
  shape->stride_x = across.stride;
  shape->dilation_y = down.dilation;
  shape->dilation_x = across.dilation;
  shape->pad_top = down.pad;
  shape->pad_left = across.pad;
}

// The layout of a map, and its size.
enum class MapOrder { kPlanes, kLast, kLastWithGaps, kPlanesWithGaps };
inline constexpr MapOrder kMapOrders[] = {MapOrder::kPlanes, MapOrder::kLast,
                                          MapOrder::kLastWithGaps, MapOrder::kPlanesWithGaps};

struct MapCase {
  MapStrides strides;
  size_t floats = 0;

  MapCase(MapOrder order, uint32_t images, uint32_t height, uint32_t width, uint32_t channels) {
    const bool gaps = order == MapOrder::kLastWithGaps || order == MapOrder::kPlanesWithGaps;
    if (order == MapOrder::kLast || order == MapOrder::kLastWithGaps) {
      strides.channel = 1;
      strides.pixel = channels + (gaps ? 3 : 0);
      strides.row = strides.pixel * width + (gaps ? 5 : 0);
      strides.image = strides.row * height;
    } else {
      strides.pixel = gaps ? 2 : 1;
      strides.row = strides.pixel * width;
      strides.channel = strides.row * height + (gaps ? 3 : 0);
      strides.image = strides.channel * channels;
    }
    if (images == 0 || height == 0 || width == 0 || channels == 0) return;
    floats = 1 + size_t{images - 1} * strides.image + size_t{height - 1} * strides.row +
             size_t{width - 1} * strides.pixel + size_t{channels - 1} * strides.channel;
    // The stride of an axis of length 1 may have any value.
    if (images == 1) strides.image = 0xFFFFFFFF;
    if (height == 1) strides.row = 0x80000001;
    if (width == 1) strides.pixel = 0x7FFFFFFF;
    if (channels == 1) strides.channel = 0xFFFFFFF1;
  }
};

// A random convolution of few channels. `round` takes each pair of orders by turns.
struct ConvCase {
  ConvCase(Random* random, uint32_t round) {
    const AxisCase down(random, 5), across(random, round % 4 == 0 ? 40 : 9);
    shape.batch = 1 + random->Below(2);
    shape.groups = 1 + random->Below(2);
    shape.in_channels = 1 + random->Below(5);
    shape.out_channels = 1 + random->Below(random->Below(4) == 0 ? 100 : 20);
    AssignAxes(down.axis, across.axis, &shape);
    const MapCase x(kMapOrders[round % 4], shape.batch, shape.in_height, shape.in_width,
                    shape.groups * shape.in_channels);
    const MapCase y(kMapOrders[round / 4 % 4], shape.batch, shape.out_height, shape.out_width,
                    shape.groups * shape.out_channels);
    shape.x = x.strides;
    shape.y = y.strides;
    x_floats = x.floats;
    y_floats = y.floats;
  }
  ConvShape shape = {};
  size_t x_floats = 0, y_floats = 0;
};

// The initial contents of an Array, to check that gaps stay unwritten.
inline std::vector<float> Unwritten(size_t count) {
  std::vector<float> values(count);
  if (count != 0) std::memset(values.data(), 0xA5, count * sizeof(float));
  return values;
}

}  // namespace weft::kernels

#endif  // WEFT_TESTS_KERNELS_WINDOW_CASES_H_
