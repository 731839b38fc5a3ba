// SPDX-License-Identifier: Apache-2.0
// The outputs of a window cut into rectangles whose outputs have the same taps inside the input:
// the inside, and a row or a column at a time at the edges. Internal to depthwise and pool, which
// share one copy of the code: boards count its bytes.
#ifndef WEFT_KERNELS_MATRIX_RECTANGLES_H_
#define WEFT_KERNELS_MATRIX_RECTANGLES_H_

#include "kernels/matrix/window.h"

namespace weft::kernels {

struct Rectangle {
  IndexRange rows, columns;  // of outputs
  IndexRange ky, kx;         // their taps, of which there may be none
};

class Rectangles {
 public:
  Rectangles(const WindowAxis& down, const WindowAxis& across)
      : down_(down), across_(across), deep_(down.Inside()), wide_(across.Inside()) {}

  // The next one, row by row and from left to right, which stands until the next call; null behind
  // the last.
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
  // From an output to the last that has all taps, or that one alone.
  static IndexRange From(uint32_t first, IndexRange inside) {
    const bool is_inside = first >= inside.first && first < inside.end;
    return {first, is_inside ? inside.end : first + 1};
  }

  const WindowAxis& down_;
  const WindowAxis& across_;
  const IndexRange deep_, wide_;
  Rectangle at_;
};

// The taps of a rectangle's first output in x: how many, how many floats one lies from the next,
// and where the first is, counted modulo the size of memory. A step that leads to no tap is 0;
// where there are no taps, all is.
struct TapSteps {
  size_t rows = 0, columns = 0;
  size_t row = 0, column = 0;
  size_t first = 0;
};

__attribute__((noinline)) inline TapSteps TapsOf(const Rectangle& at, const WindowAxis& down,
                                                 const WindowAxis& across, const MapStrides& x) {
  TapSteps taps;
  if (at.ky.count() == 0 || at.kx.count() == 0) return taps;
  taps.rows = at.ky.count();
  taps.columns = at.kx.count();
  if (taps.rows > 1) taps.row = size_t{down.dilation} * x.row;
  if (taps.columns > 1) taps.column = size_t{across.dilation} * x.pixel;
  const auto place = [](const WindowAxis& axis, uint32_t output, uint32_t tap) {
    return size_t{output} * axis.stride + size_t{tap} * axis.dilation - axis.pad;
  };
  taps.first = place(down, at.rows.first, at.ky.first) * x.row +
               place(across, at.columns.first, at.kx.first) * x.pixel;
  return taps;
}

// How far the taps of an output lie behind those of the one above and of the one before; nowhere
// without taps.
struct PixelSteps {
  size_t row = 0, column = 0;
};
template <typename Shape>
PixelSteps StepsOf(const Shape& shape, bool has_taps) {
  if (!has_taps) return {};
  return {size_t{shape.stride_y} * shape.x.row, size_t{shape.stride_x} * shape.x.pixel};
}

// Where its first output lies.
inline size_t FirstOf(const Rectangle& at, const MapStrides& y) {
  return size_t{at.rows.first} * y.row + size_t{at.columns.first} * y.pixel;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_RECTANGLES_H_
