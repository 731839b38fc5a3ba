// SPDX-License-Identifier: Apache-2.0
// Implementation of Dense for any weight type; dense.cc and dense_<type>.cc instantiate it.

#if defined(WEFT_KERNELS_MATRIX_DENSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DENSE_INL_H_
#undef WEFT_KERNELS_MATRIX_DENSE_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DENSE_INL_H_
#endif

#include <type_traits>

#include "kernels/matrix/dense.h"
#include "kernels/matrix/pack.h"
#include "kernels/matrix/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

template <class Weight>
struct DenseProduct {
  static constexpr auto& kShapes = kTileShapes;

  const DenseShape& shape;
  const float* x;
  WeightsOf<Weight> weights;  // the next panel
  const float* start;         // of the next output, or null
  float* y;

  template <size_t kRows, size_t kPanels>
  WEFT_TILES void Group(size_t outputs, size_t rows) const;

  HWY_INLINE void Next(size_t outputs) {
    weights = MovedTo(weights, outputs * shape.inputs, outputs);
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

// Widens weights with scales once for all rows, `kDepth` inputs at a time. Each part of a sum
// starts from the result of the part before.
template <size_t kRows, size_t kPanels>
HWY_INLINE void GroupWidened(const DenseProduct<Scaled8>& product, size_t outputs, size_t rows) {
  constexpr size_t kDepth = kLanes > 1 ? 64 : 8;
  HWY_ALIGN float wide[kDepth * kPanels * kPanel];
  DenseShape shape = product.shape;
  DenseProduct<float> part = {shape, product.x, wide, product.start, product.y};
  ScaledCodes from = product.weights;
  for (size_t left = product.shape.inputs; left != 0;) {
    const size_t depth = left < kDepth ? left : kDepth;
    float* to = wide;
    for (size_t panel = 0; panel < outputs; panel += kPanel) {
      const ScaledCodes codes = MovedTo(from, panel * product.shape.inputs, panel);
      WidenColumns(to, codes, kPanel, depth);
      to += depth * kPanel;
    }
    left -= depth;
    shape.inputs = static_cast<uint32_t>(depth);
    shape.activation = left == 0 ? product.shape.activation : Activation();
    part.template Group<kRows, kPanels>(outputs, rows);
    from += depth * kPanel;
    part.x += depth;
    part.start = part.y;
    shape.start_row_stride = shape.y_row_stride;
  }
}

template <class Weight>
template <size_t kRows, size_t kPanels>
void DenseProduct<Weight>::Group(size_t outputs, size_t rows) const {
  if constexpr (std::is_same<Weight, Scaled8>::value) {
    if (rows >= 2 * kRows && shape.inputs != 0) {
      return GroupWidened<kRows, kPanels>(*this, outputs, rows);
    }
  }
  DenseRows<Weight> at = {*this, 0, 0, 0};
  RunRows<kRows, kPanels>(at, outputs, rows);
}

template <class Weight>
HWY_INLINE void RunDense(const DenseShape& shape, const float* x, const Weight* weights,
                         const float* start, float* y) {
  if (shape.rows == 0) return;
  const size_t scales = PanelCount(shape.outputs) * kPanel;
  DenseProduct<Weight> product = {shape, x, FirstWeight(weights, scales), start, y};
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
