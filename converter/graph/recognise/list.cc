// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/list.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

#include "converter/graph/recognise/scalars.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

// The direction in which an index walks an axis.
enum class Walk { kForward, kBackward };

// 0, 1, 2, ... or `length` - 1, `length` - 2, ... over all of an axis of `length`; forward, it may
// end earlier.
std::optional<Walk> WalkOf(const ir::Node& loop, ir::Source index, int64_t trips, int64_t length,
                           int64_t offset = 0) {
  if (trips > length) return std::nullopt;
  bool forward = true, backward = trips == length;
  LoopScalars scalars(loop);
  for (int64_t i = 0; i < trips && (forward || backward); ++i, scalars.Advance()) {
    const std::optional<int64_t> value = scalars.Value(index);
    forward = forward && value == i + offset;
    backward = backward && value == length - 1 - i + offset;
  }
  if (forward) return Walk::kForward;
  return backward ? std::optional(Walk::kBackward) : std::nullopt;
}

bool IsConstantInt(ir::Source source, int64_t value) { return IntOf(source) == value; }

ir::PortMapEntry* EntryOf(ir::Body& body, const ir::Node& parameter) {
  const auto found = std::ranges::find_if(body.inputs, [&](const ir::PortMapEntry& entry) {
    return entry.internal_layer_id == parameter.id;
  });
  return found == body.inputs.end() ? nullptr : &*found;
}

const ir::BackEdge* EdgeTo(const ir::Body& body, const ir::Node& parameter) {
  const auto found = std::ranges::find(body.back_edges, parameter.id, &ir::BackEdge::to_layer);
  return found == body.back_edges.end() ? nullptr : &*found;
}

// Of an input that no iteration changes: the index among the loop's inputs.
std::optional<size_t> InvariantInput(ir::Body& body, const ir::Node& parameter) {
  if (!ir::IsParameter(parameter)) return std::nullopt;
  const ir::PortMapEntry* entry = EntryOf(body, parameter);
  if (entry == nullptr || entry->external_port_id < 0 || entry->axis) return std::nullopt;
  const ir::BackEdge* edge = EdgeTo(body, parameter);
  if (edge != nullptr) {
    const ir::Node* result = NodeOfId(body.graph->results, edge->from_layer);
    if (result == nullptr || result->inputs[0].node != &parameter) return std::nullopt;
  }
  return static_cast<size_t>(entry->external_port_id);
}

int64_t NewId(const ir::Graph& graph) {
  int64_t id = 0;
  for (const auto& node : graph.nodes) id = std::max(id, node->id + 1);
  return id;
}

void SetWalk(ir::PortMapEntry& entry, int64_t axis, int64_t part, Walk walk) {
  const bool forward = walk == Walk::kForward;
  entry.axis = axis;
  entry.start = forward ? 0 : -1;
  entry.end = forward ? -1 : 0;
  entry.stride = forward ? part : -part;
  entry.part_size = part;
}

// A place of axis 0 that a node takes from one of the body's inputs.
struct Pick {
  ir::Source data, index;
  bool keeps_axis = false;
};

bool IsScalar(ir::Source source) { return TypeOf(source).dims.empty(); }

std::optional<Pick> PickOfGather(const ir::Node& node) {
  if (node.inputs.size() != 3 || !IsConstantInt(node.inputs[2], 0)) return std::nullopt;
  const Dims& dims = TypeOf(node.inputs[1]).dims;
  if (dims.size() > 1 || (dims.size() == 1 && dims[0] != 1)) return std::nullopt;
  return Pick{node.inputs[0], node.inputs[1], dims.size() == 1};
}

