// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/port_map.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <set>
#include <utility>

namespace weft::ops {

namespace {

// The two readings of a range whose upper bound is written as a non-negative index: with or without
// that element. A negative bound counts from the end, the end itself being -1: one reading only.
struct Readings {
  Slicing exclusive, inclusive;
};

// Numbers of iterations that one entry of the port map allows, and how a message names it.
struct Told {
  std::string who;
  std::set<int64_t> counts;
};

class Resolver {
 public:
  Resolver(InferScope& scope, const ir::Body& body) : scope_(scope), body_(body) {}

  std::optional<PortMap> Run() {
    if (scope_.node().type == "If") RefuseSlices();
    for (ir::Node* parameter : body_.graph->parameters) AddInput(*parameter);
    if (!scope_.failed()) {
      for (BodyInput& input : map_.inputs) SetType(input);
    }
    AddOutputs();
    if (!scope_.failed()) Decide();
    if (scope_.failed()) return std::nullopt;
    return std::move(map_);
  }

 private:
  void RefuseSlices();
  void AddInput(ir::Node& parameter);
  void AddSliced(const ir::PortMapEntry& entry, BodyInput input);
  std::optional<Readings> Read(const ir::PortMapEntry& entry, int64_t axis, int64_t dim,
                               int64_t part);
  bool CheckChunk(const ir::PortMapEntry& entry, std::string_view side, int64_t part);
  void SetType(BodyInput& input);
  void AddOutputs();
  std::optional<Told> CountOfOutput(const ir::PortMapEntry& entry, size_t output);
  void CheckWhole(const ir::PortMapEntry& entry, size_t output);
  void Decide();
  void ReportTwoReadings();
  bool fixed() const { return scope_.node().type == "TensorIterator"; }
  const ir::BackEdge* EdgeTo(const ir::Node& parameter);
  std::optional<size_t> ResultIndex(int64_t layer);
  std::vector<const ir::PortMapEntry*> EntriesOf(const ir::Node& parameter) const;
  bool IsRead(const ir::Node& parameter) const;

  InferScope& scope_;
  const ir::Body& body_;
  PortMap map_;
  std::vector<const ir::PortMapEntry*> outputs_;       // of the layer, in the order of its ports
  std::vector<std::pair<size_t, Readings>> readings_;  // of sliced inputs: index in map_.inputs
};

std::optional<size_t> Resolver::ResultIndex(int64_t layer) {
  const std::vector<ir::Node*>& results = body_.graph->results;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i]->id == layer) return i;
  }
  scope_.Fault("its body has no Result with id {}", layer);
  return std::nullopt;
}

const ir::BackEdge* Resolver::EdgeTo(const ir::Node& parameter) {
  const ir::BackEdge* found = nullptr;
  for (const ir::BackEdge& edge : body_.back_edges) {
    if (edge.to_layer != parameter.id) continue;
    if (found != nullptr) {
      scope_.Fault("back edges {} -> {} and {} -> {} end at one Parameter; it can have one source",
                   found->from_layer, found->to_layer, edge.from_layer, edge.to_layer);
      return found;
    }
    found = &edge;
  }
  return found;
}

// A branch runs once, on whole tensors.
void Resolver::RefuseSlices() {
  for (const std::vector<ir::PortMapEntry>* side : {&body_.inputs, &body_.outputs}) {
    for (const ir::PortMapEntry& entry : *side) {
      if (entry.axis) {
        scope_.Fault("port_map entry of port {} has axis {}; a branch must have none",
                     entry.external_port_id, *entry.axis);
      }
    }
  }
}

// A Parameter can be fed by one input, or be the current iteration; a second "-1" adds nothing.
std::vector<const ir::PortMapEntry*> Resolver::EntriesOf(const ir::Node& parameter) const {
  std::vector<const ir::PortMapEntry*> entries;
  for (const ir::PortMapEntry& entry : body_.inputs) {
    const bool feeds = entry.external_port_id >= 0 || entry.purpose == "current_iteration";
    if (feeds && entry.internal_layer_id == parameter.id) entries.push_back(&entry);
  }
  return entries;
}

