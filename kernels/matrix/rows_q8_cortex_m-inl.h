// SPDX-License-Identifier: Apache-2.0
// Sums of quantised rows with the DSP extension of a Cortex-M: several rows share each load of
// weights. Instructions per multiply-add: 0.93 with three rows, 1.24 with one.

#if defined(WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_
#endif

#include "kernels/matrix/results_q8-inl.h"
#include "kernels/matrix/sum_panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr size_t kRowsQ8 = 3;

// clang-format off
#undef WEFT_PAIR_FOUR
#define WEFT_PAIR_FOUR(step)            \
  "ldr %[even], [%[x]], #4\n\t"         \
  "sxtb16 %[odd], %[even], ror #8\n\t"  \
  "sxtb16 %[even], %[even]\n\t"         \
  "strd %[even], %[odd], [%[pairs]], #" step "\n\t"
#undef WEFT_PAIR_BLOCKS
#define WEFT_PAIR_BLOCKS(step)                                                      \
  __asm__ volatile(                                                                 \
      "1:\n\t"                                                                      \
      WEFT_PAIR_FOUR(step) WEFT_PAIR_FOUR(step) WEFT_PAIR_FOUR(step) WEFT_PAIR_FOUR(step) \
      "cmp %[x], %[end]\n\t"                                                        \
      "bne 1b"                                                                      \
      : [x] "+r"(x), [pairs] "+r"(pairs), [even] "=&r"(even), [odd] "=&r"(odd)      \
      : [end] "r"(end)                                                              \
      : "cc", "memory")
// clang-format on

// Widens a row of complete blocks to int16: each four values become two words, of bytes 0 and 2,
// then of bytes 1 and 3. `rows` is 1 or kRowsQ8, whose groups alternate.
HWY_NOINLINE inline void PairCodes(const int8_t* x, size_t count, uint32_t* pairs, size_t rows) {
  if (count == 0) return;
  const int8_t* const end = x + count;
  uint32_t even, odd;
  if (rows == 1) {
    WEFT_PAIR_BLOCKS("8");
  } else {
    static_assert(kRowsQ8 == 3, "has a step");
    WEFT_PAIR_BLOCKS("24");
  }
}

// clang-format off
// Four weights of one output, overwritten, times four values of each of three rows.
#undef WEFT_FOUR_OF_THREE
#define WEFT_FOUR_OF_THREE(weights)                   \
  "ldmia r0!, {r2-r6, r8}\n\t"                        \
  "sxtb16 r11, " weights "\n\t"                      \
  "smlad r7, r11, r2, r7\n\t"                        \
  "smlad r12, r11, r4, r12\n\t"                      \
  "smlad lr, r11, r6, lr\n\t"                        \
  "sxtb16 " weights ", " weights ", ror #8\n\t"      \
  "smlad r7, " weights ", r3, r7\n\t"                \
  "smlad r12, " weights ", r5, r12\n\t"              \
  "smlad lr, " weights ", r8, lr\n\t"
#undef WEFT_EIGHT_OF_THREE
#define WEFT_EIGHT_OF_THREE(step)                     \
  "ldrd r9, r10, [r1], #" step "\n\t"                \
  WEFT_FOUR_OF_THREE("r9") WEFT_FOUR_OF_THREE("r10")
// clang-format on

