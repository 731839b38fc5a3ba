// SPDX-License-Identifier: Apache-2.0
// TensorIterator and Loop: the shape law infers the body with the types one iteration sees; the
// lowering hands the body to LowerLoop.
#include <algorithm>
#include <utility>
#include <vector>

#include "converter/ops/families.h"
#include "converter/ops/loop.h"
#include "converter/ops/port_map.h"
#include "converter/passes/infer.h"
#include "converter/passes/lower.h"

namespace weft::ops {
namespace {

using plan::ValueId;

const TensorType& ResultType(const ir::Graph& body, size_t result) {
  const ir::Source& source = body.results[result]->inputs[0];
  return source.node->outputs[source.port].type;
}

bool CheckBackEdges(InferScope& scope, const ir::Body& body, const PortMap& map) {
  for (const BodyInput& input : map.inputs) {
    if (input.kind != BodyInput::Kind::kCarried) continue;
    const TensorType& from = ResultType(*body.graph, input.result);
    const TensorType& to = input.parameter->outputs[0].type;
    if (from == to) continue;
    scope.Fault("back edge {} -> {} joins {} to {}; both ends must have one shape",
                body.graph->results[input.result]->id, input.parameter->id, ToString(from),
                ToString(to));
  }
  return !scope.failed();
}

void SetOutputs(InferScope& scope, const ir::Graph& body, const PortMap& map, int64_t trips) {
  for (const BodyOutput& output : map.outputs) {
    TensorType type = ResultType(body, output.result);
    if (output.concatenated) {
      if (type.dims.empty()) type.dims.push_back(1);
      const auto axis =
          scope.NormalAxis(output.slicing.axis, static_cast<int64_t>(type.dims.size()));
      if (!axis) return;
      type.dims[static_cast<size_t>(*axis)] *= trips;
    }
    scope.SetOutput(output.output, type);
  }
}

// Without sliced inputs the outputs' declared extents tell the count; without those the body runs
// once.
int64_t CountOfOutputs(InferScope& scope, const ir::Body& body, const PortMap& map) {
  int64_t count = 0;
  for (const BodyOutput& output : map.outputs) {
    const ir::OutputPort& port = scope.node().outputs[output.output];
    if (!output.concatenated || !port.declared) continue;
    TensorType part = ResultType(*body.graph, output.result);
    if (part.dims.empty()) part.dims.push_back(1);
    const auto axis = scope.NormalAxis(output.slicing.axis, static_cast<int64_t>(part.dims.size()));
    if (!axis || port.type.dims.size() != part.dims.size()) continue;
    const int64_t whole = port.type.dims[static_cast<size_t>(*axis)];
    const int64_t chunk = part.dims[static_cast<size_t>(*axis)];
    if (whole <= 0 || chunk <= 0 || whole % chunk != 0 || (count != 0 && count != whole / chunk)) {
      scope.Fault("no input is sliced and its outputs do not tell one number of iterations");
      return 0;
    }
    count = whole / chunk;
  }
  return std::max<int64_t>(count, 1);
}

std::optional<PortMap> InferBody(InferScope& scope, const ir::Body& body) {
  std::optional<PortMap> map = ResolvePortMap(scope, body);
  if (!map) return std::nullopt;
  if (!passes::InferAndFold(*body.graph, scope.check_declared, scope.faults())) {
    scope.MarkFailed();  // the body has said why
    return std::nullopt;
  }
  if (!CheckBackEdges(scope, body, *map)) return std::nullopt;
  return map;
}

void InferTensorIterator(InferScope& scope) {
  const ir::Body& body = scope.node().bodies[0];
  const std::optional<PortMap> map = InferBody(scope, body);
  if (!map) return;
  std::optional<int64_t> trips = CountOfSlices(scope, *map);
  if (!trips) return;
  if (*trips == 0) trips = CountOfOutputs(scope, body, *map);
  if (!scope.failed()) SetOutputs(scope, *body.graph, *map, *trips);
}

// The body condition of a Loop as far as it is known: true when absent.
std::optional<bool> KnownCondition(const ir::Graph& body, const PortMap& map) {
  if (!map.condition) return true;
  const ir::Source& source = body.results[*map.condition]->inputs[0];
  if (!source.node->constant) return std::nullopt;
  return source.node->constant->bytes[0] != std::byte{0};
}

std::optional<int64_t> TripsOfLoop(InferScope& scope, const ir::Graph& body, const PortMap& map) {
  const std::optional<Dims> trip = scope.Ints(0), first = scope.Ints(1);
  const std::optional<bool> condition = KnownCondition(body, map);
  if (!trip || !first || !condition) {
    scope.Fault("its {} is computed at run time; must be constant", !trip    ? "trip count"
                                                                    : !first ? "execution condition"
                                                                             : "body condition");
    return std::nullopt;
  }
  if ((*first)[0] == 0 || (*trip)[0] == 0) {
    scope.Fault("runs 0 iterations; must run at least 1");
    return std::nullopt;
  }
  if (!*condition) return 1;
  if ((*trip)[0] < 0) {
    scope.Fault("trip count is {} and its condition stays true; must end", (*trip)[0]);
    return std::nullopt;
  }
  return (*trip)[0];
}

void InferLoop(InferScope& scope) {
  const ir::Body& body = scope.node().bodies[0];
  const std::optional<PortMap> map = InferBody(scope, body);
  if (!map) return;
  const std::optional<int64_t> trips = TripsOfLoop(scope, *body.graph, *map);
  if (!trips) return;
  const std::optional<int64_t> slices = CountOfSlices(scope, *map);
  if (slices && *slices != 0 && *slices < *trips) {
    scope.Fault("runs {} iterations over {} slices; must have a slice for each", *trips, *slices);
  }
  if (!scope.failed()) SetOutputs(scope, *body.graph, *map, *trips);
}

// Names of the loop's parts, from the port map as the shape law left it.
class BodyLowering {
 public:
  BodyLowering(LowerScope& scope, int64_t trips) : scope_(scope), body_(scope.node().bodies[0]) {
    // The shape law has accepted the port map; reading it again adds no fault.
    InferScope again(scope.graph(), scope.mutable_node(), unheard_);
    map_ = *ResolvePortMap(again, body_);
    spec_.trips = trips > 0 ? trips : CountOf(again);
  }

