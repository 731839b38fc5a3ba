// SPDX-License-Identifier: Apache-2.0
// Sums of rows of levels on a Cortex-M: rows that share each load of weights. Instructions per multiply-add:
// the DSP extension 1.08 of three rows and 1.34 of one, Helium 0.14 of two and 0.16 of one.

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

// The sums of a row lie beside each other.
class LevelRows {
 public:
  static constexpr size_t kAlignment = kPanelOutputs * sizeof(int32_t);
  static constexpr bool kTakesTails = true;

  HWY_INLINE LevelRows(const int8_t* x, size_t stride, size_t inputs, size_t rows, int32_t* room)
      : x_(x),
        stride_(rows == 1 ? 0 : stride),
        blocks_(inputs / kInputBlock),
        rows_(rows),
        sums_(room) {
    const size_t rest = inputs % kInputBlock;
    has_tail_ = rest != 0;
    if (has_tail_) GatherTails(x + blocks_ * kInputBlock, stride, rows, rest, tails_);
  }

  // From one output to the next and from one row to the next.
  HWY_INLINE size_t OutputStep() const { return 1; }
  HWY_INLINE size_t RowStep() const { return kPanelOutputs; }
  HWY_INLINE const int32_t* sums() const { return sums_; }

  HWY_INLINE void Sum(const int8_t* weights, const int32_t* first) const {
    if (rows_ == 2) return SumOf<2>(weights, first);
    SumOf<1>(weights, first);
  }

 private:
  template <size_t kRows>
  HWY_INLINE void SumOf(const int8_t* weights, const int32_t* first) const {
    HWY_UNROLL(4)
    for (size_t i = 0; i < kPanelOutputs; i += 4) {
      const int32x4_t begin = vldrwq_s32(first + i);
      for (size_t r = 0; r < kRows; ++r) vstrwq_s32(sums_ + r * kPanelOutputs + i, begin);
    }
    if (blocks_ != 0) AddBlocks<kRows>(x_, x_ + stride_, blocks_, weights, sums_);
    if (!has_tail_) return;
    AddBlocks<kRows>(tails_, tails_ + (kRows - 1) * kInputBlock, 1,
                     weights + blocks_ * kInputBlock * kPanelOutputs, sums_);
  }

  const int8_t* x_;
  size_t stride_, blocks_, rows_;
  int32_t* sums_;
  bool has_tail_;
  int8_t tails_[kRowsQ8 * kInputBlock];
};

#else

inline constexpr size_t kRowsQ8 = 3;

// clang-format off
// Four weights of one output with four levels of each of three rows, on the sums of the output.
#undef WEFT_ADD_FOUR_OF_THREE
#define WEFT_ADD_FOUR_OF_THREE       \
  "ldr r10, [r1], #16\n\t"           \
  "ldmia r0, {r4, r5, r6}\n\t"       \
  "sxtb16 r11, r10\n\t"              \
  "smlad r4, r11, r2, r4\n\t"        \
  "smlad r5, r11, r8, r5\n\t"        \
  "smlad r6, r11, r12, r6\n\t"       \
  "sxtb16 r10, r10, ror #8\n\t"      \
  "smlad r4, r10, r3, r4\n\t"        \
  "smlad r5, r10, r9, r5\n\t"        \
  "smlad r6, r10, lr, r6\n\t"        \
  "stmia r0!, {r4, r5, r6}\n\t"
// clang-format on

