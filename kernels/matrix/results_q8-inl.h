// SPDX-License-Identifier: Apache-2.0
// Conversion of integer sums to results, as dense_q8.h defines it, for all steps that compute such
// sums.

#if defined(WEFT_KERNELS_MATRIX_RESULTS_Q8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_RESULTS_Q8_INL_H_
#undef WEFT_KERNELS_MATRIX_RESULTS_Q8_INL_H_
#else
#define WEFT_KERNELS_MATRIX_RESULTS_Q8_INL_H_
#endif

#include <type_traits>

#include "kernels/elementwise/activation-inl.h"
#include "kernels/integer.h"
#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/pack.h"
#include "kernels/matrix/sum_panel-inl.h"
#include "kernels/simd/codes-inl.h"

#if defined(WEFT_SUMS_NEIGHBOURS)
#include "kernels/matrix/results_q8_cortex_m-inl.h"
#endif

// The scalar target computes floats in a separate object file (float_codes.cc), so that a program
// for a core without an FPU contains them only if its model needs them.
#undef WEFT_SPLITS_FLOATS
#if HWY_TARGET == HWY_SCALAR && !defined(WEFT_SUMS_NEIGHBOURS)
#define WEFT_SPLITS_FLOATS
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

// The factors of a vector of outputs, the first of which is `output`: floats, or integers
// (requantise.h). Converted converts sums to numbers in units of the scale of y.
struct FloatFactors {
  using Bounds = CodeBounds;
  FloatVec scale, start;
  HWY_INLINE FloatFactors(const FactorsQ8& of, size_t output, size_t lanes)
      : scale(LoadFirst(of.scales + output, lanes)),
        start(of.start == nullptr ? Set(0.0f) : LoadFirst(of.start + output, lanes)) {}
  HWY_INLINE FloatVec Converted(IntVec sums) const {
    return hn::Add(hn::Mul(ToFloats(sums), scale), start);
  }
};
struct IntegerFactors {
  using Bounds = CodeRange;
  MultiplierVec multiplier;
  HWY_INLINE IntegerFactors(const FactorsQ8& of, size_t output, size_t lanes)
      : multiplier(LoadFirstIntegers(of.mantissas() + output, lanes),
                   LoadFirstIntegers(of.exponents() + output, lanes)) {}
  HWY_INLINE IntVec Converted(IntVec sums) const { return Rescaled(sums, multiplier); }
};

HWY_INLINE IntVec FirstOf(const FactorsQ8& factors, size_t output, size_t lanes) {
  if (factors.first == nullptr) return SetInt(0);
  return LoadFirstIntegers(factors.first + output, lanes);
}

#if !defined(WEFT_SUMS_NEIGHBOURS)
// Sums are complete panels. Other Cortex-M have results_q8_cortex_m-inl.h.
template <typename Factors>
WEFT_PART void CodesOfSums(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                           const typename Factors::Bounds& bounds, int8_t* y) {
  // Copies, because the bytes written to y could alias the originals.
  const FactorsQ8 of = factors;
  const typename Factors::Bounds limits = bounds;
  ForVectors(outputs, [&](size_t i, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
    const IntVec integers = hn::Add(hn::LoadU(IntTag(), sums + i), FirstOf(of, i, lanes));
    StoreCodes(ToCodes(Factors(of, i, lanes).Converted(integers), limits), y + i, lanes);
  });
}
#endif

#if HWY_TARGET <= HWY_AVX3
// The codes of the first `outputs` outputs of kRows rows, four rows at a time: convert(four) gives
// integers in units of the scale of y.
template <size_t kRows, class Convert>
HWY_INLINE void StoreFours(const int32_t* sums, IntVec first, size_t outputs,
                           const CodeRange& range, int8_t* y, size_t stride,
                           const Convert& convert) {
  const auto least = hn::Set(CodeBytes(), range.low), most = hn::Set(CodeBytes(), range.high);
  const int32_t zero = range.zero;
  const auto store = [&](auto codes, size_t r) HWY_ATTR WEFT_ALWAYS_INLINE {
    if (r >= kRows) return;
    const hn::Full128<int8_t> panel;
    if (outputs == kPanelOutputs) return hn::StoreU(codes, panel, y + r * stride);
    hn::StoreN(codes, panel, y + r * stride, outputs);
  };
  HWY_UNROLL(2)
  for (size_t r = 0; r < kRows; r += 4) {
    IntVec four[4];
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
      const size_t at = r + i < kRows ? r + i : kRows - 1;
      four[i] = hn::Add(hn::Load(IntTag(), sums + at * kPanelOutputs), first);
    }
    convert(four);
    const auto codes = hn::Min(hn::Max(JoinCodes(four, zero), least), most);
    store(hn::ExtractBlock<0>(codes), r);
    store(hn::ExtractBlock<1>(codes), r + 1);
    store(hn::ExtractBlock<2>(codes), r + 2);
    store(hn::ExtractBlock<3>(codes), r + 3);
  }
}

