// SPDX-License-Identifier: Apache-2.0
// A row of DenseI8 on a Cortex-M with an FPU: sums stay in core registers from their first product until they
// are floats. Instructions per multiply-add and per output: Helium 0.29 and 5, the DSP extension 1.19 and 9.5.

#if defined(WEFT_KERNELS_MATRIX_DENSE_I8_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DENSE_I8_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_DENSE_I8_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DENSE_I8_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/pack.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A row of integers, whole blocks, with the panels of weights, and what becomes of the sums of each output:
// y = sum * worth * scale + start, every operation rounded by itself; y may be start. In the order in which
// the loops take them.
struct OutputsOfRow {
  float worth;
  const float* scales;
  const float* start;
  float* y;
  size_t panel_bytes;
  size_t groups;  // see below
  const int16_t* x;
  const int16_t* end;
  const int8_t* weights;
};

#if defined(__ARM_FEATURE_MVE)

inline constexpr size_t kOutputGroup = 8;

// The instructions take numbers in the order of the inputs.
HWY_INLINE void ArrangeRow(int16_t*, size_t) {}

// clang-format off
#undef WEFT_OUTPUT_OF_BLOCK
#define WEFT_OUTPUT_OF_BLOCK(sum, first, second)  \
  "vldrb.s16 q2, [r1, #" first "]\n\t"            \
  "vmladava.s16 " sum ", q0, q2\n\t"              \
  "vldrb.s16 q3, [r1, #" second "]\n\t"           \
  "vmladava.s16 " sum ", q1, q3\n\t"
// clang-format on

