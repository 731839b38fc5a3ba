// SPDX-License-Identifier: Apache-2.0
// Sums of a panel: rows of int16 or int8 times int8 weights as PackDenseI8 lays them out. The
// caller's shape ensures that no sum exceeds int32, so sums are exact in any order. Internal to the
// steps with integer products.

#if defined(WEFT_KERNELS_MATRIX_SUM_PANEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_SUM_PANEL_INL_H_
#undef WEFT_KERNELS_MATRIX_SUM_PANEL_INL_H_
#else
#define WEFT_KERNELS_MATRIX_SUM_PANEL_INL_H_
#endif

#include "kernels/matrix/pack.h"
#include "kernels/simd/vector-inl.h"

#undef WEFT_SUMS_NEIGHBOURS
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && \
    (defined(__ARM_FEATURE_MVE) ? (__ARM_FEATURE_MVE & 2) : defined(__ARM_FEATURE_DSP))
#if defined(__ARM_FEATURE_MVE)
#include "kernels/matrix/sum_row_helium-inl.h"
#else
#include "kernels/matrix/sum_panel_cortex_m-inl.h"
#endif
#define WEFT_SUMS_NEIGHBOURS
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Rows of `count` numbers, a multiple of kRowBlock, `stride` numbers apart. For int8 rows, `tail`
// may be non-null: it holds kRowBlock more numbers of each row, kRowBlock apart.
template <typename Number>
struct NumberRows {
  const Number* numbers;
  size_t stride, count;
  const Number* tail;
  // The remaining fields are for int8 rows, except on boards. Before the tail there are `runs` runs
  // of `count` numbers, `run_step` apart. With dot products, either `biases` is what the unsigned
  // bias of the weights adds to each row's sums (BiasesOf; SplitRow for split int16 rows), or
  // `is_shifted` says that the numbers are the unsigned factors (SumShift).
  size_t runs = 1, run_step = 0;
  const int32_t* biases = nullptr;
  bool is_shifted = false;
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#include "kernels/matrix/sum_dots-inl.h"
#if HWY_TARGET == HWY_SCALAR && !defined(WEFT_SUMS_NEIGHBOURS)
#include "kernels/matrix/sum_four-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR || defined(WEFT_SUMS_NEIGHBOURS)
inline constexpr size_t kRowBlock = kInputBlock;
#endif

#if defined(WEFT_SUMS_NEIGHBOURS)

#if !defined(__ARM_FEATURE_MVE)  // Helium has separate loops in its steps
// Sums of `outputs` outputs for a row in the order of PositionInRow; sums are aligned to 64 bytes.
template <size_t kRows>
HWY_INLINE void SumPanels(const NumberRows<int16_t>& row, const int8_t* weights, size_t outputs,
                          int32_t* sums) {
  static_assert(kRows == 1, "several rows share no loads here");
  const size_t wide = WidePanels(outputs), first = wide * kPanelOutputs;
  if (row.count == 0) return ClearSums(sums, PanelCount(static_cast<uint32_t>(outputs)));
  if (wide != 0) SumRow(row.numbers, row.count, weights, nullptr, sums, wide);
  if (first >= outputs) return;
  ClearSums(sums + first, 1);
  SumNarrow(row.numbers, 4, row.count, weights + first * row.count, PanelWidth(outputs - first),
            sums + first);
}
#endif

#elif HWY_TARGET == HWY_SCALAR

inline constexpr size_t kTileRows = 1;

// AddOutputs for panels of any width.
template <typename Number>
HWY_INLINE void AddNumbersOfPanel(const Number* numbers, size_t count, const int8_t* weights,
                                  size_t width, const int32_t* from, int32_t* to) {
  if (width < kSharedOutputs) return AddOutputs<4>(numbers, count, weights, width, from, to);
  AddOutputs<kSharedOutputs>(numbers, count, weights, width, from, to);
}

// Sums of a panel of `width` outputs: `from` plus the products of a row of at least one number.
template <typename Number>
HWY_INLINE void AddPanel(const NumberRows<Number>& row, const int8_t* weights, size_t width,
                         const int32_t* from, int32_t* sums) {
  if (row.count != 0) {
    AddNumbersOfPanel(row.numbers, row.count, weights, width, from, sums);
    from = sums;
  }
  if (row.tail == nullptr) return;
  const size_t rest = row.count % kInputBlock;
  const int8_t* const last = weights + width * (row.count - rest) + rest;
  AddNumbersOfPanel(row.tail, kRowBlock, last, width, from, sums);
}

// Sums of a panel of `width` outputs of `kRows` rows, which are kPanelOutputs apart.
template <size_t kRows, typename Number>
HWY_INLINE void SumPanel(const NumberRows<Number>& rows, const int8_t* weights, size_t width,
                         int32_t* sums) {
  static_assert(kRows == 1, "several rows share no loads here");
  for (size_t n = 0; n < width; ++n) sums[n] = 0;
  AddPanel(rows, weights, width, sums, sums);
}

#else

using ShortTag = hn::CappedTag<int16_t, HWY_TARGET <= HWY_AVX3 ? 2 * kInputBlock : kInputBlock>;
using SumTag = hn::RepartitionToWide<ShortTag>;
inline constexpr size_t kShorts = HWY_MAX_LANES_D(ShortTag);
// Number of outputs whose weights are in one vector.
inline constexpr size_t kAcross = HWY_TARGET <= HWY_AVX3 ? 2 : 1;

// Number of rows that share weights, of rows whose sums AddBlocks keeps in registers, and of
// weight vectors whose sums are in registers.
inline constexpr size_t kTileRows = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 4 : 2;
inline constexpr size_t kShortRows = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
template <size_t kRows, size_t kOutputs>
inline constexpr size_t kSummed = HWY_MIN(kRows != 1 ? 4 : 8, kOutputs / kAcross);

// Stores the horizontal sums of four vectors, each of which belongs to kAcross outputs.
using Sums = hn::Vec<SumTag>;
HWY_INLINE void StoreSums(Sums a, Sums b, Sums c, Sums d, int32_t* to) {
  const SumTag tag;
  const hn::RepartitionToWide<SumTag> pairs;
  const auto ab = hn::Add(hn::InterleaveLower(tag, a, b), hn::InterleaveUpper(tag, a, b));
  const auto cd = hn::Add(hn::InterleaveLower(tag, c, d), hn::InterleaveUpper(tag, c, d));
  const auto low = hn::InterleaveLower(pairs, hn::BitCast(pairs, ab), hn::BitCast(pairs, cd));
  const auto high = hn::InterleaveUpper(pairs, hn::BitCast(pairs, ab), hn::BitCast(pairs, cd));
  const Sums all = hn::Add(hn::BitCast(tag, low), hn::BitCast(tag, high));
#if HWY_TARGET <= HWY_AVX3
  const hn::Half<SumTag> half;
  const hn::Half<decltype(half)> quarter;
  const Sums both = hn::Add(all, hn::SwapAdjacentBlocks(all));
  const auto even = hn::LowerHalf(quarter, hn::LowerHalf(half, both));
  const auto odd = hn::LowerHalf(quarter, hn::UpperHalf(half, both));
  hn::StoreU(hn::InterleaveLower(quarter, even, odd), quarter, to);
  hn::StoreU(hn::InterleaveUpper(quarter, even, odd), quarter, to + 4);
#else
  if constexpr (HWY_MAX_LANES_D(SumTag) == 4) {
    hn::StoreU(all, tag, to);
  } else {
    const hn::Half<SumTag> half;
    hn::StoreU(hn::Add(hn::LowerHalf(half, all), hn::UpperHalf(half, all)), half, to);
  }
#endif
}

// Numbers of one row as int16, repeated for each output of a vector.
HWY_INLINE hn::Vec<ShortTag> LoadNumbers(const int16_t* q) {
  const ShortTag shorts;
#if HWY_TARGET <= HWY_AVX3
  const hn::Half<ShortTag> half;
  const auto numbers = hn::LoadU(half, q);
  return hn::Combine(shorts, numbers, numbers);
#else
  return hn::LoadU(shorts, q);
#endif
}
HWY_INLINE hn::Vec<ShortTag> LoadNumbers(const int8_t* q) {
  const ShortTag shorts;
#if HWY_TARGET <= HWY_AVX3
  const hn::Half<ShortTag> half;
  const auto numbers = hn::PromoteTo(half, hn::LoadU(hn::Rebind<int8_t, decltype(half)>(), q));
  return hn::Combine(shorts, numbers, numbers);
#else
  return hn::PromoteTo(shorts, hn::LoadU(hn::Rebind<int8_t, ShortTag>(), q));
#endif
}

// The lanes of the sums of kVectors vectors of outputs for kRows rows.
template <size_t kRows, size_t kVectors>
struct LaneSums {
  hn::Vec<SumTag> even[kRows][kVectors], odd[kRows][kVectors];
};

// Adds `count` numbers of each row; uses the dot-product instruction if kDots.
template <bool kDots, size_t kOutputs, size_t kRows, size_t kVectors, typename Number>
HWY_INLINE void AddBlocks(const Number* q, size_t stride, size_t count, const int8_t* block,
                          LaneSums<kRows, kVectors>& sums) {
  const ShortTag shorts;
  const SumTag wide;
  const hn::Rebind<int8_t, ShortTag> bytes;
  for (size_t k = 0; k < count; k += kInputBlock, block += kOutputs * kInputBlock) {
    HWY_UNROLL(2)
    for (size_t i = 0; i < kInputBlock; i += kShorts) {
      hn::Vec<ShortTag> numbers[kRows];
      HWY_UNROLL(4)
      for (size_t r = 0; r < kRows; ++r) numbers[r] = LoadNumbers(q + r * stride + k + i);
      HWY_UNROLL(16)
      for (size_t n = 0; n < kVectors; ++n) {
        const int8_t* from = block + n * kAcross * kInputBlock + i;
        const auto line = hn::PromoteTo(shorts, hn::LoadU(bytes, from));
        HWY_UNROLL(4)
        for (size_t r = 0; r < kRows; ++r) {
#if defined(WEFT_TARGET_DOTS) && HWY_ARCH_X86
          if constexpr (kDots) {
            sums.even[r][n] = AddPairs(sums.even[r][n], numbers[r], line);
            continue;
          }
#endif
          sums.even[r][n] = hn::ReorderWidenMulAccumulate(wide, numbers[r], line, sums.even[r][n],
                                                          sums.odd[r][n]);
        }
      }
    }
  }
}

// Sums of a panel of kOutputs outputs of `kRows` rows.
template <bool kDots, size_t kRows, size_t kOutputs, typename Number>
HWY_INLINE void SumShorts(const NumberRows<Number>& rows, const int8_t* weights, int32_t* sums) {
  if constexpr (kRows > kShortRows) {
    NumberRows<Number> rest = rows;
    rest.numbers += kShortRows * rows.stride;
    if (rest.tail != nullptr) rest.tail += kShortRows * kInputBlock;
    SumShorts<kDots, kShortRows, kOutputs>(rows, weights, sums);
    return SumShorts<kDots, kRows - kShortRows, kOutputs>(rest, weights,
                                                          sums + kShortRows * kPanelOutputs);
  }
  constexpr size_t kVectors = kSummed<kRows, kOutputs>;
  for (size_t first = 0; first < kOutputs; first += kVectors * kAcross) {
    LaneSums<kRows, kVectors> lanes;
    HWY_UNROLL(16)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(16)
      for (size_t n = 0; n < kVectors; ++n) {
        lanes.even[r][n] = lanes.odd[r][n] = hn::Zero(SumTag());
      }
    }
    const int8_t* from = weights + first * kInputBlock;
    const Number* numbers = rows.numbers;
    for (size_t run = rows.runs; run != 0; --run, numbers += rows.run_step) {
      AddBlocks<kDots, kOutputs>(numbers, rows.stride, rows.count, from, lanes);
      from += kOutputs * rows.count;
      if (run == 1) break;  // there is no run after the last
    }
    if (rows.tail != nullptr) {
      AddBlocks<kDots, kOutputs>(rows.tail, kInputBlock, kInputBlock, from, lanes);
    }
    int32_t* to = sums + first;
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r, to += kPanelOutputs) {
      hn::Vec<SumTag>* const e = lanes.even[r];
      hn::Vec<SumTag>* const o = lanes.odd[r];
      Sums of[4];  // narrow panels of wide vectors have only two
      HWY_UNROLL(4)
      for (size_t n = 0; n < 4; ++n) {
        of[n] = n < kVectors ? hn::Add(e[n], o[n]) : hn::Zero(SumTag());
      }
      StoreSums(of[0], of[1], of[2], of[3], to);
      if constexpr (kVectors == 8) {
        StoreSums(hn::Add(e[4], o[4]), hn::Add(e[5], o[5]), hn::Add(e[6], o[6]),
                  hn::Add(e[7], o[7]), to + 4 * kAcross);
      }
    }
  }
}

