// SPDX-License-Identifier: Apache-2.0
// The loops of rows_q8_helium-inl.h, which also names their instruction counts: sums of four
// outputs of two rows, or of eight outputs of one row, and their requantisation.

#if defined(WEFT_KERNELS_MATRIX_OUTPUTS_Q8_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_OUTPUTS_Q8_HELIUM_INL_H_
#undef WEFT_KERNELS_MATRIX_OUTPUTS_Q8_HELIUM_INL_H_
#else
#define WEFT_KERNELS_MATRIX_OUTPUTS_Q8_HELIUM_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// clang-format off
// Weights of four outputs with a block of each of two rows, and of two outputs with a block of one
// row. Most loads follow a product, because a core executes half of each at the same time: 0.148
// cycles per multiply-add by llvm-mca, instead of 0.172 with the loads of both rows first.
#undef WEFT_BLOCK_OF_PAIRS
#define WEFT_BLOCK_OF_PAIRS(block)     \
  "vldrb.u8 q0, [r1], #16\n\t"        \
  "vldrw.u32 q2, [r5, #16]\n\t"       \
  "vmladava.s8 r2, q0, q2\n\t"        \
  "vldrb.u8 q1, [r3], #16\n\t"        \
  "vmladava.s8 r10, q1, q2\n\t"       \
  "vldrw.u32 q3, [r5, #32]\n\t"       \
  "vmladava.s8 r4, q0, q3\n\t"        \
  "vldrw.u32 q2, [r5, #48]\n\t"       \
  "vmladava.s8 r12, q1, q3\n\t"       \
  "vmladava.s8 r6, q0, q2\n\t"        \
  "vldrw.u32 q3, [r5], #" block "\n\t" \
  "vmladava.s8 lr, q1, q2\n\t"        \
  "vmladava.s8 r0, q0, q3\n\t"        \
  "subs r11, #1\n\t"                  \
  "vmladava.s8 r8, q1, q3\n\t"
#undef WEFT_TWO_OUTPUTS
#define WEFT_TWO_OUTPUTS(from, next, first, second)  \
  "vldrw.u32 q1, " from "\n\t"                       \
  "vmladava.s8 " first ", q0, q1\n\t"                \
  "vldrw.u32 q2, " next "\n\t"                       \
  "vmladava.s8 " second ", q0, q2\n\t"
// Joins the eight sums, sums 0 to 3 in q0.
#undef WEFT_EIGHT_SUMS
#define WEFT_EIGHT_SUMS                \
  "vmov q0[2], q0[0], r0, r4\n\t"      \
  "vmov q0[3], q0[1], r2, r6\n\t"      \
  "vmov q1[2], q1[0], r8, r12\n\t"     \
  "vmov q1[3], q1[1], r10, lr\n\t"
#undef WEFT_EIGHT_NUMBERS
#define WEFT_EIGHT_NUMBERS             \
  WEFT_EIGHT_SUMS                      \
  "vcvt.f32.s32 q0, q0\n\t"            \
  "vcvt.f32.s32 q1, q1\n\t"
// Rescales sums by the exponents, and by the mantissas in q3 (requantise.h). Halves are rounded up
// by VRSHL, so negative numbers are lowered by one first.
#undef WEFT_SHIFT_LEFT
#define WEFT_SHIFT_LEFT(sums, exponents, spare)  \
  "vmov.i32 " spare ", #0\n\t"                   \
  "vmax.s32 " spare ", " spare ", " exponents "\n\t" \
  "vshl.s32 " sums ", " sums ", " spare "\n\t"
#undef WEFT_SHIFT_RIGHT
#define WEFT_SHIFT_RIGHT(sums, exponents, spare) \
  "vand " spare ", " sums ", " exponents "\n\t"   \
  "vshr.s32 " spare ", " spare ", #31\n\t"       \
  "vqadd.s32 " sums ", " sums ", " spare "\n\t"  \
  "vrshl.s32 " sums ", " sums ", " exponents "\n\t"
