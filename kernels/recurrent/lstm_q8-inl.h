// SPDX-License-Identifier: Apache-2.0
// LstmQ8 for each type of codes and each rounding, included by lstm_q8.cc, lstm_q8_litert.cc and
// lstm_q8_shorts.cc.

#if defined(WEFT_KERNELS_RECURRENT_LSTM_Q8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_LSTM_Q8_INL_H_
#undef WEFT_KERNELS_RECURRENT_LSTM_Q8_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_LSTM_Q8_INL_H_
#endif

#include <type_traits>

#include "kernels/matrix/code_row-inl.h"
#include "kernels/recurrent/gates_q8-inl.h"
#include "kernels/recurrent/lstm_q8.h"
#include "kernels/simd/inverse_square_root.h"

#undef WEFT_CORTEX_M_WITHOUT_DSP
#undef WEFT_RESCALES_IN_PLACE
#if HWY_TARGET == HWY_SCALAR && defined(__GNUC__) && \
    (defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_7M__))
#include "kernels/recurrent/rescale_sums-inl.h"
#define WEFT_CORTEX_M_WITHOUT_DSP
#if defined(__ARM_ARCH_6M__)
#define WEFT_RESCALES_IN_PLACE
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr uint32_t kForget = 0, kInput = 1, kCandidate = 2, kOutput = 3;

// One row of all operands; codes of x and h are int8 or int16.
template <typename Code, Rounding kRounding>
class LstmQ8Row {
 public:
  LstmQ8Row(const LstmQ8Shape& shape, const int32_t* numbers, int16_t* pre)
      : shape_(shape), gates_(LstmQ8GatesOf(shape.is_coupled)), numbers_(numbers), pre_(pre) {}

  void Run(const Code* x, const int8_t* weights, const Code* h, const int16_t* c, Code* h_next,
           int16_t* c_next) const {
    SumGates(x, weights, h);
    const bool has_more = shape_.has_peepholes || shape_.has_norm;
    if (has_more) {
      for (uint32_t gate = 0; gate < kOutput; ++gate) FinishPre(gate, c);
    }
#if defined(WEFT_RESCALES_IN_PLACE)
    // Two loops have fewer instructions and values in memory than one.
    shape_.is_coupled ? UpdateCells<1>(c, c_next) : UpdateCells<0>(c, c_next);
#else
    UpdateCells(c, c_next);
#endif
    if (has_more) FinishPre(kOutput, c_next);
    Output(c_next, h_next);
  }

 private:
  static constexpr bool kIsShort = sizeof(Code) == sizeof(int16_t);
  static constexpr bool kIsMicro = kRounding == Rounding::kMicro;
  // The position of a gate among those with weights.
  uint32_t PositionOf(uint32_t gate) const {
    return shape_.is_coupled && gate > kInput ? gate - 1 : gate;
  }
  int16_t* PreOf(uint32_t gate) const { return pre_ + size_t{PositionOf(gate)} * shape_.cells; }
  // The numbers of a gate in block `block` of as many numbers as gates have.
  const int32_t* NumbersOf(uint32_t gate, uint32_t block) const {
    return numbers_ + (size_t{block} * gates_ + PositionOf(gate)) * shape_.cells;
  }

