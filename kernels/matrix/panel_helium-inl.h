// SPDX-License-Identifier: Apache-2.0
// The tile of panel-inl.h for Cortex-M with Helium, which Highway does not support. Sums are in
// memory between the calls and in the eight vector registers during the loops: one row, or half a
// panel of three rows at a time, which share each weight. The loops are assembly, because compilers
// use neither the low-overhead loop nor post-incremented loads. They process two or four columns
// per iteration. Instructions per multiply-add: one row 0.53, three rows 0.42; with 16-bit weights
// 0.78 and 0.50. The order of the sums is that of the other targets. Helium flushes subnormal
// numbers to 0 and returns the default NaN for every NaN; all other results are bit-identical.

#if defined(WEFT_KERNELS_MATRIX_PANEL_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_PANEL_HELIUM_INL_H_
#undef WEFT_KERNELS_MATRIX_PANEL_HELIUM_INL_H_
#else
#define WEFT_KERNELS_MATRIX_PANEL_HELIUM_INL_H_
#endif

#include <cstddef>
#include <type_traits>

#include "kernels/matrix/relu_helium-inl.h"

// clang-format off
// One instruction per line.

// Loads four weights into q and advances by the given bytes, for floats or for halves.
#undef WEFT_FOUR_FLOATS
#define WEFT_FOUR_FLOATS(q, floats, halves) "vldrw.32 %q[" q "], [%[weights]], #" floats "\n\t"
#undef WEFT_FOUR_HALVES
#define WEFT_FOUR_HALVES(q, floats, halves)                  \
  "vldrh.u32 %q[" q "], [%[weights]], #" halves "\n\t"       \
  "vcvtb.f32.f16 %q[" q "], %q[" q "]\n\t"
#undef WEFT_FOUR_BFLOATS
#define WEFT_FOUR_BFLOATS(q, floats, halves)                 \
  "vldrh.u32 %q[" q "], [%[weights]], #" halves "\n\t"       \
  "vshl.i32 %q[" q "], %q[" q "], #16\n\t"
// One column, whose element is in register x, times sixteen weights, which `four` loads.
#undef WEFT_COLUMN
#define WEFT_COLUMN(four, x)            \
  four("f", "16", "8")                  \
  four("g", "16", "8")                  \
  "vfma.f32 %q[a], %q[f], " x "\n\t"    \
  four("f", "16", "8")                  \
  "vfma.f32 %q[b], %q[g], " x "\n\t"    \
  four("g", "16", "8")                  \
  "vfma.f32 %q[c], %q[f], " x "\n\t"    \
  "vfma.f32 %q[d], %q[g], " x "\n\t"
// One column of three rows times eight weights; the other half of the panel is skipped.
#undef WEFT_COLUMN_OF_THREE
#define WEFT_COLUMN_OF_THREE(four, x, y, z) \
  four("f", "16", "8")                      \
  "vfma.f32 %q[a0], %q[f], " x "\n\t"       \
  four("g", "48", "24")                     \
  "vfma.f32 %q[a1], %q[f], " y "\n\t"       \
  "vfma.f32 %q[a2], %q[f], " z "\n\t"       \
  "vfma.f32 %q[b0], %q[g], " x "\n\t"       \
  "vfma.f32 %q[b1], %q[g], " y "\n\t"       \
  "vfma.f32 %q[b2], %q[g], " z "\n\t"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The functions below are not inlined, so that dense, conv and matmul share one copy of each.

// True for weights that the assembly below loads.
template <class Weights>
inline constexpr bool kHasLoads = !std::is_same<Weights, ScaledCodes>::value;

// Expands `assembly` with the loads for the weight type and the constraint of their address
// register.
#undef WEFT_BY_WEIGHT
#define WEFT_BY_WEIGHT(assembly)                                   \
  if constexpr (std::is_same<Weights, const float*>::value) {      \
    assembly(WEFT_FOUR_FLOATS, "r");                               \
  } else if constexpr (std::is_same<Weights, const F16*>::value) { \
    assembly(WEFT_FOUR_HALVES, "l");                               \
  } else {                                                         \
    static_assert(std::is_same<Weights, const BF16*>::value, "");  \
    assembly(WEFT_FOUR_BFLOATS, "l");                              \
  }

#undef WEFT_ADD_ROW
#define WEFT_ADD_ROW(four, address)                                                         \
  __asm__ volatile(                                                                         \
      "dls lr, %[turns]\n"                                                                  \
      "1:\n\t"                                                                              \
      "ldm %[x]!, {r4, r5, r6, r8}\n\t" WEFT_COLUMN(four, "r4") WEFT_COLUMN(four, "r5")     \
          WEFT_COLUMN(four, "r6") WEFT_COLUMN(four, "r8") "le lr, 1b"                       \
      : [x] "+r"(x), [weights] "+" address(weights), [a] "+w"(a), [b] "+w"(b), [c] "+w"(c), \
        [d] "+w"(d), [f] "=&w"(f), [g] "=&w"(g)                                             \
      : [turns] "r"(count / 4)                                                              \
      : "memory", "lr", "r4", "r5", "r6", "r8")