bool Resolver::IsRead(const ir::Node& parameter) const {
  for (const std::unique_ptr<ir::Node>& node : body_.graph->nodes) {
    for (const ir::Source& source : node->inputs) {
      if (source.node == &parameter) return true;
    }
  }
  return false;
}

void Resolver::AddInput(ir::Node& parameter) {
  const std::vector<const ir::PortMapEntry*> entries = EntriesOf(parameter);
  if (entries.empty() && !IsRead(parameter)) return;
  const ir::BackEdge* edge = EdgeTo(parameter);
  if (entries.size() != 1) {
    scope_.Fault("body Parameter {} \"{}\" has {} sources in the port_map; must have one",
                 parameter.id, parameter.name, entries.size());
    return;
  }
  const ir::PortMapEntry* entry = entries[0];
  BodyInput input;
  input.parameter = &parameter;
  if (entry->external_port_id < 0) {
    if (edge != nullptr) {
      scope_.Fault(
          "body Parameter {} \"{}\" is the current_iteration and the target of back edge {} -> {}; "
          "it can have one source",
          parameter.id, parameter.name, edge->from_layer, edge->to_layer);
      return;
    }
    input.kind = BodyInput::Kind::kIteration;
    map_.inputs.push_back(input);
    return;
  }
  input.input = static_cast<size_t>(entry->external_port_id);
  if (input.input >= scope_.input_count()) {
    scope_.Fault("port_map names input {} but there are {}", input.input, scope_.input_count());
    return;
  }
  if (entry->axis) {
    if (edge != nullptr) {
      scope_.Warn(
          fmt::format("body Parameter {} is sliced and the target of back edge {} -> {}; the "
                      "slices are used and the back edge is ignored",
                      parameter.id, edge->from_layer, edge->to_layer));
    }
    AddSliced(*entry, input);
    return;
  }
  if (edge != nullptr) {
    const std::optional<size_t> result = ResultIndex(edge->from_layer);
    if (!result) return;
    // A state that is handed on unchanged is no state.
    const bool unchanged = body_.graph->results[*result]->inputs[0].node == &parameter;
    input.kind = unchanged ? BodyInput::Kind::kInvariant : BodyInput::Kind::kCarried;
    input.result = *result;
  }
  map_.inputs.push_back(input);
}

int64_t SizeOf(int64_t stride) {
  return std::abs(std::max(stride, -std::numeric_limits<int64_t>::max()));
}

// Elements of `axis` that one iteration sees, by the shape declared in the body; where that leaves
// it open, by the entry.
int64_t ChunkOf(const Dims& dims, const ir::PortMapEntry& entry, int64_t axis) {
  const auto position = static_cast<size_t>(axis);
  if (position < dims.size() && dims[position] > 0) return dims[position];
  return entry.part_size.value_or(SizeOf(entry.stride.value_or(1)));
}

void Resolver::AddSliced(const ir::PortMapEntry& entry, BodyInput input) {
  const Dims& dims = scope_.input_dims(input.input);
  const std::optional<int64_t> axis =
      scope_.NormalAxis(*entry.axis, static_cast<int64_t>(dims.size()));
  if (!axis) return;
  const int64_t part = ChunkOf(input.parameter->outputs[0].type.dims, entry, *axis);
  if (!CheckChunk(entry, "input", part)) return;
  const std::optional<Readings> readings =
      Read(entry, *axis, dims[static_cast<size_t>(*axis)], part);
  if (!readings) return;
  input.kind = BodyInput::Kind::kSliced;
  input.slicing = readings->exclusive;
  readings_.emplace_back(map_.inputs.size(), *readings);
  map_.inputs.push_back(input);
}

