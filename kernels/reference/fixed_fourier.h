// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for fixed_fourier: transforms by recursion, numbers in 64 bits.
#ifndef WEFT_KERNELS_REFERENCE_FIXED_FOURIER_H_
#define WEFT_KERNELS_REFERENCE_FIXED_FOURIER_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/signal/fixed_fourier.h"

namespace weft::kernels {

// The table of the kernel.
template <typename T>
std::vector<T> FixedFourierTableOf(uint32_t size, bool is_inverse) {
  constexpr double kTurn = 6.28318530717958647692;
  std::vector<T> table;
  const auto add = [&](double turns) {
    const double angle = (is_inverse ? kTurn : -kTurn) * turns;
    for (const double v : {std::cos(angle), std::sin(angle)}) {
      table.push_back(static_cast<T>(std::floor(v * std::numeric_limits<T>::max() + 0.5)));
    }
  };
  const uint32_t n = size / 2;
  for (uint32_t i = 0; i < n; ++i) add(static_cast<double>(i) / n);
  for (uint32_t i = 1; i <= n / 2; ++i) add(i / (2.0 * n) + 0.25);
  return table;
}

template <typename T>
class FixedFourierReference {
 public:
  FixedFourierReference(uint32_t size, bool is_inverse)
      : n_(size / 2), is_inverse_(is_inverse), table_(FixedFourierTableOf<T>(size, is_inverse)) {}

  std::vector<T> Forward(std::vector<T> x) const {
    x.resize(2 * n_);
    const std::vector<Number> z = Transformed(NumbersOf(x), 1);
    std::vector<Number> y(n_ + 1);
    const Number first = Part(z[0], 2);
    y[0] = {Wrapped(first.re + first.im), 0};
    y[n_] = {Wrapped(first.re - first.im), 0};
    for (size_t k = 1; k <= n_ / 2; ++k) {
      const Number a = Part(z[k], 2), b = Part({z[n_ - k].re, Wrapped(-z[n_ - k].im)}, 2);
      const Number sum = Added(a, b, 1);
      const Number turned = Times(Added(a, b, -1), At(n_ + k - 1));
      y[k] = {Half(sum.re + turned.re), Half(sum.im + turned.im)};
      y[n_ - k] = {Half(sum.re - turned.re), Half(turned.im - sum.im)};
    }
    return Flat(y);
  }

  std::vector<T> Inverse(const std::vector<T>& spectrum) const {
    const std::vector<Number> x = NumbersOf(spectrum);
    std::vector<Number> z(n_);
    z[0] = Part({Wrapped(x[0].re + x[n_].re), Wrapped(x[0].re - x[n_].re)}, 2);
    for (size_t k = 1; k <= n_ / 2; ++k) {
      const Number a = Part(x[k], 2), b = Part({x[n_ - k].re, Wrapped(-x[n_ - k].im)}, 2);
      const Number even = Added(a, b, 1), odd = Times(Added(a, b, -1), At(n_ + k - 1));
      z[k] = Added(even, odd, 1);
      const Number mirrored = Added(even, odd, -1);
      z[n_ - k] = {mirrored.re, Wrapped(-mirrored.im)};
    }
    return Flat(Transformed(z, 1));
  }

 private:
  struct Number {
    int64_t re = 0, im = 0;
  };
  static constexpr int64_t kMax = std::numeric_limits<T>::max();

  static int64_t Wrapped(int64_t v) { return static_cast<T>(static_cast<uint64_t>(v)); }
  // Sums are computed in 32 bits.
  static int64_t Half(int64_t v) {
    return static_cast<T>(static_cast<int32_t>(static_cast<uint32_t>(v)) >> 1);
  }
  // (a + b) / (max + 1), to the nearest; a and b are products of two numbers.
  static int64_t Nearest(int64_t a, int64_t b) {
    const int64_t unit = kMax + 1;
    const int64_t whole = a / unit + b / unit, rest = a % unit + b % unit + unit / 2;
    const int64_t floor = rest >= 0 ? rest / unit : -((-rest + unit - 1) / unit);
    return Wrapped(whole + floor);
  }
  static Number Times(Number a, Number b) {
    return {Nearest(a.re * b.re, -a.im * b.im), Nearest(a.re * b.im, a.im * b.re)};
  }
  static Number Part(Number a, int64_t divisor) {
    return {Nearest(a.re * (kMax / divisor), 0), Nearest(a.im * (kMax / divisor), 0)};
  }
  static Number Added(Number a, Number b, int64_t sign) {
    return {Wrapped(a.re + sign * b.re), Wrapped(a.im + sign * b.im)};
  }
  Number At(size_t i) const { return {table_[2 * i], table_[2 * i + 1]}; }

  static std::vector<Number> NumbersOf(const std::vector<T>& flat) {
    std::vector<Number> numbers;
    for (size_t i = 0; i < flat.size(); i += 2) numbers.push_back({flat[i], flat[i + 1]});
    return numbers;
  }
  static std::vector<T> Flat(const std::vector<Number>& numbers) {
    std::vector<T> flat;
    for (const Number& number : numbers) {
      flat.push_back(static_cast<T>(number.re));
      flat.push_back(static_cast<T>(number.im));
    }
    return flat;
  }

  // The transform of x, which has every step-th number of the input: in four parts, or two.
  std::vector<Number> Transformed(const std::vector<Number>& x, size_t step) const {
    if (x.size() == 1) return x;
    const size_t radix = x.size() % 4 == 0 ? 4 : 2, quarter = x.size() / radix;
    std::vector<std::vector<Number>> parts(radix);
    for (size_t i = 0; i < x.size(); ++i) parts[i % radix].push_back(x[i]);
    for (std::vector<Number>& part : parts) part = Transformed(part, step * radix);
    std::vector<Number> y(x.size());
    for (size_t k = 0; k < quarter; ++k) {
      std::vector<Number> terms;
      for (size_t i = 0; i < radix; ++i) {
        const Number term = Part(parts[i][k], static_cast<int64_t>(radix));
        terms.push_back(i == 0 ? term : Times(term, At(i * k * step)));
      }
      if (radix == 2) {
        y[k] = Added(terms[0], terms[1], 1);
        y[k + quarter] = Added(terms[0], terms[1], -1);
        continue;
      }
      const Number even = Added(terms[0], terms[2], 1), odd = Added(terms[1], terms[3], 1);
      const Number other = Added(terms[0], terms[2], -1), d = Added(terms[1], terms[3], -1);
      const Number turned = is_inverse_ ? Number{-d.im, d.re} : Number{d.im, -d.re};
      y[k] = Added(even, odd, 1);
      y[k + quarter] = Added(other, turned, 1);
      y[k + 2 * quarter] = Added(even, odd, -1);
      y[k + 3 * quarter] = Added(other, turned, -1);
    }
    return y;
  }

  size_t n_;
  bool is_inverse_;
  std::vector<T> table_;
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_FIXED_FOURIER_H_
