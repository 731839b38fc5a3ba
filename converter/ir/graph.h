// SPDX-License-Identifier: Apache-2.0
// The model as in the XML, with edges and port maps resolved to pointers and with nested bodies. It
// has no knowledge of the meaning of operations. Output ports have the declared shapes until the
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
#include "converter/base/quantisation.h"
#include "converter/ir/port_map.h"

namespace weft::ops {
struct Operation;
}

namespace weft::ir {

struct Node;
struct Graph;

// The output of a node that is connected to an input.
struct Source {
  Node* node = nullptr;
  uint32_t port = 0;  // index among the node's outputs, not the XML's port id
  bool operator==(const Source&) const = default;
};

// A constant's bytes, row-major; elements of 4 bits are packed low nibble first.
struct Constant {
  TensorType type;
  std::shared_ptr<const void> owner;  // keeps `bytes` alive
  std::span<const std::byte> bytes;
  // For floats computed from integers of at most 8 bits, such as compressed weights; else null.
  QuantisationPtr quantisation = nullptr;
};

// An axis with a run-time length. The tensor type has its maximum length.
struct RunTimeExtent {
  size_t axis = 0;
  const Node* maker = nullptr;  // the node that determines it: a loop, or a search such as NonZero
  int64_t part = 1;             // elements per iteration or per found element
  uint32_t which = 0;           // index among the lengths of `maker`
  bool operator==(const RunTimeExtent&) const = default;
};

// Attribute of the ReadValue of a state that --state declares: the name of the output. The
// variable has the name of the input.
inline constexpr const char* kDeclaredState = "declared_state";

// The lengths that a dimension of a Parameter may have: "1..50", "..8", "2..", "?", "7".
struct Bounds {
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  int64_t min = 0, max = kNoLimit;
};

struct OutputPort {
  TensorType type;  // dynamic dims are -1
  // True if the XML has precision and dims. A port without dims declares nothing, because OpenVINO
  // writes an unknown rank like a scalar. Parameter and Const declare their types in <data>.
  bool declared = false;
  std::vector<std::string> names;  // tensor names, may be empty
  std::optional<RunTimeExtent> run_time_extent = std::nullopt;
  // The type in the XML if `type` replaces it, else null.
  const WidenedType* widened = nullptr;
  // The extents for 2 * T steps if any depends on T (time_length.h), else empty.
  Dims doubled = {};
};

// The trip count of a body, set by the shape rule of its operation.
struct Trips {
  int64_t max = 0;
  bool exact = true;     // false: `max` is the maximum of a run-time count
  bool limited = false;  // `max` is --max-iterations; reaching it is a run-time fault
};

// A nested network: the body of TensorIterator and Loop (one), then- and else-body of If (two).
struct Body {
  std::unique_ptr<Graph> graph;
  PortMap map;
  Trips trips;
  // For a Loop with a run-time trip count: the maximum number of iterations that its condition
  // allows for any data.
  std::optional<int64_t> max_trips = std::nullopt;
};

struct Node {
  int64_t id = -1;
  int line = 0;
  // `type` as in the XML, normalised for Parameter, Result, Const, Assign, ReadValue,
  // TensorIterator, Loop and If. `version` as in the XML: "opset1", "experimental", or empty.
  std::string name, type, version;
  // Attributes of the <data> element, and a Result's `output_names`, an attribute of the layer.
  std::map<std::string, std::string> attributes;
  std::vector<Source> inputs;                              // in port order; every port is connected
  std::vector<std::optional<TensorType>> declared_inputs;  // types on input ports; for checks only
  std::vector<OutputPort> outputs;                         // in port order
  std::optional<Constant> constant;                        // of Const and of folded nodes
  std::vector<Body> bodies;
  std::vector<Bounds> bounds;  // of a Parameter with dynamic dims, as declared; else empty
  const ops::Operation* operation = nullptr;  // set by the pass resolve
};

struct Graph {
  std::string name;
  std::string file;                          // for messages: "model.xml"
  bool is_tflite = false;                    // read from a .tflite file
  std::vector<std::unique_ptr<Node>> nodes;  // in file order until a pass sorts them
  std::vector<Node*> parameters;             // in file order, which is the order of the ports
  std::vector<Node*> results;
  std::vector<Node*> sinks;  // Assign nodes, which are kept although no Result needs them
};

inline const TensorType& TypeOf(const Source& source) {
  return source.node->outputs[source.port].type;
}

// The type in the XML if the source's element type replaces it, else null.
inline const WidenedType* WidenedOf(const Source& source) {
  return source.node->outputs[source.port].widened;
}

inline const std::optional<RunTimeExtent>& ExtentOf(const Source& source) {
  return source.node->outputs[source.port].run_time_extent;
}

// The structural layers of the IR. The reader normalises their type names.
inline bool IsParameter(const Node& node) { return node.type == "Parameter"; }
inline bool IsResult(const Node& node) { return node.type == "Result"; }
inline bool IsReadValue(const Node& node) { return node.type == "ReadValue"; }
inline bool IsAssign(const Node& node) { return node.type == "Assign"; }
inline bool IsIf(const Node& node) { return node.type == "If"; }
inline bool IsLoop(const Node& node) { return node.type == "Loop"; }
inline bool IsTensorIterator(const Node& node) { return node.type == "TensorIterator"; }
// Returns true for loops.
inline bool Iterates(const Node& node) { return IsLoop(node) || IsTensorIterator(node); }

// Returns the parameters and all nodes that the graph's results and sinks need, producers before
// consumers. The graph must have no cycles. Nodes of bodies are not included.
std::vector<Node*> Topological(const Graph& graph);

// Returns a constant that owns these bytes; of zeros.
Constant OwnedConstant(TensorType type, std::vector<std::byte> bytes);
Constant ZerosOf(TensorType type);
// Returns true if all bits are 0.
bool IsOfZeros(const Constant& constant);
// Returns element `i` as a double, whatever its type.
double NumberAt(const Constant& constant, size_t i);
// Returns the elements of a constant of integers or booleans.
std::vector<int64_t> IntegersOf(const Constant& constant);

// Returns the prefix of messages about a node: "model.xml:96: layer 12 "rnn" (TensorIterator)".
// `line` may be the line of a part of the node (an entry of its port map).
std::string Where(const Graph& graph, const Node& node);
std::string Where(const Graph& graph, const Node& node, int line);

// Returns the type of a Parameter with its bounds: "f32[1..50,3]".
std::string BoundedText(const Node& parameter);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_GRAPH_H_
