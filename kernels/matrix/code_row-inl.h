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

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if defined(WEFT_SUMS_NEIGHBOURS) && !defined(WEFT_HELIUM_RUNS_ROWS)

template <typename Code>
class CodeRow : private RoomOfRows<64>, public RowsOfCodes<Code> {
 public:
  HWY_INLINE CodeRow(const Code* x, size_t inputs)
      : RowsOfCodes<Code>(x, 0, inputs, 1, static_cast<RoomOfRows<64>&>(*this)) {}
  CodeRow(const CodeRow&) = delete;
  CodeRow& operator=(const CodeRow&) = delete;
};

#elif defined(WEFT_HELIUM_RUNS_ROWS)

template <typename Code>
class CodeRow {
 public:
  HWY_INLINE CodeRow(const Code* x, size_t inputs) : x_(x), inputs_(inputs) {}
  CodeRow(const CodeRow&) = delete;
  CodeRow& operator=(const CodeRow&) = delete;

  HWY_INLINE int32_t* sums() { return sums_; }
  static constexpr size_t MaxOutputs() { return kPanelOutputs; }

  // Computes first plus the products of `outputs` outputs, at most MaxOutputs.
  HWY_INLINE void Sum(const int8_t* weights, const int32_t* first, size_t outputs) {
    const size_t width = PanelWidth(outputs);
    if (width != kPanelOutputs) {
      SumNarrow(x_, inputs_, weights, width, sums_);
    } else {
      constexpr size_t kStep = kPanelOutputs * kInputBlock;
      SumEight(x_, inputs_, weights, kStep, sums_);
      SumEight(x_, inputs_, weights + kStep / 2, kStep, sums_ + kPanelOutputs / 2);
    }
    for (size_t i = 0; i < outputs; ++i) sums_[i] = WrappingAdd(sums_[i], first[i]);
  }

 private:
  const Code* x_;
  size_t inputs_;
  int32_t sums_[kPanelOutputs];
};

#else

template <typename Code>
class CodeRow {
 public:
  HWY_INLINE CodeRow(const Code* x, size_t inputs)
      : numbers_{x, 0, inputs / kRowBlock * kRowBlock, inputs % kRowBlock != 0 ? tail_ : nullptr} {
    for (size_t i = numbers_.count; i < inputs; ++i) tail_[i % kRowBlock] = x[i];
    for (size_t i = inputs; i % kRowBlock != 0; ++i) tail_[i % kRowBlock] = 0;
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

  HWY_INLINE int32_t* sums() { return sums_; }
  static constexpr size_t MaxOutputs() { return kPanelOutputs; }

  // Computes first plus the products of `outputs` outputs, at most MaxOutputs.
  HWY_INLINE void Sum(const int8_t* weights, const int32_t* first, size_t outputs) {
#if HWY_TARGET == HWY_SCALAR
    if (outputs != kPanelOutputs || (numbers_.count == 0 && numbers_.tail == nullptr)) {
      for (size_t i = 0; i < kPanelOutputs; ++i) sums_[i] = i < outputs ? first[i] : 0;
      first = sums_;
    }
    AddPanel(numbers_, weights, PanelWidth(outputs), first, sums_);
#else
    SumPanel<1>(numbers_, weights, PanelWidth(outputs), sums_);
    for (size_t i = 0; i < outputs; ++i) sums_[i] = WrappingAdd(sums_[i], first[i]);
#endif
  }

 private:
  alignas(kPanelOutputs * sizeof(int32_t)) int32_t sums_[kPanelOutputs];
  Code tail_[kRowBlock];
#if defined(WEFT_TARGET_DOTS)
  int32_t bias_ = 0;
#endif
  NumberRows<Code> numbers_;
};

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_CODE_ROW_INL_H_
