// SPDX-License-Identifier: Apache-2.0
// LstmQ8 for each type of codes and each rounding, included by lstm_q8.cc, lstm_q8_litert.cc and
// lstm_q8_shorts.cc.

#if defined(WEFT_KERNELS_RECURRENT_LSTM_Q8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_LSTM_Q8_INL_H_
#undef WEFT_KERNELS_RECURRENT_LSTM_Q8_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_LSTM_Q8_INL_H_
#endif

#include "kernels/matrix/code_row-inl.h"
#include "kernels/recurrent/gates_q8-inl.h"
#include "kernels/recurrent/lstm_q8.h"
#include "kernels/simd/inverse_square_root.h"

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
    UpdateCells(c, c_next);
    if (has_more) FinishPre(kOutput, c_next);
    Output(c_next, h_next);
  }

 private:
  static constexpr bool kIsShort = sizeof(Code) == sizeof(int16_t);
  static constexpr int32_t kMaxCode = kIsShort ? 32767 : 127, kMinCode = -kMaxCode - 1;
  static constexpr bool kIsMicro = kRounding == Rounding::kMicro;
  // The position of a gate among those with weights.
  uint32_t PositionOf(uint32_t gate) const {
    return shape_.is_coupled && gate > kInput ? gate - 1 : gate;
  }
  uint32_t GateAt(uint32_t position) const {
    return shape_.is_coupled && position >= kInput ? position + 1 : position;
  }
  int16_t* PreOf(uint32_t gate) const { return pre_ + size_t{PositionOf(gate)} * shape_.cells; }
  // The numbers of a gate in block `block` of as many numbers as gates have.
  const int32_t* NumbersOf(uint32_t gate, uint32_t block) const {
    return numbers_ + (size_t{block} * gates_ + PositionOf(gate)) * shape_.cells;
  }

  // pre of all gates, without peepholes and normalisation.
  void SumGates(const Code* x, const int8_t* weights, const Code* h) const {
    CodeRow<Code> of_x(x, shape_.inputs), of_h(h, shape_.outputs);
    const size_t outputs = size_t{gates_} * shape_.cells;
    const size_t x_panel = PackedDenseI8Bytes(kPanelOutputs, shape_.inputs);
    const size_t h_panel = PackedDenseI8Bytes(kPanelOutputs, shape_.outputs);
    const int8_t* recurrent =
        weights + PackedDenseI8Bytes(static_cast<uint32_t>(outputs), shape_.inputs);
    const size_t at_once =
        of_x.MaxOutputs() < of_h.MaxOutputs() ? of_x.MaxOutputs() : of_h.MaxOutputs();
    for (size_t first = 0; first < outputs; first += at_once) {
      const size_t left = outputs - first, count = left < at_once ? left : at_once;
      of_x.Sum(weights, numbers_ + first, count);
      of_h.Sum(recurrent, numbers_ + outputs + first, count);
      JoinSums(of_x.sums(), of_h.sums(), first, count);
      weights += at_once / kPanelOutputs * x_panel;
      recurrent += at_once / kPanelOutputs * h_panel;
    }
  }

  // pre of `count` outputs from `first` on.
  void JoinSums(const int32_t* x, const int32_t* h, size_t first, size_t count) const {
    for (size_t i = 0; i < count;) {
      const auto position = static_cast<uint32_t>((first + i) / shape_.cells);
      const size_t end = (position + 1) * size_t{shape_.cells} - first;
      const size_t length = (end < count ? end : count) - i;
      const uint32_t gate = GateAt(position);
      if constexpr (kIsShort) {
        JoinSumsOfShorts(x + i, h + i, shape_.of_x[gate], shape_.of_h[gate], length,
                         pre_ + first + i);
        i += length;
        continue;
      }
      const ints::Rescaler by_x(shape_.of_x[gate]), by_h(shape_.of_h[gate]);
      int16_t* const pre = pre_ + first + i;
      ints::ForVectors(length, [&](size_t at, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
        const ints::Vec of_x = ints::LimitedTo16(by_x(ints::Load(x + i + at, lanes)));
        ints::Vec of_h = by_h(ints::Load(h + i + at, lanes));
        // Beyond 17 bits, the sum is saturated whatever x adds.
        of_h = kIsMicro ? ints::LimitedTo16(of_h) : ints::Limited(of_h, -(1 << 17), 1 << 17);
        ints::Store(ints::LimitedTo16(ints::Add(of_x, of_h)), pre + at, lanes);
      });
      i += length;
    }
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

  WEFT_PART void UpdateCells(const int16_t* c, int16_t* c_next) const {
    const int16_t *const forget = PreOf(kForget), *const input = PreOf(kInput),
                         *const candidate = PreOf(kCandidate);
    const int32_t shift = 30 + shape_.cell_power;
    const int32_t clip = shape_.cell_clip > 0 ? shape_.cell_clip : 32768;
    const bool is_coupled = shape_.is_coupled;
    ints::ForVectors(shape_.cells, [&](size_t i, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
      const ints::Vec f = Sigmoid(ints::Load(forget + i, lanes));
      const ints::Vec in =
          is_coupled ? ints::Sub(ints::Set(32767), f) : Sigmoid(ints::Load(input + i, lanes));
      const ints::Vec n = Tanh(ints::Load(candidate + i, lanes));
      const ints::Vec kept = ints::Mul(f, ints::Load(c + i, lanes)), added = ints::Mul(in, n);
      const ints::Vec next = ints::Add(Divided(kept, 15), Divided(added, shift));
      ints::Store(ints::LimitedTo16(ints::Limited(next, -clip, clip)), c_next + i, lanes);
    });
  }

  WEFT_PART void Output(const int16_t* c_next, Code* h_next) const {
    const int16_t* const output = PreOf(kOutput);
    const int32_t power = shape_.cell_power, zero = shape_.zero;
    const ints::Rescaler by(shape_.result);
    ints::ForVectors(shape_.cells, [&](size_t i, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
      const ints::Vec o = Sigmoid(ints::Load(output + i, lanes));
      const ints::Vec t = TanhOfCell(ints::Load(c_next + i, lanes), power);
      const ints::Vec h = ints::Add(by(ints::Mul(o, t)), ints::Set(zero));
      ints::Store(ints::Limited(h, kMinCode, kMaxCode), h_next + i, lanes);
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
    const int32_t bits = 12 + power;
    if (bits >= 0) return ints::TableTanh(ints::Mul(c, ints::Set(3 << bits)));
    const ints::Vec half = ints::Set(1 << (-bits - 1));
    return ints::TableTanh(
        ints::ShiftRightSame(ints::Add(ints::Mul(c, ints::Set(3)), half), -bits));
  }
  // x / 2^bits.
  static HWY_INLINE ints::Vec Divided(ints::Vec x, int32_t bits) {
    if constexpr (!kIsMicro) return ints::DivideByPower(x, bits);
    return ints::LimitedTo16(
        ints::DivideByPower(ints::ShiftRight<1>(ints::Add(x, ints::Set(1))), bits - 1));
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
