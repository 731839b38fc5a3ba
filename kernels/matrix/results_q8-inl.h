// SPDX-License-Identifier: Apache-2.0
// Conversion of integer sums to results, as dense_q8.h defines it, for all steps that compute such
// sums.

#if defined(WEFT_KERNELS_MATRIX_RESULTS_Q8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_RESULTS_Q8_INL_H_
#undef WEFT_KERNELS_MATRIX_RESULTS_Q8_INL_H_
#else
#define WEFT_KERNELS_MATRIX_RESULTS_Q8_INL_H_
#endif

#include "kernels/elementwise/activation-inl.h"
#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/pack.h"
#include "kernels/matrix/sum_panel-inl.h"
#include "kernels/simd/codes-inl.h"

#if defined(WEFT_SUMS_NEIGHBOURS)
#include "kernels/matrix/results_q8_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

template <typename T>
HWY_INLINE void Scatter(const T* block, size_t count, T* y, size_t stride) {
  for (size_t i = 0; i < count; ++i) y[i * stride] = block[i];
}

// The factors of the outputs from `outputs` on.
HWY_INLINE FactorsQ8 After(const FactorsQ8& factors, size_t outputs) {
  return {factors.scales + outputs, factors.first == nullptr ? nullptr : factors.first + outputs,
          factors.start == nullptr ? nullptr : factors.start + outputs};
}

HWY_INLINE IntVec LoadFirstIntegers(const int32_t* p, size_t lanes) {
#if HWY_TARGET == HWY_SCALAR
  return IntVec(lanes != 0 ? *p : 0);
#else
  if (lanes == kLanes) return hn::LoadU(IntTag(), p);
  return hn::LoadN(IntTag(), p, lanes);
#endif
}

// The values v of a vector of outputs, the first of which is `output`; sums are complete panels.
HWY_INLINE FloatVec NumbersOf(const int32_t* sums, const FactorsQ8& factors, size_t output,
                              size_t lanes) {
  IntVec integers = hn::LoadU(IntTag(), sums);
  if (factors.first != nullptr) {
    integers = hn::Add(integers, LoadFirstIntegers(factors.first + output, lanes));
  }
  const FloatVec scaled = hn::Mul(ToFloats(integers), LoadFirst(factors.scales + output, lanes));
  if (factors.start == nullptr) return hn::Add(scaled, Set(0.0f));
  return hn::Add(scaled, LoadFirst(factors.start + output, lanes));
}

#if !defined(WEFT_SUMS_NEIGHBOURS)  // else results_q8_cortex_m-inl.h has it
WEFT_PART void CodesOfSums(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                           const CodeBounds& bounds, int8_t* y) {
  // Copies, because the bytes written to y could alias the originals.
  const FactorsQ8 of = factors;
  const CodeBounds limits = bounds;
  ForVectors(outputs, [&](size_t i, size_t lanes) HWY_ATTR {
    StoreCodes(ToCodes(NumbersOf(sums + i, of, i, lanes), limits), y + i, lanes);
  });
}
#endif

#if HWY_TARGET != HWY_SCALAR
// The same for kRows rows with the same factors, which are loaded once. `stride` is the distance
// between the results of adjacent rows.
template <size_t kRows>
HWY_INLINE void CodesOfTile(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                            const CodeBounds& bounds, int8_t* y, size_t stride) {
  const CodeBounds limits = bounds;  // a copy: bytes written to y could alias it
  const float *const scales = factors.scales, *const start = factors.start;
  const int32_t* const first = factors.first;
  ForVectors(outputs, [&](size_t i, size_t lanes) HWY_ATTR {
    const IntVec add = first == nullptr ? SetInt(0) : LoadFirstIntegers(first + i, lanes);
    const FloatVec scale = LoadFirst(scales + i, lanes);
    const FloatVec begin = start == nullptr ? Set(0.0f) : LoadFirst(start + i, lanes);
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      const IntVec integers = hn::Add(hn::LoadU(IntTag(), sums + r * kPanelOutputs + i), add);
      const FloatVec v = hn::Add(hn::Mul(ToFloats(integers), scale), begin);
      StoreCodes(ToCodes(v, limits), y + r * stride + i, lanes);
    }
  });
}
#endif

