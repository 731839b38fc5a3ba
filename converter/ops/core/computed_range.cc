// SPDX-License-Identifier: Apache-2.0
// Ranges of an axis whose bounds are computed at run time, or of an axis with a run-time length: a
// gather of begin, begin + step, ... and, if the number of positions is not constant, steps that
// compute it.
#include <algorithm>
#include <cstdlib>

#include "converter/ops/core/slicing.h"
#include "converter/ops/support/lengths.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using program::ValueId;

bool HasLength(const NodeScope& scope, const ComputedRange& range) {
  const auto& extent = ir::ExtentOf(scope.node().inputs[0]);
  return extent && extent->axis == range.axis;
}

int64_t DividedUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The number of positions between two bounds that share a computed base. nullopt if they do not, or
// if the end precedes the begin.
std::optional<int64_t> KnownDistance(const ComputedRange& range) {
  if (!range.begin.computed || !range.end.computed) return std::nullopt;
  const OffsetValue begin = OffsetValueOf(*range.begin.computed);
  const OffsetValue end = OffsetValueOf(*range.end.computed);
  const int64_t distance = (end.offset - begin.offset) * (range.step > 0 ? 1 : -1);
  return begin.base == end.base && distance >= 0 ? std::optional(distance) : std::nullopt;
}

// Returns true if both bounds are certain to lie inside the axis and to count from the same end of
// it.
bool IsInside(const ComputedRange& range, int64_t distance, int64_t dim) {
  const IntegerBounds begin = BoundsOf(*range.begin.computed);
  if (begin.low < -dim || begin.high > dim) return false;
  if (range.step < 0) {
    return (begin.low - distance >= 0 && begin.high < dim) ||
           (begin.low - distance >= -dim && begin.high < 0);
  }
  return (begin.low >= 0 && begin.high + distance <= dim) || begin.high + distance < 0;
}

// A number, known at conversion or computed at run time.
struct Number {
  std::optional<int64_t> known;
  ValueId value = program::kNone;
};

// Arithmetic on single numbers of one type. Known numbers are folded and emit no step.
class NumberSteps {
 public:
  NumberSteps(program::Builder& builder, ElementType type) : builder_(builder), type_(type) {}

  ElementType type() const { return type_; }
  Number Known(int64_t number) const { return {number}; }
  Number Of(ValueId value) { return {std::nullopt, Converted(builder_, value, type_)}; }
  ValueId ValueOf(const Number& number) {
    return number.known ? IntegerWeights(builder_, type_, {*number.known}) : number.value;
  }
  Number Add(const Number& a, const Number& b) {
    if (a.known && b.known) return {*a.known + *b.known};
    if (a.known == 0) return b;
    return b.known == 0 ? a : Made(BinaryOp::add, a, b);
  }
  Number Subtract(const Number& a, const Number& b) {
    if (a.known && b.known) return {*a.known - *b.known};
    return b.known == 0 ? a : Made(BinaryOp::subtract, a, b);
  }
  Number Min(const Number& a, const Number& b) {
    if (a.known && b.known) return {std::min(*a.known, *b.known)};
    return Made(BinaryOp::minimum, a, b);
  }
  Number Largest(const Number& a, const Number& b) {
    if (a.known && b.known) return {std::max(*a.known, *b.known)};
    return Made(BinaryOp::maximum, a, b);
  }
  // a / by, rounded up; a is not negative.
  Number DividedUp(const Number& a, int64_t by) {
    if (by == 1) return a;
    if (a.known) return {ops::DividedUp(*a.known, by)};
    return Made(BinaryOp::divide, Add(a, Known(by - 1)), Known(by));
  }
  // a < 0 ? a + dim : a. A sum that wraps around is not selected.
  Number FromStart(const Number& a, const Number& dim) {
    if (a.known) return *a.known < 0 ? Add(a, dim) : a;
    const ValueId is_negative = builder_.Scratch({ElementType::boolean, {1}});
    EmitCompare(builder_, format::CompareOp::less, {a.value, {1}}, {ValueOf(Known(0)), {1}},
                is_negative);
    const ValueId moved = ValueOf(Add(a, dim)), chosen = builder_.Scratch({type_, {1}});
    EmitSelect(builder_, {is_negative, {1}}, {moved, {1}}, {a.value, {1}}, {chosen, {1}});
    return {std::nullopt, chosen};
  }

 private:
  Number Made(BinaryOp op, const Number& a, const Number& b) {
    const ValueId left = ValueOf(a), right = ValueOf(b);
    const ValueId made = builder_.Scratch({type_, {1}});
    EmitBinary(builder_, op, {left, {1}}, {right, {1}}, made);
    return {std::nullopt, made};
  }

  program::Builder& builder_;
  const ElementType type_;
};

// i32 holds every index of an axis, but an i64 bound may exceed it.
ElementType TypeOfBounds(const NodeScope& scope, const ComputedRange& range) {
  for (const Bound* bound : {&range.begin, &range.end}) {
    if (bound->computed && scope.input_element(bound->input) == ElementType::i64) {
      return ElementType::i64;
    }
  }
  return ElementType::i32;
}

// Emits the steps of one range.
class RangeSteps {
 public:
  RangeSteps(LowerScope& scope, const ComputedRange& range, int64_t dim)
      : scope_(scope),
        range_(range),
        dim_(dim),
        numbers_(scope.builder, TypeOfBounds(scope, range)),
        length_(LengthOfAxis()) {}