  // pre of all gates, without peepholes and normalisation. A panel may have outputs of two gates.
  void SumGates(const Code* x, const int8_t* weights, const Code* h) const {
    CodeRow<Code> of_x(x, shape_.inputs), of_h(h, shape_.outputs);
    const size_t outputs = size_t{gates_} * shape_.cells;
    const int8_t* recurrent =
        weights + PackedDenseI8Bytes(static_cast<uint32_t>(outputs), shape_.inputs);
    const size_t at_once =
        of_x.MaxOutputs() < of_h.MaxOutputs() ? of_x.MaxOutputs() : of_h.MaxOutputs();
    const size_t panels = at_once / kPanelOutputs;
    const size_t x_step = panels * PackedDenseI8Bytes(kPanelOutputs, shape_.inputs);
    const size_t h_step = panels * PackedDenseI8Bytes(kPanelOutputs, shape_.outputs);
    const int32_t *first = numbers_, *const end = first + outputs;
    size_t at = 0, count = 0;  // of the sums
    int16_t* pre = pre_;
    for (uint32_t gate = 0; gate < kLstmQ8Gates; ++gate) {
      if (gate == kInput && shape_.is_coupled) continue;
#if defined(WEFT_RESCALES_IN_PLACE)
      const Factors factors = {Factor(shape_.of_x[gate]), Factor(shape_.of_h[gate])};
#endif
      for (size_t left = shape_.cells; left != 0;) {
        if (at == count) {
          const auto rest = static_cast<size_t>(end - first);
          count = rest < at_once ? rest : at_once;
          of_x.Sum(weights, first, count);
          of_h.Sum(recurrent, first + outputs, count);
          first += count;
          weights += x_step;
          recurrent += h_step;
          at = 0;
        }
        const size_t length = left < count - at ? left : count - at;
#if defined(WEFT_RESCALES_IN_PLACE)
        JoinSums(of_x.sums() + at, of_h.sums() + at, factors, length, pre);
#else
        JoinSums(of_x.sums() + at, of_h.sums() + at, gate, length, pre);
#endif
        at += length;
        pre += length;
        left -= length;
      }
    }
  }

#if defined(WEFT_RESCALES_IN_PLACE)
  using Factor = std::conditional_t<kIsShort, const Multiplier&, FactorOfSums>;
  struct Factors {
    Factor x, h;
  };
  // pre of `count` outputs of a gate. Replaces the sums by their terms first: there are too few
  // registers for both factors.
  static HWY_NOINLINE void JoinSums(int32_t* x, int32_t* h, const Factors& by, size_t count,
                                    int16_t* pre) {
    if constexpr (kIsShort) {
      JoinSumsOfShorts(x, h, by.x, by.h, count, pre);
    } else {
      by.x.Rescale(x, count, [](ints::Vec v) { return ints::LimitedTo<16>(v); });
      by.h.Rescale(h, count, LimitedOfH);
      AddLimited(x, h, count, pre);
    }
  }
#else
  // pre of `count` outputs of a gate.
  HWY_INLINE void JoinSums(const int32_t* x, const int32_t* h, uint32_t gate, size_t count,
                           int16_t* pre) const {
    const Multiplier &by_x = shape_.of_x[gate], &by_h = shape_.of_h[gate];
    if constexpr (kIsShort) return JoinSumsOfShorts(x, h, by_x, by_h, count, pre);
#if HWY_TARGET == HWY_SCALAR && !defined(WEFT_HELIUM_INTEGERS)
    if (SmallFactor::Fits(by_x) && SmallFactor::Fits(by_h)) {
#if defined(WEFT_CORTEX_M_WITHOUT_DSP)
      constexpr size_t kBitsOfH = kIsMicro ? 16 : 18;  // as LimitedOfH
      return JoinProducts<kBitsOfH>(x, h, by_x, by_h, count, pre);
#else
      return JoinRescaled(x, h, ints::SmallRescaler(by_x), ints::SmallRescaler(by_h), count, pre);
#endif
    }
#endif
    JoinRescaled(x, h, ints::Rescaler(by_x), ints::Rescaler(by_h), count, pre);
  }
#endif

  static HWY_INLINE ints::Vec LimitedOfH(ints::Vec v) {
    if constexpr (kIsMicro) return ints::LimitedTo<16>(v);
    return ints::Limited(v, -(1 << 17), 1 << 17);  // beyond, the sum is saturated whatever x adds
  }

  template <class Rescale>
  static HWY_INLINE void JoinRescaled(const int32_t* x, const int32_t* h, const Rescale& by_x,
                                      const Rescale& by_h, size_t count, int16_t* pre) {
    ints::ForVectors(count, [&](size_t at, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
      const ints::Vec of_x = ints::LimitedTo<16>(by_x(ints::Load(x + at, lanes)));
      const ints::Vec of_h = LimitedOfH(by_h(ints::Load(h + at, lanes)));
      ints::Store(ints::LimitedTo<16>(ints::Add(of_x, of_h)), pre + at, lanes);
    });
  }

