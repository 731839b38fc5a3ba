// SPDX-License-Identifier: Apache-2.0
// A gate of a block of a fused cell on Cortex-M with Helium, in addition to panel_helium-inl.h. The
// weights of the other gates are between those of one column and the next; the last load of a
// column skips them.

#if defined(WEFT_KERNELS_RECURRENT_CELL_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_CELL_HELIUM_INL_H_
#undef WEFT_KERNELS_RECURRENT_CELL_HELIUM_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_CELL_HELIUM_INL_H_
#endif

#include "kernels/matrix/panel-inl.h"

// clang-format off
// As WEFT_COLUMN, then advances by the given number of bytes from the last four weights (`floats`
// for f32, `halves` for f16).
#undef WEFT_CELL_COLUMN
#define WEFT_CELL_COLUMN(four, x, floats, halves) \
  four("f", "16", "8")                            \
  four("g", "16", "8")                            \
  "vfma.f32 %q[a], %q[f], " x "\n\t"              \
  four("f", "16", "8")                            \
  "vfma.f32 %q[b], %q[g], " x "\n\t"              \
  four("g", floats, halves)                       \
  "vfma.f32 %q[c], %q[f], " x "\n\t"              \
  "vfma.f32 %q[d], %q[g], " x "\n\t"
// clang-format on

#undef WEFT_ADD_CELL_ROW
#define WEFT_ADD_CELL_ROW(four, address, floats, halves)                                           \
  __asm__ volatile(                                                                                \
      "dls lr, %[turns]\n"                                                                         \
      "1:\n\t"                                                                                     \
      "ldm %[x]!, {r4, r5, r6, r8}\n\t" WEFT_CELL_COLUMN(four, "r4", floats, halves)               \
          WEFT_CELL_COLUMN(four, "r5", floats, halves) WEFT_CELL_COLUMN(                           \
              four, "r6", floats, halves) WEFT_CELL_COLUMN(four, "r8", floats, halves) "le lr, 1b" \
      : [x] "+r"(x), [weights] "+" address(weights), [a] "+w"(a), [b] "+w"(b), [c] "+w"(c),        \
        [d] "+w"(d), [f] "=&w"(f), [g] "=&w"(g)                                                    \
      : [turns] "r"(count / 4)                                                                     \
      : "memory", "lr", "r4", "r5", "r6", "r8")
#undef WEFT_ADD_CELL_ROW_OF_4
#define WEFT_ADD_CELL_ROW_OF_4(four, address) WEFT_ADD_CELL_ROW(four, address, "208", "104")
#undef WEFT_ADD_CELL_ROW_OF_3
#define WEFT_ADD_CELL_ROW_OF_3(four, address) WEFT_ADD_CELL_ROW(four, address, "144", "72")
#undef WEFT_ADD_CELL_ROW_OF_2
#define WEFT_ADD_CELL_ROW_OF_2(four, address) WEFT_ADD_CELL_ROW(four, address, "80", "40")
#undef WEFT_ADD_CELL_ROW_OF_1
#define WEFT_ADD_CELL_ROW_OF_1(four, address) WEFT_ADD_CELL_ROW(four, address, "16", "8")

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// to[n] = fma(x[k], weights[k * 16 * kGates + n], from[n]) for n < 16 and k = 0 .. count - 1; to
// may be from.
template <size_t kGates, class Weights>
HWY_NOINLINE void AddCellRow(const float* from, float* to, const float* x, Weights weights,
                             size_t count) {
  static_assert(kGates >= 1 && kGates <= 4, "the assembly supports 1 to 4 gates");
  float32x4_t a = vldrwq_f32(from), b = vldrwq_f32(from + 4);
  float32x4_t c = vldrwq_f32(from + 8), d = vldrwq_f32(from + 12);
  if constexpr (kHasLoads<Weights>) {
    if (count >= 4) {
      float32x4_t f, g;
      if constexpr (kGates == 4) {
        WEFT_BY_WEIGHT(WEFT_ADD_CELL_ROW_OF_4)
      } else if constexpr (kGates == 3) {
        WEFT_BY_WEIGHT(WEFT_ADD_CELL_ROW_OF_3)
      } else if constexpr (kGates == 2) {
        WEFT_BY_WEIGHT(WEFT_ADD_CELL_ROW_OF_2)
      } else {
        WEFT_BY_WEIGHT(WEFT_ADD_CELL_ROW_OF_1)
      }
    }
    count %= 4;
  }
#pragma clang loop unroll(disable)
  for (; count != 0; --count, ++x, weights += kGates * kPanel) {
    a = vfmaq_n_f32(a, LoadFour(weights, 0), *x);
    b = vfmaq_n_f32(b, LoadFour(weights, 4), *x);
    c = vfmaq_n_f32(c, LoadFour(weights, 8), *x);
    d = vfmaq_n_f32(d, LoadFour(weights, 12), *x);
  }
  vstrwq_f32(to, a);
  vstrwq_f32(to + 4, b);
  vstrwq_f32(to + 8, c);
  vstrwq_f32(to + 12, d);
}

// to[n] = fma(x[k], weights[k * panels * 16 + n], from[n]) for n < 16 and k = 0 .. count - 1; to
// may be from. For the few remaining units, which do not fill a block.
template <class Weights>
HWY_NOINLINE void AddPanelRow(const float* from, float* to, const float* x, Weights weights,
                              size_t panels, size_t count) {
  float32x4_t a = vldrwq_f32(from), b = vldrwq_f32(from + 4);
  float32x4_t c = vldrwq_f32(from + 8), d = vldrwq_f32(from + 12);
#pragma clang loop unroll(disable)
  for (size_t k = 0; k < count; ++k, weights += panels * kPanel) {
    a = vfmaq_n_f32(a, LoadFour(weights, 0), x[k]);
    b = vfmaq_n_f32(b, LoadFour(weights, 4), x[k]);
    c = vfmaq_n_f32(c, LoadFour(weights, 8), x[k]);
    d = vfmaq_n_f32(d, LoadFour(weights, 12), x[k]);
  }
  vstrwq_f32(to, a);
  vstrwq_f32(to + 4, b);
  vstrwq_f32(to + 8, c);
  vstrwq_f32(to + 12, d);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_CELL_HELIUM_INL_H_
