// SPDX-License-Identifier: Apache-2.0
#include "converter/passes/recognise_list.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "converter/passes/recognise_scalars.h"
#include "converter/passes/rewrite.h"

namespace weft::passes {
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
  if (parameter.type != "Parameter") return std::nullopt;
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

void SetWalk(ir::PortMapEntry& entry, Walk walk) {
  const bool forward = walk == Walk::kForward;
  entry.axis = 0;
  entry.start = forward ? 0 : -1;
  entry.end = forward ? -1 : 0;
  entry.stride = forward ? 1 : -1;
  entry.part_size = 1;
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

bool TakeAsSlice(ir::Node& loop, ir::Node& node, const Pick& pick, int64_t trips) {
  ir::Body& body = loop.bodies[0];
  const std::optional<size_t> input = InvariantInput(body, *pick.data.node);
  if (!input) return false;
  Dims dims = TypeOf(loop.inputs[*input]).dims;
  if (dims.empty() || dims[0] < 1) return false;
  const std::optional<Walk> walk = WalkOf(loop, pick.index, trips, dims[0]);
  if (!walk) return false;
  ir::Graph& graph = *body.graph;
  ir::Node* slice = NewNode(graph, node, "Parameter", 1, {});
  slice->id = NewId(graph);
  dims[0] = 1;
  slice->outputs[0].type = {TypeOf(pick.data).type, dims};
  slice->outputs[0].declared = true;
  graph.parameters.push_back(slice);
  ir::PortMapEntry entry;
  entry.line = loop.line;
  entry.external_port_id = static_cast<int64_t>(*input);
  entry.internal_layer_id = slice->id;
  SetWalk(entry, *walk);
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

// A back edge whose state is a list that iteration i writes at place i, and nothing else.
bool GatherList(ir::Node& loop, const ir::BackEdge& edge, int64_t trips) {
  ir::Body& body = loop.bodies[0];
  ir::Node* result = NodeOfId(body.graph->results, edge.from_layer);
  const ir::Node* list = NodeOfId(body.graph->parameters, edge.to_layer);
  if (result == nullptr || list == nullptr) return false;
  ir::Node& update = *result->inputs[0].node;
  if (update.type != "ScatterUpdate" || update.inputs.size() != 4) return false;
  if (ListBehind(update.inputs[0]) != list || !IsConstantInt(update.inputs[3], 0)) return false;
  const ir::PortMapEntry* source = EntryOf(body, *list);
  if (source == nullptr || source->external_port_id < 0 || source->axis) return false;
  const Dims& dims = TypeOf(loop.inputs[static_cast<size_t>(source->external_port_id)]).dims;
  if (dims.empty() || dims[0] != trips) return false;
  const std::optional<Walk> walk = WalkOf(loop, update.inputs[1], trips, trips);
  const ir::Source element = update.inputs[2];
  if (!walk || NeededBut(*body.graph, result, element).contains(list)) return false;
  for (const ir::PortMapEntry& entry : body.outputs) {
    if (entry.internal_layer_id == result->id && entry.axis) return false;
  }
  ir::Source row = element;
  if (IsScalar(update.inputs[1])) {
    const ir::Source axes = NewInts(*body.graph, update, {ElementType::i64, {1}}, {0});
    row = {NewNode(*body.graph, update, "Unsqueeze", 1, {element, axes}), 0};
    ir::OutputPort& port = row.node->outputs[0];
    port = {TypeOf(element), element.node->outputs[element.port].declared, {}};
    port.type.dims.insert(port.type.dims.begin(), 1);
  }
  result->inputs[0] = row;
  for (ir::PortMapEntry& entry : body.outputs) {
    if (entry.internal_layer_id == result->id) SetWalk(entry, *walk);
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

bool RecogniseLists(ir::Node& loop, int64_t trips) {
  bool changed = false;
  const std::vector<ir::BackEdge> edges = loop.bodies[0].back_edges;
  for (const ir::BackEdge& edge : edges) changed = GatherList(loop, edge, trips) || changed;
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

}  // namespace weft::passes