// CodesOfTile of at most one vector. Returns false, without writing, for one row, or if a
// multiplier requires the general form.
template <typename Factors, size_t kRows>
HWY_INLINE bool CodesOfFours(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                             const CodeRange& range, int8_t* y, size_t stride) {
  static_assert(kLanes == kPanelOutputs, "a vector holds a panel");
  if (kRows == 1) return false;
  const IntVec first = FirstOf(factors, 0, outputs);
  if constexpr (std::is_same_v<Factors, IntegerFactors>) {
    const IntVec exponents = hn::IfThenElse(
        hn::FirstN(IntTag(), outputs), LoadFirstIntegers(factors.exponents(), outputs), SetInt(-1));
    if (!RightRescaler::Fits(exponents)) return false;
    const RightRescaler of(LoadFirstIntegers(factors.mantissas(), outputs), exponents);
    StoreFours<kRows>(
        sums, first, outputs, range, y, stride, [&](IntVec* four) HWY_ATTR WEFT_ALWAYS_INLINE {
          RescaleFour([&](size_t) HWY_ATTR -> const RightRescaler& { return of; }, four);
        });
  } else {
    const Factors of(factors, 0, outputs);
    StoreFours<kRows>(sums, first, outputs, range, y, stride,
                      [&](IntVec* four) HWY_ATTR WEFT_ALWAYS_INLINE {
                        HWY_UNROLL(4)
                        for (size_t i = 0; i < 4; ++i) four[i] = ToNearest(of.Converted(four[i]));
                      });
  }
  return true;
}
#endif

#if HWY_TARGET <= HWY_AVX3
// The codes of four panels of a row. Returns false, without writing, if a multiplier requires the
// general form.
template <typename Factors>
HWY_INLINE bool CodesOfPanels(const int32_t* sums, const FactorsQ8& factors, const CodeRange& range,
                              int8_t* y) {
  IntVec four[4];
  HWY_UNROLL(4)
  for (size_t v = 0; v < 4; ++v) {
    const size_t at = v * kPanelOutputs;
    four[v] = hn::Add(hn::Load(IntTag(), sums + at), FirstOf(factors, at, kPanelOutputs));
  }
  if constexpr (std::is_same_v<Factors, IntegerFactors>) {
    RightRescaler of[4];
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) {
      const size_t at = v * kPanelOutputs;
      const IntVec exponents = hn::LoadU(IntTag(), factors.exponents() + at);
      if (!RightRescaler::Fits(exponents)) return false;
      of[v] = RightRescaler(hn::LoadU(IntTag(), factors.mantissas() + at), exponents);
    }
    RescaleFour([&](size_t v) HWY_ATTR -> const RightRescaler& { return of[v]; }, four);
  } else {
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) {
      const Factors of(factors, v * kPanelOutputs, kPanelOutputs);
      four[v] = ToNearest(of.Converted(four[v]));
    }
  }
  const auto least = hn::Set(CodeBytes(), range.low), most = hn::Set(CodeBytes(), range.high);
  hn::StoreU(hn::Min(hn::Max(JoinCodes(four, range.zero), least), most), CodeBytes(), y);
  return true;
}
#endif

#if HWY_TARGET != HWY_SCALAR
// The same for kRows rows with the same factors, which are loaded once. `stride` is the distance
// between the results of adjacent rows.
template <typename Factors, size_t kRows>
HWY_INLINE void CodesOfTile(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                            const typename Factors::Bounds& bounds, const CodeRange& range,
                            int8_t* y, size_t stride) {
#if HWY_TARGET <= HWY_AVX3
  if (CodesOfFours<Factors, kRows>(sums, factors, outputs, range, y, stride)) return;
#else
  (void)range;
#endif
  const FactorsQ8 all = factors;  // copies: bytes written to y could alias the originals
  const typename Factors::Bounds limits = bounds;
  ForVectors(outputs, [&](size_t i, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
    const IntVec add = FirstOf(all, i, lanes);
    const Factors of(all, i, lanes);
    HWY_UNROLL(4)
    for (size_t r = 0; r < kRows; ++r) {
      const IntVec integers = hn::Add(hn::LoadU(IntTag(), sums + r * kPanelOutputs + i), add);
      StoreCodes(ToCodes(of.Converted(integers), limits), y + r * stride + i, lanes);
    }
  });
}
#endif

