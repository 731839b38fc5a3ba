// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/fixed_fourier.h"

#include <limits>
#include <type_traits>

namespace weft::kernels {
namespace {

template <typename T>
struct Complex {
  T re, im;
};

template <typename T>
using WideOf = std::conditional_t<sizeof(T) == 2, int32_t, int64_t>;

// The functions return sums modulo the range of T.
template <typename T>
T Sum(T a, T b) {
  return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
template <typename T>
T Difference(T a, T b) {
  return static_cast<T>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}
template <typename T>
Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {Sum(a.re, b.re), Sum(a.im, b.im)};
}
template <typename T>
Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {Difference(a.re, b.re), Difference(a.im, b.im)};
}
template <typename T>
Complex<T> Conjugate(Complex<T> a) {
  return {a.re, Difference(T{0}, a.im)};
}
// a * i, or a * -i.
template <typename T>
Complex<T> Turned(Complex<T> a, bool is_positive) {
  return is_positive ? Complex<T>{Difference(T{0}, a.im), a.re}
                     : Complex<T>{a.im, Difference(T{0}, a.re)};
}

// The sum of products, to the nearest unit.
template <typename T>
T Rounded(std::make_unsigned_t<WideOf<T>> sum) {
  constexpr uint32_t kBits = 8 * sizeof(T) - 1;
  sum += std::make_unsigned_t<WideOf<T>>{1} << (kBits - 1);
  return static_cast<T>(static_cast<WideOf<T>>(sum) >> kBits);
}
template <typename T>
std::make_unsigned_t<WideOf<T>> Product(T a, T b) {
  return static_cast<std::make_unsigned_t<WideOf<T>>>(WideOf<T>{a} * b);
}
template <typename T>
Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {Rounded<T>(Product(a.re, b.re) - Product(a.im, b.im)),
          Rounded<T>(Product(a.re, b.im) + Product(a.im, b.re))};
}
template <int kDivisor, typename T>
Complex<T> Divided(Complex<T> a) {
  constexpr T kFactor = std::numeric_limits<T>::max() / kDivisor;
  return {Rounded<T>(Product(a.re, kFactor)), Rounded<T>(Product(a.im, kFactor))};
}
// Half of a sum or a difference, which is computed in 32 bits.
template <typename T>
T HalfSum(T a, T b) {
  return static_cast<T>(Sum(int32_t{a}, int32_t{b}) >> 1);
}
template <typename T>
T HalfDifference(T a, T b) {
  return static_cast<T>(Difference(int32_t{a}, int32_t{b}) >> 1);
}

// The position of number `index` before the passes: its digits in reverse, where the last digit has
// two values if the number of bits is odd.
uint32_t ReversedDigits(uint32_t index, uint32_t bits) {
  uint32_t position = 0;
  while (bits != 0) {
    const uint32_t digit = bits == 1 ? 1 : 2;
    bits -= digit;
    position |= (index & ((1u << digit) - 1)) << bits;
    index >>= digit;
  }
  return position;
}

uint32_t BitsOf(uint32_t n) {
  uint32_t bits = 0;
  while (n >> bits > 1) ++bits;
  return bits;
}

template <typename T>
void PassOfTwo(Complex<T>* y, uint32_t n, Complex<T> twiddle) {
  for (uint32_t at = 0; at < n; at += 2) {
    const Complex<T> a = Divided<2>(y[at]), b = Divided<2>(y[at + 1]) * twiddle;
    y[at] = a + b;
    y[at + 1] = a - b;
  }
}

// Transforms of `quarter` numbers become transforms of four times as many.
template <typename T>
void PassOfFour(Complex<T>* y, size_t n, size_t quarter, const Complex<T>* twiddles,
                bool is_inverse) {
  const size_t step = n / quarter / 4;
  for (size_t at = 0; at < n; at += 4 * quarter) {
    for (size_t k = 0; k < quarter; ++k) {
      Complex<T>* const p = y + at + k;
      const Complex<T> a = Divided<4>(p[0]);
      const Complex<T> b = Divided<4>(p[quarter]) * twiddles[k * step];
      const Complex<T> c = Divided<4>(p[2 * quarter]) * twiddles[2 * k * step];
      const Complex<T> d = Divided<4>(p[3 * quarter]) * twiddles[3 * k * step];
      const Complex<T> even = a + c, odd = b + d;
      const Complex<T> other = a - c, turned = Turned(b - d, is_inverse);
      p[0] = even + odd;
      p[quarter] = other + turned;
      p[2 * quarter] = even - odd;
      p[3 * quarter] = other - turned;
    }
  }
}

