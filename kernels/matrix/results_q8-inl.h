// SPDX-License-Identifier: Apache-2.0
// What becomes of sums of products of levels, as dense_q8.h has it, for all steps that make such
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
#include "kernels/simd/levels-inl.h"

#if defined(WEFT_SUMS_NEIGHBOURS)
#include "kernels/matrix/results_q8_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

template <typename T>
HWY_INLINE void Scatter(const T* block, size_t count, T* y, size_t stride) {
  for (size_t i = 0; i < count; ++i) y[i * stride] = block[i];
}

// Of the outputs from `outputs` on.
HWY_INLINE FactorsQ8 Behind(const FactorsQ8& factors, size_t outputs) {
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

// The numbers v of a vector of outputs, of which `output` is the first; panels of sums are whole.
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
WEFT_PART void LevelsOfSums(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                            const LevelBounds& bounds, int8_t* y) {
  // Bytes that are written might else be these.
  const FactorsQ8 of = factors;
  const LevelBounds limits = bounds;
  ForVectors(outputs, [&](size_t i, size_t lanes) HWY_ATTR {
    StoreLevels(ToLevels(NumbersOf(sums + i, of, i, lanes), limits), y + i, lanes);
  });
}
#endif

#if HWY_TARGET != HWY_SCALAR
// The same of kRows rows, whose factors are loaded once; results of a row lie `stride` behind those
// of the row before.
template <size_t kRows>
HWY_INLINE void LevelsOfTile(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                             const LevelBounds& bounds, int8_t* y, size_t stride) {
  const LevelBounds limits = bounds;  // bytes that are written might else be these
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
      StoreLevels(ToLevels(v, limits), y + r * stride + i, lanes);
    }
  });
}
#endif

class ResultWriter {
 public:
  HWY_INLINE ResultWriter(const ResultsQ8& results, const Activation& activation)
      : bounds_(BoundsOf(results.levels)),
        activation_(activation),
        is_float_(results.is_float),
        is_plain_(IsPlain(activation)) {}

#if defined(WEFT_SUMS_NEIGHBOURS)
#define WEFT_WRITE HWY_INLINE  // into WriteRows alone
#else
#define WEFT_WRITE WEFT_PART
#endif
  // Results of at most kPanelOutputs outputs, of which `factors` are; the first is to be element
  // `place` of y, each next one `stride` elements behind.
  WEFT_WRITE void Write(const int32_t* sums, const FactorsQ8& factors, size_t outputs, void* y,
                        size_t place, size_t stride) const {
    if (is_float_) {
      float* const to = static_cast<float*>(y) + place;
      if (stride == 1) return WriteFloats(sums, factors, outputs, to);
      float block[kPanelOutputs] = {};
      WriteFloats(sums, factors, outputs, block);
      return Scatter(block, outputs, to, stride);
    }
    int8_t* const to = static_cast<int8_t*>(y) + place;
    if (stride == 1) return LevelsOfSums(sums, factors, outputs, bounds_, to);
    int8_t block[kPanelOutputs] = {};
    LevelsOfSums(sums, factors, outputs, bounds_, block);
    Scatter(block, outputs, to, stride);
  }
#undef WEFT_WRITE

#if HWY_TARGET != HWY_SCALAR
  // Those of kRows rows, if they are levels beside each other; the start is the same for all rows.
  template <size_t kRows>
  HWY_INLINE bool WriteTile(const int32_t* sums, const FactorsQ8& factors, size_t outputs, void* y,
                            size_t place, size_t row_stride, size_t stride) const {
    if (is_float_ || stride != 1) return false;
    LevelsOfTile<kRows>(sums, factors, outputs, bounds_, static_cast<int8_t*>(y) + place,
                        row_stride);
    return true;
  }
#endif

#if defined(WEFT_SUMS_NEIGHBOURS)
  // Whether results are levels beside each other.
  HWY_INLINE bool AreLevels(size_t stride) const { return !is_float_ && stride == 1; }

#if defined(__ARM_FEATURE_MVE)
  HWY_INLINE bool is_float() const { return is_float_; }
  HWY_INLINE const LevelBounds& bounds() const { return bounds_; }
  HWY_INLINE void Activate(float* y, size_t outputs) const {
    if (!is_plain_) ActivateSpan(activation_, y, y, outputs);
  }
#endif

  // Those of at least one row, which lie apart by `steps`.
  WEFT_PART void WriteRows(const int32_t* sums, FactorsQ8 factors, size_t rows, size_t outputs,
                           void* y, size_t place, size_t stride, const RowSteps& steps) const {
    if (AreLevels(stride)) {
      return LevelsOfRows(sums, factors, rows, outputs, bounds_, static_cast<int8_t*>(y) + place,
                          steps);
    }
    for (;; sums += kPanelOutputs, place += steps.y) {
      Write(sums, factors, outputs, y, place, stride);
      if (--rows == 0) return;
      factors = Behind(factors, steps);
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

  LevelBounds bounds_;
  const Activation& activation_;
  bool is_float_, is_plain_;
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_RESULTS_Q8_INL_H_