  void Run() {
    for (const BodyInput& input : map_.inputs) AddInput(input);
    for (const BodyOutput& output : map_.outputs) AddOutput(output);
    const LoopResults out = LowerLoop(scope_.builder, spec_,
                                      [&](const Iteration& iteration) { return Lower(iteration); });
    size_t scan = 0, last = 0;
    for (const BodyOutput& output : map_.outputs) {
      scope_.SetOutput(output.output, output.concatenated ? out.scans[scan++] : out.lasts[last++]);
    }
  }

 private:
  int64_t CountOf(InferScope& again) {
    const int64_t slices = CountOfSlices(again, map_).value_or(0);
    if (slices > 0) return slices;
    for (const BodyOutput& output : map_.outputs) {
      if (!output.concatenated) continue;
      const TensorType& whole = scope_.output_type(output.output);
      const TensorType& part = ResultType(*body_.graph, output.result);
      return ElementCount(whole.dims).value_or(1) /
             std::max<int64_t>(1, ElementCount(part.dims).value_or(1));
    }
    return 1;
  }

  void AddInput(const BodyInput& input) {
    switch (input.kind) {
      case BodyInput::Kind::kSliced:
        spec_.sliced.push_back({scope_.input(input.input), input.slicing.axis, input.slicing.part,
                                input.slicing.backward, input.slicing.begin});
        break;
      case BodyInput::Kind::kCarried:
        spec_.carried.push_back({scope_.input(input.input), input.result});
        break;
      case BodyInput::Kind::kIteration:
        spec_.iteration = input.parameter->outputs[0].type;
        break;
      case BodyInput::Kind::kInvariant:
        if (!input.parameter->constant)
          invariants_.emplace_back(input.parameter, scope_.input(input.input));
        break;
    }
  }

  void AddOutput(const BodyOutput& output) {
    if (!output.concatenated) {
      spec_.lasts.push_back(output.result);
      return;
    }
    const TensorType& type = scope_.output_type(output.output);
    const auto rank = static_cast<int64_t>(type.dims.size());
    const int64_t axis = output.slicing.axis + (output.slicing.axis < 0 ? rank : 0);
    spec_.scans.push_back({output.result, axis, output.slicing.backward, type});
  }

  std::vector<ValueId> Lower(const Iteration& iteration) {
    LowerScope::Values values;
    for (const auto& [parameter, value] : invariants_) values[{parameter, 0}] = value;
    size_t slice = 0, state = 0;
    for (const BodyInput& input : map_.inputs) {
      const std::pair<const ir::Node*, uint32_t> key{input.parameter, 0};
      if (input.kind == BodyInput::Kind::kSliced) values[key] = iteration.slices[slice++];
      if (input.kind == BodyInput::Kind::kCarried) values[key] = iteration.states[state++];
      if (input.kind == BodyInput::Kind::kIteration) values[key] = iteration.index;
    }
    const std::string layer = scope_.builder.layer();
    passes::LowerNodes(*body_.graph, scope_.builder, values, scope_.faults());
    scope_.builder.SetLayer(layer);
    std::vector<ValueId> results;
    for (ir::Node* result : body_.graph->results) {
      LowerScope of_result(*body_.graph, *result, scope_.faults(), scope_.builder, values);
      results.push_back(of_result.input(0));
    }
    passes::LowerSinks(*body_.graph, scope_.builder, values, scope_.faults());
    return results;
  }

  LowerScope& scope_;
  const ir::Body& body_;
  Faults unheard_;
  PortMap map_;
  LoopSpec spec_;
  std::vector<std::pair<const ir::Node*, ValueId>> invariants_;
};

void LowerTensorIterator(LowerScope& scope) { BodyLowering(scope, 0).Run(); }

void LowerLoopOperation(LowerScope& scope) {
  const ir::Body& body = scope.node().bodies[0];
  // The condition's Result tells whether the body ends after its first iteration.
  int64_t trips = (*scope.Ints(0))[0];
  for (const ir::PortMapEntry& entry : body.outputs) {
    if (entry.purpose != "execution_condition") continue;
    for (const ir::Node* result : body.graph->results) {
      if (result->id != entry.internal_layer_id) continue;
      const ir::Node* source = result->inputs[0].node;
      if (source->constant && source->constant->bytes[0] == std::byte{0}) trips = 1;
    }
  }
  BodyLowering(scope, trips).Run();
}

constexpr Operation kOperations[] = {
    {.name = "TensorIterator",
     .opset = 1,
     .min_inputs = 0,
     .max_inputs = -1,
     .infer = InferTensorIterator,
     .lower = LowerTensorIterator,
     .foldable = false},
    {.name = "Loop",
     .opset = 5,
     .min_inputs = 2,
     .max_inputs = -1,
     .infer = InferLoop,
     .lower = LowerLoopOperation,
     .foldable = false},
};

}  // namespace

std::span<const Operation> ControlFlowOperations() { return kOperations; }

}  // namespace weft::ops