// data[i] or data[i : i + 1], the other axes whole.
std::optional<Pick> PickOfSlice(const ir::Node& node, const ir::Node& loop, int64_t trips) {
  const auto mask = [&](const char* key) {
    const auto found = node.attributes.find(key);
    return found == node.attributes.end() || found->second.empty() ? '0' : found->second[0];
  };
  if (node.inputs.size() > 3 && !IsConstantInt(node.inputs[3], 1)) return std::nullopt;
  for (const char* key : {"begin_mask", "new_axis_mask", "ellipsis_mask"}) {
    if (mask(key) != '0') return std::nullopt;
  }
  const bool shrinks = mask("shrink_axis_mask") == '1';
  if (!shrinks && mask("end_mask") != '0') return std::nullopt;
  const Dims& dims = TypeOf(node.inputs[1]).dims;
  if (dims != Dims{1}) return std::nullopt;
  if (shrinks) return Pick{node.inputs[0], node.inputs[1], false};
  const std::optional<Walk> begin = WalkOf(loop, node.inputs[1], trips, trips);
  const std::optional<Walk> end = WalkOf(loop, node.inputs[2], trips, trips, 1);
  if (!begin || begin != end) return std::nullopt;
  return Pick{node.inputs[0], node.inputs[1], true};
}

std::optional<Pick> PickOf(const ir::Node& node, const ir::Node& loop, int64_t trips) {
  if (node.constant) return std::nullopt;
  if (node.type == "Gather") return PickOfGather(node);
  if (node.type == "StridedSlice") return PickOfSlice(node, loop, trips);
  return std::nullopt;
}

// All sliced inputs of a loop must agree on their number of chunks. Can it be seen that an input
// which is already sliced has `chunks` of them?
bool HasChunks(const ir::Node& loop, const ir::PortMapEntry& entry, int64_t chunks) {
  const int64_t start = entry.start.value_or(0), end = entry.end.value_or(-1);
  const bool backward = entry.stride.value_or(1) < 0;
  if (start != (backward ? -1 : 0) || end != (backward ? 0 : -1)) return false;
  if (entry.external_port_id >= static_cast<int64_t>(loop.inputs.size())) return false;
  const Dims& dims = TypeOf(loop.inputs[static_cast<size_t>(entry.external_port_id)]).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const int64_t axis = *entry.axis + (*entry.axis < 0 ? rank : 0);
  if (axis < 0 || axis >= rank) return false;
  for (const ir::Node* parameter : loop.bodies[0].graph->parameters) {
    if (parameter->id != entry.internal_layer_id) continue;
    const Dims& chunk = parameter->outputs[0].type.dims;
    const auto position = static_cast<size_t>(axis);
    return position < chunk.size() && chunk[position] > 0 &&
           chunk[position] * chunks == dims[position];
  }
  return false;
}

bool AgreesWithOtherSlices(const ir::Node& loop, int64_t chunks) {
  const std::vector<ir::PortMapEntry>& entries = loop.bodies[0].inputs;
  return std::all_of(entries.begin(), entries.end(), [&](const ir::PortMapEntry& entry) {
    return !entry.axis || entry.external_port_id < 0 || HasChunks(loop, entry, chunks);
  });
}

bool TakeAsSlice(ir::Node& loop, ir::Node& node, const Pick& pick, int64_t trips) {
  ir::Body& body = loop.bodies[0];
  const std::optional<size_t> input = InvariantInput(body, *pick.data.node);
  if (!input) return false;
  Dims dims = TypeOf(loop.inputs[*input]).dims;
  if (dims.empty() || dims[0] < 1 || !AgreesWithOtherSlices(loop, dims[0])) return false;
  const std::optional<Walk> walk = WalkOf(loop, pick.index, trips, dims[0]);
  if (!walk) return false;
  ir::Graph& graph = *body.graph;
  ir::Node* slice = NewParameter(graph, node);
  slice->id = NewId(graph);
  dims[0] = 1;
  slice->outputs[0].type = {TypeOf(pick.data).type, dims};
  slice->outputs[0].declared = true;
  ir::PortMapEntry entry;
  entry.line = loop.line;
  entry.external_port_id = static_cast<int64_t>(*input);
  entry.internal_layer_id = slice->id;
  SetWalk(entry, 0, 1, *walk);
  body.inputs.push_back(entry);
  ir::Source taken{slice, 0};
  if (!pick.keeps_axis) {
    const ir::Source axes = NewInts(graph, node, {ElementType::i64, {1}}, {0});
    ir::Node* squeeze = NewNode(graph, node, "Squeeze", 1, {taken, axes});
    squeeze->outputs[0] = {node.outputs[0].type, node.outputs[0].declared, {}};
    taken = {squeeze, 0};
  }
  HandOver(graph, {&node, 0}, taken);
  return true;
}

