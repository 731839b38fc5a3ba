// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/matmul.h"

#include "kernels/integer.h"
#include "kernels/strided_iterator.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/matmul.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/product-inl.h"
#include "kernels/simd/lanes16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A part of the sum for columns [0, columns) of y, all rows. The matrix b is stored as panels:
// element (k, n) of panel p is b[k * inner_stride + p * 16 + n].
struct ColumnRange {
  static constexpr auto& kShapes = kTileShapes;

  const float* a;
  size_t a_row_stride;
  size_t a_inner_stride;
  const float* b;
  size_t b_inner_stride;
  float* y;
  size_t y_row_stride;
  size_t inner;
  size_t columns;
  bool continues;  // from the values of y, else from 0

  template <size_t kRows, size_t kPanels>
  WEFT_TILES void Group(size_t outputs, size_t rows) const;

  HWY_INLINE void Next(size_t outputs) {
    b += outputs;
    y += outputs;
  }
};

// Offsets wrap around in size_t: the stride after the last row may have any value.
struct ColumnRangeRows {
  const ColumnRange& at;
  size_t a, y;  // of the next row

  template <size_t kRows, size_t kPanels>
  HWY_INLINE void Run(size_t outputs) {
    const float* from[kRows];
    float* to[kRows];
    for (size_t r = 0; r < kRows; ++r) {
      from[r] = at.a + a;
      to[r] = at.y + y;
      a += at.a_row_stride;
      y += at.y_row_stride;
    }
    Tile<kRows, kPanels> tile;
    if (at.continues) {
      tile.Start(to[0], at.y_row_stride, outputs);
    } else {
      tile.Zero();
    }
    tile.AddStrided(from, at.a_inner_stride, at.b, at.b_inner_stride, kPanel, at.inner);
    tile.Finish(to, outputs, {});
  }
};

template <size_t kRows, size_t kPanels>
void ColumnRange::Group(size_t outputs, size_t rows) const {
  ColumnRangeRows next = {*this, 0, 0};
  RunRows<kRows, kPanels>(next, outputs, rows);
}

// `rows` is at least 1. Advances `at` to the following outputs.
WEFT_PART void RunColumnRange(ColumnRange& at, size_t rows) { RunProduct(at, at.columns, rows); }

// Inner steps and columns that are gathered at the same time, on the stack; boards have little of
// it.
inline constexpr size_t kGatheredSteps = HWY_TARGET == HWY_SCALAR ? 4 : 64;
inline constexpr size_t kGatheredColumns = HWY_TARGET == HWY_SCALAR ? kPanel : 4 * kPanel;

#if HWY_TARGET != HWY_SCALAR
// Transposes 4 x 4 floats from rows `stride` apart.
HWY_INLINE void Transpose4x4(const float* from, size_t stride, float* to) {
  const hn::CappedTag<float, 4> d;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + stride);
  const auto c = hn::LoadU(d, from + 2 * stride), e = hn::LoadU(d, from + 3 * stride);
  const auto low = hn::InterleaveLower(d, a, b), high = hn::InterleaveUpper(d, a, b);
  const auto more_low = hn::InterleaveLower(d, c, e), more_high = hn::InterleaveUpper(d, c, e);
  hn::StoreU(hn::ConcatLowerLower(d, more_low, low), d, to);
  hn::StoreU(hn::ConcatUpperUpper(d, more_low, low), d, to + kGatheredColumns);
  hn::StoreU(hn::ConcatLowerLower(d, more_high, high), d, to + 2 * kGatheredColumns);
  hn::StoreU(hn::ConcatUpperUpper(d, more_high, high), d, to + 3 * kGatheredColumns);
}
#endif

// Gathers columns [0, columns) of the next `inner` steps as rows of kGatheredColumns.
HWY_INLINE void GatherColumns(const MatmulShape& shape, const ColumnRange& at, const float* b,
                              float* panel) {
  size_t transposed = 0;  // columns whose complete groups of four steps are done
#if HWY_TARGET != HWY_SCALAR
  if (shape.b_inner_stride == 1) {
    for (; transposed + 4 <= at.columns; transposed += 4) {
      const float* from = b + transposed * shape.b_column_stride;
      for (size_t i = 0; i + 4 <= at.inner; i += 4) {
        Transpose4x4(from + i, shape.b_column_stride, panel + (i * kGatheredColumns + transposed));
      }
    }
  }
#endif
  const size_t whole = at.inner / 4 * 4;
  for (size_t i = 0; i < at.inner; ++i) {
    for (size_t n = i < whole ? transposed : 0; n < at.columns; ++n) {
      panel[i * kGatheredColumns + n] = b[i * shape.b_inner_stride + n * shape.b_column_stride];
    }
  }
}

