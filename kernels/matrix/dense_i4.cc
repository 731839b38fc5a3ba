// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_i4.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/dense_i4.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/matrix/integer_rows-inl.h"
#include "kernels/matrix/sum_panel-inl.h"
#include "kernels/matrix/weights-inl.h"
#include "kernels/simd/vector-inl.h"
#if defined(WEFT_SUMS_NEIGHBOURS)
#include "kernels/matrix/sum_nibbles_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr size_t kBlockBytes = size_t{kPanelOutputs} * kInputBlock;  // unpacked
inline constexpr uint8_t kMiddle = 8;  // zero point of unsigned 4-bit weights

inline constexpr float kNoTotals[kPanelOutputs] = {};
inline constexpr uint8_t kMiddles[kPanelOutputs] = {
    kMiddle, kMiddle, kMiddle, kMiddle, kMiddle, kMiddle, kMiddle, kMiddle,
    kMiddle, kMiddle, kMiddle, kMiddle, kMiddle, kMiddle, kMiddle, kMiddle};

#if HWY_TARGET == HWY_SCALAR

// totals = before + (sums - zeros * of_row) * scales.
template <typename Scale>
WEFT_PART void AddGroup(const int32_t* sums, int32_t of_row, const uint8_t* zeros,
                        const Scale* scales, const float* before, float* totals) {
  if (zeros == nullptr) zeros = kMiddles;
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
  for (size_t i = 0; i < kPanelOutputs; i += 4) {
    const int32x4_t zero = vreinterpretq_s32_u32(vldrbq_u32(zeros + i));
    const int32x4_t sum = vsubq_s32(vldrwq_s32(sums + i), vmulq_n_s32(zero, of_row));
    const float32x4_t scaled = vmulq_f32(vcvtq_f32_s32(sum), LoadFour(scales + i));
    vstrwq_f32(totals + i, vaddq_f32(vldrwq_f32(before + i), scaled));
  }
#elif defined(WEFT_ROUNDS_EIGHTS)
  ScaleSums(sums, of_row, zeros, scales, before, totals);
#else
  HWY_UNROLL(4)
  for (size_t i = 0; i < kPanelOutputs; ++i) {
    const uint32_t away = uint32_t{zeros[i]} * static_cast<uint32_t>(of_row);
    const auto sum = static_cast<int32_t>(static_cast<uint32_t>(sums[i]) - away);
    totals[i] = before[i] + static_cast<float>(sum) * WidenWeight(scales[i]);
  }
#endif
}

// start may be null.
WEFT_PART void FinishTotals(const float* totals, float worth, const float* start, size_t outputs,
                            float* y) {
  if (start == nullptr) start = kNoTotals;
  HWY_UNROLL(4)
  for (size_t i = 0; i < outputs; ++i) y[i] = totals[i] * worth + start[i];
}

#else

// totals = before + (sums - zeros * of_row) * scales.
template <typename Scale>
WEFT_PART void AddGroup(const int32_t* sums, int32_t of_row, const uint8_t* zeros,
                        const Scale* scales, const float* before, float* totals) {
  const hn::Rebind<uint8_t, IntTag> bytes;
  for (size_t i = 0; i < kPanelOutputs; i += kLanes) {
    const IntVec zero =
        zeros == nullptr ? SetInt(kMiddle) : hn::PromoteTo(IntTag(), hn::LoadU(bytes, zeros + i));
    const IntVec away = hn::Mul(zero, SetInt(of_row));
    const IntVec sum = hn::Sub(hn::LoadU(IntTag(), sums + i), away);
    const FloatVec scaled = hn::Mul(hn::ConvertTo(FloatTag(), sum), LoadWeights(scales + i));
    Store(hn::Add(Load(before + i), scaled), totals + i);
  }
}

// start may be null.
WEFT_PART void FinishTotals(const float* totals, float worth, const float* start, size_t outputs,
                            float* y) {
  ForVectors(outputs, [&](size_t i, size_t lanes) HWY_ATTR {
    const FloatVec begun = start == nullptr ? Set(0.0f) : LoadFirst(start + i, lanes);
    StoreFirst(hn::Add(hn::Mul(Load(totals + i), Set(worth)), begun), y + i, lanes);
  });
}

#endif

// Up to kDenseI8Rows rows of x in scratch: quantised, with the sums of their groups.
struct I4Rows {
  size_t padded, group, groups;
  int16_t* numbers;   // int32 [row][group]: sums of numbers
  int16_t* of_group;  // i32 [row][group]: sums of numbers
  int8_t* unpacked;
  size_t count = 0;
  float worth[kDenseI8Rows] = {};

