// SPDX-License-Identifier: Apache-2.0
// Reductions over constant axes. Axes of extent 1 cost nothing: a reduction over only such axes is
// the tensor itself (the absolute value for norms), and no step reduces more axes than necessary.
#include "converter/ops/core/reduce.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/lengths.h"
#include "converter/ops/support/permutation.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {
namespace {

using format::ReduceOp;
using format::ReduceOrder;
using format::UnaryOp;

// One flag per axis of input 0. Returns nullopt after an error.
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

constexpr size_t kReduced[] = {0};

void InferReduce(InferScope& scope) {
  const std::optional<std::vector<bool>> reduced = ReducedAxes(scope);
  const bool keep_dims = scope.attributes.Bool("keep_dims", false);
  if (!reduced) return;
  const Dims data = SpecDims(scope);
  Dims dims;
  for (size_t axis = 0; axis < reduced->size(); ++axis) {
    if (!(*reduced)[axis]) dims.push_back(data[axis]);
    if ((*reduced)[axis] && keep_dims) dims.push_back(1);
  }
  scope.SetOutput(0, scope.input_element(0), OutputOrder(scope, std::move(dims)));
}

void InferReduceOfNumbers(InferScope& scope) {
  CheckNumeric(scope, kReduced);
  InferReduce(scope);
}

// An empty reduction yields the lowest or highest number of the type. Narrow integers are reduced
// as i32, whose lowest and highest numbers differ. They are therefore rejected for run-time
// lengths, which may be 0.
void InferExtreme(InferScope& scope) {
  InferReduceOfNumbers(scope);
  const bool may_be_empty = ir::ExtentOf(scope.node().inputs[0]).has_value();
  if (!may_be_empty || !IsNarrowInteger(scope.input_element(0))) return;
  scope.Fault("input 0 is {} and may have no element; must be of f32, i32 or i64 then",
              ToString(scope.input_type(0)));
}
void InferReduceOfFloats(InferScope& scope) {
  CheckElements(scope, kReduced, {ElementType::f32});
  InferReduce(scope);
}
void InferReduceOfBooleans(InferScope& scope) {
  CheckElements(scope, kReduced, {ElementType::boolean});
  InferReduce(scope);
}

// The reduction of a dense tensor.
Reduction ReductionOf(const Dims& dims, const std::vector<bool>& reduced) {
  const Dims strides = program::DenseStrides(dims);
  std::vector<ReduceAxis> axes;
  for (size_t i = 0; i < dims.size(); ++i) axes.push_back({dims[i], strides[i], reduced[i]});
  return ReductionOver(axes);
}

// Returns true if the step sums along runs by default.
bool HasRuns(std::span<const ReduceAxis> collapsed) {
  return !collapsed.empty() && collapsed.back().reduced && collapsed.back().stride == 1;
}

// The axes to reduce in a channels-last tensor: kept axes in memory order, which is also the order
// of the output; reduced axes in the order of the OpenVINO specification.
std::vector<ReduceAxis> PermutedAxes(const Dims& document, const std::vector<bool>& reduced) {
  const Dims dims = ChannelsLast(document);
  const Dims strides = ChannelsSecond(program::DenseStrides(dims));
  std::vector<ReduceAxis> axes;
  for (const size_t i : LastOrder(document.size())) {
    if (!reduced[i]) axes.push_back({document[i], strides[i], false});
  }
  for (size_t i = 0; i < document.size(); ++i) {
    if (reduced[i]) axes.push_back({document[i], strides[i], true});
  }
  return CollapsedAxes(axes);
}

// Emits no reduction if all reduced axes have extent 1.
void ReduceInto(program::Builder& builder, ReduceOp op, const Reduction& over, program::ValueId x,
                program::ValueId y) {
  const bool is_norm = op == ReduceOp::l1 || op == ReduceOp::l2;
  if (over.reduces()) return EmitReduce(builder, op, over.axes, x, y, over.order);
  if (is_norm) return EmitUnary(builder, UnaryOp::abs, x, y);
  builder.Copy(x, y);
}

template <typename T>
T NeutralNumber(ReduceOp op) {
  using Limits = std::numeric_limits<T>;
  switch (op) {
    case ReduceOp::product:
      return 1;
    case ReduceOp::max:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case ReduceOp::min:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    default:
      return 0;
  }
}

template <typename T>
uint64_t BitsOfNeutral(ReduceOp op) {
  const T number = NeutralNumber<T>(op);
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  return bits;
}

// Reduces an axis with a run-time length; only the elements in use contribute.
void LowerReduceInUse(LowerScope& scope, ReduceOp op, const ir::RunTimeExtent& extent,
                      const std::vector<bool>& reduced) {
  program::Builder& builder = scope.builder;
  const Dims& dims = scope.input_dims(0);
  const TensorType type = scope.output_type(0);
  const program::ValueId y = scope.NewOutput(0);
  const program::ValueId x = EmitFilled(builder, scope.input(0), dims, extent.axis,
                                        EmitLength(builder, scope.values(), extent),
                                        NeutralElement(builder, op, type.type));
  const Reduction over = ReductionOf(dims, reduced);
  if (op != ReduceOp::mean) return ReduceInto(builder, op, over, x, y);
  ir::RunTimeExtent all = extent;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (reduced[i] && i != extent.axis) all.part *= dims[i];
  }
  const program::ValueId count =
      Converted(builder, EmitLength(builder, scope.values(), all), type.type);
  const program::ValueId sum = builder.Scratch(type);
  ReduceInto(builder, ReduceOp::sum, over, x, sum);
  EmitBinary(builder, format::BinaryOp::divide, {sum, type.dims},
             {count, Dims(type.dims.size(), 1)}, y);
}

