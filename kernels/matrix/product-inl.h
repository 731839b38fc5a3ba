// SPDX-License-Identifier: Apache-2.0
// The walk over the tiles of a product, for dense, conv and matmul: panels of outputs are the outer
// loop, as many at once as the registers hold, so that weights come once from far memory however
// many rows there are; rows the inner one, a tile at a time, then the rest of them at once.
//
// A product has
//   kShapes                          the tiles in which it is worth having, widest first
//   Group<kRows, kPanels>(outputs)   all rows of the next `outputs` outputs, at most kPanels
//   panels:
//                                    calls RunRows
//   Next(outputs)                    goes on to the outputs behind them
//   Run<kRows, kPanels>(outputs)     one tile of them; goes on to the rows behind it

#if defined(WEFT_KERNELS_MATRIX_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_PRODUCT_INL_H_
#undef WEFT_KERNELS_MATRIX_PRODUCT_INL_H_
#else
#define WEFT_KERNELS_MATRIX_PRODUCT_INL_H_
#endif

#include "kernels/matrix/panel-inl.h"

// Tiles of many shapes are functions each; one shape alone stands in the loop that uses it.
#undef WEFT_TILES
#if HWY_TARGET == HWY_SCALAR
#define WEFT_TILES HWY_INLINE
#else
#define WEFT_TILES HWY_NOINLINE
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// At least one row. What is left of tall tiles goes on in half as tall ones, so that there are few
// kinds of tiles.
template <size_t kRows, size_t kPanels, class Rows>
HWY_INLINE void RunRows(Rows& at, size_t outputs, size_t rows) {
  for (; rows >= kRows; rows -= kRows) at.template Run<kRows, kPanels>(outputs);
  if constexpr (kRows > 1) {
    constexpr size_t kFewer = kRows > 5 ? kRows / 2 : kRows - 1;
    if (rows != 0) RunRows<kFewer, kPanels>(at, outputs, rows);
  }
}

// At least one row; no outputs do nothing.
template <class Product, size_t kShape = 0>
HWY_INLINE void RunProduct(Product& product, size_t outputs, size_t rows) {
  constexpr TileShape kTile = Product::kShapes[kShape];
  constexpr size_t kOutputs = kTile.panels * kPanel;
  while (rows <= kTile.most_rows && outputs > kOutputs - kPanel) {
    const size_t group = outputs < kOutputs ? outputs : kOutputs;
    product.template Group<kTile.rows, kTile.panels>(group, rows);
    outputs -= group;
    if (outputs == 0) return;  // a stride that leads to no output may be anything
    product.Next(group);
  }
  if constexpr (kShape + 1 < sizeof(Product::kShapes) / sizeof(TileShape)) {
    RunProduct<Product, kShape + 1>(product, outputs, rows);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_PRODUCT_INL_H_
