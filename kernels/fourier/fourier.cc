// SPDX-License-Identifier: Apache-2.0
#include "kernels/fourier/fourier.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/fourier/fourier.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/fourier/fourier-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A line of complex numbers with separate real and imaginary parts.
struct Halves {
  float* re;
  float* im;
};

// Loads adjacent interleaved complex numbers and separates their parts.
template <class D>
HWY_INLINE Complexes<D> LoadPairs(D d, const float* p) {
  Complexes<D> a;
  if constexpr (HWY_MAX_LANES_D(D) == 1) {
    a = {LoadAs(d, p), LoadAs(d, p + 1)};
  } else {
    hn::LoadInterleaved2(d, p, a.re, a.im);
  }
  return a;
}
template <class D>
HWY_INLINE void StorePairs(D d, const Complexes<D>& a, float* p) {
  if constexpr (HWY_MAX_LANES_D(D) == 1) {
    StoreAs(d, a.re, p);
    StoreAs(d, a.im, p + 1);
  } else {
    hn::StoreInterleaved2(a.re, a.im, d, p);
  }
}
template <class D>
HWY_INLINE Complexes<D> Backwards(D d, const Complexes<D>& a) {
  if constexpr (HWY_MAX_LANES_D(D) == 1) {
    return a;
  } else {
    return {hn::Reverse(d, a.re), hn::Reverse(d, a.im)};
  }
}

inline HWY_NOINLINE void TakeApart(const float* x, const float* window, size_t count, Halves to) {
  ForLanes(0, count, [&](auto d, size_t i) HWY_ATTR {
    Complexes<decltype(d)> a = LoadPairs(d, x + 2 * i);
    if (window != nullptr) {
      const Complexes<decltype(d)> by = LoadPairs(d, window + 2 * i);
      a = {hn::Mul(a.re, by.re), hn::Mul(a.im, by.im)};
    }
    StoreAs(d, a.re, to.re + i);
    StoreAs(d, a.im, to.im + i);
  });
}

inline HWY_NOINLINE void PutTogether(Halves from, const float* window, float scale, size_t count,
                                     float* y) {
  ForLanes(0, count, [&](auto d, size_t i) HWY_ATTR {
    Complexes<decltype(d)> a = {LoadAs(d, from.re + i), LoadAs(d, from.im + i)};
    a = Scaled(d, a, scale);
    if (window != nullptr) {
      const Complexes<decltype(d)> by = LoadPairs(d, window + 2 * i);
      a = {hn::Mul(a.re, by.re), hn::Mul(a.im, by.im)};
    }
    StorePairs(d, a, y + 2 * i);
  });
}

// For a real line x[0], x[1], ... whose pairs z[j] = x[2j] + i x[2j + 1] were transformed to Z, the
// transform is E + w^k O with E = (Z[k] + conj Z[m - k]) / 2, O = (Z[k] - conj Z[m - k]) / 2i.
// Element m - k is conj(E - w^k O).
inline HWY_NOINLINE void SplitPairs(Halves from, const float* twiddles, float scale, size_t m,
                                    float* y) {
  const size_t half = (m + 1) / 2;
  const float re = from.re[0] * scale, im = from.im[0] * scale;
  y[0] = re + im;
  y[1] = 0.0f;
  y[2 * m] = re - im;
  y[2 * m + 1] = 0.0f;
  if (m % 2 == 0) {
    y[m] = from.re[half] * scale;
    y[m + 1] = -from.im[half] * scale;
  }
  ForLanes(1, half, [&](auto d, size_t k) HWY_ATTR {
    using Number = Complexes<decltype(d)>;
    const size_t mirrored = m + 1 - k - HWY_MAX_LANES_D(decltype(d));
    const Number a = Scaled(d, {LoadAs(d, from.re + k), LoadAs(d, from.im + k)}, 0.5f * scale);
    const Number b = Scaled(
        d, Backwards(d, Number{LoadAs(d, from.re + mirrored), LoadAs(d, from.im + mirrored)}),
        0.5f * scale);
    const Number even = {hn::Add(a.re, b.re), hn::Sub(a.im, b.im)};
    const Number odd = {hn::Add(a.im, b.im), hn::Sub(b.re, a.re)};
    const Number rotated =
        ProductOf(d, odd, {LoadAs(d, twiddles + k), hn::Neg(LoadAs(d, twiddles + half + k))});
    StorePairs(d, SumOf(d, even, rotated), y + 2 * k);
    const Number mirror = {hn::Sub(even.re, rotated.re), hn::Sub(rotated.im, even.im)};
    StorePairs(d, Backwards(d, mirror), y + 2 * mirrored);
  });
}

// The inverse: 2 Z[k] = S + i w^-k D with S = X[k] + conj X[m - k], D = X[k] - conj X[m - k].
// Element m - k is conj(S - i w^-k D).
inline HWY_NOINLINE void JoinPairs(const float* x, const float* twiddles, size_t m, Halves to) {
  const size_t half = (m + 1) / 2;
  to.re[0] = x[0] + x[2 * m];
  to.im[0] = x[0] - x[2 * m];
  if (m % 2 == 0) {
    to.re[half] = 2.0f * x[m];
    to.im[half] = -2.0f * x[m + 1];
  }
  ForLanes(1, half, [&](auto d, size_t k) HWY_ATTR {
    using Number = Complexes<decltype(d)>;
    const size_t mirrored = m + 1 - k - HWY_MAX_LANES_D(decltype(d));
    const Number a = LoadPairs(d, x + 2 * k);
    const Number b = Backwards(d, LoadPairs(d, x + 2 * mirrored));
    const Number sum = {hn::Add(a.re, b.re), hn::Sub(a.im, b.im)};
    const Number difference = {hn::Sub(a.re, b.re), hn::Add(a.im, b.im)};
    const Number rotated =
        ProductOf(d, difference, {LoadAs(d, twiddles + k), LoadAs(d, twiddles + half + k)});
    const Number z = QuarterOn(d, sum, rotated);
    StoreAs(d, z.re, to.re + k);
    StoreAs(d, z.im, to.im + k);
    const Number mirror = Backwards(d, {hn::Add(sum.re, rotated.im), hn::Sub(rotated.re, sum.im)});
    StoreAs(d, mirror.re, to.re + mirrored);
    StoreAs(d, mirror.im, to.im + mirrored);
  });
}

