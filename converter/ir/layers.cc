// SPDX-License-Identifier: Apache-2.0
// Reads a <net> or <body>: its layers, the layers that its Results need, and the edges.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "converter/base/text.h"
#include "converter/base/visible.h"
#include "converter/ir/reading.h"

namespace weft::ir {
namespace {

// Normalises the names of structural types, which may differ in case or be aliases.
std::string Canonical(std::string_view type) {
  constexpr std::array<std::string_view, 8> kStructural = {
      "Parameter", "Result", "Const", "Assign", "ReadValue", "TensorIterator", "Loop", "If"};
  const auto same = [type](std::string_view other) { return EqualIgnoringCase(type, other); };
  if (same("Constant")) return "Const";
  const auto found = std::find_if(kStructural.begin(), kStructural.end(), same);
  return std::string(found == kStructural.end() ? type : *found);
}

struct Edge {
  std::optional<size_t> from;  // index of the layer; nullopt if the layer does not exist
  size_t to = 0;
  int64_t from_layer = 0, from_port = 0, to_layer = 0, to_port = 0;
  int line = 0;
};

std::string ListIds(const std::vector<PortText>& ports) {
  constexpr size_t kMax = 32;
  if (ports.empty()) return "it has none";
  std::string list = "it has";
  for (size_t i = 0; i < std::min(ports.size(), kMax); ++i) {
    list += fmt::format(" {}", ports[i].id);
  }
  return ports.size() > kMax ? list + fmt::format(" and {} more", ports.size() - kMax) : list;
}

std::optional<size_t> IndexOf(const PortIndex& index, int64_t id) {
  const auto found = index.find(id);
  return found == index.end() ? std::nullopt : std::optional(found->second);
}

// Returns true if a port has an invalid id, for which ReadPorts has added a fault.
bool LacksIds(const std::vector<PortText>& ports) {
  return std::any_of(ports.begin(), ports.end(),
                     [](const PortText& port) { return !port.numbered; });
}

std::string Who(const Node& node) {
  return fmt::format("layer {} \"{}\" ({})", node.id, OneLine(node.name), OneLine(node.type));
}

class GraphReader {
 public:
  GraphReader(Reading& reading, pugi::xml_node element, int depth)
      : reading_(reading), element_(element), depth_(depth), graph_(std::make_unique<Graph>()) {
    graph_->name = element.attribute("name").value();
    graph_->file = reading.document.file;
  }

  std::unique_ptr<Graph> Read() {
    ScanLayers();
    ScanEdges();
    Reach();
    for (Layer& layer : layers_) {
      if (layer.reached && AddsFaults([&] { Fill(layer); })) hollow_.insert(layer.node.get());
    }
    for (size_t i = 0; i < layers_.size(); ++i) {
      Node* node = layers_[i].node.get();
      if (layers_[i].reached && AddsFaults([&] { Connect(i); })) hollow_.insert(node);
      if (layers_[i].reached && LacksBytes(*node)) hollow_.insert(node);
    }
    Collect();
    const bool cyclic = AddsFaults([&] { ReportCycles(*graph_, reading_.faults); });
    FillHoles(cyclic);
    return std::move(graph_);
  }

 private:
  template <typename Work>
  bool AddsFaults(const Work& work) {
    const size_t before = reading_.faults.lines().size();
    work();
    return reading_.faults.lines().size() != before;
  }

  // Returns true if the .bin was too short or could not be read.
  static bool LacksBytes(const Node& node) {
    const std::optional<Constant>& constant = node.constant;
    return constant && std::ssize(constant->bytes) != DenseBytes(constant->type);
  }

  int LineOf(pugi::xml_node element) const { return reading_.document.LineOf(element); }

  template <typename... Args>
  void FaultAt(int line, fmt::format_string<Args...> text, Args&&... args) {
    reading_.faults.Add(fmt::format("{}:{}: {}", graph_->file, line,
                                    fmt::format(text, std::forward<Args>(args)...)));
  }