// Writers that mean whole chunks leave part_size out, or write it and leave the stride at 1.
bool Resolver::CheckChunk(const ir::PortMapEntry& entry, std::string_view side, int64_t part) {
  const int64_t stride = entry.stride.value_or(1), step = SizeOf(stride);
  const bool stepped = step == part || (step == 1 && (!entry.stride || entry.part_size));
  if (part > 0 && stride != 0 && stepped && entry.part_size.value_or(part) == part) return true;
  const std::string size =
      entry.part_size ? fmt::format("part_size {}", *entry.part_size) : "no part_size";
  scope_.Fault(
      "port_map of {} {}: stride {} and {} but the body has {} elements on the axis; a chunk, the "
      "stride's size and part_size must be equal",
      side, entry.external_port_id, stride, size, part);
  return false;
}

bool IsCut(const Slicing& slicing, int64_t dim) {
  return slicing.begin >= 0 && slicing.end <= dim && slicing.begin < slicing.end &&
         (slicing.end - slicing.begin) % slicing.part == 0;
}

std::optional<Readings> Resolver::Read(const ir::PortMapEntry& entry, int64_t axis, int64_t dim,
                                       int64_t part) {
  const int64_t stride = entry.stride.value_or(1), start = entry.start.value_or(0);
  const int64_t end = entry.end.value_or(-1);
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
        "elements; must lie inside and be chunks of {}",
        entry.external_port_id, start, end, stride, exclusive.begin, exclusive.end, axis, dim,
        part);
    return std::nullopt;
  }
  return Readings{exclusive, inclusive};
}

void Resolver::SetType(BodyInput& input) {
  ir::OutputPort& port = input.parameter->outputs[0];
  port.declared = true;
  if (input.kind == BodyInput::Kind::kIteration) {
    if (port.type.dims.size() != 1 || port.type.dims[0] < 0) port.type.dims.clear();
    return;
  }
  port.type = scope_.input_type(input.input);
  if (input.kind == BodyInput::Kind::kSliced) {
    port.type.dims[static_cast<size_t>(input.slicing.axis)] = input.slicing.part;
  }
  const ir::Constant* constant = scope_.constant(input.input);
  if (input.kind == BodyInput::Kind::kInvariant && constant != nullptr) {
    input.parameter->constant = *constant;
  }
}

void Resolver::AddOutputs() {
  for (const ir::PortMapEntry& entry : body_.outputs) {
    if (entry.purpose == "execution_condition")
      map_.condition = ResultIndex(entry.internal_layer_id);
    if (entry.external_port_id >= 0) outputs_.push_back(&entry);
  }
  std::stable_sort(outputs_.begin(), outputs_.end(), [](const auto* a, const auto* b) {
    return a->external_port_id < b->external_port_id;
  });
  if (outputs_.size() != scope_.output_count()) {
    scope_.Fault("port_map has {} outputs but the layer has {}", outputs_.size(),
                 scope_.output_count());
    return;
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const ir::PortMapEntry& entry = *outputs_[i];
    const std::optional<size_t> result = ResultIndex(entry.internal_layer_id);
    if (!result) continue;
    BodyOutput output{i, *result, entry.axis.has_value(), {}};
    output.slicing.axis = entry.axis.value_or(0);
    output.slicing.backward = entry.stride.value_or(1) < 0;
    map_.outputs.push_back(output);
  }
}

// What the declared extent of a concatenated output tells; nullopt when it tells nothing.
std::optional<Told> Resolver::CountOfOutput(const ir::PortMapEntry& entry, size_t output) {
  const ir::OutputPort& port = scope_.node().outputs[output];
  const auto rank = static_cast<int64_t>(port.type.dims.size());
  if (!port.declared || *entry.axis < -rank || *entry.axis >= rank) return std::nullopt;
  const int64_t axis = *entry.axis + (*entry.axis < 0 ? rank : 0);
  const ir::Source& result = body_.graph->results[map_.outputs[output].result]->inputs[0];
  const ir::OutputPort& made = result.node->outputs[result.port];
  const int64_t part = ChunkOf(made.declared ? made.type.dims : Dims(), entry, axis);
  // A Loop's writers know no chunks: whatever its body makes is joined.
  if (fixed() && !CheckChunk(entry, "output", part)) return std::nullopt;
  const int64_t whole = port.type.dims[static_cast<size_t>(axis)];
  if (whole < 0 || part < 1) return std::nullopt;
  if (whole % part == 0) {
    return Told{fmt::format("output {} declares {}", output, whole / part), {whole / part}};
  }
  if (fixed()) {
    scope_.Fault("output {} has {} elements on axis {} but an iteration makes {}; must divide it",
                 output, whole, axis, part);
  }
  return std::nullopt;
}

