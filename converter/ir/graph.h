// SPDX-License-Identifier: Apache-2.0
// The model as the XML says it, with edges and port maps resolved to pointers and bodies nested; no
// opinions about what an operation means. Shapes on output ports are the declared ones until the
// inference pass replaces them. A Graph owns its nodes; constants refer to bytes that the Graph
// keeps alive.
#ifndef WEFT_CONVERTER_IR_GRAPH_H_
#define WEFT_CONVERTER_IR_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/element_type.h"
#include "converter/ir/port_map.h"

namespace weft::ops {
struct Operation;
}

namespace weft::ir {

struct Node;
struct Graph;

// Which output of which node feeds an input.
struct Source {
  Node* node = nullptr;
  uint32_t port = 0;  // index among the node's outputs, not the XML's port id
  bool operator==(const Source&) const = default;
};

// A constant's bytes, row-major, sub-byte elements packed low nibble first.
struct Constant {
  TensorType type;
  std::shared_ptr<const void> owner;  // keeps `bytes` alive
  std::span<const std::byte> bytes;
  // Floats that were computed from integers of 8 bits or fewer, as compressed weights are.
  bool from_integers = false;
};

// An axis with a run-time length; its type shows the most it can be.
struct RunTimeExtent {
  size_t axis = 0;
  const Node* maker = nullptr;  // a loop, by its iterations, or what counts what it has found
  int64_t part = 1;             // elements that each iteration, or find, adds
  uint32_t which = 0;           // of the lengths that its maker has
  bool operator==(const RunTimeExtent&) const = default;
};

// The lengths that a dimension of a Parameter may have: "1..50", "..8", "2..", "?", "7".
struct Bounds {
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  int64_t least = 0, most = kNoLimit;
};

struct OutputPort {
  TensorType type;  // of a dynamic declaration: dims hold -1
  // The XML gave precision and dims. A port without dims declares nothing: OpenVINO writes an
  // unknown rank as it writes a scalar. (Parameter and Const say themselves what they are.)
  bool declared = false;
  std::vector<std::string> names;  // tensor names, may be empty
  std::optional<RunTimeExtent> run_time_extent = std::nullopt;
  // The type that the XML gives where `type` stands in for it; null: they are the same.
  const WidenedType* widened = nullptr;
  // Bit i is set where the extent of axis i follows from the length of a dynamic time axis.
  uint32_t open_axes = 0;
};

// How often a body runs; the shape rule of its operation says so.
struct Trips {
  int64_t most = 0;
  bool exact = true;     // always `most` times; else the run decides
  bool limited = false;  // `most` is a bound the model itself does not set: to reach it is a fault
};

// A nested network: the body of TensorIterator and Loop (one), then- and else-body of If (two).
struct Body {
  std::unique_ptr<Graph> graph;
  PortMap map;
  Trips trips;
  // Of a Loop with a run-time trip count: its condition is false after so many iterations at the
  // latest, whatever the data.
  std::optional<int64_t> most_trips = std::nullopt;
};

struct Node {
  int64_t id = -1;
  int line = 0;
  // The type as written, but one spelling for Parameter, Result, Const, Assign, ReadValue,
  // TensorIterator, Loop and If. The version as written: "opset1", "experimental", empty.
  std::string name, type, version;
  // Of the <data> element; a Result's `output_names` too, which stands on the layer itself.
  std::map<std::string, std::string> attributes;
  std::vector<Source> inputs;                              // in port order; every port is connected
  std::vector<std::optional<TensorType>> declared_inputs;  // at the input ports; for checks only
  std::vector<OutputPort> outputs;                         // in port order
  std::optional<Constant> constant;  // of Const, and of whatever the folding pass has computed
  std::vector<Body> bodies;
  std::vector<Bounds> bounds;  // of a Parameter, as declared; empty: the dims say it all
  const ops::Operation* operation = nullptr;  // set by the resolving pass
};

struct Graph {
  std::string name;
  std::string file;                          // for messages: "model.xml"
  std::vector<std::unique_ptr<Node>> nodes;  // in file order until a pass sorts them
  std::vector<Node*> parameters;             // in file order: this is the order of the ports
  std::vector<Node*> results;
  std::vector<Node*> sinks;  // Assign: reachable work without a Result
};

// The type that the source's element type stands in for; null: none.
inline const WidenedType* WidenedOf(const Source& source) {
  return source.node->outputs[source.port].widened;
}

inline const std::optional<RunTimeExtent>& ExtentOf(const Source& source) {
  return source.node->outputs[source.port].run_time_extent;
}

// The layers that are part of the IR's structure; the reader gives their types one spelling.
inline bool IsParameter(const Node& node) { return node.type == "Parameter"; }
inline bool IsResult(const Node& node) { return node.type == "Result"; }
inline bool IsReadValue(const Node& node) { return node.type == "ReadValue"; }
inline bool IsAssign(const Node& node) { return node.type == "Assign"; }
inline bool IsIf(const Node& node) { return node.type == "If"; }
inline bool IsLoop(const Node& node) { return node.type == "Loop"; }
inline bool IsTensorIterator(const Node& node) { return node.type == "TensorIterator"; }
// Its body runs once per iteration.
inline bool Iterates(const Node& node) { return IsLoop(node) || IsTensorIterator(node); }

// Nodes needed for the graph's results and sinks, producers before consumers. Parameters are always
// part. The reader has refused cycles, so the order exists. Bodies are not entered.
std::vector<Node*> Topological(const Graph& graph);

// "model.xml:96: layer 12 "rnn" (TensorIterator)": how every complaint about a node begins. The
// line is the node's own, or that of one of its parts (an entry of its port map).
std::string Where(const Graph& graph, const Node& node);
std::string Where(const Graph& graph, const Node& node, int line);

// The type of a Parameter with its bounds: "f32[1..50,3]".
std::string BoundedText(const Node& parameter);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_GRAPH_H_