  I4Rows(const DenseI4Shape& shape, int16_t* scratch)
      : padded(static_cast<size_t>(PaddedInputs(shape.inputs))),
        group(static_cast<size_t>(GroupInputs(shape.inputs, shape.group_blocks))),
        groups(GroupCount(shape.inputs, shape.group_blocks)),
        numbers(scratch) {
    const size_t rows = shape.rows < kDenseI8Rows ? shape.rows : kDenseI8Rows;
    of_group = numbers + rows * padded;
    unpacked = reinterpret_cast<int8_t*>(of_group + rows * groups * 2);
  }
  void SetSum(size_t row, size_t at, int32_t sum) {
    __builtin_memcpy(of_group + (row * groups + at) * 2, &sum, sizeof sum);
  }
  int32_t SumOf(size_t row, size_t at) const {
    int32_t sum;
    __builtin_memcpy(&sum, of_group + (row * groups + at) * 2, sizeof sum);
    return sum;
  }
};

WEFT_PART void TakeRows(const DenseI4Shape& shape, const float* x, size_t first, I4Rows& rows) {
  for (size_t r = 0; r < rows.count; ++r) {
    // The stride after the last row may have any value.
    const float* row = shape.inputs == 0 ? x : x + (first + r) * shape.x_row_stride;
    int16_t* const q = rows.numbers + r * rows.padded;
    rows.worth[r] = QuantizeRow(row, shape.inputs, rows.padded, static_cast<float>(shape.max), q);
    size_t k = 0;
    for (size_t g = 0; g < rows.groups; ++g) {
      const size_t left = rows.padded - k, end = k + (left < rows.group ? left : rows.group);
      int32_t sum = 0;
      for (; k < end; ++k) sum += q[k];
      rows.SetSum(r, g, sum);
    }
  }
}

#if defined(WEFT_SUMS_NEIGHBOURS)

// Sums of a group that begins at input `first`, for all rows: [row][16].
WEFT_PART void SumGroup(const I4Rows& rows, size_t first, const uint8_t* packed, int32_t* sums) {
  const size_t rest = rows.padded - first, count = rest < rows.group ? rest : rows.group;
  for (size_t r = 0; r < rows.count; ++r) {
    SumNibbles(rows.numbers + r * rows.padded + first, count, packed, sums + r * kPanelOutputs);
  }
}

#else

#if HWY_TARGET == HWY_SCALAR

// A word holds four bytes of two 4-bit values each.
WEFT_PART void UnpackBlocks(const uint8_t* packed, size_t blocks, int8_t* numbers) {
  constexpr uint32_t kLower = 0x0F0F0F0F;
  constexpr size_t kHalf = kBlockBytes / 2;
  const auto* from = static_cast<const uint8_t*>(__builtin_assume_aligned(packed, 4));
  auto* to = static_cast<int8_t*>(__builtin_assume_aligned(numbers, 4));
  for (; blocks != 0; --blocks, from += kHalf, to += kBlockBytes) {
    HWY_UNROLL(4)
    for (size_t i = 0; i < kHalf; i += sizeof(uint32_t)) {
      uint32_t word;
      __builtin_memcpy(&word, from + i, sizeof word);
      const uint32_t low = word & kLower, high = word >> 4 & kLower;
      __builtin_memcpy(to + i, &low, sizeof low);
      __builtin_memcpy(to + kHalf + i, &high, sizeof high);
    }
  }
}

#else

WEFT_PART void UnpackBlocks(const uint8_t* packed, size_t blocks, int8_t* numbers) {
  constexpr size_t kHalf = kBlockBytes / 2;
  const hn::CappedTag<uint8_t, kHalf> bytes;
  auto* to = reinterpret_cast<uint8_t*>(numbers);
  for (; blocks != 0; --blocks, packed += kHalf, to += kBlockBytes) {
    for (size_t i = 0; i < kHalf; i += hn::Lanes(bytes)) {
      const auto both = hn::LoadU(bytes, packed + i);
      hn::StoreU(hn::And(both, hn::Set(bytes, 15)), bytes, to + i);
      hn::StoreU(hn::ShiftRight<4>(both), bytes, to + kHalf + i);
    }
  }
}

#endif

// Sums of 16 outputs of kRows rows over `count` unpacked inputs; overwrites sums if is_first, else
// adds to them.
template <size_t kRows>
WEFT_PART void SumPiece(const int16_t* q, size_t padded, size_t count, const int8_t* weights,
                        bool is_first, int32_t* sums) {
  alignas(kPanelOutputs * sizeof(int32_t)) int32_t piece[kRows * kPanelOutputs];
  SumPanel<kRows>(NumberRows<int16_t>{q, padded, count, nullptr}, weights, kPanelOutputs, piece);
  for (size_t i = 0; i < kRows * kPanelOutputs; ++i) {
    const uint32_t before = is_first ? 0u : static_cast<uint32_t>(sums[i]);
    sums[i] = static_cast<int32_t>(before + static_cast<uint32_t>(piece[i]));
  }
}

