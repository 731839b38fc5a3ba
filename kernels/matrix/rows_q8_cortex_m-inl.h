// SPDX-License-Identifier: Apache-2.0
// Sums of rows of levels on a Cortex-M: rows that share each load of weights, with all sums of a pass in
// core registers. Instructions per multiply-add: the DSP extension 0.97 of three rows and 1.34 of one,
// Helium 0.14 of two and 0.16 of one.

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

// The last levels of rows, fewer than a block, and zeros behind them: blocks beside each other.
HWY_NOINLINE inline void GatherTails(const int8_t* x, size_t stride, size_t rows, size_t rest,
                                     int8_t* tails) {
  for (; rows != 0; --rows, x += stride, tails += kInputBlock) {
    for (size_t i = 0; i < kInputBlock; ++i) tails[i] = i < rest ? x[i] : int8_t{0};
  }
}

// The integers that all sums of a whole panel begin with, which are no longer among its factors then.
HWY_INLINE const int32_t* TakeFirst(FactorsQ8& factors, size_t outputs) {
  const int32_t* const first = factors.first;
  if (first == nullptr || outputs != kPanelOutputs) return kNoFirst;
  factors.first = nullptr;
  return first;
}

#if defined(__ARM_FEATURE_MVE)

inline constexpr size_t kRowsQ8 = 2;

// clang-format off
// Weights of one output with a block of each of two rows, or of two outputs with a block of one row.
#undef WEFT_TWO_ROWS
#define WEFT_TWO_ROWS(weights, offset, first, second) \
  "vldrb.u8 " weights ", [%[w]" offset "]\n\t"        \
  "vmladava.s8 %[" first "], q0, " weights "\n\t"     \
  "vmladava.s8 %[" second "], q1, " weights "\n\t"
#undef WEFT_TWO_OUTPUTS
#define WEFT_TWO_OUTPUTS(offset, next, first, second) \
  "vldrb.u8 q2, [%[w]" offset "]\n\t"                 \
  "vmladava.s8 %[" first "], q0, q2\n\t"              \
  "vldrb.u8 q3, [%[w]" next "]\n\t"                   \
  "vmladava.s8 %[" second "], q0, q3\n\t"
// clang-format on
// Adds the products of `count` blocks to eight sums at a time, which stay in the even registers: four outputs
// of two rows, or eight of one, for all outputs of a panel. s16 and s17 hold where the rows begin, s18 the
// count, s19 how far weights of the next outputs lie before the end. The sums lie at a multiple of their
// 64 bytes, which tells when they are through.
#undef WEFT_ADD_BLOCKS
#define WEFT_ADD_BLOCKS(levels, products, second, third, fourth, step, before)                    \
  __asm__ volatile(                                                                               \
      "vmov s16, s17, %[x], %[o]\n\t"                                                             \
      "lsl %[a], %[count], #8\n\t"                                                                \
      "sub %[a], #" before                                                                        \
      "\n\t"                                                                                      \
      "vmov s18, s19, %[count], %[a]\n"                                                           \
      "1:\n\t"                                                                                    \
      "ldrd %[a], %[b], [%[sums]]\n\t"                                                            \
      "ldrd %[c], %[d], [%[sums], #" second                                                       \
      "]\n\t"                                                                                     \
      "ldrd %[e], %[f], [%[sums], #" third                                                        \
      "]\n\t"                                                                                     \
      "ldrd %[g], %[h], [%[sums], #" fourth                                                       \
      "]\n"                                                                                       \
      "2:\n\t" levels products                                                                    \
      "add %[w], #256\n\t"                                                                        \
      "subs %[count], #1\n\t"                                                                     \
      "bne 2b\n\t"                                                                                \
      "strd %[g], %[h], [%[sums], #" fourth                                                       \
      "]\n\t"                                                                                     \
      "strd %[e], %[f], [%[sums], #" third                                                        \
      "]\n\t"                                                                                     \
      "strd %[c], %[d], [%[sums], #" second                                                       \
      "]\n\t"                                                                                     \
      "strd %[a], %[b], [%[sums]], #" step                                                        \
      "\n\t"                                                                                      \
      "vmov %[count], %[a], s18, s19\n\t"                                                         \
      "sub %[w], %[a]\n\t"                                                                        \
      "vmov %[x], %[o], s16, s17\n\t"                                                             \
      "tst %[sums], #63\n\t"                                                                      \
      "bne 1b"                                                                                    \
      : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [e] "=&Te"(e), [f] "=&Te"(f), \
        [g] "=&Te"(g), [h] "=&Te"(h), [x] "+r"(x), [o] "+r"(other), [w] "+r"(weights),            \
        [count] "+r"(count), [sums] "+r"(sums)                                                    \
      :                                                                                           \
      : "cc", "memory", "q0", "q1", "q2", "q3", "s16", "s17", "s18", "s19")

