// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/movement/transpose.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
// Returns the first of the next `side` of `count` elements. The last block is moved back so that it
// is full; it overlaps the block before it.
HWY_INLINE size_t FirstOf(size_t next, size_t side, size_t count) {
  return next + side <= count ? next : count - side;
}

// Calls move(first) for every `side` of count >= side elements.
template <class Move>
HWY_INLINE void ForSides(size_t side, size_t count, const Move& move) {
  for (size_t i = 0; i < count; i += side) move(FirstOf(i, side, count));
}

// Interleaves kRows contiguous source rows: each element of y has one element of each row.
template <size_t kRows, typename T>
void Interleave(const Plane& plane, const T* x, T* y) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  ForSides(hn::Lanes(d), plane.outer, [&](size_t o) HWY_ATTR {
    const auto row = [&](ptrdiff_t r)
                         HWY_ATTR { return hn::LoadU(d, x + r * plane.src_inner_stride + o); };
    if constexpr (kRows == 2) hn::StoreInterleaved2(row(0), row(1), d, y + 2 * o);
    if constexpr (kRows == 3) hn::StoreInterleaved3(row(0), row(1), row(2), d, y + 3 * o);
    if constexpr (kRows == 4) hn::StoreInterleaved4(row(0), row(1), row(2), row(3), d, y + 4 * o);
  });
}

// The inverse of Interleave.
template <size_t kRows, typename T>
void Deinterleave(const Plane& plane, const T* x, T* y) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  ForSides(hn::Lanes(d), plane.inner, [&](size_t i) HWY_ATTR {
    hn::Vec<decltype(d)> rows[4];
    if constexpr (kRows == 2) hn::LoadInterleaved2(d, x + 2 * i, rows[0], rows[1]);
    if constexpr (kRows == 3) hn::LoadInterleaved3(d, x + 3 * i, rows[0], rows[1], rows[2]);
    if constexpr (kRows == 4) {
      hn::LoadInterleaved4(d, x + 4 * i, rows[0], rows[1], rows[2], rows[3]);
    }
    for (size_t r = 0; r < kRows; ++r) {
      hn::StoreU(rows[r], d, y + static_cast<ptrdiff_t>(r) * plane.dst_outer_stride + i);
    }
  });
}

// Transposes a square in vectors of kSide lanes: each round interleaves the lanes of the second
// half of the rows with those of the first half.
template <class D, size_t kSide>
HWY_INLINE void TransposeSquare(D d, hn::Vec<D> (&rows)[kSide]) {
  HWY_UNROLL(4)
  for (size_t moved = 1; moved < kSide; moved *= 2) {
    hn::Vec<D> mixed[kSide];
    HWY_UNROLL(8)
    for (size_t i = 0; i < kSide / 2; ++i) {
      mixed[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + kSide / 2]);
      mixed[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + kSide / 2]);
    }
    HWY_UNROLL(16)
    for (size_t i = 0; i < kSide; ++i) rows[i] = mixed[i];
  }
}

template <typename T>
void TransposeSquares(const Plane& plane, const T* x, T* y) {
  constexpr size_t kSide = 16 / sizeof(T);
  const hn::Full128<T> d;
  ForSides(kSide, plane.outer, [&](size_t o) HWY_ATTR {
    ForSides(kSide, plane.inner, [&](size_t i) HWY_ATTR {
      hn::Vec<decltype(d)> rows[kSide];
      const T* const from = x + static_cast<ptrdiff_t>(i) * plane.src_inner_stride + o;
      T* const to = y + static_cast<ptrdiff_t>(o) * plane.dst_outer_stride + i;
      HWY_UNROLL(16)
      for (size_t r = 0; r < kSide; ++r) {
        rows[r] = hn::LoadU(d, from + static_cast<ptrdiff_t>(r) * plane.src_inner_stride);
      }
      TransposeSquare(d, rows);
      HWY_UNROLL(16)
      for (size_t r = 0; r < kSide; ++r) {
        hn::StoreU(rows[r], d, to + static_cast<ptrdiff_t>(r) * plane.dst_outer_stride);
      }
    });
  });
}

template <typename T>
bool TransposeOf(const Plane& plane, const void* from, void* to) {
  const T* const x = static_cast<const T*>(from);
  T* const y = static_cast<T*>(to);
  const size_t lanes = hn::Lanes(hn::CappedTag<T, 64 / sizeof(T)>());
  const auto is_dense = [](ptrdiff_t stride, size_t elements) {
    return stride == static_cast<ptrdiff_t>(elements);
  };
  if (plane.outer >= lanes && is_dense(plane.dst_outer_stride, plane.inner)) {
    if (plane.inner == 2) return Interleave<2>(plane, x, y), true;
    if (plane.inner == 3) return Interleave<3>(plane, x, y), true;
    if (plane.inner == 4) return Interleave<4>(plane, x, y), true;
  }
  if (plane.inner >= lanes && is_dense(plane.src_inner_stride, plane.outer)) {
    if (plane.outer == 2) return Deinterleave<2>(plane, x, y), true;
    if (plane.outer == 3) return Deinterleave<3>(plane, x, y), true;
    if (plane.outer == 4) return Deinterleave<4>(plane, x, y), true;
  }
  constexpr size_t kSide = 16 / sizeof(T);
  if (plane.outer < kSide || plane.inner < kSide) return false;
  TransposeSquares(plane, x, y);
  return true;
}
#endif

bool Transpose(const Plane& plane, uint32_t element_bytes, const void* x, void* y) {
#if HWY_TARGET == HWY_SCALAR
  return (void)plane, (void)element_bytes, (void)x, (void)y, false;
#else
  switch (element_bytes) {
    case 1:
      return TransposeOf<uint8_t>(plane, x, y);
    case 2:
      return TransposeOf<uint16_t>(plane, x, y);
    case 4:
      return TransposeOf<uint32_t>(plane, x, y);
    default:
#if HWY_ARCH_ARM_V7
      return false;  // cannot interleave 64-bit lanes
#else
      return TransposeOf<uint64_t>(plane, x, y);
#endif
  }
#endif
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(Transpose);

bool Transpose(const Plane& plane, uint32_t element_bytes, const void* x, void* y) {
  return HWY_DYNAMIC_DISPATCH(Transpose)(plane, element_bytes, x, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
