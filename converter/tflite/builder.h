// SPDX-License-Identifier: Apache-2.0
// The interface between operators of TFLite and the graph. A function of an operator reads its
// options and inputs from a Builder and adds layers of the IR that compute its outputs.
//
// Quantised tensors are f32 numbers in the graph: Input() of a quantised constant is computed from
// its codes, and Set() adds a FakeQuantize with the scale of the output tensor. Other integers are
// integers. The subgraph's tensors keep the layout of the file (NHWC).
//
//   void Tanh(Builder& b) { b.Set(0, b.Add("Tanh", {b.Input(0)})); }
#ifndef WEFT_CONVERTER_TFLITE_BUILDER_H_
#define WEFT_CONVERTER_TFLITE_BUILDER_H_

#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"
#include "converter/tflite/model.h"
#include "converter/tflite/tensor_data.h"

namespace weft::tflite {

using Attributes = std::map<std::string, std::string>;
using Sources = std::vector<ir::Source>;

// The version of operations that only weft has (converter/ops/operation.h).
inline constexpr const char* kOwnVersion = "weft";

// "1,2,3", as in attributes of the IR.
std::string ListText(std::span<const int64_t> numbers);

class GraphReader;

// A state that a subgraph of a control operator uses: Parameter and Result of the subgraph have its
// values before and after it. `initial` is its value in the first run if the model states no other.
struct InnerState {
  ir::Constant initial;
  ir::Node *before = nullptr, *after = nullptr;
  bool is_assumed = false;
};
// A subgraph of a control operator. The ports of the file are followed by those of its states.
struct Inner {
  std::unique_ptr<ir::Graph> graph;
  std::map<std::string, InnerState> states = {};
};

class Builder {
 public:
  explicit Builder(GraphReader& reader) : reader_(reader) {}
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  // --- The operator
  const Operator& op() const;
  // The options; all defaults if the file has none. Adds a fault if the file has options of another
  // operator.
  template <typename Table>
  const Table& Options() {
    const auto type = schema::OptionsTraits<Table>::enum_value;
    const schema::Operator& table = *op().table;
    if (table.options_type() == type && table.options() != nullptr) {
      return *static_cast<const Table*>(table.options());
    }
    if (table.options_type() != schema::Options::NONE) RefuseOptions();
    static const flatbuffers::DetachedBuffer empty = [] {
      flatbuffers::FlatBufferBuilder buffer;
      const flatbuffers::uoffset_t start = buffer.StartTable();
      buffer.Finish(flatbuffers::Offset<Table>(buffer.EndTable(start)));
      return buffer.Release();
    }();
    return *flatbuffers::GetRoot<Table>(empty.data());
  }

  // --- Inputs. Indices beyond the operator's inputs are left out, too.
  size_t input_count() const;
  size_t output_count() const;
  bool Has(size_t input) const;
  // Facts of the file. The shape may be replaced by --shape; its rank is reliable.
  const Tensor& InputTensor(size_t input) const;
  const Tensor& OutputTensor(size_t output) const;
  int64_t Rank(size_t input) const;
  // Returns true if the tensor has the shape of the file in every conversion.
  bool HasFixedShape(const Tensor& tensor) const;
  // Adds a fault and returns false if the input has another rank.
  bool RequireRank(size_t input, int64_t rank);
  // The value, as f32 if it is quantised. A left-out input, which adds a fault, is a hole.
  ir::Source Input(size_t input);
  Sources Inputs();  // all of them
  // The elements of an integer constant, whatever its scale; nullopt after a fault if it is
  // computed.
  std::optional<std::vector<int64_t>> Integers(size_t input);
  // Likewise; nullopt without a fault.
  std::optional<std::vector<int64_t>> KnownIntegers(size_t input) const;