template <size_t kRows>
HWY_NOINLINE void AddBlocks(const int8_t* x, const int8_t* other, size_t count,
                            const int8_t* weights, int32_t* sums) {
  static_assert(kRows == 1 || kRows == 2, "eight outputs of a row or four of two");
  int32_t a, b, c, d, e, f, g, h;
  if constexpr (kRows == 2) {
    WEFT_ADD_BLOCKS(
        "vldrb.u8 q0, [%[x]], #16\n\t"
        "vldrb.u8 q1, [%[o]], #16\n\t",
        WEFT_TWO_ROWS("q2", "", "a", "e") WEFT_TWO_ROWS("q3", ", #16", "b", "f")
            WEFT_TWO_ROWS("q2", ", #32", "c", "g") WEFT_TWO_ROWS("q3", ", #48", "d", "h"),
        "8", "64", "72", "16", "64");
  } else {
    WEFT_ADD_BLOCKS("vldrb.u8 q0, [%[x]], #16\n\t",
                    WEFT_TWO_OUTPUTS("", ", #16", "a", "b") WEFT_TWO_OUTPUTS(
                        ", #32", ", #48", "c", "d") WEFT_TWO_OUTPUTS(", #64", ", #80", "e", "f")
                        WEFT_TWO_OUTPUTS(", #96", ", #112", "g", "h"),
                    "8", "16", "24", "32", "128");
  }
}

template <size_t kRows>
class LevelRows {
 public:
  HWY_INLINE LevelRows(const int8_t* x, size_t stride, size_t inputs)
      : x_(x), stride_(kRows == 1 ? 0 : stride), blocks_(inputs / kInputBlock) {
    const size_t rest = inputs % kInputBlock;
    has_tail_ = rest != 0;
    if (has_tail_) GatherTails(x + blocks_ * kInputBlock, stride, kRows, rest, tails_);
  }

  HWY_INLINE void Sum(const int8_t* weights, const int32_t* first, int32_t* sums) {
    for (size_t r = 0; r < kRows; ++r) {
      __builtin_memcpy(sums + r * kPanelOutputs, first, kPanelOutputs * sizeof *sums);
    }
    if (blocks_ != 0) AddBlocks<kRows>(x_, x_ + stride_, blocks_, weights, sums);
    if (!has_tail_) return;
    AddBlocks<kRows>(tails_, tails_ + (kRows - 1) * kInputBlock, 1,
                     weights + blocks_ * kInputBlock * kPanelOutputs, sums);
  }

 private:
  const int8_t* x_;
  size_t stride_, blocks_;
  bool has_tail_;
  int8_t tails_[kRows * kInputBlock];
};

#else

inline constexpr size_t kRowsQ8 = 3;

// clang-format off
// Four weights of each of two outputs with four levels of each of three rows. SXTB16 takes bytes 0 and 2 of
// a word, or 1 and 3.
#undef WEFT_THREE_ROWS
#define WEFT_THREE_ROWS(first, second) \
  "ldr r10, [r1" first "]\n\t"         \
  "ldr r12, [r1, #" second "]\n\t"     \
  "sxtb16 r11, r10, ror #8\n\t"        \
  "sxtb16 r10, r10\n\t"                \
  "sxtb16 lr, r12, ror #8\n\t"         \
  "sxtb16 r12, r12\n\t"                \
  "ldrd r2, r3, [r0], #8\n\t"          \
  "smlad r4, r10, r2, r4\n\t"          \
  "smlad r7, r12, r2, r7\n\t"          \
  "smlad r4, r11, r3, r4\n\t"          \
  "smlad r7, lr, r3, r7\n\t"           \
  "ldrd r2, r3, [r0], #8\n\t"          \
  "smlad r5, r10, r2, r5\n\t"          \
  "smlad r8, r12, r2, r8\n\t"          \
  "smlad r5, r11, r3, r5\n\t"          \
  "smlad r8, lr, r3, r8\n\t"           \
  "ldrd r2, r3, [r0], #8\n\t"          \
  "smlad r6, r10, r2, r6\n\t"          \
  "smlad r9, r12, r2, r9\n\t"          \
  "smlad r6, r11, r3, r6\n\t"          \
  "smlad r9, lr, r3, r9\n\t"