  // The first position. If `count` is not exact, sets *length to the number of positions.
  Number Begin(const RangeCount& count, ValueId* length) {
    if (range_.shrinks) return FromStart(range_.begin);
    if (count.exact) return NumberOf(range_.begin);
    const Number zero = numbers_.Known(0), back = numbers_.Known(-1);
    const bool forward = range_.step > 0;
    const Number last = forward ? length_ : numbers_.Add(length_, back);
    const SliceLimits<Number> limits = LimitsOf<Number>(forward, zero, back, length_, last);
    const Number begin =
        Inside(range_.begin, forward ? limits.begin.low : limits.begin.high, limits.begin);
    const Number end = Inside(range_.end, forward ? limits.end.high : limits.end.low, limits.end);
    const Number distance = forward ? numbers_.Subtract(end, begin) : numbers_.Subtract(begin, end);
    const int64_t step = std::abs(range_.step);
    Number found = numbers_.DividedUp(numbers_.Largest(distance, zero), step);
    // If the bounds have different types and one of them wraps around, the computed distance may
    // exceed the known maximum.
    if (count.max < DividedUp(dim_, step)) {
      found = numbers_.Min(found, numbers_.Known(count.max));
    }
    *length = Converted(scope_.builder, numbers_.ValueOf(found), ElementType::i32);
    // A begin beyond a run-time length yields no positions, so that a known begin needs no clamp.
    return forward && range_.begin.known >= 0 ? NumberOf(range_.begin) : begin;
  }

  // Gathers the elements at the positions from `begin` on.
  ValueId Taken(const Number& begin, const GatherGeometry& geometry, ValueId x) {
    program::Builder& builder = scope_.builder;
    Dims steps;
    for (int64_t i = 0; i < geometry.indices; ++i) {
      steps.push_back(begin.known.value_or(0) + i * range_.step);
    }
    const TensorType type = {builder.type(x), {geometry.outer, geometry.indices, geometry.inner}};
    if (begin.known) return PositionsOf(builder, x, geometry, steps);
    const ValueId y = builder.Scratch(type);
    if (ElementCount(type.dims) == 0) return y;
    ValueId positions = begin.value;
    if (geometry.indices > 1) {
      positions = builder.Scratch({numbers_.type(), {geometry.indices}});
      EmitBinary(builder, BinaryOp::add,
                 {IntegerWeights(builder, numbers_.type(), steps), {geometry.indices}},
                 {begin.value, {1}}, positions);
    }
    EmitGather(builder, geometry, x, positions, y);
    return y;
  }

 private:
  Number LengthOfAxis() {
    if (!HasLength(scope_, range_)) return numbers_.Known(dim_);
    const auto& extent = ir::ExtentOf(scope_.node().inputs[0]);
    return numbers_.Of(EmitLength(scope_.builder, scope_.values(), *extent));
  }

  Number NumberOf(const Bound& bound) {
    program::Builder& builder = scope_.builder;
    // One position outside the axis is equivalent to any farther one.
    if (bound.known) return numbers_.Known(std::clamp(*bound.known, -dim_ - 1, dim_ + 1));
    const ValueId all = scope_.input(bound.input);
    const ElementType type = builder.type(all);
    const auto offset = static_cast<int64_t>(bound.computed->at) * ElementBytes(type);
    return numbers_.Of(builder.View(all, offset, {type, {1}}));
  }

  Number FromStart(const Bound& bound) {
    const Number number = NumberOf(bound);
    const bool is_from_start = bound.computed && BoundsOf(*bound.computed).low >= 0;
    return is_from_start ? number : numbers_.FromStart(number, length_);
  }

  Number Inside(const Bound& bound, const Number& natural,
                const SliceLimits<Number>::Range& limits) {
    if (!bound.known && !bound.computed) return natural;
    return numbers_.Min(numbers_.Largest(FromStart(bound), limits.low), limits.high);
  }

  LowerScope& scope_;
  const ComputedRange& range_;
  const int64_t dim_;
  NumberSteps numbers_;
  const Number length_;
};

}  // namespace

RangeCount CountOfRange(const NodeScope& scope, const ComputedRange& range) {
  const int64_t dim = scope.input_dims(0)[range.axis];
  if (range.shrinks) return {1, true};
  const auto max = [&](const Bound& begin, const Bound& end) {
    return RunBetween(begin.known, end.known, range.step, dim).count;
  };
  // The bound from one end only: if begin and end count from different ends, an axis shorter than
  // `dim` may reverse their order.
  const RangeCount bounded = {std::min(max(range.begin, {}), max({}, range.end)), false};
  const std::optional<int64_t> distance = KnownDistance(range);
  if (!distance) return bounded;
  const bool exact = !HasLength(scope, range) && IsInside(range, *distance, dim);
  // With a negative step, bounds that both precede the axis still select the first element,
  // whatever their distance.
  const int64_t farthest = exact || range.step > 0 ? *distance : std::max<int64_t>(*distance, 1);
  return {DividedUp(std::min(farthest, dim), std::abs(range.step)), exact};
}

ValueId EmitRange(LowerScope& scope, const ComputedRange& range, ValueId x, const Dims& dims,
                  ValueId* length) {
  const RangeCount count = CountOfRange(scope, range);
  const GatherGeometry geometry = {1, ProductOf(dims, 0, range.axis), dims[range.axis],
                                   ProductOf(dims, range.axis + 1, dims.size()), count.max};
  RangeSteps steps(scope, range, dims[range.axis]);
  return steps.Taken(steps.Begin(count, length), geometry, x);
}

}  // namespace weft::ops
