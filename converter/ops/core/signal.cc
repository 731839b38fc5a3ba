// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/core/signal.h"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "kernels/fourier/fourier_tables.h"
#include "kernels/signal/channel_gain.h"
#include "kernels/signal/fixed_fourier.h"
#include "kernels/signal/signal.h"

namespace weft::ops {
namespace {

using Op = format::SignalOp;
using program::ValueId;
constexpr ElementType kI16 = ElementType::i16, kI32 = ElementType::i32, kI64 = ElementType::i64;
constexpr int64_t kMaxShift = 31;
constexpr const char* kFftLength = "fft_length";

// Requires the attribute to be in [0, max].
void RequireUpTo(InferScope& scope, const char* key, int64_t max) {
  const int64_t is = scope.attributes.Int(key, 0);
  if (is < 0 || is > max) scope.Fault("{} is {}; must be from 0 to {}", key, is, max);
}

// Requires the input to have the type and dims.
void RequireType(InferScope& scope, size_t input, const TensorType& must) {
  const TensorType& is = scope.input_type(input);
  if (is.type == must.type && is.dims == must.dims) return;
  scope.Fault("input {} is {}; must be {}", input, ToString(is), ToString(must));
}

// Requires input 0 to have one of the types, and at least one axis, or one if `is_vector`.
bool RequireData(InferScope& scope, std::initializer_list<ElementType> types, bool is_vector) {
  if (!CheckElements(scope, std::array<size_t, 1>{0}, types)) return false;
  if (scope.rank(0) == 1 || (scope.rank(0) > 1 && !is_vector)) return true;
  scope.Fault("input 0 is {}; must have {} 1", ToString(scope.input_type(0)),
              is_vector ? "rank" : "at least rank");
  return false;
}

uint32_t SignalCount(const Dims& dims) {
  return Narrow32(ElementCount(dims).value_or(0), "elements");
}

Dims WithLast(Dims dims, int64_t extent) {
  dims.back() = extent;
  return dims;
}

// --- Elements

void EmitSignal(LowerScope& scope, Op op, ValueId a, uint32_t scale = 0, uint32_t shift = 0,
                uint32_t length = 0) {
  const uint32_t count = SignalCount(scope.output_type(0).dims);
  const ValueId y = scope.NewOutput(0);
  scope.builder.Emit(format::SignalParams(count, length, scale, shift, op, 0, 0),
                     {scope.input(0), a}, {y});
}

uint32_t OptionOf(const LowerScope& scope, const char* key) {
  return Narrow32(scope.attributes.Int(key, 0), key);
}

void InferSignalWindow(InferScope& scope) {
  if (!RequireData(scope, {kI16}, false)) return;
  const int64_t length = scope.rank(1) == 1 ? scope.input_dims(1)[0] : 0;
  const int64_t count = ElementCount(scope.input_dims(0)).value_or(0);
  if (scope.input_element(1) != kI16 || length < 1 || count % length != 0) {
    scope.Fault("the window is {} and input 0 {}; must be i16 vectors of a length that divides {}",
                ToString(scope.input_type(1)), ToString(scope.input_type(0)), count);
  }
  RequireUpTo(scope, "shift", kMaxShift);
  scope.SetOutput(0, scope.input_type(0));
}
void LowerSignalWindow(LowerScope& scope) {
  EmitSignal(scope, Op::window, scope.input(1), 0, OptionOf(scope, "shift"),
             SignalCount(scope.input_dims(1)));
}

void InferAutoScale(InferScope& scope) {
  if (!RequireData(scope, {kI16}, true)) return;
  scope.SetOutput(0, scope.input_type(0));
  scope.SetOutput(1, kI32, {});
}
void LowerAutoScale(LowerScope& scope) {
  const ValueId y = scope.NewOutput(0), shift = scope.NewOutput(1);
  scope.builder.Emit(format::AutoScaleParams(SignalCount(scope.input_dims(0))), {scope.input(0)},
                     {y, shift});
}

void InferEnergy(InferScope& scope) {
  if (!RequireData(scope, {kI16}, true)) return;
  const int64_t bins = scope.input_dims(0)[0] / 2;
  const int64_t begin = scope.attributes.Int("start_index", 0);
  const int64_t end = scope.attributes.Int("end_index", 0);
  if (begin < 0 || begin > end || end > bins) {
    scope.Fault("start_index is {} and end_index {}; must be in order, from 0 to {}", begin, end,
                bins);
  }
  scope.SetOutput(0, kI32, {bins});
}
void LowerEnergy(LowerScope& scope) {
  const std::vector<uint32_t> range = {OptionOf(scope, "start_index"),
                                       OptionOf(scope, "end_index")};
  EmitSignal(scope, Op::energy, scope.builder.WeightsOf({kI32, {2}}, range));
}

void InferSquareRoot(InferScope& scope) {
  if (!RequireData(scope, {kI64}, true)) return;
  RequireType(scope, 1, {kI32, {}});
  scope.SetOutput(0, kI32, scope.input_dims(0));
}
void LowerSquareRoot(LowerScope& scope) { EmitSignal(scope, Op::square_root, scope.input(1)); }

void InferPcan(InferScope& scope) {
  if (!RequireData(scope, {kI32}, true)) return;
  RequireType(scope, 1, scope.input_type(0));
  RequireType(scope, 2, {kI16, {kernels::kChannelGainTable}});
  RequireUpTo(scope, "snr_shift", kMaxShift);
  scope.SetOutput(0, scope.input_type(0));
}
void LowerPcan(LowerScope& scope) {
  const uint32_t count = SignalCount(scope.input_dims(0));
  const ValueId y = scope.NewOutput(0);
  scope.builder.Emit(format::ChannelGainParams(count, OptionOf(scope, "snr_shift")),
                     {scope.input(0), scope.input(1), scope.input(2)}, {y});
}

void InferLog(InferScope& scope) {
  if (!RequireData(scope, {kI32}, true)) return;
  RequireUpTo(scope, "input_correction_bits", kMaxShift);
  RequireUpTo(scope, "output_scale", std::numeric_limits<int32_t>::max());
  scope.SetOutput(0, kI16, scope.input_dims(0));
}
void LowerLog(LowerScope& scope) {
  std::vector<int16_t> table;
  for (uint32_t i = 0; i < kernels::kLogarithmTable; ++i) {
    const double part = i / (kernels::kLogarithmTable - 1.0);
    table.push_back(
        Narrow<int16_t>(std::lround(65536 * (std::log2(1 + part) - part)), "a logarithm"));
  }
  const ValueId numbers = scope.builder.WeightsOf({kI16, {std::ssize(table)}}, table);
  EmitSignal(scope, Op::logarithm, numbers, OptionOf(scope, "output_scale"),
             OptionOf(scope, "input_correction_bits"));
}

// --- Spectral subtraction

constexpr const char* kSmoothing[] = {"smoothing", "alternate_smoothing"};
constexpr const char* kRest[] = {"one_minus_smoothing", "alternate_one_minus_smoothing"};

void InferSubtraction(InferScope& scope) {
  if (!RequireData(scope, {kI32}, true)) return;
  RequireType(scope, 1, scope.input_type(0));
  constexpr int64_t kMaxFactor = std::numeric_limits<int32_t>::max();
  for (const size_t odd : {size_t{0}, size_t{1}}) {
    RequireUpTo(scope, kSmoothing[odd], kMaxFactor);
    RequireUpTo(scope, kRest[odd], kMaxFactor);
  }
  RequireUpTo(scope, "min_signal_remaining", kMaxFactor);
  RequireUpTo(scope, "smoothing_bits", kMaxShift);
  RequireUpTo(scope, "spectral_subtraction_bits", kMaxShift);
  scope.SetOutput(0, scope.input_type(0));
  scope.SetOutput(1, scope.input_type(0));
}
void LowerSubtraction(LowerScope& scope) {
  const ValueId y = scope.NewOutput(0), noise = scope.NewOutput(1);
  format::SubtractNoiseParams params;
  params.mutate_count(SignalCount(scope.input_dims(0)));
  if (params.count() == 0) return;
  for (uint32_t odd = 0; odd < 2; ++odd) {
    params.mutable_smoothing()->Mutate(odd, OptionOf(scope, kSmoothing[odd]));
    params.mutable_rest()->Mutate(odd, OptionOf(scope, kRest[odd]));
  }
  params.mutate_min_remaining(OptionOf(scope, "min_signal_remaining"));
  params.mutate_smoothing_bits(OptionOf(scope, "smoothing_bits"));
  params.mutate_bits(OptionOf(scope, "spectral_subtraction_bits"));
  params.mutate_clamping(scope.attributes.Bool("clamping", false) ? 1 : 0);
  scope.builder.Emit(params, {scope.input(0), scope.input(1)}, {y, noise});
}

// --- Filter bank

void InferFilterBank(InferScope& scope) {
  if (!RequireData(scope, {kI32}, true)) return;
  for (const size_t i : {size_t{1}, size_t{2}}) {
    const Dims& dims = scope.input_dims(i);
    const bool fits = dims.size() == 2 && dims[1] == 2 && (i == 1 || dims[0] >= 1);
    if (fits && scope.input_element(i) == kI16) continue;
    scope.Fault("input {} is {}; must be i16 pairs", i, ToString(scope.input_type(i)));
  }
  if (!scope.failed()) scope.SetOutput(0, kI64, {scope.input_dims(2)[0] - 1});
}
void LowerFilterBank(LowerScope& scope) {
  const ValueId y = scope.NewOutput(0);
  const uint32_t channels = SignalCount(scope.output_type(0).dims);
  if (channels == 0) return;
  const format::FilterBankParams params(channels, SignalCount(scope.input_dims(0)),
                                        Narrow32(scope.input_dims(1)[0], "weights"));
  scope.builder.Emit(params, {scope.input(0), scope.input(1), scope.input(2)}, {y});
}

// --- Transforms

// The transform length; nullopt after a fault.
std::optional<int64_t> TransformLength(InferScope& scope) {
  if (!RequireData(scope, {kI16, kI32}, false)) return std::nullopt;
  const int64_t length = scope.attributes.Int(kFftLength, 0);
  constexpr int64_t kMaxLength = int64_t{1} << 24;
  const bool fits = length >= 0 && length <= kMaxLength;
  if (fits && kernels::IsFixedFourierSize(Narrow32(length, kFftLength))) {
    return length;
  }
  scope.Fault("{} is {}; must be a power of two from 4 to {}", kFftLength, length, kMaxLength);
  return std::nullopt;
}

void InferRfft(InferScope& scope) {
  const std::optional<int64_t> length = TransformLength(scope);
  if (!length) return;
  if (scope.input_dims(0).back() > *length) {
    scope.Fault("input 0 is {}; lines must have at most {} numbers, the {}",
                ToString(scope.input_type(0)), *length, kFftLength);
  }
  scope.SetOutput(0, scope.input_element(0), WithLast(scope.input_dims(0), *length + 2));
}
void InferIrfft(InferScope& scope) {
  const std::optional<int64_t> length = TransformLength(scope);
  if (!length) return;
  if (scope.input_dims(0).back() != *length + 2) {
    scope.Fault("input 0 is {}; lines must have {} numbers, 2 more than the {}",
                ToString(scope.input_type(0)), *length + 2, kFftLength);
  }
  scope.SetOutput(0, scope.input_element(0), WithLast(scope.input_dims(0), *length));
}

// The table of kernels/signal/fixed_fourier.h.
template <typename T>
std::vector<T> FixedTable(int64_t length, bool is_inverse) {
  constexpr double kMax = std::numeric_limits<T>::max();
  const int64_t points = length / 2;
  std::vector<T> table;
  const auto add = [&](const kernels::CirclePoint& point) {
    const double sine = is_inverse ? point.sine : -point.sine;
    for (const double number : {point.cosine, sine}) {
      table.push_back(static_cast<T>(std::floor(number * kMax + 0.5)));
    }
  };
  for (int64_t i = 0; i < points; ++i) add(kernels::TwiddlePoint(i, points));
  for (int64_t i = 1; i <= points / 2; ++i) {
    add(kernels::TwiddlePoint(2 * i + points, 4 * points));
  }
  return table;
}

template <bool kIsInverse>
void LowerFixedFourier(LowerScope& scope) {
  const ElementType type = scope.input_element(0);
  const int64_t length = scope.attributes.Int(kFftLength, 0);
  const ValueId y = scope.NewOutput(0);
  const Dims& dims = scope.output_type(0).dims;
  const int64_t lines = ProductOf(dims, 0, dims.size() - 1);
  if (lines == 0) return;
  const auto table_of = [&](const auto& numbers) {
    return scope.builder.WeightsOf({type, {std::ssize(numbers)}}, numbers);
  };
  const ValueId table = type == kI16 ? table_of(FixedTable<int16_t>(length, kIsInverse))
                                     : table_of(FixedTable<int32_t>(length, kIsInverse));
  const uint32_t inputs = kIsInverse ? 0 : Narrow32(scope.input_dims(0).back(), "inputs");
  const format::FixedFourierParams params(Narrow32(lines, "lines"), Narrow32(length, kFftLength),
                                          inputs, kIsInverse ? 1 : 0, type, 0);
  scope.builder.Emit(params, {scope.input(0), table}, {y});
}

// --- Rows

constexpr Traits kReader = {.is_extension = true};
// A noise estimate depends on the order of runs.
constexpr Traits kRecurrent = {.foldable = false, .is_extension = true};

constexpr Operation kSignalRows[] = {
    {kSignalWindow, kPassOnly, 2, 2, InferSignalWindow, LowerSignalWindow, kReader},
    {kSignalAutoScale, kPassOnly, 1, 1, InferAutoScale, LowerAutoScale, kReader},
    {kSignalRfft, kPassOnly, 1, 1, InferRfft, LowerFixedFourier<false>, kReader},
    {kSignalIrfft, kPassOnly, 1, 1, InferIrfft, LowerFixedFourier<true>, kReader},
    {kSignalEnergy, kPassOnly, 1, 1, InferEnergy, LowerEnergy, kReader},
    {kSignalFilterBank, kPassOnly, 3, 3, InferFilterBank, LowerFilterBank, kReader},
    {kSignalSquareRoot, kPassOnly, 2, 2, InferSquareRoot, LowerSquareRoot, kReader},
    {kSignalSubtraction, kPassOnly, 2, 2, InferSubtraction, LowerSubtraction, kRecurrent},
    {kSignalPcan, kPassOnly, 3, 3, InferPcan, LowerPcan, kReader},
    {kSignalLog, kPassOnly, 1, 1, InferLog, LowerLog, kReader},
};

}  // namespace

std::span<const Operation> SignalOperations() { return kSignalRows; }

}  // namespace weft::ops