// clang-format on

// Where the sums of a panel begin, those of a row so many behind those of the row before.
struct SumBegins {
  const int32_t* sums;
  size_t stride;
};
// Four levels of each of three rows as pairs, of the first and third and of the others.
struct ThreePairs {
  uint32_t pairs[3][2];
};
// As many levels of a row as are widened at one time.
inline constexpr size_t kWidened = 64;

HWY_INLINE void WidenFour(uint32_t four, uint32_t* pairs) {
  __asm__("sxtb16 %0, %1" : "=r"(pairs[0]) : "r"(four));
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(pairs[1]) : "r"(four));
}
// `count` levels of each row, and zeros behind them up to a whole block.
HWY_NOINLINE inline void WidenRows(const int8_t* x, size_t stride, size_t count, ThreePairs* to) {
  const int8_t *b = x + stride, *c = x + 2 * stride;
  const ThreePairs* const end = to + PaddedInputs(static_cast<uint32_t>(count)) / 4;
  for (size_t k = 0; k + 4 <= count; k += 4, ++to) {
    uint32_t fours[3];
    __builtin_memcpy(&fours[0], x + k, 4);
    __builtin_memcpy(&fours[1], b + k, 4);
    __builtin_memcpy(&fours[2], c + k, 4);
    WidenFour(fours[0], to->pairs[0]);
    WidenFour(fours[1], to->pairs[1]);
    WidenFour(fours[2], to->pairs[2]);
  }
  for (size_t rest = count % 4; to != end; ++to, rest = 0) {
    for (size_t r = 0; r < 3; ++r) {
      uint32_t four = 0;
      for (size_t i = 0; i < rest; ++i) {
        four |= uint32_t{static_cast<uint8_t>(x[r * stride + count - rest + i])} << 8 * i;
      }
      WidenFour(four, to->pairs[r]);
    }
  }
}

// Adds the products of `count` >= 16 widened levels of three rows: two outputs at a time, whose six sums
// stay in registers. s16 holds where the levels end and s17 where they begin, s18 where the sums go, which
// lie at a multiple of their 64 bytes, s19 where they come from and s20 how far one row's are from the
// next's, s21 how far weights of the next two outputs lie before the end. Every register is used: r7, which
// may be the frame's and cannot be asked for then, is kept in s22.
HWY_NOINLINE inline void AddThreeRows(const ThreePairs* levels, size_t count, const int8_t* panel,
                                      const SumBegins& begins, int32_t* to) {
  register const ThreePairs* x __asm__("r0") = levels;
  register const int8_t* weights __asm__("r1") = panel;
  register const ThreePairs* end __asm__("r2") = levels + count / 4;
  register int32_t* sums __asm__("r3") = to;
  register const int32_t* from __asm__("r4") = begins.sums;
  register size_t stride __asm__("r5") = begins.stride * sizeof(int32_t);
  register size_t back __asm__("r6") = count * kPanelOutputs - 2 * kInputBlock;
  __asm__ volatile(
      "vmov s22, r7\n\t"
      "vmov s16, s17, r2, r0\n\t"
      "vmov s18, s19, r3, r4\n\t"
      "vmov s20, s21, r5, r6\n"
      "1:\n\t"
      "vmov r2, r3, s19, s20\n\t"
      "vmov r0, s17\n\t"
      "ldrd r4, r7, [r2]\n\t"
      "add r2, r3\n\t"
      "ldrd r5, r8, [r2]\n\t"
      "add r2, r3\n\t"
      "ldrd r6, r9, [r2]\n"
      "2:\n\t"  //
      WEFT_THREE_ROWS("", "16") WEFT_THREE_ROWS(", #4", "20") WEFT_THREE_ROWS(", #8", "24")
          WEFT_THREE_ROWS(", #12", "28")
      "add r1, #256\n\t"
      "vmov r2, s16\n\t"
      "cmp r0, r2\n\t"
      "bne 2b\n\t"
      "vmov r2, r3, s18, s19\n\t"
      "strd r4, r7, [r2]\n\t"
      "strd r5, r8, [r2, #64]\n\t"
      "strd r6, r9, [r2, #128]\n\t"
      "add r2, #8\n\t"
      "add r3, #8\n\t"
      "vmov s18, s19, r2, r3\n\t"
      "vmov r3, s21\n\t"
      "sub r1, r3\n\t"
      "tst r2, #63\n\t"
      "bne 1b\n\t"
      "vmov r7, s22"
      : "+r"(x), "+r"(weights), "+r"(end), "+r"(sums), "+r"(from), "+r"(stride), "+r"(back)
      :
      : "cc", "memory", "r8", "r9", "r10", "r11", "r12", "lr", "s16", "s17", "s18", "s19", "s20",
        "s21", "s22");
}