// The order of the chunks is the stride's; a range that leaves elements without a chunk is none.
void Resolver::CheckWhole(const ir::PortMapEntry& entry, size_t output) {
  const Dims& dims = scope_.node().outputs[output].type.dims;
  const auto rank = static_cast<int64_t>(dims.size());
  if ((!entry.start && !entry.end) || *entry.axis < -rank || *entry.axis >= rank) return;
  const int64_t whole = dims[static_cast<size_t>(*entry.axis + (*entry.axis < 0 ? rank : 0))];
  const int64_t start = entry.start.value_or(0), end = entry.end.value_or(-1);
  const bool backward = entry.stride.value_or(1) < 0;
  const int64_t lower = backward ? end : start, upper = backward ? start : end;
  if (whole < 0 || ((lower == 0 || lower == -whole - 1) &&
                    (upper == -1 || upper == whole || upper == whole - 1))) {
    return;
  }
  scope_.Fault("port_map of output {}: start {}, end {} fill part of {} elements; must fill all",
               entry.external_port_id, start, end, whole);
}

// Counts that the slices and the declared outputs have in common settle ranges that read two ways.
// A Loop may end before its slices do, so its outputs only break ties.
void Resolver::Decide() {
  std::vector<Told> inputs, outputs;
  for (const auto& [index, readings] : readings_) {
    const int64_t without = readings.exclusive.count(), with = readings.inclusive.count();
    const std::string count =
        without == with ? fmt::format("{}", with) : fmt::format("{} or {}", without, with);
    inputs.push_back(
        {fmt::format("input {} makes {}", map_.inputs[index].input, count), {without, with}});
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i]->axis) continue;
    if (std::optional<Told> told = CountOfOutput(*outputs_[i], i)) outputs.push_back(*told);
    if (fixed()) CheckWhole(*outputs_[i], i);
  }
  if (scope_.failed()) return;
  const auto common = [](const std::vector<Told>& all) {
    std::set<int64_t> counts = all.empty() ? std::set<int64_t>() : all[0].counts;
    for (const Told& told : all) {
      std::erase_if(counts, [&](int64_t count) { return !told.counts.contains(count); });
    }
    return counts;
  };
  std::vector<Told> all = inputs;
  // New input shapes leave the outputs' declarations behind.
  const bool binds = fixed() && (scope_.check_declared || inputs.empty());
  if (binds || common(inputs).size() > 1) {
    all.insert(all.end(), outputs.begin(), outputs.end());
  }
  if (all.empty()) return;
  const std::set<int64_t> counts = common(all);
  if (counts.size() > 1) return ReportTwoReadings();
  if (counts.empty()) {
    std::string list;
    for (const Told& told : all) list += (list.empty() ? "" : ", ") + told.who;
    scope_.Fault("the numbers of iterations disagree: {}; all must agree", list);
    return;
  }
  map_.count = *counts.begin();
  for (const auto& [index, readings] : readings_) {
    const bool without = readings.exclusive.count() == map_.count;
    map_.inputs[index].slicing = without ? readings.exclusive : readings.inclusive;
  }
}

void Resolver::ReportTwoReadings() {
  for (const auto& [index, readings] : readings_) {
    if (readings.exclusive.count() == readings.inclusive.count()) continue;
    scope_.Fault(
        "port_map of input {}: the upper bound reads as {} iterations without its element and {} "
        "with it, and nothing else tells; write it negative, counted from the end",
        map_.inputs[index].input, readings.exclusive.count(), readings.inclusive.count());
  }
}

}  // namespace

std::optional<PortMap> ResolvePortMap(InferScope& scope, const ir::Body& body) {
  return Resolver(scope, body).Run();
}

std::optional<int64_t> CountOfSlices(InferScope&, const PortMap& map) { return map.count; }

}  // namespace weft::ops
