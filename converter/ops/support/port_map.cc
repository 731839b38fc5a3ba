// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/port_map.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <set>
#include <utility>

namespace weft::ops {

namespace {

using ir::BodyInput;
using ir::ChunkRange;
using ir::Slicing;

// The two readings of a range whose upper bound is a non-negative index: without or with that
// element. A negative bound counts from the end, -1 being the end itself, and has only one reading.
struct Readings {
  Slicing exclusive, inclusive;
};

// The iteration counts that one entry of the port map allows, and its name in messages.
struct AllowedCounts {
  std::string who;
  std::set<int64_t> counts;
};

class Resolver {
 public:
  Resolver(InferScope& scope, const ir::Body& body) : scope_(scope), body_(body), map_(body.map) {}

  std::optional<ResolvedPorts> Run() {
    if (ir::IsIf(scope_.node())) RefuseSlices();
    for (const ir::Node* parameter : body_.graph->parameters) CheckSources(*parameter);
    for (const BodyInput& input : map_.inputs) AddInput(input);
    if (map_.outputs.size() != scope_.output_count()) {
      scope_.Fault("port_map has {} outputs but the layer has {}", map_.outputs.size(),
                   scope_.output_count());
    }
    if (!scope_.failed()) Decide();
    if (scope_.failed()) return std::nullopt;
    return std::move(ports_);
  }

 private:
  auto SourcesOf(const ir::Node& parameter) const {
    return std::ranges::count(map_.inputs, &parameter, &BodyInput::parameter);
  }
  void RefuseSlices();
  void CheckSources(const ir::Node& parameter);
  void AddInput(const BodyInput& input);
  void AddSliced(const BodyInput& input, ResolvedInput& resolved);
  std::optional<Readings> Read(const BodyInput& input, int64_t axis, int64_t dim, int64_t part);
  bool CheckChunk(const ChunkRange& range, std::string_view side, int64_t port, int64_t part);
  const TensorType* DeclaredType(const ir::Source& source) const;
  std::optional<AllowedCounts> CountOfOutput(size_t output);
  void CheckWhole(size_t output);
  void Decide();
  void ReportTwoReadings();
  bool fixed() const { return ir::IsTensorIterator(scope_.node()); }
  bool IsRead(const ir::Node& parameter) const;

