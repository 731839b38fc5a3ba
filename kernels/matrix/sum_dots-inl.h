// SPDX-License-Identifier: Apache-2.0
// Sums of a panel of kOutputs outputs for int8 rows, with the dot-product instructions of dots.h.
// Included only by sum_panel-inl.h.

#if defined(WEFT_KERNELS_MATRIX_SUM_DOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_SUM_DOTS_INL_H_
#undef WEFT_KERNELS_MATRIX_SUM_DOTS_INL_H_
#else
#define WEFT_KERNELS_MATRIX_SUM_DOTS_INL_H_
#endif

#include "kernels/simd/dots-inl.h"

#if defined(WEFT_TARGET_DOTS)
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Number of outputs whose weights are in one vector.
inline constexpr size_t kDotOutputs = HWY_MAX_LANES_D(DotBytes) / kInputBlock;

// Number of vectors of a block of a panel; of those whose sums are in registers at the same time;
// and number of accumulators of each: with a single one, each instruction would wait for the
// previous one.
template <size_t kOutputs>
inline constexpr size_t kPanelDots = kOutputs / kDotOutputs;
template <size_t kRows, size_t kOutputs>
inline constexpr size_t kDotVectors = HWY_MIN(kRows == 1 ? 8 : 4, kPanelDots<kOutputs>);
template <size_t kRows, size_t kOutputs>
inline constexpr size_t kDotChains = kRows == 1 && kDotVectors<kRows, kOutputs> <= 4 ? 2 : 1;

// Computes what the unsigned bias of the weights adds to the sums of a row: kFirstBias times the
// sum of its numbers.
template <size_t kRows>
HWY_INLINE void BiasesOf(const NumberRows<int8_t>& rows, int32_t* biases) {
  const hn::Full128<int8_t> bytes;
  const hn::Full128<int32_t> words;
  const auto first = FirstFactors(hn::Zero(bytes));
  for (size_t r = 0; r < kRows; ++r) {
    auto sums = hn::Zero(words), b = sums, c = sums, d = sums;  // else each waits for the previous
    const int8_t* numbers = rows.numbers + r * rows.stride;
    for (size_t run = rows.runs; run != 0; --run, numbers += rows.run_step) {
      size_t k = 0;
      for (; k + 4 * kInputBlock <= rows.count; k += 4 * kInputBlock) {
        sums = AddDots(sums, first, hn::LoadU(bytes, numbers + k));
        b = AddDots(b, first, hn::LoadU(bytes, numbers + k + kInputBlock));
        c = AddDots(c, first, hn::LoadU(bytes, numbers + k + 2 * kInputBlock));
        d = AddDots(d, first, hn::LoadU(bytes, numbers + k + 3 * kInputBlock));
      }
      for (; k < rows.count; k += kInputBlock) {
        sums = AddDots(sums, first, hn::LoadU(bytes, numbers + k));
      }
      if (run == 1) break;  // there is no run after the last
    }
    if (rows.tail != nullptr) {
      sums = AddDots(sums, first, hn::LoadU(bytes, rows.tail + r * kInputBlock));
    }
    biases[r] = hn::ReduceSum(words, hn::Add(hn::Add(sums, b), hn::Add(c, d)));
  }
}

template <size_t kRows, size_t kVectors>
struct DotLanes {
  DotVec sums[kRows][kVectors];
};

// If kShifted, the numbers are the unsigned factors, else the weights.
template <bool kShifted, size_t kRows, size_t kVectors>
HWY_INLINE void AddDotBlock(const int8_t* numbers, size_t stride, const int8_t* block,
                            DotLanes<kRows, kVectors>& lanes) {
  const DotBytes bytes;
  ByteVec of_row[kRows];
  HWY_UNROLL(4)
  for (size_t r = 0; r < kRows; ++r) {
    of_row[r] = hn::LoadDup128(bytes, numbers + r * stride);
    if constexpr (kShifted) of_row[r] = FirstFactors(of_row[r]);
  }
  HWY_UNROLL(8)
  for (size_t n = 0; n < kVectors; ++n) {
    ByteVec line = hn::LoadU(bytes, block + n * HWY_MAX_LANES_D(DotBytes));
    if constexpr (!kShifted) line = FirstFactors(line);
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      DotVec& sum = lanes.sums[r][n];
      sum = kShifted ? AddDots(sum, of_row[r], line) : AddDots(sum, line, of_row[r]);
    }
  }
}

