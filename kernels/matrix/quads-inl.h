// SPDX-License-Identifier: Apache-2.0
// Sums of products of int8 rows on x86 with weights in the order of quads: [4 inputs][16 outputs][4
// inputs]. A row's four numbers are broadcast, so each lane holds the sum of an output and no lanes
// are added, which for short rows is most of the work. Products of many rows copy their weights to
// this order, and their rows as unsigned factors.

#if defined(WEFT_KERNELS_MATRIX_QUADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_QUADS_INL_H_
#undef WEFT_KERNELS_MATRIX_QUADS_INL_H_
#else
#define WEFT_KERNELS_MATRIX_QUADS_INL_H_
#endif

#include "kernels/matrix/factor_lines-inl.h"
#include "kernels/matrix/pack.h"
#include "kernels/simd/dots-inl.h"

#undef WEFT_QUADS
#if defined(WEFT_TARGET_DOTS) && HWY_ARCH_X86
#define WEFT_QUADS

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr size_t kQuad = 4, kQuadBytes = kQuad * kPanelOutputs;
// Vectors of a quad of a panel, and rows that share weights.
inline constexpr size_t kQuadVectors = kPanelOutputs / HWY_MAX_LANES_D(DotSums);
inline constexpr size_t kQuadRows = kQuadVectors == 1 ? 8 : 4;

constexpr size_t RoundedToQuads(size_t count) { return (count + kQuad - 1) / kQuad * kQuad; }

// Rows of unsigned factors, `stride` apart: `runs` runs of `count` numbers, a multiple of 4, which
// are `run_step` apart.
struct QuadRows {
  const int8_t* numbers;
  size_t stride, count, runs, run_step;
};

// Sums of a panel for kRows rows.
template <size_t kRows>
HWY_INLINE void SumQuads(const QuadRows& rows, const int8_t* weights, int32_t* sums) {
  const DotSums words;
  const DotBytes bytes;
  DotVec lanes[kRows][kQuadVectors];
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (size_t n = 0; n < kQuadVectors; ++n) lanes[r][n] = hn::Zero(words);
  }
  const int8_t* numbers = rows.numbers;
  for (size_t run = rows.runs; run != 0; --run, numbers += rows.run_step) {
    for (size_t k = 0; k < rows.count; k += kQuad, weights += kQuadBytes) {
      ByteVec of_outputs[kQuadVectors];
      HWY_UNROLL(2)
      for (size_t n = 0; n < kQuadVectors; ++n) {
        of_outputs[n] = hn::LoadU(bytes, weights + n * HWY_MAX_LANES_D(DotBytes));
      }
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        int32_t four;
        __builtin_memcpy(&four, numbers + r * rows.stride + k, sizeof four);
        const ByteVec of_row = hn::BitCast(bytes, hn::Set(words, four));
        HWY_UNROLL(2)
        for (size_t n = 0; n < kQuadVectors; ++n) {
          lanes[r][n] = AddDots(lanes[r][n], of_row, of_outputs[n]);
        }
      }
    }
    if (run == 1) break;  // there is no run after the last
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (size_t n = 0; n < kQuadVectors; ++n) {
      hn::Store(lanes[r][n], words, sums + r * kPanelOutputs + n * HWY_MAX_LANES_D(DotSums));
    }
  }
}

// Copies a block of 16 outputs with 16 inputs each to four quads.
HWY_INLINE void BlockToQuads(const int8_t* block, int8_t* quads) {
  const DotSums words;
  const auto* const from = reinterpret_cast<const int32_t*>(block);
  auto* const to = reinterpret_cast<int32_t*>(quads);
#if HWY_TARGET <= HWY_AVX3
  // Vector i holds outputs 4 * i to 4 * i + 3. The lookups select two quads of two vectors.
  alignas(64) static constexpr int32_t kLower[16] = {0, 4, 8, 12, 16, 20, 24, 28,
                                                     1, 5, 9, 13, 17, 21, 25, 29};
  const auto lower = hn::SetTableIndices(words, kLower);
  alignas(64) static constexpr int32_t kUpper[16] = {2, 6, 10, 14, 18, 22, 26, 30,
                                                     3, 7, 11, 15, 19, 23, 27, 31};
  const auto upper = hn::SetTableIndices(words, kUpper);
  const DotVec a = hn::LoadU(words, from), b = hn::LoadU(words, from + 16);
  const DotVec c = hn::LoadU(words, from + 32), d = hn::LoadU(words, from + 48);
  const DotVec ab0 = hn::TwoTablesLookupLanes(words, a, b, lower);
  const DotVec cd0 = hn::TwoTablesLookupLanes(words, c, d, lower);
  const DotVec ab2 = hn::TwoTablesLookupLanes(words, a, b, upper);
  const DotVec cd2 = hn::TwoTablesLookupLanes(words, c, d, upper);
  hn::StoreU(hn::ConcatLowerLower(words, cd0, ab0), words, to);
  hn::StoreU(hn::ConcatUpperUpper(words, cd0, ab0), words, to + 16);
  hn::StoreU(hn::ConcatLowerLower(words, cd2, ab2), words, to + 32);
  hn::StoreU(hn::ConcatUpperUpper(words, cd2, ab2), words, to + 48);
#else
  for (size_t n = 0; n < kPanelOutputs; n += HWY_MAX_LANES_D(DotSums)) {
    DotVec of[4];
    hn::LoadInterleaved4(words, from + n * 4, of[0], of[1], of[2], of[3]);
    for (size_t q = 0; q < 4; ++q) hn::StoreU(of[q], words, to + q * kPanelOutputs + n);
  }
#endif
}

// Copies a panel of `width` outputs and `padded` inputs, as PackDenseI8 lays it out, to quads.
HWY_INLINE void PanelToQuads(const int8_t* panel, size_t width, size_t padded, int8_t* quads) {
  constexpr size_t kBlockBytes = size_t{kInputBlock} * kPanelOutputs;
  alignas(64) int8_t complete[kBlockBytes] = {};
  for (size_t k = 0; k < padded; k += kInputBlock, quads += kBlockBytes) {
    const int8_t* block = panel + k * width;
    if (width != kPanelOutputs) {
      __builtin_memcpy(complete, block, width * kInputBlock);
      block = complete;
    }
    BlockToQuads(block, quads);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_MATRIX_QUADS_INL_H_