// A real line of odd size is transformed as complex numbers.
inline HWY_NOINLINE void TakeOddLine(const FourierShape& shape, const float* x, const float* window,
                                     Halves to) {
  const size_t n = shape.size;
  if (shape.op == FourierOp::kForwardReal) {
    for (size_t i = 0; i < n; ++i) {
      to.re[i] = window != nullptr ? x[i] * window[i] : x[i];
      to.im[i] = 0.0f;
    }
    return;
  }
  to.re[0] = x[0];
  to.im[0] = 0.0f;
  for (size_t k = 1; 2 * k < n; ++k) {
    to.re[k] = to.re[n - k] = x[2 * k];
    to.im[k] = x[2 * k + 1];
    to.im[n - k] = -x[2 * k + 1];
  }
}
inline HWY_NOINLINE void PutOddLine(const FourierShape& shape, Halves from, const float* window,
                                    float* y) {
  const size_t n = shape.size;
  if (shape.op == FourierOp::kForwardReal) {
    for (size_t k = 0; k <= n / 2; ++k) {
      y[2 * k] = from.re[k] * shape.scale;
      y[2 * k + 1] = from.im[k] * shape.scale;
    }
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    const float value = from.re[i] * shape.scale;
    y[i] = window != nullptr ? value * window[i] : value;
  }
}

template <size_t factor>
HWY_INLINE void RunAnyPass(const FourierPass& pass) {
  if (pass.rest == 1) return RunPass<factor, false>(pass);
#if HWY_TARGET != HWY_SCALAR
  if (factor == 4 && pass.columns == 1) return RunFirstPassOfFour(pass);
#endif
  RunPass<factor, true>(pass);
}

// Runs all passes, alternating between the two buffers.
inline HWY_NOINLINE void RunPasses(const FourierShape& shape, const float* tables, Halves from,
                                   Halves to) {
  size_t rest = FourierPoints(shape), columns = 1;
  for (uint32_t i = 0; i < kMaxFourierFactors && shape.factors[i] != 0; ++i) {
    const uint32_t factor = shape.factors[i];
    rest /= factor;
    const float* circle = tables;
    tables += FourierCircleFloats(factor);
    const FourierPass pass = {from.re, from.im, to.re, to.im, rest, columns, tables};
    switch (factor) {
      case 2:
        RunAnyPass<2>(pass);
        break;
      case 3:
        RunAnyPass<3>(pass);
        break;
      case 4:
        RunAnyPass<4>(pass);
        break;
      case 5:
        RunAnyPass<5>(pass);
        break;
      default:
        RunOddPass(pass, factor, circle);
    }
    tables += FourierTwiddleFloats(factor, static_cast<uint32_t>(rest));
    columns *= factor;
    const Halves last = to;
    to = from;
    from = last;
  }
}

// The last pass writes to scratch. The other buffer is the line of y, if it is long enough.
HWY_INLINE void TransformLine(const FourierShape& shape, const float* x, const float* tables,
                              float* y, float* scratch) {
  const bool pairs = IsPairedFourier(shape), is_odd_line = IsRealFourier(shape.op) && !pairs;
  const bool is_inverse = shape.op == FourierOp::kInverse || shape.op == FourierOp::kInverseReal;
  const size_t m = FourierPoints(shape);
  const float* window = shape.has_window ? tables : nullptr;
  const float* before = is_inverse ? nullptr : window;
  const float* after = is_inverse ? window : nullptr;
  const float* twiddles = tables + FourierWindowFloats(shape);
  float* beside = is_odd_line ? scratch + 2 * m : y;
  uint32_t passes = 0;
  while (passes < kMaxFourierFactors && shape.factors[passes] != 0) ++passes;
  const Halves last = {scratch, scratch + m};
  const Halves other = {beside, beside + m};
  const Halves first = passes % 2 == 0 ? last : other, second = passes % 2 == 0 ? other : last;
  if (is_odd_line) {
    TakeOddLine(shape, x, before, first);
  } else if (pairs && is_inverse) {
    JoinPairs(x, twiddles, m, first);
  } else {
    TakeApart(x, before, m, first);
  }
  const float* by_pass = twiddles + FourierPairFloats(shape);
  if (is_inverse) {  // forward, with real and imaginary parts exchanged
    RunPasses(shape, by_pass, {first.im, first.re}, {second.im, second.re});
  } else {
    RunPasses(shape, by_pass, first, second);
  }
  if (is_odd_line) {
    PutOddLine(shape, last, after, y);
  } else if (pairs && !is_inverse) {
    SplitPairs(last, twiddles, shape.scale, m, y);
  } else {
    PutTogether(last, after, shape.scale, m, y);
  }
}

void Fourier(const FourierShape& shape, const float* x, const float* tables, float* y,
             float* scratch) {
  for (size_t line = 0; line < shape.lines; ++line) {
    TransformLine(shape, x + line * shape.x_line_stride, tables, y + line * shape.y_line_stride,
                  scratch);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(Fourier,
            (const FourierShape& shape, const float* x, const float* tables, float* y,
             float* scratch),
            (shape, x, tables, y, scratch))
