// SPDX-License-Identifier: Apache-2.0
// Random windows and maps for the tests of conv, depthwise and pool.
#ifndef WEFT_TESTS_KERNELS_WINDOW_CASES_H_
#define WEFT_TESTS_KERNELS_WINDOW_CASES_H_

#include <cstring>

#include "kernels/matrix/conv.h"
#include "kernels/matrix/window.h"
#include "kernels/reference/conv.h"
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
    SetMaps(round);
  }
  ConvShape shape = {};
  size_t x_floats = 0, y_floats = 0;

 protected:
  ConvCase() = default;
  void SetMaps(uint32_t round) {
    const MapCase x(kMapOrders[round % 4], shape.batch, shape.in_height, shape.in_width,
                    shape.groups * shape.in_channels);
    const MapCase y(kMapOrders[round / 4 % 4], shape.batch, shape.out_height, shape.out_width,
                    shape.groups * shape.out_channels);
    shape.x = x.strides;
    shape.y = y.strides;
    x_floats = x.floats;
    y_floats = y.floats;
  }
};

// A random convolution whose weights are widened once for all pixels. They fit in the memory for
// them, or are divided by rows, by columns or by channels of the kernel.
struct ManyPixelsCase : ConvCase {
  ManyPixelsCase(Random* random, uint32_t round) {
    struct Kernel {
      uint32_t height, width, min_channels, max_channels;
    };
    constexpr Kernel kKernels[] = {{1, 1, 1, 288},  {3, 3, 1, 32},    {3, 3, 33, 180},
                                   {5, 2, 20, 64},  {1, 3, 250, 700}, {2, 2, 289, 600},
                                   {1, 9, 33, 150}, {1, 1, 577, 1300}};
    const Kernel& kernel = kKernels[random->Below(8)];
    AxisCase down(random, 1), across(random, 1);
    down.axis.kernel = kernel.height;
    across.axis.kernel = kernel.width;
    SetOutput(random, kernel.height == 1 ? 1 + random->Below(5) : 5 + random->Below(3), &down.axis);
    SetOutput(random, 12 + random->Below(kernel.height == 1 ? 40 : 6), &across.axis);
    shape.batch = 1;
    shape.groups = 1 + random->Below(2);
    shape.in_channels =
        kernel.min_channels + random->Below(kernel.max_channels - kernel.min_channels + 1);
    shape.out_channels = 1 + random->Below(random->Below(2) == 0 ? 75 : 20);
    AssignAxes(down.axis, across.axis, &shape);
    SetMaps(round);
  }

 private:
  // Sets the input of an axis so that some of its windows extend beyond the data on both sides.
  static void SetOutput(Random* random, uint32_t output, WindowAxis* axis) {
    const uint32_t reach = (axis->kernel - 1) * axis->dilation + 1;
    const uint32_t covered = (output - 1) * axis->stride + reach;
    const uint32_t padding = axis->pad + random->Below(4);
    axis->output = output;
    axis->input = covered > padding ? covered - padding : 1;
  }
};

// The initial contents of an Array, to check that gaps stay unwritten.
inline std::vector<float> Unwritten(size_t count) {
  std::vector<float> values(count);
  if (count != 0) std::memset(values.data(), 0xA5, count * sizeof(float));
  return values;
}

// Selects ReLU, and applies it to the results of a reference kernel in an array that began as
// Unwritten.
inline void Rectify(Activation* activation, std::vector<float>* must) {
  activation->op = UnaryOp::kRelu;
  const float gap = Unwritten(1)[0];
  for (float& value : *must) {
    if (value < 0 && !SameBits(value, gap)) value = 0;
  }
}

template <typename Shape>
void SetWindow(Shape* shape, const AxisCase& down, const AxisCase& across, uint32_t batch) {
  shape->batch = batch;
  AssignAxes(down.axis, across.axis, shape);
}

