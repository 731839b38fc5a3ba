// SPDX-License-Identifier: Apache-2.0
// ReLU on floats just stored, for Cortex-M with a scalar FPU, with integer instructions: 2.5 per
// float instead of 6 with comparisons. A float is below zero if the two's complement of its bits is
// positive. -0 is its own complement and stays -0, as required. A NaN stays if its sign is clear,
// which DefaultNan ensures during the sums.

#if defined(WEFT_KERNELS_MATRIX_RELU_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_RELU_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_RELU_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_RELU_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// While an instance exists, every NaN result of arithmetic is the default NaN, whose sign is clear.
// For assembly only: a compiler may move its own arithmetic out of the scope.
class DefaultNan {
 public:
  DefaultNan() {
    __asm__ volatile("vmrs %0, fpscr" : "=r"(saved_));
    Write(saved_ | kDefaultNan);
  }
  ~DefaultNan() { Write(saved_); }
  DefaultNan(const DefaultNan&) = delete;
  DefaultNan& operator=(const DefaultNan&) = delete;

 private:
  static constexpr uint32_t kDefaultNan = uint32_t{1} << 25;  // FPSCR.DN
  static void Write(uint32_t word) { __asm__ volatile("vmsr fpscr, %0" : : "r"(word) : "memory"); }

  uint32_t saved_;
};

#undef WEFT_RELU_FOUR
#define WEFT_RELU_FOUR                \
  "ldmia %[x]!, {r4, r5, r6, r8}\n\t" \
  "rsbs r3, r4, #0\n\t"               \
  "and r4, r4, r3, asr #31\n\t"       \
  "rsbs r3, r5, #0\n\t"               \
  "and r5, r5, r3, asr #31\n\t"       \
  "rsbs r3, r6, #0\n\t"               \
  "and r6, r6, r3, asr #31\n\t"       \
  "rsb r3, r8, #0\n\t"                \
  "and r8, r8, r3, asr #31\n\t"       \
  "stmia %[y]!, {r4, r5, r6, r8}\n\t"

// y[i] = x[i] < 0 ? 0 : x[i] for four floats, or for 8 * `eights` floats, `eights` at least 1; y
// may be x.
HWY_INLINE void ReluFour(const float* x, float* y) {
  __asm__ volatile(WEFT_RELU_FOUR
                   : [x] "+r"(x), [y] "+r"(y)
                   :
                   : "cc", "memory", "r3", "r4", "r5", "r6", "r8");
}
HWY_INLINE void ReluEights(const float* x, float* y, size_t eights) {
  __asm__ volatile("1:\n\t" WEFT_RELU_FOUR WEFT_RELU_FOUR
                   "subs %[eights], #1\n\t"
                   "bne 1b"
                   : [x] "+r"(x), [y] "+r"(y), [eights] "+r"(eights)
                   :
                   : "cc", "memory", "r3", "r4", "r5", "r6", "r8");
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_RELU_CORTEX_M_INL_H_
