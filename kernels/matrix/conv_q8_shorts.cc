// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv_q8_shorts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/conv_q8_shorts.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/patches-inl.h"
#include "kernels/matrix/row_of_shorts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// One image of one group, whose first channels are x and y.
WEFT_PART void ConvGroupOfShorts(const ConvQ8Shape& shape, const PatchGeometry& geometry,
                                 const int16_t* x, const int8_t* weights,
                                 const ShortResults& results, int16_t* y, int16_t* scratch) {
  const size_t inputs = size_t{shape.kernel_height} * shape.kernel_width * shape.in_channels;
  const bool has_data = inputs != 0 && shape.in_height != 0 && shape.in_width != 0;
  for (uint32_t row = 0; row < shape.out_height; ++row) {
    for (uint32_t column = 0; column < shape.out_width; ++column) {
      const int16_t* from = x;
      if (scratch != nullptr) {
        if (has_data) GatherPatch(geometry, x, row, column, int16_t{0}, scratch);
        if (!has_data) FillRun(scratch, inputs, int16_t{0});
        from = scratch;
      } else if (has_data) {
        from += size_t{row} * shape.stride_y * shape.x.row +
                size_t{column} * shape.stride_x * shape.x.pixel;
      }
      RunRowOfShorts(from, inputs, weights, results, shape.out_channels,
                     y + (size_t{row} * shape.y.row + size_t{column} * shape.y.pixel),
                     shape.y.channel);
    }
  }
}

void ConvQ8Shorts(const ConvQ8Shape& shape, const int16_t* x, const int8_t* weights,
                  const ShortResults& results, int16_t* y, int16_t* scratch) {
  // If there are no outputs, the other counts are not bounded.
  if (shape.out_channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  PatchGeometry geometry = {shape.down(), shape.across(), shape.x, shape.in_channels};
  FindInside(geometry);
  const uint32_t inputs = shape.kernel_height * shape.kernel_width * shape.in_channels;
  const bool has_data = inputs != 0 && shape.in_height != 0 && shape.in_width != 0;
  for (size_t b = 0; b < shape.batch; ++b) {
    for (size_t g = 0; g < shape.groups; ++g) {
      const size_t in = g * shape.in_channels, out = g * shape.out_channels;
      ShortResults of_group = results;
      of_group.mantissas += out;
      of_group.exponents += out;
      if (results.first != nullptr) of_group.first += out;
      ConvGroupOfShorts(shape, geometry,
                        has_data ? x + (b * shape.x.image + in * shape.x.channel) : x,
                        weights + g * PackedDenseI8Bytes(shape.out_channels, inputs), of_group,
                        y + (b * shape.y.image + out * shape.y.channel), scratch);
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(ConvQ8Shorts,
            (const ConvQ8Shape& shape, const int16_t* x, const int8_t* weights,
             const ShortResults& results, int16_t* y, int16_t* scratch),
            (shape, x, weights, results, y, scratch))