// to[n] = fma(x[k], weights[k * 16 + n], from[n]) for n < 16 and k = 0 .. count - 1; to may be
// from.
template <class Weights>
HWY_NOINLINE void AddRow(const float* from, float* to, const float* x, Weights weights,
                         size_t count) {
  float32x4_t a = vldrwq_f32(from), b = vldrwq_f32(from + 4);
  float32x4_t c = vldrwq_f32(from + 8), d = vldrwq_f32(from + 12);
  if constexpr (kHasLoads<Weights>) {
    if (count >= 4) {
      float32x4_t f, g;
      WEFT_BY_WEIGHT(WEFT_ADD_ROW)
    }
    count %= 4;
  }
#pragma clang loop unroll(disable)
  for (; count != 0; --count, ++x, weights += kPanel) {
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

// The same with any strides.
template <class Weights>
HWY_NOINLINE void AddRowStrided(const float* from, float* to, const float* x, size_t x_step,
                                Weights weights, size_t weight_step, size_t count) {
  float32x4_t a = vldrwq_f32(from), b = vldrwq_f32(from + 4);
  float32x4_t c = vldrwq_f32(from + 8), d = vldrwq_f32(from + 12);
  for (; count != 0; --count, x += x_step, weights += weight_step) {
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

#undef WEFT_ADD_THREE_ROWS
#define WEFT_ADD_THREE_ROWS(four, address)                                                        \
  __asm__ volatile(                                                                               \
      "dls lr, %[turns]\n"                                                                        \
      "1:\n\t"                                                                                    \
      "ldrd r4, r5, [%[x0]], #8\n\t"                                                              \
      "ldrd r6, r8, [%[x1]], #8\n\t"                                                              \
      "ldrd r9, r10, [%[x2]], #8\n\t" WEFT_COLUMN_OF_THREE(four, "r4", "r6", "r9")                \
          WEFT_COLUMN_OF_THREE(four, "r5", "r8", "r10") "le lr, 1b"                               \
      : [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2), [weights] "+" address(half_weights),         \
        [a0] "+w"(a0), [a1] "+w"(a1), [a2] "+w"(a2), [b0] "+w"(b0), [b1] "+w"(b1), [b2] "+w"(b2), \
        [f] "=&w"(f), [g] "=&w"(g)                                                                \
      : [turns] "r"(taps.count / 2)                                                               \
      : "memory", "lr", "r4", "r5", "r6", "r8", "r9", "r10")

// Adds all lines of three rows as AddRow does: reads the initial sums at from[r], writes `sums` +
// 16 * r.
template <class Weights>
HWY_NOINLINE void AddThreeRows(const float* const* from, float* sums, const float* const* x,
                               const Taps& taps, Weights weights) {
  for (size_t half = 0; half < kPanel; half += kPanel / 2) {
    float32x4_t a0 = vldrwq_f32(from[0] + half), b0 = vldrwq_f32(from[0] + half + 4);
    float32x4_t a1 = vldrwq_f32(from[1] + half), b1 = vldrwq_f32(from[1] + half + 4);
    float32x4_t a2 = vldrwq_f32(from[2] + half), b2 = vldrwq_f32(from[2] + half + 4);
    for (size_t line = 0; line < taps.lines; ++line) {
      const float* x0 = x[0] + line * taps.x_line;
      const float* x1 = x[1] + line * taps.x_line;
      const float* x2 = x[2] + line * taps.x_line;
      Weights half_weights = MovedTo(weights, half + line * taps.weight_line, half);
      float32x4_t f, g;
      size_t count = taps.count;
      if constexpr (kHasLoads<Weights>) {
        if (count >= 2) {
          WEFT_BY_WEIGHT(WEFT_ADD_THREE_ROWS)
        }
        count %= 2;
      }
#pragma clang loop unroll(disable)
      for (; count != 0; --count, ++x0, ++x1, ++x2, half_weights += kPanel) {
        f = LoadFour(half_weights, 0);
        g = LoadFour(half_weights, 4);
        a0 = vfmaq_n_f32(a0, f, *x0);
        a1 = vfmaq_n_f32(a1, f, *x1);
        a2 = vfmaq_n_f32(a2, f, *x2);
        b0 = vfmaq_n_f32(b0, g, *x0);
        b1 = vfmaq_n_f32(b1, g, *x1);
        b2 = vfmaq_n_f32(b2, g, *x2);
      }
    }
    float* const to = sums + half;
    vstrwq_f32(to, a0);
    vstrwq_f32(to + 4, b0);
    vstrwq_f32(to + 16, a1);
    vstrwq_f32(to + 20, b1);
    vstrwq_f32(to + 32, a2);
    vstrwq_f32(to + 36, b2);
  }
}

// Widens `steps` columns of sixteen weights, at least one.
HWY_INLINE void WidenColumns(float* panel, ScaledCodes weights, size_t weight_step, size_t steps) {
  for (size_t n = 0; n < kPanel; n += 4) {
    const int8_t* codes = weights.codes + n;
    const float32x4_t scales = vldrwq_f32(weights.scales + n);
    float* to = panel + n;
#pragma clang loop unroll(disable)
    for (size_t k = 0; k < steps; ++k, codes += weight_step, to += kPanel) {
      vstrwq_f32(to, vmulq_f32(vcvtq_f32_s32(vldrbq_s32(codes)), scales));
    }
  }
}

// Copies `outputs` floats to sixteen sums and sets the rest to zero; returns `sums`.
HWY_NOINLINE inline const float* StartTail(const float* start, size_t outputs, float* sums) {
  HWY_UNROLL(1)
  for (size_t i = 0; i < kPanel; i += 4) {
    vstrwq_f32(sums + i, vldrwq_z_f32(start + i, vctp32q(outputs > i ? outputs - i : 0)));
  }
  return sums;
}

// Writes `outputs` of sixteen sums, after ReLU if `relu`.
HWY_NOINLINE inline void FinishRow(const float* sums, float* y, size_t outputs, bool relu) {
  if (outputs >= kPanel) {
    HWY_UNROLL(4)
    for (size_t i = 0; i < kPanel; i += 4) {
      const float32x4_t sum = vldrwq_f32(sums + i);
      vstrwq_f32(y + i, relu ? Relu(sum) : sum);
    }
    return;
  }
  HWY_UNROLL(1)
  for (size_t i = 0; i < outputs; i += 4) {
    const float32x4_t sum = vldrwq_f32(sums + i);
    vstrwq_p_f32(y + i, relu ? Relu(sum) : sum, vctp32q(outputs - i));
  }
}

// Tiles of dense and matmul, and of conv.
inline constexpr TileShape kTileShapes[] = {{3, 1, kAnyRows}};
inline constexpr auto& kPixelShapes = kTileShapes;

// Returns true if Finish applies the activation.
HWY_INLINE bool TileFuses(const Activation& activation) {
  return IsPlain(activation) || IsJust(activation, UnaryOp::kRelu);
}

template <size_t kRows, size_t kPanels>
struct Tile {
  static_assert(kRows <= 3 && kPanels == 1, "there are only eight vector registers");

  const float* from[kRows];  // the start, and `sums` after the first taps
  float sums[kRows][kPanel];

  HWY_INLINE void Zero() {
    for (size_t r = 0; r < kRows; ++r) {
      from[r] = sums[r];
      HWY_UNROLL(4)
      for (size_t i = 0; i < kPanel; i += 4) vstrwq_f32(sums[r] + i, vdupq_n_f32(0.0f));
    }
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
    if (kRows == 3) return AddTaps(x, {1, count, 1, 0, 0}, weights, 0);
    for (size_t r = 0; r < kRows; ++r) AddLine(r, x[r], 1, weights, count);
  }

  // The same for the taps of a window.
  template <class Weights>
  HWY_INLINE void AddTaps(const float* const* x, const Taps& taps, Weights weights, size_t) {
    if (kRows == 3 && taps.x_step == 1) {
      AddThreeRows(from, sums[0], x, taps, weights);
      for (size_t r = 0; r < kRows; ++r) from[r] = sums[r];
      return;
    }
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t line = 0; line < taps.lines; ++line) {
        AddLine(r, x[r] + line * taps.x_line, taps.x_step, weights + line * taps.weight_line,
                taps.count);
      }
    }
  }

  // The same with any strides.
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
    for (size_t r = 0; r < kRows; ++r) FinishRow(from[r], y[r], outputs, relu);
  }

 private:
  template <class Weights>
  HWY_INLINE void AddLine(size_t r, const float* x, size_t x_step, Weights weights, size_t count) {
    if (x_step == 1) {
      AddRow(from[r], sums[r], x, weights, count);
    } else {
      AddRowStrided(from[r], sums[r], x, x_step, weights, kPanel, count);
    }
    from[r] = sums[r];
  }
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_PANEL_HELIUM_INL_H_
