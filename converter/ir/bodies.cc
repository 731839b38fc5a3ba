// SPDX-License-Identifier: Apache-2.0
// Reads bodies of TensorIterator, Loop and If and their connections to the layer. Ids in port maps
// have OpenVINO's meaning: for an input the index among the layer's inputs; for an output a number
// whose rank among the entries is the index among the layer's outputs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "converter/base/visible.h"
#include "converter/ir/reading.h"

namespace weft::ir {
namespace {

constexpr int kMaxDepth = 16;  // also the engine's limit for nested sections

struct BodyTags {
  const char* body;
  const char* port_map;
  const char* back_edges;  // null for the branches of If
};

// One entry of a port_map. Slicing attributes are optional.
struct PortMapEntry {
  int line = 0;
  int64_t external_port_id = -1;
  int64_t internal_layer_id = -1;
  std::optional<ChunkRange> range;
  std::string purpose;  // "current_iteration", "execution_condition" or empty

  // Returns true if the entry connects the body's Parameter.
  bool feeds() const { return external_port_id >= 0 || purpose == "current_iteration"; }
};

struct BackEdge {
  int line = 0;
  int64_t from_layer = -1;  // a Result of the body
  int64_t to_layer = -1;    // a Parameter of the body
};

std::set<int64_t> IdsOf(const std::vector<Node*>& nodes) {
  std::set<int64_t> ids;
  for (const Node* node : nodes) ids.insert(node->id);
  return ids;
}

class BodyReader {
 public:
  BodyReader(Reading& reading, const Graph& graph, Layer& layer)
      : reading_(reading), graph_(graph), layer_(layer), node_(*layer.node) {}

  void Read(const BodyTags& tags, int depth) {
    const pugi::xml_node xml = layer_.xml.child(tags.body);
    if (!xml) {
      Fault(node_.line, "has no <{}>", tags.body);
      return;
    }
    body_.graph = ReadGraph(reading_, xml, depth + 1);
    parameters_ = IdsOf(body_.graph->parameters);
    results_ = IdsOf(body_.graph->results);
    for (const auto& node : body_.graph->nodes) by_id_.emplace(node->id, node.get());
    const pugi::xml_node port_map = layer_.xml.child(tags.port_map);
    for (pugi::xml_node entry : port_map.children("input")) {
      inputs_.push_back(ReadEntry(entry, tags.port_map, "input"));
    }
    for (pugi::xml_node entry : port_map.children("output")) {
      outputs_.push_back(ReadEntry(entry, tags.port_map, "output"));
    }
    if (tags.back_edges != nullptr) ReadBackEdges(layer_.xml.child(tags.back_edges));
    CheckInputs(tags.port_map);
    CheckOutputs(tags.port_map);
    CheckBackEdges();
    CheckSources();
    MakeMap();
    node_.bodies.push_back(std::move(body_));
  }

 private:
  template <typename... Args>
  void Fault(int line, fmt::format_string<Args...> text, Args&&... args) {
    reading_.faults.Add(Where(graph_, node_, line) + ": " +
                        fmt::format(text, std::forward<Args>(args)...));
  }

  std::optional<int64_t> Number(pugi::xml_node xml, const char* key, std::string_view what) {
    const pugi::xml_attribute attribute = xml.attribute(key);
    if (!attribute) return std::nullopt;
    const std::optional<int64_t> value = ParseInt(attribute.value());
    if (!value) {
      Fault(reading_.document.LineOf(xml), "{}: {} is \"{}\"; must be an integer", what, key,
            OneLine(attribute.value()));
    }
    return value;
  }

  int64_t RequiredNumber(pugi::xml_node xml, const char* key, std::string_view what) {
    if (!xml.attribute(key)) Fault(reading_.document.LineOf(xml), "{}: {} is missing", what, key);
    return Number(xml, key, what).value_or(-1);
  }