  InferScope& scope_;
  const ir::Body& body_;
  const ir::PortMap& map_;
  ResolvedPorts ports_;
  std::vector<std::pair<size_t, Readings>> readings_;  // of sliced inputs, by index
};

// A branch runs once and reads complete tensors.
void Resolver::RefuseSlices() {
  const auto refuse = [&](int64_t port, int64_t axis) {
    scope_.Fault("port_map entry of port {} has axis {}; a branch must have none", port, axis);
  };
  for (const BodyInput& input : map_.inputs) {
    if (input.range) refuse(static_cast<int64_t>(*input.input), input.range->axis);
    if (input.input) continue;
    scope_.Fault("body Parameter {} \"{}\" is the current_iteration; a branch has none",
                 input.parameter->id, input.parameter->name);
  }
  for (const ir::BodyOutput& output : map_.outputs) {
    if (output.range) refuse(output.port_id, output.range->axis);
  }
}

bool Resolver::IsRead(const ir::Node& parameter) const {
  for (const std::unique_ptr<ir::Node>& node : body_.graph->nodes) {
    for (const ir::Source& source : node->inputs) {
      if (source.node == &parameter) return true;
    }
  }
  return false;
}

// A Parameter has one source: an input or the current iteration.
void Resolver::CheckSources(const ir::Node& parameter) {
  const auto count = SourcesOf(parameter);
  if (count == 1 || (count == 0 && !IsRead(parameter))) return;
  scope_.Fault("body Parameter {} \"{}\" has {} sources in the port_map; must have one",
               parameter.id, parameter.name, count);
}

void Resolver::AddInput(const BodyInput& input) {
  const ir::Node& parameter = *input.parameter;
  ResolvedInput& resolved = ports_.inputs.emplace_back();
  resolved.type = parameter.outputs[0].type;
  if (SourcesOf(parameter) != 1) return;
  if (input.is(BodyInput::Kind::kIteration)) {
    if (input.next != nullptr) {
      scope_.Fault(
          "body Parameter {} \"{}\" is the current_iteration and the target of back edge {} -> {}; "
          "must have one source",
          parameter.id, parameter.name, input.next->id, parameter.id);
    }
    Dims& dims = resolved.type.dims;
    if (dims.size() != 1 || dims[0] < 0) dims.clear();
    return;
  }
  if (*input.input >= scope_.input_count()) {
    scope_.Fault("port_map names input {} but there are {}", *input.input, scope_.input_count());
    return;
  }
  resolved.type = scope_.input_type(*input.input);
  if (!input.range) return;
  if (input.next != nullptr) {
    scope_.Warn(
        fmt::format("body Parameter {} is sliced and the target of back edge {} -> {}; the "
                    "slices are used and the back edge is ignored",
                    parameter.id, input.next->id, parameter.id));
  }
  AddSliced(input, resolved);
}

int64_t SizeOf(int64_t stride) {
  return std::abs(std::max(stride, -std::numeric_limits<int64_t>::max()));
}

// Number of elements along `axis` per iteration: from the shape declared in the body or, if that
// leaves it open, from the port map entry.
int64_t ChunkOf(const Dims& dims, const ChunkRange& range, int64_t axis) {
  const auto position = static_cast<size_t>(axis);
  if (position < dims.size() && dims[position] > 0) return dims[position];
  return range.part_size.value_or(SizeOf(range.stride.value_or(1)));
}

void Resolver::AddSliced(const BodyInput& input, ResolvedInput& resolved) {
  const Dims& dims = scope_.input_dims(*input.input);
  const std::optional<int64_t> axis =
      scope_.NormalAxis(input.range->axis, static_cast<int64_t>(dims.size()));
  if (!axis) return;
  const int64_t part = ChunkOf(input.parameter->outputs[0].type.dims, *input.range, *axis);
  if (!CheckChunk(*input.range, "input", static_cast<int64_t>(*input.input), part)) return;
  const std::optional<Readings> readings =
      Read(input, *axis, dims[static_cast<size_t>(*axis)], part);
  if (!readings) return;
  resolved.type.dims[static_cast<size_t>(*axis)] = part;
  resolved.slicing = readings->exclusive;
  readings_.emplace_back(ports_.inputs.size() - 1, *readings);
}

// Some exporters omit part_size for complete chunks, or write part_size and leave the stride at 1.
bool Resolver::CheckChunk(const ChunkRange& range, std::string_view side, int64_t port,
                          int64_t part) {
  const int64_t stride = range.stride.value_or(1), step = SizeOf(stride);
  const bool stepped = step == part || (step == 1 && (!range.stride || range.part_size));
  if (part > 0 && stride != 0 && stepped && range.part_size.value_or(part) == part) return true;
  const std::string size =
      range.part_size ? fmt::format("part_size {}", *range.part_size) : "no part_size";
  scope_.Fault(
      "port_map of {} {}: stride {} and {} but the body has {} elements on the axis; these, the "
      "magnitude of the stride and part_size must be equal",
      side, port, stride, size, part);
  return false;
}

bool IsCut(const Slicing& slicing, int64_t dim) {
  return slicing.begin >= 0 && slicing.end <= dim && slicing.begin < slicing.end &&
         (slicing.end - slicing.begin) % slicing.part == 0;
}

std::optional<Readings> Resolver::Read(const BodyInput& input, int64_t axis, int64_t dim,
                                       int64_t part) {
  const int64_t stride = input.range->stride.value_or(1), start = input.range->start.value_or(0);
  const int64_t end = input.range->end.value_or(-1);
  const auto from_end = [&](int64_t index) { return index < 0 ? index + dim + 1 : index; };
  const int64_t upper = stride < 0 ? start : end, lower = stride < 0 ? end : start;
  Slicing exclusive{axis, from_end(lower), from_end(upper), part, stride < 0};
  Slicing inclusive = exclusive;
  if (upper >= 0 && upper < dim) ++inclusive.end;
  if (!IsCut(inclusive, dim)) inclusive = exclusive;
  if (!IsCut(exclusive, dim)) exclusive = inclusive;
  if (!IsCut(exclusive, dim)) {
    scope_.Fault(
        "port_map of input {}: start {}, end {}, stride {} select [{}, {}) of axis {} with {} "
        "elements; must be inside the axis and a multiple of {}",
        *input.input, start, end, stride, exclusive.begin, exclusive.end, axis, dim, part);
    return std::nullopt;
  }
  return Readings{exclusive, inclusive};
}

// The declared type of a value in the body; for a Parameter the type of its source. Null if the
// file declares none.
const TensorType* Resolver::DeclaredType(const ir::Source& source) const {
  const ir::BodyInput* input = map_.InputOf(*source.node);
  if (input != nullptr) {
    return &ports_.inputs[static_cast<size_t>(input - map_.inputs.data())].type;
  }
  const ir::OutputPort& port = source.node->outputs[source.port];
  return port.declared ? &port.type : nullptr;
}

// The iteration counts that the declared extent of a concatenated output allows; nullopt if it
// allows any.
std::optional<AllowedCounts> Resolver::CountOfOutput(size_t output) {
  const ir::OutputPort& port = scope_.node().outputs[output];
  const ChunkRange& range = *map_.outputs[output].range;
  const auto rank = static_cast<int64_t>(port.type.dims.size());
  if (!port.declared || range.axis < -rank || range.axis >= rank) return std::nullopt;
  const int64_t axis = range.axis + (range.axis < 0 ? rank : 0);
  const TensorType* made = DeclaredType(map_.outputs[output].result->inputs[0]);
  const int64_t part = ChunkOf(made != nullptr ? made->dims : Dims(), range, axis);
  // A Loop has no chunks: all results of its body are concatenated.
  if (fixed() && !CheckChunk(range, "output", map_.outputs[output].port_id, part)) {
    return std::nullopt;
  }
  const int64_t whole = port.type.dims[static_cast<size_t>(axis)];
  if (whole < 0 || part < 1) return std::nullopt;
  if (whole % part == 0) {
    return AllowedCounts{fmt::format("output {} declares {}", output, whole / part),
                         {whole / part}};
  }
  if (fixed()) {
    scope_.Fault("output {} has {} elements on axis {} but an iteration yields {}; must divide it",
                 output, whole, axis, part);
  }
  return std::nullopt;
}

// Checks that the chunks cover the complete axis. The sign of the stride gives their order.
void Resolver::CheckWhole(size_t output) {
  const ChunkRange& range = *map_.outputs[output].range;
  const Dims& dims = scope_.node().outputs[output].type.dims;
  const auto rank = static_cast<int64_t>(dims.size());
  if ((!range.start && !range.end) || range.axis < -rank || range.axis >= rank) return;
  const int64_t whole = dims[static_cast<size_t>(range.axis + (range.axis < 0 ? rank : 0))];
  const int64_t start = range.start.value_or(0), end = range.end.value_or(-1);
  const bool backward = range.backward();
  const int64_t lower = backward ? end : start, upper = backward ? start : end;
  if (whole < 0 || ((lower == 0 || lower == -whole - 1) &&
                    (upper == -1 || upper == whole || upper == whole - 1))) {
    return;
  }
  scope_.Fault("port_map of output {}: start {}, end {} cover part of {} elements; must cover all",
               map_.outputs[output].port_id, start, end, whole);
}

// Ambiguous ranges are decided by the counts that all slices and declared outputs have in common. A
// Loop may end before its slices do, so that its outputs only decide between remaining counts.
void Resolver::Decide() {
  std::vector<AllowedCounts> inputs, outputs;
  for (const auto& [index, readings] : readings_) {
    const int64_t without = readings.exclusive.count(), with = readings.inclusive.count();
    const std::string count =
        without == with ? fmt::format("{}", with) : fmt::format("{} or {}", without, with);
    inputs.push_back(
        {fmt::format("input {} gives {}", *map_.inputs[index].input, count), {without, with}});
  }
  for (size_t i = 0; i < map_.outputs.size(); ++i) {
    if (!map_.outputs[i].range) continue;
    if (std::optional<AllowedCounts> allowed = CountOfOutput(i)) outputs.push_back(*allowed);
    if (fixed()) CheckWhole(i);
  }
  if (scope_.failed()) return;
  const auto common = [](const std::vector<AllowedCounts>& all) {
    std::set<int64_t> counts = all.empty() ? std::set<int64_t>() : all[0].counts;
    for (const AllowedCounts& allowed : all) {
      std::erase_if(counts, [&](int64_t count) { return !allowed.counts.contains(count); });
    }
    return counts;
  };
  std::vector<AllowedCounts> all = inputs;
  // Declared outputs are out of date if the input shapes were changed.
  const bool binds = fixed() && (scope_.check_declared || inputs.empty());
  if (binds || common(inputs).size() > 1) {
    all.insert(all.end(), outputs.begin(), outputs.end());
  }
  if (all.empty()) return;
  const std::set<int64_t> counts = common(all);
  if (counts.size() > 1) return ReportTwoReadings();
  if (counts.empty()) {
    std::string list;
    for (const AllowedCounts& allowed : all) list += (list.empty() ? "" : ", ") + allowed.who;
    scope_.Fault("the iteration counts differ: {}; all must be equal", list);
    return;
  }
  ports_.count = *counts.begin();
  for (const auto& [index, readings] : readings_) {
    const bool without = readings.exclusive.count() == ports_.count;
    ports_.inputs[index].slicing = without ? readings.exclusive : readings.inclusive;
  }
}

void Resolver::ReportTwoReadings() {
  for (const auto& [index, readings] : readings_) {
    if (readings.exclusive.count() == readings.inclusive.count()) continue;
    scope_.Fault(
        "port_map of input {}: the upper bound gives {} iterations if exclusive and {} if "
        "inclusive, and no other entry decides; must be negative, counted from the end",
        *map_.inputs[index].input, readings.exclusive.count(), readings.inclusive.count());
  }
}

}  // namespace

std::optional<ResolvedPorts> ResolvePorts(InferScope& scope, const ir::Body& body) {
  return Resolver(scope, body).Run();
}

void ApplyPorts(const InferScope& scope, ir::Body& body, const ResolvedPorts& ports) {
  body.map.count = ports.count;
  for (size_t i = 0; i < ports.inputs.size(); ++i) {
    BodyInput& input = body.map.inputs[i];
    input.slicing = ports.inputs[i].slicing;
    ir::OutputPort& port = input.parameter->outputs[0];
    port.type = ports.inputs[i].type;
    port.declared = true;
    if (!input.is(BodyInput::Kind::kInvariant)) continue;
    if (const ir::Constant* constant = scope.constant(*input.input)) {
      input.parameter->constant = *constant;
    }
  }
}

}  // namespace weft::ops