  void ScanLayers() {
    const pugi::xml_node list = element_.child("layers");
    if (!list) FaultAt(LineOf(element_), "<{}> has no <layers>", element_.name());
    for (pugi::xml_node xml : list.children("layer")) {
      Layer layer;
      layer.xml = xml;
      layer.node = std::make_unique<Node>();
      Node& node = *layer.node;
      node.line = LineOf(xml);
      node.name = xml.attribute("name").value();
      node.type = Canonical(xml.attribute("type").value());
      node.version = xml.attribute("version").value();
      const std::optional<int64_t> id = ParseInt(xml.attribute("id").value());
      if (!id || *id < 0) {
        FaultAt(node.line, "layer \"{}\" ({}): id is \"{}\"; must be an integer from 0",
                OneLine(node.name), OneLine(node.type), OneLine(xml.attribute("id").value()));
        unnumbered_ = true;
        continue;
      }
      node.id = *id;
      const auto [first, fresh] = by_id_.emplace(node.id, layers_.size());
      if (!fresh) {
        FaultAt(node.line, "{}: id {} is that of \"{}\" at line {} too; ids must be unique",
                Who(node), node.id, OneLine(layers_[first->second].node->name),
                layers_[first->second].node->line);
        doubled_.insert(node.id);
        unnumbered_ = true;
        continue;
      }
      if (node.type.empty()) FaultAt(node.line, "{}: the type is missing", Who(node));
      layers_.push_back(std::move(layer));
    }
    incoming_.resize(layers_.size());
  }

  void ScanEdges() {
    for (pugi::xml_node xml : element_.child("edges").children("edge")) {
      const std::optional<int64_t> ends[] = {ParseInt(xml.attribute("from-layer").value()),
                                             ParseInt(xml.attribute("from-port").value()),
                                             ParseInt(xml.attribute("to-layer").value()),
                                             ParseInt(xml.attribute("to-port").value())};
      const int line = LineOf(xml);
      if (!ends[0] || !ends[1] || !ends[2] || !ends[3]) {
        FaultAt(line,
                "edge lacks an end; from-layer, from-port, to-layer and to-port must be integers");
        continue;
      }
      Edge edge{.from = IndexOf(by_id_, *ends[0]),
                .from_layer = *ends[0],
                .from_port = *ends[1],
                .to_layer = *ends[2],
                .to_port = *ends[3],
                .line = line};
      const std::optional<size_t> to = IndexOf(by_id_, edge.to_layer);
      if (!to) {
        if (!unnumbered_) {
          FaultAt(line, "edge {}: there is no layer {}", Text(edge), edge.to_layer);
        }
        continue;
      }
      edge.to = *to;
      incoming_[*to].push_back(edges_.size());
      edges_.push_back(edge);
    }
  }

  static std::string Text(const Edge& edge) {
    return fmt::format("{}:{} -> {}:{}", edge.from_layer, edge.from_port, edge.to_layer,
                       edge.to_port);
  }

  void Reach() {
    std::vector<size_t> stack;
    const auto reach = [&](size_t index) {
      if (layers_[index].reached) return;
      layers_[index].reached = true;
      stack.push_back(index);
    };
    for (size_t i = 0; i < layers_.size(); ++i) {
      const std::string& type = layers_[i].node->type;
      if (type == "Result" || type == "Assign" || type == "Parameter") reach(i);
    }
    while (!stack.empty()) {
      const size_t index = stack.back();
      stack.pop_back();
      for (size_t edge : incoming_[index]) {
        if (edges_[edge].from) reach(*edges_[edge].from);
      }
    }
  }

  void Fill(Layer& layer) {
    ReadPorts(reading_, *graph_, layer);
    const Node& node = *layer.node;
    if (node.type == "Parameter") {
      ReadParameter(reading_, *graph_, layer);
    } else if (node.type == "Const") {
      ReadConstant(reading_, *graph_, layer);
    } else if (node.type == "TensorIterator" || node.type == "Loop" || node.type == "If") {
      ReadBodies(reading_, *graph_, layer, depth_);
    } else if (node.type == "Result" && layer.inputs.size() != 1) {
      reading_.faults.Add(fmt::format("{}: has {} input ports; must have 1", Where(*graph_, node),
                                      layer.inputs.size()));
    }
  }