  PortMapEntry ReadEntry(pugi::xml_node xml, std::string_view tag, std::string_view side) {
    const std::string what = fmt::format("{} {}", tag, side);
    PortMapEntry entry;
    entry.line = reading_.document.LineOf(xml);
    entry.external_port_id = RequiredNumber(xml, "external_port_id", what);
    entry.internal_layer_id = RequiredNumber(xml, "internal_layer_id", what);
    const std::optional<int64_t> axis = Number(xml, "axis", what);
    ChunkRange range;
    range.start = Number(xml, "start", what);
    range.end = Number(xml, "end", what);
    range.stride = Number(xml, "stride", what);
    range.part_size = Number(xml, "part_size", what);
    range.axis = axis.value_or(0);
    if (axis) entry.range = range;
    entry.purpose = xml.attribute("purpose").value();
    const std::string_view known = side == "input" ? "current_iteration" : "execution_condition";
    if (!entry.purpose.empty() && entry.purpose != known) {
      Fault(entry.line, "{}: purpose is \"{}\"; must be \"{}\" or absent", what,
            OneLine(entry.purpose), known);
    }
    return entry;
  }

  void ReadBackEdges(pugi::xml_node xml) {
    for (pugi::xml_node edge : xml.children("edge")) {
      back_edges_.push_back({.line = reading_.document.LineOf(edge),
                             .from_layer = RequiredNumber(edge, "from-layer", "back edge"),
                             .to_layer = RequiredNumber(edge, "to-layer", "back edge")});
    }
  }

  void CheckInputs(std::string_view tag) {
    const int64_t count = static_cast<int64_t>(layer_.inputs.size());
    std::map<int64_t, int> sources;  // Parameter id -> line of the entry that feeds it
    for (const PortMapEntry& entry : inputs_) {
      if (!parameters_.contains(entry.internal_layer_id)) {
        Fault(entry.line, "{} input {} -> {}: {}; must name a Parameter", tag,
              entry.external_port_id, entry.internal_layer_id, Describe(entry.internal_layer_id));
      }
      if (entry.external_port_id >= count || entry.external_port_id < -1) {
        Fault(entry.line, "{} input {} -> {}: the layer has {} inputs, counted from 0", tag,
              entry.external_port_id, entry.internal_layer_id, count);
      }
      if (entry.external_port_id < 0) continue;
      const auto [first, fresh] = sources.emplace(entry.internal_layer_id, entry.line);
      if (!fresh) {
        Fault(entry.line,
              "{} input {} -> {}: the entry at line {} feeds Parameter {} too; must be one", tag,
              entry.external_port_id, entry.internal_layer_id, first->second,
              entry.internal_layer_id);
      }
    }
  }

  void CheckOutputs(std::string_view tag) {
    std::map<int64_t, int> fed;  // external id -> line of the entry that feeds it
    for (const PortMapEntry& entry : outputs_) {
      if (!results_.contains(entry.internal_layer_id)) {
        Fault(entry.line, "{} output {} <- {}: {}; must name a Result", tag, entry.external_port_id,
              entry.internal_layer_id, Describe(entry.internal_layer_id));
      }
      if (entry.external_port_id < 0) continue;
      const auto [first, fresh] = fed.emplace(entry.external_port_id, entry.line);
      if (!fresh) {
        Fault(entry.line,
              "{} output {} <- {}: the entry at line {} gives output {} too; must be one", tag,
              entry.external_port_id, entry.internal_layer_id, first->second,
              entry.external_port_id);
      }
    }
    if (fed.size() != layer_.outputs.size()) {
      Fault(node_.line,
            "{} gives {} outputs but the layer has {} output ports; must be one for each", tag,
            fed.size(), layer_.outputs.size());
    }
  }

  void CheckBackEdges() {
    std::map<int64_t, int> targets;
    for (const BackEdge& edge : back_edges_) {
      if (!results_.contains(edge.from_layer)) {
        Fault(edge.line, "back edge {} -> {}: {}; must come from a Result", edge.from_layer,
              edge.to_layer, Describe(edge.from_layer));
      }
      if (!parameters_.contains(edge.to_layer)) {
        Fault(edge.line, "back edge {} -> {}: {}; must lead to a Parameter", edge.from_layer,
              edge.to_layer, Describe(edge.to_layer));
      }
      const auto [first, fresh] = targets.emplace(edge.to_layer, edge.line);
      if (!fresh) {
        Fault(edge.line,
              "back edge {} -> {}: the back edge at line {} feeds Parameter {} too; must be one",
              edge.from_layer, edge.to_layer, first->second, edge.to_layer);
      }
    }
  }

