// SPDX-License-Identifier: Apache-2.0
// Convolution of quantised values on targets with vectors, where rows share loads. The pixels of a
// map are one run of rows, and parts of x that consist of complete blocks are read in place.
// Included only by conv_q8.cc.

#if defined(WEFT_KERNELS_MATRIX_CONV_Q8_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_CONV_Q8_VECTORS_INL_H_
#undef WEFT_KERNELS_MATRIX_CONV_Q8_VECTORS_INL_H_
#else
#define WEFT_KERNELS_MATRIX_CONV_Q8_VECTORS_INL_H_
#endif

#include "kernels/matrix/conv_q8.h"
#include "kernels/matrix/patches-inl.h"
#include "kernels/matrix/rows_q8-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Bytes of stack for many small patches, because reading a patch right after writing it stalls.
inline constexpr size_t kRoomBytes = 8192;

// One group of one image: `x` is its first channel, `position` the index of its first output in y.
struct ConvGroup {
  const ConvQ8Shape& shape;
  PatchGeometry geometry;
  RowsQ8 rows;  // of patches
  const int8_t* x;
  size_t position;
  // Buffer for `room` patches; each is padded with zeros to complete blocks.
  int8_t* patches;
  size_t room;
};

// Offset of element `index`. Ignores the stride for index 0: it may have any value on an axis of
// length 1.
HWY_INLINE size_t StepTo(size_t index, size_t stride) { return index == 0 ? 0 : index * stride; }

// `count` outputs from (row, column) on, vertically if `is_down`, else horizontally.
HWY_INLINE void ConvPatches(ConvGroup& at, uint32_t row, uint32_t column, uint32_t count,
                            bool is_down) {
  const MapStrides& y = at.shape.y;
  at.rows.y_stride = is_down ? y.row : y.pixel;
  for (uint32_t done = 0; done < count;) {
    const size_t left = count - done, some = left < at.room ? left : at.room;
    at.rows.position = at.position + StepTo(row, y.row) + StepTo(column, y.pixel);
    int8_t* to = at.patches;
    for (size_t i = 0; i < some; ++i, to += at.rows.x_stride, ++done) {
      GatherPatch(at.geometry, at.x, row, column, at.shape.x_zero, to);
      ++(is_down ? row : column);
    }
    RunRowsQ8(at.rows, at.patches, 0, some);
  }
}

// Reads the parts of a patch in place, for patches without taps outside the input.
struct ConvPieces {
  explicit ConvPieces(const RowsQ8& of_patches) : rows(of_patches) {}
  RowsQ8 rows;
  size_t over = 0;  // bytes read after each part up to a complete block or quad, times zeros
  alignas(64) int8_t weights[8192];  // padded with these zeros
};

// Describes the parts of a patch in `rows`. Returns false if they cannot be read in place.
HWY_INLINE bool FindPieces(const ConvQ8Shape& shape, RowsQ8& rows) {
  const size_t width = shape.kernel_width;
  if (shape.in_channels != 1 && shape.x.channel != 1) return false;
  rows.inputs = width * shape.in_channels;
  rows.runs = shape.kernel_height;
  rows.run_step = rows.runs == 1 ? 0 : size_t{shape.dilation_y} * shape.x.row;
  if (width != 1 && size_t{shape.dilation_x} * shape.x.pixel != shape.in_channels) {
    if (rows.runs != 1) return false;
    rows.runs = width;
    rows.inputs = shape.in_channels;
    rows.run_step = size_t{shape.dilation_x} * shape.x.pixel;
  }
  if (rows.run_step == rows.inputs) {  // the parts follow each other
    rows.inputs *= rows.runs;
    rows.runs = 1, rows.run_step = 0;
  }
  rows.x_stride = shape.out_width == 1 ? 0 : size_t{shape.stride_x} * shape.x.pixel;
  rows.y_stride = shape.y.pixel;
  return rows.inputs != 0;
}