#if defined(WEFT_SPLITS_FLOATS)
// CodesOfSums without vectors. Nearly all exponents are negative; then a product is halved with one
// rounding at the end of the shift (requantise.h), 27 instructions per output on a Cortex-M3.
WEFT_PART void CodesOneByOne(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                             const CodeRange& codes, int8_t* y) {
  const int32_t *first = factors.first, *mantissas = factors.mantissas(),
                *exponents = factors.exponents();
  const int32_t zero = codes.zero, low = codes.low - zero, high = codes.high - zero;
  for (const int8_t* const end = y + outputs; y != end; ++y) {
    int32_t v = *sums++;
    if (first != nullptr) v = WrappingAdd(v, *first++);
    const Multiplier by = {*mantissas++, *exponents++};
    if (by.exponent < 0) {
      v = DivideProduct(HighProduct(v, by.mantissa), -by.exponent);
    } else {
      v = Rescaled(v, by);
    }
    v = v < low ? low : v;
    v = v > high ? high : v;
    *y = static_cast<int8_t>(v + zero);
  }
}
#endif

// CodesOfSums of sums that are requantised by integers. In firmware a separate function, which only
// models with such sums link.
HWY_INLINE void CodesByIntegers(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                                const CodeRange& codes, int8_t* y) {
#if defined(WEFT_SUMS_NEIGHBOURS)
  if (&IntegerRows != nullptr) IntegerRows(sums, factors, 1, outputs, codes, y, {0, 0});
#elif defined(WEFT_SPLITS_FLOATS)
  CodesOneByOne(sums, factors, outputs, codes, y);
#else
  CodesOfSums<IntegerFactors>(sums, factors, outputs, codes, y);
#endif
}

// Writes results of any type.
class AnyResultWriter {
 public:
  HWY_INLINE AnyResultWriter(const ResultsQ8& results, const Activation& activation)
      : results_(results),
        bounds_(BoundsOf(results.codes)),
        activation_(activation),
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
    if (results_.is_float) {
      float* const to = static_cast<float*>(y) + position;
      if (stride == 1) return WriteFloats(sums, factors, outputs, to);
      float block[kPanelOutputs] = {};
      WriteFloats(sums, factors, outputs, block);
      return Scatter(block, outputs, to, stride);
    }
    int8_t block[kPanelOutputs];
    int8_t* const to = static_cast<int8_t*>(y) + position;
    WriteCodes(sums, factors, outputs, stride == 1 ? to : block);
    if (stride != 1) Scatter(block, outputs, to, stride);
  }
#undef WEFT_WRITE

#if HWY_TARGET != HWY_SCALAR
  // Writes the results of kRows rows with the same start. Returns false, without writing, unless
  // results are quantised and contiguous.
  template <size_t kRows>
  HWY_INLINE bool WriteTile(const int32_t* sums, const FactorsQ8& factors, size_t outputs, void* y,
                            size_t position, size_t row_stride, size_t stride) const {
    if (results_.is_float || stride != 1) return false;
    int8_t* const to = static_cast<int8_t*>(y) + position;
    const CodeRange& range = results_.codes;
    if (range.by_integers) {
      CodesOfTile<IntegerFactors, kRows>(sums, factors, outputs, range, range, to, row_stride);
    } else {
      CodesOfTile<FloatFactors, kRows>(sums, factors, outputs, bounds_, range, to, row_stride);
    }
    return true;
  }
#endif

#if HWY_TARGET <= HWY_AVX3
  // Writes the results of four panels of a row. Returns false, without writing, unless they are
  // quantised and contiguous.
  HWY_INLINE bool WritePanels(const int32_t* sums, const FactorsQ8& factors, void* y,
                              size_t position, size_t stride) const {
    if (results_.is_float || stride != 1) return false;
    int8_t* const to = static_cast<int8_t*>(y) + position;
    const CodeRange& range = results_.codes;
    if (range.by_integers) return CodesOfPanels<IntegerFactors>(sums, factors, range, to);
    return CodesOfPanels<FloatFactors>(sums, factors, range, to);
  }
