// SPDX-License-Identifier: Apache-2.0
// If: a pair of sections of which one runs. Both branches leave their results in the same place, so
// their readers need not know which one ran. A condition that is known before the run leaves
// only its branch, and no section.
#include <optional>
#include <vector>

#include "converter/ops/body.h"
#include "converter/ops/families.h"
#include "converter/ops/port_map.h"

namespace weft::ops {
namespace {

using plan::ValueId;

constexpr size_t kThen = 0, kElse = 1;

// The branch that runs, as far as it is known.
std::optional<size_t> KnownBranch(const NodeScope& scope) {
  const ir::Constant* condition = scope.constant(0);
  if (condition == nullptr) return std::nullopt;
  return condition->bytes[0] != std::byte{0} ? kThen : kElse;
}

// Types of the operation's outputs as one branch makes them.
std::optional<std::vector<TensorType>> InferBranch(InferScope& scope, size_t branch) {
  ir::Body& body = scope.mutable_node().bodies[branch];
  const std::optional<ResolvedPorts> ports = ResolvePorts(scope, body);
  if (!ports) return std::nullopt;
  ApplyPorts(scope, body, *ports);
  if (!InferBodyGraph(scope, *body.graph)) return std::nullopt;
  std::vector<TensorType> types;
  for (const ir::BodyOutput& output : body.map.outputs) {
    types.push_back(ResultType(*output.result));
  }
  return types;
}

void InferIf(InferScope& scope) {
  const TensorType& condition = scope.input_type(0);
  if (condition.type != ElementType::boolean || ElementCount(condition.dims) != 1) {
    scope.Fault("its condition is {}; must be one element of boolean", ToString(condition));
    return;
  }
  const std::optional<size_t> known = KnownBranch(scope);
  InferScope other = scope;  // so that faults of one branch hide none of the other
  const auto types = InferBranch(scope, known.value_or(kThen));
  if (types) {
    for (size_t i = 0; i < types->size(); ++i) scope.SetOutput(i, (*types)[i]);
  }
  if (known) return;
  const auto others = InferBranch(other, kElse);
  if (!others) scope.MarkFailed();
  if (!types || !others) return;
  for (size_t i = 0; i < types->size(); ++i) {
    if ((*types)[i] == (*others)[i]) continue;
    scope.Fault("output {} is {} in its then-body and {} in its else-body; both must be equal", i,
                ToString((*types)[i]), ToString((*others)[i]));
  }
}

// Emits one branch at the builder's block; its values in the order of the operation's outputs.
std::vector<ValueId> EmitBranch(LowerScope& scope, size_t branch) {
  const ir::Body& body = scope.node().bodies[branch];
  LowerScope::Values values;
  for (const ir::BodyInput& input : body.map.inputs) {
    if (!input.parameter->constant) values[{input.parameter, 0}] = scope.input(*input.input);
  }
  const std::vector<ValueId> results =
      scope.lower_body(*body.graph, scope.builder, values, scope.faults());
  std::vector<ValueId> outputs;
  for (const ir::BodyOutput& output : body.map.outputs) {
    outputs.push_back(results[ir::IndexOf(body.graph->results, output.result)]);
  }
  return outputs;
}

void LowerBranch(LowerScope& scope, size_t branch, const std::vector<ValueId>& outputs) {
  plan::Builder& builder = scope.builder;
  const plan::SectionId id = builder.NewSection();
  const plan::BlockId outside = builder.block(), inside = builder.NewBlock();
  builder.SetBlock(inside);
  const std::vector<ValueId> results = EmitBranch(scope, branch);
  const plan::Because because(builder, format::Reason::branch_result);
  for (size_t i = 0; i < outputs.size(); ++i) builder.Copy(results[i], outputs[i]);
  builder.SetBlock(outside);
  plan::Section& section = builder.program().sections[id];
  section.copies = {inside};
  section.trip_count = section.max_trips = 1;
  section.first_condition = scope.input(0);
  section.runs_when = branch == kThen;
  builder.Enter(id);
}

void LowerIf(LowerScope& scope) {
  if (const std::optional<size_t> known = KnownBranch(scope)) {
    const std::vector<ValueId> results = EmitBranch(scope, *known);
    for (size_t i = 0; i < results.size(); ++i) scope.SetOutput(i, results[i]);
    return;
  }
  std::vector<ValueId> outputs;
  for (size_t i = 0; i < scope.node().outputs.size(); ++i) outputs.push_back(scope.NewOutput(i));
  LowerBranch(scope, kThen, outputs);
  LowerBranch(scope, kElse, outputs);
}

constexpr Operation kBranchRows[] = {
    {.name = "If",
     .opset = 8,
     .min_inputs = 1,
     .max_inputs = -1,
     .infer = InferIf,
     .lower = LowerIf,
     .traits = {.foldable = false, .steering = Steering::kChoice}},
};

}  // namespace

std::span<const Operation> BranchOperations() { return kBranchRows; }

}  // namespace weft::ops