// Copies the weights so that each part has `whole` inputs, those at its end with zeros, in panels
// of `step` bytes. to(k, n, width) is the position of input k and output n in a panel. `padded` is
// the number of inputs of a panel of the original. Returns false if the copy is too large.
template <class Position>
HWY_INLINE bool PadParts(size_t padded, size_t whole, const Position& to, ConvPieces& pieces) {
  RowsQ8& rows = pieces.rows;
  const size_t length = rows.inputs;
  const size_t panels = PanelCount(static_cast<uint32_t>(rows.outputs));
  const size_t step = rows.runs * whole * kPanelOutputs;
  if (panels * step > sizeof pieces.weights) return false;
  __builtin_memset(pieces.weights, 0, panels * step);
  for (size_t p = 0; p < panels; ++p) {
    const size_t width = PanelWidth(rows.outputs - p * kPanelOutputs);
    const int8_t* const panel = rows.weights + p * kPanelOutputs * padded;
    size_t k = 0;
    for (size_t run = 0; run < rows.runs; ++run) {
      for (size_t i = 0; i < length; ++i, ++k) {
        const int8_t* const line = panel + k / kInputBlock * width * kInputBlock + k % kInputBlock;
        for (size_t n = 0; n < width; ++n) {
          pieces.weights[p * step + to(run * whole + i, n, width)] = line[n * kInputBlock];
        }
      }
    }
  }
  pieces.over = whole - length;
  rows.inputs = whole;
  return true;
}

// Pads the weights of each part to complete blocks; those of a single part are. Returns false if
// that adds too many products, or if `pixels` outputs cost less than the copy of the weights.
// Gathering a patch costs about as much as two blocks or as copying kCopiesPerPatch weights.
inline constexpr size_t kCopiesPerPatch = 64;
HWY_INLINE bool PadPieces(size_t padded, size_t pixels, ConvPieces& pieces) {
  RowsQ8& rows = pieces.rows;
  const size_t over = (kInputBlock - rows.inputs % kInputBlock) % kInputBlock;
  if (over == 0 || rows.runs == 1) return true;
  const size_t whole = rows.inputs + over;
  if (rows.runs * whole > padded + size_t{2} * kInputBlock) return false;
  if (rows.runs * rows.inputs * rows.outputs > pixels * kCopiesPerPatch) return false;
  const auto position = [](size_t k, size_t n, size_t width) {
    return (k / kInputBlock * width + n) * kInputBlock + k % kInputBlock;
  };
  if (!PadParts(padded, whole, position, pieces)) return false;
  rows.weights = pieces.weights;
  return true;
}

// Computes outputs whose taps are all inside in place, and the others, at the edges, from patches.
HWY_INLINE void ConvByPieces(ConvGroup& at, ConvPieces& pieces) {
  const ConvQ8Shape& shape = at.shape;
  RowsQ8& inside = pieces.rows;
  const IndexRange down = at.geometry.inside_rows, across = at.geometry.inside;
  const auto from = [](const WindowAxis& axis, uint32_t output, size_t stride) {
    return StepTo(static_cast<size_t>(axis.Origin(output)), stride);
  };
  // Number of elements from the first tap of a patch to its end, and the end of x.
  const size_t span = StepTo(inside.runs - 1, inside.run_step) + inside.inputs;
  const size_t end = StepTo(shape.in_height - 1, shape.x.row) +
                     StepTo(shape.in_width - 1, shape.x.pixel) + shape.in_channels;
  for (uint32_t row = 0; row < shape.out_height; ++row) {
    if (row < down.first || row >= down.end) {
      ConvPatches(at, row, 0, shape.out_width, /*is_down=*/false);
      continue;
    }
    const size_t first = from(at.geometry.down, row, shape.x.row) +
                         from(at.geometry.across, across.first, shape.x.pixel);
    uint32_t count = across.count();
    while (count != 0 && first + StepTo(count - 1, inside.x_stride) + span > end) --count;
    inside.position = at.position + StepTo(row, shape.y.row) + StepTo(across.first, shape.y.pixel);
    RunRowsQ8(inside, at.x + first, 0, count);
    if (count == across.count()) continue;
    ConvPatches(at, row, across.first + count, across.count() - count, /*is_down=*/false);
  }
  for (uint32_t column = 0; column < shape.out_width; ++column) {
    if (column == across.first) column = across.end;
    if (column == shape.out_width) break;
    ConvPatches(at, down.first, column, down.count(), /*is_down=*/true);
  }
}

