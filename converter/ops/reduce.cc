// SPDX-License-Identifier: Apache-2.0
// Reductions over constant axes. Axes of one element cost nothing: a reduction over nothing else is
// the tensor itself (its magnitude for norms), and no step reduces more axes than it must.
#include "converter/ops/reduce.h"

#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/ops/axes.h"
#include "converter/ops/broadcast.h"
#include "converter/ops/families.h"
#include "converter/ops/pointwise.h"

namespace weft::ops {
namespace {

using format::ReduceOp;
using format::UnaryOp;

// One flag per axis of input 0; nullopt after a fault.
std::optional<std::vector<bool>> ReducedAxes(InferScope& scope) {
  const std::optional<Dims> axes = scope.RequireInts(1, "axes");
  if (!axes) return std::nullopt;
  if (IsFloat(scope.input_element(1))) {
    scope.Fault("input 1 (axes) is {}; must be of an integer type", Name(scope.input_element(1)));
  }
  if (scope.rank(1) > 1) {
    scope.Fault("input 1 (axes) is {}; must be a scalar or of rank 1",
                ToString(scope.input_type(1)));
  }
  std::vector<bool> reduced(static_cast<size_t>(scope.rank(0)));
  for (int64_t axis : *axes) {
    const std::optional<int64_t> normal = scope.NormalAxis(axis, scope.rank(0));
    if (!normal) continue;
    if (reduced[*normal]) scope.Fault("axes {} name axis {} twice", ToString(*axes), *normal);
    reduced[*normal] = true;
  }
  return scope.failed() ? std::nullopt : std::optional(reduced);
}

// Axes are final once inference has passed.
std::vector<bool> ReducedAxes(const LowerScope& scope) {
  std::vector<bool> reduced(static_cast<size_t>(scope.rank(0)));
  const Dims axes = *scope.Ints(1);
  for (const int64_t axis : axes) reduced[axis < 0 ? axis + scope.rank(0) : axis] = true;
  return reduced;
}

void InferReduce(InferScope& scope, std::initializer_list<ElementType> allowed) {
  constexpr size_t kX[] = {0};
  CheckElements(scope, kX, allowed);
  const std::optional<std::vector<bool>> reduced = ReducedAxes(scope);
  const bool keep_dims = scope.attributes.Bool("keep_dims", false);
  if (!reduced) return;
  Dims dims;
  for (size_t axis = 0; axis < reduced->size(); ++axis) {
    if (!(*reduced)[axis]) dims.push_back(scope.input_dims(0)[axis]);
    if ((*reduced)[axis] && keep_dims) dims.push_back(1);
  }
  scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

void InferReduceOfNumbers(InferScope& scope) {
  InferReduce(scope, {ElementType::f32, ElementType::i32, ElementType::i64});
}
void InferReduceOfFloats(InferScope& scope) { InferReduce(scope, {ElementType::f32}); }
void InferReduceOfBooleans(InferScope& scope) { InferReduce(scope, {ElementType::boolean}); }

// Of a dense tensor.
std::vector<ReduceAxis> AxesToReduce(const Dims& dims, const std::vector<bool>& reduced) {
  const Dims strides = plan::DenseStrides(dims);
  std::vector<ReduceAxis> axes;
  for (size_t i = 0; i < dims.size(); ++i) axes.push_back({dims[i], strides[i], reduced[i]});
  return CollapsedAxes(axes);
}

template <ReduceOp op>
void LowerReduce(LowerScope& scope) {
  const std::vector<ReduceAxis> axes = AxesToReduce(scope.input_dims(0), ReducedAxes(scope));
  const auto kept = std::ranges::count(axes, false, &ReduceAxis::reduced);
  if (kept == static_cast<int64_t>(axes.size())) {
    if (op != ReduceOp::l1 && op != ReduceOp::l2) return scope.Forward(0, 0);
    return EmitUnary(scope.builder, UnaryOp::abs, scope.input(0), scope.NewOutput(0));
  }
  const plan::ValueId y = scope.NewOutput(0);
  if (ElementCount(scope.output_type(0).dims) == 0) return;
  EmitReduce(scope.builder, op, axes, scope.input(0), y);
}

void ReduceAxes(AxisScope& scope) {
  const std::vector<bool> reduced = NamedAxes(scope, 1);
  const bool keeps = scope.attributes.Bool("keep_dims", false);
  int64_t to = 0;
  for (size_t axis = 0; axis < reduced.size(); ++axis) {
    if (!reduced[axis]) scope.Pair(0, static_cast<int64_t>(axis), 0, to);
    to += !reduced[axis] || keeps;
  }
  if (IsFloat(scope.input_element(0))) scope.relation.summed = reduced;
  scope.relation.reason = "reduces over time";
}

constexpr Operation kReduceRows[] = {
    {"ReduceSum", 1, 2, 2, InferReduceOfNumbers, LowerReduce<ReduceOp::sum>, Apart(ReduceAxes)},
    {"ReduceMean", 1, 2, 2, InferReduceOfNumbers, LowerReduce<ReduceOp::mean>, Apart(ReduceAxes)},
    {"ReduceMax", 1, 2, 2, InferReduceOfNumbers, LowerReduce<ReduceOp::max>, Apart(ReduceAxes)},
    {"ReduceMin", 1, 2, 2, InferReduceOfNumbers, LowerReduce<ReduceOp::min>, Apart(ReduceAxes)},
    {"ReduceProd", 1, 2, 2, InferReduceOfNumbers, LowerReduce<ReduceOp::product>,
     Apart(ReduceAxes)},
    {"ReduceL1", 4, 2, 2, InferReduceOfNumbers, LowerReduce<ReduceOp::l1>, Apart(ReduceAxes)},
    {"ReduceL2", 4, 2, 2, InferReduceOfFloats, LowerReduce<ReduceOp::l2>, Apart(ReduceAxes)},
    {"ReduceLogicalAnd", 1, 2, 2, InferReduceOfBooleans, LowerReduce<ReduceOp::logical_and>,
     Apart(ReduceAxes)},
    {"ReduceLogicalOr", 1, 2, 2, InferReduceOfBooleans, LowerReduce<ReduceOp::logical_or>,
     Apart(ReduceAxes)},
};

}  // namespace

std::span<const Operation> ReduceOperations() { return kReduceRows; }

std::vector<ReduceAxis> CollapsedAxes(std::span<const ReduceAxis> axes) {
  std::vector<ReduceAxis> joined;
  for (const ReduceAxis& axis : axes) {
    if (axis.dim == 1) continue;
    if (!joined.empty() && joined.back().reduced == axis.reduced &&
        joined.back().stride == axis.stride * axis.dim) {
      joined.back() = {joined.back().dim * axis.dim, axis.stride, axis.reduced};
    } else {
      joined.push_back(axis);
    }
  }
  std::ranges::stable_partition(joined, [](const ReduceAxis& axis) { return !axis.reduced; });
  return joined;
}

void EmitReduce(plan::Builder& builder, ReduceOp op, std::span<const ReduceAxis> collapsed,
                plan::ValueId x, plan::ValueId y) {
  const auto kept = std::ranges::count(collapsed, false, &ReduceAxis::reduced);
  format::ReduceParams params;
  params.mutate_kept_rank(Narrow32(kept, "kept rank"));
  params.mutate_reduced_rank(Narrow32(collapsed.size(), "reduced rank") - params.kept_rank());
  Dims dims, strides;
  for (const ReduceAxis& axis : collapsed) {
    dims.push_back(axis.dim);
    strides.push_back(axis.stride);
  }
  WriteDims(params.mutable_dims(), dims);
  WriteDims(params.mutable_strides(), strides);
  params.mutate_op(op);
  params.mutate_type(builder.type(x));
  builder.Emit(params, {x}, {y});
}

}  // namespace weft::ops