// The loop of SumThreeRows over `block`, eight or sixteen inputs of an output; the bits of `last`
// in the address of the sums are 0 after the last output. Registers:
//   r0   the pairs         s0  the begin of the pairs, s4 their end
//   r1   the weights       s1  distance back to the weights of the next output
//                          s2  the sums
//                          s3  first, s5 its step
// s6 saves r7, which may be the frame pointer and then cannot be a clobber.
#undef WEFT_SUMS_OF_THREE
#define WEFT_SUMS_OF_THREE(block, last)                                                            \
  __asm__ volatile(                                                                                \
      "vmov s0, s1, r0, r4\n\t"                                                                    \
      "vmov s4, s5, r6, r5\n\t"                                                                    \
      "vmov s6, r7\n"                                                                              \
      "1:\n\t"                                                                                     \
      "ldr r12, [r3, r5]\n\t"                                                                      \
      "ldr lr, [r3, r5, lsl #1]\n\t"                                                               \
      "ldr r7, [r3], #4\n\t"                                                                       \
      "vmov s2, s3, r2, r3\n"                                                                      \
      "2:\n\t" block                                                                               \
      "vmov r11, s4\n\t"                                                                           \
      "cmp r0, r11\n\t"                                                                            \
      "bne 2b\n\t"                                                                                 \
      "vmov r0, r4, s0, s1\n\t"                                                                    \
      "vmov r2, r3, s2, s3\n\t"                                                                    \
      "vmov r5, s5\n\t"                                                                            \
      "str r12, [r2, #64]\n\t"                                                                     \
      "str lr, [r2, #128]\n\t"                                                                     \
      "str r7, [r2], #4\n\t"                                                                       \
      "subs r1, r1, r4\n\t"                                                                        \
      "tst r2, #" last                                                                             \
      "\n\t"                                                                                       \
      "bne 1b\n\t"                                                                                 \
      "vmov r7, s6"                                                                                \
      : "+r"(x), "+r"(weights), "+r"(sums), "+r"(from), "+r"(back), "+r"(rows), "+r"(end)          \
      :                                                                                            \
      : "cc", "memory", "r8", "r9", "r10", "r11", "r12", "lr", "s0", "s1", "s2", "s3", "s4", "s5", \
        "s6")

// sums = first + the products of three rows of a panel of kWidth outputs, 8 or 16; rows are pairs
// in complete blocks, at least one. The sums of a row are contiguous; `step` is the distance in
// bytes between rows of first. First may be the sums. Sums are aligned to the 64 bytes of a row,
// which gives the end condition.
template <size_t kWidth>
HWY_NOINLINE inline void SumThreeRows(const uint32_t* pairs, size_t padded, const int8_t* panel,
                                      const int32_t* first, size_t step, int32_t* to) {
  register const uint32_t* x __asm__("r0") = pairs;
  register const int8_t* weights __asm__("r1") = panel;
  register int32_t* sums __asm__("r2") = to;
  register const int32_t* from __asm__("r3") = first;
  register size_t back __asm__("r4") = padded * kWidth - kInputBlock;
  register size_t rows __asm__("r5") = step;
  register const uint32_t* end __asm__("r6") = pairs + padded / 2 * kRowsQ8;
  if constexpr (kWidth == kPanelOutputs) {
    WEFT_SUMS_OF_THREE(WEFT_EIGHT_OF_THREE("8") WEFT_EIGHT_OF_THREE("248"), "63");
  } else {
    static_assert(kWidth == kPanelOutputs / 2, "has a step");
    WEFT_SUMS_OF_THREE(WEFT_EIGHT_OF_THREE("8") WEFT_EIGHT_OF_THREE("120"), "31");
  }
}

// SumThreeRows for a panel of 16 outputs whose only block has 8 inputs or fewer: 31 instead of 55
// instructions per output. Registers are the same, s1 and s4 are free.
HWY_NOINLINE inline void SumHalfBlocks(const uint32_t* pairs, const int8_t* panel,
                                       const int32_t* first, size_t step, int32_t* to) {
  register const uint32_t* x __asm__("r0") = pairs;
  register const int8_t* weights __asm__("r1") = panel;
  register int32_t* sums __asm__("r2") = to;
  register const int32_t* from __asm__("r3") = first;
  register size_t rows __asm__("r5") = step;
  __asm__ volatile(
      "vmov s5, s6, r5, r7\n"
      "1:\n\t"
      "ldr r12, [r3, r5]\n\t"
      "ldr lr, [r3, r5, lsl #1]\n\t"
      "ldr r7, [r3], #4\n\t"
      "vmov s2, s3, r2, r3\n\t"  //
      WEFT_EIGHT_OF_THREE("16")
      "subs r0, #48\n\t"
      "vmov r2, r3, s2, s3\n\t"
      "vmov r5, s5\n\t"
      "str r12, [r2, #64]\n\t"
      "str lr, [r2, #128]\n\t"
      "str r7, [r2], #4\n\t"
      "tst r2, #63\n\t"
      "bne 1b\n\t"
      "vmov r7, s6"
      : "+r"(x), "+r"(weights), "+r"(sums), "+r"(from), "+r"(rows)
      :
      : "cc", "memory", "r4", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "s2", "s3", "s5", "s6");
}

