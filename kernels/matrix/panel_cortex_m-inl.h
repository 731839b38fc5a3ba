// SPDX-License-Identifier: Apache-2.0
// The tile of panel-inl.h for Cortex-M with a scalar FPU. Sums are in memory between the calls and
// in sixteen registers during the loops: one row, or half a panel of two rows at a time, which
// share each weight. The loops are assembly, because compilers do not load eight weights with one
// instruction. Loops process two or four columns per iteration; the first iteration handles the
// remainder. Instructions per multiply-add: one row 1.22, two rows 1.19, any strides 1.38; with f16
// weights 2.22, 1.69 and 2.38. Results are bit-identical to those of the other targets.

#if defined(WEFT_KERNELS_MATRIX_PANEL_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_PANEL_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_PANEL_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_PANEL_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <type_traits>

#include "kernels/matrix/relu_cortex_m-inl.h"
#include "kernels/matrix/weights_cortex_m-inl.h"

// clang-format off
// One instruction per line.

// Eight weights in s16 to s23 times the column in register x: into s0 to s7, or into s8 to s15.
#undef WEFT_LOW_EIGHT
#define WEFT_LOW_EIGHT(x)       \
  "vfma.f32 s0, s16, " x "\n\t" \
  "vfma.f32 s1, s17, " x "\n\t" \
  "vfma.f32 s2, s18, " x "\n\t" \
  "vfma.f32 s3, s19, " x "\n\t" \
  "vfma.f32 s4, s20, " x "\n\t" \
  "vfma.f32 s5, s21, " x "\n\t" \
  "vfma.f32 s6, s22, " x "\n\t" \
  "vfma.f32 s7, s23, " x "\n\t"
#undef WEFT_HIGH_EIGHT
#define WEFT_HIGH_EIGHT(x)       \
  "vfma.f32 s8, s16, " x "\n\t"  \
  "vfma.f32 s9, s17, " x "\n\t"  \
  "vfma.f32 s10, s18, " x "\n\t" \
  "vfma.f32 s11, s19, " x "\n\t" \
  "vfma.f32 s12, s20, " x "\n\t" \
  "vfma.f32 s13, s21, " x "\n\t" \
  "vfma.f32 s14, s22, " x "\n\t" \
  "vfma.f32 s15, s23, " x "\n\t"
// One column of one row, with weights loaded by `eight`.
#undef WEFT_SIXTEEN
#define WEFT_SIXTEEN(eight, x)   \
  eight WEFT_LOW_EIGHT(x)        \
  eight WEFT_HIGH_EIGHT(x)
#undef WEFT_SIXTEEN_STRIDED
#define WEFT_SIXTEEN_STRIDED(eight) \
  "vldr s24, [%[x]]\n\t"            \
  "add %[x], %[x_step]\n\t"         \
  WEFT_SIXTEEN(eight, "s24")        \
  "add %[weights], %[skip]\n\t"
// One column of two rows; `bytes` is the size of the other half of the panel, which is skipped.
#undef WEFT_EIGHT_OF_TWO
#define WEFT_EIGHT_OF_TWO(eight, bytes, x0, x1) \
  eight                                         \
  "adds %[weights], #" bytes "\n\t"             \
  WEFT_LOW_EIGHT(x0)                            \
  WEFT_HIGH_EIGHT(x1)
// clang-format on

#undef WEFT_ALL_FLOATS
#define WEFT_ALL_FLOATS                                                                          \
  "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", \
      "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", \
      "s28", "s29", "s30", "s31"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The functions below are not inlined, so that dense, conv and matmul share one copy of each.

// True for weight types that the assembly below loads directly.
template <class Weights>
inline constexpr bool kHasLoads =
    std::is_same<Weights, const float*>::value || std::is_same<Weights, const F16*>::value;

// The same sum as AddRow's with any strides. Weights are widened to floats on the stack, a few
// columns at a time.
template <class Weights>
HWY_NOINLINE void AddRowWidened(const float* from, float* to, const float* x, size_t x_step,
                                Weights weights, size_t weight_step, size_t count);