// Adds the products of `count` > 0 levels of three rows, whose sums of an output lie beside each other. Four
// levels of each row stay in registers as pairs for all outputs of a panel; s16 holds where they go on and
// s17 how far the rows lie apart, s18 where the first row ends and s19 where the sums do.
HWY_NOINLINE inline void AddThreeRows(const int8_t* rows, size_t stride, size_t count,
                                      const int8_t* panel, int32_t* to) {
  register int32_t* sums __asm__("r0") = to;
  register const int8_t* weights __asm__("r1") = panel;
  register const int8_t* x __asm__("r2") = rows;
  register size_t apart __asm__("r3") = stride;
  register const int8_t* end __asm__("r4") = rows + count;
  register const int32_t* last __asm__("r5") = to + 3 * kPanelOutputs;
  __asm__ volatile(
      "vmov s18, s19, r4, r5\n"
      "1:\n\t"
      "ldr r8, [r2, r3]\n\t"
      "ldr r12, [r2, r3, lsl #1]\n\t"
      "ldr r4, [r2], #4\n\t"
      "vmov s16, s17, r2, r3\n\t"
      "sxtb16 r2, r4\n\t"
      "sxtb16 r3, r4, ror #8\n\t"
      "sxtb16 r9, r8, ror #8\n\t"
      "sxtb16 r8, r8\n\t"
      "sxtb16 lr, r12, ror #8\n\t"
      "sxtb16 r12, r12\n"
      "2:\n\t"  //
      WEFT_ADD_FOUR_OF_THREE WEFT_ADD_FOUR_OF_THREE WEFT_ADD_FOUR_OF_THREE WEFT_ADD_FOUR_OF_THREE
      "vmov r4, s19\n\t"
      "cmp r0, r4\n\t"
      "bne 2b\n\t"
      "sub r0, #192\n\t"
      "vmov r2, r3, s16, s17\n\t"
      "vmov r4, s18\n\t"
      "subs r4, r4, r2\n\t"
      "tst r4, #15\n\t"
      "ite ne\n\t"
      "subne r1, #252\n\t"
      "subeq r1, #12\n\t"
      "cmp r4, #0\n\t"
      "bne 1b"
      : "+r"(sums), "+r"(weights), "+r"(x), "+r"(apart), "+r"(end), "+r"(last)
      :
      : "cc", "memory", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "s16", "s17", "s18", "s19");
}

// The sums of three rows, of which all begin with the same integers.
HWY_INLINE void BeginThreeRows(const int32_t* first, int32_t* sums) {
  const int32_t* const end = first + kPanelOutputs;
  int32_t a, b;
  __asm__ volatile(
      "1:\n\t"
      "ldrd %[a], %[b], [%[first]], #8\n\t"
      "cmp %[first], %[end]\n\t"
      "strd %[a], %[a], [%[sums]]\n\t"
      "strd %[a], %[b], [%[sums], #8]\n\t"
      "strd %[b], %[b], [%[sums], #16]\n\t"
      "add %[sums], #24\n\t"
      "bne 1b"
      : [a] "=&r"(a), [b] "=&r"(b), [first] "+r"(first), [sums] "+r"(sums)
      : [end] "r"(end)
      : "cc", "memory");
}

HWY_INLINE void BeginRow(const int32_t* first, int32_t* sums) {
  __asm__ volatile(
      "ldmia %[first]!, {r2-r5}\n\t"
      "stmia %[sums]!, {r2-r5}\n\t"
      "ldmia %[first]!, {r2-r5}\n\t"
      "stmia %[sums]!, {r2-r5}\n\t"
      "ldmia %[first]!, {r2-r5}\n\t"
      "stmia %[sums]!, {r2-r5}\n\t"
      "ldmia %[first]!, {r2-r5}\n\t"
      "stmia %[sums]!, {r2-r5}"
      : [first] "+r"(first), [sums] "+r"(sums)
      :
      : "memory", "r2", "r3", "r4", "r5");
}

// Three rows of whole blocks, whose sums of an output lie beside each other, or one row, whose tail lies in
// the room of the others' sums.
class LevelRows {
 public:
  static constexpr size_t kAlignment = sizeof(int32_t);
  static constexpr bool kTakesTails = false;

