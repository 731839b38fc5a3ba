// SPDX-License-Identifier: Apache-2.0
// TensorIterator and Loop. The shape rule infers the body with the types of one iteration and
// determines the number of iterations; the lowering passes the body to LowerLoop.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "converter/ops/families.h"
#include "converter/ops/support/body.h"
#include "converter/ops/support/loop.h"
#include "converter/ops/support/port_map.h"

namespace weft::ops {
namespace {

using ir::BodyInput;
using ir::BodyOutput;
using program::ValueId;

bool CheckBackEdges(InferScope& scope, const ir::Body& body) {
  for (const BodyInput& input : body.map.inputs) {
    if (!input.is(BodyInput::Kind::kCarried)) continue;
    const TensorType& from = ir::TypeOf(input.next->inputs[0]);
    const TensorType& to = input.parameter->outputs[0].type;
    if (from == to) continue;
    scope.Fault("back edge {} -> {} joins {} to {}; both ends must have one shape", input.next->id,
                input.parameter->id, ToString(from), ToString(to));
  }
  return !scope.failed();
}

void SetOutputs(InferScope& scope, ir::Body& body) {
  for (size_t i = 0; i < body.map.outputs.size(); ++i) {
    BodyOutput& output = body.map.outputs[i];
    TensorType type = ir::TypeOf(output.result->inputs[0]);
    if (!output.range) {
      scope.SetOutput(i, type);
      continue;
    }
    if (type.dims.empty()) type.dims.push_back(1);
    const auto axis = scope.NormalAxis(output.range->axis, static_cast<int64_t>(type.dims.size()));
    if (!axis) return;
    output.axis = *axis;
    const int64_t part = type.dims[static_cast<size_t>(*axis)];
    type.dims[static_cast<size_t>(*axis)] *= body.trips.max;
    scope.SetOutput(i, type);
    if (body.trips.exact) continue;
    if (output.range->backward()) {
      scope.Fault("output {} is concatenated backwards but has a run-time length; must be forwards",
                  i);
    }
    scope.mutable_node().outputs[i].run_time_extent =
        ir::RunTimeExtent{static_cast<size_t>(*axis), &scope.node(), part};
  }
}

// The number of iterations without sliced inputs: derived from the declared output extents, else 1.
int64_t CountOfOutputs(InferScope& scope, const ir::Body& body) {
  int64_t count = 0;
  for (size_t i = 0; i < body.map.outputs.size(); ++i) {
    const BodyOutput& output = body.map.outputs[i];
    const ir::OutputPort& port = scope.node().outputs[i];
    if (!output.range || !port.declared) continue;
    TensorType part = ir::TypeOf(output.result->inputs[0]);
    if (part.dims.empty()) part.dims.push_back(1);
    const auto axis = scope.NormalAxis(output.range->axis, static_cast<int64_t>(part.dims.size()));
    if (!axis || port.type.dims.size() != part.dims.size()) continue;
    const int64_t whole = port.type.dims[static_cast<size_t>(*axis)];
    const int64_t chunk = part.dims[static_cast<size_t>(*axis)];
    if (whole <= 0 || chunk <= 0 || whole % chunk != 0 || (count != 0 && count != whole / chunk)) {
      scope.Fault(
          "no input is sliced and the declared outputs do not give one number of iterations");
      return 0;
    }
    count = whole / chunk;
  }
  return std::max<int64_t>(count, 1);
}

bool InferBody(InferScope& scope, ir::Body& body) {
  const std::optional<ResolvedPorts> ports = ResolvePorts(scope, body);
  if (!ports) return false;
  ApplyPorts(scope, body, *ports);
  return InferBodyGraph(scope, *body.graph) && CheckFixedResults(scope, *body.graph) &&
         CheckBackEdges(scope, body);
}

void InferTensorIterator(InferScope& scope) {
  ir::Body& body = scope.mutable_node().bodies[0];
  if (!InferBody(scope, body)) return;
  const int64_t count = body.map.count;
  body.trips = {.max = count != 0 ? count : CountOfOutputs(scope, body)};
  if (!scope.failed()) SetOutputs(scope, body);
}

// The body condition of a Loop if it is known; true if the Loop has none.
std::optional<bool> KnownCondition(const ir::Body& body) {
  if (body.map.condition == nullptr) return true;
  const ir::Source& source = body.map.condition->inputs[0];
  if (!source.node->constant) return std::nullopt;
  return source.node->constant->bytes[0] != std::byte{0};
}

bool CheckControl(InferScope& scope, const ir::PortMap& map) {
  const auto check = [&](const TensorType& type, bool fits, std::string_view what,
                         std::string_view must) {
    if (fits && ElementCount(type.dims) == 1) return;
    scope.Fault("its {} is {}; must be one element of {}", what, ToString(type), must);
  };
  const auto is_condition = [](const TensorType& type) {
    return type.type == ElementType::boolean;
  };
  const TensorType& trip = scope.input_type(0);
  const bool counts = trip.type == ElementType::i32 || trip.type == ElementType::i64;
  check(trip, counts, "trip count", "i32 or i64");
  check(scope.input_type(1), is_condition(scope.input_type(1)), "execution condition", "boolean");
  if (map.condition != nullptr) {
    const TensorType& type = ir::TypeOf(map.condition->inputs[0]);
    check(type, is_condition(type), "body condition", "boolean");
  }
  for (const BodyInput& input : map.inputs) {
    if (!input.is(BodyInput::Kind::kIteration)) continue;
    const TensorType& type = input.parameter->outputs[0].type;
    check(type, type.type == ElementType::i32 || type.type == ElementType::i64, "current iteration",
          "i32 or i64");
  }
  return !scope.failed();
}

// The number of iterations done and the iteration counter are i32.
constexpr int64_t kMaxTrips = std::numeric_limits<int32_t>::max();

// The number of iterations of a Loop as far as it is known at conversion: from its trip count, its
// conditions, counters in the conditions, its slices and the user's bound. nullopt after an error.
std::optional<ir::Trips> TripsOfLoop(InferScope& scope, const ir::Body& body) {
  const std::optional<Dims> trip = scope.Ints(0), first = scope.Ints(1);
  const std::optional<bool> condition = KnownCondition(body);
  const int64_t slices = body.map.count;
  ir::Trips trips;
  if ((first && (*first)[0] == 0) || (trip && (*trip)[0] == 0)) return trips;
  trips.exact = trip && first && condition;
  constexpr int64_t kEndless = std::numeric_limits<int64_t>::max();
  const bool endless = !trip || (*trip)[0] < 0;
  trips.max = endless ? kEndless : (*trip)[0];
  trips.max = std::min(trips.max, body.max_trips.value_or(kEndless));
  if (condition && !*condition) {
    trips.max = 1;
    trips.exact = first.has_value() && trip.has_value();
  }
  if (endless && trip && condition) {
    scope.Fault("trip count is {} and its condition is always true; must end", (*trip)[0]);
    return std::nullopt;
  }
  const bool open = !trip || !condition;  // ends at run time only
  if (open && slices != 0 && slices < trips.max) trips = {slices, false, true};
  if (open && scope.max_iterations > 0 && scope.max_iterations < trips.max) {
    trips = {scope.max_iterations, false, true};
  }
  if (trips.max > kMaxTrips && !(endless && trips.max == kEndless)) {
    scope.Fault("trip count is {}; must be at most {}{}", trips.max, kMaxTrips,
                open ? ", or be bounded by --max-iterations" : "");
    return std::nullopt;
  }
  if (trips.max == kEndless) {
    scope.Fault(
        "its iteration count is not known at conversion; must be bounded by --max-iterations");
    return std::nullopt;
  }
  if (slices != 0 && slices < trips.max) {
    scope.Fault("runs {} iterations over {} slices; must have one slice per iteration", trips.max,
                slices);
    return std::nullopt;
  }
  return trips;
}

void InferLoop(InferScope& scope) {
  ir::Body& body = scope.mutable_node().bodies[0];
  if (!InferBody(scope, body) || !CheckControl(scope, body.map)) return;
  const std::optional<ir::Trips> trips = TripsOfLoop(scope, body);
  if (!trips) return;
  body.trips = *trips;
  SetOutputs(scope, body);
  // OpenVINO declares other shapes for outputs of zero iterations.
  if (trips->exact && trips->max == 0) scope.IgnoreDeclared();
}

// Describes the loop as a LoopSpec, from the port map that inference resolved.
class BodyLowering {
 public:
  explicit BodyLowering(LowerScope& scope) : scope_(scope), body_(scope.node().bodies[0]) {
    spec_.trips = body_.trips.max;
    spec_.limited = body_.trips.limited;
  }