  // --- Layers. A layer has the name of the tensor that it computes; the names of other layers are
  // that of the first output tensor, "/" and their type.
  ir::Node& AddNode(std::string type, std::string version, Attributes attributes, Sources inputs,
                    size_t outputs = 1);
  ir::Source Add(std::string type, std::string version, Attributes attributes, Sources inputs);
  ir::Source Add(std::string type, Sources inputs);  // of opset1, without attributes
  ir::Source Float(float number);                    // a scalar
  ir::Source Floats(const Dims& dims, std::span<const float> numbers);
  ir::Source Int(int64_t number);                     // a scalar of i64
  ir::Source Ints(std::span<const int64_t> numbers);  // a vector of i64
  ir::Source Const(const TensorType& type, std::vector<std::byte> bytes);
  ir::Source Const(ir::Constant constant);  // shares the bytes
  ir::Source Transposed(ir::Source x, std::span<const int64_t> order);
  // dims may contain -1 once; 0 is an empty axis.
  ir::Source Reshaped(ir::Source x, std::span<const int64_t> dims);
  ir::Source Sliced(ir::Source x, int64_t axis, int64_t begin, int64_t end);
  ir::Source Joined(const Sources& parts, int64_t axis);
  ir::Source Unsqueezed(ir::Source x, int64_t axis);
  ir::Source Squeezed(ir::Source x, int64_t axis);
  ir::Source Broadcasted(ir::Source x, ir::Source shape);
  ir::Source Converted(ir::Source x, ElementType type);
  ir::Source Activated(ir::Source x, schema::Activation activation);

  // --- Outputs
  // Sets the value of an output. If its tensor is quantised, quantises the value.
  void Set(size_t output, ir::Source value);
  // Sets the value of an output whose elements are elements of input `from`. Quantises it only if
  // both tensors have different quantisation parameters, or the input is a constant.
  void SetMoved(size_t output, ir::Source value, size_t from = 0);

  // The file's reader has set the constant of the output.
  void SetConstant(size_t output);

  // --- State
  // A tensor of type resource has the name of its variable instead of a value.
  void SetHandle(size_t output, std::string variable);
  const std::string* Handle(size_t input) const;  // null: not a handle
  // The current value of a state. Its first use creates a ReadValue that starts with `initial`, or
  // a Parameter in a subgraph of a control operator, where `initial` must be a constant. It
  // `is_assumed` if the model may state another one.
  ir::Source State(const std::string& name, ir::Source initial, bool is_assumed = false);
  bool HasState(const std::string& name) const;
  // The name of a state of the operator: the name of its first output, "/" and `what`.
  std::string StateName(const char* what) const;
  // Replaces the current value. The last one of the graph is kept for the next run.
  void SetState(const std::string& name, ir::Source value);
  // A variable tensor: its state has the tensor's name and starts with 0, the zero point if it is
  // quantised.
  std::string VariableName(size_t input) const;
  ir::Source Variable(size_t input);
  ir::Source Variable(size_t input, const Dims& dims);  // with other dims than the tensor's
  void SetVariable(size_t input, ir::Source value);
  // Returns the number of elements of a variable; 0, with a fault, if there are more than a model
  // for boards can have.
  size_t VariableElements(size_t input, const Dims& dims);

  // --- Control
  // Reads a subgraph of a control operator. Its Parameters and Results have the order of its inputs
  // and outputs; quantised ones have codes. The graph is null after a fault.
  Inner Body(int32_t subgraph);
  // Between this graph and a subgraph: an input as a port has it, and an output from a port.
  ir::Source PortInput(size_t input);
  void SetPort(size_t output, ir::Source value);
  const Subgraph* SubgraphAt(int32_t subgraph);  // null after a fault
  // Later operators run only if the condition is true. Else the outputs that they compute, and
  // their states, keep their values.
  void RunRestIf(ir::Source condition);
  const Model& model() const;
  bool is_main() const;  // the graph is no subgraph of a control operator
  bool rounds_as_litert() const;
  ir::Graph& graph();

  // The place of the operator in the file, "operator 12 CONV_2D "name"".
  std::string Place() const;

  // --- Messages: "model.tflite: operator 12 CONV_2D "name": " and the text.
  template <typename... Args>
  void Refuse(fmt::format_string<Args...> text, Args&&... args) {
    AddFault(fmt::format(text, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void Warn(fmt::format_string<Args...> text, Args&&... args) {
    AddWarning(fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  friend class GraphReader;
  friend class InnerGraph;
  void AddFault(const std::string& text);
  void AddWarning(const std::string& text);
  void RefuseOptions();

  GraphReader& reader_;
};

// While it exists, new layers are added to a new graph, which becomes the body of a loop. Only
// constants may be read as inputs.
class InnerGraph {
 public:
  InnerGraph(Builder& builder, std::unique_ptr<ir::Graph>& graph);
  InnerGraph(const InnerGraph&) = delete;
  InnerGraph& operator=(const InnerGraph&) = delete;
  ~InnerGraph();

 private:
  void Exchange();

  GraphReader& reader_;
  std::unique_ptr<ir::Graph>& graph_;
  std::map<int32_t, ir::Source> values_;
  ir::Node* hole_ = nullptr;
};

using OperatorFunction = void (*)(Builder&);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_BUILDER_H_
