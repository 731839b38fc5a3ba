// SPDX-License-Identifier: Apache-2.0
// Products of int16 matrices with sums of 32 bits. Some columns of b are packed on the stack, some
// inner steps at a time: as pairs of steps, or as rows on a board.
#include "kernels/integer.h"
#include "kernels/matrix/matmul.h"
#include "kernels/strided_iterator.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/matmul_shorts.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/short_dots-inl.h"
#include "kernels/simd/dots-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// `count` elements, `stride` apart.
HWY_INLINE void GatherShorts(const int16_t* from, size_t stride, size_t count, int16_t* to) {
  for (size_t i = 0; i < count; ++i) to[i] = from[i * stride];
}

// One matrix of the batch.
struct ShortProduct {
  const MatmulShape& shape;
  const int16_t* a;
  const int16_t* b;
  int32_t* y;
};

#if HWY_TARGET == HWY_SCALAR

// Inner steps that are gathered at the same time, of some columns.
inline constexpr size_t kGatheredShorts = 72, kGatheredColumns = 4;

// Inner steps of some columns, each of which is a row of shorts. Sums continue from those in y, or
// from 0.
struct ShortColumns {
  const int16_t* b;
  size_t b_stride, columns, begin, steps;
  int32_t* y;
  size_t y_stride;
};

// One row of a. Advances over the columns that it completes.
WEFT_PART void AddShortRow(ShortColumns part, const int16_t* a) {
  for (; part.columns != 0; part.b += 4 * part.b_stride, part.columns -= 4, part.y += 4) {
    int32_t* const y = part.y;
    const size_t count = part.columns < 4 ? part.columns : 4;
    FourSums sums;
    if (part.begin != 0 && count == 4) sums = {y[0], y[1], y[2], y[3]};
    if (count == 4) {
      AddOneByFour(a, part.b, part.b_stride, part.steps, sums);
      y[0] = sums.s00, y[1] = sums.s01, y[2] = sums.s10, y[3] = sums.s11;
      continue;
    }
    for (size_t n = 0; n < count; ++n) {
      sums = {part.begin == 0 ? 0 : y[n], 0, 0, 0};
      AddOneByFour(a, part.b + n * part.b_stride, 0, part.steps, sums);
      y[n] = sums.s00;
    }
    return;
  }
}

// Two rows of a. A last column is computed as two.
WEFT_PART void AddTwoShortRows(const ShortColumns& part, const int16_t* a0, const int16_t* a1) {
  const int16_t* b = part.b;
  int32_t* y = part.y;
  for (size_t left = part.columns; left != 0;) {
    const size_t right = left > 1 ? 1 : 0;
    int32_t* const below = y + part.y_stride;
    FourSums sums;
    if (part.begin != 0) sums = {y[0], y[right], below[0], below[right]};
    AddTwoByTwo(a0, a1, b, b + right * part.b_stride, part.steps, sums);
    y[right] = sums.s01, y[0] = sums.s00;
    below[right] = sums.s11, below[0] = sums.s10;
    b += 2 * part.b_stride;
    y += 2;
    left -= 1 + right;
  }
}

// Gathers some columns of b.
WEFT_PART void GatherColumns(const int16_t* b, size_t inner_stride, size_t column_stride,
                             size_t columns, size_t steps, int16_t* to) {
#if defined(WEFT_DSP_SHORTS)
  // Two columns and two steps at a time.
  for (; column_stride == 1 && columns >= 2; columns -= 2, b += 2, to += 2 * kGatheredShorts) {
    const int16_t* from = b;
    size_t k = 0;
    for (; k + 2 <= steps; k += 2, from += 2 * inner_stride) {
      const Shorts even = LoadShorts(from), odd = LoadShorts(from + inner_stride);
      const Shorts left = (even & 0xFFFF) | odd << 16, right = even >> 16 | (odd & 0xFFFF0000);
      __builtin_memcpy(to + k, &left, sizeof(left));
      __builtin_memcpy(to + kGatheredShorts + k, &right, sizeof(right));
    }
    if (k < steps) to[k] = from[0], to[kGatheredShorts + k] = from[1];
  }
#endif
  for (; columns != 0; --columns, b += column_stride, to += kGatheredShorts) {
    GatherShorts(b, inner_stride, steps, to);
  }
}