template <ReduceOp op>
void LowerReduce(LowerScope& scope) {
  const std::vector<bool> reduced = NamedAxes(scope, 1);
  const std::optional<ir::RunTimeExtent> extent = ir::ExtentOf(scope.node().inputs[0]);
  if (extent && reduced[extent->axis]) return LowerReduceInUse(scope, op, *extent, reduced);
  Reduction over = ReductionOf(SpecDims(scope), reduced);
  if (scope.attributes.Has(kXLast)) over.axes = PermutedAxes(SpecDims(scope), reduced);
  const bool reduces = over.reduces();
  if (!reduces && op != ReduceOp::l1 && op != ReduceOp::l2) return scope.Forward(0, 0);
  const program::ValueId y = scope.NewOutput(0);
  ReduceInto(scope.builder, op, over, scope.input(0), y);
}

template <ReduceOp op>
constexpr auto LowerReduceOfNumbers = LowerNarrow<LowerReduce<op>>;

template <ReduceOp op>
void LowerExtreme(LowerScope& scope) {
  const ElementType type = scope.input_element(0);
  const bool is_empty = ElementCount(scope.input_dims(0)) == 0;
  if (!is_empty || !IsNarrowInteger(type)) return LowerReduceOfNumbers<op>(scope);
  scope.builder.Fill(scope.NewOutput(0), NeutralBits(op, type));
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
  scope.relation.keeps_order = true;
  scope.relation.reason = "reduces over time";
}

// Applies if the step can read the elements in the order of the OpenVINO specification. A sum in
// runs must reduce a single merged axis in both orders.
void ReducePermutation(PermuteScope& scope) {
  if (!scope.CanPermute(In(0))) return;
  const std::vector<bool> reduced = NamedAxes(scope, 1);
  const Dims& dims = scope.dims(In(0));
  const Reduction before = ReductionOf(SpecDims(scope), reduced);
  const std::vector<ReduceAxis> after = PermutedAxes(dims, reduced);
  const bool is_one_run = std::ranges::count(before.axes, true, &ReduceAxis::reduced) == 1 &&
                          std::ranges::count(after, true, &ReduceAxis::reduced) == 1;
  if (before.reduces() && before.order == ReduceOrder::runs && !is_one_run) return;
  scope.permutation.attributes[kXLast] = "1";
  if (scope.is_permuted(Out(0))) scope.permutation.attributes[kYLast] = "1";
  if (scope.attributes.Bool("keep_dims", false)) {
    scope.permutation.makes_one_position =
        std::all_of(reduced.begin() + 2, reduced.end(), std::identity());
    return SamePermutation(scope);
  }
  std::vector<bool> kept = reduced;
  kept.flip();
  TieKept(scope, kept);
}

constexpr Traits kReduces = {
    .respects_length = true, .axes = ReduceAxes, .permutation = ReducePermutation};

