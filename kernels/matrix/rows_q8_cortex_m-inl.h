// SPDX-License-Identifier: Apache-2.0
// Sums of rows of levels by a Cortex-M's DSP extension: rows that share each load of weights. Instructions per
// multiply-add: 1.08 of three rows and 1.34 of one.

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

// Whether several rows may be taken at a time: only whole blocks that become levels.
HWY_INLINE bool SharesWeights(const RowsQ8& at) {
  return at.inputs % kInputBlock == 0 && at.results.AreLevels(at.y_output_stride);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_