#undef WEFT_ADD_ROW
#define WEFT_ADD_ROW(eight) \
  __asm__ volatile(                                               \
      "vldmia %[from], {s0-s15}\n\t"                              \
      "cbz %[rest], 1f\n\t"                                       \
      "vldmia %[x]!, {s25}\n\t"                                   \
      "b 2f\n"                                                    \
      "1:\n\t"                                                    \
      "vldmia %[x]!, {s24-s25}\n\t"                               \
      WEFT_SIXTEEN(eight, "s24")                                  \
      "2:\n\t"                                                    \
      WEFT_SIXTEEN(eight, "s25")                                  \
      "subs %[turns], #1\n\t"                                     \
      "bne 1b\n\t"                                                \
      "vstmia %[to], {s0-s15}"                                    \
      : [x] "+r"(x), [weights] "+r"(weights), [turns] "+l"(iterations) \
      : [from] "r"(from), [to] "r"(to), [rest] "l"(rest)          \
      : "cc", "memory", WEFT_ALL_FLOATS)

// to[n] = fma(x[k], weights[k * 16 + n], from[n]) for n < 16 and k = 0 .. count - 1, count at least
// 1; to may be from.
template <class Weights>
HWY_NOINLINE void AddRow(const float* from, float* to, const float* x, Weights weights,
                         size_t count) {
  if constexpr (!kHasLoads<Weights>) {
    AddRowWidened(from, to, x, 1, weights, kPanel, count);
  } else {
    const size_t rest = count % 2;
    size_t iterations = (count + 1) / 2;
    if constexpr (std::is_same<Weights, const float*>::value) {
      WEFT_ADD_ROW(WEFT_EIGHT_FLOATS);
    } else {
      WEFT_ADD_ROW(WEFT_EIGHT_HALVES);
    }
  }
}

#undef WEFT_ADD_ROW_STRIDED
#define WEFT_ADD_ROW_STRIDED(eight) \
  __asm__ volatile(                                                                   \
      "vldmia %[from], {s0-s15}\n\t"                                                  \
      "cmp %[rest], #0\n\t"                                                           \
      "bne 2f\n"                                                                      \
      "1:\n\t" WEFT_SIXTEEN_STRIDED(eight) "2:\n\t" WEFT_SIXTEEN_STRIDED(eight)       \
      "subs %[turns], #1\n\t"                                                         \
      "bne 1b\n\t"                                                                    \
      "vstmia %[to], {s0-s15}"                                                        \
      : [x] "+r"(x), [weights] "+r"(weights), [turns] "+l"(iterations)                     \
      : [from] "r"(from), [to] "r"(to), [rest] "l"(rest), [x_step] "r"(x_step_bytes), \
        [skip] "r"(skip_bytes)                                                        \
      : "cc", "memory", WEFT_ALL_FLOATS)

// The same with any strides.
template <class Weights>
HWY_NOINLINE void AddRowStrided(const float* from, float* to, const float* x, size_t x_step,
                                Weights weights, size_t weight_step, size_t count) {
  if constexpr (!kHasLoads<Weights>) {
    AddRowWidened(from, to, x, x_step, weights, weight_step, count);
  } else {
    const size_t rest = count % 2;
    const size_t x_step_bytes = x_step * sizeof(float);
    const size_t skip_bytes = (weight_step - kPanel) * sizeof(*weights);
    size_t iterations = (count + 1) / 2;
    if constexpr (std::is_same<Weights, const float*>::value) {
      WEFT_ADD_ROW_STRIDED(WEFT_EIGHT_FLOATS);
    } else {
      WEFT_ADD_ROW_STRIDED(WEFT_EIGHT_HALVES);
    }
  }
}