// Everything that the Results but one need.
std::set<const ir::Node*> NeededBut(const ir::Graph& graph, const ir::Node* left_out,
                                    ir::Source added) {
  std::set<const ir::Node*> seen;
  std::vector<const ir::Node*> open = {added.node};
  for (const ir::Node* result : graph.results) {
    if (result != left_out) open.push_back(result);
  }
  open.insert(open.end(), graph.sinks.begin(), graph.sinks.end());
  while (!open.empty()) {
    const ir::Node* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    for (const ir::Source& source : node->inputs) open.push_back(source.node);
  }
  return seen;
}

// The list behind a Broadcast that gives its places their width.
const ir::Node* ListBehind(ir::Source data) {
  while (data.node->type == "Broadcast" && !data.node->constant) data = data.node->inputs[0];
  return data.node;
}

// What an iteration puts into a list, and on which way the list is filled.
struct ListUpdate {
  ir::Source element;
  bool lacks_axis = false;  // the element is a place of the list without its axis
  int64_t axis = 0;
  int64_t part = 1;
  Walk walk = Walk::kForward;
};

// Place i of a list of as many places as there are iterations.
std::optional<ListUpdate> UpdateByScatter(const ir::Node& loop, const ir::Node& update,
                                          const ir::Node& list, const Dims& initial,
                                          const Count& count) {
  if (update.type != "ScatterUpdate" || update.inputs.size() != 4 || !count.exact) {
    return std::nullopt;
  }
  if (ListBehind(update.inputs[0]) != &list || !IsConstantInt(update.inputs[3], 0)) {
    return std::nullopt;
  }
  // Without an iteration the list would stay as it was.
  if (initial.empty() || initial[0] != count.trips || IntOf(loop.inputs[1]).value_or(0) == 0) {
    return std::nullopt;
  }
  const std::optional<Walk> walk = WalkOf(loop, update.inputs[1], count.trips, count.trips);
  if (!walk) return std::nullopt;
  return ListUpdate{update.inputs[2], IsScalar(update.inputs[1]), 0, 1, *walk};
}

// The list and one part more, from an empty list on.
std::optional<ListUpdate> UpdateByConcat(const ir::Node& update, const ir::Node& list,
                                         const Dims& initial, const Count& count) {
  if (update.type != "Concat" || update.inputs.size() != 2) return std::nullopt;
  const bool behind = update.inputs[0].node == &list;
  if (!behind && (update.inputs[1].node != &list || !count.exact)) return std::nullopt;
  const ir::Source element = update.inputs[behind ? 1 : 0];
  const Dims& dims = TypeOf(element).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const auto attribute = update.attributes.find("axis");
  if (attribute == update.attributes.end()) return std::nullopt;
  const char* end = attribute->second.data() + attribute->second.size();
  int64_t axis = 0;
  if (std::from_chars(attribute->second.data(), end, axis).ptr != end) return std::nullopt;
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank || initial.size() != dims.size()) return std::nullopt;
  const int64_t part = dims[static_cast<size_t>(axis)];
  if (initial[static_cast<size_t>(axis)] != 0 || part < 1) return std::nullopt;
  return ListUpdate{element, false, axis, part, behind ? Walk::kForward : Walk::kBackward};
}