// The same if all exponents are negative.
#undef WEFT_SHIFT_NEGATIVE
#define WEFT_SHIFT_NEGATIVE(sums, exponents, spare) \
  "vshr.s32 " spare ", " sums ", #31\n\t"        \
  "vqadd.s32 " sums ", " sums ", " spare "\n\t"  \
  "vrshl.s32 " sums ", " sums ", " exponents "\n\t"
// Converts rescaled sums to codes.
#undef WEFT_EIGHT_INTEGERS
#define WEFT_EIGHT_INTEGERS(low, high, zero)     \
  "vmax.s32 q0, q0, " low "\n\t"                 \
  "vmax.s32 q1, q1, " low "\n\t"                 \
  "vmin.s32 q0, q0, " high "\n\t"                \
  "vmin.s32 q1, q1, " high "\n\t"                \
  "vadd.i32 q0, q0, " zero "\n\t"                \
  "vadd.i32 q1, q1, " zero "\n\t"
// Requantises the floats. VMAXNM with a NaN returns the other operand.
#undef WEFT_EIGHT_CODES
#define WEFT_EIGHT_CODES(low, high, zero)  \
  "vmaxnm.f32 q0, q0, " low "\n\t"          \
  "vmaxnm.f32 q1, q1, " low "\n\t"          \
  "vminnm.f32 q0, q0, " high "\n\t"         \
  "vminnm.f32 q1, q1, " high "\n\t"         \
  "vcvtn.s32.f32 q0, q0\n\t"                \
  "vcvtn.s32.f32 q1, q1\n\t"                \
  "vadd.i32 q0, q0, " zero "\n\t"           \
  "vadd.i32 q1, q1, " zero "\n\t"
// clang-format on

// Pairs of rows in complete blocks, four outputs at a time. The assembly depends
// on the offsets of the fields: it loads `first` to `y` as a block per four outputs, `zero` to
// `blocks` per pair, and `begins` as initial sums.
struct PairsOfRows {
  const int32_t* first;
  const int8_t* x;
  const float* scales;
  const int8_t* other;
  const float* start;
  const int8_t* weights;
  size_t groups;
  int8_t* y;
  size_t to_panel;  // from the end of a panel's first block of weights to the next panel
  uint32_t kept;    // saves r7, which may be the frame pointer and then cannot be a clobber
  float low, high;
  int32_t zero;
  size_t y_step, x_step, weight_bytes;
  int8_t* y_end;  // of the previous outputs
  size_t blocks;
  int32_t begins[8];
};
static_assert(offsetof(PairsOfRows, begins) == 72 && sizeof(PairsOfRows) == 104, "no gaps");

// The results of both rows: floats, or codes by integers.
#undef WEFT_FLOATS_OF_PAIRS
#define WEFT_FLOATS_OF_PAIRS                \
  WEFT_EIGHT_NUMBERS                        \
  "vmul.f32 q0, q0, q4\n\t"                 \
  "vmul.f32 q1, q1, q4\n\t"                 \
  "ldmdb r9, {r0, r2, r4, r6, r8, r11}\n\t" \
  "vadd.f32 q0, q0, q5\n\t"                 \
  "vadd.f32 q1, q1, q5\n\t"
#undef WEFT_INTEGERS_OF_PAIRS
#define WEFT_INTEGERS_OF_PAIRS                                        \
  WEFT_EIGHT_SUMS                                                     \
  "vqrdmulh.s32 q0, q0, q4\n\t"                                       \
  "vqrdmulh.s32 q1, q1, q4\n\t" WEFT_SHIFT_NEGATIVE("q0", "q5", "q3") \
      WEFT_SHIFT_NEGATIVE("q1", "q5", "q3") "ldmdb r9, {r0, r2, r4, r6, r8, r11}\n\t"