  void Connect(size_t index) {
    Layer& layer = layers_[index];
    Node& node = *layer.node;
    node.inputs.resize(layer.inputs.size());
    node.declared_inputs.resize(layer.inputs.size());
    if (doubled_.contains(node.id)) {  // edges cannot be assigned to one of the layers
      hollow_.insert(&node);
      return;
    }
    std::vector<int> fed_at(layer.inputs.size(), 0);  // line of the edge; 0: none yet
    for (size_t edge_index : incoming_[index]) {
      const Edge& edge = edges_[edge_index];
      const std::optional<size_t> to = IndexOf(layer.input_index, edge.to_port);
      if (!to && !LacksIds(layer.inputs)) {
        FaultAt(edge.line, "edge {}: {} has no input port {}; {}", Text(edge), Who(node),
                edge.to_port, ListIds(layer.inputs));
      }
      const std::optional<Source> source = SourceOf(edge);
      if (!to) continue;
      if (fed_at[*to] != 0) {
        FaultAt(edge.line,
                "edge {}: input port {} of {} already has the edge at line {}; must have "
                "one edge",
                Text(edge), edge.to_port, Who(node), fed_at[*to]);
        continue;
      }
      fed_at[*to] = edge.line;
      if (source) Attach(layer, *to, *source);
    }
    for (size_t i = 0; i < fed_at.size(); ++i) {
      if (fed_at[i] != 0 || LacksIds(layer.inputs)) continue;
      reading_.faults.Add(fmt::format("{}: input port {} is not connected; must have one edge",
                                      Where(*graph_, node), layer.inputs[i].id));
    }
  }

  // Returns nullopt if the edge is invalid. Adds a fault unless it is a consequence of an invalid
  // id.
  std::optional<Source> SourceOf(const Edge& edge) {
    if (!edge.from) {
      if (!unnumbered_) {
        FaultAt(edge.line, "edge {}: there is no layer {}", Text(edge), edge.from_layer);
      }
      return std::nullopt;
    }
    if (doubled_.contains(edge.from_layer)) return std::nullopt;
    const Layer& from = layers_[*edge.from];
    if (from.node->type == "Result") {
      FaultAt(edge.line, "edge {}: {} is read; must be read by nothing", Text(edge),
              Who(*from.node));
      return std::nullopt;
    }
    const std::optional<size_t> port = IndexOf(from.output_index, edge.from_port);
    if (!port) {
      if (!LacksIds(from.outputs)) {
        FaultAt(edge.line, "edge {}: {} has no output port {}; {}", Text(edge), Who(*from.node),
                edge.from_port, ListIds(from.outputs));
      }
      return std::nullopt;
    }
    return Source{from.node.get(), static_cast<uint32_t>(*port)};
  }

  // In older files an input port has no precision; its source has.
  static void Attach(Layer& layer, size_t input, const Source& source) {
    layer.node->inputs[input] = source;
    const PortText& port = layer.inputs[input];
    if (port.dims.empty()) return;
    layer.node->declared_inputs[input] =
        TensorType{port.type.value_or(TypeOf(source).type), port.dims};
  }

  // Connects invalid inputs to a hole, a node without a type, which stops the inference of all
  // dependent nodes. In a graph with cycles all inputs become holes.
  void FillHoles(bool cyclic) {
    auto hole = std::make_unique<Node>();
    hole->outputs.resize(1);
    bool used = false;
    for (const std::unique_ptr<Node>& node : graph_->nodes) {
      if (cyclic || hollow_.contains(node.get())) {
        node->constant.reset();
        node->inputs.emplace_back();
        node->declared_inputs.emplace_back();
        if (node->outputs.empty() && node->type == "Parameter") node->outputs.resize(1);
      }
      for (Source& source : node->inputs) {
        if (!cyclic && source.node != nullptr) continue;
        source = {hole.get(), 0};
        used = true;
      }
    }
    if (used) graph_->nodes.push_back(std::move(hole));
  }

  void Collect() {
    for (Layer& layer : layers_) {
      if (!layer.reached) continue;
      Node* node = layer.node.get();
      if (node->type == "Parameter") graph_->parameters.push_back(node);
      if (node->type == "Result") graph_->results.push_back(node);
      if (node->type == "Assign") graph_->sinks.push_back(node);
      graph_->nodes.push_back(std::move(layer.node));
    }
  }

  Reading& reading_;
  pugi::xml_node element_;
  int depth_;
  std::unique_ptr<Graph> graph_;
  std::vector<Layer> layers_;
  std::unordered_map<int64_t, size_t> by_id_;
  bool unnumbered_ = false;              // some layer has an invalid id
  std::unordered_set<int64_t> doubled_;  // ids that several layers have
  std::vector<Edge> edges_;
  std::vector<std::vector<size_t>> incoming_;  // by layer: indices into edges_
  std::unordered_set<const Node*> hollow_;     // nodes with faults
};

}  // namespace

std::unique_ptr<Graph> ReadGraph(Reading& reading, pugi::xml_node element, int depth) {
  return GraphReader(reading, element, depth).Read();
}

}  // namespace weft::ir
