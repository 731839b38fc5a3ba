// SPDX-License-Identifier: Apache-2.0
// If: a pair of sections of which one runs. Both branches store their results in the same buffers,
// so that readers are independent of the branch taken. Results that differ in one extent have a
// run-time length. A condition that is known at conversion leaves only its branch, without a
// section.
#include <algorithm>
#include <optional>
#include <vector>

#include "converter/ops/families.h"
#include "converter/ops/support/body.h"
#include "converter/ops/support/lengths.h"
#include "converter/ops/support/loop.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/port_map.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using program::ValueId;

constexpr size_t kThen = 0, kElse = 1;

// The index of the branch that runs; nullopt if it is known at run time only.
std::optional<size_t> KnownBranch(const NodeScope& scope) {
  const ir::Constant* condition = scope.constant(0);
  if (condition == nullptr) return std::nullopt;
  return condition->bytes[0] != std::byte{0} ? kThen : kElse;
}

const ir::OutputPort& MadeBy(const ir::BodyOutput& output) {
  const ir::Source& source = output.result->inputs[0];
  return source.node->outputs[source.port];
}

// The results of one branch, in the order of the operation's outputs.
using BranchResults = std::vector<const ir::OutputPort*>;

std::optional<BranchResults> InferBranch(InferScope& scope, size_t branch) {
  ir::Body& body = scope.mutable_node().bodies[branch];
  const std::optional<ResolvedPorts> ports = ResolvePorts(scope, body);
  if (!ports) return std::nullopt;
  ApplyPorts(scope, body, *ports);
  if (!InferBodyGraph(scope, *body.graph)) return std::nullopt;
  BranchResults results;
  for (const ir::BodyOutput& output : body.map.outputs) results.push_back(&MadeBy(output));
  return results;
}

// The axes on which one result of both branches differs in extent or has a run-time length.
std::vector<size_t> OpenAxes(const ir::OutputPort& a, const ir::OutputPort& b) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < a.type.dims.size(); ++axis) {
    const auto has_length = [&](const ir::OutputPort& result) {
      return result.run_time_extent && result.run_time_extent->axis == axis;
    };
    if (a.type.dims[axis] != b.type.dims[axis] || has_length(a) || has_length(b)) {
      axes.push_back(axis);
    }
  }
  return axes;
}

// Returns true if two results have the same length, fixed or run-time, on the given axes.
bool HaveSameLength(const ir::OutputPort& a, size_t axis_of_a, const ir::OutputPort& b,
                    size_t axis_of_b) {
  std::optional<ir::RunTimeExtent> other = b.run_time_extent;
  if (other) other->axis = axis_of_a;
  return a.run_time_extent == other && a.type.dims[axis_of_a] == b.type.dims[axis_of_b];
}

// The index of the first output with the same length as `output` in both branches: these outputs
// share one length value.
uint32_t LengthOfOutput(const InferScope& scope, const BranchResults& then,
                        const BranchResults& other, uint32_t output, size_t axis) {
  for (uint32_t i = 0; i < output; ++i) {
    const std::optional<ir::RunTimeExtent>& earlier = scope.node().outputs[i].run_time_extent;
    if (earlier && HaveSameLength(*then[i], earlier->axis, *then[output], axis) &&
        HaveSameLength(*other[i], earlier->axis, *other[output], axis)) {
      return earlier->which;
    }
  }
  return output;
}

void SetOutputOfBoth(InferScope& scope, const BranchResults& then, const BranchResults& other,
                     uint32_t i) {
  const TensorType &a = then[i]->type, &b = other[i]->type;
  const bool are_alike = a.type == b.type && a.dims.size() == b.dims.size();
  const std::vector<size_t> axes =
      are_alike ? OpenAxes(*then[i], *other[i]) : std::vector<size_t>();
  if (!are_alike || axes.size() > 1) {
    return scope.Fault(
        "output {} is {} in its then-body and {} in its else-body; types and ranks must be equal, "
        "and at most one extent may differ",
        i, ToString(a), ToString(b));
  }
  TensorType type = a;
  for (const size_t axis : axes) type.dims[axis] = std::max(a.dims[axis], b.dims[axis]);
  scope.SetOutput(i, type);
  if (axes.empty()) return;
  scope.mutable_node().outputs[i].run_time_extent = {
      axes[0], &scope.node(), 1, LengthOfOutput(scope, then, other, i, axes[0])};
}

void InferIf(InferScope& scope) {
  const TensorType& condition = scope.input_type(0);
  if (condition.type != ElementType::boolean || ElementCount(condition.dims) != 1) {
    scope.Fault("condition is {}; must be one boolean element", ToString(condition));
    return;
  }
  const std::optional<size_t> known = KnownBranch(scope);
  InferScope other = scope;  // a copy, so that errors of one branch do not hide errors of the other
  const std::optional<BranchResults> results = InferBranch(scope, known.value_or(kThen));
  const std::optional<BranchResults> others = known ? results : InferBranch(other, kElse);
  if (!others) scope.MarkFailed();
  if (!results || !others) return;
  for (uint32_t i = 0; i < results->size(); ++i) SetOutputOfBoth(scope, *results, *others, i);
}