// A convolution with any window and up to 40 channels, for case i; a quarter are often direct.
template <typename Shape>
void SetConvolution(Random* random, uint32_t i, uint32_t longest, Shape* shape) {
  AxisCase down(random, 6), across(random, i % 2 == 0 ? longest : 9, i % 7 == 0 ? 9 : 4);
  if (i % 4 == 0) {
    for (AxisCase* axis : {&down, &across}) {
      axis->axis.kernel = 1, axis->axis.pad = i % 16 == 0 ? 1 : 0;
      axis->axis.output = (axis->axis.input - 1) / axis->axis.stride + 1;
    }
  }
  SetWindow(shape, down, across, 1 + random->Below(2));
  shape->groups = 1 + random->Below(3);
  shape->in_channels = 1 + random->Below(i % 5 == 0 ? 40 : 5);
  shape->out_channels = 1 + random->Below(i % 6 == 0 ? 40 : 5);
}

// The shape with maps in the given orders, and iteration over its outputs.
template <typename Shape>
struct Maps {
  Maps(Shape* shape, MapOrder x_order, MapOrder y_order, uint32_t in_channels, uint32_t channels)
      : x(x_order, shape->batch, shape->in_height, shape->in_width, in_channels),
        y(y_order, shape->batch, shape->out_height, shape->out_width, channels),
        of_shape(*shape),
        out_channels(channels) {
    shape->x = of_shape.x = x.strides;
    shape->y = of_shape.y = y.strides;
  }
  // visit(image, channel, row, column, index in y)
  template <class Visit>
  void ForOutputs(const Visit& visit) const {
    for (size_t b = 0; b < of_shape.batch; ++b) {
      for (size_t c = 0; c < out_channels; ++c) {
        for (uint32_t py = 0; py < of_shape.out_height; ++py) {
          for (uint32_t px = 0; px < of_shape.out_width; ++px) {
            visit(b, c, py, px,
                  b * of_shape.y.image + c * of_shape.y.channel + size_t{py} * of_shape.y.row +
                      size_t{px} * of_shape.y.pixel);
          }
        }
      }
    }
  }
  MapCase x, y;
  Shape of_shape;
  uint32_t out_channels;
};

// The interface of the parameters of a step.
struct WindowParams {
  const ConvShape& s;
  struct Strides {
    uint32_t of_channel;
    uint32_t channel() const { return of_channel; }
  };
  uint32_t kernel_height() const { return s.kernel_height; }
  uint32_t kernel_width() const { return s.kernel_width; }
  uint32_t pad_top() const { return s.pad_top; }
  uint32_t pad_left() const { return s.pad_left; }
  uint32_t out_height() const { return s.out_height; }
  uint32_t out_width() const { return s.out_width; }
  uint32_t in_height() const { return s.in_height; }
  uint32_t in_width() const { return s.in_width; }
  uint32_t stride_y() const { return s.stride_y; }
  uint32_t stride_x() const { return s.stride_x; }
  uint32_t in_channels() const { return s.in_channels; }
  Strides x() const { return {s.x.channel}; }
};

// Compares a convolution by narrow weights with the reference by the same numbers as floats, on
// every target. Case i decides about bias, activation and alignment.
template <typename Weight>
void ExpectConvOf(Random* random, const ConvCase& of, uint32_t i, const Weight* weights,
                  const std::vector<float>& filters) {
  ConvShape s = of.shape;
  const std::vector<float> x = random->Floats(of.x_floats, 2);
  const std::vector<float> bias = random->Floats(size_t{s.groups} * s.out_channels, 1);
  const float* start = i % 3 == 0 ? nullptr : bias.data();
  std::vector<float> must = Unwritten(of.y_floats);
  ConvReference(s, x.data(), filters.data(), start, must.data());
  if (i % 5 == 0) Rectify(&s.activation, &must);
  SCOPED_TRACE(i);
  ExpectSame(OnEveryTarget<float>(of.y_floats, kMisalignments[i % 3],
                                  [&](float* to) { Conv(s, x.data(), weights, start, to); }),
             must);
}

}  // namespace weft::kernels

#endif  // WEFT_TESTS_KERNELS_WINDOW_CASES_H_