// Horizontal sums of four vectors, minus `bias`, in the order of their outputs. Fewer vectors are
// completed by zeros.
template <size_t kVectors>
HWY_INLINE void StoreDots(const DotVec* vectors, int32_t bias, int32_t* to) {
  static_assert(kVectors <= 4, "sums of four vectors are joined");
  DotVec of[4];
  HWY_UNROLL(4)
  for (size_t n = 0; n < 4; ++n) of[n] = n < kVectors ? vectors[n] : hn::Zero(DotSums());
  const DotSums tag;
  const hn::RepartitionToWide<DotSums> pairs;
  const auto ab =
      hn::Add(hn::InterleaveLower(tag, of[0], of[1]), hn::InterleaveUpper(tag, of[0], of[1]));
  const auto cd =
      hn::Add(hn::InterleaveLower(tag, of[2], of[3]), hn::InterleaveUpper(tag, of[2], of[3]));
  const auto low = hn::InterleaveLower(pairs, hn::BitCast(pairs, ab), hn::BitCast(pairs, cd));
  const auto high = hn::InterleaveUpper(pairs, hn::BitCast(pairs, ab), hn::BitCast(pairs, cd));
  DotVec all = hn::Add(hn::BitCast(tag, low), hn::BitCast(tag, high));
  if constexpr (kFirstBias != 0) all = hn::Sub(all, hn::Set(tag, bias));
  // Lane 4 b + j belongs to block b of vector j.
  if constexpr (kDotOutputs == 4) {
    alignas(64) static constexpr int32_t kOrder[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                       2, 6, 10, 14, 3, 7, 11, 15};
    all = hn::TableLookupLanes(all, hn::SetTableIndices(tag, kOrder));
  } else if constexpr (kDotOutputs == 2) {
    alignas(32) static constexpr int32_t kOrder[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    all = hn::TableLookupLanes(all, hn::SetTableIndices(tag, kOrder));
  }
  hn::StoreU(all, tag, to);
}

inline constexpr size_t kTwoBlocks = size_t{2} * kInputBlock;

template <bool kShifted, size_t kRows, size_t kOutputs>
HWY_INLINE void SumDots(const NumberRows<int8_t>& rows, const int8_t* weights, int32_t* sums) {
  constexpr size_t kVectors = kDotVectors<kRows, kOutputs>, kChains = kDotChains<kRows, kOutputs>;
  constexpr size_t kBlock = kOutputs * kInputBlock;
  for (size_t first = 0; first < kOutputs; first += kVectors * kDotOutputs) {
    const int8_t* block = weights + first * kInputBlock;
    DotLanes<kRows, kVectors> lanes[kChains];
    HWY_UNROLL(2)
    for (size_t c = 0; c < kChains; ++c) {
      HWY_UNROLL(4)
      for (size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(8)
        for (size_t n = 0; n < kVectors; ++n) lanes[c].sums[r][n] = hn::Zero(DotSums());
      }
    }
    const int8_t* numbers = rows.numbers;
    for (size_t run = rows.runs; run != 0; --run, numbers += rows.run_step) {
      size_t k = 0;
      if constexpr (kChains == 2) {
        for (; k + kTwoBlocks <= rows.count; k += kTwoBlocks, block += 2 * kBlock) {
          AddDotBlock<kShifted>(numbers + k, rows.stride, block, lanes[0]);
          AddDotBlock<kShifted>(numbers + k + kInputBlock, rows.stride, block + kBlock, lanes[1]);
        }
      }
      for (; k < rows.count; k += kInputBlock, block += kBlock) {
        AddDotBlock<kShifted>(numbers + k, rows.stride, block, lanes[0]);
      }
      if (run == 1) break;  // there is no run after the last
    }
    if (rows.tail != nullptr) {
      AddDotBlock<kShifted>(rows.tail, kInputBlock, block, lanes[kChains - 1]);
    }
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      DotVec* const of = lanes[0].sums[r];
      if constexpr (kChains == 2) {
        HWY_UNROLL(8)
        for (size_t n = 0; n < kVectors; ++n) of[n] = hn::Add(of[n], lanes[1].sums[r][n]);
      }
      const int32_t bias = kShifted || kFirstBias == 0 ? 0 : rows.biases[r];
      int32_t* const to = sums + r * kPanelOutputs + first;
      StoreDots<HWY_MIN(kVectors, 4)>(of, bias, to);
      if constexpr (kVectors == 8) StoreDots<4>(of + 4, bias, to + 4 * kDotOutputs);
    }
  }
}

#if HWY_ARCH_ARM_A64
// As SumDots, for pairs of rows and pairs of outputs (SMMLA).
template <size_t kRows, size_t kOutputs>
struct MatrixLanes {
  DotVec sums[kRows / 2][kOutputs / 2];
};

