// SPDX-License-Identifier: Apache-2.0
// The sums of a fused cell. CellSums are those of all gates of a block of 16 units, or of two blocks at
// once, which live in registers while the weights go by in one stream a block. Where vectors are one lane
// the registers hold one gate of one block (AddCellRow), and cells take one gate after the other, for the
// sake of their stack.

#if defined(WEFT_KERNELS_RECURRENT_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_CELL_INL_H_
#undef WEFT_KERNELS_RECURRENT_CELL_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_CELL_INL_H_
#endif

#include "kernels/matrix/panel-inl.h"
#include "kernels/recurrent/cell.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {
static_assert(kCellUnits == kPanel, "a gate of a block is a panel");
}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// A Cortex-M has a loop of its own, by what its FPU can do.
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include "kernels/recurrent/cell_helium-inl.h"
#elif HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_FMA) && defined(__ARM_ARCH_PROFILE) && \
    __ARM_ARCH_PROFILE == 'M'
#include "kernels/recurrent/cell_cortex_m-inl.h"
#elif HWY_TARGET == HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// to[n] = fma(x[k], weights[k * 16 * kGates + n], from[n]) for n < 16 and k = 0 .. count - 1; to may be
// from.
template <size_t kGates, class Weight>
HWY_NOINLINE void AddCellRow(const float* from, float* to, const float* x, const Weight* weights,
                             size_t count) {
  FloatVec sums[kPanel];
  HWY_UNROLL(16)
  for (size_t n = 0; n < kPanel; ++n) sums[n] = Load(from + n);
  for (size_t k = 0; k < count; ++k, weights += kGates * kPanel) {
    const FloatVec factor = Set(x[k]);
    HWY_UNROLL(16)
    for (size_t n = 0; n < kPanel; ++n) sums[n] = Fma(factor, LoadWeights(weights + n), sums[n]);
  }
  HWY_UNROLL(16)
  for (size_t n = 0; n < kPanel; ++n) Store(sums[n], to + n);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

template <size_t kGates, size_t kBlocks>
struct CellSums {
  static constexpr size_t kVectors = kGates * kPanelVectors;  // of a block

  FloatVec sums[kBlocks][kVectors];

  // `start` of the first unit; gates lie `hidden` apart.
  HWY_INLINE void Start(const float* start, size_t hidden) {
    HWY_UNROLL(16)
    for (size_t b = 0; b < kBlocks; ++b) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) {
        const size_t gate = v / kPanelVectors, lanes = v % kPanelVectors * kLanes;
        sums[b][v] = Load(start + gate * hidden + b * kPanel + lanes);
      }
    }
  }

  // Weights of the next block lie `block_stride` of them further on.
  template <class Weight>
  HWY_INLINE void Add(const float* x, const Weight* weights, size_t block_stride, size_t count) {
    HWY_UNROLL(4)
    for (size_t k = 0; k < count; ++k) {
      const FloatVec factor = Set(x[k]);
      HWY_UNROLL(16)
      for (size_t b = 0; b < kBlocks; ++b) {
        HWY_UNROLL(16)
        for (size_t v = 0; v < kVectors; ++v) {
          const FloatVec w = LoadWeights(weights + b * block_stride + v * kLanes);
          sums[b][v] = Fma(factor, w, sums[b][v]);
        }
      }
      weights += kGates * kPanel;
    }
  }

  // Vectors count over all blocks.
  HWY_INLINE FloatVec Of(size_t gate, size_t v) const {
    return sums[v / kPanelVectors][gate * kPanelVectors + v % kPanelVectors];
  }
};

#endif

// Blocks at once whose sums the registers hold and whose chains hide the latency of a multiply-add: 8 or
// 6 of AVX-512, 8 or 12 of AVX2, 16 or 12 of NEON.
template <size_t kGates>
inline constexpr size_t kBlocksAtOnce = kPanelVectors == 1 || (kPanelVectors == 2 && kGates == 3)
                                            ? 2
                                            : 1;

// Calls cell.Run<blocks>(unit) for all units, at their first one each time.
template <size_t kGates, class Cell>
HWY_INLINE void RunCell(const Cell& cell, const CellShape& shape) {
  constexpr size_t kAtOnce = kBlocksAtOnce<kGates>;
  static_assert(kAtOnce <= 2, "what is left is one block");
  const size_t blocks = shape.hidden / kCellUnits;
  const size_t turns = (blocks + kAtOnce - 1) / kAtOnce;
  for (size_t turn = 0; turn < turns; ++turn) {
    const size_t block = (shape.backward ? turns - 1 - turn : turn) * kAtOnce;
    if (kAtOnce == 1 || block + kAtOnce <= blocks) {
      cell.template Run<kAtOnce>(block * kCellUnits);
    } else {
      cell.template Run<1>(block * kCellUnits);
    }
  }
}

// The operands of the sums, for the blocks that begin at `unit`.
template <size_t kGates, class Weight>
struct CellWalk {
  const CellShape& shape;
  const float* x;
  const Weight* weights;
  const float* h;

  HWY_INLINE size_t BlockStride() const {
    return (size_t{shape.inputs} + shape.hidden) * kGates * kPanel;
  }
  HWY_INLINE size_t Inputs() const { return x == nullptr ? 0 : shape.inputs; }
  HWY_INLINE const Weight* OfInputs(size_t unit) const {
    return weights + unit / kPanel * BlockStride();
  }
  HWY_INLINE const Weight* OfHidden(size_t unit) const {
    return OfInputs(unit) + size_t{shape.inputs} * kGates * kPanel;
  }

#if HWY_TARGET == HWY_SCALAR
  // Sums of one gate of one block, from where `from` stands: over x, to `to` if there are any, where they
  // stand then; over h, to `to`, which may be `from`.
  HWY_INLINE const float* AddInputs(size_t unit, size_t gate, const float* from, float* to) const {
    if (Inputs() == 0) return from;
    AddCellRow<kGates>(from, to, x, OfInputs(unit) + gate * kPanel, Inputs());
    return to;
  }
  HWY_INLINE void AddHidden(size_t unit, size_t gate, const float* from, float* to) const {
    AddCellRow<kGates>(from, to, h, OfHidden(unit) + gate * kPanel, shape.hidden);
  }
#else
  template <size_t kBlocks>
  HWY_INLINE void AddInputs(size_t unit, CellSums<kGates, kBlocks>& sums) const {
    sums.Add(x, OfInputs(unit), BlockStride(), Inputs());
  }
  template <size_t kBlocks>
  HWY_INLINE void AddHidden(size_t unit, CellSums<kGates, kBlocks>& sums) const {
    sums.Add(h, OfHidden(unit), BlockStride(), shape.hidden);
  }
#endif
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_CELL_INL_H_