// All rows of a.
WEFT_PART void AddShortColumns(const ShortProduct& product, ShortColumns part) {
  const MatmulShape& shape = product.shape;
  int16_t gathered[2 * kGatheredShorts];
  for (size_t row = 0; row < shape.rows; row += 2, part.y += 2 * part.y_stride) {
    const bool is_last = shape.rows - row < 2;
    const int16_t* a = product.a + row * shape.a_row_stride + part.begin * shape.a_inner_stride;
    size_t stride = shape.a_row_stride;
    if (shape.a_inner_stride != 1) {
      for (size_t r = 0; r < (is_last ? 1u : 2u); ++r) {
        GatherShorts(a + r * stride, shape.a_inner_stride, part.steps,
                     gathered + r * kGatheredShorts);
      }
      a = gathered;
      stride = kGatheredShorts;
    }
    if (is_last) return AddShortRow(part, a);
    AddTwoShortRows(part, a, a + stride);
  }
}

void MultiplyShorts(const ShortProduct& product) {
  const MatmulShape& shape = product.shape;
  alignas(4) int16_t gathered[kGatheredColumns * kGatheredShorts];
  const bool has_rows = shape.b_inner_stride == 1;
  const size_t width = has_rows ? shape.columns : kGatheredColumns;
  const size_t depth = has_rows && shape.a_inner_stride == 1 ? shape.inner : kGatheredShorts;
  for (size_t first = 0; first < shape.columns; first += width) {
    const size_t left = shape.columns - first, columns = left < width ? left : width;
    for (size_t k = 0; k < shape.inner; k += depth) {
      const size_t steps = shape.inner - k < depth ? shape.inner - k : depth;
      const int16_t* b =
          product.b + first * shape.b_column_stride + k * size_t{shape.b_inner_stride};
      size_t stride = shape.b_column_stride;
      if (!has_rows) {
        GatherColumns(b, shape.b_inner_stride, stride, columns, steps, gathered);
        b = gathered;
        stride = kGatheredShorts;
      }
      AddShortColumns(product, {b, stride, columns, k, steps, product.y + first, shape.columns});
    }
  }
}

#else

// Pairs of inner steps, and columns, that are packed at the same time.
inline constexpr size_t kPackedPairs = 64;
inline constexpr size_t kVectorLanes = HWY_MAX_LANES_D(IntTag);
inline constexpr size_t kPackedColumns = 2 * kVectorLanes;
inline constexpr size_t kSharedRows = 4;

using PairTag = hn::Repartition<int16_t, IntTag>;
using Pairs = hn::Vec<PairTag>;

// Adds the products of the pairs to the lanes of `even` plus `odd`.
template <bool kHasDots>
HWY_INLINE void AddShortPairs(Pairs a, Pairs b, IntVec* even, IntVec* odd) {
#if defined(WEFT_TARGET_DOTS) && HWY_ARCH_X86
  if constexpr (kHasDots) {
    *even = AddPairs(*even, a, b);
    return;
  }
#endif
  *even = hn::ReorderWidenMulAccumulate(IntTag(), a, b, *even, *odd);
}

// Steps 2i and 2i + 1 of a column of b are the halves of an element of row i.
struct PackedShorts {
  alignas(64) uint32_t b[kPackedPairs * kPackedColumns];
  alignas(64) int16_t a[kSharedRows][2 * kPackedPairs];
};

