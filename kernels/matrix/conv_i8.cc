// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv_i8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/conv_i8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/patches-inl.h"
#include "kernels/matrix/rows_i8_quads-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// One group of one image.
struct ConvI8Group {
  const ConvI8Shape& shape;
  const PatchGeometry& geometry;
  const void* x;  // float, or int16 if `max` is 0
  const int8_t* weights;
  const float* scales;
  const float* bias;
  float* y;
  float* patches;
  int16_t* scratch;

  // The shape of the product, whose rows are pixels. If channels of y are not contiguous, the
  // results are first written to a buffer after the patches.
  DenseI8Shape ProductOf(bool is_scattered) const {
    DenseI8Shape product;
    product.inputs = shape.kernel_height * shape.kernel_width * shape.in_channels;
    product.outputs = shape.out_channels;
    product.x_row_stride = product.inputs;
    product.y_row_stride = PixelStride();
    if (is_scattered) product.y_row_stride = product.outputs;
    product.activation = shape.activation;
    product.max = shape.max;
    return product;
  }
  // Distance in y from a pixel to the next one of its row, or of its column if the width is 1.
  uint32_t PixelStride() const { return shape.out_width == 1 ? shape.y.row : shape.y.pixel; }

  // Writes `count` consecutive patches.
  template <typename Number>
  WEFT_PART void Gather(uint32_t row, uint32_t column, uint32_t count) const {
    const Number* const from = static_cast<const Number*>(x);
    auto* patch = reinterpret_cast<Number*>(patches);  // at most as wide as floats
    for (uint32_t i = 0; i < count; ++i) {
      patch = GatherPatch(geometry, from, row, column, Number{0}, patch);
      if (++column < shape.out_width) continue;
      column = 0;
      row += 1;
    }
  }

  void GatherAny(uint32_t row, uint32_t column, uint32_t count) const {
    if (shape.max != 0) return Gather<float>(row, column, count);
    Gather<int16_t>(row, column, count);
  }

  // Computes `count` pixels from (row, column) on; `to` is the address of the first result.
  void RunPixels(DenseI8Shape& product, uint32_t row, uint32_t column, uint32_t count, float* to,
                 bool is_scattered) const {
    if (product.inputs != 0) GatherAny(row, column, count);
    product.rows = count;
    float* const results = is_scattered ? patches + size_t{count} * product.inputs : to;
    DenseI8(product, patches, weights, scales, bias, results, scratch);
    if (!is_scattered) return;
    const size_t pixel = count == 1 ? 0 : PixelStride();
    for (size_t c = 0; c < shape.out_channels; ++c) {
      for (size_t i = 0; i < count; ++i) {
        to[i * pixel + c * shape.y.channel] = results[i * shape.out_channels + c];
      }
    }
  }

#if defined(WEFT_QUADS)
  // All pixels: `lines` lines of `pixels` pixels, of which one line holds all rows, or each is a
  // row.
  template <size_t kPlanes>
  HWY_NOINLINE void RunManyPixels(const DenseI8Shape& product, uint32_t lines,
                                  uint32_t pixels) const {
    PlaneRows<kPlanes> rows(product, weights);
    for (uint32_t line = 0; line < lines; ++line) {
      uint32_t row = line, column = 0;
      for (uint32_t pixel = 0, some; pixel < pixels; pixel += some) {
        some = static_cast<uint32_t>(rows.ChunkOf(pixels - pixel));
        for (uint32_t r = 0; r < some; ++r) {
          GatherAny(row, column, 1);
          rows.Read(patches, r);
          if (++column < shape.out_width) continue;
          column = 0;
          row += 1;
        }
        rows.Run(scales, bias, y + size_t{line} * shape.y.row + size_t{pixel} * PixelStride(),
                 some);
      }
    }
  }
#endif

  void Run() const {
    const bool is_scattered = shape.y.channel != 1 && shape.out_channels != 1;
    DenseI8Shape product = ProductOf(is_scattered);
    const bool is_line = shape.out_height == 1 || shape.out_width == 1 ||
                         shape.y.row == uint64_t{shape.out_width} * shape.y.pixel;
    const uint32_t lines = is_line ? 1 : shape.out_height;
    const uint32_t pixels = is_line ? shape.out_height * shape.out_width : shape.out_width;
#if defined(WEFT_QUADS)
    if (!is_scattered && RunsByPlanes(product, pixels)) {
      return AreBytes(product) ? RunManyPixels<1>(product, lines, pixels)
                               : RunManyPixels<2>(product, lines, pixels);
    }
#endif
    for (uint32_t line = 0; line < lines; ++line) {
      for (uint32_t first = 0; first < pixels; first += kDenseI8Rows) {
        const uint32_t left = pixels - first, count = left < kDenseI8Rows ? left : kDenseI8Rows;
        const uint32_t row = is_line ? first / shape.out_width : line;
        const uint32_t column = is_line ? first % shape.out_width : first;
        const size_t to = size_t{line} * shape.y.row + size_t{first} * PixelStride();
        RunPixels(product, row, column, count, y + to, is_scattered);
      }
    }
  }
};

void ConvI8(const ConvI8Shape& shape, const void* x, const int8_t* weights, const float* scales,
            const float* bias, float* y, float* patches, int16_t* scratch) {
  // If there are no outputs, the other counts are not bounded.
  if (shape.out_channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  PatchGeometry geometry = {shape.down(), shape.across(), shape.x, shape.in_channels};
  FindInside(geometry);
  const uint32_t inputs = shape.kernel_height * shape.kernel_width * shape.in_channels;
  const size_t group_weights = PackedDenseI8Bytes(shape.out_channels, inputs);
  const size_t group_scales = PanelCount(shape.out_channels) * kPanelOutputs;
  const auto* const from = static_cast<const uint8_t*>(x);
  const size_t bytes = shape.max != 0 ? sizeof(float) : sizeof(int16_t);
  for (size_t b = 0; b < shape.batch; ++b) {
    for (size_t g = 0; g < shape.groups; ++g) {
      const size_t in = g * shape.in_channels, out = g * shape.out_channels;
      const ConvI8Group group = {shape,
                                 geometry,
                                 from + (b * shape.x.image + in * shape.x.channel) * bytes,
                                 weights + g * group_weights,
                                 scales + g * group_scales,
                                 bias == nullptr ? nullptr : bias + out,
                                 y + (b * shape.y.image + out * shape.y.channel),
                                 patches,
                                 scratch};
      group.Run();
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(ConvI8,
            (const ConvI8Shape& shape, const void* x, const int8_t* weights, const float* scales,
             const float* bias, float* y, float* patches, int16_t* scratch),
            (shape, x, weights, scales, bias, y, patches, scratch))
