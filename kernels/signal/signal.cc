// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/signal.h"

#include "kernels/signal/bit_count.h"

namespace weft::kernels {
namespace {

void Window(const SignalShape& shape, const int16_t* x, const int16_t* a, int16_t* y) {
  size_t at = 0;
  for (size_t i = 0; i < shape.count; ++i) {
    const int32_t v = int32_t{x[i]} * a[at] >> shape.shift;
    y[i] = static_cast<int16_t>(v > 32767 ? 32767 : v < -32768 ? -32768 : v);
    if (++at == shape.length) at = 0;
  }
}

void Energy(const SignalShape& shape, const int16_t* x, const int32_t* range, uint32_t* y) {
  for (size_t i = 0; i < shape.count; ++i) {
    const int32_t re = x[2 * i], im = x[2 * i + 1];
    const bool is_inside =
        static_cast<int64_t>(i) >= range[0] && static_cast<int64_t>(i) < range[1];
    y[i] = is_inside ? static_cast<uint32_t>(re * re) + static_cast<uint32_t>(im * im) : 0;
  }
}

// The root is not rounded up to 2^(half of the bits), nor from 65535 below 2^32.
template <typename T>
uint32_t SquareRootOf(T x) {
  constexpr uint32_t kHalf = sizeof(T) * 4;
  T root = 0, bit = T{1} << (2 * kHalf - 2);
  while (bit > x) bit = static_cast<T>(bit >> 2);
  for (; bit != 0; bit = static_cast<T>(bit >> 2)) {
    const T trial = root + bit;
    root = static_cast<T>(root >> 1);
    if (x < trial) continue;
    x -= trial;
    root += bit;
  }
  if (x > root && root != (T{1} << kHalf) - 1) ++root;
  return static_cast<uint32_t>(root);
}

void SquareRoot(const SignalShape& shape, const uint64_t* x, const int32_t* a, uint32_t* y) {
  const uint32_t shift = static_cast<uint32_t>(*a) & 31;
  for (size_t i = 0; i < shape.count; ++i) {
    const auto low = static_cast<uint32_t>(x[i]);
    y[i] = (x[i] >> 32 == 0 ? SquareRootOf<uint32_t>(low) : SquareRootOf<uint64_t>(x[i])) >> shift;
  }
}

// scale * ln(x) for x > 1.
uint32_t LogarithmOf(uint32_t x, uint32_t scale, const int16_t* table) {
  constexpr uint32_t kHalf = 1u << 15, kLn2 = 45426;  // in units of 2^-16
  const uint32_t power = BitCount(x) - 1;
  const uint32_t above = x - (1u << power);
  const uint32_t part = power < 16 ? above << (16 - power) : above >> (power - 16);
  const uint32_t segment = part >> 9;
  const int32_t low = table[segment], step = table[segment + 1] - low;
  const int32_t inside = step * static_cast<int32_t>(part - (segment << 9)) >> 16;
  const uint32_t log2 = (power << 16) + part + static_cast<uint32_t>(low + inside);
  const auto ln = static_cast<uint32_t>((uint64_t{kLn2} * log2 + kHalf) >> 16);
  return (scale * ln + kHalf) >> 16;
}

void Logarithm(const SignalShape& shape, const uint32_t* x, const int16_t* table, int16_t* y) {
  for (size_t i = 0; i < shape.count; ++i) {
    const uint32_t shifted = x[i] << shape.shift;
    const uint32_t v = shifted > 1 ? LogarithmOf(shifted, shape.scale, table) : 0;
    y[i] = static_cast<int16_t>(v < 32767 ? v : 32767);
  }
}

}  // namespace

void Signal(const SignalShape& shape, const void* x, const void* a, void* y) {
  const auto* const shorts = static_cast<const int16_t*>(x);
  const auto* const words = static_cast<const int32_t*>(a);
  switch (shape.op) {
    case SignalOp::kWindow:
      return Window(shape, shorts, static_cast<const int16_t*>(a), static_cast<int16_t*>(y));
    case SignalOp::kEnergy:
      return Energy(shape, shorts, words, static_cast<uint32_t*>(y));
    case SignalOp::kSquareRoot:
      return SquareRoot(shape, static_cast<const uint64_t*>(x), words, static_cast<uint32_t*>(y));
    case SignalOp::kLogarithm:
      return Logarithm(shape, static_cast<const uint32_t*>(x), static_cast<const int16_t*>(a),
                       static_cast<int16_t*>(y));
  }
}

}  // namespace weft::kernels
