// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv_q8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/conv_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/conv_q8_vectors-inl.h"
#include "kernels/matrix/patches-inl.h"
#include "kernels/matrix/rows_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // else conv_q8_vectors-inl.h has the implementation
// Number of patches that are gathered at the same time.
inline constexpr size_t kGathered = kPatches - kPatches % kRowsQ8;
static_assert(kGathered != 0, "scratch must hold all rows that share weights");

// True if the inputs that pad patches are set to 0 once, instead of for each patch. The code of
// cores without a multiplication of pairs stays smaller.
#if defined(__ARM_FEATURE_DSP)
inline constexpr bool kPadsOnce = true;
#else
inline constexpr bool kPadsOnce = false;
#endif

#if defined(WEFT_RUNS_BY_HELIUM)
// Writes the patches of `count` outputs from (row, column) on, and moves both to the next output.
HWY_INLINE void GatherRows(const ConvQ8Shape& shape, const PatchGeometry& geometry,
                           const RowsQ8& rows, const int8_t* x, uint32_t& row, uint32_t& column,
                           size_t count, int8_t* to) {
  while (count != 0) {
    const uint32_t inside =
        GatherPatches(geometry, x, row, column, static_cast<uint32_t>(count), rows.x_stride, to);
    if (inside == 0) GatherPatch(geometry, x, row, column, shape.x_zero, to);
    const uint32_t done = inside == 0 ? 1 : inside;
    to += done * rows.x_stride;
    count -= done;
    column += done;
    if (column == shape.out_width) column = 0, ++row;
  }
}

// At most `pixels` outputs from (row, column) on whose patches are rows of x. Returns their count.
HWY_NOINLINE size_t RunInPlace(const ConvQ8Shape& shape, const PatchGeometry& geometry,
                               RowsQ8& rows, const int8_t* x, uint32_t row, uint32_t column,
                               size_t pixels) {
  const size_t inside = InsideFrom(geometry, row, column);
  const size_t count = inside < pixels ? inside : pixels;
  if (count == 0) return 0;
  const size_t padded = rows.inputs;
  rows.inputs = geometry.down.kernel * geometry.across.kernel * geometry.channels;
  rows.x_stride = shape.out_width == 1 ? size_t{shape.stride_y} * shape.x.row
                                       : size_t{shape.stride_x} * shape.x.pixel;
  RunRowsQ8(rows, FirstInside(geometry, x, row, column), 0, count);
  rows.inputs = rows.x_stride = padded;
  return count;
}

// ConvRunQ8 with scratch.
HWY_INLINE void RunPatches(const ConvQ8Shape& shape, const PatchGeometry& geometry, RowsQ8& rows,
                           const int8_t* x, uint32_t row, size_t pixels, size_t position,
                           int8_t* scratch) {
  const size_t line = geometry.across.kernel * geometry.channels;
  const bool are_rows =
      geometry.HasLines() &&
      (geometry.down.kernel == 1 || size_t{geometry.down.dilation} * geometry.x.row == line);
  FillNumbers(scratch, kGathered * rows.x_stride, int8_t{0});  // inputs that pad patches stay 0
  uint32_t column = 0;
  for (size_t count; pixels != 0; pixels -= count, position += count * rows.y_stride) {
    rows.position = position;
    count = are_rows ? RunInPlace(shape, geometry, rows, x, row, column, pixels) : 0;
    if (count == 0) {
      count = pixels < kGathered ? pixels : kGathered;
      GatherRows(shape, geometry, rows, x, row, column, count, scratch);
      RunRowsQ8(rows, scratch, 0, count);
    } else if (shape.out_width == 1) {
      row += static_cast<uint32_t>(count);
    } else {
      column += static_cast<uint32_t>(count);
      if (column == shape.out_width) column = 0, ++row;
    }
  }
}
#endif