  // An unused Parameter needs no source; old converters write such Parameters.
  void CheckSources() {
    std::set<const Node*> used;
    for (const auto& node : body_.graph->nodes) {
      for (const Source& source : node->inputs) used.insert(source.node);
    }
    std::set<int64_t> fed;
    for (const PortMapEntry& entry : inputs_) {
      if (entry.feeds()) fed.insert(entry.internal_layer_id);
    }
    for (const Node* parameter : body_.graph->parameters) {
      if (fed.contains(parameter->id) || !used.contains(parameter)) continue;
      reading_.faults.Add(
          fmt::format("{}: no port_map input of layer {} \"{}\" feeds it; must have one",
                      Where(*body_.graph, *parameter), node_.id, OneLine(node_.name)));
    }
  }

  Node* NodeOf(int64_t id, const std::set<int64_t>& ids) const {
    return ids.contains(id) ? by_id_.at(id) : nullptr;
  }

  // Skips entries with invalid ids, for which faults were added.
  void MakeMap() {
    for (Node* parameter : body_.graph->parameters) {
      Node* next = nullptr;
      for (const BackEdge& edge : back_edges_) {
        if (edge.to_layer == parameter->id) next = NodeOf(edge.from_layer, results_);
      }
      for (const PortMapEntry& entry : inputs_) {
        if (!entry.feeds() || entry.internal_layer_id != parameter->id) continue;
        BodyInput input{.parameter = parameter, .next = next};
        if (entry.external_port_id >= 0) {
          input.input = static_cast<size_t>(entry.external_port_id);
          input.range = entry.range;
        }
        body_.map.inputs.push_back(input);
      }
    }
    for (const PortMapEntry& entry : outputs_) {
      Node* result = NodeOf(entry.internal_layer_id, results_);
      if (result == nullptr) continue;
      if (entry.purpose == "execution_condition") body_.map.condition = result;
      if (entry.external_port_id < 0) continue;
      body_.map.outputs.push_back(
          {.result = result, .port_id = entry.external_port_id, .range = entry.range});
    }
    std::ranges::stable_sort(body_.map.outputs, {}, &BodyOutput::port_id);
  }

  // Layers that no Result needs are not read, so they are reported like missing layers.
  std::string Describe(int64_t id) const {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return fmt::format("the body has no layer {}", id);
    return fmt::format("layer {} \"{}\" has type {}", id, OneLine(found->second->name),
                       OneLine(found->second->type));
  }

  Reading& reading_;
  const Graph& graph_;
  Layer& layer_;
  Node& node_;
  Body body_;
  std::vector<PortMapEntry> inputs_, outputs_;
  std::vector<BackEdge> back_edges_;
  std::set<int64_t> parameters_, results_;  // ids in the body
  std::map<int64_t, Node*> by_id_;
};

}  // namespace

void ReadBodies(Reading& reading, const Graph& graph, Layer& layer, int depth) {
  if (depth >= kMaxDepth) {
    reading.faults.Add(fmt::format("{}: its bodies nest deeper than this; must be at most {} deep",
                                   Where(graph, *layer.node), kMaxDepth));
    return;
  }
  constexpr BodyTags kLoop = {"body", "port_map", "back_edges"};
  constexpr std::array<BodyTags, 2> kBranches = {
      {{"then_body", "then_port_map", nullptr}, {"else_body", "else_port_map", nullptr}}};
  if (layer.node->type != "If") {
    BodyReader(reading, graph, layer).Read(kLoop, depth);
    return;
  }
  for (const BodyTags& tags : kBranches) BodyReader(reading, graph, layer).Read(tags, depth);
}

}  // namespace weft::ir
