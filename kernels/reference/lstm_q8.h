// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for lstm_q8: the formulas of lstm_q8.h in 64 bits, unit by unit.
#ifndef WEFT_KERNELS_REFERENCE_LSTM_Q8_H_
#define WEFT_KERNELS_REFERENCE_LSTM_Q8_H_

#include <algorithm>
#include <vector>

#include "kernels/recurrent/lstm_q8.h"
#include "kernels/recurrent/sigmoid_table.h"
#include "kernels/simd/inverse_square_root.h"

namespace weft::kernels {

inline int64_t SaturatedReference(int64_t v, int64_t limit) {
  return std::clamp(v, -limit, limit - 1);
}
inline int64_t FloorShiftReference(int64_t v, int32_t bits) {
  const int64_t divisor = int64_t{1} << bits;
  return (v - ((v % divisor + divisor) % divisor)) / divisor;
}
// v / 2^bits, halves away from zero.
inline int64_t RoundedReference(int64_t v, int32_t bits) {
  const int64_t half = bits > 0 ? int64_t{1} << (bits - 1) : 0;
  return v < 0 ? -FloorShiftReference(half - v, bits) : FloorShiftReference(v + half, bits);
}
inline int64_t RescaledInLstm(int64_t v, const Multiplier& by) {
  const int32_t left = by.exponent > 0 ? by.exponent : 0;
  const int32_t right = by.exponent < 0 ? -by.exponent : 0;
  const int64_t wide = static_cast<int32_t>(static_cast<uint64_t>(v) << left);
  return RoundedReference(FloorShiftReference(wide * by.mantissa + (int64_t{1} << 30), 31), right);
}

// kMicro: `v` is in units of 1/12288.
inline int64_t TableFunctionReference(bool is_tanh, int64_t v) {
  const int32_t bits = is_tanh ? 8 : 9;
  const int64_t m = v < 0 ? -v : v, i = m >> bits;
  int64_t r = int64_t{is_tanh ? 0xFFFF : 0x7FFF << 1} << bits;
  if (i < 255) {
    const int64_t step = int64_t{kSigmoidTable[i + 1]} - kSigmoidTable[i];
    r = kSigmoidTable[i] * (int64_t{1} << bits) + m % (1 << bits) * step;
  }
  if (is_tanh) {
    return FloorShiftReference(v >= 0 ? r - (1 << 23) + 128 : (1 << 23) - r + 127, 8);
  }
  return FloorShiftReference(v >= 0 ? r + 512 : (1 << 25) - r + 511, 10);
}

// kLiteRt: gemmlowp's functions of 16-bit values.
inline int64_t Product16Reference(int64_t a, int64_t b) {
  return std::min<int64_t>(FloorShiftReference(a * b + (1 << 14), 15), 32767);
}
inline int64_t Doubled16Reference(int64_t v, int32_t bits) {
  const int64_t limit = (int64_t{1} << (15 - bits)) - 1;
  return v > limit ? 32767 : v < -limit ? -32768 : v * (int64_t{1} << bits);
}
inline int64_t ExpReference(int64_t a, int32_t integer_bits) {
  if (a == 0) return 32767;
  const int32_t fraction = 15 - integer_bits;
  if (integer_bits > 5 && a < -(int64_t{32} << fraction)) return 0;
  const int64_t quarter = int64_t{1} << (fraction - 2);
  const int64_t mod = (a & (quarter - 1)) - quarter;
  const int64_t x = Doubled16Reference(mod, integer_bits) + (1 << 12);
  const int64_t x2 = Product16Reference(x, x), x3 = Product16Reference(x2, x);
  const int64_t x4 = Product16Reference(x2, x2);
  const int64_t third = Product16Reference(RoundedReference(x4, 2) + x3, 10923);
  const int64_t polynomial = static_cast<int16_t>(x + RoundedReference(third + x2, 1));
  int64_t r = SaturatedReference(28918 + Product16Reference(28918, polynomial), 32768);
  constexpr int64_t kFactors[] = {25520, 19875, 12055, 4435, 600, 11, 0};  // exp(-2^k), k >= -2
  for (int32_t k = -2; k < integer_bits && k <= 4; ++k) {
    if (((mod - a) >> (fraction + k) & 1) != 0) r = Product16Reference(r, kFactors[k + 2]);
  }
  return r;
}
inline int64_t TwoOverOnePlusReference(int64_t a) {
  const int64_t half = (a + 32768) >> 1;
  int64_t x = 23130 + Product16Reference(half, -15420);
  for (int i = 0; i < 3; ++i) {
    const int64_t error = (1 << 13) - Product16Reference(half, x);
    x = static_cast<int16_t>(x + Doubled16Reference(Product16Reference(x, error), 2));
  }
  return x;
}
inline int64_t FixedFunctionReference(bool is_tanh, int64_t a, int32_t integer_bits) {
  if (a == 0) return is_tanh ? 0 : 1 << 14;
  const int64_t exponential = ExpReference(a < 0 ? a : -a, integer_bits + (is_tanh ? 1 : 0));
  const int64_t x = TwoOverOnePlusReference(exponential);
  if (is_tanh) {
    const int64_t r = Doubled16Reference(x - (1 << 13), 2);
    return a < 0 ? -r : r;
  }
  const int64_t r = Doubled16Reference(x, 1);
  return a > 0 ? r : 32767 - r;
}

// LstmQ8Shorts: 16 bits of the factor, and one rounding.
inline int64_t RescaledShortReference(int64_t v, const Multiplier& by) {
  const int64_t factor = std::min((int64_t{by.mantissa} + (1 << 15)) >> 16, int64_t{0x7FFF});
  return FloorShiftReference(v * factor + (int64_t{1} << (14 - by.exponent)), 15 - by.exponent);
}

// Operands of one row; weights as before packing.
template <typename Code>
struct LstmQ8RowReference {
  const LstmQ8Shape& s;
  const Code* x;
  const int8_t* w;
  const int8_t* r;
  const int32_t* numbers;
  const Code* h;