// One output of the operation as a branch computes it.
struct BranchOutput {
  ValueId value = program::kNone;
  ValueId length = program::kNone;  // i32, if the output has a run-time length
};

// Returns true if output i is the first of the outputs that share its length.
bool OwnsLength(const LowerScope& scope, size_t i) {
  const std::optional<ir::RunTimeExtent>& extent = scope.node().outputs[i].run_time_extent;
  return extent && extent->which == i;
}

// The length of a branch's result for output i.
ValueId EmitLengthOfResult(LowerScope& scope, const LowerScope::Values& values,
                           const ir::OutputPort& result, size_t i) {
  if (result.run_time_extent) return EmitLength(scope.builder, values, *result.run_time_extent);
  const size_t axis = scope.node().outputs[i].run_time_extent->axis;
  return IntegerWeights(scope.builder, ElementType::i32, {result.type.dims[axis]});
}

// Emits one branch at the builder's block.
std::vector<BranchOutput> EmitBranch(LowerScope& scope, size_t branch) {
  const ir::Body& body = scope.node().bodies[branch];
  LowerScope::Values values;
  for (const ir::BodyInput& input : body.map.inputs) {
    if (!input.parameter->constant) values[{input.parameter, 0}] = scope.input(*input.input);
  }
  const std::vector<ValueId> results =
      scope.lower_body(*body.graph, scope.builder, values, scope.faults());
  std::vector<BranchOutput> outputs;
  for (const ir::BodyOutput& output : body.map.outputs) {
    BranchOutput made = {results[ir::IndexOf(body.graph->results, output.result)]};
    const size_t i = outputs.size();
    if (OwnsLength(scope, i)) made.length = EmitLengthOfResult(scope, values, MadeBy(output), i);
    outputs.push_back(made);
  }
  return outputs;
}

// Copies a shorter result to the front of the output along the axis that differs, and zeros the
// rest.
void CopyResult(program::Builder& builder, ValueId result, ValueId output) {
  const Dims from = builder.dims(result), to = builder.dims(output);
  const auto axis = static_cast<size_t>(std::ranges::mismatch(from, to).in1 - from.begin());
  if (axis == from.size()) return builder.Copy(result, output);
  const TensorType type = builder.value(result).type;
  if (ProductOf(to, 0, axis) != 1) {
    builder.Fill(output);
    builder.CopyStrided(result, output, type.dims, program::DenseStrides(type.dims), 0,
                        program::DenseStrides(to), 0);
    return;
  }
  Dims rest = to;
  rest[axis] -= from[axis];
  builder.Fill(builder.View(output, DenseBytes(type).value_or(0), {type.type, rest}));
  if (ElementCount(type.dims) != 0) builder.Copy(result, builder.View(output, 0, type));
}

void LowerBranch(LowerScope& scope, size_t branch, const std::vector<BranchOutput>& outputs) {
  program::Builder& builder = scope.builder;
  EmitIf(builder, scope.input(0), branch == kThen, [&] {
    const std::vector<BranchOutput> results = EmitBranch(scope, branch);
    const program::Because because(builder, format::Reason::branch_result);
    for (size_t i = 0; i < outputs.size(); ++i) {
      CopyResult(builder, results[i].value, outputs[i].value);
      if (outputs[i].length == program::kNone) continue;
      const ValueId length = builder.View(results[i].length, 0, {ElementType::i32, {}});
      builder.Copy(length, outputs[i].length);
    }
  });
}

void SetBranchOutputs(LowerScope& scope, const std::vector<BranchOutput>& outputs) {
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    scope.SetOutput(i, outputs[i].value);
    if (outputs[i].length != program::kNone) scope.SetLength(outputs[i].length, i);
  }
}

void LowerIf(LowerScope& scope) {
  if (const std::optional<size_t> known = KnownBranch(scope)) {
    return SetBranchOutputs(scope, EmitBranch(scope, *known));
  }
  std::vector<BranchOutput> outputs;
  for (size_t i = 0; i < scope.node().outputs.size(); ++i) {
    outputs.push_back({scope.builder.Scratch(scope.output_type(i))});
    if (OwnsLength(scope, i)) {
      outputs[i].length = scope.builder.Scratch({ElementType::i32, {}});
    }
  }
  SetBranchOutputs(scope, outputs);
  LowerBranch(scope, kThen, outputs);
  LowerBranch(scope, kElse, outputs);
}

constexpr Traits kRunsBranch = {.foldable = false, .steering = Steering::kChoice};

constexpr Operation kBranchRows[] = {
    {"If", 8, 1, kAnyNumber, InferIf, LowerIf, kRunsBranch},
};

}  // namespace

std::span<const Operation> BranchOperations() { return kBranchRows; }

}  // namespace weft::ops
