// SPDX-License-Identifier: Apache-2.0
// Loops over the tiles of a product, for dense, conv and matmul. The outer loop iterates over
// panels of outputs, as many at once as the registers hold. So weights are read once from slow
// memory, for any number of rows. The inner loop iterates over rows, a tile at a time, then the
// remainder.
//
// A product has
//   kShapes                          the useful tiles, widest first
//   Group<kRows, kPanels>(outputs)   all rows of `outputs` outputs, at most kPanels panels: calls
//                                    RunRows
//   Next(outputs)                    advances by `outputs` outputs
//   Run<kRows, kPanels>(outputs)     one tile of these outputs; advances by its rows

#if defined(WEFT_KERNELS_MATRIX_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_PRODUCT_INL_H_
#undef WEFT_KERNELS_MATRIX_PRODUCT_INL_H_
#else
#define WEFT_KERNELS_MATRIX_PRODUCT_INL_H_
#endif

#include "kernels/matrix/panel-inl.h"

// Tiles of several shapes are separate functions; a single shape is inlined into its loop.
#undef WEFT_TILES
#if HWY_TARGET == HWY_SCALAR
#define WEFT_TILES HWY_INLINE
#else
#define WEFT_TILES HWY_NOINLINE
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// `rows` is at least 1. The remaining rows are processed with tiles of half the height, so that
// there are few tile shapes.
template <size_t kRows, size_t kPanels, class Rows>
HWY_INLINE void RunRows(Rows& at, size_t outputs, size_t rows) {
  for (; rows >= kRows; rows -= kRows) at.template Run<kRows, kPanels>(outputs);
  if constexpr (kRows > 1) {
    constexpr size_t kFewer = kRows > 5 ? kRows / 2 : kRows - 1;
    if (rows != 0) RunRows<kFewer, kPanels>(at, outputs, rows);
  }
}

// `rows` is at least 1. Does nothing if there are no outputs.
template <class Product, size_t kShape = 0>
HWY_INLINE void RunProduct(Product& product, size_t outputs, size_t rows) {
  constexpr TileShape kTile = Product::kShapes[kShape];
  constexpr size_t kOutputs = kTile.panels * kPanel;
  while (rows <= kTile.max_rows && outputs > kOutputs - kPanel) {
    const size_t group = outputs < kOutputs ? outputs : kOutputs;
    product.template Group<kTile.rows, kTile.panels>(group, rows);
    outputs -= group;
    if (outputs == 0) return;  // the stride after the last output may have any value
    product.Next(group);
  }
  if constexpr (kShape + 1 < sizeof(Product::kShapes) / sizeof(TileShape)) {
    RunProduct<Product, kShape + 1>(product, outputs, rows);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_PRODUCT_INL_H_