class ResultWriter {
 public:
  HWY_INLINE ResultWriter(const ResultsQ8& results, const Activation& activation)
      : bounds_(BoundsOf(results.codes)),
        activation_(activation),
        is_float_(results.is_float),
        is_plain_(IsPlain(activation)) {}

#if defined(WEFT_SUMS_NEIGHBOURS)
#define WEFT_WRITE HWY_INLINE  // only called by WriteRows
#else
#define WEFT_WRITE WEFT_PART
#endif
  // Writes the results of at most kPanelOutputs outputs. The first is element `position` of y;
  // `stride` is the distance between outputs. `factors` are those of these outputs.
  WEFT_WRITE void Write(const int32_t* sums, const FactorsQ8& factors, size_t outputs, void* y,
                        size_t position, size_t stride) const {
    if (is_float_) {
      float* const to = static_cast<float*>(y) + position;
      if (stride == 1) return WriteFloats(sums, factors, outputs, to);
      float block[kPanelOutputs] = {};
      WriteFloats(sums, factors, outputs, block);
      return Scatter(block, outputs, to, stride);
    }
    int8_t* const to = static_cast<int8_t*>(y) + position;
    if (stride == 1) return CodesOfSums(sums, factors, outputs, bounds_, to);
    int8_t block[kPanelOutputs] = {};
    CodesOfSums(sums, factors, outputs, bounds_, block);
    Scatter(block, outputs, to, stride);
  }
#undef WEFT_WRITE

#if HWY_TARGET != HWY_SCALAR
  // Writes the results of kRows rows with the same start. Returns false, without writing, unless
  // results are quantised and contiguous.
  template <size_t kRows>
  HWY_INLINE bool WriteTile(const int32_t* sums, const FactorsQ8& factors, size_t outputs, void* y,
                            size_t position, size_t row_stride, size_t stride) const {
    if (is_float_ || stride != 1) return false;
    CodesOfTile<kRows>(sums, factors, outputs, bounds_, static_cast<int8_t*>(y) + position,
                       row_stride);
    return true;
  }
#endif

#if defined(WEFT_SUMS_NEIGHBOURS)
  // Returns true if results are quantised and contiguous.
  HWY_INLINE bool AreCodes(size_t stride) const { return !is_float_ && stride == 1; }

#if defined(__ARM_FEATURE_MVE)
  HWY_INLINE bool is_float() const { return is_float_; }
  HWY_INLINE const CodeBounds& bounds() const { return bounds_; }
  HWY_INLINE void Activate(float* y, size_t outputs) const {
    if (!is_plain_) ActivateSpan(activation_, y, y, outputs);
  }
#endif

  // Writes the results of at least one row; `steps` are the distances between rows.
  WEFT_PART void WriteRows(const int32_t* sums, FactorsQ8 factors, size_t rows, size_t outputs,
                           void* y, size_t position, size_t stride, const RowSteps& steps) const {
    if (AreCodes(stride)) {
      return CodesOfRows(sums, factors, rows, outputs, bounds_, static_cast<int8_t*>(y) + position,
                         steps);
    }
    for (;; sums += kPanelOutputs, position += steps.y) {
      Write(sums, factors, outputs, y, position, stride);
      if (--rows == 0) return;
      factors = After(factors, steps);
    }
  }
#endif

 private:
  WEFT_PART void WriteFloats(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                             float* y) const {
    size_t done = 0;
#if defined(WEFT_SUMS_NEIGHBOURS) && !defined(__ARM_FEATURE_MVE)
    if (factors.first == nullptr) {
      done = FinishEights(sums, 1.0f, factors.scales, factors.start, outputs, y);
    }
#endif
    ForVectors(outputs - done, [&](size_t i, size_t lanes) HWY_ATTR {
      i += done;
      StoreFirst(NumbersOf(sums + i, factors, i, lanes), y + i, lanes);
    });
    if (!is_plain_) ActivateSpan(activation_, y, y, outputs);
  }

  CodeBounds bounds_;
  const Activation& activation_;
  bool is_float_, is_plain_;
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_RESULTS_Q8_INL_H_