// Sums of a group that begins at input `first`, for all rows: [row][16].
WEFT_PART void SumGroup(const I4Rows& rows, size_t first, const uint8_t* packed, int32_t* sums) {
  const size_t rest = rows.padded - first, end = first + (rest < rows.group ? rest : rows.group);
  for (size_t k = first; k < end;) {
    const size_t left = end - k, count = left < kUnpackedInputs ? left : kUnpackedInputs;
    UnpackBlocks(packed, count / kInputBlock, rows.unpacked);
    packed += count * kPanelOutputs / 2;
    const int16_t* const q = rows.numbers + k;
    size_t r = 0;
#if HWY_TARGET != HWY_SCALAR  // rows share loads there
    for (; r + kTileRows <= rows.count; r += kTileRows) {
      SumPiece<kTileRows>(q + r * rows.padded, rows.padded, count, rows.unpacked, k == first,
                          sums + r * kPanelOutputs);
    }
#endif
    for (; r < rows.count; ++r) {
      SumPiece<1>(q + r * rows.padded, rows.padded, count, rows.unpacked, k == first,
                  sums + r * kPanelOutputs);
    }
    k += count;
  }
}

#endif

// The totals of a panel, [row][16].
template <typename Scale>
WEFT_PART void SumGroups(const I4Rows& rows, const uint8_t* packed, const Scale* scales,
                         const uint8_t* zeros, float* totals) {
  int32_t sums[kDenseI8Rows * kPanelOutputs];
  if (rows.groups == 0) {
    for (size_t i = 0; i < rows.count * kPanelOutputs; ++i) totals[i] = 0.0f;
  }
  for (size_t g = 0; g < rows.groups; ++g) {
    SumGroup(rows, g * rows.group, packed, sums);
    packed += rows.group * kPanelOutputs / 2;
    for (size_t r = 0; r < rows.count; ++r) {
      float* const of_panel = totals + r * kPanelOutputs;
      AddGroup(sums + r * kPanelOutputs, rows.SumOf(r, g), zeros, scales,
               g == 0 ? kNoTotals : of_panel, of_panel);
    }
    scales += kPanelOutputs;
    if (zeros != nullptr) zeros += kPanelOutputs;
  }
}

WEFT_PART void DenseI4Rows(const DenseI4Shape& shape, const I4Rows& rows, size_t row,
                           const DenseI4Weights& weights, const float* start, float* y) {
  float totals[kDenseI8Rows * kPanelOutputs];
  size_t position = 0;  // index in scales and zeros
  for (size_t first = 0; first < shape.outputs; first += kPanelOutputs) {
    const uint8_t* const packed = weights.numbers + first * rows.padded / 2;
    const uint8_t* const zeros = weights.zeros == nullptr ? nullptr : weights.zeros + position;
    if (weights.scales != nullptr) {
      SumGroups(rows, packed, weights.scales + position, zeros, totals);
    } else {
      SumGroups(rows, packed, weights.half_scales + position, zeros, totals);
    }
    position += rows.groups * kPanelOutputs;
    const size_t left = shape.outputs - first,
                 outputs = left < kPanelOutputs ? left : kPanelOutputs;
    for (size_t r = 0; r < rows.count; ++r) {
      const float* begun =
          start == nullptr ? nullptr : start + (row + r) * shape.start_row_stride + first;
      FinishTotals(totals + r * kPanelOutputs, rows.worth[r], begun, outputs,
                   y + (row + r) * shape.y_row_stride + first);
    }
  }
  if (IsPlain(shape.activation)) return;
  for (size_t r = 0; r < rows.count; ++r) {
    float* const to = y + (row + r) * shape.y_row_stride;
    ActivateSpan(shape.activation, to, to, shape.outputs);
  }
}

void DenseI4(const DenseI4Shape& shape, const float* x, const DenseI4Weights& weights,
             const float* start, float* y, int16_t* scratch) {
  if (shape.outputs == 0) return;  // the rows are not bounded then
  I4Rows rows(shape, scratch);
  for (size_t row = 0; row < shape.rows; row += kDenseI8Rows) {
    const size_t left = shape.rows - row;
    rows.count = left < kDenseI8Rows ? left : kDenseI8Rows;
    TakeRows(shape, x, row, rows);
    DenseI4Rows(shape, rows, row, weights, start, y);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(DenseI4,
            (const DenseI4Shape& shape, const float* x, const DenseI4Weights& weights,
             const float* start, float* y, int16_t* scratch),
            (shape, x, weights, start, y, scratch))