// Widens `steps` columns of sixteen weights, at least one.
template <class Weight>
HWY_INLINE void WidenColumns(float* panel, const Weight* weights, size_t weight_step,
                             size_t steps) {
  for (size_t k = 0; k < steps; ++k) {
    for (size_t n = 0; n < kPanel; ++n) {
      panel[k * kPanel + n] = WidenWeight(weights[k * weight_step + n]);
    }
  }
}
// clang-format off
// Half a panel at a time: 4.3 instructions per weight.
HWY_INLINE void WidenColumns(float* panel, ScaledCodes weights, size_t weight_step, size_t steps) {
  for (size_t half = 0; half < kPanel; half += kPanel / 2) {
    const int8_t* codes = weights.codes + half;
    float* to = panel + half;
    size_t left = steps;
    uint32_t a, b, four, more;
    __asm__ volatile(
        "vldmia %[scales], {s24-s31}\n"
        "1:\n\t"
        "ldr %[four], [%[codes]]\n\t"
        "ldr %[more], [%[codes], #4]\n\t"
        "add %[codes], %[step]\n\t"
        WEFT_WIDEN_FOUR("%[four]", "s16", "s17", "s18", "s19")
        WEFT_WIDEN_FOUR("%[more]", "s20", "s21", "s22", "s23")
        "vmul.f32 s16, s16, s24\n\t"
        "vmul.f32 s17, s17, s25\n\t"
        "vmul.f32 s18, s18, s26\n\t"
        "vmul.f32 s19, s19, s27\n\t"
        "vmul.f32 s20, s20, s28\n\t"
        "vmul.f32 s21, s21, s29\n\t"
        "vmul.f32 s22, s22, s30\n\t"
        "vmul.f32 s23, s23, s31\n\t"
        "vstmia %[to], {s16-s23}\n\t"
        "adds %[to], #64\n\t"
        "subs %[left], #1\n\t"
        "bne 1b"
        : [codes] "+r"(codes), [to] "+l"(to), [left] "+l"(left), [a] "=&r"(a), [b] "=&r"(b),
          [four] "=&r"(four), [more] "=&r"(more)
        : [scales] "r"(weights.scales + half), [step] "r"(weight_step)
        : "cc", "memory", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25",
          "s26", "s27", "s28", "s29", "s30", "s31");
  }
}
// clang-format on

template <class Weights>
HWY_NOINLINE void AddRowWidened(const float* from, float* to, const float* x, size_t x_step,
                                Weights weights, size_t weight_step, size_t count) {
  constexpr size_t kSteps = 4;
  float panel[kSteps * kPanel];
  while (count != 0) {
    const size_t steps = count < kSteps ? count : kSteps;
    WidenColumns(panel, weights, weight_step, steps);
    AddRowStrided<const float*>(from, to, x, x_step, panel, kPanel, steps);
    from = to;
    x += steps * x_step;
    weights += steps * weight_step;
    count -= steps;
  }
}

#undef WEFT_ADD_TWO_ROWS
// The branch target of cbz must be close: it is the begin of the loop.
#define WEFT_ADD_TWO_ROWS(eight, bytes) \
  __asm__ volatile(                                                                     \
      "vldmia %[from0], {s0-s7}\n\t"                                                    \
      "vldmia %[from1], {s8-s15}\n\t"                                                   \
      "cbz %[rest], 1f\n\t"                                                             \
      "cmp %[rest], #2\n\t"                                                             \
      "bhi 6f\n\t"                                                                      \
      "beq 5f\n\t"                                                                      \
      "vldmia %[x0]!, {s27}\n\t"                                                        \
      "vldmia %[x1]!, {s31}\n\t"                                                        \
      "b 4f\n"                                                                          \
      "5:\n\t"                                                                          \
      "vldmia %[x0]!, {s26-s27}\n\t"                                                    \
      "vldmia %[x1]!, {s30-s31}\n\t"                                                    \
      "b 3f\n"                                                                          \
      "6:\n\t"                                                                          \
      "vldmia %[x0]!, {s25-s27}\n\t"                                                    \
      "vldmia %[x1]!, {s29-s31}\n\t"                                                    \
      "b 2f\n"                                                                          \
      "1:\n\t"                                                                          \
      "vldmia %[x0]!, {s24-s27}\n\t"                                                    \
      "vldmia %[x1]!, {s28-s31}\n\t"                                                    \
      WEFT_EIGHT_OF_TWO(eight, bytes, "s24", "s28")                                     \
      "2:\n\t"                                                                          \
      WEFT_EIGHT_OF_TWO(eight, bytes, "s25", "s29")                                     \
      "3:\n\t"                                                                          \
      WEFT_EIGHT_OF_TWO(eight, bytes, "s26", "s30")                                     \
      "4:\n\t"                                                                          \
      WEFT_EIGHT_OF_TWO(eight, bytes, "s27", "s31")                                     \
      "subs %[turns], #1\n\t"                                                           \
      "bne 1b\n\t"                                                                      \
      "vstmia %[to0], {s0-s7}\n\t"                                                      \
      "vstmia %[to1], {s8-s15}"                                                         \
      : [x0] "+r"(x0), [x1] "+r"(x1), [weights] "+l"(half_weights), [turns] "+l"(iterations) \
      : [from0] "r"(from0), [from1] "r"(from1), [to0] "r"(to0), [to1] "r"(to1),         \
        [rest] "l"(rest)                                                                \
      : "cc", "memory", WEFT_ALL_FLOATS)

