// SPDX-License-Identifier: Apache-2.0
// Many rows of dense_i8.h on x86. A row is kept as bytes: with two planes, the upper bytes of its
// int16 numbers follow the lower ones, and a panel is the sum of two products of bytes. Weights are
// copied to the order of quads (quads-inl.h), so no lanes are added, and tiles can read them.

#if defined(WEFT_KERNELS_MATRIX_ROWS_I8_QUADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_ROWS_I8_QUADS_INL_H_
#undef WEFT_KERNELS_MATRIX_ROWS_I8_QUADS_INL_H_
#else
#define WEFT_KERNELS_MATRIX_ROWS_I8_QUADS_INL_H_
#endif

#include "kernels/integer.h"
#include "kernels/matrix/quad_tiles-inl.h"
#include "kernels/matrix/quads-inl.h"
#include "kernels/matrix/rows_i8-inl.h"
#include "kernels/simd/bytes-inl.h"

#if defined(WEFT_QUADS)
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Bytes of stack for rows and for weights, the maximum number of rows at a time, and the number
// from which the copies are worth it.
inline constexpr size_t kPlanesRoom = 32768, kPanelsRoom = 24576;
inline constexpr size_t kMaxPlaneRows = 64, kMinPlaneRows = 16;

// Panels of weights in the order of quads. They stay if all fit; else each is copied when it is
// needed.
class QuadPanels {
 public:
  // `planes`: of the rows.
  QuadPanels(const DenseI8Shape& shape, const int8_t* weights, size_t planes)
      : weights_(weights),
        outputs_(shape.outputs),
        padded_(static_cast<size_t>(PaddedInputs(shape.inputs))),
        bytes_(BytesOf(padded_)),
        shift_(planes == 2 ? 8 : 0),
        stay_(Hold(PanelCount(shape.outputs), padded_)) {}

  // Whether `panels` panels of `padded` inputs fit.
  static bool Hold(size_t panels, size_t padded) { return panels <= kPanelsRoom / BytesOf(padded); }
  // Whether an even panel and the one after it fit; what FirstOf returns for them is `step` apart.
  bool holds_pairs() const { return 2 * bytes_ <= kPanelsRoom; }
  size_t step() const { return bytes_ / sizeof(int32_t); }

  // Returns what a panel adds to the sums of its rows, which compensates for their unsigned offset;
  // its weights follow kFirstBytes later.
  const int32_t* FirstOf(size_t panel) {
    const size_t place = stay_ ? panel : panel % (holds_pairs() ? 2 : 1);
    int8_t* const to = room_ + place * bytes_;
    auto* const first = reinterpret_cast<int32_t*>(to);
    if (panel < copied_) return first;
    if (stay_) copied_ = panel + 1;
    int8_t* const quads = to + kFirstBytes;
    const size_t output = panel * kPanelOutputs;
    PanelToQuads(weights_ + output * padded_, PanelWidth(outputs_ - output), padded_, quads);
    SumOffsets(quads, first);
    return first;
  }
  static const int8_t* WeightsAfter(const int32_t* first) {
    return reinterpret_cast<const int8_t*>(first) + kFirstBytes;
  }

 private:
  static constexpr size_t kFirstBytes = kPanelOutputs * sizeof(int32_t);
  static constexpr size_t BytesOf(size_t padded) { return kFirstBytes + padded * kPanelOutputs; }

  HWY_INLINE void SumOffsets(const int8_t* quads, int32_t* first) const {
    const DotBytes bytes;
    const DotSums words;
    const ByteVec offsets = FirstFactors(hn::Zero(bytes));
    constexpr size_t kVectors = kInputBlock / kQuad * kQuadVectors;  // of a block
    DotVec sums[kVectors];
    for (DotVec& sum : sums) sum = hn::Zero(words);
    for (size_t k = 0; k < padded_; k += kInputBlock) {
      HWY_UNROLL(8)
      for (DotVec& sum : sums) {
        sum = AddDots(sum, offsets, hn::LoadU(bytes, quads));
        quads += HWY_MAX_LANES_D(DotBytes);
      }
    }
    for (size_t n = 0; n < kQuadVectors; ++n) {
      DotVec sum = sums[n];
      for (size_t q = n + kQuadVectors; q < kVectors; q += kQuadVectors) {
        sum = hn::Add(sum, sums[q]);
      }
      hn::Store(hn::Neg(hn::ShiftLeftSame(sum, shift_)), words,
                first + n * HWY_MAX_LANES_D(DotSums));
    }
  }

  alignas(64) int8_t room_[kPanelsRoom];
  const int8_t* const weights_;
  const size_t outputs_, padded_, bytes_;
  const int shift_;
  const bool stay_;
  size_t copied_ = 0;
};