  HWY_INLINE LevelRows(const int8_t* x, size_t stride, size_t inputs, size_t rows, int32_t* room)
      : x_(x),
        stride_(stride),
        whole_(inputs / kInputBlock * kInputBlock),
        rows_(rows),
        sums_(room),
        tail_(nullptr) {
    if (rows == 3) return;
    // The sums of one row lie at a multiple of their bytes.
    constexpr uintptr_t kBytes = kPanelOutputs * sizeof(int32_t);
    sums_ = reinterpret_cast<int32_t*>((reinterpret_cast<uintptr_t>(room) + kBytes - 1) &
                                       ~(kBytes - 1));
    if (inputs == whole_) return;
    tail_ = reinterpret_cast<int8_t*>(sums_ + kPanelOutputs);
    GatherTails(x + whole_, 0, 1, inputs - whole_, tail_);
  }

  // From one output to the next and from one row to the next.
  HWY_INLINE size_t OutputStep() const { return rows_; }
  HWY_INLINE size_t RowStep() const { return 1; }
  HWY_INLINE const int32_t* sums() const { return sums_; }

  HWY_INLINE void Sum(const int8_t* weights, const int32_t* first) const {
    if (rows_ == 3) {
      BeginThreeRows(first, sums_);
      if (whole_ != 0) AddThreeRows(x_, stride_, whole_, weights, sums_);
      return;
    }
    BeginRow(first, sums_);
    SumBlocks<false>(x_, whole_, weights, sums_);
    if (tail_ == nullptr) return;
    SumBlocks<false>(tail_, kInputBlock, weights + kPanelOutputs * whole_, sums_);
  }

 private:
  const int8_t* x_;
  size_t stride_, whole_, rows_;
  int32_t* sums_;
  int8_t* tail_;
};

#endif

// At most kRowsQ8 rows of x, to be those from `row` on. Strides along one row or one output lead nowhere and
// may be anything: no pointer is made of them.
HWY_NOINLINE inline void PanelsOfRows(const RowsQ8& at, const int8_t* x, size_t row, size_t count) {
  alignas(LevelRows::kAlignment) int32_t room[kRowsQ8 * kPanelOutputs];
  const LevelRows rows(x, at.x_stride, at.inputs, count, room);
  const size_t panel_bytes = PackedDenseI8Bytes(kPanelOutputs, static_cast<uint32_t>(at.inputs));
  const RowSteps steps = {at.y_stride, at.start_stride, rows.RowStep(), rows.OutputStep()};
  const int8_t* weights = at.weights;
  FactorsQ8 factors = at.factors;
  if (factors.start != nullptr && row != 0) factors.start += row * at.start_stride;
  size_t place = at.place + row * at.y_stride, left = at.outputs;
  if (at.results.AreLevels(at.y_output_stride)) {
    // Whole panels, whose sums begin with the integers.
    const int32_t* first = factors.first == nullptr ? kNoFirst : factors.first;
    const size_t first_step = factors.first == nullptr ? 0 : kPanelOutputs;
    factors.first = nullptr;
    for (; left >= kPanelOutputs; left -= kPanelOutputs) {
      rows.Sum(weights, first);
      at.results.WritePanels(rows.sums(), factors, count, at.y, place, steps);
      weights += panel_bytes;
      place += kPanelOutputs;
      first += first_step;
      factors.scales += kPanelOutputs;
      if (factors.start != nullptr) factors.start += kPanelOutputs;
    }
    if (first_step != 0) factors.first = first;
  }
  while (left != 0) {
    const size_t outputs = left < kPanelOutputs ? left : kPanelOutputs;
    rows.Sum(weights, kNoFirst);
    at.results.WriteRows(rows.sums(), factors, count, outputs, at.y, place, at.y_output_stride,
                         steps);
    left -= outputs;
    weights += panel_bytes;
    place += outputs * at.y_output_stride;
    factors = Behind(factors, outputs);
  }
}
template <size_t kRows>
HWY_INLINE void RowsOfQ8(const RowsQ8& at, const int8_t* x, size_t row) {
  PanelsOfRows(at, x, row, kRows);
}

// Whether several rows may be taken at a time: of the DSP extension only whole blocks that become levels.
HWY_INLINE bool SharesWeights(const RowsQ8& at) {
  if (LevelRows::kTakesTails) return true;
  return at.inputs % kInputBlock == 0 && at.results.AreLevels(at.y_output_stride);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_
