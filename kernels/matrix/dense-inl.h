// SPDX-License-Identifier: Apache-2.0
// Implementation of Dense for any weight type; dense.cc and dense_<type>.cc instantiate it.

#if defined(WEFT_KERNELS_MATRIX_DENSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DENSE_INL_H_
#undef WEFT_KERNELS_MATRIX_DENSE_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DENSE_INL_H_
#endif

#include "kernels/matrix/dense.h"
#include "kernels/matrix/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

template <class Weight>
struct DenseProduct {
  static constexpr auto& kShapes = kTileShapes;

  const DenseShape& shape;
  const float* x;
  const Weight* weights;  // the next panel
  const float* start;     // of the next output, or null
  float* y;

  template <size_t kRows, size_t kPanels>
  WEFT_TILES void Group(size_t outputs, size_t rows) const;

  HWY_INLINE void Next(size_t outputs) {
    weights += outputs * shape.inputs;
    y += outputs;
    if (start != nullptr) start += outputs;
  }
};

// Offsets wrap around in size_t: the stride after the last row may have any value.
template <class Weight>
struct DenseRows {
  const DenseProduct<Weight>& product;
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

template <class Weight>
template <size_t kRows, size_t kPanels>
void DenseProduct<Weight>::Group(size_t outputs, size_t rows) const {
  DenseRows<Weight> at = {*this, 0, 0, 0};
  RunRows<kRows, kPanels>(at, outputs, rows);
}

template <class Weight>
HWY_INLINE void RunDense(const DenseShape& shape, const float* x, const Weight* weights,
                         const float* start, float* y) {
  if (shape.rows == 0) return;
  DenseProduct<Weight> product = {shape, x, weights, start, y};
  RunProduct(product, shape.outputs, shape.rows);
  if (TileFuses(shape.activation)) return;
  for (size_t row = 0; row < shape.rows; ++row) {
    float* y_row = y + row * shape.y_row_stride;
    ActivateSpan(shape.activation, y_row, y_row, shape.outputs);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DENSE_INL_H_