template <size_t kRows, size_t kOutputs>
HWY_INLINE void AddMatrixBlock(const int8_t* numbers, size_t stride, const int8_t* block,
                               MatrixLanes<kRows, kOutputs>& lanes) {
  using Eights = hn::Repartition<int64_t, DotBytes>;
  const Eights eights;
  const DotBytes bytes;
  ByteVec low[kRows / 2], high[kRows / 2];  // numbers 0-7 and 8-15 of two rows
  HWY_UNROLL(2)
  for (size_t p = 0; p < kRows / 2; ++p, numbers += 2 * stride) {
    const auto even = hn::BitCast(eights, hn::LoadU(bytes, numbers));
    const auto odd = hn::BitCast(eights, hn::LoadU(bytes, numbers + stride));
    low[p] = hn::BitCast(bytes, hn::InterleaveLower(eights, even, odd));
    high[p] = hn::BitCast(bytes, hn::InterleaveUpper(eights, even, odd));
  }
  HWY_UNROLL(8)
  for (size_t n = 0; n < kOutputs / 2; ++n, block += kTwoBlocks) {
    hn::Vec<Eights> first, second;  // two outputs each
    hn::LoadInterleaved2(eights, reinterpret_cast<const int64_t*>(block), first, second);
    HWY_UNROLL(2)
    for (size_t p = 0; p < kRows / 2; ++p) {
      DotVec& sums = lanes.sums[p][n];
      sums = AddMatrixDots(sums, low[p], hn::BitCast(bytes, first));
      sums = AddMatrixDots(sums, high[p], hn::BitCast(bytes, second));
    }
  }
}

template <size_t kRows, size_t kOutputs>
HWY_INLINE void SumMatrixDots(const NumberRows<int8_t>& rows, const int8_t* weights,
                              int32_t* sums) {
  MatrixLanes<kRows, kOutputs> lanes;
  HWY_UNROLL(2)
  for (auto& of_rows : lanes.sums) {
    HWY_UNROLL(8)
    for (DotVec& of_outputs : of_rows) of_outputs = hn::Zero(DotSums());
  }
  const int8_t* numbers = rows.numbers;
  for (size_t run = rows.runs; run != 0; --run, numbers += rows.run_step) {
    for (size_t k = 0; k < rows.count; k += kInputBlock, weights += kOutputs * kInputBlock) {
      AddMatrixBlock(numbers + k, rows.stride, weights, lanes);
    }
    if (run == 1) break;  // there is no run after the last
  }
  if (rows.tail != nullptr) AddMatrixBlock(rows.tail, kInputBlock, weights, lanes);
  const DotSums tag;
  const hn::RepartitionToWide<DotSums> pairs;
  HWY_UNROLL(2)
  for (size_t p = 0; p < kRows / 2; ++p, sums += 2 * kPanelOutputs) {
    HWY_UNROLL(4)
    for (size_t n = 0; n < kOutputs / 2; n += 2) {
      const auto a = hn::BitCast(pairs, lanes.sums[p][n]);
      const auto b = hn::BitCast(pairs, lanes.sums[p][n + 1]);
      const auto even = hn::InterleaveLower(pairs, a, b), odd = hn::InterleaveUpper(pairs, a, b);
      hn::StoreU(hn::BitCast(tag, even), tag, sums + 2 * n);
      hn::StoreU(hn::BitCast(tag, odd), tag, sums + kPanelOutputs + 2 * n);
    }
  }
}
#endif

#if HWY_ARCH_X86

// Splits a row of int16 in place, for SumSplit: each block becomes the lower bytes of its numbers,
// which are unsigned, followed by the upper bytes. Returns what the bias of the weights adds to its
// sums.
HWY_INLINE int32_t SplitRow(int16_t* row, size_t count) {
  const hn::Full128<uint16_t> shorts;
  const hn::Full128<uint8_t> bytes;
  const hn::Full128<int8_t> upper_bytes;
  const hn::Full128<int32_t> words;
  const auto first = FirstFactors(hn::Zero(upper_bytes));
  const auto mask = hn::Set(shorts, uint16_t{0xFF});
  auto sums = hn::Zero(words);
  auto* block = reinterpret_cast<uint8_t*>(row);
  for (size_t k = 0; k < count; k += kInputBlock, block += kTwoBlocks) {
    const auto a = hn::BitCast(shorts, hn::LoadU(bytes, block));
    const auto b = hn::BitCast(shorts, hn::LoadU(bytes, block + kInputBlock));
    const auto upper = hn::OrderedTruncate2To(bytes, hn::ShiftRight<8>(a), hn::ShiftRight<8>(b));
    sums = AddDots(sums, first, hn::BitCast(upper_bytes, upper));
    hn::StoreU(hn::OrderedTruncate2To(bytes, hn::And(a, mask), hn::And(b, mask)), bytes, block);
    hn::StoreU(upper, bytes, block + kInputBlock);
  }
  return static_cast<int32_t>(static_cast<uint32_t>(hn::ReduceSum(words, sums)) << 8);
}