// PairCodes for int16.
HWY_NOINLINE inline void PairCodes(const int16_t* x, size_t count, uint32_t* pairs, size_t rows) {
  for (size_t i = 0; i < count; i += 4, x += 4, pairs += 2 * rows) {
    for (size_t k = 0; k < 2; ++k) {
      pairs[k] = static_cast<uint16_t>(x[k]) | static_cast<uint32_t>(x[k + 2]) << 16;
    }
  }
}

// Buffer for the sums of a panel of three rows and kInputs widened inputs of each, or for the sums
// of kPanelsAtOnce panels of one row and 3 * kInputs - 32 inputs. One panel more aligns the sums.
template <size_t kInputs>
struct RoomOfRows {
  static constexpr size_t kWords = kRowsQ8 * (kPanelOutputs + kInputs / 2);
  uint32_t words[kWords + kPanelOutputs - 1];
};

// The sums of three rows or of one, contiguous per row, followed by the values as pairs.
template <typename Code>
class RowsOfCodes {
 public:
  template <size_t kInputs>
  HWY_INLINE RowsOfCodes(const Code* x, size_t stride, size_t inputs, size_t rows,
                         RoomOfRows<kInputs>& room)
      : x_(x), stride_(stride), inputs_(inputs), rows_(rows) {
    constexpr size_t kWords = RoomOfRows<kInputs>::kWords;
    // Aligned to the bytes of a panel.
    constexpr uintptr_t kBytes = kPanelOutputs * sizeof(int32_t);
    sums_ = reinterpret_cast<int32_t*>((reinterpret_cast<uintptr_t>(room.words) + kBytes - 1) &
                                       ~(kBytes - 1));
    const size_t sums = (rows == 1 ? kPanelsAtOnce : kRowsQ8) * kPanelOutputs;
    pairs_ = reinterpret_cast<uint32_t*>(sums_ + sums);
    max_ = (kWords - sums) * 2 / rows;
    if (inputs <= max_) Pair(0, inputs);
  }

  HWY_INLINE int32_t* sums() { return sums_; }
  HWY_INLINE size_t MaxOutputs() const {
    return rows_ == 1 && inputs_ <= max_ ? kPanelsAtOnce * kPanelOutputs : kPanelOutputs;
  }

  // Computes the sums of `outputs` outputs, at most MaxOutputs; first may be null.
  HWY_NOINLINE void Sum(const int8_t* weights, const int32_t* first, size_t outputs) {
    const bool is_panel = outputs == kPanelOutputs || outputs == kPanelOutputs / 2;
    if (is_panel && rows_ != 1 && first != nullptr && inputs_ != 0 && inputs_ <= max_) {
      return SumRows(weights, inputs_, first, 0, outputs);
    }
    const size_t wide = WidePanels(outputs), before = wide * kPanelOutputs;
    const size_t width = before < outputs ? PanelWidth(outputs - before) : 0;  // of a narrow panel
    size_t step = 0;
    // Three rows of a panel of 8 outputs share weights; other narrow panels add to the sums.
    const bool shares = rows_ != 1 && width == kPanelOutputs / 2;
    const bool adds = width != 0 && !shares;
    const bool is_whole = first != nullptr && outputs == before + width;
    if (inputs_ == 0 || adds || (!is_whole && (first != nullptr || rows_ != 1))) {
      for (size_t r = 0; r < rows_; ++r) {
        int32_t* const sums = sums_ + r * kPanelOutputs;
        ClearSums(sums, wide + (width != 0));
        if (first != nullptr) __builtin_memcpy(sums, first, outputs * sizeof *sums);
      }
      first = sums_, step = kPanelOutputs * sizeof *sums_;
    }
    for (size_t i = 0; i < inputs_; i += max_) {
      const size_t left = inputs_ - i, count = left < max_ ? left : max_;
      if (count != inputs_) Pair(i, count);
      const size_t padded = (count + kInputBlock - 1) / kInputBlock * kInputBlock;
      const int8_t* const from = weights + i * (wide == 0 ? width : kPanelOutputs);
      const auto* const numbers = reinterpret_cast<const int16_t*>(pairs_);
      if (wide != 0 && rows_ == 1) SumRow(numbers, padded, from, first, sums_, wide);
      if (wide != 0 && rows_ != 1) SumRows(from, count, first, step, kPanelOutputs);
      if (shares) SumRows(from, count, first, step, kPanelOutputs / 2);
      for (size_t r = 0; adds && r < rows_; ++r) {
        SumNarrow(numbers + r * 4, rows_ * 4, padded, from + before * padded, width,
                  sums_ + r * kPanelOutputs + before);
      }
      first = sums_, step = kPanelOutputs * sizeof *sums_;
    }
  }