  // Sets the run-time values that may end a Loop early.
  void SetEnd() {
    if (body_.trips.exact) return;
    if (!scope_.constant(0)) spec_.end.trip = scope_.input(0);
    if (!scope_.constant(1)) spec_.end.first_condition = scope_.input(1);
    // A condition that is known to be false ends the loop like one computed as false.
    if (!KnownCondition(body_).value_or(false)) {
      spec_.end.body_condition = IndexOf(*body_.map.condition);
    }
  }

  void Run() {
    const ir::PortMap& map = body_.map;
    for (const BodyInput& input : map.inputs) AddInput(input);
    for (size_t i = 0; i < map.outputs.size(); ++i) {
      if (scope_.IsUsed(i) && UnchangedState(i) == nullptr) AddOutput(i);
    }
    const LoopResults out = LowerLoop(scope_.builder, spec_,
                                      [&](const Iteration& iteration) { return Lower(iteration); });
    size_t scan = 0, last = 0;
    for (size_t i = 0; i < map.outputs.size(); ++i) {
      if (!scope_.IsUsed(i)) continue;
      if (const BodyInput* state = UnchangedState(i)) {
        scope_.SetOutput(i, scope_.input(*state->input));
        continue;
      }
      scope_.SetOutput(i, map.outputs[i].range ? out.scans[scan++] : out.lasts[last++]);
    }
    if (out.length != program::kNone) scope_.SetLength(out.length);
  }