// Whether many rows of a shape are computed by planes. Without tiles they are worth it if the
// copies of weights serve many rows.
HWY_INLINE bool RunsByPlanes(const DenseI8Shape& shape, size_t rows) {
  if (WEFT_CONSTANT_TIME || shape.inputs == 0 || rows < kMinPlaneRows || !HasDots()) return false;
  const auto padded = static_cast<size_t>(PaddedInputs(shape.inputs));
  const size_t planes = AreBytes(shape) ? 1 : 2;
  if (HasTiles()) return QuadPanels::Hold(1, padded);
  return kPlanesRoom / (planes * padded) >= kMaxPlaneRows / 2 ||
         QuadPanels::Hold(PanelCount(shape.outputs), padded);
}

// Writes a block of numbers as vectors of bytes: with two planes, the lower bytes of int16 and
// then, `upper` bytes later, the upper ones. The bytes count from the minimum number up.
template <size_t kPlanes, class ByteTag, class V>
HWY_INLINE void StoreBytes(ByteTag bytes, V a, V b, uint8_t* to, size_t upper) {
  const auto lower = hn::OrderedTruncate2To(bytes, a, b), offset = hn::Set(bytes, uint8_t{0x80});
  if constexpr (kPlanes == 1) return hn::StoreU(hn::Xor(lower, offset), bytes, to);
  const auto high = hn::OrderedTruncate2To(bytes, hn::ShiftRight<8>(a), hn::ShiftRight<8>(b));
  hn::StoreU(lower, bytes, to);
  hn::StoreU(hn::Xor(high, offset), bytes, to + upper);
}

// Writes a row of `padded` numbers, of which x holds `count`.
template <size_t kPlanes>
HWY_INLINE void ShortsToPlanes(const int16_t* x, size_t count, size_t padded, uint8_t* planes) {
  const hn::Full128<uint8_t> bytes;
  const hn::Full128<uint16_t> shorts;
  for (size_t k = 0; k < padded; k += kInputBlock) {
    uint16_t block[kInputBlock] = {};
    const size_t left = k < count ? count - k : 0;
    __builtin_memcpy(block, x + k, HWY_MIN(left, size_t{kInputBlock}) * sizeof(int16_t));
    StoreBytes<kPlanes>(bytes, hn::LoadU(shorts, block), hn::LoadU(shorts, block + 8), planes + k,
                        padded);
  }
}

template <size_t kPlanes>
HWY_INLINE void ZerosToPlanes(size_t padded, int8_t* planes) {
  if constexpr (kPlanes == 2) FillBytes(planes, padded, 0);
  FillBytes(planes + (kPlanes - 1) * padded, padded, -128);
}

// The lower halves of rounded numbers are their integers (kRounder).
HWY_INLINE auto RoundTwo(FloatVec a, FloatVec b, FloatVec factor) {
  const hn::RebindToUnsigned<FloatTag> words;
  const hn::Repartition<uint16_t, FloatTag> shorts;
  const FloatVec rounder = Set(kRounder);
  return hn::OrderedTruncate2To(shorts, hn::BitCast(words, hn::Add(hn::Mul(a, factor), rounder)),
                                hn::BitCast(words, hn::Add(hn::Mul(b, factor), rounder)));
}

// Writes a row of `padded` numbers x * factor, rounded, of which x holds `count`.
template <size_t kPlanes>
HWY_INLINE void RoundToPlanes(const float* x, float factor, size_t count, size_t padded,
                              uint8_t* planes) {
  const hn::Repartition<uint8_t, FloatTag> bytes;
  const FloatVec factors = Set(factor);
  constexpr size_t kBlock = 4 * kLanes;
  size_t k = 0;
  for (; k + kBlock <= count; k += kBlock) {
    const float* const from = x + k;
    StoreBytes<kPlanes>(bytes, RoundTwo(Load(from), Load(from + kLanes), factors),
                        RoundTwo(Load(from + 2 * kLanes), Load(from + 3 * kLanes), factors),
                        planes + k, padded);
  }
  const auto load = [&](size_t i) HWY_ATTR {
    const size_t left = i < count ? count - i : 0;
    return LoadFirst(x + i, HWY_MIN(left, kLanes));
  };
  for (; k < padded; k += kBlock) {
    alignas(64) uint8_t rounded[2 * kBlock];
    StoreBytes<kPlanes>(bytes, RoundTwo(load(k), load(k + kLanes), factors),
                        RoundTwo(load(k + 2 * kLanes), load(k + 3 * kLanes), factors), rounded,
                        kBlock);
    for (size_t i = 0; i < kBlock && k + i < padded; i += kInputBlock) {
      for (size_t p = 0; p < kPlanes; ++p) {
        __builtin_memcpy(planes + p * padded + k + i, rounded + p * kBlock + i, kInputBlock);
      }
    }
  }
}

