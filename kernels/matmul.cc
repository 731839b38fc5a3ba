// SPDX-License-Identifier: Apache-2.0
#include "kernels/matmul.h"

#include "kernels/integer.h"
#include "kernels/walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matmul.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// One stretch of the sum over columns [0, columns) of y, all rows. The matrix b stands here as
// panels: element (k, n) of panel p at b[k * inner_stride + p * 16 + n].
struct Stretch {
  const float* a;
  size_t a_row_stride;
  size_t a_inner_stride;
  const float* b;
  size_t b_inner_stride;
  float* y;
  size_t y_row_stride;
  size_t inner;
  size_t columns;
  bool continues;  // from what y holds, else from 0
};

// At least one row.
template <size_t kRows, size_t kPanels>
HWY_NOINLINE void MatmulRows(Stretch at, size_t rows) {
  while (rows >= kRows) {
    Tile<kRows, kPanels> tile;
    if (at.continues) {
      tile.Start(at.y, at.y_row_stride, at.columns);
    } else {
      tile.Zero();
    }
    tile.Accumulate(at.a, at.a_row_stride, at.a_inner_stride, at.b, at.b_inner_stride, kPanel,
                    at.inner);
    tile.Finish(at.y, at.y_row_stride, at.columns);
    rows -= kRows;
    if (rows == 0) return;  // a stride that leads to no row may be anything
    at.a += kRows * at.a_row_stride;
    at.y += kRows * at.y_row_stride;
  }
  if constexpr (kRows > 1) MatmulRows<kRows / 2, kPanels>(at, rows);
}

#if HWY_TARGET == HWY_SCALAR
inline constexpr size_t kMatmulRows = 1;
inline constexpr size_t kMatmulPanels = 1;
#elif HWY_TARGET <= HWY_AVX3
inline constexpr size_t kMatmulRows = 5;
inline constexpr size_t kMatmulPanels = 4;
#else
inline constexpr size_t kMatmulRows = 5;
inline constexpr size_t kMatmulPanels = 1;
#endif

// Up to 16 columns whose floats must be gathered first: a few inner steps at a time on the stack.
// The chain goes on in y from one stretch to the next.
HWY_INLINE void MatmulGathered(const MatmulShape& shape, Stretch at, const float* b) {
  constexpr size_t kSteps = HWY_TARGET == HWY_SCALAR ? 4 : 16;
  float panel[kSteps * kPanel];
  const float* a = at.a;
  at.b = panel;
  at.b_inner_stride = kPanel;
  for (size_t k = 0; k < shape.inner; k += kSteps) {
    at.inner = shape.inner - k < kSteps ? shape.inner - k : kSteps;
    for (size_t i = 0; i < at.inner; ++i) {
      for (size_t n = 0; n < kPanel; ++n) {
        panel[i * kPanel + n] =
            n < at.columns ? b[(k + i) * shape.b_inner_stride + n * shape.b_column_stride] : 0.0f;
      }
    }
    at.a = a + k * shape.a_inner_stride;
    at.continues = k != 0;
    MatmulRows<kMatmulRows, 1>(at, shape.rows);
  }
}

void MatmulMatrix(const MatmulShape& shape, const float* a, const float* b, float* y) {
  // The tile steps once more than it reads, so a stride that leads nowhere must not count.
  const bool steps = shape.inner > 1;
  Stretch at = {a,
                shape.a_row_stride,
                steps ? shape.a_inner_stride : 0,
                b,
                steps ? shape.b_inner_stride : 0,
                y,
                shape.columns,
                shape.inner,
                0,
                false};
  for (size_t column = 0; column < shape.columns; column += at.columns) {
    const size_t left = shape.columns - column;
    at.y = y + column;
    at.b = b + column * shape.b_column_stride;
    if (shape.b_column_stride == 1 && left >= kMatmulPanels * kPanel) {
      at.columns = kMatmulPanels * kPanel;
      MatmulRows<kMatmulRows, kMatmulPanels>(at, shape.rows);
    } else if (shape.b_column_stride == 1 && left >= kPanel) {
      at.columns = kPanel;
      MatmulRows<kMatmulRows, 1>(at, shape.rows);
    } else {
      at.columns = left < kPanel ? left : kPanel;
      MatmulGathered(shape, at, at.b);
    }
  }
}

void Matmul(const MatmulShape& shape, const float* a, const float* b, float* y) {
  const size_t plane = size_t{shape.rows} * shape.columns;
  // Without outputs nothing may be read either: a and b need not exist.
  if (plane == 0 || IsEmpty(shape.batch_dims, shape.batch_rank)) return;
  Walk<uint32_t, 2> walk(shape.batch_rank, shape.batch_dims,
                         {shape.a_batch_strides, shape.b_batch_strides});
  do {
    if (shape.inner == 0) {
      Map(y, y, plane, [](FloatVec) HWY_ATTR { return Set(0.0f); });
    } else {
      MatmulMatrix(shape, a + walk.offset(0), b + walk.offset(1), y);
    }
    y += plane;
  } while (walk.Next());
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(Matmul);

void Matmul(const MatmulShape& shape, const float* a, const float* b, float* y) {
  HWY_DYNAMIC_DISPATCH(Matmul)(shape, a, b, y);
}

namespace {

template <typename T>
T IntegerSum(const MatmulShape& shape, const T* a, const T* b) {
  T sum = 0;
  for (size_t k = 0; k < shape.inner; ++k) {
    sum = WrappingAdd(sum,
                      WrappingMultiply(a[k * shape.a_inner_stride], b[k * shape.b_inner_stride]));
  }
  return sum;
}

// Index arithmetic and small integer layers: one sum after the other.
template <typename T>
void MatmulIntegers(const MatmulShape& shape, const T* a, const T* b, T* y) {
  if (shape.columns == 0 || IsEmpty(shape.batch_dims, shape.batch_rank)) return;
  Walk<uint32_t, 2> walk(shape.batch_rank, shape.batch_dims,
                         {shape.a_batch_strides, shape.b_batch_strides});
  do {
    const T* row = a + walk.offset(0);
    for (size_t m = 0; m < shape.rows; ++m) {
      for (size_t n = 0; n < shape.columns; ++n) {
        *y++ = shape.inner == 0 ? T{0}
                                : IntegerSum(shape, row + m * shape.a_row_stride,
                                             b + walk.offset(1) + n * shape.b_column_stride);
      }
    }
  } while (walk.Next());
}

}  // namespace

void Matmul(const MatmulShape& shape, const int32_t* a, const int32_t* b, int32_t* y) {
  MatmulIntegers(shape, a, b, y);
}
void Matmul(const MatmulShape& shape, const int64_t* a, const int64_t* b, int64_t* y) {
  MatmulIntegers(shape, a, b, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