  bool IsMicro() const { return s.rounding == Rounding::kMicro; }
  uint32_t GateCount() const { return LstmQ8GatesOf(s.is_coupled); }
  uint32_t Position(uint32_t gate) const { return s.is_coupled && gate > 1 ? gate - 1 : gate; }
  int64_t Number(uint32_t block, uint32_t position, uint32_t unit) const {
    return numbers[(size_t{block} + position) * s.cells + unit];
  }

  // pre of a gate; c are the cells of all units that peepholes read.
  std::vector<int64_t> Pre(uint32_t gate, const std::vector<int64_t>& c) const {
    const uint32_t gates = GateCount(), position = Position(gate);
    std::vector<int64_t> pre;
    for (uint32_t unit = 0; unit < s.cells; ++unit) {
      const size_t row = size_t{position} * s.cells + unit;
      int64_t of_x = Number(0, position, unit), of_h = Number(gates, position, unit);
      for (uint32_t k = 0; k < s.inputs; ++k) of_x += x[k] * w[row * s.inputs + k];
      for (uint32_t k = 0; k < s.outputs; ++k) of_h += h[k] * r[row * s.outputs + k];
      const auto rescaled = sizeof(Code) == 1 ? RescaledInLstm : RescaledShortReference;
      of_x = SaturatedReference(rescaled(of_x, s.of_x[gate]), 32768);
      of_h = rescaled(of_h, s.of_h[gate]);
      if (IsMicro()) of_h = SaturatedReference(of_h, 32768);
      int64_t v = SaturatedReference(of_x + of_h, 32768);
      if (s.has_peepholes && gate != 2) {
        const uint32_t before = gate == 3 ? gates - 2 : gate;
        const int64_t of_c = c[unit] * Number(2 * gates, before, unit);
        v = SaturatedReference(v + RescaledInLstm(of_c, s.of_c[gate]), 32768);
      }
      pre.push_back(v);
    }
    return s.has_norm ? Normalised(gate, pre) : pre;
  }