// Rows that share weights, and panels that share rows: as many as the registers hold.
inline constexpr size_t kPairOfPanels = kQuadVectors == 1 ? 2 : 1;
template <size_t kPlanes>
inline constexpr size_t kRowsOfPlanes = (kQuadVectors == 1 ? 8 : 4) / kPlanes;

// Sums of kPanels panels, `step` numbers apart, for kRows rows of kPlanes planes of `count` bytes.
// The sums of the rows of a panel follow those of the panel before it.
template <size_t kPlanes, size_t kRows, size_t kPanels>
HWY_INLINE void SumPlanes(const int8_t* rows, size_t count, const int32_t* first, size_t step,
                          int32_t* sums) {
  constexpr size_t kVectors = kPanels * kQuadVectors;
  const DotSums words;
  const DotBytes bytes;
  DotVec lanes[kRows][kPlanes][kVectors];
  HWY_UNROLL(8)
  for (auto& planes : lanes) {
    HWY_UNROLL(2)
    for (auto& vectors : planes) {
      HWY_UNROLL(2)
      for (DotVec& sum : vectors) sum = hn::Zero(words);
    }
  }
  const int8_t* weights = QuadPanels::WeightsAfter(first);
  for (size_t k = 0; k < count; k += kQuad, weights += kQuadBytes) {
    ByteVec of_outputs[kVectors];
    HWY_UNROLL(2)
    for (size_t n = 0; n < kVectors; ++n) {
      const size_t panel = n / kQuadVectors * step * sizeof(int32_t);
      const size_t vector = n % kQuadVectors * HWY_MAX_LANES_D(DotBytes);
      of_outputs[n] = hn::LoadU(bytes, weights + panel + vector);
    }
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(2)
      for (size_t p = 0; p < kPlanes; ++p) {
        int32_t four;
        __builtin_memcpy(&four, rows + (r * kPlanes + p) * count + k, sizeof four);
        const ByteVec of_row = hn::BitCast(bytes, hn::Set(words, four));
        HWY_UNROLL(2)
        for (size_t n = 0; n < kVectors; ++n) {
          lanes[r][p][n] = AddDots(lanes[r][p][n], of_row, of_outputs[n]);
        }
      }
    }
  }
  constexpr size_t kLanesOfSums = HWY_MAX_LANES_D(DotSums);
  HWY_UNROLL(2)
  for (size_t n = 0; n < kVectors; ++n) {
    const size_t panel = n / kQuadVectors, lane = n % kQuadVectors * kLanesOfSums;
    const DotVec begin = hn::Load(words, first + panel * step + lane);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      DotVec sum = hn::Add(lanes[r][0][n], begin);
      if constexpr (kPlanes == 2) sum = hn::Add(sum, hn::ShiftLeft<8>(lanes[r][1][n]));
      hn::Store(sum, words, sums + (panel * kRows + r) * kPanelOutputs + lane);
    }
  }
}

// Computes a dense layer, or a part of its rows, in chunks of rows.
template <size_t kPlanes>
class PlaneRows {
 public:
  PlaneRows(const DenseI8Shape& shape, const int8_t* weights)
      : shape_(shape),
        padded_(static_cast<size_t>(PaddedInputs(shape.inputs))),
        panels_(shape, weights, kPlanes) {}

  // The number of rows of the next chunk, if `left` are left; chunks are about equal.
  size_t ChunkOf(size_t left) const {
    const size_t max = HWY_MIN(kMaxPlaneRows, kPlanesRoom / (kPlanes * padded_) / 2 * 2);
    return left / ((left + max - 1) / max);
  }

  // Reads a row of x as row `to` of the chunk.
  HWY_INLINE void Read(const void* x, size_t to) {
    auto* const planes = reinterpret_cast<uint8_t*>(planes_) + to * kPlanes * padded_;
    if (shape_.max == 0) {
      worth_[to] = 1.0f;
      return ShortsToPlanes<kPlanes>(static_cast<const int16_t*>(x), shape_.inputs, padded_,
                                     planes);
    }
    const auto* const numbers = static_cast<const float*>(x);
    worth_[to] = ScaleRow(
        MaxMagnitudeBits(numbers, shape_.inputs), static_cast<float>(shape_.max),
        [&](float factor)
            HWY_ATTR { RoundToPlanes<kPlanes>(numbers, factor, shape_.inputs, padded_, planes); },
        [&]() HWY_ATTR { ZerosToPlanes<kPlanes>(padded_, reinterpret_cast<int8_t*>(planes)); });
  }

