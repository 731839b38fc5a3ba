// SPDX-License-Identifier: Apache-2.0
// The inner loop of dense, conv and matmul: a tile of rows by panels of 16 outputs that stays in
// registers during the sum. Each output is one chain of fused multiply-adds in the order of the
// calls. Lanes only ever hold different outputs, so tile sizes change speed but no result. Weights
// are [k][16] within a panel (pack.h); x is read one element at a time and broadcast. Each row has
// its own pointer, so that the pixels of a tile can have any addresses.
//
// The tile of a target provides, in addition to a table of useful shapes (product-inl.h):
//   Zero, Start    the sums begin at 0, or at rows with stride row_stride
//   Add            one run of contiguous x, weights with stride 16 (dense)
//   AddTaps        the runs of a window, weights with stride 16 (conv)
//   AddStrided     one run of x and of weights with any strides (matmul)
//   AddOffsets     elements of x at a list of offsets, on targets with vectors (conv)
//   Finish         writes the rows, after an activation that TileFuses
// A step calls only one of the functions that add, so that firmware links no other.

#if defined(WEFT_KERNELS_MATRIX_PANEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_PANEL_INL_H_
#undef WEFT_KERNELS_MATRIX_PANEL_INL_H_
#else
#define WEFT_KERNELS_MATRIX_PANEL_INL_H_
#endif

#include "kernels/elementwise/activation-inl.h"
#include "kernels/matrix/weights-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr size_t kPanel = 16;

// `lines` runs of `count` elements of x, both at least 1. From run to run, x advances by x_line
// elements and the weights by weight_line. The stride after the last run may have any value.
struct Taps {
  size_t lines;
  size_t count;
  size_t x_step;
  size_t x_line;
  size_t weight_line;
};

// A tile, and the maximum number of rows of a product for which it is useful.
struct TileShape {
  size_t rows;
  size_t panels;
  size_t max_rows;
};
inline constexpr size_t kAnyRows = ~size_t{0};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// A Cortex-M has its own tile, depending on its FPU.
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include "kernels/matrix/panel_helium-inl.h"
#elif HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_FMA) && defined(__ARM_ARCH_PROFILE) && \
    __ARM_ARCH_PROFILE == 'M'
#include "kernels/matrix/panel_cortex_m-inl.h"
#else

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Widest first; the last one fits every product. Tiles fill the registers and hide the latency of
// the multiply-add (4 cycles, 2 per cycle).
#if HWY_TARGET == HWY_SCALAR
inline constexpr TileShape kTileShapes[] = {{1, 1, kAnyRows}};
#elif HWY_TARGET <= HWY_AVX3
inline constexpr TileShape kTileShapes[] = {
    {1, 8, 1}, {6, 4, kAnyRows}, {10, 2, kAnyRows}, {10, 1, kAnyRows}};
#else
inline constexpr TileShape kTileShapes[] = {{1, 4, 1}, {3, 2, 3}, {5, 1, kAnyRows}};
#endif
inline constexpr auto& kPixelShapes = kTileShapes;  // of conv

// Returns true if Finish applies the activation, because it needs few instructions. The step
// applies any other activation to the written results.
HWY_INLINE bool TileFuses(const Activation& activation) {
  return IsPlain(activation) || IsJust(activation, UnaryOp::kRelu) ||
         IsJust(activation, UnaryOp::kClamp);
}

// Widens `steps` columns of sixteen weights, at least one.
template <class Weights>
HWY_INLINE void WidenColumns(float* panel, Weights weights, size_t weight_step, size_t steps) {
  for (size_t k = 0; k < steps; ++k) {
    HWY_UNROLL(16)
    for (size_t lane = 0; lane < kPanel; lane += kLanes) {
      Store(LoadWeights(weights, k * weight_step + lane, lane), panel + k * kPanel + lane);
    }
  }
}

template <size_t kRows, size_t kPanels>
struct Tile {
  static constexpr size_t kVectors = kPanels * kPanelVectors;
  static constexpr size_t kWhole =
      kVectors - kPanelVectors;  // only the last panel may have fewer outputs

  // Vector v holds outputs [v * kLanes, (v + 1) * kLanes) of its row.
  FloatVec sums[kRows][kVectors];