// Each output depends on one pixel of x, or on none.
HWY_INLINE void ConvDirect(ConvGroup& at) {
  const ConvQ8Shape& shape = at.shape;
  const bool is_one_column = shape.out_width == 1, is_one_row = shape.out_height == 1;
  const bool is_single = at.rows.inputs == 0;
  const size_t across = is_one_column || is_single ? 0 : size_t{shape.stride_x} * shape.x.pixel;
  const size_t down = is_one_row || is_single ? 0 : size_t{shape.stride_y} * shape.x.row;
  const size_t y_across = is_one_column ? 0 : shape.y.pixel, y_down = is_one_row ? 0 : shape.y.row;
  at.rows.x_stride = is_one_column ? down : across;
  at.rows.y_stride = is_one_column ? y_down : y_across;
  const bool rows_follow =
      is_one_column || is_one_row ||
      (down == shape.out_width * across && y_down == shape.out_width * y_across);
  const size_t runs = rows_follow ? 1 : shape.out_height;
  const size_t pixels = rows_follow ? size_t{shape.out_height} * shape.out_width : shape.out_width;
  for (size_t run = 0; run < runs; ++run) {
    at.rows.position = at.position + run * y_down;
    RunRowsQ8(at.rows, at.x + run * down, 0, pixels);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if defined(WEFT_QUADS)
#include "kernels/matrix/conv_q8_lines-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// `padded` is the number of inputs of a patch, padded to complete blocks.
HWY_INLINE void ConvOutputs(ConvGroup& at, size_t padded, bool is_direct) {
  if (is_direct) return ConvDirect(at);
  at.rows.x_stride = padded;
  bool has_pieces = at.geometry.inside_rows.count() != 0 && at.geometry.inside.count() != 0;
#if defined(WEFT_QUADS)
  if (at.rows.quads != nullptr) {
    if (ConvByLines(at, padded)) return;
    has_pieces = false;
  }
#endif
  if (has_pieces) {
    ConvPieces pieces(at.rows);
    const size_t pixels = size_t{at.shape.out_height} * at.shape.out_width;
    if (FindPieces(at.shape, pieces.rows) && PadPieces(padded, pixels, pieces))
      return ConvByPieces(at, pieces);
  }
  for (uint32_t row = 0; row < at.shape.out_height; ++row) {
    ConvPatches(at, row, 0, at.shape.out_width, /*is_down=*/false);
  }
}

// `rows` have the weights, factors and y of the group. If scratch is null the convolution is
// direct.
HWY_INLINE void ConvGroupQ8(const ConvQ8Shape& shape, const PatchGeometry& geometry,
                            const RowsQ8& rows, const int8_t* x, size_t position, int8_t* scratch) {
  const size_t inputs = size_t{shape.kernel_height} * shape.kernel_width * shape.in_channels;
  const auto padded = static_cast<size_t>(PaddedInputs(static_cast<uint32_t>(inputs)));
  const size_t pixels = size_t{shape.out_height} * shape.out_width;
  ConvGroup at = {shape, geometry, rows, x, position, scratch, kPatches};
  const bool is_direct = scratch == nullptr || inputs == 0;
  at.rows.inputs = is_direct ? inputs : padded;
  ShiftedFirst<256> shifted;
  ShiftRows(at.rows, pixels, shifted);
  int8_t near_patches[kRoomBytes];
  if (!is_direct) {
    if (padded * kPatches <= kRoomBytes) {
      at.patches = near_patches;
      at.room = HWY_MIN(kRoomBytes / padded, HWY_MAX(pixels, size_t{1}));
    }
    for (size_t i = 0; i < at.room; ++i) {
      FillRun(at.patches + i * padded + inputs, padded - inputs, int8_t{0});
    }
  }
#if defined(WEFT_QUADS)
  if (RunByQuads(at.rows, inputs, pixels, [&](const RowsQ8& part, size_t first) HWY_ATTR {
        const size_t place = position + StepTo(first, shape.y.channel);
        ConvGroup some = {shape, geometry, part, x, place, at.patches, at.room};
        ConvOutputs(some, padded, is_direct);
      })) {
    return;
  }
#endif
  ConvOutputs(at, padded, is_direct);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_MATRIX_CONV_Q8_VECTORS_INL_H_
