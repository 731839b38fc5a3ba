// SPDX-License-Identifier: Apache-2.0
// Sums of a panel for one row on a Cortex-M with Helium, where no assembly of a step computes them:
// narrow panels, and steps that do more with sums than requantise them. Instructions per
// multiply-add of int8: 0.2. Included only by sum_panel-inl.h.

#if defined(WEFT_KERNELS_MATRIX_SUM_ROW_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_SUM_ROW_HELIUM_INL_H_
#undef WEFT_KERNELS_MATRIX_SUM_ROW_HELIUM_INL_H_
#else
#define WEFT_KERNELS_MATRIX_SUM_ROW_HELIUM_INL_H_
#endif

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/pack.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A block of inputs, with zeros from number `count` on.
class BlockOfBytes {
 public:
  HWY_INLINE BlockOfBytes(const int8_t* x, size_t count)
      : numbers_(vldrbq_z_s8(x, vctp8q(static_cast<uint32_t>(count)))) {}
  HWY_INLINE int32_t AddTo(int32_t sum, const int8_t* weights) const {
    return vmladavaq_s8(sum, numbers_, vld1q_s8(weights));
  }

 private:
  int8x16_t numbers_;
};
class BlockOfShorts {
 public:
  HWY_INLINE BlockOfShorts(const int16_t* x, size_t count)
      : low_(vldrhq_z_s16(x, vctp16q(static_cast<uint32_t>(count)))),
        high_(vldrhq_z_s16(x + 8, vctp16q(static_cast<uint32_t>(count < 8 ? 0 : count - 8)))) {}
  HWY_INLINE int32_t AddTo(int32_t sum, const int8_t* weights) const {
    return vmladavaq_s16(vmladavaq_s16(sum, low_, vldrbq_s16(weights)), high_,
                         vldrbq_s16(weights + 8));
  }

 private:
  int16x8_t low_, high_;
};
HWY_INLINE BlockOfBytes BlockAt(const int8_t* x, size_t count) { return {x, count}; }
HWY_INLINE BlockOfShorts BlockAt(const int16_t* x, size_t count) { return {x, count}; }

// Sums of eight outputs, which fill the even core registers, or of four. `step` is the distance
// between the blocks of weights.
template <typename Code>
WEFT_PART void SumEight(const Code* x, size_t inputs, const int8_t* weights, size_t step,
                        int32_t* sums) {
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
  for (size_t k = 0; k < inputs; k += kInputBlock, weights += step) {
    const auto block = BlockAt(x + k, inputs - k);
    s0 = block.AddTo(s0, weights);
    s1 = block.AddTo(s1, weights + 16);
    s2 = block.AddTo(s2, weights + 32);
    s3 = block.AddTo(s3, weights + 48);
    s4 = block.AddTo(s4, weights + 64);
    s5 = block.AddTo(s5, weights + 80);
    s6 = block.AddTo(s6, weights + 96);
    s7 = block.AddTo(s7, weights + 112);
  }
  sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
  sums[4] = s4, sums[5] = s5, sums[6] = s6, sums[7] = s7;
}
template <typename Code>
WEFT_PART void SumFour(const Code* x, size_t inputs, const int8_t* weights, size_t step,
                       int32_t* sums) {
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (size_t k = 0; k < inputs; k += kInputBlock, weights += step) {
    const auto block = BlockAt(x + k, inputs - k);
    s0 = block.AddTo(s0, weights);
    s1 = block.AddTo(s1, weights + 16);
    s2 = block.AddTo(s2, weights + 32);
    s3 = block.AddTo(s3, weights + 48);
  }
  sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

// Sums of a panel of 4 or 8 outputs. Eight sums of int8 need more registers than there are.
template <typename Code>
HWY_INLINE void SumNarrow(const Code* x, size_t inputs, const int8_t* weights, size_t width,
                          int32_t* sums) {
  const size_t step = width * kInputBlock;
  if (sizeof(Code) == sizeof(int16_t) && width == 8) {
    return SumEight(x, inputs, weights, step, sums);
  }
  for (size_t n = 0; n < width; n += 4) {
    SumFour(x, inputs, weights + n * kInputBlock, step, sums + n);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_SUM_ROW_HELIUM_INL_H_