// Consecutive pixels of one group from the first of `row` on. `x` is the group's first channel of
// the image, `position` the index of the first result in y.
WEFT_PART void ConvRunQ8(const ConvQ8Shape& shape, const PatchGeometry& geometry, RowsQ8& rows,
                         const int8_t* x, uint32_t row, size_t pixels, size_t position,
                         int8_t* scratch) {
  if (scratch == nullptr || rows.inputs == 0) {
    const size_t from =
        row == 0 || rows.inputs == 0 ? 0 : size_t{row} * shape.stride_y * shape.x.row;
    rows.position = position;
    return RunRowsQ8(rows, x + from, 0, pixels);
  }
#if defined(WEFT_RUNS_BY_HELIUM)
  RunPatches(shape, geometry, rows, x, row, pixels, position, scratch);
#else
  if (kPadsOnce) FillNumbers(scratch, kGathered * rows.x_stride, int8_t{0});
  uint32_t column = 0;
  for (size_t first = 0; first < pixels; first += kGathered) {
    const size_t count = pixels - first < kGathered ? pixels - first : kGathered;
    int8_t* to = scratch;
    for (size_t i = 0; i < count; ++i) {
      int8_t* const end = GatherPatch(geometry, x, row, column, shape.x_zero, to);
      to += rows.x_stride;
      if (!kPadsOnce) FillRun(end, static_cast<size_t>(to - end), int8_t{0});
      if (++column == shape.out_width) column = 0, ++row;
    }
    rows.position = first == 0 ? position : position + first * rows.y_stride;
    RunRowsQ8(rows, scratch, 0, count);
  }
#endif
}

// Returns true if the stride between rows equals the stride between pixels times the width, so that
// all pixels form one run. A stride along an axis of length 1 is ignored.
HWY_INLINE bool RowsFollow(const ConvQ8Shape& shape, size_t down, size_t across) {
  if (shape.out_width == 1 || shape.out_height == 1) return true;
  return down == shape.out_width * across;
}
#endif

void ConvQ8(const ConvQ8Shape& shape, const int8_t* x, const int8_t* weights,
            const FactorsQ8& factors, void* y, int8_t* scratch) {
  // If there are no outputs, the other counts are not bounded.
  if (shape.groups == 0 || shape.out_channels == 0) return;
  if (shape.out_height == 0 || shape.out_width == 0) return;
  PatchGeometry geometry = {shape.down(), shape.across(), shape.x, shape.in_channels};
  FindInside(geometry);
  RowsQ8 rows = {ResultWriter(shape.results, shape.activation), weights, factors, y};
  const uint32_t inputs = shape.kernel_height * shape.kernel_width * shape.in_channels;
  rows.outputs = shape.out_channels;
  rows.y_output_stride = shape.y.channel;
  const bool has_data = inputs != 0 && shape.in_height != 0 && shape.in_width != 0;
#if HWY_TARGET == HWY_SCALAR
  const bool is_direct = scratch == nullptr;
  const size_t padded = static_cast<size_t>(PaddedInputs(inputs));
  rows.inputs = is_direct ? inputs : padded;
  // A column of pixels is processed like a row.
  const bool is_column = shape.out_width == 1;
  const size_t down = size_t{shape.stride_y} * shape.x.row;
  const size_t across = size_t{shape.stride_x} * shape.x.pixel;
  const bool is_single = (is_column && shape.out_height == 1) || inputs == 0;
  rows.x_stride = !is_direct ? padded : is_single ? 0 : is_column ? down : across;
  rows.y_stride = is_column ? shape.y.row : shape.y.pixel;
  const bool is_one_run = RowsFollow(shape, shape.y.row, shape.y.pixel) &&
                          (!is_direct || inputs == 0 || RowsFollow(shape, down, across));
  const uint32_t runs = is_one_run ? 1 : shape.out_height;
  const size_t pixels = is_one_run ? size_t{shape.out_height} * shape.out_width : shape.out_width;
#endif
  const size_t group_bytes = PackedDenseI8Bytes(shape.out_channels, inputs);
  for (size_t b = 0; b < shape.batch; ++b) {
    rows.weights = weights;
    rows.factors = factors;
    for (size_t g = 0; g < shape.groups; ++g) {
      const size_t in = g * shape.in_channels, out = g * shape.out_channels;
      const int8_t* from = x;
      if (has_data) from += b * shape.x.image + in * shape.x.channel;
#if HWY_TARGET != HWY_SCALAR
      ConvGroupQ8(shape, geometry, rows, from, b * shape.y.image + out * shape.y.channel, scratch);
#else
      for (uint32_t row = 0; row < runs; ++row) {
        ConvRunQ8(shape, geometry, rows, from, row, pixels,
                  b * shape.y.image + row * size_t{shape.y.row} + out * shape.y.channel, scratch);
      }
#endif
      rows.weights += group_bytes;
      rows.factors = After(rows.factors, shape.out_channels);
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(ConvQ8,
            (const ConvQ8Shape& shape, const int8_t* x, const int8_t* weights,
             const FactorsQ8& factors, void* y, int8_t* scratch),
            (shape, x, weights, factors, y, scratch))
