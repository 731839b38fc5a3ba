// SPDX-License-Identifier: Apache-2.0
// Arithmetic and logic of two tensors.
#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/bounds.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/permutation.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/scalars.h"

namespace weft::ops {
namespace {

using format::BinaryOp;

void SetElementwiseOutput(InferScope& scope) {
  if (const std::optional<Dims> dims = BroadcastDims(scope, kBoth)) {
    scope.SetOutput(0, scope.input_element(0), *dims);
  }
}

void InferArithmetic(InferScope& scope) {
  CheckNumeric(scope, kBoth);
  SetElementwiseOutput(scope);
}

// Integer quotients round down if m_pythondiv is set. ONNX's Div rounds towards 0, but its exports
// also set m_pythondiv.
void InferDivide(InferScope& scope) {
  InferArithmetic(scope);
  const ElementType type = scope.input_element(0);
  if (scope.failed() || IsFloat(type) || !scope.attributes.Bool("m_pythondiv", true)) return;
  if (scope.graph().is_tflite) return;  // FLOOR_DIV
  const std::vector<ir::Source>& operands = scope.node().inputs;
  const auto is_natural = [](const ir::Source& source) { return BoundsOf(source).low >= 0; };
  if (std::ranges::all_of(operands, is_natural)) return;
  scope.Warn(
      "m_pythondiv is true and an operand may be negative: quotients round down; Div of ONNX "
      "rounds "
      "towards 0");
}

void InferLogical(InferScope& scope) {
  CheckElements(scope, kBoth, {ElementType::boolean});
  SetElementwiseOutput(scope);
}

Operand Aligned(LowerScope& scope, size_t i) {
  return {scope.input(i), AlignedDims(scope, i, scope.output_type(0).dims)};
}

template <BinaryOp op>
void LowerElementwise(LowerScope& scope) {
  EmitBinary(scope.builder, op, Aligned(scope, 0), Aligned(scope, 1), scope.NewOutput(0));
}

template <BinaryOp op>
constexpr auto LowerArithmetic = LowerNarrow<LowerElementwise<op>, ElementType::i16>;

// The step truncates. Python's division rounds down: to one less where the remainders with the
// signs of a and b differ, which is then by b. Nothing wraps around, except a quotient that does
// not fit the type.
void LowerDivide(LowerScope& scope) {
  const ElementType type = scope.output_type(0).type;
  const bool truncates = type == ElementType::u8 || !scope.attributes.Bool("m_pythondiv", true);
  if (type == ElementType::f32 || truncates) return LowerElementwise<BinaryOp::divide>(scope);
  const Operand a = Aligned(scope, 0), b = Aligned(scope, 1);
  const auto made = [&](BinaryOp op, const Operand& x, const Operand& y) {
    const Operand result{scope.builder.Scratch(scope.output_type(0)), scope.output_type(0).dims};
    EmitBinary(scope.builder, op, x, y, result.value);
    return result;
  };
  const Operand down = made(BinaryOp::floor_mod, a, b), to_zero = made(BinaryOp::mod, a, b);
  const Operand apart = made(BinaryOp::subtract, down, to_zero);
  const Operand less = made(BinaryOp::divide, apart, b), quotient = made(BinaryOp::divide, a, b);
  EmitBinary(scope.builder, BinaryOp::subtract, quotient, less, scope.NewOutput(0));
}

// Squares are frequent (variances, norms). A product is exact and much faster than pow.
void LowerPower(LowerScope& scope) {
  const std::optional<std::vector<double>> exponent = scope.Numbers(1);
  const bool square = exponent && exponent->size() == 1 && exponent->front() == 2 &&
                      scope.input_dims(0) == scope.output_type(0).dims;
  if (!square) return LowerElementwise<BinaryOp::power>(scope);
  const Operand x = Aligned(scope, 0);
  EmitBinary(scope.builder, BinaryOp::multiply, x, x, scope.NewOutput(0));
}

// A slope per channel is aligned with axis 1, any other slope by NumPy's rule. Leading axes of
// extent 1 that x lacks are dropped: ONNX's LeakyRelu has a slope of shape [1] for a scalar.
Dims SlopeDims(const NodeScope& scope) {
  const Dims& x = scope.input_dims(0);
  Dims slope = scope.input_dims(1);
  while (slope.size() > x.size() && slope.front() == 1) slope.erase(slope.begin());
  const size_t channel_axis = x.size() > 1 ? 1 : 0;
  if (slope.size() != 1 || x.empty() || x[channel_axis] != slope[0]) return slope;
  Dims dims(x.size(), 1);
  dims[channel_axis] = slope[0];
  return dims;
}

void InferPRelu(InferScope& scope) {
  CheckNumeric(scope, kBoth);
  const std::optional<Dims> dims = scope.Broadcast(scope.input_dims(0), SlopeDims(scope));
  if (dims && *dims != scope.input_dims(0)) {
    scope.Fault("slope is {} and x is {}; the slope must broadcast to the shape of x",
                ToString(scope.input_dims(1)), ToString(scope.input_dims(0)));
  }
  scope.SetOutput(0, scope.input_type(0));
}

void LowerPRelu(LowerScope& scope) {
  Dims slope = SlopeDims(scope);
  slope.insert(slope.begin(), scope.input_dims(0).size() - slope.size(), 1);
  EmitBinary(scope.builder, BinaryOp::prelu, {scope.input(0), scope.input_dims(0)},
             {scope.input(1), std::move(slope)}, scope.NewOutput(0));
}

// A slope per channel belongs to axis 1.
void SlopeAxes(AxisScope& scope) {
  scope.Same(0, 0);
  scope.relation.reason = "has slopes that change with time";
  const Dims& slope = scope.in(1);
  if (slope.size() != 1 || slope[0] == 1) return;
  const size_t at = scope.in(0).size() > 1 ? 1 : 0;
  scope.relation.groups[at].push_back({false, 1, 0});
}

void SlopePermutation(PermuteScope& scope) {
  scope.permutation.operands[1] = WithLeadingOnes(SlopeDims(scope), scope.input_dims(0).size());
  SamePermutation(scope);
}

constexpr Traits kSlope = {.axes = SlopeAxes, .permutation = SlopePermutation};

int64_t AddOf(int64_t a, int64_t b) { return a + b; }
int64_t SubtractOf(int64_t a, int64_t b) { return a - b; }
int64_t MultiplyOf(int64_t a, int64_t b) { return a * b; }
int64_t MaximumOf(int64_t a, int64_t b) { return std::max(a, b); }
int64_t MinimumOf(int64_t a, int64_t b) { return std::min(a, b); }

// The result if one operand decides it: false decides a conjunction, true a disjunction.
template <bool deciding>
std::optional<int64_t> ScalarDecided(const ir::Node&, Scalars inputs) {
  bool known = true;
  for (const std::optional<int64_t>& input : inputs) {
    if (input && (*input != 0) == deciding) return deciding;
    known = known && input;
  }
  return known ? std::optional(int64_t{!deciding}) : std::nullopt;
}

constexpr Operation kElementwiseRows[] = {
    {"Add", 1, 2, 2, InferArithmetic, LowerArithmetic<BinaryOp::add>, kPointwiseOfBoth<AddOf>},
    {"Subtract", 1, 2, 2, InferArithmetic, LowerArithmetic<BinaryOp::subtract>,
     kPointwiseOfBoth<SubtractOf>},
    {"Multiply", 1, 2, 2, InferArithmetic, LowerArithmetic<BinaryOp::multiply>,
     kPointwiseOfBoth<MultiplyOf>},
    {"Divide", 1, 2, 2, InferDivide, LowerNarrow<LowerDivide, ElementType::i16>, kPointwise},
    {"Maximum", 1, 2, 2, InferArithmetic, LowerArithmetic<BinaryOp::maximum>,
     kPointwiseOfBoth<MaximumOf>},
    {"Minimum", 1, 2, 2, InferArithmetic, LowerArithmetic<BinaryOp::minimum>,
     kPointwiseOfBoth<MinimumOf>},
    {"Power", 1, 2, 2, InferArithmetic, LowerNarrow<LowerPower, ElementType::i16>, kPointwise},
    {"SquaredDifference", 1, 2, 2, InferArithmetic, LowerArithmetic<BinaryOp::squared_difference>,
     kPointwise},
    {"Mod", 1, 2, 2, InferArithmetic, LowerArithmetic<BinaryOp::mod>, kPointwise},
    {"FloorMod", 1, 2, 2, InferArithmetic, LowerArithmetic<BinaryOp::floor_mod>, kPointwise},
    {"PRelu", 1, 2, 2, InferPRelu, LowerNarrow<LowerPRelu, ElementType::i16>, kSlope},
    {"LogicalAnd", 1, 2, 2, InferLogical, LowerElementwise<BinaryOp::logical_and>,
     PointwiseBy(ScalarDecided<false>)},
    {"LogicalOr", 1, 2, 2, InferLogical, LowerElementwise<BinaryOp::logical_or>,
     PointwiseBy(ScalarDecided<true>)},
    {"LogicalXor", 1, 2, 2, InferLogical, LowerElementwise<BinaryOp::logical_xor>, kPointwise},
};

}  // namespace

std::span<const Operation> ElementwiseOperations() { return kElementwiseRows; }

void EmitBinary(program::Builder& builder, BinaryOp op, const Operand& a, const Operand& b,
                program::ValueId y) {
  const Dims& out = builder.dims(y);
  if (std::ranges::find(out, 0) != out.end()) return;
  EmitBinary(builder, op, CollapsedNest(out, std::array{a.dims, b.dims}), a.value, b.value, y);
}

void EmitBinary(program::Builder& builder, BinaryOp op, const StridedNest& nest, program::ValueId a,
                program::ValueId b, program::ValueId y) {
  format::BinaryParams params;
  WriteNest(params, nest);
  params.mutate_op(op);
  params.mutate_type(builder.type(a));
  builder.Emit(params, {a, b}, {y});
}

void EmitBinary(program::Builder& builder, BinaryOp op, program::ValueId a, program::ValueId b,
                program::ValueId y) {
  const size_t rank = builder.dims(y).size();
  EmitBinary(builder, op, Operand{a, WithLeadingOnes(builder.dims(a), rank)},
             Operand{b, WithLeadingOnes(builder.dims(b), rank)}, y);
}

Operand Combined(program::Builder& builder, BinaryOp op, const Operand& a, const Operand& b) {
  const Dims dims = BroadcastOf(a.dims, b.dims);
  const Operand y = {builder.Scratch({builder.type(a.value), dims}), dims};
  EmitBinary(builder, op, a, b, y.value);
  return y;
}

}  // namespace weft::ops