  std::vector<int64_t> Normalised(uint32_t gate, const std::vector<int64_t>& pre) const {
    const int64_t n = s.cells;
    const uint32_t gates = GateCount(), first = 2 * gates + (s.has_peepholes ? gates - 1 : 0);
    int64_t sum = 0, squares = 0;
    for (const int64_t v : pre) sum += v, squares += v * v;
    const int64_t mean = sum * 1024 / n;
    auto variance = static_cast<int32_t>((squares * ((1 << 20) / n) - mean * mean) / (1 << 20));
    if (variance < 1) variance = s.min_variance[gate];
    const Multiplier deviation = InverseSquareRoot(variance);
    const Multiplier last = {s.of_norm[gate].mantissa, s.of_norm[gate].exponent + 12};
    std::vector<int64_t> result;
    for (uint32_t unit = 0; unit < s.cells; ++unit) {
      const uint32_t position = Position(gate);
      const int64_t y = RescaledInLstm(1024 * pre[unit] - mean, deviation);
      const auto scaled = static_cast<int32_t>(y * Number(first, position, unit) +
                                               Number(first + gates, position, unit));
      result.push_back(
          SaturatedReference(RescaledInLstm(RoundedReference(scaled, 10), last), 32768));
    }
    return result;
  }

  int64_t Function(bool is_tanh, int64_t pre) const {
    return IsMicro() ? TableFunctionReference(is_tanh, 3 * pre)
                     : FixedFunctionReference(is_tanh, pre, 3);
  }
  int64_t TanhOfCell(int64_t c) const {
    if (!IsMicro()) return FixedFunctionReference(true, c, 15 + s.cell_power);
    const int32_t bits = 12 + s.cell_power;
    if (bits >= 0) return TableFunctionReference(true, 3 * c * (int64_t{1} << bits));
    const int64_t half = int64_t{1} << (-bits - 1);
    return TableFunctionReference(true, FloorShiftReference(3 * c + half, -bits));
  }

  // Replaces c by c', and returns h'.
  std::vector<Code> Run(int16_t* c) const {
    const std::vector<int64_t> old(c, c + s.cells);
    const std::vector<int64_t> f = Pre(0, old), n = Pre(2, old);
    const std::vector<int64_t> i = s.is_coupled ? f : Pre(1, old);
    std::vector<int64_t> next;
    for (uint32_t unit = 0; unit < s.cells; ++unit) {
      const int64_t forget = Function(false, f[unit]);
      const int64_t input = s.is_coupled ? 32767 - forget : Function(false, i[unit]);
      const int64_t kept = forget * old[unit], added = input * Function(true, n[unit]);
      const int32_t shift = 30 + s.cell_power;
      const auto halved = [](int64_t v) { return FloorShiftReference(v + 1, 1); };
      int64_t cell = RoundedReference(kept, 15) + RoundedReference(added, shift);
      if (IsMicro()) {
        cell = SaturatedReference(RoundedReference(halved(kept), 14), 32768) +
               SaturatedReference(RoundedReference(halved(added), shift - 1), 32768);
      }
      cell = SaturatedReference(cell, 32768);
      if (s.cell_clip > 0) cell = std::clamp<int64_t>(cell, -s.cell_clip, s.cell_clip);
      next.push_back(cell);
      c[unit] = static_cast<int16_t>(cell);
    }
    const std::vector<int64_t> o = Pre(3, next);
    std::vector<Code> result;
    for (uint32_t unit = 0; unit < s.cells; ++unit) {
      const int64_t product = Function(false, o[unit]) * TanhOfCell(next[unit]);
      constexpr int64_t kLimit = sizeof(Code) == 1 ? 128 : 32768;
      result.push_back(static_cast<Code>(
          SaturatedReference(RescaledInLstm(product, s.result) + s.zero, kLimit)));
    }
    return result;
  }
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_LSTM_Q8_H_
