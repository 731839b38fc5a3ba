// SPDX-License-Identifier: Apache-2.0
// FakeQuantize: rounds to the nearest of evenly spaced levels in a range. Follows the formula of
// the OpenVINO specification operation by operation, so that ties and last bits are equal, for
// constant and computed limits.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using format::CompareOp;
using format::UnaryOp;

constexpr size_t kQuantized = 0, kInputLow = 1, kInputHigh = 2, kOutputLow = 3, kOutputHigh = 4;

// Returns true if input i has one element but a higher rank than x. Exporters write [1,1,1,1] also
// for weights of rank 2.
bool IsOneOfHigherRank(const NodeScope& scope, size_t i) {
  return scope.rank(i) > scope.rank(kQuantized) && ElementCount(scope.input_dims(i)) == 1;
}

void CheckQuantizeLimits(InferScope& scope) {
  std::vector<size_t> operands = {kQuantized};
  for (size_t i = kInputLow; i <= kOutputHigh; ++i) {
    if (!IsOneOfHigherRank(scope, i)) operands.push_back(i);
  }
  const std::optional<Dims> dims = BroadcastDims(scope, operands);
  if (!dims || *dims == scope.input_dims(kQuantized)) return;
  scope.Fault("the ranges broadcast x to {}, and x is {}; must broadcast to the shape of x",
              ToString(*dims), ToString(scope.input_type(kQuantized)));
}

void InferQuantize(InferScope& scope) {
  constexpr size_t kAll[] = {kQuantized, kInputLow, kInputHigh, kOutputLow, kOutputHigh};
  CheckElements(scope, kAll, {ElementType::f32});
  CheckQuantizeLimits(scope);
  scope.RequireAttributes({"levels"});
  const int64_t codes = scope.attributes.Int("levels", 2);
  if (codes < 2) scope.Fault("levels is {}; must be at least 2", codes);
  scope.SetOutput(0, scope.input_type(kQuantized));
}

// Limits with dims aligned to x: known numbers, or a value computed at run time.
struct RangeLimit {
  Dims dims;
  std::vector<float> numbers;
  program::ValueId value = program::kNone;

  bool is_known() const { return value == program::kNone; }
};

RangeLimit LimitOf(LowerScope& scope, size_t i) {
  const Dims& x = scope.input_dims(kQuantized);
  const Dims dims = IsOneOfHigherRank(scope, i) ? Dims(x.size(), 1) : AlignedDims(scope, i, x);
  const std::optional<std::vector<double>> numbers = scope.Numbers(i);
  if (!numbers) return {dims, {}, scope.input(i)};
  return {dims, {numbers->begin(), numbers->end()}};
}

Dims DimsOfBoth(const RangeLimit& a, const RangeLimit& b) {
  Dims dims = a.dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) dims[i] = b.dims[i];
  }
  return dims;
}

// apply(a, b) element by element, both known.
template <typename Apply>
RangeLimit LimitOfBoth(const RangeLimit& a, const RangeLimit& b, Apply apply) {
  RangeLimit both = {DimsOfBoth(a, b), {}};
  const StridedNest nest = CollapsedNest(both.dims, std::array{a.dims, b.dims});
  const int64_t count = ElementCount(nest.dims).value_or(0);
  for (int64_t position = 0; position < count; ++position) {
    int64_t rest = position, at_a = 0, at_b = 0;
    for (size_t axis = nest.dims.size(); axis-- > 0; rest /= nest.dims[axis]) {
      at_a += rest % nest.dims[axis] * nest.strides[0][axis];
      at_b += rest % nest.dims[axis] * nest.strides[1][axis];
    }
    both.numbers.push_back(
        apply(a.numbers[static_cast<size_t>(at_a)], b.numbers[static_cast<size_t>(at_b)]));
  }
  return both;
}

Operand OperandOf(program::Builder& builder, const RangeLimit& limit) {
  if (!limit.is_known()) return {limit.value, limit.dims};
  return {builder.WeightsOf({ElementType::f32, limit.dims}, limit.numbers), limit.dims};
}

// As above; emits a step if one of them is computed.
template <typename Apply>
RangeLimit LimitOfBoth(program::Builder& builder, BinaryOp op, const RangeLimit& a,
                       const RangeLimit& b, Apply apply) {
  if (a.is_known() && b.is_known()) return LimitOfBoth(a, b, apply);
  const Dims dims = DimsOfBoth(a, b);
  const Operand left = OperandOf(builder, a), right = OperandOf(builder, b);
  const program::ValueId both = builder.Scratch({ElementType::f32, dims});
  EmitBinary(builder, op, left, right, both);
  return {dims, {}, both};
}

template <typename Holds>
bool LimitsHold(const RangeLimit& a, const RangeLimit& b, Holds holds) {
  return std::ranges::all_of(LimitOfBoth(a, b, holds).numbers, [](float is) { return is != 0; });
}

bool IsEveryLimit(const RangeLimit& limit, float number) {
  return limit.is_known() &&
         std::ranges::all_of(limit.numbers, [&](float one) { return one == number; });
}

struct QuantizeRanges {
  explicit QuantizeRanges(LowerScope& scope)
      : low(LimitOf(scope, kInputLow)),
        high(LimitOf(scope, kInputHigh)),
        out_low(LimitOf(scope, kOutputLow)),
        out_high(LimitOf(scope, kOutputHigh)),
        span(Difference(scope.builder, high, low)),
        out_span(Difference(scope.builder, out_high, out_low)) {}