// Prefetches the cache line kBytesAhead after `p`; the address may be beyond the end of memory.
// With one row, reading the weights is limited by the L2 cache.
inline constexpr size_t kBytesAhead = 1024;
HWY_INLINE void Prefetch(const int8_t* p) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(p) + kBytesAhead));
}

// Multiplies both bytes of a block of each row (stride in bytes) by kVectors vectors of
// weights, without widening them.
template <size_t kRows, size_t kVectors>
HWY_INLINE void AddSplitBlock(const int8_t* numbers, size_t stride, const int8_t* block,
                              DotLanes<kRows, kVectors>& lower, DotLanes<kRows, kVectors>& upper) {
  const DotBytes bytes;
  ByteVec lines[kVectors], firsts[kVectors];
  HWY_UNROLL(4)
  for (size_t n = 0; n < kVectors; ++n) {
    const int8_t* const from = block + n * HWY_MAX_LANES_D(DotBytes);
    if constexpr (kRows == 1) Prefetch(from);
    lines[n] = hn::LoadU(bytes, from);
    firsts[n] = FirstFactors(lines[n]);
  }
  HWY_UNROLL(4)
  for (size_t r = 0; r < kRows; ++r) {
    const ByteVec low = hn::LoadDup128(bytes, numbers + r * stride);
    const ByteVec high = hn::LoadDup128(bytes, numbers + r * stride + kInputBlock);
    HWY_UNROLL(4)
    for (size_t n = 0; n < kVectors; ++n) {
      lower.sums[r][n] = AddDots(lower.sums[r][n], low, lines[n]);
      upper.sums[r][n] = AddDots(upper.sums[r][n], firsts[n], high);
    }
  }
}

// Sums of rows that SplitRow has split. Intermediate sums may wrap around.
template <size_t kRows, size_t kOutputs>
HWY_INLINE void SumSplit(const NumberRows<int16_t>& rows, const int8_t* weights, int32_t* sums) {
  // Vectors whose sums are joined; more than kVectors at the same time would not fit into
  // registers.
  constexpr size_t kJoined = HWY_MIN(4, kPanelDots<kOutputs>);
  constexpr size_t kVectors = HWY_MIN(kRows == 1 ? 4 : 2, kJoined);
  const auto* const numbers = reinterpret_cast<const int8_t*>(rows.numbers);
  const size_t stride = rows.stride * sizeof(int16_t);
  for (size_t output = 0; output < kOutputs; output += kJoined * kDotOutputs) {
    DotVec of[kRows][kJoined];
    HWY_UNROLL(2)
    for (size_t part = 0; part < kJoined; part += kVectors) {
      DotLanes<kRows, kVectors> lower, upper;
      HWY_UNROLL(4)
      for (size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(4)
        for (size_t n = 0; n < kVectors; ++n) {
          lower.sums[r][n] = upper.sums[r][n] = hn::Zero(DotSums());
        }
      }
      const int8_t* block = weights + (output + part * kDotOutputs) * kInputBlock;
      for (size_t k = 0; k < rows.count; k += kInputBlock, block += kOutputs * kInputBlock) {
        AddSplitBlock(numbers + 2 * k, stride, block, lower, upper);
      }
      HWY_UNROLL(4)
      for (size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(4)
        for (size_t n = 0; n < kVectors; ++n) {
          of[r][part + n] = hn::Add(lower.sums[r][n], hn::ShiftLeft<8>(upper.sums[r][n]));
        }
      }
    }
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      StoreDots<kJoined>(of[r], rows.biases[r], sums + r * kPanelOutputs + output);
    }
  }
}

#endif

// Computes what the unsigned bias of shifted rows adds to the sums of a panel of `blocks` blocks.
template <size_t kOutputs>
HWY_INLINE void SumShift(const int8_t* weights, size_t blocks, int32_t* sums) {
  const DotBytes bytes;
  const ByteVec first = FirstFactors(hn::Zero(bytes));
  constexpr size_t kVectors = kPanelDots<kOutputs>, kJoined = HWY_MIN(4, kVectors);
  DotVec of[kVectors];
  for (size_t n = 0; n < kVectors; ++n) of[n] = hn::Zero(DotSums());
  for (; blocks != 0; --blocks) {
    for (size_t n = 0; n < kVectors; ++n, weights += HWY_MAX_LANES_D(DotBytes)) {
      of[n] = AddDots(of[n], first, hn::LoadU(bytes, weights));
    }
  }
  for (size_t n = 0; n < kVectors; n += kJoined) {
    StoreDots<kJoined>(of + n, 0, sums + n * kDotOutputs);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_MATRIX_SUM_DOTS_INL_H_