template <size_t kRows>
class LevelRows;

// Widened once where all levels find room, else a part at a time for each panel.
template <>
class LevelRows<3> {
 public:
  HWY_INLINE LevelRows(const int8_t* x, size_t stride, size_t inputs)
      : x_(x), stride_(stride), inputs_(inputs) {
    if (inputs <= kWidened) WidenRows(x, stride, inputs, levels_);
  }

  HWY_NOINLINE void Sum(const int8_t* weights, const int32_t* first, int32_t* sums) {
    SumBegins begins = {first, 0};
    if (inputs_ == 0) {
      for (size_t i = 0; i < 3 * kPanelOutputs; ++i) sums[i] = first[i % kPanelOutputs];
    }
    for (size_t done = 0; done < inputs_; done += kWidened) {
      const size_t left = inputs_ - done, count = left < kWidened ? left : kWidened;
      if (inputs_ > kWidened) WidenRows(x_ + done, stride_, count, levels_);
      const auto padded = static_cast<size_t>(PaddedInputs(static_cast<uint32_t>(count)));
      AddThreeRows(levels_, padded, weights, begins, sums);
      weights += padded * kPanelOutputs;
      begins = {sums, kPanelOutputs};
    }
  }

 private:
  const int8_t* x_;
  size_t stride_, inputs_;
  ThreePairs levels_[kWidened / 4];
};

template <>
class LevelRows<1> {
 public:
  HWY_INLINE LevelRows(const int8_t* x, size_t, size_t inputs)
      : x_(x), whole_(inputs / kInputBlock * kInputBlock), has_tail_(inputs != whole_) {
    if (has_tail_) GatherTails(x + whole_, 0, 1, inputs - whole_, tail_);
  }

  HWY_INLINE void Sum(const int8_t* weights, const int32_t* first, int32_t* sums) {
    __builtin_memcpy(sums, first, kPanelOutputs * sizeof *sums);
    SumBlocks<false>(x_, whole_, weights, sums);
    if (has_tail_) SumBlocks<false>(tail_, kInputBlock, weights + kPanelOutputs * whole_, sums);
  }

 private:
  const int8_t* x_;
  size_t whole_;
  bool has_tail_;
  int8_t tail_[kInputBlock];
};

#endif

// kRows rows of x, to be those from `row` on. Strides along one row or one output lead nowhere and may be
// anything: no pointer is made of them.
template <size_t kRows>
HWY_NOINLINE void RowsOfQ8(const RowsQ8& at, const int8_t* x, size_t row) {
  LevelRows<kRows> rows(x, at.x_stride, at.inputs);
  const size_t panel_bytes = PackedDenseI8Bytes(1, static_cast<uint32_t>(at.inputs));
  const int8_t* weights = at.weights;
  for (size_t first = 0; first < at.outputs; first += kPanelOutputs, weights += panel_bytes) {
    const size_t left = at.outputs - first, outputs = left < kPanelOutputs ? left : kPanelOutputs;
    FactorsQ8 factors = Behind(at.factors, first);
    if (factors.start != nullptr && row != 0) factors.start += row * at.start_stride;
    alignas(kPanelOutputs * sizeof(int32_t)) int32_t sums[kRows * kPanelOutputs];
    rows.Sum(weights, TakeFirst(factors, outputs), sums);
    const size_t place = at.place + row * at.y_stride + first * at.y_output_stride;
    at.results.template WriteRows<kRows>(sums, factors, outputs, at.y, place, at.y_output_stride,
                                         {at.y_stride, at.start_stride});
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_