// Transforms n numbers whose positions are ReversedDigits.
template <typename T>
void Transform(Complex<T>* y, uint32_t n, const Complex<T>* twiddles, bool is_inverse) {
  uint32_t done = 1;
  if (BitsOf(n) % 2 != 0) {
    PassOfTwo(y, n, twiddles[0]);
    done = 2;
  }
  for (; done < n; done *= 4) PassOfFour(y, n, done, twiddles, is_inverse);
}

template <typename T>
void Forward(const FixedFourierShape& shape, const T* x, const Complex<T>* twiddles,
             Complex<T>* y) {
  const uint32_t n = shape.size / 2, bits = BitsOf(n);
  for (uint32_t i = 0; i < n; ++i) {
    const size_t at = size_t{2} * i;
    const T re = at < shape.inputs ? x[at] : T{0};
    const T im = at + 1 < shape.inputs ? x[at + 1] : T{0};
    y[ReversedDigits(i, bits)] = {re, im};
  }
  Transform(y, n, twiddles, false);
  const Complex<T> first = Divided<2>(y[0]);
  y[0] = {Sum(first.re, first.im), T{0}};
  y[n] = {Difference(first.re, first.im), T{0}};
  for (uint32_t k = 1; k <= n / 2; ++k) {
    const Complex<T> a = Divided<2>(y[k]), b = Divided<2>(Conjugate(y[n - k]));
    const Complex<T> sum = a + b, turned = (a - b) * twiddles[n + k - 1];
    y[k] = {HalfSum(sum.re, turned.re), HalfSum(sum.im, turned.im)};
    y[n - k] = {HalfDifference(sum.re, turned.re), HalfDifference(turned.im, sum.im)};
  }
}

template <typename T>
void Inverse(const FixedFourierShape& shape, const Complex<T>* x, const Complex<T>* twiddles,
             Complex<T>* y) {
  const uint32_t n = shape.size / 2, bits = BitsOf(n);
  y[0] = Divided<2>(Complex<T>{Sum(x[0].re, x[n].re), Difference(x[0].re, x[n].re)});
  for (uint32_t k = 1; k <= n / 2; ++k) {
    const Complex<T> a = Divided<2>(x[k]), b = Divided<2>(Conjugate(x[n - k]));
    const Complex<T> sum = a + b, turned = (a - b) * twiddles[n + k - 1];
    y[ReversedDigits(k, bits)] = sum + turned;
    y[ReversedDigits(n - k, bits)] = Conjugate(sum - turned);
  }
  Transform(y, n, twiddles, true);
}

template <typename T>
void Run(const FixedFourierShape& shape, const T* x, const T* table, T* y) {
  const auto* const twiddles = reinterpret_cast<const Complex<T>*>(table);
  const auto pairs = static_cast<size_t>(FixedFourierPairs(shape.size));
  for (size_t line = 0; line < shape.lines; ++line) {
    auto* const complex = reinterpret_cast<Complex<T>*>(y);
    if (shape.is_inverse) {
      Inverse(shape, reinterpret_cast<const Complex<T>*>(x), twiddles, complex);
      x += pairs;
      y += shape.size;
    } else {
      Forward(shape, x, twiddles, complex);
      x += shape.inputs;
      y += pairs;
    }
  }
}

}  // namespace

void FixedFourier(const FixedFourierShape& shape, const int16_t* x, const int16_t* table,
                  int16_t* y) {
  Run(shape, x, table, y);
}
void FixedFourier(const FixedFourierShape& shape, const int32_t* x, const int32_t* table,
                  int32_t* y) {
  Run(shape, x, table, y);
}

}  // namespace weft::kernels