constexpr Operation kReduceRows[] = {
    {"ReduceSum", 1, 2, 2, InferReduceOfNumbers, LowerReduceOfNumbers<ReduceOp::sum>, kReduces},
    {"ReduceMean", 1, 2, 2, InferReduceOfNumbers, LowerReduceOfNumbers<ReduceOp::mean>, kReduces},
    {"ReduceMax", 1, 2, 2, InferExtreme, LowerExtreme<ReduceOp::max>, kReduces},
    {"ReduceMin", 1, 2, 2, InferExtreme, LowerExtreme<ReduceOp::min>, kReduces},
    {"ReduceProd", 1, 2, 2, InferReduceOfNumbers, LowerReduceOfNumbers<ReduceOp::product>,
     kReduces},
    {"ReduceL1", 4, 2, 2, InferReduceOfNumbers, LowerReduceOfNumbers<ReduceOp::l1>, kReduces},
    {"ReduceL2", 4, 2, 2, InferReduceOfFloats, LowerReduce<ReduceOp::l2>, kReduces},
    {"ReduceLogicalAnd", 1, 2, 2, InferReduceOfBooleans, LowerReduce<ReduceOp::logical_and>,
     kReduces},
    {"ReduceLogicalOr", 1, 2, 2, InferReduceOfBooleans, LowerReduce<ReduceOp::logical_or>,
     kReduces},
};

}  // namespace

std::span<const Operation> ReduceOperations() { return kReduceRows; }

uint64_t NeutralBits(ReduceOp op, ElementType type) {
  switch (type) {
    case ElementType::f32:
      return BitsOfNeutral<float>(op);
    case ElementType::i64:
      return BitsOfNeutral<int64_t>(op);
    case ElementType::i32:
      return BitsOfNeutral<int32_t>(op);
    case ElementType::i16:
      return BitsOfNeutral<int16_t>(op);
    case ElementType::i8:
      return BitsOfNeutral<int8_t>(op);
    case ElementType::u8:
      return BitsOfNeutral<uint8_t>(op);
    default:
      return op == ReduceOp::logical_and || op == ReduceOp::product || op == ReduceOp::min;
  }
}

program::ValueId NeutralElement(program::Builder& builder, ReduceOp op, ElementType type) {
  const uint64_t bits = NeutralBits(op, type);
  const auto bytes =
      std::as_bytes(std::span(&bits, 1)).first(static_cast<size_t>(ElementBytes(type)));
  return builder.Weights({type, {1}}, {bytes.begin(), bytes.end()});
}

bool Reduction::reduces() const { return std::ranges::any_of(axes, &ReduceAxis::reduced); }

Reduction ReductionOver(std::span<const ReduceAxis> axes) {
  Reduction over{{}, ReduceOrder::runs};
  std::vector<ReduceAxis>& joined = over.axes;
  for (const ReduceAxis& axis : axes) {
    if (axis.dim == 1 && axis.reduced) continue;
    over.order = axis.reduced ? ReduceOrder::runs : ReduceOrder::chains;
    const bool follows = !joined.empty() && joined.back().reduced == axis.reduced &&
                         (joined.back().dim == 1 || joined.back().stride == axis.stride * axis.dim);
    if (follows) {
      joined.back() = {joined.back().dim * axis.dim, axis.stride, axis.reduced};
    } else {
      joined.push_back(axis);
    }
  }
  // Kept axes of extent 1 have kept the reduced axes separate and are no longer needed.
  std::erase_if(joined, [](const ReduceAxis& axis) { return axis.dim == 1; });
  std::ranges::stable_partition(joined, [](const ReduceAxis& axis) { return !axis.reduced; });
  return over;
}

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

void EmitReduce(program::Builder& builder, ReduceOp op, std::span<const ReduceAxis> collapsed,
                program::ValueId x, program::ValueId y, ReduceOrder order) {
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
  const bool is_float = params.type() == ElementType::f32;
  const bool is_as_it_lies =
      order == (HasRuns(collapsed) ? ReduceOrder::runs : ReduceOrder::chains);
  params.mutate_order(is_as_it_lies || !is_float ? ReduceOrder::by_strides : order);
  builder.Emit(params, {x}, {y});
}

program::ValueId EmitCount(program::Builder& builder, program::ValueId x, ElementType type) {
  Dims dims = builder.dims(x);
  const int64_t line = dims.back();
  dims.pop_back();
  const program::ValueId ones = Converted(builder, x, type);
  if (line == 1) return builder.View(ones, 0, {type, dims});
  const program::ValueId counts = builder.Scratch({type, dims});
  const ReduceAxis axes[] = {{ElementCount(dims).value_or(0), line, false}, {line, 1, true}};
  EmitReduce(builder, ReduceOp::sum, CollapsedAxes(axes), ones, counts);
  return counts;
}

}  // namespace weft::ops