  static int16_t Rescaled16(int32_t sum, const Multiplier& by) {
    const int64_t v = RescaledOnce(sum, by);
    return static_cast<int16_t>(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
  }
  static void JoinSumsOfShorts(const int32_t* x, const int32_t* h, const Multiplier& by_x,
                               const Multiplier& by_h, size_t count, int16_t* pre) {
    for (size_t i = 0; i < count; ++i) {
      pre[i] = Saturated(Rescaled16(x[i], by_x) + Rescaled16(h[i], by_h));
    }
  }

  HWY_NOINLINE void FinishPre(uint32_t gate, const int16_t* c) const {
    if (gate == kInput && shape_.is_coupled) return;
    int16_t* const pre = PreOf(gate);
    if (shape_.has_peepholes && gate != kCandidate) {
      const uint32_t before = gate == kOutput ? gates_ - 2 : gate;
      const int32_t* const peepholes = numbers_ + (2 * gates_ + before) * size_t{shape_.cells};
      for (size_t i = 0; i < shape_.cells; ++i) {
        const int32_t of_c =
            kernels::Rescaled(WrappingMultiply<int32_t>(c[i], peepholes[i]), shape_.of_c[gate]);
        pre[i] = Saturated(pre[i] + (of_c < -(1 << 17) ? -(1 << 17)
                                     : of_c > 1 << 17  ? 1 << 17
                                                       : of_c));
      }
    }
    if (shape_.has_norm) Normalise(gate, pre);
  }

  static int16_t Saturated(int32_t v) {
    return static_cast<int16_t>(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
  }

  // Subtracts the mean and divides by the deviation, then applies the weights and biases.
  void Normalise(uint32_t gate, int16_t* pre) const {
    const size_t cells = shape_.cells;
    int64_t sum = 0, squares = 0;
    for (size_t i = 0; i < cells; ++i) {
      sum += pre[i];
      squares += int64_t{pre[i]} * pre[i];
    }
    const auto count = static_cast<int64_t>(cells);
    const int64_t mean = Quotient(sum * 1024, count);
    const int64_t square = WrappingSubtract(
        WrappingMultiply(squares, Quotient(int64_t{1} << 20, count)), WrappingMultiply(mean, mean));
    auto variance = static_cast<int32_t>(Quotient(square, int64_t{1} << 20));
    if (variance < 1) variance = shape_.min_variance[gate];
    const Multiplier deviation = InverseSquareRoot(variance);
    const Multiplier last = {shape_.of_norm[gate].mantissa, shape_.of_norm[gate].exponent + 12};
    const int32_t* const weights = numbers_ +
                                   (2 * gates_ + (shape_.has_peepholes ? gates_ - 1 : 0)) * cells +
                                   PositionOf(gate) * cells;
    const int32_t* const biases = weights + gates_ * cells;
    for (size_t i = 0; i < cells; ++i) {
      const auto centred = static_cast<int32_t>(int64_t{1024} * pre[i] - mean);
      const int32_t scaled = WrappingMultiply(kernels::Rescaled(centred, deviation), weights[i]);
      const int32_t biased = WrappingAdd(scaled, biases[i]);
      pre[i] = Saturated(kernels::Rescaled(kernels::DivideByPower(biased, 10), last));
    }
  }

  // kCoupled is 1 or 0 if the caller knows shape_.is_coupled.
  template <int kCoupled = -1>
  WEFT_PART void UpdateCells(const int16_t* c, int16_t* c_next) const {
    const int16_t *const forget = PreOf(kForget), *const input = PreOf(kInput),
                         *const candidate = PreOf(kCandidate);
    const int32_t shift = 30 + shape_.cell_power;
    const bool is_coupled = kCoupled < 0 ? shape_.is_coupled : kCoupled == 1;
    ints::ForVectors(shape_.cells, [&](size_t i, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
      const ints::Vec f = Sigmoid(ints::Load(forget + i, lanes));
      const ints::Vec in =
          is_coupled ? ints::Sub(ints::Set(32767), f) : Sigmoid(ints::Load(input + i, lanes));
      const ints::Vec n = Tanh(ints::Load(candidate + i, lanes));
      const ints::Vec kept = DividedProduct(f, ints::Load(c + i, lanes), 15);
      const ints::Vec next = ints::Add(kept, DividedProduct(in, n, shift));
      ints::Store(ints::LimitedTo<16>(next), c_next + i, lanes);
    });
    const int32_t clip = shape_.cell_clip;
    if (clip <= 0) return;
    ints::ForVectors(shape_.cells, [&](size_t i, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
      ints::Store(ints::Limited(ints::Load(c_next + i, lanes), -clip, clip), c_next + i, lanes);
    });
  }

  WEFT_PART void Output(const int16_t* c_next, Code* h_next) const {
#if HWY_TARGET == HWY_SCALAR && !defined(WEFT_HELIUM_INTEGERS)
    if (SmallFactor::Fits(shape_.result)) {
      return OutputBy(ints::SmallRescaler(shape_.result), c_next, h_next);
    }
#endif
    OutputBy(ints::Rescaler(shape_.result), c_next, h_next);
  }

  template <class Rescale>
  HWY_INLINE void OutputBy(const Rescale& by, const int16_t* c_next, Code* h_next) const {
    const int16_t* const output = PreOf(kOutput);
    const int32_t power = shape_.cell_power, zero = shape_.zero;
    ints::ForVectors(shape_.cells, [&](size_t i, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
      const ints::Vec o = Sigmoid(ints::Load(output + i, lanes));
      const ints::Vec t = TanhOfCell(ints::Load(c_next + i, lanes), power);
      const ints::Vec h = ints::Add(by(ints::Mul(o, t)), ints::Set(zero));
      ints::Store(ints::LimitedTo<8 * sizeof(Code)>(h), h_next + i, lanes);
    });
  }

  static HWY_INLINE ints::Vec Sigmoid(ints::Vec v) {
    if constexpr (!kIsMicro) return ints::FixedSigmoid(v, 3);
    return ints::TableSigmoid(ints::Mul(v, ints::Set(3)));
  }
  static HWY_INLINE ints::Vec Tanh(ints::Vec v) {
    if constexpr (!kIsMicro) return ints::FixedTanh(v, 3);
    return ints::TableTanh(ints::Mul(v, ints::Set(3)));
  }
  static HWY_INLINE ints::Vec TanhOfCell(ints::Vec c, int32_t power) {
    if constexpr (!kIsMicro) return ints::FixedTanh(c, 15 + power);
    const int32_t left = power > -12 ? 12 + power : 0, right = power < -12 ? -12 - power : 0;
    const ints::Vec more =
        ints::Add(ints::Mul(c, ints::Set(3 << left)), ints::Set(1 << right >> 1));
    return ints::TableTanh(ints::ShiftRightSame(more, right));
  }
  // a * b / 2^bits; a is not negative.
  static HWY_INLINE ints::Vec DividedProduct(ints::Vec a, ints::Vec b, int32_t bits) {
#if defined(WEFT_CORTEX_M_WITHOUT_DSP)
    // As Divided, but the sign is that of b. It does not matter if the product is 0.
    if constexpr (kIsMicro) {
      const ints::Vec twice = ints::ShiftLeft<1>(ints::ShiftRight<31>(b));
      int32_t half = (1 << (bits - 1)) + 1;
      __asm__("" : "+r"(half));  // would be several immediate operands
      const ints::Vec sum = ints::Add(ints::Add(twice, ints::Set(half)), ints::Mul(a, b));
      return ints::ShiftRightSame(sum, bits);
    }
#endif
    return Divided(ints::Mul(a, b), bits);
  }
  // x / 2^bits for at least 15 bits; x is below 2^30 in magnitude. kMicro divides by 2, rounding
  // upwards, and then by 2^(bits - 1), rounding halves away from zero: that is one sum.
  static HWY_INLINE ints::Vec Divided(ints::Vec x, int32_t bits) {
    if constexpr (!kIsMicro) return ints::DivideByPower(x, bits);
    const ints::Vec sign = ints::ShiftRight<31>(x);
    const ints::Vec sum =
        ints::Add(ints::Add(x, ints::ShiftLeft<1>(sign)), ints::Set((1 << (bits - 1)) + 1));
    return ints::ShiftRightSame(sum, bits);
  }

  const LstmQ8Shape& shape_;
  const uint32_t gates_;
  const int32_t* const numbers_;
  int16_t* const pre_;
};

template <typename Code, Rounding kRounding>
HWY_INLINE void RunLstmQ8(const LstmQ8Shape& shape, const Code* x, const int8_t* weights,
                          const int32_t* numbers, const Code* h, const int16_t* c, Code* h_next,
                          int16_t* c_next, int16_t* scratch) {
  if (shape.cells == 0) return;
  const LstmQ8Row<Code, kRounding> row(shape, numbers, scratch);
  for (size_t r = 0; r < shape.rows; ++r) {
    // The stride after the last row may have any value.
    row.Run(r == 0 ? x : x + r * shape.x_row_stride, weights, h + r * shape.outputs,
            c + r * shape.cells, h_next + r * shape.cells, c_next + r * shape.cells);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_LSTM_Q8_INL_H_
