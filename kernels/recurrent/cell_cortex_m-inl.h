// SPDX-License-Identifier: Apache-2.0
// A gate of a block of a fused cell on Cortex-M with a scalar FPU, in addition to
// panel_cortex_m-inl.h. The weights of the other gates are between those of one column and the
// next. Each iteration processes four columns; the first one processes those beyond a multiple of
// four. 1.24 instructions per multiply-add, 2.24 with f16 weights.

#if defined(WEFT_KERNELS_RECURRENT_CELL_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_CELL_CORTEX_M_INL_H_
#undef WEFT_KERNELS_RECURRENT_CELL_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_CELL_CORTEX_M_INL_H_
#endif

#include "kernels/matrix/panel-inl.h"

// clang-format off
#undef WEFT_CELL_COLUMN
#define WEFT_CELL_COLUMN(eight, x) WEFT_SIXTEEN(eight, x) "add %[weights], %[skip]\n\t"
#undef WEFT_ADD_CELL_ROW
#define WEFT_ADD_CELL_ROW(eight)                                      \
  __asm__ volatile(                                                   \
      "vldmia %[from], {s0-s15}\n\t"                                  \
      "cbz %[rest], 1f\n\t"                                           \
      "cmp %[rest], #2\n\t"                                           \
      "bhi 6f\n\t"                                                    \
      "beq 5f\n\t"                                                    \
      "vldmia %[x]!, {s27}\n\t"                                       \
      "b 4f\n"                                                        \
      "5:\n\t"                                                        \
      "vldmia %[x]!, {s26-s27}\n\t"                                   \
      "b 3f\n"                                                        \
      "6:\n\t"                                                        \
      "vldmia %[x]!, {s25-s27}\n\t"                                   \
      "b 2f\n"                                                        \
      "1:\n\t"                                                        \
      "vldmia %[x]!, {s24-s27}\n\t"                                   \
      WEFT_CELL_COLUMN(eight, "s24")                                  \
      "2:\n\t"                                                        \
      WEFT_CELL_COLUMN(eight, "s25")                                  \
      "3:\n\t"                                                        \
      WEFT_CELL_COLUMN(eight, "s26")                                  \
      "4:\n\t"                                                        \
      WEFT_CELL_COLUMN(eight, "s27")                                  \
      "subs %[turns], #1\n\t"                                         \
      "bne 1b\n\t"                                                    \
      "vstmia %[to], {s0-s15}"                                        \
      : [x] "+r"(x), [weights] "+r"(weights), [turns] "+l"(iterations)     \
      : [from] "r"(from), [to] "r"(to), [rest] "l"(rest), [skip] "r"(skip_bytes) \
      : "cc", "memory", WEFT_ALL_FLOATS)
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// to[n] = fma(x[k], weights[k * panels * 16 + n], from[n]) for n < 16 and k = 0 .. count - 1, count
// at least 1; to may be from.
template <class Weights>
HWY_NOINLINE void AddPanelRow(const float* from, float* to, const float* x, Weights weights,
                              size_t panels, size_t count) {
  if constexpr (!kHasLoads<Weights>) {
    AddRowWidened(from, to, x, 1, weights, panels * kPanel, count);
  } else {
    const size_t rest = count % 4;
    const size_t skip_bytes = (panels - 1) * kPanel * sizeof(*weights);
    size_t iterations = (count + 3) / 4;
    if constexpr (std::is_same<Weights, const float*>::value) {
      WEFT_ADD_CELL_ROW(WEFT_EIGHT_FLOATS);
    } else {
      WEFT_ADD_CELL_ROW(WEFT_EIGHT_HALVES);
    }
  }
}

// The same for a gate of full blocks.
template <size_t kGates, class Weights>
HWY_INLINE void AddCellRow(const float* from, float* to, const float* x, Weights weights,
                           size_t count) {
  AddPanelRow(from, to, x, weights, kGates, count);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_CELL_CORTEX_M_INL_H_