HWY_INLINE void PackColumns(const MatmulShape& shape, const int16_t* b, size_t columns,
                            size_t steps, PackedShorts* packed) {
  if (columns < kPackedColumns || steps % 2 != 0) {
    for (size_t i = 0; i < (steps + 1) / 2 * kPackedColumns; ++i) packed->b[i] = 0;
  }
  if (shape.b_inner_stride == 1) {
    for (size_t n = 0; n < columns; ++n) {
      const int16_t* const from = b + n * size_t{shape.b_column_stride};
      for (size_t i = 0; i < steps / 2; ++i) {
        __builtin_memcpy(packed->b + (i * kPackedColumns + n), from + 2 * i, sizeof(uint32_t));
      }
    }
  }
  const hn::Rebind<uint16_t, IntTag> half;
  const hn::RebindToUnsigned<IntTag> whole;
  for (size_t k = shape.b_inner_stride == 1 ? steps / 2 * 2 : 0; k < steps; ++k) {
    const int16_t* const from = b + k * size_t{shape.b_inner_stride};
    uint32_t* const to = packed->b + k / 2 * kPackedColumns;
    const uint32_t shift = k % 2 * 16;
    size_t n = 0;
    for (; shape.b_column_stride == 1 && n + kVectorLanes <= columns; n += kVectorLanes) {
      const auto line =
          hn::PromoteTo(whole, hn::LoadU(half, reinterpret_cast<const uint16_t*>(from + n)));
      const auto joined =
          shift == 0 ? line : hn::Or(hn::Load(whole, to + n), hn::ShiftLeft<16>(line));
      hn::Store(joined, whole, to + n);
    }
    for (; n < columns; ++n) {
      const uint32_t bits = static_cast<uint16_t>(from[n * size_t{shape.b_column_stride}]);
      to[n] = (shift == 0 ? 0 : to[n]) | bits << shift;
    }
  }
}

// Some columns of some rows of y.
struct PackedPart {
  const PackedShorts& packed;
  size_t pairs, columns;
  bool continues;  // the sums in y
  int32_t* y;
  size_t y_stride;
};

template <bool kHasDots, size_t kRows, size_t kVectors>
HWY_INLINE void AddPackedRows(const PackedPart& part) {
  IntVec even[kRows][kVectors], odd[kRows][kVectors];
  HWY_UNROLL(4)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) even[r][v] = odd[r][v] = hn::Zero(IntTag());
  }
  for (size_t i = 0; i < part.pairs; ++i) {
    const uint32_t* const line = part.packed.b + i * kPackedColumns;
    Pairs b[kVectors];
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) {
      const hn::RebindToUnsigned<IntTag> whole;
      b[v] = hn::BitCast(PairTag(), hn::Load(whole, line + v * kVectorLanes));
    }
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      int32_t pair;
      __builtin_memcpy(&pair, part.packed.a[r] + 2 * i, sizeof(pair));
      const Pairs a = hn::BitCast(PairTag(), hn::Set(IntTag(), pair));
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v) {
        AddShortPairs<kHasDots>(a, b[v], &even[r][v], &odd[r][v]);
      }
    }
  }
  HWY_UNROLL(4)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t first = v * kVectorLanes, left = part.columns - first;
      const size_t count = left < kVectorLanes ? left : kVectorLanes;
      int32_t* const y = part.y + (r * part.y_stride + first);
      IntVec sums = even[r][v];
      if constexpr (!kHasDots) sums = hn::RearrangeToOddPlusEven(sums, odd[r][v]);
      if (part.continues) sums = hn::Add(sums, hn::LoadN(IntTag(), y, count));
      hn::StoreN(sums, IntTag(), y, count);
    }
  }
}

template <bool kHasDots, size_t kRows>
HWY_INLINE void AddPackedPart(const PackedPart& part) {
  if (part.columns <= kVectorLanes) return AddPackedRows<kHasDots, kRows, 1>(part);
  AddPackedRows<kHasDots, kRows, 2>(part);
}

// Rows [row, row + rows) of a, whose inner steps from k on are followed by a 0.
HWY_INLINE void PackRows(const ShortProduct& product, size_t row, size_t rows, size_t k,
                         size_t steps, PackedShorts* packed) {
  const MatmulShape& shape = product.shape;
  const size_t stride = shape.a_inner_stride;
  for (size_t r = 0; r < rows; ++r) {
    const int16_t* const from = product.a + (row + r) * shape.a_row_stride + k * stride;
    if (stride == 1) {
      __builtin_memcpy(packed->a[r], from, steps * sizeof(int16_t));
    } else {
      GatherShorts(from, stride, steps, packed->a[r]);
    }
    if (steps % 2 != 0) packed->a[r][steps] = 0;
  }
}

