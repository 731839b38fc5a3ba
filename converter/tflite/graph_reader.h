// SPDX-License-Identifier: Apache-2.0
// Reads one subgraph into a graph. Internal to read.cc and builder.cc.
#ifndef WEFT_CONVERTER_TFLITE_GRAPH_READER_H_
#define WEFT_CONVERTER_TFLITE_GRAPH_READER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"
#include "converter/tflite/builder.h"
#include "converter/tflite/read.h"
#include "converter/tflite/unsupported.h"

namespace weft::tflite {

inline constexpr size_t kMaxDepth = 16;  // of subgraphs in subgraphs

// Shared by all graphs of a model.
struct Reading {
  const Model& model;
  Faults& faults;
  Unsupported& unsupported;
  ReadOptions options = {};
  int64_t next_id = 0;                 // of a node
  std::vector<size_t> subgraphs = {};  // that are being read, from the outermost
  size_t bodies = 0;                   // read so far
};

class GraphReader {
 public:
  GraphReader(Reading& reading, size_t subgraph);
  // Reads the operators after the current one of `before`, with the values that they read as ports.
  explicit GraphReader(GraphReader& before);
  GraphReader(const GraphReader&) = delete;
  GraphReader& operator=(const GraphReader&) = delete;
  ~GraphReader();

  // Reads the main graph, with the types of the file's ports.
  std::unique_ptr<ir::Graph> ReadMain();
  // Reads a body.
  Inner ReadBody();

 private:
  friend class Builder;
  friend class InnerGraph;
  struct State {
    ir::Node* read;  // null if the state is assigned first
    ir::Source value;
    std::optional<ir::Constant> initial = {};  // in a body
    bool is_assumed = false;
  };

  bool IsMain() const { return reading_.subgraphs.size() == 1; }
  const Tensor& TensorAt(int32_t id) const { return from_.tensors[static_cast<size_t>(id)]; }
  ir::Source Value(int32_t id);
  ir::Source NumbersOf(const Tensor& tensor);
  void ReadPortsAndOperators();
  void RemoveUnreadOutputs();
  void ReadInput(size_t position);
  void ReadOperators();
  void ReadOperator();
  void ReadRest();
  std::string NameOfKept(int32_t id) const;
  void Keep(int32_t id);
  bool HasTensorOf(const Operator& op, bool (*is_of)(schema::ElementType)) const;
  void SetOutput(size_t output, ir::Source value);
  // Returns true if a layer of the operator that is being read computes the value.
  bool IsOwn(const ir::Source& value) const;
  void ReadOutput(size_t position);
  void AssignStates();
  std::map<std::string, InnerState> ExposedStates();
  ir::Node& AddNode(std::string name, std::string type, std::string version);
  ir::Source Hole();
  // "model.tflite: operator 12 CONV_2D "name"".
  std::string Where() const;
  std::string VariableName(int32_t id) const;  // of the state of a variable tensor
  std::string PortName(int32_t id, bool is_input) const;
  void AddNames(ir::Source source, int32_t id, const std::string& name);

  Reading& reading_;
  const size_t index_;
  const Subgraph& from_;
  std::vector<int32_t> inputs_, outputs_;  // tensors of the ports
  std::vector<int32_t> kept_ = {};         // tensors whose last value is a state
  std::unique_ptr<ir::Graph> graph_;
  Builder builder_;
  size_t at_ = 0;                        // index of the operator that is being read
  std::string layer_name_;               // first part of the names of new nodes
  size_t first_node_ = 0;                // of the operator that is being read
  bool is_refused_ = false;              // the operator has a fault
  std::optional<ir::Source> runs_rest_;  // condition for the operators after the current one
  std::map<int32_t, ir::Source> values_;
  std::map<int32_t, std::string> handles_;
  std::map<std::string, State> states_;
  ir::Node* hole_ = nullptr;
};

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_GRAPH_READER_H_
