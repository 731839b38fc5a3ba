// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/port_map.h"

#include <algorithm>
#include <set>
#include <utility>

namespace weft::ops {

namespace {

// The two readings of a range whose upper bound is written as a non-negative index: with or without
// that element. A negative bound counts from the end, the end itself being -1: one reading only.
struct Readings {
  Slicing exclusive, inclusive;
  bool one() const { return exclusive.end == inclusive.end; }
};

class Resolver {
 public:
  Resolver(InferScope& scope, const ir::Body& body) : scope_(scope), body_(body) {}

  std::optional<PortMap> Run() {
    for (ir::Node* parameter : body_.graph->parameters) AddInput(*parameter);
    if (!scope_.failed()) Decide();
    for (BodyInput& input : map_.inputs) SetType(input);
    AddOutputs();
    if (scope_.failed()) return std::nullopt;
    return std::move(map_);
  }

 private:
  void AddInput(ir::Node& parameter);
  void AddSliced(const ir::PortMapEntry& entry, BodyInput input);
  std::optional<Readings> Read(const ir::PortMapEntry& entry, int64_t axis, int64_t dim,
                               int64_t part);
  void Decide();
  void SetType(BodyInput& input);
  void AddOutputs();
  const ir::BackEdge* EdgeTo(const ir::Node& parameter);
  std::optional<size_t> ResultIndex(int64_t layer);
  int64_t ChunkOf(const ir::Node& parameter, const ir::PortMapEntry& entry, int64_t axis);