template <bool kHasDots>
HWY_INLINE void MultiplyPacked(const ShortProduct& product) {
  const MatmulShape& shape = product.shape;
  constexpr size_t kSteps = 2 * kPackedPairs;
  PackedShorts packed;
  for (size_t first = 0; first < shape.columns; first += kPackedColumns) {
    const size_t left = shape.columns - first;
    const size_t columns = left < kPackedColumns ? left : kPackedColumns;
    const int16_t* b = product.b + first * shape.b_column_stride;
    for (size_t k = 0; k < shape.inner; k += kSteps, b += kSteps * shape.b_inner_stride) {
      const size_t steps = shape.inner - k < kSteps ? shape.inner - k : kSteps;
      PackColumns(shape, b, columns, steps, &packed);
      for (size_t row = 0, rows; row < shape.rows; row += rows) {
        rows = shape.rows - row < kSharedRows ? 1 : kSharedRows;
        PackRows(product, row, rows, k, steps, &packed);
        const PackedPart part = {
            packed,       (steps + 1) / 2, columns, k != 0, product.y + row * shape.columns + first,
            shape.columns};
        rows == 1 ? AddPackedPart<kHasDots, 1>(part) : AddPackedPart<kHasDots, kSharedRows>(part);
      }
    }
  }
}

// At most as many rows use b as it is stored if its columns are contiguous.
inline constexpr size_t kFewRows = 2;

template <bool kHasDots>
HWY_INLINE int32_t ShortDot(const int16_t* a, const int16_t* b, size_t count) {
  constexpr size_t kStep = 2 * kVectorLanes;
  IntVec even = hn::Zero(IntTag()), odd = hn::Zero(IntTag());
  size_t k = 0;
  for (; k + kStep <= count; k += kStep) {
    AddShortPairs<kHasDots>(hn::LoadU(PairTag(), a + k), hn::LoadU(PairTag(), b + k), &even, &odd);
  }
  if (k < count) {
    AddShortPairs<kHasDots>(hn::LoadN(PairTag(), a + k, count - k),
                            hn::LoadN(PairTag(), b + k, count - k), &even, &odd);
  }
  return hn::ReduceSum(IntTag(), hn::Add(even, odd));
}

template <bool kHasDots>
HWY_INLINE void MultiplyShortRows(const ShortProduct& product) {
  const MatmulShape& shape = product.shape;
  const bool has_rows = shape.a_inner_stride == 1 && shape.b_inner_stride == 1;
  if (!has_rows || shape.rows > kFewRows) return MultiplyPacked<kHasDots>(product);
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t n = 0; n < shape.columns; ++n) {
      product.y[row * shape.columns + n] = ShortDot<kHasDots>(
          product.a + row * shape.a_row_stride, product.b + n * shape.b_column_stride, shape.inner);
    }
  }
}

void MultiplyShorts(const ShortProduct& product) {
#if defined(WEFT_TARGET_DOTS) && HWY_ARCH_X86
  if (HasDots()) return MultiplyShortRows<true>(product);
#endif
  MultiplyShortRows<false>(product);
}

#endif

void MatmulShorts(const MatmulShape& shape, const int16_t* a, const int16_t* b, int32_t* y) {
  const size_t plane = size_t{shape.rows} * shape.columns;
  if (plane == 0 || IsEmpty(shape.batch_dims, shape.batch_rank)) return;
  StridedIterator<uint32_t, 2> geometry(shape.batch_rank, shape.batch_dims,
                                        {shape.a_batch_strides, shape.b_batch_strides});
  do {
    if (shape.inner == 0) {  // a and b may be invalid
      for (size_t i = 0; i < plane; ++i) y[i] = 0;
    } else {
      MultiplyShorts({shape, a + geometry.offset(0), b + geometry.offset(1), y});
    }
    y += plane;
  } while (geometry.Next());
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(MatmulShorts,
            (const MatmulShape& shape, const int16_t* a, const int16_t* b, int32_t* y),
            (shape, a, b, y))

#if HWY_ONCE
const char weft_variant_matmul_shorts = 0;
#endif  // HWY_ONCE
