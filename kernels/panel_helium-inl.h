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
  HWY_INLINE void Finish(float* y, size_t row_stride, size_t outputs) const {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kFours; ++v) {
        vstrwq_p_f32(y + r * row_stride + v * 4, sums[r][v], Wanted(outputs, v));
      }
    }
  }

  // sums[r] += x[r * row_stride + k * x_step] * weights[k * weight_step + panel * panel_stride +
  // ..] for k = 0 .. count - 1.
  HWY_INLINE void Accumulate(const float* x, size_t row_stride, size_t x_step, const float* weights,
                             size_t weight_step, size_t panel_stride, size_t count) {
    for (; count != 0; --count) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kFours; ++v) {
        const float32x4_t w = vldrwq_f32(weights + v / 4 * panel_stride + v % 4 * 4);
        HWY_UNROLL(8)
        for (size_t r = 0; r < kRows; ++r) {
          sums[r][v] = vfmaq_n_f32(sums[r][v], w, x[r * row_stride]);
        }
      }
      x += x_step;
      weights += weight_step;
    }
  }

 private:
  static HWY_INLINE mve_pred16_t Wanted(size_t outputs, size_t v) {
    return vctp32q(outputs > v * 4 ? static_cast<uint32_t>(outputs - v * 4) : 0);
  }
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_PANEL_HELIUM_INL_H_
