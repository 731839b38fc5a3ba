// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv_q8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/conv_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/patches-inl.h"
#include "kernels/matrix/rows_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

static_assert(kPatches % kTileRows == 0, "scratch has room for a tile");

// One row of pixels of one group; `x` is the group's first channel of the image, `place` where the row
// begins in y.
WEFT_PART void ConvRowQ8(const ConvQ8Shape& shape, const PatchWalk& walk, RowsQ8& rows,
                         const int8_t* x, uint32_t row, size_t place, int8_t* scratch) {
  const uint32_t pixels = shape.out_width;
  if (scratch == nullptr || rows.inputs == 0) {
    const size_t from =
        row == 0 || rows.inputs == 0 ? 0 : size_t{row} * shape.stride_y * shape.x.row;
    rows.place = place;
    return RunRowsQ8(rows, x + from, 0, pixels);
  }
  for (uint32_t first = 0; first < pixels; first += kPatches) {
    const uint32_t count = pixels - first < kPatches ? pixels - first : kPatches;
    int8_t* to = scratch;
    for (uint32_t i = 0; i < count; ++i) {
      int8_t* const end = GatherPatch(walk, x, row, first + i, shape.x_zero, to);
      to += rows.x_stride;
      FillRun(end, static_cast<size_t>(to - end), int8_t{0});
    }
    rows.place = first == 0 ? place : place + first * rows.y_stride;
    RunRowsQ8(rows, scratch, 0, count);
  }
}

void ConvQ8(const ConvQ8Shape& shape, const int8_t* x, const int8_t* weights,
            const FactorsQ8& factors, void* y, int8_t* scratch) {
  // Without outputs nothing bounds the other counts.
  if (shape.groups == 0 || shape.out_channels == 0) return;
  if (shape.out_height == 0 || shape.out_width == 0) return;
  const bool is_direct = scratch == nullptr;
  const PatchWalk walk = {{shape.in_height, shape.out_height, shape.kernel_height, shape.stride_y,
                           shape.dilation_y, shape.pad_top},
                          {shape.in_width, shape.out_width, shape.kernel_width, shape.stride_x,
                           shape.dilation_x, shape.pad_left},
                          shape.x,
                          shape.in_channels};
  RowsQ8 rows = {ResultWriter(shape.results, shape.activation), weights, factors, y};
  const uint32_t inputs = shape.kernel_height * shape.kernel_width * shape.in_channels;
  const size_t padded = static_cast<size_t>(PaddedInputs(inputs));
  rows.inputs = is_direct ? inputs : padded;
  rows.outputs = shape.out_channels;
  const bool has_data = inputs != 0 && shape.in_height != 0 && shape.in_width != 0;
  const bool leads_nowhere = shape.out_width == 1 || inputs == 0;
  rows.x_stride = !is_direct ? padded : leads_nowhere ? 0 : size_t{shape.stride_x} * shape.x.pixel;
  rows.y_stride = shape.y.pixel;
  rows.y_output_stride = shape.y.channel;
  const size_t group_bytes = PackedDenseI8Bytes(shape.out_channels, inputs);
  for (size_t b = 0; b < shape.batch; ++b) {
    rows.weights = weights;
    rows.factors = factors;
    for (size_t g = 0; g < shape.groups; ++g) {
      const size_t in = g * shape.in_channels, out = g * shape.out_channels;
      const int8_t* from = x;
      if (has_data) from += b * shape.x.image + in * shape.x.channel;
      for (uint32_t row = 0; row < shape.out_height; ++row) {
        ConvRowQ8(shape, walk, rows, from, row,
                  b * shape.y.image + row * size_t{shape.y.row} + out * shape.y.channel, scratch);
      }
      rows.weights += group_bytes;
      rows.factors = Behind(rows.factors, shape.out_channels);
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(ConvQ8);

void ConvQ8(const ConvQ8Shape& shape, const int8_t* x, const int8_t* weights,
            const FactorsQ8& factors, void* y, int8_t* scratch) {
  HWY_DYNAMIC_DISPATCH(ConvQ8)(shape, x, weights, factors, y, scratch);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