// Sums of a panel of kOutputs outputs of `kRows` rows.
template <size_t kRows, size_t kOutputs, typename Number>
HWY_INLINE void SumPanelOf(const NumberRows<Number>& rows, const int8_t* weights, int32_t* sums) {
#if defined(WEFT_TARGET_DOTS)
  if constexpr (sizeof(Number) == sizeof(int8_t)) {
    if (kFirstBias != 0 && rows.is_shifted)
      return SumDots<true, kRows, kOutputs>(rows, weights, sums);
#if HWY_ARCH_ARM_A64
    if constexpr (kRows % 2 == 0) {
      if (HasMatrixDots()) return SumMatrixDots<kRows, kOutputs>(rows, weights, sums);
    }
#endif
    if (HasDots()) {
      NumberRows<int8_t> biased = rows;
      int32_t own[kRows];
      if (kFirstBias != 0 && rows.biases == nullptr) {
        BiasesOf<kRows>(rows, own);
        biased.biases = own;
      }
      return SumDots<false, kRows, kOutputs>(biased, weights, sums);
    }
  }
#if HWY_ARCH_X86
  if constexpr (sizeof(Number) == sizeof(int16_t)) {
    if (rows.biases != nullptr) return SumSplit<kRows, kOutputs>(rows, weights, sums);
    if (HasDots()) return SumShorts<true, kRows, kOutputs>(rows, weights, sums);
  }
#endif
#endif
  SumShorts<false, kRows, kOutputs>(rows, weights, sums);
}

// Sums of a panel of `width` outputs of `kRows` rows, which are kPanelOutputs apart.
template <size_t kRows, typename Number>
HWY_INLINE void SumPanel(const NumberRows<Number>& rows, const int8_t* weights, size_t width,
                         int32_t* sums) {
  if (width == kPanelOutputs) return SumPanelOf<kRows, kPanelOutputs>(rows, weights, sums);
  if (width == kPanelOutputs / 2) return SumPanelOf<kRows, kPanelOutputs / 2>(rows, weights, sums);
  SumPanelOf<kRows, kPanelOutputs / 4>(rows, weights, sums);
}

#endif

#if !defined(WEFT_SUMS_NEIGHBOURS)
inline constexpr size_t kPanelsAtOnce = 1;
template <size_t kRows, typename Number>
HWY_INLINE void SumPanels(const NumberRows<Number>& rows, const int8_t* weights, size_t outputs,
                          int32_t* sums) {
  SumPanel<kRows>(rows, weights, PanelWidth(outputs), sums);
}
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_SUM_PANEL_INL_H_