 private:
  void AddInput(const BodyInput& input) {
    switch (input.kind()) {
      case BodyInput::Kind::kSliced: {
        // A Loop may end before its slices do; backward then omits the first ones.
        const int64_t unused = input.slicing.backward ? input.slicing.count() - spec_.trips : 0;
        spec_.sliced.push_back({scope_.input(*input.input), input.slicing.axis, input.slicing.part,
                                input.slicing.backward,
                                input.slicing.begin + unused * input.slicing.part});
        break;
      }
      case BodyInput::Kind::kCarried:
        spec_.carried.push_back({scope_.input(*input.input), IndexOf(*input.next)});
        break;
      case BodyInput::Kind::kIteration:
        spec_.iteration = input.parameter->outputs[0].type;
        break;
      case BodyInput::Kind::kInvariant:
        if (!input.parameter->constant)
          invariants_.emplace_back(input.parameter, scope_.input(*input.input));
        break;
    }
  }

  // The state that output i returns, if every iteration leaves it as it is; then its initial value
  // is the output, also without iterations. Null otherwise.
  const BodyInput* UnchangedState(size_t i) const {
    const BodyOutput& output = body_.map.outputs[i];
    if (output.range) return nullptr;
    const auto is_state = [&](const BodyInput& input) {
      return input.next == output.result && input.is(BodyInput::Kind::kInvariant);
    };
    const auto found = std::ranges::find_if(body_.map.inputs, is_state);
    return found == body_.map.inputs.end() ? nullptr : &*found;
  }

  void AddOutput(size_t i) {
    const BodyOutput& output = body_.map.outputs[i];
    const TensorType& type = scope_.output_type(i);
    const size_t result = IndexOf(*output.result);
    if (output.range) {
      spec_.scans.push_back({result, output.axis, output.range->backward(), type});
    } else {
      spec_.lasts.push_back({result, type});
    }
  }

  // The index of a Result in the body.
  size_t IndexOf(const ir::Node& result) const {
    return ir::IndexOf(body_.graph->results, &result);
  }

  std::vector<ValueId> Lower(const Iteration& iteration) {
    LowerScope::Values values;
    for (const auto& [parameter, value] : invariants_) values[{parameter, 0}] = value;
    size_t slice = 0, state = 0;
    for (const BodyInput& input : body_.map.inputs) {
      const std::pair<const ir::Node*, uint32_t> key{input.parameter, 0};
      if (input.is(BodyInput::Kind::kSliced)) values[key] = iteration.slices[slice++];
      if (input.is(BodyInput::Kind::kCarried)) values[key] = iteration.states[state++];
      if (input.is(BodyInput::Kind::kIteration)) values[key] = iteration.index;
    }
    return scope_.lower_body(*body_.graph, scope_.builder, values, scope_.faults());
  }

  LowerScope& scope_;
  const ir::Body& body_;
  LoopSpec spec_;
  std::vector<std::pair<const ir::Node*, ValueId>> invariants_;
};

void LowerTensorIterator(LowerScope& scope) { BodyLowering(scope).Run(); }

void LowerLoopOperation(LowerScope& scope) {
  BodyLowering lowering(scope);
  lowering.SetEnd();
  lowering.Run();
}

constexpr Traits kLoops = {.foldable = false, .heavy = true};

constexpr Operation kControlFlowRows[] = {
    {"TensorIterator", 1, 0, kAnyNumber, InferTensorIterator, LowerTensorIterator, kLoops},
    {"Loop", 5, 2, kAnyNumber, InferLoop, LowerLoopOperation, kLoops},
};

}  // namespace

std::span<const Operation> ControlFlowOperations() { return kControlFlowRows; }

}  // namespace weft::ops