  HWY_INLINE void Zero() {
    HWY_UNROLL(16)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = Set(0.0f);
    }
  }

  // Reads `outputs` floats per row and sets the rest to 0.
  HWY_INLINE void Start(const float* start, size_t row_stride, size_t outputs) {
    HWY_UNROLL(16)
    for (size_t r = 0; r < kRows; ++r) {
      const float* row = start + r * row_stride;
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) {
        const size_t first = v * kLanes;
        sums[r][v] = v < kWhole || outputs >= first + kLanes
                         ? Load(row + first)
                         : LoadFirst(row + first, outputs > first ? outputs - first : 0);
      }
    }
  }

  // sums[r] += x[r][k] * weights[k * 16 + panel * panel_stride + ..] for k = 0 .. count - 1.
  template <class Weights>
  HWY_INLINE void Add(const float* const* x, Weights weights, size_t panel_stride, size_t count) {
    AddRun(x, 0, 1, weights, kPanel, panel_stride, count);
  }

  template <class Weights>
  HWY_INLINE void AddTaps(const float* const* x, const Taps& taps, Weights weights,
                          size_t panel_stride) {
    const float* rows[kRows];
    for (size_t r = 0; r < kRows; ++r) rows[r] = x[r];
    size_t first = 0;
    for (size_t line = 0; line < taps.lines; ++line) {
      AddRun(rows, first, taps.x_step, weights, kPanel, panel_stride, taps.count);
      first += taps.x_line;
      weights += taps.weight_line;
    }
  }

  // sums[r] += x[r][offsets[k]] * weights[k * 16 + ..] for k = 0 .. count - 1.
  template <class Weights>
  HWY_INLINE void AddOffsets(const float* const* x, const size_t* offsets, Weights weights,
                             size_t panel_stride, size_t count) {
    HWY_UNROLL(2)
    for (size_t k = 0; k < count; ++k) {
      AddOne(x, offsets[k], weights, panel_stride);
      weights += kPanel;
    }
  }

  HWY_INLINE void AddStrided(const float* const* x, size_t x_step, const float* weights,
                             size_t weight_step, size_t panel_stride, size_t count) {
    AddRun(x, 0, x_step, weights, weight_step, panel_stride, count);
  }

  // Returns a buffer into which Finish may write complete panels of consecutive rows: `spare`,
  // unless the tile has its own memory.
  HWY_INLINE float* Block(float* spare) { return spare; }

  // Writes `outputs` floats per row, after the activation if it is one that TileFuses.
  HWY_INLINE void Finish(float* const* y, size_t outputs, const Activation& activation) {
    if (IsJust(activation, UnaryOp::kRelu)) {
      ForSums([](FloatVec sum) HWY_ATTR { return Relu(sum); });
    } else if (IsJust(activation, UnaryOp::kClamp)) {
      const float low = activation.alpha, high = activation.beta;
      ForSums([=](FloatVec sum) HWY_ATTR { return Clamp(sum, low, high); });
    }
    HWY_UNROLL(16)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) {
        const size_t first = v * kLanes;
        if (v < kWhole || outputs >= first + kLanes) {
          Store(sums[r][v], y[r] + first);
        } else if (outputs > first) {
          StoreFirst(sums[r][v], y[r] + first, outputs - first);
        }
      }
    }
  }

 private:
  // Starts at element `at` of each row.
  template <class Weights>
  HWY_INLINE void AddRun(const float* const* x, size_t at, size_t x_step, Weights weights,
                         size_t weight_step, size_t panel_stride, size_t count) {
#if HWY_TARGET != HWY_SCALAR
    HWY_UNROLL(4)  // 5 % faster with weights in the L2 cache
#endif
    for (; count != 0; --count) {
      AddOne(x, at, weights, panel_stride);
      at += x_step;
      weights += weight_step;
    }
  }

  // sums[r] += x[r][at] * weights[panel * panel_stride + ..]
  template <class Weights>
  HWY_INLINE void AddOne(const float* const* x, size_t at, Weights weights, size_t panel_stride) {
    FloatVec w[kVectors];
    HWY_UNROLL(16)
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t lane = v % kPanelVectors * kLanes;
      w[v] = LoadWeights(weights, v / kPanelVectors * panel_stride + lane, v * kLanes);
    }
    HWY_UNROLL(16)
    for (size_t r = 0; r < kRows; ++r) {
      const FloatVec factor = Set(x[r][at]);
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = Fma(factor, w[v], sums[r][v]);
    }
  }

  template <class Function>
  HWY_INLINE void ForSums(const Function& function) {
    HWY_UNROLL(16)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = function(sums[r][v]);
    }
  }
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the tile of this target
#endif  // WEFT_KERNELS_MATRIX_PANEL_INL_H_