// A back edge whose state is a list that the body fills and does nothing else with.
bool GatherList(ir::Node& loop, const ir::BackEdge& edge, const Count& count) {
  ir::Body& body = loop.bodies[0];
  ir::Node* result = NodeOfId(body.graph->results, edge.from_layer);
  const ir::Node* list = NodeOfId(body.graph->parameters, edge.to_layer);
  if (result == nullptr || list == nullptr) return false;
  const ir::PortMapEntry* source = EntryOf(body, *list);
  if (source == nullptr || source->external_port_id < 0 || source->axis) return false;
  const Dims& initial = TypeOf(loop.inputs[static_cast<size_t>(source->external_port_id)]).dims;
  const ir::Node& node = *result->inputs[0].node;
  std::optional<ListUpdate> update = UpdateByScatter(loop, node, *list, initial, count);
  if (!update) update = UpdateByConcat(node, *list, initial, count);
  if (!update || NeededBut(*body.graph, result, update->element).contains(list)) return false;
  const auto is_its = [&](int64_t id) { return id == result->id; };
  if (std::ranges::count_if(body.back_edges, is_its, &ir::BackEdge::from_layer) != 1) return false;
  for (const ir::PortMapEntry& entry : body.outputs) {
    if (is_its(entry.internal_layer_id) && entry.axis) return false;
  }
  ir::Source row = update->element;
  if (update->lacks_axis) {
    const ir::Source axes = NewInts(*body.graph, node, {ElementType::i64, {1}}, {0});
    row = {NewNode(*body.graph, node, "Unsqueeze", 1, {update->element, axes}), 0};
    ir::OutputPort& port = row.node->outputs[0];
    port = update->element.node->outputs[update->element.port];
    port.names.clear();
    port.type.dims.insert(port.type.dims.begin(), 1);
  }
  result->inputs[0] = row;
  for (ir::PortMapEntry& entry : body.outputs) {
    if (is_its(entry.internal_layer_id)) SetWalk(entry, update->axis, update->part, update->walk);
  }
  const int64_t target = edge.to_layer;
  std::erase_if(body.back_edges, [&](const ir::BackEdge& e) { return e.to_layer == target; });
  return true;
}

// A carried i32 or i64 that is the number of the iteration.
bool CountsIterations(ir::Node& loop, const ir::Node& parameter, int64_t trips) {
  const ElementType type =
      TypeOf(loop.inputs[static_cast<size_t>(EntryOf(loop.bodies[0], parameter)->external_port_id)])
          .type;
  if (type != ElementType::i32 && type != ElementType::i64) return false;
  return WalkOf(loop, {const_cast<ir::Node*>(&parameter), 0}, trips, trips) == Walk::kForward;
}

}  // namespace

bool RecogniseSlices(ir::Node& loop, int64_t trips) {
  bool changed = false;
  for (ir::Node* node : ir::Topological(*loop.bodies[0].graph)) {
    const std::optional<Pick> pick = PickOf(*node, loop, trips);
    if (pick) changed = TakeAsSlice(loop, *node, *pick, trips) || changed;
  }
  return changed;
}

bool RecogniseLists(ir::Node& loop, const Count& count) {
  bool changed = false;
  const std::vector<ir::BackEdge> edges = loop.bodies[0].back_edges;
  for (const ir::BackEdge& edge : edges) changed = GatherList(loop, edge, count) || changed;
  return changed;
}

bool RecogniseCounters(ir::Node& loop, int64_t trips) {
  ir::Body& body = loop.bodies[0];
  const bool counted = std::ranges::any_of(body.inputs, [](const ir::PortMapEntry& entry) {
    return entry.purpose == "current_iteration";
  });
  if (counted || trips < 2) return false;
  const std::vector<ir::BackEdge> edges = body.back_edges;
  for (const ir::BackEdge& edge : edges) {
    const ir::Node* parameter = NodeOfId(body.graph->parameters, edge.to_layer);
    ir::PortMapEntry* entry = parameter == nullptr ? nullptr : EntryOf(body, *parameter);
    if (entry == nullptr || entry->external_port_id < 0 || entry->axis) continue;
    if (!CountsIterations(loop, *parameter, trips)) continue;
    ir::OutputPort& port = NodeOfId(body.graph->parameters, edge.to_layer)->outputs[0];
    port.type = TypeOf(loop.inputs[static_cast<size_t>(entry->external_port_id)]);
    entry->external_port_id = -1;
    entry->purpose = "current_iteration";
    std::erase_if(body.back_edges,
                  [&](const ir::BackEdge& e) { return e.to_layer == parameter->id; });
    return true;
  }
  return false;
}

}  // namespace weft::graph