  static RangeLimit Difference(program::Builder& builder, const RangeLimit& a,
                               const RangeLimit& b) {
    return LimitOfBoth(builder, BinaryOp::subtract, a, b, std::minus<float>());
  }

  // Returns true if the formula maps input_low exactly to output_low and input_high to output_high.
  // Clamping x to the input range then replaces the two comparisons.
  bool MeetTheirEnds() const {
    return span.is_known() && out_span.is_known() && LimitsHold(low, high, std::less<float>()) &&
           std::ranges::all_of(span.numbers, [](float one) { return std::isnormal(one); }) &&
           std::ranges::all_of(out_span.numbers, [](float one) { return std::isfinite(one); }) &&
           LimitsHold(LimitOfBoth(out_span, out_low, std::plus<float>()), out_high,
                      std::equal_to<float>());
  }

  RangeLimit low, high, out_low, out_high, span, out_span;
};

// The steps of one lowering, all with the shape of x.
class Quantizing {
 public:
  explicit Quantizing(LowerScope& scope)
      : builder_(scope.builder),
        type_(scope.input_type(kQuantized)),
        ranges_(scope),
        steps_{Dims(type_.dims.size(), 1),
               {static_cast<float>(scope.attributes.Int("levels", 0) - 1)}} {}

  void Emit(program::ValueId x, program::ValueId y) {
    if (ranges_.MeetTheirEnds()) return EmitFormula(Clamped(x), y);
    const program::ValueId inside = builder_.Scratch(type_), from_low = builder_.Scratch(type_);
    EmitFormula(x, inside);
    const auto min = [](float a, float b) { return std::min(a, b); };
    const auto max = [](float a, float b) { return std::max(a, b); };
    Replace(CompareOp::greater, x,
            LimitOfBoth(builder_, BinaryOp::maximum, ranges_.low, ranges_.high, max),
            ranges_.out_high, inside, from_low);
    Replace(CompareOp::less_equal, x,
            LimitOfBoth(builder_, BinaryOp::minimum, ranges_.low, ranges_.high, min),
            ranges_.out_low, from_low, y);
  }

 private:
  Operand Full(program::ValueId value) const { return {value, type_.dims}; }
  // Returns value <op> by.
  program::ValueId Apply(BinaryOp op, program::ValueId value, const RangeLimit& by) {
    const program::ValueId y = builder_.Scratch(type_);
    EmitBinary(builder_, op, Full(value), OperandOf(builder_, by), y);
    return y;
  }

  // Clamps x to the input range; NaN stays NaN.
  program::ValueId Clamped(program::ValueId x) {
    const float low = ranges_.low.numbers.front(), high = ranges_.high.numbers.front();
    if (!IsEveryLimit(ranges_.low, low) || !IsEveryLimit(ranges_.high, high)) {
      return Apply(BinaryOp::minimum, Apply(BinaryOp::maximum, x, ranges_.low), ranges_.high);
    }
    const program::ValueId y = builder_.Scratch(type_);
    EmitUnary(builder_, UnaryOp::clamp, x, y, low, high);
    return y;
  }

  // round((x - low) / span * steps) / steps * out_span + out_low
  void EmitFormula(program::ValueId x, program::ValueId y) {
    const bool from_zero = IsEveryLimit(ranges_.low, 0);
    const program::ValueId above = from_zero ? x : Apply(BinaryOp::subtract, x, ranges_.low);
    const program::ValueId part = Apply(BinaryOp::divide, above, ranges_.span);
    const program::ValueId exact = Apply(BinaryOp::multiply, part, steps_);
    const program::ValueId code = builder_.Scratch(type_);
    EmitUnary(builder_, UnaryOp::round_even, exact, code);
    const program::ValueId rounded = Apply(BinaryOp::divide, code, steps_);
    const program::ValueId scaled = Apply(BinaryOp::multiply, rounded, ranges_.out_span);
    EmitBinary(builder_, BinaryOp::add, Full(scaled), OperandOf(builder_, ranges_.out_low), y);
  }

  // y = x <op> limit ? value : otherwise
  void Replace(CompareOp op, program::ValueId x, const RangeLimit& limit, const RangeLimit& value,
               program::ValueId otherwise, program::ValueId y) {
    const program::ValueId beyond = builder_.Scratch({ElementType::boolean, type_.dims});
    EmitCompare(builder_, op, Full(x), OperandOf(builder_, limit), beyond);
    EmitSelect(builder_, Full(beyond), OperandOf(builder_, value), Full(otherwise), Full(y));
  }

  program::Builder& builder_;
  const TensorType type_;
  const QuantizeRanges ranges_;
  const RangeLimit steps_;
};

void LowerQuantize(LowerScope& scope) {
  const program::ValueId x = scope.input(kQuantized), y = scope.NewOutput(0);
  Quantizing(scope).Emit(x, y);
}

constexpr Operation kQuantizeRows[] = {
    {"FakeQuantize", 1, 5, 5, InferQuantize, LowerQuantize, kPointwise},
};

}  // namespace

std::span<const Operation> QuantizeOperations() { return kQuantizeRows; }

}  // namespace weft::ops