// The same for exponents of any sign.
#undef WEFT_SHIFTED_PAIRS
#define WEFT_SHIFTED_PAIRS                                     \
  WEFT_EIGHT_SUMS                                              \
  WEFT_SHIFT_LEFT("q0", "q5", "q2")                            \
  "vshl.s32 q1, q1, q2\n\t"                                    \
  "vqrdmulh.s32 q0, q0, q4\n\t"                                \
  "vqrdmulh.s32 q1, q1, q4\n\t"                                \
  "vmov.i32 q2, #0\n\t"                                        \
  "vmin.s32 q2, q2, q5\n\t" WEFT_SHIFT_RIGHT("q0", "q2", "q3") \
      WEFT_SHIFT_RIGHT("q1", "q2", "q3") "ldmdb r9, {r0, r2, r4, r6, r8, r11}\n\t"

#undef WEFT_OUTPUTS_OF_PAIRS
#define WEFT_OUTPUTS_OF_PAIRS(four, block, numbers, results)                                       \
  __asm__ volatile(                                                                                \
      "add r9, #72\n\t"                                                                            \
      "str r7, [r9, #-36]\n\t"                                                                     \
      "ldrd r4, r6, [r9, #-32]\n\t"                                                                \
      "vdup.32 q6, r4\n\t"                                                                         \
      "vdup.32 q7, r6\n"                                                                           \
      "1:\n\t"                                                                                     \
      "sub lr, r9, #72\n\t"                                                                        \
      "ldm lr, {r0, r1, r2, r3, r4, r5, r6, r7}\n\t"                                               \
      "vldrw.u32 q0, [r0], #16\n\t"                                                                \
      "vldrw.u32 q4, [r2], #16\n\t"                                                                \
      "vldrw.u32 q5, [r4], #16\n\t"                                                                \
      "vstrw.32 q0, [r9]\n\t"                                                                      \
      "vstrw.32 q0, [r9, #16]\n\t"                                                                 \
      "add r8, r5, #64\n\t"                                                                        \
      "subs r6, #1\n\t"                                                                            \
      "tst r6, #3\n\t"                                                                             \
      "itt eq\n\t"                                                                                 \
      "ldreq r10, [r9, #-40]\n\t"                                                                  \
      "addeq r8, r10\n\t"                                                                          \
      "add r10, r7, #" four                                                                        \
      "\n\t"                                                                                       \
      "str r0, [lr]\n\t"                                                                           \
      "str r2, [lr, #8]\n\t"                                                                       \
      "strd r4, r8, [lr, #16]\n\t"                                                                 \
      "strd r6, r10, [lr, #24]\n\t"                                                                \
      "ldrd r8, r11, [r9, #-8]\n\t"                                                                \
      "add r8, #" four                                                                             \
      "\n\t"                                                                                       \
      "str r8, [r9, #-8]\n"                                                                        \
      "2:\n\t"                                                                                     \
      "ldm r9, {r0, r2, r4, r6, r8, r10, r12, lr}\n"                                               \
      "3:\n\t" WEFT_BLOCK_OF_PAIRS(block) "bne 3b\n\t" numbers results                             \
                                          "add r1, r4\n\t"                                         \
                                          "add r3, r4\n\t"                                         \
                                          "sub r5, r6\n\t"                                         \
                                          "cmp r7, r8\n\t"                                         \
                                          "bne 2b\n\t"                                             \
                                          "ldr r0, [r9, #-48]\n\t"                                 \
                                          "cmp r0, #0\n\t"                                         \
                                          "bne 1b\n\t"                                             \
                                          "ldr r7, [r9, #-36]"                                     \
      : "+r"(at)                                                                                   \
      :                                                                                            \
      : "cc", "memory", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r10", "r11", "r12", "lr", \
        "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7")

// kShiftedCodes: integer codes with exponents of any sign.
enum class RowResults : uint8_t { kFloats, kCodes, kIntegerCodes, kShiftedCodes };

#undef WEFT_CODES_OF_PAIRS
#define WEFT_CODES_OF_PAIRS \
  "vstrb.32 q0, [r7]\n\t"   \
  "add r7, r2\n\t"          \
  "vstrb.32 q1, [r7]\n\t"   \
  "add r7, r2\n\t"

// If kIsNarrow, panels are eight outputs wide, and results are kCodes or kIntegerCodes.
template <RowResults results, bool kIsNarrow>
HWY_INLINE void OutputsOfPairs(PairsOfRows& pairs) {
  register PairsOfRows* at __asm__("r9") = &pairs;
  if constexpr (results == RowResults::kFloats) {
    WEFT_OUTPUTS_OF_PAIRS("16", "256", WEFT_FLOATS_OF_PAIRS,
                          "vstrw.32 q0, [r7]\n\t"
                          "add r7, r2\n\t"
                          "vstrw.32 q1, [r7]\n\t"
                          "add r7, r2\n\t");
  } else if constexpr (results == RowResults::kIntegerCodes && kIsNarrow) {
    WEFT_OUTPUTS_OF_PAIRS("4", "128", WEFT_INTEGERS_OF_PAIRS,
                          WEFT_EIGHT_INTEGERS("q6", "q7", "r0") WEFT_CODES_OF_PAIRS);
  } else if constexpr (results == RowResults::kIntegerCodes) {
    WEFT_OUTPUTS_OF_PAIRS("4", "256", WEFT_INTEGERS_OF_PAIRS,
                          WEFT_EIGHT_INTEGERS("q6", "q7", "r0") WEFT_CODES_OF_PAIRS);
  } else if constexpr (results == RowResults::kShiftedCodes) {
    WEFT_OUTPUTS_OF_PAIRS("4", "256", WEFT_SHIFTED_PAIRS,
                          WEFT_EIGHT_INTEGERS("q6", "q7", "r0") WEFT_CODES_OF_PAIRS);
  } else if constexpr (kIsNarrow) {
    WEFT_OUTPUTS_OF_PAIRS("4", "128", WEFT_FLOATS_OF_PAIRS,
                          WEFT_EIGHT_CODES("q6", "q7", "r0") WEFT_CODES_OF_PAIRS);
  } else {
    WEFT_OUTPUTS_OF_PAIRS("4", "256", WEFT_FLOATS_OF_PAIRS,
                          WEFT_EIGHT_CODES("q6", "q7", "r0") WEFT_CODES_OF_PAIRS);
  }
}

// Eight outputs of one row at a time, up to y_end. The assembly depends on the offsets of the
// fields: it loads `zero` to `fours` as a block per eight outputs, and `first` to `high` as a block
// at the start.
struct GroupsOfRow {
  int32_t zero;  // in kCodes: 2 * zero point, plus 1 if results are floats
  const int8_t* x;
  ptrdiff_t to_start;  // from scales
  // Distance from the end of a group's weights to the next group of its panel, and to the next
  // panel. They are exchanged after each group.
  size_t to_group, to_panel;
  int8_t* y_end;
  int32_t fours;  // inputs in fours of blocks, minus 1 if there are others; at least 1, or -1
  const int32_t* first;
  const int8_t* weights;
  int8_t* y;
  const float* scales;
  size_t rest;  // other inputs; in kShiftedCodes all
  float low, high;
  uint32_t kept;  // saves r7, which may be the frame pointer and then cannot be a clobber
};
static_assert(offsetof(GroupsOfRow, first) == 28 && sizeof(GroupsOfRow) == 60, "no gaps");

// clang-format off
// A block of the row in q0 with the weights of eight outputs.
#undef WEFT_EIGHT_OUTPUTS
#define WEFT_EIGHT_OUTPUTS                                  \
  WEFT_TWO_OUTPUTS("[r5, #16]", "[r5, #32]", "r2", "r4")    \
  WEFT_TWO_OUTPUTS("[r5, #48]", "[r5, #64]", "r6", "r8")    \
  WEFT_TWO_OUTPUTS("[r5, #80]", "[r5, #96]", "r10", "r12")  \
  WEFT_TWO_OUTPUTS("[r5, #112]", "[r5], #256", "lr", "r0")
#undef WEFT_FOURS_OF_BLOCKS
#define WEFT_FOURS_OF_BLOCKS                                \
  "cmp r11, #0\n\t"                                         \
  "blt 6f\n"                                                \
  "2:\n\t"                                                  \
  "vldrb.u8 q0, [r1], #16\n\t"                              \
  "subs r11, #64\n\t"                                       \
  WEFT_EIGHT_OUTPUTS                                        \
  "vldrb.u8 q0, [r1], #16\n\t"                              \
  WEFT_EIGHT_OUTPUTS                                        \
  "vldrb.u8 q0, [r1], #16\n\t"                              \
  WEFT_EIGHT_OUTPUTS                                        \
  "vldrb.u8 q0, [r1], #16\n\t"                              \
  WEFT_EIGHT_OUTPUTS                                        \
  "bgt 2b\n\t"                                              \
  "beq 7f\n"
// r12 is the address of the structure after the products. q0 has the even sums, q1 the odd ones.
#undef WEFT_OUTPUTS_OF_GROUPS
#define WEFT_OUTPUTS_OF_GROUPS(begin, fours, numbers, end)  \
  __asm__ volatile(                                         \
      "str r7, [r0, #56]\n\t"                               \
      "ldr r1, [r0, #4]\n\t"                                \
      "ldr r11, [r0, #24]\n\t"                              \
      "add r2, r0, #28\n\t"                                 \
      "ldm r2, {r3, r5, r7, r9, r10, r12, lr}\n\t"          \
      "vmov s24, s25, r0, r10\n\t"                          \
      begin                                                 \
      "\n"                                                  \
      "1:\n\t"                                              \
      "ldm r3!, {r0, r2, r4, r6, r8, r10, r12, lr}\n\t"     \
      fours                                                 \
      "6:\n\t"                                              \
      "vmov r11, s25\n"                                     \
      "8:\n\t"                                              \
      "vctp.8 r11\n\t"                                      \
      "vpst\n\t"                                            \
      "vldrbt.u8 q0, [r1], #16\n\t"                         \
      "subs r11, #16\n\t"                                   \
      WEFT_EIGHT_OUTPUTS                                    \
      "bgt 8b\n"                                            \
      "7:\n\t"                                              \
      "vmov q0[2], q0[0], r0, r8\n\t"                       \
      "vmov q0[3], q0[1], r4, r12\n\t"                      \
      "vmov q1[2], q1[0], r2, r10\n\t"                      \
      "vmov q1[3], q1[1], r6, lr\n\t"                       \
      "vmov r12, s24\n\t"                                   \
      "ldm r12, {r0, r1, r2, r4, r6, r8, r11}\n\t"          \
      "add r2, r9\n\t"                                      \
      numbers                                               \
      "4:\n\t"                                              \
      "strd r6, r4, [r12, #12]\n\t"                         \
      "add r5, r4\n\t"                                      \
      "cmp r7, r8\n\t"                                      \
      "bne 1b\n\t"                                          \
      end                                                   \
      "ldr r7, [r12, #56]"                                  \
      : "+r"(at)                                            \
      :                                                     \
      : "cc", "memory", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", \
        "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7")
#undef WEFT_LOAD_EIGHT
#define WEFT_LOAD_EIGHT(from, next)                         \
  "vld20.32 {q2, q3}, [" from "]\n\t"                       \
  "vld21.32 {q2, q3}, [" from "]" next "\n\t"
// Writes eight codes. Sums are within 16 bits once they are limited, and so is the zero point.
#undef WEFT_WRITE_EIGHT
#define WEFT_WRITE_EIGHT(limit)                             \
  "vqmovnb.s32 q0, q0\n\t"                                  \
  "vqmovnt.s32 q0, q1\n\t"                                  \
  limit                                                     \
  "vadd.i16 q0, q0, r0\n\t"                                 \
  "vstrb.16 q0, [r7], #8\n"
#undef WEFT_WRITE_INTEGERS
#define WEFT_WRITE_INTEGERS                                 \
  WEFT_WRITE_EIGHT("vmax.s16 q0, q0, q4\n\t"                \
                   "vmin.s16 q0, q0, q5\n\t")
#undef WEFT_INTEGER_BOUNDS
#define WEFT_INTEGER_BOUNDS                                 \
  "vdup.16 q4, r12\n\t"                                     \
  "vdup.16 q5, lr\n\t"
// clang-format on

// Returns false if an exponent is not negative and results are kIntegerCodes; they may then be
// wrong.
template <RowResults results>
HWY_INLINE bool OutputsOfGroups(GroupsOfRow& groups) {
  register GroupsOfRow* at __asm__("r0") = &groups;
  if constexpr (results == RowResults::kIntegerCodes) {
    WEFT_OUTPUTS_OF_GROUPS(WEFT_INTEGER_BOUNDS "vmov.i8 q7, #0xFF", WEFT_FOURS_OF_BLOCKS,
                           WEFT_LOAD_EIGHT("r9", "!")
                           "vqrdmulh.s32 q0, q0, q2\n\t"
                           "vqrdmulh.s32 q1, q1, q3\n\t"
                           "vshr.s32 q2, q0, #31\n\t"
                           "vqadd.s32 q0, q0, q2\n\t"
                           "vshr.s32 q3, q1, #31\n\t"
                           "vqadd.s32 q1, q1, q3\n\t"
                           WEFT_LOAD_EIGHT("r2", "")
                           "vrshl.s32 q0, q0, q2\n\t"
                           "vmax.s32 q7, q7, q2\n\t"
                           "vrshl.s32 q1, q1, q3\n\t"
                           "vmax.s32 q7, q7, q3\n\t" WEFT_WRITE_INTEGERS,
                           "mvn r0, #0\n\t"
                           "vmaxv.s32 r0, q7\n\t");
    return reinterpret_cast<intptr_t>(at) < 0;
  } else if constexpr (results == RowResults::kShiftedCodes) {
    WEFT_OUTPUTS_OF_GROUPS(WEFT_INTEGER_BOUNDS, "",
                           WEFT_LOAD_EIGHT("r2", "")
                           WEFT_SHIFT_LEFT("q0", "q2", "q7")
                           WEFT_SHIFT_LEFT("q1", "q3", "q7")
                           WEFT_LOAD_EIGHT("r9", "!")
                           "vqrdmulh.s32 q0, q0, q2\n\t"
                           "vqrdmulh.s32 q1, q1, q3\n\t"
                           WEFT_LOAD_EIGHT("r2", "")
                           "vmov.i32 q7, #0\n\t"
                           "vmin.s32 q2, q2, q7\n\t"
                           "vmin.s32 q3, q3, q7\n\t"
                           WEFT_SHIFT_RIGHT("q0", "q2", "q7")
                           WEFT_SHIFT_RIGHT("q1", "q3", "q7") WEFT_WRITE_INTEGERS,
                           "");
  } else {
    WEFT_OUTPUTS_OF_GROUPS("vdup.32 q4, r12\n\t"
                           "vdup.32 q5, lr\n\t",
                           WEFT_FOURS_OF_BLOCKS,
                           "vcvt.f32.s32 q0, q0\n\t"
                           "vcvt.f32.s32 q1, q1\n\t"
                           WEFT_LOAD_EIGHT("r9", "!")
                           "vmul.f32 q0, q0, q2\n\t"
                           "vmul.f32 q1, q1, q3\n\t"
                           WEFT_LOAD_EIGHT("r2", "")
                           "vadd.f32 q0, q0, q2\n\t"
                           "vadd.f32 q1, q1, q3\n\t"
                           "asrs r0, r0, #1\n\t"
                           "bcs 3f\n\t"
                           "vmaxnm.f32 q0, q0, q4\n\t"
                           "vmaxnm.f32 q1, q1, q4\n\t"
                           "vminnm.f32 q0, q0, q5\n\t"
                           "vminnm.f32 q1, q1, q5\n\t"
                           "vcvtn.s32.f32 q0, q0\n\t"
                           "vcvtn.s32.f32 q1, q1\n\t"
                           WEFT_WRITE_EIGHT("")
                           "b 4f\n"
                           "3:\n\t"
                           "vst20.32 {q0, q1}, [r7]\n\t"
                           "vst21.32 {q0, q1}, [r7]!\n",
                           "");
  }
  return true;
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_OUTPUTS_Q8_HELIUM_INL_H_