#endif

#if defined(WEFT_SUMS_NEIGHBOURS)
  // Returns true if results are contiguous and quantised.
  HWY_INLINE bool AreCodes(size_t stride) const { return !results_.is_float && stride == 1; }

#if defined(__ARM_FEATURE_MVE)
  HWY_INLINE bool is_float() const { return results_.is_float; }
  HWY_INLINE const ResultsQ8& results() const { return results_; }
  HWY_INLINE const CodeBounds& bounds() const { return bounds_; }
  HWY_INLINE void Activate(float* y, size_t outputs) const {
    if (!is_plain_) ActivateSpan(activation_, y, y, outputs);
  }
#endif

  // Writes the results of at least one row; `steps` are the distances between rows.
  WEFT_PART void WriteRows(const int32_t* sums, FactorsQ8 factors, size_t rows, size_t outputs,
                           void* y, size_t position, size_t stride, const RowSteps& steps) const {
    if (AreCodes(stride)) {
      int8_t* const to = static_cast<int8_t*>(y) + position;
      if (!results_.codes.by_integers) {
        return CodesOfRows(sums, factors, rows, outputs, bounds_, to, steps);
      }
      if (&IntegerRows == nullptr) return;
      return IntegerRows(sums, factors, rows, outputs, results_.codes, to, steps);
    }
    for (;; sums += kPanelOutputs, position += steps.y) {
      Write(sums, factors, outputs, y, position, stride);
      if (--rows == 0) return;
      factors = After(factors, steps);
    }
  }
#endif

 private:
  HWY_INLINE void WriteCodes(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                             int8_t* y) const {
    if (results_.codes.by_integers)
      return CodesByIntegers(sums, factors, outputs, results_.codes, y);
#if defined(WEFT_SUMS_NEIGHBOURS)
    CodesOfSums(sums, factors, outputs, bounds_, y);
#else
    CodesOfSums<FloatFactors>(sums, factors, outputs, bounds_, y);
#endif
  }

  WEFT_PART void WriteFloats(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                             float* y) const {
    size_t done = 0;
#if defined(WEFT_SUMS_NEIGHBOURS) && !defined(__ARM_FEATURE_MVE)
    if (factors.first == nullptr) {
      done = FinishEights(sums, 1.0f, factors.scales, factors.start, outputs, y);
    }
#endif
    ForVectors(outputs - done, [&](size_t i, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
      i += done;
      const IntVec integers = hn::Add(hn::LoadU(IntTag(), sums + i), FirstOf(factors, i, lanes));
      StoreFirst(FloatFactors(factors, i, lanes).Converted(integers), y + i, lanes);
    });
    if (!is_plain_) ActivateSpan(activation_, y, y, outputs);
  }

  const ResultsQ8& results_;
  CodeBounds bounds_;
  const Activation& activation_;
  bool is_plain_;
};

#if defined(WEFT_SPLITS_FLOATS)

// AnyResultWriter::Write, in a program whose model has results that are computed with floats.
#if !(defined(_WIN32) && defined(WEFT_DEFINES_FLOAT_RESULTS))  // COFF: a weak one is not found
__attribute__((weak))
#endif
void WriteFloatResults(const ResultsQ8& results, const Activation& activation, const int32_t* sums,
                       const FactorsQ8& factors, size_t outputs, void* y, size_t position,
                       size_t stride);

class ResultWriter {
 public:
  HWY_INLINE ResultWriter(const ResultsQ8& results, const Activation& activation)
      : results_(results), activation_(activation) {}

  // As AnyResultWriter::Write.
  WEFT_PART void Write(const int32_t* sums, const FactorsQ8& factors, size_t outputs, void* y,
                       size_t position, size_t stride) const {
    if (results_.codes.by_integers) {
      int8_t block[kPanelOutputs];
      int8_t* const to = static_cast<int8_t*>(y) + position;
      CodesByIntegers(sums, factors, outputs, results_.codes, stride == 1 ? to : block);
      if (stride != 1) Scatter(block, outputs, to, stride);
    } else if (&WriteFloatResults != nullptr) {
      WriteFloatResults(results_, activation_, sums, factors, outputs, y, position, stride);
    }
  }

 private:
  const ResultsQ8& results_;
  const Activation& activation_;
};

#else
using ResultWriter = AnyResultWriter;
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_RESULTS_Q8_INL_H_
