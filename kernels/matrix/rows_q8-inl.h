// SPDX-License-Identifier: Apache-2.0
// Products of quantised rows with int8 weights, as dense_q8.h defines them: rows of a matrix,
// pixels of a map or patches of one.

#if defined(WEFT_KERNELS_MATRIX_ROWS_Q8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_ROWS_Q8_INL_H_
#undef WEFT_KERNELS_MATRIX_ROWS_Q8_INL_H_
#else
#define WEFT_KERNELS_MATRIX_ROWS_Q8_INL_H_
#endif

#include "kernels/integer.h"
#include "kernels/matrix/quad_tiles-inl.h"
#include "kernels/matrix/quads-inl.h"
#include "kernels/matrix/results_q8-inl.h"
#include "kernels/matrix/sum_panel-inl.h"
#include "kernels/simd/bytes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The result of row r and output n is element place + r * y_stride + n * y_output_stride of y.
struct RowsQ8 {
  ResultWriter results;
  const int8_t* weights;
  FactorsQ8 factors;
  void* y;
  size_t inputs = 0, outputs = 0;
  size_t x_stride = 0, y_stride = 0, y_output_stride = 0, start_stride = 0;
  size_t position = 0;
  // As in NumberRows. With several runs, `inputs` is the length of a run, in complete blocks.
  size_t runs = 1, run_step = 0;
  bool is_shifted = false;
#if defined(WEFT_QUADS)
  // If not null, the weights in the order of quads-inl.h, and the distance between panels.
  const int8_t* quads = nullptr;
  size_t quads_step = 0;
  const int32_t* signed_first = nullptr;  // factors.first before ShiftRows
#endif
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// A Cortex-M has its own implementation, depending on its multiply instructions.
#undef WEFT_HELIUM_RUNS_ROWS
#if defined(WEFT_SUMS_NEIGHBOURS) && defined(__ARM_FEATURE_MVE)
#include "kernels/matrix/rows_q8_helium-inl.h"
#define WEFT_HELIUM_RUNS_ROWS
#elif defined(WEFT_SUMS_NEIGHBOURS)
#include "kernels/matrix/rows_q8_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if !defined(WEFT_SUMS_NEIGHBOURS)  // else rows_q8_cortex_m-inl.h has it
// Number of rows that share weights.
inline constexpr size_t kRowsQ8 = kTileRows;

#if HWY_TARGET == HWY_SCALAR
#define WEFT_ROWS_Q8 WEFT_PART
#else
#define WEFT_ROWS_Q8 HWY_NOINLINE inline  // used by several kernels for three row counts
#endif

// Writes the results of a panel, whose first output is `first`, for kRows rows from `row` on.
template <size_t kRows>
HWY_INLINE void WritePanel(const RowsQ8& at, const int32_t* sums, size_t row, size_t first) {
  const size_t left = at.outputs - first, outputs = left < kPanelOutputs ? left : kPanelOutputs;
  FactorsQ8 factors = After(at.factors, first);
#if HWY_TARGET != HWY_SCALAR
  const bool share_start = factors.start == nullptr || at.start_stride == 0;
  if (share_start && at.results.template WriteTile<kRows>(
                         sums, factors, outputs, at.y,
                         at.position + row * at.y_stride + first * at.y_output_stride, at.y_stride,
                         at.y_output_stride)) {
    return;
  }
#endif
  const float* const start = factors.start;
  for (size_t r = 0; r < kRows; ++r) {
    if (start != nullptr) factors.start = start + (row + r) * at.start_stride;
    at.results.Write(sums + r * kPanelOutputs, factors, outputs, at.y,
                     at.position + (row + r) * at.y_stride + first * at.y_output_stride,
                     at.y_output_stride);
  }
}

#if HWY_TARGET <= HWY_AVX3
// One row, four panels at a time. Advances `weights` and returns the number of outputs.
HWY_INLINE size_t RowOfPanels(const RowsQ8& at, const NumberRows<int8_t>& numbers, size_t row,
                              size_t panel_bytes, const int8_t*& weights) {
  constexpr size_t kOutputs = 4 * kPanelOutputs;
  size_t first = 0;
  for (; first + kOutputs <= at.outputs; first += kOutputs) {
    alignas(64) int32_t sums[kOutputs];
    for (size_t i = 0; i < kOutputs; i += kPanelOutputs, weights += panel_bytes) {
      SumPanel<1>(numbers, weights, kPanelOutputs, sums + i);
    }
    FactorsQ8 factors = After(at.factors, first);
    if (factors.start != nullptr) factors.start += row * at.start_stride;
    const size_t position = at.position + row * at.y_stride + first * at.y_output_stride;
    if (at.results.WritePanels(sums, factors, at.y, position, at.y_output_stride)) continue;
    for (size_t i = 0; i < kOutputs; i += kPanelOutputs) {
      WritePanel<1>(at, sums + i, row, first + i);
    }
  }
  return first;
}
#endif

// kRows rows of x, the first of which is `row` of the result. Strides along an axis of length 1 may
// have any value: they are never used to form a pointer.
template <size_t kRows>
WEFT_ROWS_Q8 void RowsOfQ8(const RowsQ8& at, const int8_t* x, size_t row) {
  const size_t whole = at.inputs / kRowBlock * kRowBlock, rest = at.inputs - whole;
  int8_t tail[kRows * kRowBlock];
  if (rest != 0) {
    for (size_t r = 0; r < kRows; ++r) {
      const int8_t* const from = x + r * at.x_stride + whole;
#if HWY_TARGET == HWY_SCALAR
      for (size_t i = 0; i < kRowBlock; ++i) {
        tail[r * kRowBlock + i] = i < rest ? from[i] : int8_t{0};
      }
#else
      __builtin_memset(tail + r * kRowBlock, 0, kRowBlock);
      CopyFewBytes(tail + r * kRowBlock, from, rest);
#endif
    }
  }
  NumberRows<int8_t> numbers = {x, at.x_stride, whole, rest != 0 ? tail : nullptr};
  numbers.runs = at.runs;
  numbers.run_step = at.run_step;
#if defined(WEFT_TARGET_DOTS)
  numbers.is_shifted = at.is_shifted;
  int32_t biases[kRows];
  if (kFirstBias != 0 && !at.is_shifted && HasDots()) {
    BiasesOf<kRows>(numbers, biases);
    numbers.biases = biases;
  }
#endif
  const size_t blocks = (at.inputs + kInputBlock - 1) / kInputBlock * at.runs;
  const size_t panel_bytes = blocks * kInputBlock * kPanelOutputs;
  const int8_t* weights = at.weights;
  size_t first = 0;
#if HWY_TARGET <= HWY_AVX3
  if constexpr (kRows == 1) first = RowOfPanels(at, numbers, row, panel_bytes, weights);
#endif
  for (; first < at.outputs; first += kPanelOutputs, weights += panel_bytes) {
    alignas(kPanelOutputs * sizeof(int32_t)) int32_t sums[kRows * kPanelOutputs];
    SumPanel<kRows>(numbers, weights, PanelWidth(at.outputs - first), sums);
    WritePanel<kRows>(at, sums, row, first);
  }
}

#if defined(WEFT_QUADS)
// The same, for weights in the order of quads and unsigned factors.
template <size_t kRows>
WEFT_ROWS_Q8 void RowsByQuads(const RowsQ8& at, const QuadRows& rows, size_t row) {
  const int8_t* weights = at.quads;
  for (size_t first = 0; first < at.outputs; first += kPanelOutputs, weights += at.quads_step) {
    alignas(kPanelOutputs * sizeof(int32_t)) int32_t sums[kRows * kPanelOutputs];
    SumQuads<kRows>(rows, weights, sums);
    WritePanel<kRows>(at, sums, row, first);
  }
}

// `count` rows, from 1 to kMaxRows.
template <size_t kMaxRows>
HWY_INLINE void FewRowsByQuads(const RowsQ8& at, const QuadRows& rows, size_t row, size_t count) {
  if constexpr (kMaxRows > 1) {
    if (count < kMaxRows) return FewRowsByQuads<kMaxRows - 1>(at, rows, row, count);
  }
  RowsByQuads<kMaxRows>(at, rows, row);
}

#if defined(WEFT_TARGET_TILES)
// WritePanel for `count` rows, from 1 to kMaxRows.
template <size_t kMaxRows>
HWY_INLINE void WriteFewRows(const RowsQ8& at, const int32_t* sums, size_t row, size_t first,
                             size_t count) {
  if constexpr (kMaxRows > 1) {
    if (count < kMaxRows) return WriteFewRows<kMaxRows - 1>(at, sums, row, first, count);
  }
  WritePanel<kMaxRows>(at, sums, row, first);
}

// Setting the shapes of tiles takes about as long as this number of dot products.
inline constexpr size_t kMinTileDots = 512;

HWY_INLINE bool IsForTiles(const RowsQ8& at, const QuadRows& rows, size_t count) {
  const size_t dots = rows.runs * rows.count / kQuad * count;
  return count >= kQuadRows / 2 &&
         dots * PanelCount(static_cast<uint32_t>(at.outputs)) >= kMinTileDots && HasTiles();
}

// The sums of up to kMaxTileRows rows and a panel whose results are not written yet.
struct TileSums {
  alignas(64) int32_t sums[kMaxTileRows * kPanelOutputs];
  size_t row, first, count = 0;