// Adds all lines of two rows, at least one, as AddRow does. Reads the initial sums at from[0] and
// from[1], and writes `sums` and `sums` + 16. Every NaN becomes the default NaN.
template <class Weight>
HWY_NOINLINE void AddTwoRows(const float* const* from, float* sums, const float* const* x,
                             const Taps& taps, const Weight* weights) {
  const DefaultNan scope;
  const size_t rest = taps.count % 4;
  const size_t x_skip = taps.x_line - taps.count;
  const size_t weight_skip = taps.weight_line - taps.count * kPanel;
  for (size_t half = 0; half < kPanel; half += kPanel / 2) {
    const float* from0 = from[0] + half;
    const float* from1 = from[1] + half;
    float* const to0 = sums + half;
    float* const to1 = to0 + kPanel;
    const float* x0 = x[0];
    const float* x1 = x[1];
    const Weight* half_weights = weights + half;
    for (size_t lines = taps.lines;;) {
      size_t iterations = (taps.count + 3) / 4;
      if constexpr (std::is_same<Weight, float>::value) {
        WEFT_ADD_TWO_ROWS(WEFT_EIGHT_FLOATS, "32");
      } else {
        WEFT_ADD_TWO_ROWS(WEFT_EIGHT_HALVES, "16");
      }
      if (--lines == 0) break;
      from0 = to0;
      from1 = to1;
      x0 += x_skip;
      x1 += x_skip;
      half_weights += weight_skip;
    }
  }
}

HWY_INLINE const float* ZeroSums(float* sums) {
  float* at = sums;
  __asm__ volatile(
      "movs r3, #0\n\t"
      "movs r4, #0\n\t"
      "movs r5, #0\n\t"
      "movs r6, #0\n\t"
      "stmia %[at]!, {r3-r6}\n\t"
      "stmia %[at]!, {r3-r6}\n\t"
      "stmia %[at]!, {r3-r6}\n\t"
      "stmia %[at]!, {r3-r6}"
      : [at] "+l"(at)
      :
      : "cc", "memory", "r3", "r4", "r5", "r6");
  return sums;
}

// Copies `outputs` floats to sixteen sums and sets the rest to zero; returns `sums`.
HWY_NOINLINE inline const float* StartTail(const float* start, size_t outputs, float* sums) {
  for (size_t i = 0; i < kPanel; ++i) sums[i] = i < outputs ? start[i] : 0.0f;
  return sums;
}

// Adds all lines of one row, at least one, as AddRow or AddRowStrided does.
template <class Weights>
HWY_NOINLINE void AddRowTaps(const float* from, float* to, const float* x, const Taps& taps,
                             Weights weights) {
  for (size_t line = 0; line < taps.lines; ++line) {
    if (taps.x_step == 1) {
      AddRow(from, to, x, weights, taps.count);
    } else {
      AddRowStrided(from, to, x, taps.x_step, weights, kPanel, taps.count);
    }
    from = to;
    x += taps.x_line;
    weights += taps.weight_line;
  }
}