  InferScope& scope_;
  const ir::Body& body_;
  PortMap map_;
  std::vector<std::pair<size_t, Readings>> undecided_;  // index in map_.inputs
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

void Resolver::AddInput(ir::Node& parameter) {
  const auto entry = std::find_if(body_.inputs.begin(), body_.inputs.end(), [&](const auto& e) {
    return e.internal_layer_id == parameter.id;
  });
  const ir::BackEdge* edge = EdgeTo(parameter);
  BodyInput input;
  input.parameter = &parameter;
  if (entry == body_.inputs.end()) {
    scope_.Fault("body Parameter {} \"{}\" has no port_map entry; every Parameter needs a source",
                 parameter.id, parameter.name);
    return;
  }
  if (entry->external_port_id < 0) {
    if (entry->purpose != "current_iteration" || edge != nullptr) {
      scope_.Fault("body Parameter {} \"{}\" is connected to no input and is no current_iteration",
                   parameter.id, parameter.name);
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

int64_t Resolver::ChunkOf(const ir::Node& parameter, const ir::PortMapEntry& entry, int64_t axis) {
  const Dims& dims = parameter.outputs[0].type.dims;
  const auto position = static_cast<size_t>(axis);
  if (position < dims.size() && dims[position] > 0) return dims[position];
  return entry.part_size.value_or(1);
}

void Resolver::AddSliced(const ir::PortMapEntry& entry, BodyInput input) {
  const Dims& dims = scope_.input_dims(input.input);
  const std::optional<int64_t> axis =
      scope_.NormalAxis(*entry.axis, static_cast<int64_t>(dims.size()));
  if (!axis) return;
  const int64_t part = ChunkOf(*input.parameter, entry, *axis);
  const std::optional<Readings> readings =
      Read(entry, *axis, dims[static_cast<size_t>(*axis)], part);
  if (!readings) return;
  input.kind = BodyInput::Kind::kSliced;
  input.slicing = readings->exclusive;
  if (!readings->one()) undecided_.emplace_back(map_.inputs.size(), *readings);
  map_.inputs.push_back(input);
}

bool IsCut(const Slicing& slicing, int64_t dim) {
  return slicing.begin >= 0 && slicing.end <= dim && slicing.begin < slicing.end &&
         (slicing.end - slicing.begin) % slicing.part == 0;
}

std::optional<Readings> Resolver::Read(const ir::PortMapEntry& entry, int64_t axis, int64_t dim,
                                       int64_t part) {
  const int64_t stride = entry.stride.value_or(1), start = entry.start.value_or(0);
  const int64_t end = entry.end.value_or(-1), step = stride < 0 ? -stride : stride;
  if (stride == 0 || (step != part && !(step == 1 && entry.part_size.value_or(part) == part))) {
    scope_.Fault(
        "port_map of input {}: stride {} cuts chunks of {} on axis {}; the stride's size must be "
        "the chunk's",
        entry.external_port_id, stride, part, axis);
    return std::nullopt;
  }
  const auto from_end = [&](int64_t index) { return index < 0 ? index + dim + 1 : index; };
  const int64_t upper = stride < 0 ? start : end, lower = stride < 0 ? end : start;
  Slicing exclusive{axis, from_end(lower), from_end(upper), part, stride < 0};
  Slicing inclusive = exclusive;
  if (upper >= 0) ++inclusive.end;
  if (!IsCut(inclusive, dim)) inclusive = exclusive;
  if (!IsCut(exclusive, dim)) exclusive = inclusive;
  if (!IsCut(exclusive, dim)) {
    scope_.Fault(
        "port_map of input {}: start {}, end {}, stride {} select [{}, {}) of axis {} with {} "
        "elements; "
        "must lie inside and be chunks of {}",
        entry.external_port_id, start, end, stride, exclusive.begin, exclusive.end, axis, dim,
        part);
    return std::nullopt;
  }
  return Readings{exclusive, inclusive};
}

// Counts that the other slices and the declared outputs make settle the ranges that read two ways.
void Resolver::Decide() {
  std::set<int64_t> known;
  for (size_t i = 0; i < map_.inputs.size(); ++i) {
    const bool open = std::any_of(undecided_.begin(), undecided_.end(),
                                  [&](const auto& u) { return u.first == i; });
    if (map_.inputs[i].kind == BodyInput::Kind::kSliced && !open)
      known.insert(map_.inputs[i].slicing.count());
  }
  std::vector<const ir::PortMapEntry*> entries;
  for (const ir::PortMapEntry& entry : body_.outputs) {
    if (entry.external_port_id >= 0) entries.push_back(&entry);
  }
  std::stable_sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) {
    return a->external_port_id < b->external_port_id;
  });
  for (size_t i = 0; i < entries.size() && i < scope_.output_count(); ++i) {
    const ir::OutputPort& port = scope_.node().outputs[i];
    const Dims& dims = port.type.dims;
    if (!entries[i]->axis || !port.declared || dims.empty()) continue;
    const int64_t axis =
        *entries[i]->axis + (*entries[i]->axis < 0 ? static_cast<int64_t>(dims.size()) : 0);
    const int64_t part = entries[i]->part_size.value_or(std::abs(entries[i]->stride.value_or(1)));
    if (axis < 0 || axis >= static_cast<int64_t>(dims.size()) || part < 1) continue;
    const int64_t dim = dims[static_cast<size_t>(axis)];
    if (dim > 0) known.insert(dim / part);
  }
  for (const auto& [index, readings] : undecided_) {
    const bool exclusive = known.contains(readings.exclusive.count());
    const bool inclusive = known.contains(readings.inclusive.count());
    if (exclusive == inclusive) {
      scope_.Fault(
          "port_map of input {}: the end bound reads as {} iterations without its element and {} "
          "with it; "
          "write it negative, counted from the end",
          map_.inputs[index].input, readings.exclusive.count(), readings.inclusive.count());
      return;
    }
    map_.inputs[index].slicing = exclusive ? readings.exclusive : readings.inclusive;
  }
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
  std::vector<const ir::PortMapEntry*> entries;
  for (const ir::PortMapEntry& entry : body_.outputs) {
    if (entry.purpose == "execution_condition")
      map_.condition = ResultIndex(entry.internal_layer_id);
    if (entry.external_port_id >= 0) entries.push_back(&entry);
  }
  std::stable_sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) {
    return a->external_port_id < b->external_port_id;
  });
  if (entries.size() != scope_.output_count()) {
    scope_.Fault("port_map has {} outputs but the layer has {}", entries.size(),
                 scope_.output_count());
    return;
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::optional<size_t> result = ResultIndex(entries[i]->internal_layer_id);
    if (!result) continue;
    BodyOutput output{i, *result, entries[i]->axis.has_value(), {}};
    output.slicing.axis = entries[i]->axis.value_or(0);
    output.slicing.backward = entries[i]->stride.value_or(1) < 0;
    map_.outputs.push_back(output);
  }
}

}  // namespace

std::optional<PortMap> ResolvePortMap(InferScope& scope, const ir::Body& body) {
  return Resolver(scope, body).Run();
}

std::optional<int64_t> CountOfSlices(InferScope& scope, const PortMap& map) {
  std::string counts;
  std::set<int64_t> distinct;
  for (const BodyInput& input : map.inputs) {
    if (input.kind != BodyInput::Kind::kSliced) continue;
    const int64_t count = input.slicing.count();
    distinct.insert(count);
    counts += fmt::format("{}input {} makes {}", counts.empty() ? "" : ", ", input.input, count);
  }
  if (distinct.size() > 1) {
    scope.Fault("its sliced inputs disagree on the number of iterations: {}; all must agree",
                counts);
    return std::nullopt;
  }
  return distinct.empty() ? 0 : *distinct.begin();
}

}  // namespace weft::ops
