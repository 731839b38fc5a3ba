// SPDX-License-Identifier: Apache-2.0
// The integer sums of one row of int8 or int16 codes with int8 weights as PackDenseI8 lays them
// out, on every target, for steps that do more with sums than requantise them.

#if defined(WEFT_KERNELS_MATRIX_CODE_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_CODE_ROW_INL_H_
#undef WEFT_KERNELS_MATRIX_CODE_ROW_INL_H_
#else
#define WEFT_KERNELS_MATRIX_CODE_ROW_INL_H_
#endif

#include "kernels/integer.h"
#include "kernels/matrix/rows_q8-inl.h"

#if defined(WEFT_HELIUM_RUNS_ROWS)
#include <arm_mve.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if defined(WEFT_SUMS_NEIGHBOURS) && !defined(WEFT_HELIUM_RUNS_ROWS)

template <typename Code>
class CodeRow : public RowsOfCodes<Code> {
 public:
  HWY_INLINE CodeRow(const Code* x, size_t inputs) : RowsOfCodes<Code>(x, 0, inputs, 1) {}
};

#else

template <typename Code>
class CodeRow {
 public:
  HWY_INLINE CodeRow(const Code* x, size_t inputs) {
    const size_t whole = inputs / kInputBlock * kInputBlock, rest = inputs - whole;
    for (size_t i = 0; i < kInputBlock; ++i) tail_[i] = i < rest ? x[whole + i] : Code{0};
    numbers_ = {x, 0, whole, rest != 0 ? tail_ : nullptr};
#if defined(WEFT_TARGET_DOTS)
    if constexpr (sizeof(Code) == sizeof(int8_t)) {
      if (kFirstBias != 0 && HasDots()) {
        BiasesOf<1>(numbers_, &bias_);
        numbers_.biases = &bias_;
      }
    }
#endif
  }
  CodeRow(const CodeRow&) = delete;
  CodeRow& operator=(const CodeRow&) = delete;

  HWY_INLINE const int32_t* sums() const { return sums_; }
  static constexpr size_t MaxOutputs() { return kPanelOutputs; }

  // Computes first plus the products of `outputs` outputs, at most MaxOutputs.
  HWY_INLINE void Sum(const int8_t* weights, const int32_t* first, size_t outputs) {
#if defined(WEFT_HELIUM_RUNS_ROWS)
    SumHalf(weights, sums_);
    if (outputs > kPanelOutputs / 2) {
      SumHalf(weights + kPanelOutputs / 2 * kInputBlock, sums_ + kPanelOutputs / 2);
    }
#else
    SumPanel<1>(numbers_, weights, sums_);
#endif
    for (size_t i = 0; i < outputs; ++i) sums_[i] = WrappingAdd(sums_[i], first[i]);
  }

 private:
#if defined(WEFT_HELIUM_RUNS_ROWS)
  static HWY_INLINE int32_t AddBlock(int32_t sum, const int8_t* x, const int8_t* weights) {
    return vmladavaq_s8(sum, vld1q_s8(x), vld1q_s8(weights));
  }
  static HWY_INLINE int32_t AddBlock(int32_t sum, const int16_t* x, const int8_t* weights) {
    sum = vmladavaq_s16(sum, vld1q_s16(x), vldrbq_s16(weights));
    return vmladavaq_s16(sum, vld1q_s16(x + 8), vldrbq_s16(weights + 8));
  }
  // Eight sums fill the even core registers.
  HWY_INLINE void SumHalf(const int8_t* weights, int32_t* sums) const {
    int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    const size_t count = numbers_.count;
    for (size_t k = 0;; k += kInputBlock, weights += kPanelOutputs * kInputBlock) {
      if (k == count && numbers_.tail == nullptr) break;
      const Code* const x = k == count ? numbers_.tail : numbers_.numbers + k;
      s0 = AddBlock(s0, x, weights);
      s1 = AddBlock(s1, x, weights + 16);
      s2 = AddBlock(s2, x, weights + 32);
      s3 = AddBlock(s3, x, weights + 48);
      s4 = AddBlock(s4, x, weights + 64);
      s5 = AddBlock(s5, x, weights + 80);
      s6 = AddBlock(s6, x, weights + 96);
      s7 = AddBlock(s7, x, weights + 112);
      if (k == count) break;
    }
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
    sums[4] = s4, sums[5] = s5, sums[6] = s6, sums[7] = s7;
  }
#endif

  alignas(kPanelOutputs * sizeof(int32_t)) int32_t sums_[kPanelOutputs];
  Code tail_[kInputBlock];
#if defined(WEFT_TARGET_DOTS)
  int32_t bias_ = 0;
#endif
  NumberRows<Code> numbers_ = {nullptr, 0, 0, nullptr};
};

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_CODE_ROW_INL_H_
