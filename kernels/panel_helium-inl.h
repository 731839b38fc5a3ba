// SPDX-License-Identifier: Apache-2.0
// The tile of panel-inl.h for Cortex-M with Helium, which Highway does not know: sums stay in the
// eight vector registers, and a predicate stands for the outputs that a panel lacks. The order of
// the sums and every bit are those of the other targets; subnormal numbers count as 0, as Helium
// always takes them. Compilers make scalar code of the plain loops here (16 chains of which each
// ends in a store of its own).

#if defined(WEFT_KERNELS_PANEL_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_PANEL_HELIUM_INL_H_
#undef WEFT_KERNELS_PANEL_HELIUM_INL_H_
#else
#define WEFT_KERNELS_PANEL_HELIUM_INL_H_
#endif

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr TileShape kTileShapes[] = {{1, 1, kAnyRows}};

HWY_INLINE bool TileTakes(const Activation& activation) { return IsPlain(activation); }

template <size_t kRows, size_t kPanels>
struct Tile {
  static constexpr size_t kFours = kPanels * 4;

  // Four v holds outputs [v * 4, v * 4 + 4) of its row.
  float32x4_t sums[kRows][kFours];

  HWY_INLINE void Zero() {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kFours; ++v) sums[r][v] = vdupq_n_f32(0.0f);
    }
  }

  // Reads `outputs` floats per row and takes the rest as 0.
  HWY_INLINE void Start(const float* start, size_t row_stride, size_t outputs) {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kFours; ++v) {
        sums[r][v] = vldrwq_z_f32(start + r * row_stride + v * 4, Wanted(outputs, v));
      }
    }
  }

  // Writes `outputs` floats per row.
  HWY_INLINE void Finish(float* const* y, size_t outputs, const Activation&) const {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kFours; ++v) {
        vstrwq_p_f32(y[r] + v * 4, sums[r][v], Wanted(outputs, v));
      }
    }
  }

  HWY_INLINE void Add(const float* const* x, const float* weights, size_t panel_stride,
                      size_t count) {
    AddRun(x, 0, 1, weights, kPanel, panel_stride, count);
  }

  HWY_INLINE void AddTaps(const float* const* x, const Taps& taps, const float* weights,
                          size_t panel_stride) {
    for (size_t line = 0; line < taps.lines; ++line) {
      AddRun(x, line * taps.x_line, taps.x_step, weights + line * taps.weight_line, kPanel,
             panel_stride, taps.count);
    }
  }

  HWY_INLINE void AddStrided(const float* const* x, size_t x_step, const float* weights,
                             size_t weight_step, size_t panel_stride, size_t count) {
    AddRun(x, 0, x_step, weights, weight_step, panel_stride, count);
  }

 private:
  // From element `at` of each row on.
  HWY_INLINE void AddRun(const float* const* x, size_t at, size_t x_step, const float* weights,
                         size_t weight_step, size_t panel_stride, size_t count) {
    for (; count != 0; --count) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kFours; ++v) {
        const float32x4_t w = vldrwq_f32(weights + v / 4 * panel_stride + v % 4 * 4);
        HWY_UNROLL(8)
        for (size_t r = 0; r < kRows; ++r) {
          sums[r][v] = vfmaq_n_f32(sums[r][v], w, x[r][at]);
        }
      }
      at += x_step;
      weights += weight_step;
    }
  }

  static HWY_INLINE mve_pred16_t Wanted(size_t outputs, size_t v) {
    return vctp32q(outputs > v * 4 ? static_cast<uint32_t>(outputs - v * 4) : 0);
  }
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_PANEL_HELIUM_INL_H_