// Writes `outputs` of sixteen sums, after ReLU if `relu`.
HWY_NOINLINE inline void FinishRow(const float* sums, float* y, size_t outputs, bool relu) {
  if (outputs >= kPanel && !relu) {
    __asm__ volatile("vldmia %[sums], {s0-s15}\n\tvstmia %[y], {s0-s15}"
                     :
                     : [sums] "r"(sums), [y] "r"(y)
                     : "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10",
                       "s11", "s12", "s13", "s14", "s15");
    return;
  }
  for (size_t i = 0; i < outputs; ++i) y[i] = relu && sums[i] < 0.0f ? 0.0f : sums[i];
}

// Applies ReLU to the two rows of sixteen sums of AddTwoRows.
HWY_NOINLINE inline void RectifyTwoRows(const float* sums, float* const* y) {
  ReluEights(sums, y[0], kPanel / 8);
  ReluEights(sums + kPanel, y[1], kPanel / 8);
}

// Tiles of dense and matmul, and of conv. Two rows need as many instructions as one, but read half
// as much memory; dense does not use them, to save code size.
inline constexpr TileShape kTileShapes[] = {{1, 1, kAnyRows}};
inline constexpr TileShape kPixelShapes[] = {{2, 1, kAnyRows}};

// Returns true if Finish applies the activation.
HWY_INLINE bool TileFuses(const Activation& activation) {
  return IsPlain(activation) || IsJust(activation, UnaryOp::kRelu);
}

template <size_t kRows, size_t kPanels>
struct Tile {
  static_assert(kRows <= 2 && kPanels == 1, "the registers hold at most sixteen sums");

  const float* from[kRows];  // the start, and `sums` after the first taps
  float sums[kRows][kPanel];
  bool has_default_nans = false;

  HWY_INLINE void Zero() {
    for (size_t r = 0; r < kRows; ++r) from[r] = ZeroSums(sums[r]);
  }

  // Reads `outputs` floats per row and sets the rest to 0.
  HWY_INLINE void Start(const float* start, size_t row_stride, size_t outputs) {
    for (size_t r = 0; r < kRows; ++r) {
      const float* row = start + r * row_stride;
      from[r] = outputs < kPanel ? StartTail(row, outputs, sums[r]) : row;
    }
  }

  // sums[r] += x[r][k] * weights[k * 16 + ..] for k = 0 .. count - 1.
  template <class Weights>
  HWY_INLINE void Add(const float* const* x, Weights weights, size_t, size_t count) {
    if (count == 0) return;
    for (size_t r = 0; r < kRows; ++r) {
      AddRow(from[r], sums[r], x[r], weights, count);
      from[r] = sums[r];
    }
  }

  // The same for the taps of a window, at least one tap.
  template <class Weights>
  HWY_INLINE void AddTaps(const float* const* x, const Taps& taps, Weights weights, size_t) {
    if constexpr (kRows == 2 && kHasLoads<Weights>) {
      if (taps.x_step == 1) {
        AddTwoRows(from, sums[0], x, taps, weights);
        for (size_t r = 0; r < kRows; ++r) from[r] = sums[r];
        has_default_nans = true;
        return;
      }
    }
    for (size_t r = 0; r < kRows; ++r) {
      AddRowTaps(from[r], sums[r], x[r], taps, weights);
      from[r] = sums[r];
    }
  }

  // The same with any strides, at least one element.
  HWY_INLINE void AddStrided(const float* const* x, size_t x_step, const float* weights,
                             size_t weight_step, size_t, size_t count) {
    for (size_t r = 0; r < kRows; ++r) {
      AddRowStrided(from[r], sums[r], x[r], x_step, weights, weight_step, count);
      from[r] = sums[r];
    }
  }

  HWY_INLINE float* Block(float*) { return sums[0]; }

  // Writes `outputs` floats per row, after the activation if it is one that TileFuses.
  HWY_INLINE void Finish(float* const* y, size_t outputs, const Activation& activation) const {
    const bool relu = activation.op == UnaryOp::kRelu;
    if (kRows == 2 && relu && has_default_nans && outputs >= kPanel) {
      return RectifyTwoRows(sums[0], y);
    }
    for (size_t r = 0; r < kRows; ++r) FinishRow(from[r], y[r], outputs, relu);
  }
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_PANEL_CORTEX_M_INL_H_