 private:
  // The sums of three rows of `count` widened inputs with a panel of `width` outputs, 8 or 16.
  HWY_INLINE void SumRows(const int8_t* panel, size_t count, const int32_t* first, size_t step,
                          size_t width) {
    const size_t padded = (count + kInputBlock - 1) / kInputBlock * kInputBlock;
    if (width != kPanelOutputs) {
      SumThreeRows<kPanelOutputs / 2>(pairs_, padded, panel, first, step, sums_);
    } else if (count <= kInputBlock / 2) {
      SumHalfBlocks(pairs_, panel, first, step, sums_);
    } else {
      SumThreeRows<kPanelOutputs>(pairs_, padded, panel, first, step, sums_);
    }
  }

  // Widens `count` inputs from `first` on.
  HWY_NOINLINE void Pair(size_t first, size_t count) {
    const size_t whole = count / kInputBlock * kInputBlock, rest = count - whole;
    for (size_t r = 0; r < rows_; ++r) {
      const Code* const x = x_ + r * stride_ + first;
      PairCodes(x, whole, pairs_ + 2 * r, rows_);
      if (rest == 0) continue;
      Code tail[kInputBlock] = {};
      size_t i = 0;
      for (const Code* from = x + whole; i + 4 <= rest; i += 4, from += 4) {
        __asm__("" : "+r"(from));  // else the compiler calls memcpy
        __builtin_memcpy(tail + i, from, 4 * sizeof(Code));
      }
      for (; i < rest; ++i) tail[i] = x[whole + i];
      PairCodes(tail, kInputBlock, pairs_ + whole / 2 * rows_ + 2 * r, rows_);
    }
  }

  const Code* x_;
  size_t stride_, inputs_, max_, rows_;
  int32_t* sums_;
  uint32_t* pairs_;
};

// At most kRowsQ8 rows of x, the first of which is `row` of the result. Strides along an axis of
// length 1 may have any value: they are never used to form a pointer.
HWY_NOINLINE inline void PanelsOfRows(const RowsQ8& at, const int8_t* x, size_t row, size_t count) {
  RoomOfRows<128> room;
  RowsOfCodes<int8_t> rows(x, at.x_stride, at.inputs, count, room);
  const size_t panel_bytes = PackedDenseI8Bytes(kPanelOutputs, static_cast<uint32_t>(at.inputs));
  const RowSteps steps = {at.y_stride, at.start_stride};
  const int8_t* weights = at.weights;
  FactorsQ8 factors = at.factors;
  if (factors.start != nullptr && row != 0) factors.start += row * at.start_stride;
  size_t position = at.position + row * at.y_stride, left = at.outputs;
  const int32_t* first = factors.first;
  factors.first = nullptr;  // sums begin with them
  const size_t max = at.y_output_stride == 1 ? rows.MaxOutputs() : kPanelOutputs;
  while (left != 0) {
    const size_t outputs = left < max ? left : max;
    rows.Sum(weights, first, outputs);
    at.results.WriteRows(rows.sums(), factors, count, outputs, at.y, position, at.y_output_stride,
                         steps);
    left -= outputs;
    weights += outputs / kPanelOutputs * panel_bytes;
    position += outputs * at.y_output_stride;
    factors = After(factors, outputs);
    if (first != nullptr) first += outputs;
  }
}

template <size_t kRows>
HWY_INLINE void RowsOfQ8(const RowsQ8& at, const int8_t* x, size_t row) {
  PanelsOfRows(at, x, row, kRows);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_
