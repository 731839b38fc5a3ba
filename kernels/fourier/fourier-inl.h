// SPDX-License-Identifier: Apache-2.0
// One pass of a Fourier transform, from one buffer to another: each output is a sum of `factor`
// inputs, where `factor` is the radix of the pass. Real and imaginary parts are stored separately,
// so that a vector holds the same part of adjacent numbers. Shorter vectors process the remainder
// in the same way.

#if defined(WEFT_KERNELS_FOURIER_FOURIER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_FOURIER_FOURIER_INL_H_
#undef WEFT_KERNELS_FOURIER_FOURIER_INL_H_
#else
#define WEFT_KERNELS_FOURIER_FOURIER_INL_H_
#endif

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Vector types of any length, as FloatVec in vector-inl.h.
#if HWY_TARGET == HWY_SCALAR
using FourTag = FloatTag;
using OneTag = FloatTag;
HWY_INLINE FloatVec LoadAs(FloatTag, const float* p) { return Load(p); }
HWY_INLINE void StoreAs(FloatTag, FloatVec v, float* p) { Store(v, p); }
HWY_INLINE FloatVec FusedAdd(FloatVec a, FloatVec b, FloatVec c) { return Fma(a, b, c); }
HWY_INLINE FloatVec FusedSubtract(FloatVec a, FloatVec b, FloatVec c) { return Fnma(a, b, c); }
#else
using FourTag = hn::CappedTag<float, 4>;
using OneTag = hn::CappedTag<float, 1>;
template <class D>
HWY_INLINE hn::Vec<D> LoadAs(D d, const float* p) {
  return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE void StoreAs(D d, hn::Vec<D> v, float* p) {
  hn::StoreU(v, d, p);
}
// As Fma and Fnma of vector-inl.h.
template <class V>
HWY_INLINE V FusedAdd(V a, V b, V c) {  // a * b + c
#if HWY_TARGET == HWY_WASM && defined(__wasm_relaxed_simd__)
  return V{static_cast<decltype(a.raw)>(wasm_f32x4_relaxed_madd(a.raw, b.raw, c.raw))};
#else
  return hn::MulAdd(a, b, c);
#endif
}
template <class V>
HWY_INLINE V FusedSubtract(V a, V b, V c) {  // c - a * b
#if HWY_TARGET == HWY_WASM && defined(__wasm_relaxed_simd__)
  return V{static_cast<decltype(a.raw)>(wasm_f32x4_relaxed_nmadd(a.raw, b.raw, c.raw))};
#else
  return hn::NegMulAdd(a, b, c);
#endif
}
#endif

// Calls body(tag, i) over [begin, end): full vectors, then vectors of four, then single lanes.
template <class Body>
HWY_INLINE void ForLanes(size_t begin, size_t end, const Body& body) {
  size_t i = begin;
#if defined(__ARM_FEATURE_MVE)  // elsewhere Clang warns about loops that it cannot vectorise
  WEFT_NO_LOOP_DEPENDENCE
#endif
  for (; i + kLanes <= end; i += kLanes) body(FloatTag(), i);
  if constexpr (kLanes > 4) {
    for (; i + 4 <= end; i += 4) body(FourTag(), i);
  }
  if constexpr (kLanes > 1) {
    for (; i < end; ++i) body(OneTag(), i);
  }
}

// One complex number per lane.
template <class D>
struct Complexes {
  hn::Vec<D> re, im;
};
struct Twiddle {
  float re, im;
};

template <class D>
HWY_INLINE Complexes<D> SumOf(D, const Complexes<D>& a, const Complexes<D>& b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class D>
HWY_INLINE Complexes<D> DifferenceOf(D, const Complexes<D>& a, const Complexes<D>& b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
// QuarterBack: a - i * b; QuarterOn: a + i * b.
template <class D>
HWY_INLINE Complexes<D> QuarterBack(D, const Complexes<D>& a, const Complexes<D>& b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}
template <class D>
HWY_INLINE Complexes<D> QuarterOn(D, const Complexes<D>& a, const Complexes<D>& b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}
template <class D>
HWY_INLINE Complexes<D> ProductOf(D, const Complexes<D>& a, const Complexes<D>& w) {
  return {FusedSubtract(a.im, w.im, hn::Mul(a.re, w.re)),
          FusedAdd(a.im, w.re, hn::Mul(a.re, w.im))};
}
// a * factor + b
template <class D>
HWY_INLINE Complexes<D> ScaledSum(D d, const Complexes<D>& a, float factor, const Complexes<D>& b) {
  return {FusedAdd(a.re, hn::Set(d, factor), b.re), FusedAdd(a.im, hn::Set(d, factor), b.im)};
}
template <class D>
HWY_INLINE Complexes<D> Scaled(D d, const Complexes<D>& a, float factor) {
  return {hn::Mul(a.re, hn::Set(d, factor)), hn::Mul(a.im, hn::Set(d, factor))};
}

// Inputs at p * columns + q + k * rest * columns, outputs at (p * factor + j) * columns + q.
struct FourierPass {
  const float* from_re;
  const float* from_im;
  float* to_re;
  float* to_im;
  size_t rest, columns;
  const float* twiddles;
};

template <class D>
HWY_INLINE Complexes<D> Get(D d, const FourierPass& pass, size_t at) {
  return {LoadAs(d, pass.from_re + at), LoadAs(d, pass.from_im + at)};
}
template <class D>
HWY_INLINE void Put(D d, const FourierPass& pass, const Complexes<D>& a, size_t at) {
  StoreAs(d, a.re, pass.to_re + at);
  StoreAs(d, a.im, pass.to_im + at);
}
// The twiddle factor of output j for all q; not used in the last pass.
HWY_INLINE Twiddle TwiddleAt(const FourierPass& pass, size_t j, size_t p) {
  const float* twiddles = pass.twiddles + 2 * (j - 1) * pass.rest + p;
  return {twiddles[0], twiddles[pass.rest]};
}
template <bool twiddles, class D>
HWY_INLINE void PutRotated(D d, const FourierPass& pass, const Complexes<D>& a, Twiddle twiddle,
                           size_t at) {
  if constexpr (twiddles) {
    Put(d, pass, ProductOf(d, a, {hn::Set(d, twiddle.re), hn::Set(d, twiddle.im)}), at);
  } else {
    Put(d, pass, a, at);
  }
}

// The butterflies of a pass: they overwrite their inputs with the sums.
template <class D>
HWY_INLINE void Mix(D d, Complexes<D>& a, Complexes<D>& b, Complexes<D>& c) {
  constexpr float kSine = 0.866025403784438647f;  // of a third of a turn
  const Complexes<D> sum = SumOf(d, b, c);
  const Complexes<D> difference = Scaled(d, DifferenceOf(d, b, c), kSine);
  const Complexes<D> middle = ScaledSum(d, sum, -0.5f, a);
  a = SumOf(d, a, sum);
  b = QuarterBack(d, middle, difference);
  c = QuarterOn(d, middle, difference);
}
template <class D>
HWY_INLINE void Mix(D d, Complexes<D>& a, Complexes<D>& b, Complexes<D>& c, Complexes<D>& e) {
  const Complexes<D> even = SumOf(d, a, c), odd = SumOf(d, b, e);
  const Complexes<D> even_rest = DifferenceOf(d, a, c), odd_rest = DifferenceOf(d, b, e);
  a = SumOf(d, even, odd);
  b = QuarterBack(d, even_rest, odd_rest);
  c = DifferenceOf(d, even, odd);
  e = QuarterOn(d, even_rest, odd_rest);
}
template <class D>
HWY_INLINE void Mix(D d, Complexes<D>& a, Complexes<D>& b, Complexes<D>& c, Complexes<D>& e,
                    Complexes<D>& f) {
  constexpr float kCosine1 = 0.309016994374947424f, kCosine2 = -0.809016994374947424f;
  constexpr float kSine1 = 0.951056516295153572f, kSine2 = 0.587785252292473129f;
  const Complexes<D> outer = SumOf(d, b, f), inner = SumOf(d, c, e);
  const Complexes<D> outer_rest = DifferenceOf(d, b, f), inner_rest = DifferenceOf(d, c, e);
  const Complexes<D> middle1 = ScaledSum(d, inner, kCosine2, ScaledSum(d, outer, kCosine1, a));
  const Complexes<D> middle2 = ScaledSum(d, inner, kCosine1, ScaledSum(d, outer, kCosine2, a));
  const Complexes<D> side1 = ScaledSum(d, inner_rest, kSine2, Scaled(d, outer_rest, kSine1));
  const Complexes<D> side2 = ScaledSum(d, inner_rest, -kSine1, Scaled(d, outer_rest, kSine2));
  a = SumOf(d, SumOf(d, a, outer), inner);
  b = QuarterBack(d, middle1, side1);
  f = QuarterOn(d, middle1, side1);
  c = QuarterBack(d, middle2, side2);
  e = QuarterOn(d, middle2, side2);
}

struct Twiddles {
  Twiddle first, second, third, fourth;
};
template <size_t factor, bool twiddles>
HWY_INLINE Twiddles TwiddlesAt(const FourierPass& pass, size_t p) {
  Twiddles at = {};
  if constexpr (twiddles) {
    at.first = TwiddleAt(pass, 1, p);
    if constexpr (factor > 2) at.second = TwiddleAt(pass, 2, p);
    if constexpr (factor > 3) at.third = TwiddleAt(pass, 3, p);
    if constexpr (factor > 4) at.fourth = TwiddleAt(pass, 4, p);
  }
  return at;
}

template <size_t factor, bool twiddles, class D>
HWY_INLINE void Butterfly(D d, const FourierPass& pass, const Twiddles& by, size_t from,
                          size_t to) {
  const size_t apart = pass.rest * pass.columns;
  Complexes<D> a = Get(d, pass, from), b = Get(d, pass, from + apart);
  if constexpr (factor == 2) {
    Put(d, pass, SumOf(d, a, b), to);
    PutRotated<twiddles>(d, pass, DifferenceOf(d, a, b), by.first, to + pass.columns);
  } else {
    Complexes<D> c = Get(d, pass, from + 2 * apart);
    if constexpr (factor == 3) {
      Mix(d, a, b, c);
    } else {
      Complexes<D> e = Get(d, pass, from + 3 * apart);
      if constexpr (factor == 4) {
        Mix(d, a, b, c, e);
      } else {
        Complexes<D> f = Get(d, pass, from + 4 * apart);
        Mix(d, a, b, c, e, f);
        PutRotated<twiddles>(d, pass, f, by.fourth, to + 4 * pass.columns);
      }
      PutRotated<twiddles>(d, pass, e, by.third, to + 3 * pass.columns);
    }
    Put(d, pass, a, to);
    PutRotated<twiddles>(d, pass, b, by.first, to + pass.columns);
    PutRotated<twiddles>(d, pass, c, by.second, to + 2 * pass.columns);
  }
}

// Separate functions, so that their stack frames do not add up.
template <size_t factor, bool twiddles>
HWY_NOINLINE void RunPass(const FourierPass& pass, size_t first = 0) {
  for (size_t p = first; p < pass.rest; ++p) {
    const Twiddles by = TwiddlesAt<factor, twiddles>(pass, p);
    const size_t from = p * pass.columns, to = from * factor;
    ForLanes(0, pass.columns, [&](auto d, size_t q) HWY_ATTR {
      Butterfly<factor, twiddles>(d, pass, by, from + q, to + q);
    });
  }
}

#if HWY_TARGET != HWY_SCALAR
// The first pass of radix 4, where columns is 1: vectors run along p.
template <class D>
HWY_INLINE Complexes<D> RotatedAlong(D d, const FourierPass& pass, const Complexes<D>& a, size_t j,
                                     size_t p) {
  const float* twiddles = pass.twiddles + 2 * (j - 1) * pass.rest + p;
  return ProductOf(d, a, {LoadAs(d, twiddles), LoadAs(d, twiddles + pass.rest)});
}
inline HWY_NOINLINE void RunFirstPassOfFour(const FourierPass& pass) {
  const FloatTag d;
  size_t p = 0;
  for (; p + kLanes <= pass.rest; p += kLanes) {
    Complexes<FloatTag> a = Get(d, pass, p), b = Get(d, pass, p + pass.rest);
    Complexes<FloatTag> c = Get(d, pass, p + 2 * pass.rest), e = Get(d, pass, p + 3 * pass.rest);
    Mix(d, a, b, c, e);
    b = RotatedAlong(d, pass, b, 1, p);
    c = RotatedAlong(d, pass, c, 2, p);
    e = RotatedAlong(d, pass, e, 3, p);
    hn::StoreInterleaved4(a.re, b.re, c.re, e.re, d, pass.to_re + 4 * p);
    hn::StoreInterleaved4(a.im, b.im, c.im, e.im, d, pass.to_im + 4 * p);
  }
  RunPass<4, true>(pass, p);
}
#endif

// Butterfly for any odd factor. `circle` holds its cosines, then its sines. Outputs j and factor -
// j share their sums.
template <class D>
HWY_INLINE void OddButterfly(D d, const FourierPass& pass, size_t factor, const float* circle,
                             size_t p, size_t from, size_t to) {
  const size_t apart = pass.rest * pass.columns;
  const Complexes<D> first = Get(d, pass, from);
  Complexes<D> sum = first;
  for (size_t k = 1; k < factor; ++k) sum = SumOf(d, sum, Get(d, pass, from + k * apart));
  Put(d, pass, sum, to);
  for (size_t j = 1; 2 * j < factor; ++j) {
    Complexes<D> middle = first, side = {hn::Zero(d), hn::Zero(d)};
    for (size_t k = 1; 2 * k < factor; ++k) {
      const Complexes<D> a = Get(d, pass, from + k * apart);
      const Complexes<D> b = Get(d, pass, from + (factor - k) * apart);
      const float* point = circle + j * k % factor;
      middle = ScaledSum(d, SumOf(d, a, b), point[0], middle);
      side = ScaledSum(d, DifferenceOf(d, a, b), point[factor], side);
    }
    const Complexes<D> back = QuarterBack(d, middle, side), on = QuarterOn(d, middle, side);
    const size_t to_back = to + j * pass.columns, to_on = to + (factor - j) * pass.columns;
    if (pass.rest != 1) {
      PutRotated<true>(d, pass, back, TwiddleAt(pass, j, p), to_back);
      PutRotated<true>(d, pass, on, TwiddleAt(pass, factor - j, p), to_on);
    } else {
      Put(d, pass, back, to_back);
      Put(d, pass, on, to_on);
    }
  }
}
inline HWY_NOINLINE void RunOddPass(const FourierPass& pass, size_t factor, const float* circle) {
  for (size_t p = 0; p < pass.rest; ++p) {
    const size_t from = p * pass.columns, to = from * factor;
    ForLanes(0, pass.columns, [&](auto d, size_t q) HWY_ATTR {
      OddButterfly(d, pass, factor, circle, p, from + q, to + q);
    });
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_FOURIER_FOURIER_INL_H_
