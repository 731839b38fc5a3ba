// SPDX-License-Identifier: Apache-2.0
// A row of DenseI8 on a Cortex-M with Helium: sums stay in core registers from their first product
// to their conversion to float, except those of a narrow panel. Instructions per multiply-add: 0.29
// for int16, 0.16 for int8; per output 3.3.

#if defined(WEFT_KERNELS_MATRIX_DENSE_I8_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DENSE_I8_HELIUM_INL_H_
#undef WEFT_KERNELS_MATRIX_DENSE_I8_HELIUM_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DENSE_I8_HELIUM_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/pack.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A row of integers, at least one complete block, the panels of weights and the factors of each
// output: y = sum * worth * scale + start, with every operation rounded separately; y may be start.
// The assembly depends on the order of the fields.
struct OutputsOfRow {
  float worth;
  const float* scales;
  const float* start;
  float* y;
  const int16_t* x;
  size_t panel_bytes;
  size_t groups;  // see below
  const int16_t* end;
  const int8_t* weights;
  bool are_bytes;  // x and end point to int8
};

inline constexpr size_t kOutputGroup = 8;

// clang-format off
#undef WEFT_OUTPUT_OF_SHORTS
#define WEFT_OUTPUT_OF_SHORTS(sum, first, second)  \
  "vldrb.s16 q2, [r3, #" first "]\n\t"             \
  "vmladava.s16 " sum ", q0, q2\n\t"               \
  "vldrb.s16 q3, [r3, #" second "]\n\t"            \
  "vmladava.s16 " sum ", q1, q3\n\t"
#undef WEFT_OUTPUTS_OF_BYTES
#define WEFT_OUTPUTS_OF_BYTES(sum, first, next, second)  \
  "vldrw.u32 q2, [r3, #" first "]\n\t"                   \
  "vmladava.s8 " sum ", q0, q2\n\t"                      \
  "vldrw.u32 q3, [r3, #" second "]\n\t"                  \
  "vmladava.s8 " next ", q0, q3\n\t"
// clang-format on

#undef WEFT_OUTPUTS_OF_ROW
#define WEFT_OUTPUTS_OF_ROW(block)                                                                 \
  __asm__ volatile(                                                                                \
      "vmov s26, r7\n\t"                                                                           \
      "vmov s24, r2\n\t"                                                                           \
      "ldrd r1, r7, [r0]\n\t"                                                                      \
      "ldrd r9, r11, [r0, #8]\n\t"                                                                 \
      "vdup.32 q4, r1\n\t"                                                                         \
      "ldrd r1, r2, [r0, #16]\n\t"                                                                 \
      "ldrd r4, r5, [r0, #24]\n\t"                                                                 \
      "ldr r3, [r0, #32]\n\t"                                                                      \
      "add r4, r11, r4, lsl #5\n\t"                                                                \
      "vmov s22, s23, r1, r4\n\t"                                                                  \
      "rsb r2, r2, #128\n\t"                                                                       \
      "mvn r4, #127\n\t"                                                                           \
      "vmov s20, s21, r2, r4\n"                                                                    \
      "1:\n\t"                                                                                     \
      "vmov r4, s24\n\t"                                                                           \
      "ldm r4, {r0, r2, r4, r6, r8, r10, r12, lr}\n"                                               \
      "2:\n\t" block                                                                               \
      "add r3, #256\n\t"                                                                           \
      "cmp r1, r5\n\t"                                                                             \
      "bne 2b\n\t"                                                                                 \
      "vmov q0[2], q0[0], r0, r4\n\t"                                                              \
      "vmov q0[3], q0[1], r2, r6\n\t"                                                              \
      "vmov q1[2], q1[0], r8, r12\n\t"                                                             \
      "vmov q1[3], q1[1], r10, lr\n\t"                                                             \
      "vldrw.u32 q2, [r7], #16\n\t"                                                                \
      "vldrw.u32 q3, [r7], #16\n\t"                                                                \
      "vcvt.f32.s32 q0, q0\n\t"                                                                    \
      "vcvt.f32.s32 q1, q1\n\t"                                                                    \
      "vmul.f32 q0, q0, q4\n\t"                                                                    \
      "vmul.f32 q1, q1, q4\n\t"                                                                    \
      "vmul.f32 q0, q0, q2\n\t"                                                                    \
      "vmul.f32 q1, q1, q3\n\t"                                                                    \
      "vldrw.u32 q2, [r9], #16\n\t"                                                                \
      "vldrw.u32 q3, [r9], #16\n\t"                                                                \
      "vadd.f32 q0, q0, q2\n\t"                                                                    \
      "vadd.f32 q1, q1, q3\n\t"                                                                    \
      "vstrw.32 q0, [r11], #16\n\t"                                                                \
      "vstrw.32 q1, [r11], #16\n\t"                                                                \
      "vmov r0, r2, s20, s21\n\t"                                                                  \
      "add r3, r0\n\t"                                                                             \
      "vmov s20, s21, r2, r0\n\t"                                                                  \
      "vmov r1, r4, s22, s23\n\t"                                                                  \
      "cmp r11, r4\n\t"                                                                            \
      "bne 1b\n\t"                                                                                 \
      "vmov r7, s26"                                                                               \
      : "+r"(at), "+r"(zeros)                                                                      \
      :                                                                                            \
      : "cc", "memory", "r1", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "q0", \
        "q1", "q2", "q3", "q4", "q5", "q6")