// Elements of the last panel after its columns must be initialised; their values do not matter.
HWY_INLINE void ClearLastPanel(const ColumnRange& at, float* panel) {
  if constexpr (kLanes == 1) {
    __builtin_memset(panel, 0, kGatheredSteps * kPanel * sizeof(float));
  } else if (at.columns % kPanel != 0) {
    const size_t steps = at.inner < kGatheredSteps ? at.inner : kGatheredSteps;
    float* last = panel + at.columns / kPanel * kPanel;
    for (size_t i = 0; i < steps; ++i)
      StoreLanes16(SetLanes16(0.0f), last + i * kGatheredColumns, 16);
  }
}

// Columns that must be gathered first, some inner steps at a time. Sums continue in y from one part
// to the next.
HWY_INLINE void MatmulGathered(const MatmulShape& shape, ColumnRange& at) {
  float panel[kGatheredSteps * kGatheredColumns];
  ClearLastPanel(at, panel);
  const float* b = at.b;
  float* const y = at.y;
  at.b = panel;
  at.b_inner_stride = kGatheredColumns;
  for (size_t k = 0; k < shape.inner; k += kGatheredSteps) {
    if (k != 0) {
      at.a += kGatheredSteps * shape.a_inner_stride;
      b += kGatheredSteps * shape.b_inner_stride;
      at.continues = true;
      // RunColumnRange has advanced past several panels.
      if (kGatheredColumns > kPanel) at.b = panel, at.y = y;
    }
    at.inner = shape.inner - k < kGatheredSteps ? shape.inner - k : kGatheredSteps;
    GatherColumns(shape, at, b, panel);
    RunColumnRange(at, shape.rows);
  }
}

// One column of few rows is faster without a panel; with one lane, one column of any number of
// rows.
HWY_INLINE bool IsColumnFaster(size_t columns, size_t rows) {
  return columns == 1 && (HWY_TARGET == HWY_SCALAR || rows <= 2);
}

void MatmulColumn(const MatmulShape& shape, const ColumnRange& at) {
  for (size_t row = 0; row < shape.rows; ++row) {
    const float* a = at.a + row * at.a_row_stride;
    const float* b = at.b;
    float* y = at.y + row * at.y_row_stride;
    FloatVec sum = Set(at.continues ? *y : 0.0f);
    for (size_t k = shape.inner; k != 0; --k) {
      sum = Fma(Set(*a), Set(*b), sum);
      a += at.a_inner_stride;
      b += at.b_inner_stride;
    }
    StoreFirst(sum, y, 1);
  }
}

void MatmulMatrix(const MatmulShape& shape, const MatmulPart& part, const float* a, const float* b,
                  float* y) {
  // The tile advances its pointers once more than it reads; a stride along an axis of length 1 must
  // be 0.
  const bool steps = shape.inner > 1;
  const bool is_contiguous = shape.b_column_stride == 1;
  for (size_t column = 0; column < shape.columns;) {
    size_t left = shape.columns - column;
    // Moves the last panel back so that it is complete; recomputed results are identical.
    if (is_contiguous && !part.continues && left < kPanel && column != 0) {
      left = kPanel;
      column = shape.columns - left;
    }
    const size_t columns = is_contiguous && left >= kPanel ? left / kPanel * kPanel
                           : left < kGatheredColumns       ? left
                                                           : kGatheredColumns;
    ColumnRange at = {a,
                      shape.a_row_stride,
                      steps ? shape.a_inner_stride : 0,
                      b + column * shape.b_column_stride,
                      steps ? shape.b_inner_stride : 0,
                      y + column,
                      part.y_row_stride,
                      shape.inner,
                      columns,
                      part.continues};
    if (is_contiguous && left >= kPanel) {
      RunColumnRange(at, shape.rows);
    } else if (IsColumnFaster(left, shape.rows)) {
      MatmulColumn(shape, at);
    } else {
      MatmulGathered(shape, at);
    }
    column += columns;
  }
}