// `groups` times eight outputs, whose sums are all the even registers: as many as all whole panels have, or at
// most those of one panel. Scales are whole groups. r1 is the weights, r3 x and r5 the blocks that are left; s16
// to s21 hold the first six members, s22 x and s23 the blocks.
HWY_NOINLINE inline void RunGroups(const OutputsOfRow& row) {
  register const OutputsOfRow* at __asm__("r0") = &row;
  __asm__ volatile(
      "vldmia r0!, {s16-s21}\n\t"
      "ldrd r3, r5, [r0]\n\t"
      "ldr r1, [r0, #8]\n\t"
      "subs r5, r5, r3\n\t"
      "lsrs r5, r5, #5\n\t"
      "vmov s22, s23, r3, r5\n"
      "1:\n\t"
      "vmov r3, r5, s22, s23\n\t"
      "movs r0, #0\n\t"
      "movs r2, #0\n\t"
      "movs r4, #0\n\t"
      "movs r6, #0\n\t"
      "mov r8, #0\n\t"
      "mov r10, #0\n\t"
      "mov r12, #0\n\t"
      "mov lr, #0\n\t"
      "cmp r5, #0\n\t"
      "beq 3f\n"
      "2:\n\t"
      "vldrh.u16 q0, [r3], #16\n\t"
      "vldrh.u16 q1, [r3], #16\n\t"  //
      WEFT_OUTPUT_OF_BLOCK("r0", "0", "8") WEFT_OUTPUT_OF_BLOCK("r2", "16", "24")
          WEFT_OUTPUT_OF_BLOCK("r4", "32", "40") WEFT_OUTPUT_OF_BLOCK("r6", "48", "56")
              WEFT_OUTPUT_OF_BLOCK("r8", "64", "72") WEFT_OUTPUT_OF_BLOCK("r10", "80", "88")
                  WEFT_OUTPUT_OF_BLOCK("r12", "96", "104") WEFT_OUTPUT_OF_BLOCK("lr", "112", "120")
      "add r1, r1, #256\n\t"
      "subs r5, #1\n\t"
      "bne 2b\n"
      "3:\n\t"
      "vmov s0, s1, r0, r2\n\t"
      "vmov s2, s3, r4, r6\n\t"
      "vmov s4, s5, r8, r10\n\t"
      "vmov s6, s7, r12, lr\n\t"
      "vmov r0, s16\n\t"
      "vmov r2, r4, s17, s18\n\t"
      "vmov r6, r8, s19, s20\n\t"
      "vmov r10, s21\n\t"
      "vcvt.f32.s32 q0, q0\n\t"
      "vldrw.u32 q2, [r2], #16\n\t"
      "vmul.f32 q0, q0, r0\n\t"
      "vcvt.f32.s32 q1, q1\n\t"
      "vmul.f32 q0, q0, q2\n\t"
      "vldrw.u32 q3, [r2], #16\n\t"
      "vmul.f32 q1, q1, r0\n\t"
      "vldrw.u32 q2, [r4], #16\n\t"
      "vmul.f32 q1, q1, q3\n\t"
      "vldrw.u32 q3, [r4], #16\n\t"
      "vadd.f32 q0, q0, q2\n\t"
      "vadd.f32 q1, q1, q3\n\t"
      "vstrw.32 q0, [r6], #16\n\t"
      "vstrw.32 q1, [r6], #16\n\t"
      "subs r10, #1\n\t"
      "vmov s17, s18, r2, r4\n\t"
      "vmov s19, r6\n\t"
      "vmov s21, r10\n\t"
      "tst r10, #1\n\t"
      "itte ne\n\t"
      "subne r1, r1, r8\n\t"
      "addne r1, r1, #128\n\t"
      "subeq r1, r1, #128\n\t"
      "cmp r10, #0\n\t"
      "bne 1b"
      : "+r"(at)
      :
      : "cc", "memory", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23");
}

#else

inline constexpr size_t kOutputGroup = 4;

// SXTB16 takes bytes 0 and 2 of a word, or 1 and 3: so numbers lie as 0, 2, 1, 3.
HWY_NOINLINE inline void ArrangeRow(int16_t* q, size_t padded) {
  int16_t* const end = q + padded;
  if (padded == 0) return;
  uint32_t a, b, c, d, e, f;
  __asm__ volatile(
      "1:\n\t"
      "ldrd %[a], %[b], [%[q]]\n\t"
      "ldrd %[c], %[d], [%[q], #8]\n\t"
      "pkhbt %[e], %[a], %[b], lsl #16\n\t"
      "pkhtb %[b], %[b], %[a], asr #16\n\t"
      "pkhbt %[f], %[c], %[d], lsl #16\n\t"
      "pkhtb %[d], %[d], %[c], asr #16\n\t"
      "strd %[e], %[b], [%[q]], #8\n\t"
      "strd %[f], %[d], [%[q]], #8\n\t"
      "cmp %[q], %[end]\n\t"
      "bne 1b"
      : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [e] "=&r"(e), [f] "=&r"(f),
        [q] "+r"(q)
      : [end] "r"(end)
      : "cc", "memory");
}

// clang-format off
// Eight weights of one output with the numbers in r2 to r5; then the weights `step` bytes further on.
#undef WEFT_EIGHT_WEIGHTS
#define WEFT_EIGHT_WEIGHTS(sum, step)               \
  "ldrd r11, r12, [r1], #" step "\n\t"              \
  "sxtb16 lr, r11\n\t"                              \
  "smlad " sum ", lr, r2, " sum "\n\t"              \
  "sxtb16 r11, r11, ror #8\n\t"                     \
  "smlad " sum ", r11, r3, " sum "\n\t"             \
  "sxtb16 lr, r12\n\t"                              \
  "smlad " sum ", lr, r4, " sum "\n\t"              \
  "sxtb16 r12, r12, ror #8\n\t"                     \
  "smlad " sum ", r12, r5, " sum "\n\t"
#undef WEFT_HALF_BLOCK
#define WEFT_HALF_BLOCK(step)     \
  "ldmia r0!, {r2-r5}\n\t"        \
  WEFT_EIGHT_WEIGHTS("r6", "16")  \
  WEFT_EIGHT_WEIGHTS("r8", "16")  \
  WEFT_EIGHT_WEIGHTS("r9", "16")  \
  WEFT_EIGHT_WEIGHTS("r10", step)
#undef WEFT_FOUR_BY
#define WEFT_FOUR_BY(op, x) \
  op " s0, s0, " x "\n\t" op " s1, s1, " x "\n\t" op " s2, s2, " x "\n\t" op " s3, s3, " x "\n\t"
#undef WEFT_FOUR_BY_FOUR
#define WEFT_FOUR_BY_FOUR(op) \
  op " s0, s0, s4\n\t" op " s1, s1, s5\n\t" op " s2, s2, s6\n\t" op " s3, s3, s7\n\t"
// clang-format on

// `groups` times four outputs: as many as all whole panels have, or at most those of one panel. Scales are
// whole groups. r0 is x, r1 the weights, r7 where x ends, s12 to s17 the first six members and s18, s19 two
// zeros; s20 holds r7, which may be the frame's and cannot be asked for then, and s21 where x begins.
HWY_NOINLINE inline void RunGroups(const OutputsOfRow& row) {
  register const OutputsOfRow* at __asm__("r0") = &row;
  __asm__ volatile(
      "vmov s20, r7\n\t"
      "vldmia r0!, {s12-s17}\n\t"
      "ldr r1, [r0, #8]\n\t"
      "ldrd r0, r7, [r0]\n\t"
      "vmov s21, r0\n\t"
      "movs r2, #0\n\t"
      "vmov s18, s19, r2, r2\n"
      "1:\n\t"
      "vmov r6, r8, s18, s19\n\t"
      "vmov r9, r10, s18, s19\n\t"
      "b 3f\n"
      "2:\n\t"  //
      WEFT_HALF_BLOCK("-40") WEFT_HALF_BLOCK("200")
      "3:\n\t"
      "cmp r0, r7\n\t"
      "bne 2b\n\t"
      "vmov s0, s1, r6, r8\n\t"
      "vmov s2, s3, r9, r10\n\t"
      "vmov r2, r3, s13, s14\n\t"
      "vmov r4, r5, s15, s16\n\t"
      "vmov lr, s17\n\t"
      "vldmia r2!, {s4-s7}\n\t"
      "vcvt.f32.s32 s0, s0\n\tvcvt.f32.s32 s1, s1\n\t"
      "vcvt.f32.s32 s2, s2\n\tvcvt.f32.s32 s3, s3\n\t"  //
      WEFT_FOUR_BY("vmul.f32", "s12") WEFT_FOUR_BY_FOUR("vmul.f32")
      "vldmia r3!, {s4-s7}\n\t"  //
      WEFT_FOUR_BY_FOUR("vadd.f32")
      "vstmia r4!, {s0-s3}\n\t"
      "vmov s13, s14, r2, r3\n\t"
      "vmov s15, r4\n\t"
      "vmov r0, s21\n\t"
      "subs lr, #1\n\t"
      "vmov s17, lr\n\t"
      "tst lr, #3\n\t"
      "itte ne\n\t"
      "subne r1, r5\n\t"
      "addne r1, #64\n\t"
      "subeq r1, #192\n\t"
      "cmp lr, #0\n\t"
      "bne 1b\n\t"
      "vmov r7, s20"
      : "+r"(at)
      :
      : "cc", "memory", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr",
        "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s12", "s13", "s14", "s15", "s16", "s17",
        "s18", "s19", "s20", "s21");
}

#endif

// All outputs of a row whose numbers ArrangeRow has seen; start may be null.
WEFT_PART void RunOutputs(OutputsOfRow row, size_t outputs) {
  if (row.start == nullptr) {
    for (size_t n = 0; n < outputs; ++n) row.y[n] = 0.0f;
    row.start = row.y;
  }
  const size_t whole = outputs / kPanelOutputs * kPanelOutputs;
  row.groups = whole / kOutputGroup;
  if (whole != 0) RunGroups(row);
  if (outputs == whole) return;
  // A panel of fewer outputs ends behind y.
  const size_t rest = outputs - whole;
  float last[kPanelOutputs] = {};
  for (size_t n = 0; n < rest; ++n) last[n] = row.start[whole + n];
  float* const y = row.y + whole;
  row.scales += whole;
  row.start = row.y = last;
  row.weights += whole / kPanelOutputs * row.panel_bytes;
  row.groups = (rest + kOutputGroup - 1) / kOutputGroup;
  RunGroups(row);
  for (size_t n = 0; n < rest; ++n) y[n] = last[n];
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DENSE_I8_CORTEX_M_INL_H_
