// SPDX-License-Identifier: Apache-2.0
// The tile of panel-inl.h for Cortex-M with a scalar FPU: one row of one panel, in memory between
// the calls and in sixteen registers while the sums run. No compiler loads eight weights with one
// instruction on its own: 24 instructions per 16 multiply-adds instead of 37. The order of the sums
// and every bit are those of the other targets.

#if defined(WEFT_KERNELS_PANEL_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_PANEL_CORTEX_M_INL_H_
#undef WEFT_KERNELS_PANEL_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_PANEL_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// sums[n] = fma(x[k * x_step], weights[k * weight_step + n], sums[n]) for n < 16 and k = 0 ..
// count - 1; count is at least 1.
inline void AddTerms(float* sums, const float* x, size_t x_step, const float* weights,
                     size_t weight_step, size_t count) {
  constexpr size_t kPanelBytes = 16 * sizeof(float);
  const size_t x_step_bytes = x_step * sizeof(float);
  const size_t rest_bytes = weight_step * sizeof(float) - kPanelBytes;
  __asm__ volatile(
      "vldmia %[sums], {s0-s15}\n"
      "1:\n\t"
      "vldr s16, [%[x]]\n\t"
      "vldmia %[weights]!, {s24-s31}\n\t"
      "add %[x], %[x_step]\n\t"
      "vfma.f32 s0, s16, s24\n\t"
      "vfma.f32 s1, s16, s25\n\t"
      "vfma.f32 s2, s16, s26\n\t"
      "vfma.f32 s3, s16, s27\n\t"
      "vfma.f32 s4, s16, s28\n\t"
      "vfma.f32 s5, s16, s29\n\t"
      "vfma.f32 s6, s16, s30\n\t"
      "vfma.f32 s7, s16, s31\n\t"
      "vldmia %[weights]!, {s24-s31}\n\t"
      "subs %[count], #1\n\t"
      "vfma.f32 s8, s16, s24\n\t"
      "vfma.f32 s9, s16, s25\n\t"
      "vfma.f32 s10, s16, s26\n\t"
      "vfma.f32 s11, s16, s27\n\t"
      "vfma.f32 s12, s16, s28\n\t"
      "vfma.f32 s13, s16, s29\n\t"
      "vfma.f32 s14, s16, s30\n\t"
      "vfma.f32 s15, s16, s31\n\t"
      "add %[weights], %[rest]\n\t"
      "bne 1b\n\t"
      "vstmia %[sums], {s0-s15}"
      : [x] "+r"(x), [weights] "+r"(weights), [count] "+r"(count)
      : [sums] "r"(sums), [x_step] "r"(x_step_bytes), [rest] "r"(rest_bytes)
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
        "s12", "s13", "s14", "s15", "s16", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31");
}

inline constexpr TileShape kTileShapes[] = {{1, 1, kAnyRows}};

HWY_INLINE bool TileTakes(const Activation& activation) { return IsPlain(activation); }

template <size_t kRows, size_t kPanels>
struct Tile {
  static_assert(kRows == 1 && kPanels == 1, "sixteen sums are all that the registers hold");

  float sums[kPanel];

  HWY_INLINE void Zero() { std::memset(sums, 0, sizeof(sums)); }

  // Reads `outputs` floats and takes the rest as 0.
  HWY_INLINE void Start(const float* start, size_t, size_t outputs) {
    for (size_t i = 0; outputs < kPanel && i < kPanel; ++i) {
      sums[i] = i < outputs ? start[i] : 0.0f;
    }
    if (outputs >= kPanel) std::memcpy(sums, start, sizeof(sums));
  }

  HWY_INLINE void Add(const float* const* x, const float* weights, size_t, size_t count) {
    if (count != 0) AddTerms(sums, x[0], 1, weights, kPanel, count);
  }

  HWY_INLINE void AddTaps(const float* const* x, const Taps& taps, const float* weights, size_t) {
    for (size_t line = 0; line < taps.lines; ++line) {
      AddTerms(sums, x[0] + line * taps.x_line, taps.x_step, weights + line * taps.weight_line,
               kPanel, taps.count);
    }
  }

  HWY_INLINE void AddStrided(const float* const* x, size_t x_step, const float* weights,
                             size_t weight_step, size_t, size_t count) {
    if (count != 0) AddTerms(sums, x[0], x_step, weights, weight_step, count);
  }

  // Writes `outputs` floats.
  HWY_INLINE void Finish(float* const* y, size_t outputs, const Activation&) const {
    for (size_t i = 0; outputs < kPanel && i < outputs; ++i) y[0][i] = sums[i];
    if (outputs >= kPanel) std::memcpy(y[0], sums, sizeof(sums));
  }
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_PANEL_CORTEX_M_INL_H_