// Computes `groups` times eight outputs, whose sums are in the eight even registers. Scales are
// padded to complete groups. Registers:
//   r1   x                 s20, s21  increments from the first half of a panel to the second and
//   r3   the weights                 from there to the next panel
//   r5   the end of x      s22  the begin of x
//   r7   scales            s23  the end of y
//   r9   start             s24  the address of the zeros
//   r11  y                 q4   the worth
// s26 saves r7, which may be the frame pointer and then cannot be a clobber.
inline constexpr int32_t kNoSums[kOutputGroup] = {};
HWY_NOINLINE inline void RunGroups(const OutputsOfRow& row) {
  register const OutputsOfRow* at __asm__("r0") = &row;
  register const int32_t* zeros __asm__("r2") = kNoSums;
  if (row.are_bytes) {
    WEFT_OUTPUTS_OF_ROW("vldrb.u8 q0, [r1], #16\n\t" WEFT_OUTPUTS_OF_BYTES("r0", "0", "r2", "16")
                            WEFT_OUTPUTS_OF_BYTES("r4", "32", "r6", "48")
                                WEFT_OUTPUTS_OF_BYTES("r8", "64", "r10", "80")
                                    WEFT_OUTPUTS_OF_BYTES("r12", "96", "lr", "112"));
    return;
  }
  WEFT_OUTPUTS_OF_ROW(
      "vldrh.u16 q0, [r1], #16\n\t"
      "vldrh.u16 q1, [r1], #16\n\t" WEFT_OUTPUT_OF_SHORTS("r0", "0", "8")
          WEFT_OUTPUT_OF_SHORTS("r2", "16", "24") WEFT_OUTPUT_OF_SHORTS("r4", "32", "40")
              WEFT_OUTPUT_OF_SHORTS("r6", "48", "56") WEFT_OUTPUT_OF_SHORTS("r8", "64", "72")
                  WEFT_OUTPUT_OF_SHORTS("r10", "80", "88") WEFT_OUTPUT_OF_SHORTS("r12", "96", "104")
                      WEFT_OUTPUT_OF_SHORTS("lr", "112", "120"));
}

// The last outputs of a row, at most eight.
WEFT_PART void RunNarrow(const OutputsOfRow& row, size_t first, size_t outputs) {
  int32_t sums[kOutputGroup];
  const auto inputs = static_cast<size_t>(row.end - row.x);
  const int8_t* const weights = row.weights + first / kPanelOutputs * row.panel_bytes;
  const size_t width = PanelWidth(outputs);
  if (row.are_bytes) {
    SumNarrow(reinterpret_cast<const int8_t*>(row.x), 2 * inputs, weights, width, sums);
  } else {
    SumNarrow(row.x, inputs, weights, width, sums);
  }
  for (size_t n = 0; n < outputs; n += 4) {
    const mve_pred16_t some = vctp32q(static_cast<uint32_t>(outputs - n));
    const float32x4_t numbers = vcvtq_f32_s32(vldrwq_s32(sums + n));
    const float32x4_t scales = vldrwq_z_f32(row.scales + first + n, some);
    const float32x4_t scaled = vmulq_f32(vmulq_f32(numbers, vdupq_n_f32(row.worth)), scales);
    const float32x4_t start = vldrwq_z_f32(row.start + first + n, some);
    vstrwq_p_f32(row.y + first + n, vaddq_f32(scaled, start), some);
  }
}

// All outputs of a row; start may be null. Changes `row`.
WEFT_PART void RunOutputs(OutputsOfRow& row, size_t outputs) {
  if (row.start == nullptr) {
    for (size_t n = 0; n < outputs; ++n) row.y[n] = 0.0f;
    row.start = row.y;
  }
  if (row.x == row.end) {
    const float sum = 0.0f * row.worth;
    for (size_t n = 0; n < outputs; ++n) row.y[n] = sum * row.scales[n] + row.start[n];
    return;
  }
  const size_t whole = outputs / kPanelOutputs * kPanelOutputs;
  row.groups = whole / kOutputGroup;
  if (whole != 0) RunGroups(row);
  if (outputs == whole) return;
  const size_t rest = outputs - whole;
  if (rest <= kOutputGroup) return RunNarrow(row, whole, rest);
  // The last panel has fewer outputs and would write beyond y.
  float last[kPanelOutputs] = {};
  for (size_t n = 0; n < rest; ++n) last[n] = row.start[whole + n];
  float* const y = row.y + whole;
  row.scales += whole;
  row.start = row.y = last;
  row.weights += whole / kPanelOutputs * row.panel_bytes;
  row.groups = kPanelOutputs / kOutputGroup;
  RunGroups(row);
  for (size_t n = 0; n < rest; ++n) y[n] = last[n];
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DENSE_I8_HELIUM_INL_H_