  HWY_INLINE void Write(const RowsQ8& at) const {
    size_t r = 0;
    for (; r + kQuadRows <= count; r += kQuadRows) {
      WritePanel<kQuadRows>(at, sums + r * kPanelOutputs, row + r, first);
    }
    if (r == count) return;
    WriteFewRows<kQuadRows - 1>(at, sums + r * kPanelOutputs, row + r, first, count - r);
  }
};

// A tile is written while the next one is summed.
template <bool kSigned>
WEFT_ROWS_Q8 void RunTiles(const RowsQ8& at, QuadRows rows, size_t row, size_t count,
                           Tiles& registers) {
  TileSums pair[2];
  size_t next = 0;
  for (size_t tiles = (count + kMaxTileRows - 1) / kMaxTileRows; tiles != 0; --tiles) {
    const size_t some = count / tiles;
    registers.SetShapes(some, rows.count);
    const int8_t* weights = at.quads;
    for (size_t first = 0; first < at.outputs; first += kPanelOutputs, weights += at.quads_step) {
      TileSums& tile = pair[next];
      next = 1 - next;
      registers.Sum<kSigned>(rows, weights, tile.sums);
      if (pair[next].count != 0) pair[next].Write(at);
      tile.row = row;
      tile.first = first;
      tile.count = some;
    }
    rows.numbers += some * rows.stride;
    row += some;
    count -= some;
  }
  pair[1 - next].Write(at);
}
#endif

// Equal tiles, because a product waits for the sum of the last product of its row. `registers` may
// be used for several calls.
HWY_INLINE void RunQuads(const RowsQ8& at, QuadRows rows, size_t row, size_t count,
                         [[maybe_unused]] Tiles& registers) {
#if defined(WEFT_TARGET_TILES)
  if (IsForTiles(at, rows, count)) return RunTiles<false>(at, rows, row, count, registers);
#endif
  for (size_t tiles = (count + kQuadRows - 1) / kQuadRows; tiles != 0; --tiles) {
    const size_t some = count / tiles;
    FewRowsByQuads<kQuadRows>(at, rows, row, some);
    rows.numbers += some * rows.stride;
    row += some;
    count -= some;
  }
}

// Bytes of stack for rows as unsigned factors, and for weights in the order of quads. Without tiles
// both stay in an L1 cache of 32 KB.
inline constexpr size_t kQuadsInL1 = 16384;
#if defined(WEFT_TARGET_TILES)
inline constexpr size_t kFactorsRoom = 16384, kQuadsRoom = 24576;
#else
inline constexpr size_t kFactorsRoom = 8192, kQuadsRoom = kQuadsInL1;
#endif
static_assert(kFactorsRoom / (kQuadsRoom / kPanelOutputs) >= kQuadRows, "must hold a tile of rows");

// As RunRowsQ8, from a copy of the rows, or with tiles in place.
HWY_INLINE void CopyAndRunQuads(const RowsQ8& at, const int8_t* x, size_t row, size_t count) {
  Tiles registers;
#if defined(WEFT_TARGET_TILES)
  const QuadRows in_place = {x, at.x_stride, at.inputs, 1, 0};
  if (at.inputs % kQuad == 0 && IsForTiles(at, in_place, count)) {
    RowsQ8 of_signed = at;
    of_signed.factors.first = at.signed_first;
    return RunTiles<true>(of_signed, in_place, row, count, registers);
  }
#endif
  alignas(64) int8_t factors[kFactorsRoom + 64];
  const size_t stride = RoundedToQuads(at.inputs);
  const size_t room = kFactorsRoom / stride, whole = room - room % kQuadRows;
  for (size_t some; count != 0; x += some * at.x_stride, row += some, count -= some) {
    some = count < room ? count : whole;
    if (at.x_stride == stride) {
      CopyFactors(factors, x, some * stride);
    } else {
      for (size_t r = 0; r < some; ++r) {
        CopyFactors(factors + r * stride, x + r * at.x_stride, at.inputs);
      }
    }
    RunQuads(at, {factors, stride, stride, 1, 0}, row, some, registers);
    if (some == count) return;  // the rows after the last one may have any address
  }
}
#endif

#undef WEFT_ROWS_Q8
#endif

#if !defined(WEFT_HELIUM_RUNS_ROWS)

HWY_INLINE void RunRowsQ8(const RowsQ8& at, const int8_t* x, size_t row, size_t count) {
  size_t done = 0;
#if defined(WEFT_QUADS)
  if (at.quads != nullptr) return CopyAndRunQuads(at, x, row, count);
#endif
#if HWY_TARGET != HWY_SCALAR
  // Elements after a row up to a complete block are multiplied by zeros. They are read in place if
  // they are within the last row.
  const size_t over = (kInputBlock - at.inputs % kInputBlock) % kInputBlock;
  if (over != 0 && count > kTileRows && at.x_stride != 0) {
    RowsQ8 whole = at;
    whole.inputs += over;
    const size_t last =
        (over + at.x_stride - 1) / at.x_stride;  // rows whose blocks end after the last row
    for (; done + kTileRows + last <= count; done += kTileRows) {
      RowsOfQ8<kTileRows>(whole, x + done * at.x_stride, row + done);
    }
  }
#endif
  if constexpr (kRowsQ8 > 1) {
    for (; done + kRowsQ8 <= count; done += kRowsQ8) {
      RowsOfQ8<kRowsQ8>(at, x + done * at.x_stride, row + done);
    }
  }
  if constexpr (HWY_TARGET != HWY_SCALAR && kRowsQ8 > 2) {
    for (; done + 2 <= count; done += 2) RowsOfQ8<2>(at, x + done * at.x_stride, row + done);
  }
  for (; done < count; ++done) RowsOfQ8<1>(at, x + done * at.x_stride, row + done);
}

#endif

#if defined(WEFT_QUADS)
// Calls run(part, first) for as many outputs at a time as kQuadsRoom can hold, the first of which
// is `first`, with their weights in the order of quads. Returns false, without calls, if `count`
// rows of `inputs` are not worth it: a copy costs about as much as 1 / 16 of a row for each block,
// and tiles make up for it.
template <class Run>
HWY_INLINE bool RunByQuads(const RowsQ8& all, size_t inputs, size_t count, const Run& run) {
  const auto padded = static_cast<size_t>(PaddedInputs(static_cast<uint32_t>(inputs)));
  const size_t step = padded * kPanelOutputs;
  const size_t room = HasTiles() ? kQuadsRoom : kQuadsInL1;
  if (!all.is_shifted || step == 0 || step > room) return false;
  if (count < kInputBlock + (HasTiles() ? 0 : padded / 16)) return false;
  alignas(64) int8_t quads[kQuadsRoom];
  const size_t some = room / step * kPanelOutputs;
  for (size_t first = 0; first < all.outputs; first += some) {
    const size_t left = all.outputs - first;
    RowsQ8 part = all;
    part.outputs = left < some ? left : some;
    part.weights += first * padded;
    part.factors = After(part.factors, first);
    if (part.signed_first != nullptr) part.signed_first += first;
    part.position += first * part.y_output_stride;
    part.quads = quads;
    part.quads_step = step;
    for (size_t n = 0; n < part.outputs; n += kPanelOutputs) {
      PanelToQuads(part.weights + n * padded, PanelWidth(left - n), padded, quads + n * padded);
    }
    run(part, first);
  }
  return true;
}
#endif

// `first` minus the contribution of the unsigned offset of x, for each of up to kOutputs outputs.
// Used if many rows share it; otherwise each row computes the sum of its numbers, which costs as
// much as an eighth of an output.
template <size_t kOutputs>
struct ShiftedFirst {
  alignas(64) int32_t first[kOutputs];
};

template <size_t kOutputs>
HWY_INLINE void ShiftRows(RowsQ8& rows, size_t count, ShiftedFirst<kOutputs>& shifted) {
#if defined(WEFT_TARGET_DOTS)
  const size_t panels = PanelCount(static_cast<uint32_t>(rows.outputs));
  const size_t few = HasTiles() ? HWY_MIN(size_t{kInputBlock}, 4 * panels) : 4 * panels;
  rows.is_shifted = kFirstBias != 0 && HasDots() && rows.outputs <= kOutputs && count > few;
  if (!rows.is_shifted) return;
  const size_t blocks = static_cast<size_t>(PaddedInputs(static_cast<uint32_t>(rows.inputs))) /
                        kInputBlock * rows.runs;
  const int8_t* weights = rows.weights;
  for (size_t p = 0; p < panels; ++p, weights += blocks * kPanelOutputs * kInputBlock) {
    int32_t* const to = shifted.first + p * kPanelOutputs;
    const size_t width = PanelWidth(rows.outputs - p * kPanelOutputs);
    if (width == kPanelOutputs) SumShift<kPanelOutputs>(weights, blocks, to);
    if (width == kPanelOutputs / 2) SumShift<kPanelOutputs / 2>(weights, blocks, to);
    if (width == kPanelOutputs / 4) SumShift<kPanelOutputs / 4>(weights, blocks, to);
    for (size_t i = 0; i < width; ++i) {
      const size_t n = p * kPanelOutputs + i;
      const int32_t first =
          rows.factors.first != nullptr && n < rows.outputs ? rows.factors.first[n] : 0;
      to[i] = WrappingSubtract(first, to[i]);
    }
  }
#if defined(WEFT_QUADS)
  rows.signed_first = rows.factors.first;
#endif
  rows.factors.first = shifted.first;
#else
  (void)rows, (void)count, (void)shifted;
#endif
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_ROWS_Q8_INL_H_