  // Computes the results of a chunk of `count` rows; `start` (or null) and `y` are of its first
  // row.
  HWY_INLINE void Run(const float* scales, const float* start, float* y, size_t count) {
    const Results all = {scales, start, y, shape_.outputs};
    const size_t panels = PanelCount(shape_.outputs);
    for (size_t panel = 0, some; panel < panels; panel += some) {
      const Results to = all.From(panel * kPanelOutputs);
      const int32_t* const first = panels_.FirstOf(panel);
      some = 1;
#if defined(WEFT_TARGET_TILES)
      if (HasTiles()) {
        RunTiles(first, count, to);
        continue;
      }
#endif
      if (kPairOfPanels == 2 && panels_.holds_pairs() && panel + 1 < panels) {
        panels_.FirstOf(panel + 1);
        some = 2;
        RunRows<kRowsOfPlanes<kPlanes>, kPairOfPanels>(first, 0, count, to);
      } else {
        RunRows<kRowsOfPlanes<kPlanes>, 1>(first, 0, count, to);
      }
    }
    for (size_t r = 0; r < count; ++r) ActivateRow(shape_, y + r * shape_.y_row_stride);
  }

 private:
  // The operands of all outputs from one on, and results from the first row of the chunk on.
  struct Results {
    const float* scales;
    const float* start;
    float* y;
    size_t outputs;

    Results From(size_t output) const {
      return {scales + output, start == nullptr ? nullptr : start + output, y + output,
              outputs - output};
    }
  };

  // Writes the results of a panel.
  HWY_INLINE void Finish(const int32_t* sums, size_t row, size_t count, const Results& to) const {
    const size_t outputs = HWY_MIN(to.outputs, size_t{kPanelOutputs});
    for (size_t r = row; r < row + count; ++r, sums += kPanelOutputs) {
      const float* const start =
          to.start == nullptr ? nullptr : to.start + r * shape_.start_row_stride;
      FinishPanel(sums, worth_[r], to.scales, start, outputs, to.y + r * shape_.y_row_stride);
    }
  }

  // Tiles of kRows rows and kPanels panels; the rest of `count` by smaller tiles.
  template <size_t kRows, size_t kPanels>
  HWY_INLINE void RunRows(const int32_t* first, size_t row, size_t count, const Results& to) const {
    for (; count >= kRows; row += kRows, count -= kRows) {
      alignas(64) int32_t sums[kPanels * kRows * kPanelOutputs];
      SumPlanes<kPlanes, kRows, kPanels>(planes_ + row * kPlanes * padded_, padded_, first,
                                         panels_.step(), sums);
      for (size_t p = 0; p < kPanels; ++p) {
        Finish(sums + p * kRows * kPanelOutputs, row, kRows, to.From(p * kPanelOutputs));
      }
    }
    if constexpr (kRows > 1) {
      if (count != 0) RunRows<kRows / 2, kPanels>(first, row, count, to);
    }
  }

#if defined(WEFT_TARGET_TILES)
  // Two tiles of rows at a time. The second one may include a row after the chunk.
  HWY_INLINE void RunTiles(const int32_t* first, size_t count, const Results& to) {
    const size_t stride = kPlanes * padded_;
    const int8_t* const weights = QuadPanels::WeightsAfter(first);
    const IntVec begin = hn::Load(IntTag(), first);
    for (size_t row = 0, some; row < count; row += some) {
      const size_t left = count - row, pairs = (left + kPairRows - 1) / kPairRows;
      some = (left + pairs - 1) / pairs;
      const size_t half = (some + 1) / 2;
      registers_.SetShapes(half, padded_);
      // In the order of the tiles: for each plane, all rows.
      alignas(64) int32_t sums[kPlanes * kPairRows * kPanelOutputs];
      const int8_t* const a = planes_ + row * stride;
      const int8_t* const b = a + half * stride;
      if constexpr (kPlanes == 1) {
        registers_.SumTiles({a, b}, stride, weights, sums);
      } else {
        registers_.SumTiles({a, b, a + padded_, b + padded_}, stride, weights, sums);
      }
      const int32_t* const upper = sums + 2 * half * kPanelOutputs;
      for (size_t i = 0; i < some * kPanelOutputs; i += kPanelOutputs) {
        IntVec sum = hn::Add(hn::Load(IntTag(), sums + i), begin);
        if constexpr (kPlanes == 2) {
          sum = hn::Add(sum, hn::ShiftLeft<8>(hn::Load(IntTag(), upper + i)));
        }
        hn::Store(sum, IntTag(), sums + i);
      }
      Finish(sums, row, some, to);
    }
  }
  static constexpr size_t kPairRows = 2 * kMaxTileRows;
  Tiles registers_;
#endif

  const DenseI8Shape& shape_;
  const size_t padded_;
  QuadPanels panels_;
  float worth_[kMaxPlaneRows];
  alignas(64) int8_t planes_[kPlanesRoom];
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_MATRIX_ROWS_I8_QUADS_INL_H_