void MatmulInto(const MatmulShape& shape, const MatmulPart& part, const float* a, const float* b,
                float* y) {
  const size_t plane = size_t{shape.rows} * part.y_row_stride;
  // If there are no outputs, a and b may be invalid and are not read.
  if (shape.rows == 0 || shape.columns == 0) return;
  if (IsEmpty(shape.batch_dims, shape.batch_rank)) return;
  StridedIterator<uint32_t, 2> geometry(shape.batch_rank, shape.batch_dims,
                                        {shape.a_batch_strides, shape.b_batch_strides});
  do {
    for (size_t row = 0; shape.inner == 0 && !part.continues && row < shape.rows; ++row) {
      float* sums = y + row * part.y_row_stride;
      Map(sums, sums, shape.columns, [](FloatVec) HWY_ATTR { return Set(0.0f); });
    }
    if (shape.inner != 0)
      MatmulMatrix(shape, part, a + geometry.offset(0), b + geometry.offset(1), y);
    y += plane;
  } while (geometry.Next());
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(MatmulInto);

void MatmulInto(const MatmulShape& shape, const MatmulPart& part, const float* a, const float* b,
                float* y) {
  HWY_DYNAMIC_DISPATCH(MatmulInto)(shape, part, a, b, y);
}
void Matmul(const MatmulShape& shape, const float* a, const float* b, float* y) {
  MatmulInto(shape, {shape.columns, false}, a, b, y);
}

namespace {

template <typename T>
void AddProduct(T a, T b, T* sum) {
  *sum = WrappingAdd(*sum, WrappingMultiply(a, b));
}

template <typename T>
void SumOneColumn(const MatmulShape& shape, const T* a, const T* b, T* y) {
  T sum = 0;
  for (size_t k = 0; k < shape.inner; ++k) {
    AddProduct(a[k * shape.a_inner_stride], b[k * shape.b_inner_stride], &sum);
  }
  *y = sum;
}

inline constexpr size_t kSharedColumns = 4;

// The sums of four columns, which share a row of a. Written out, because boards are compiled for
// size.
template <typename T>
void SumFourColumns(const MatmulShape& shape, const T* a, const T* b, T* y) {
  const size_t step = shape.b_inner_stride, width = shape.b_column_stride;
  T sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  for (size_t k = 0; k < shape.inner; ++k) {
    const T x = a[k * shape.a_inner_stride];
    const T* const row = b + k * step;
    AddProduct(x, row[0], &sum0);
    AddProduct(x, row[width], &sum1);
    AddProduct(x, row[2 * width], &sum2);
    AddProduct(x, row[3 * width], &sum3);
  }
  y[0] = sum0;
  y[1] = sum1;
  y[2] = sum2;
  y[3] = sum3;
}

template <typename T>
void MatmulIntegers(const MatmulShape& shape, const T* a, const T* b, T* y) {
  if (shape.columns == 0 || IsEmpty(shape.batch_dims, shape.batch_rank)) return;
  StridedIterator<uint32_t, 2> geometry(shape.batch_rank, shape.batch_dims,
                                        {shape.a_batch_strides, shape.b_batch_strides});
  do {
    for (size_t m = 0; m < shape.rows; ++m) {
      for (size_t n = 0, count; n < shape.columns; n += count, y += count) {
        count = shape.columns - n < kSharedColumns ? 1 : kSharedColumns;
        // Without terms, a and b may be invalid.
        const T* const row = shape.inner == 0 ? a : a + geometry.offset(0) + m * shape.a_row_stride;
        const T* const column =
            shape.inner == 0 ? b : b + geometry.offset(1) + n * shape.b_column_stride;
        count == 1 ? SumOneColumn(shape, row, column, y) : SumFourColumns(shape, row, column, y);
      }
    }
  } while (geometry.Next());
}

}  // namespace

__attribute__((weak)) void MatmulShorts(const MatmulShape& shape, const int16_t* a,
                                        const int16_t* b, int32_t* y);

void Matmul(const MatmulShape& shape, const int16_t* a, const int16_t* b, int32_t* y) {
  if (&MatmulShorts != nullptr) MatmulShorts(shape, a, b, y);
}
void Matmul(const MatmulShape& shape, const int32_t* a, const int32_t* b, int32_t* y) {
  MatmulIntegers(shape, a, b, y);
}
void Matmul(const MatmulShape& shape, const int64_t* a, const int64_t* b, int64_t* y) {
  MatmulIntegers(shape, a, b, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
