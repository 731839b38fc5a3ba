// SPDX-License-Identifier: Apache-2.0
#include "kernels/dense.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/activation-inl.h"
#include "kernels/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

struct DenseOperands {
  const float* x;
  const float* weights;
  const float* start;
  float* y;
};

// The first kRows rows of kPanels panels of outputs.
template <size_t kRows, size_t kPanels>
HWY_INLINE void DenseTile(const DenseShape& shape, const DenseOperands& at, size_t outputs) {
  Tile<kRows, kPanels> tile;
  if (at.start != nullptr) {
    tile.Start(at.start, shape.start_row_stride, outputs);
  } else {
    tile.Zero();
  }
  tile.Accumulate(at.x, shape.x_row_stride, 1, at.weights, kPanel, size_t{shape.inputs} * kPanel,
                  shape.inputs);
  tile.Finish(at.y, shape.y_row_stride, outputs);
}

// All rows of kPanels panels, at least one, kRows at a time, then the rest of them at once.
template <size_t kRows, size_t kPanels>
HWY_NOINLINE void DenseGroup(const DenseShape& shape, DenseOperands at, size_t outputs,
                             size_t rows) {
  while (rows >= kRows) {
    DenseTile<kRows, kPanels>(shape, at, outputs);
    rows -= kRows;
    if (rows == 0) return;  // a stride that leads to no row may be anything
    if (shape.inputs != 0) at.x += kRows * shape.x_row_stride;
    at.y += kRows * shape.y_row_stride;
    if (at.start != nullptr) at.start += kRows * shape.start_row_stride;
  }
  if constexpr (kRows > 1) DenseGroup<kRows - 1, kPanels>(shape, at, outputs, rows);
}

// All outputs, as many panels at once as the registers hold, then half as many. Panels are the
// outer loop, so that weights come once from far memory however many rows there are.
template <size_t kRows, size_t kPanels>
HWY_INLINE void DenseGroups(const DenseShape& shape, DenseOperands at, size_t outputs) {
  constexpr size_t kOutputs = kPanels * kPanel;
  while (outputs > kOutputs - kPanel) {
    const size_t group = outputs < kOutputs ? outputs : kOutputs;
    DenseGroup<kRows, kPanels>(shape, at, group, shape.rows);
    outputs -= group;
    at.weights += kOutputs * shape.inputs;
    at.y += group;
    if (at.start != nullptr) at.start += group;
  }
  if constexpr (kPanels > 1) DenseGroups<kRows, kPanels / 2>(shape, at, outputs);
}

// Tiles fill the registers and hide the latency of the multiply-add (4 cycles, 2 per cycle).
// Measured best: AVX-512 5 rows x 4 panels, AVX2 5 x 1 (80 to 86 % of peak; 2 x 2 reaches half).
void Dense(const DenseShape& shape, const float* x, const float* weights, const float* start,
           float* y) {
  if (shape.rows == 0 || shape.outputs == 0) return;
  const DenseOperands at = {x, weights, start, y};
#if HWY_TARGET == HWY_SCALAR
  DenseGroups<1, 1>(shape, at, shape.outputs);
#elif HWY_TARGET <= HWY_AVX3
  if (shape.rows == 1) {
    DenseGroups<1, 8>(shape, at, shape.outputs);
  } else {
    DenseGroups<5, 4>(shape, at, shape.outputs);
  }
#else
  if (shape.rows == 1) {
    DenseGroups<1, 4>(shape, at, shape.outputs);
  } else if (shape.rows <= 3) {
    DenseGroups<3, 2>(shape, at, shape.outputs);
  } else {
    DenseGroups<5, 1>(shape, at, shape.outputs);
  }
#endif
  if (IsPlain(shape.activation)) return;
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
