// SPDX-License-Identifier: Apache-2.0
// Divides the outputs of a window into rectangles whose outputs have the same taps inside the
// input: the interior, and one row or column at a time at the edges. Internal to depthwise and
// pool, which share one copy of the code to save flash on boards.
#ifndef WEFT_KERNELS_MATRIX_RECTANGLES_H_
#define WEFT_KERNELS_MATRIX_RECTANGLES_H_

#include "kernels/matrix/window.h"

namespace weft::kernels {

// Outputs that have the same taps inside the input.
struct Rectangle {
  IndexRange rows, columns;  // of outputs
  IndexRange ky, kx;         // their taps; may be empty
};

// Iterates over the rectangles of a window. The axes must outlive the object.
class Rectangles {
 public:
  Rectangles(const WindowAxis& down, const WindowAxis& across)
      : down_(down), across_(across), deep_(down.Inside()), wide_(across.Inside()) {}

  // Returns the next rectangle, row by row and from left to right, or null after the last. The
  // result is valid until the next call.
  __attribute__((noinline)) const Rectangle* Next() {
    if (at_.columns.end == across_.output || at_.rows.end == 0) {
      if (at_.rows.end >= down_.output || across_.output == 0) return nullptr;
      at_.rows = From(at_.rows.end, deep_);
      at_.ky = down_.Taps(at_.rows.first);
      at_.columns.end = 0;
    }
    at_.columns = From(at_.columns.end, wide_);
    at_.kx = across_.Taps(at_.columns.first);
    return &at_;
  }

 private:
  // The range from `first` to the end of the interior, or `first` only if it is outside the
  // interior.
  static IndexRange From(uint32_t first, IndexRange inside) {
    const bool is_inside = first >= inside.first && first < inside.end;
    return {first, is_inside ? inside.end : first + 1};
  }

  const WindowAxis& down_;
  const WindowAxis& across_;
  const IndexRange deep_, wide_;
  Rectangle at_;
};

// The taps of a rectangle's first output in x: their count, the distance in floats between adjacent
// taps, and the offset of the first one in wrapping size_t arithmetic. The distance is 0 along an
// axis with one tap. All fields are 0 if there are no taps.
struct TapSteps {
  size_t rows = 0, columns = 0;
  size_t row = 0, column = 0;
  size_t first = 0;
};

// The taps of the first output of `at`; x gives the strides of the input.
__attribute__((noinline)) inline TapSteps TapsOf(const Rectangle& at, const WindowAxis& down,
                                                 const WindowAxis& across, const MapStrides& x) {
  TapSteps taps;
  if (at.ky.count() == 0 || at.kx.count() == 0) return taps;
  taps.rows = at.ky.count();
  taps.columns = at.kx.count();
  if (taps.rows > 1) taps.row = size_t{down.dilation} * x.row;
  if (taps.columns > 1) taps.column = size_t{across.dilation} * x.pixel;
  const auto position = [](const WindowAxis& axis, uint32_t output, uint32_t tap) {
    return size_t{output} * axis.stride + size_t{tap} * axis.dilation - axis.pad;
  };
  taps.first = position(down, at.rows.first, at.ky.first) * x.row +
               position(across, at.columns.first, at.kx.first) * x.pixel;
  return taps;
}

// Distance between the taps of vertically (row) and horizontally (column) adjacent outputs; 0
// without taps.
struct PixelSteps {
  size_t row = 0, column = 0;
};
template <typename Shape>
PixelSteps StepsOf(const Shape& shape, bool has_taps) {
  if (!has_taps) return {};
  return {size_t{shape.stride_y} * shape.x.row, size_t{shape.stride_x} * shape.x.pixel};
}

// Offset of the rectangle's first output in y.
inline size_t FirstOf(const Rectangle& at, const MapStrides& y) {
  return size_t{at.rows.first} * y.row + size_t{at.columns.first} * y.pixel;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_RECTANGLES_H_
