// SPDX-License-Identifier: Apache-2.0
// The inner loop of dense, conv and matmul: a tile of rows by panels of 16 outputs that lives in
// registers while the sums run. Each output is one chain of fused multiply-adds in the order of the
// calls; lanes only ever hold different outputs, so tile sizes change speed and never a bit.
// Weights are [k][16] within a panel (pack.h); x is read one element at a time and broadcast.

#if defined(WEFT_KERNELS_PANEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_PANEL_INL_H_
#undef WEFT_KERNELS_PANEL_INL_H_
#else
#define WEFT_KERNELS_PANEL_INL_H_
#endif

#include "kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr size_t kPanel = 16;

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// A Cortex-M has a tile of its own, by what its FPU can do.
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include "kernels/panel_helium-inl.h"
#elif HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_FMA) && defined(__ARM_ARCH_PROFILE) && \
    __ARM_ARCH_PROFILE == 'M'
#include "kernels/panel_cortex_m-inl.h"
#else

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

template <size_t kRows, size_t kPanels>
struct Tile {
  static constexpr size_t kVectors = kPanels * kPanelVectors;

  // Vector v holds outputs [v * kLanes, (v + 1) * kLanes) of its row.
  FloatVec sums[kRows][kVectors];

  HWY_INLINE void Zero() {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = Set(0.0f);
    }
  }

  // Reads `outputs` floats per row and takes the rest as 0.
  HWY_INLINE void Start(const float* start, size_t row_stride, size_t outputs) {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      const float* row = start + r * row_stride;
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) {
        const size_t first = v * kLanes;
        sums[r][v] = outputs >= first + kLanes
                         ? Load(row + first)
                         : LoadFirst(row + first, outputs > first ? outputs - first : 0);
      }
    }
  }

  // Writes `outputs` floats per row.
  HWY_INLINE void Finish(float* y, size_t row_stride, size_t outputs) const {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      float* row = y + r * row_stride;
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) {
        const size_t first = v * kLanes;
        if (outputs >= first + kLanes) {
          Store(sums[r][v], row + first);
        } else if (outputs > first) {
          StoreFirst(sums[r][v], row + first, outputs - first);
        }
      }
    }
  }

  // sums[r] += x[r * row_stride + k * x_step] * weights[k * weight_step + panel * panel_stride +
  // ..] for k = 0 .. count - 1.
  HWY_INLINE void Accumulate(const float* x, size_t row_stride, size_t x_step, const float* weights,
                             size_t weight_step, size_t panel_stride, size_t count) {
#if HWY_TARGET != HWY_SCALAR
    HWY_UNROLL(4)  // 5 % for weights in the second cache
#endif
    for (; count != 0; --count) {
      FloatVec w[kVectors];
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) {
        w[v] = Load(weights + v / kPanelVectors * panel_stride + v % kPanelVectors * kLanes);
      }
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        const FloatVec factor = Set(x[r * row_stride]);
        HWY_UNROLL(16)
        for (size_t v = 0; v < kVectors; ++v) sums[r][v] = Fma(factor, w[v], sums[r][v]);
      }
      x += x_step;
      weights += weight_step;
    }
  }
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the tile of this target
#endif  // WEFT_KERNELS_PANEL_INL_H_
