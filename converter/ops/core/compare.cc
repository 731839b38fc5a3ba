// SPDX-License-Identifier: Apache-2.0
// Comparisons of two tensors, and tests for NaN and infinity. The result is boolean.
#include <algorithm>
#include <array>
#include <limits>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/scalars.h"

namespace weft::ops {
namespace {

using format::CompareOp;

void InferCompare(InferScope& scope) {
  CheckElements(scope, kBoth,
                {ElementType::f32, ElementType::i32, ElementType::i64, ElementType::i8,
                 ElementType::u8, ElementType::i16, ElementType::boolean});
  if (const std::optional<Dims> dims = BroadcastDims(scope, kBoth)) {
    scope.SetOutput(0, ElementType::boolean, *dims);
  }
}

template <CompareOp op>
void LowerComparison(LowerScope& scope) {
  const Dims out = scope.output_type(0).dims;
  EmitCompare(scope.builder, op, {scope.input(0), AlignedDims(scope, 0, out)},
              {scope.input(1), AlignedDims(scope, 1, out)}, scope.NewOutput(0));
}

template <CompareOp op>
constexpr auto LowerCompare = LowerNarrow<LowerComparison<op>, ElementType::i16>;

// IsNaN, IsInf, IsFinite.

void InferClass(InferScope& scope) {
  constexpr size_t kX[] = {0};
  CheckElements(scope, kX, {ElementType::f32});
  scope.SetOutput(0, ElementType::boolean, scope.input_dims(0));
}

// Output 0 is x <op> number.
void CompareWith(LowerScope& scope, CompareOp op, program::ValueId x, float number) {
  const Dims& dims = scope.input_dims(0);
  const program::ValueId other = scope.builder.WeightsOf<float>({ElementType::f32, {1}}, {number});
  EmitCompare(scope.builder, op, {x, dims}, {other, Dims(dims.size(), 1)}, scope.NewOutput(0));
}

program::ValueId MagnitudeOf(LowerScope& scope) {
  const program::ValueId magnitude = scope.builder.Scratch(scope.input_type(0));
  EmitUnary(scope.builder, format::UnaryOp::abs, scope.input(0), magnitude);
  return magnitude;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Only a NaN differs from itself.
void LowerIsNaN(LowerScope& scope) {
  const Operand x = {scope.input(0), scope.input_dims(0)};
  EmitCompare(scope.builder, CompareOp::not_equal, x, x, scope.NewOutput(0));
}

void LowerIsFinite(LowerScope& scope) {
  CompareWith(scope, CompareOp::less, MagnitudeOf(scope), kInfinity);
}

bool DetectsInfinity(const NodeScope& scope, std::string_view sign) {
  return scope.attributes.Bool(fmt::format("detect_{}", sign), true);
}

void LowerIsInf(LowerScope& scope) {
  const bool negative = DetectsInfinity(scope, "negative");
  if (!DetectsInfinity(scope, "positive")) {
    // Without negative infinities `less` is always false.
    const CompareOp op = negative ? CompareOp::equal : CompareOp::less;
    return CompareWith(scope, op, scope.input(0), -kInfinity);
  }
  CompareWith(scope, CompareOp::equal, negative ? MagnitudeOf(scope) : scope.input(0), kInfinity);
}

int64_t EqualOf(int64_t a, int64_t b) { return a == b; }
int64_t NotEqualOf(int64_t a, int64_t b) { return a != b; }
int64_t LessOf(int64_t a, int64_t b) { return a < b; }
int64_t LessEqualOf(int64_t a, int64_t b) { return a <= b; }
int64_t GreaterOf(int64_t a, int64_t b) { return a > b; }
int64_t GreaterEqualOf(int64_t a, int64_t b) { return a >= b; }

constexpr Operation kCompareRows[] = {
    {"Equal", 1, 2, 2, InferCompare, LowerCompare<CompareOp::equal>, kPointwiseOfBoth<EqualOf>},
    {"NotEqual", 1, 2, 2, InferCompare, LowerCompare<CompareOp::not_equal>,
     kPointwiseOfBoth<NotEqualOf>},
    {"Less", 1, 2, 2, InferCompare, LowerCompare<CompareOp::less>, kPointwiseOfBoth<LessOf>},
    {"LessEqual", 1, 2, 2, InferCompare, LowerCompare<CompareOp::less_equal>,
     kPointwiseOfBoth<LessEqualOf>},
    {"Greater", 1, 2, 2, InferCompare, LowerCompare<CompareOp::greater>,
     kPointwiseOfBoth<GreaterOf>},
    {"GreaterEqual", 1, 2, 2, InferCompare, LowerCompare<CompareOp::greater_equal>,
     kPointwiseOfBoth<GreaterEqualOf>},
    {"IsFinite", 10, 1, 1, InferClass, LowerIsFinite, kPointwise},
    {"IsInf", 10, 1, 1, InferClass, LowerIsInf, kPointwise},
    {"IsNaN", 10, 1, 1, InferClass, LowerIsNaN, kPointwise},
};

}  // namespace

std::span<const Operation> CompareOperations() { return kCompareRows; }

void EmitCompare(program::Builder& builder, format::CompareOp op, const Operand& a,
                 const Operand& b, program::ValueId y) {
  const Dims& out = builder.dims(y);
  if (std::ranges::find(out, 0) != out.end()) return;
  const StridedNest nest = CollapsedNest(out, std::array{a.dims, b.dims});
  format::CompareParams params;
  WriteNest(params, nest);
  params.mutate_op(op);
  params.mutate_type(builder.type(a.value));
  builder.Emit(params, {a.value, b.value}, {y});
}

Operand Compared(program::Builder& builder, format::CompareOp op, const Operand& a,
                 const Operand& b) {
  const Dims dims = BroadcastOf(a.dims, b.dims);
  const Operand y = {builder.Scratch({ElementType::boolean, dims}), dims};
  EmitCompare(builder, op, a, b, y.value);
  return y;
}

}  // namespace weft::ops
