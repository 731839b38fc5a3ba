// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/dense.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

struct DenseProduct {
  static constexpr auto& kShapes = kTileShapes;

  const DenseShape& shape;
  const float* x;
  const float* weights;  // the next panel
  const float* start;    // of the next output, or null
  float* y;

  template <size_t kRows, size_t kPanels>
  WEFT_TILES void Group(size_t outputs, size_t rows) const;

  HWY_INLINE void Next(size_t outputs) {
    weights += outputs * shape.inputs;
    y += outputs;
    if (start != nullptr) start += outputs;
  }
};

// Offsets count modulo the size of memory: a stride that leads to no row may be anything.
struct DenseRows {
  const DenseProduct& product;
  size_t x, start, y;  // of the next row

  template <size_t kRows, size_t kPanels>
  HWY_INLINE void Run(size_t outputs) {
    const DenseShape& shape = product.shape;
    Tile<kRows, kPanels> tile;
    if (product.start != nullptr) {
      tile.Start(product.start + start, shape.start_row_stride, outputs);
    } else {
      tile.Zero();
    }
    const float* from[kRows];
    float* to[kRows];
    for (size_t r = 0; r < kRows; ++r) {
      from[r] = product.x + x;
      to[r] = product.y + y;
      if (shape.inputs != 0) x += shape.x_row_stride;
      y += shape.y_row_stride;
    }
    start += kRows * shape.start_row_stride;
    tile.Add(from, product.weights, size_t{shape.inputs} * kPanel, shape.inputs);
    tile.Finish(to, outputs, shape.activation);
  }
};

template <size_t kRows, size_t kPanels>
void DenseProduct::Group(size_t outputs, size_t rows) const {
  DenseRows at = {*this, 0, 0, 0};
  RunRows<kRows, kPanels>(at, outputs, rows);
}

void Dense(const DenseShape& shape, const float* x, const float* weights, const float* start,
           float* y) {
  if (shape.rows == 0) return;
  DenseProduct product = {shape, x, weights, start, y};
  RunProduct(product, shape.outputs, shape.rows);
  if (TileTakes(shape.activation)) return;
  for (size_t row = 0; row < shape.rows; ++row) {
    float* y_row = y + row * shape.y_row_stride;
    ActivateSpan(shape.activation, y_row, y_row, shape.outputs);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(Dense);

void Dense(const DenseShape& shape, const float* x, const float* weights, const float* start,
           float* y) {
  HWY_DYNAMIC_DISPATCH(Dense)(shape, x, weights, start, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
