// SPDX-License-Identifier: Apache-2.0
// One operation of the IR as the converter implements it: its name, the opset that introduced this
// version, the shape rule, the lowering to steps and the traits that passes use (traits.h).
// ops/table.cc has one row per version; each family has one source file with the functions. Shape
// rule and lowering access a node only through the scopes below; they report errors there and never
// abort.
#ifndef WEFT_CONVERTER_OPS_OPERATION_H_
#define WEFT_CONVERTER_OPS_OPERATION_H_

#include <fmt/format.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"
#include "converter/ops/traits.h"
#include "converter/program/builder.h"

namespace weft::ops {

class InferScope;
class LowerScope;

inline constexpr int kAnyNumber = -1;  // of inputs: no maximum
// The opset of operations that only passes create; no specification has them.
inline constexpr int kPassOnly = 0;
// The version of these operations in graphs of readers, for rows with the trait is_extension.
inline constexpr const char* kReaderVersion = "weft";

// One row: one version of an operation.
struct Operation {
  std::string_view name;  // as in the opset specifications
  // The opset that introduced this version, or under which old converters write it: ROIPooling,
  // ReorgYolo and MVN are written as opset1 although opset2 introduced them.
  int opset;
  int min_inputs, max_inputs;
  void (*infer)(InferScope&);
  void (*lower)(LowerScope&);
  Traits traits = {};  // properties that passes use
};

// The traits of a node. A node without a row has the defaults, which promise nothing.
const Traits& TraitsOf(const ir::Node& node);

// All rows, sorted by name, then opset.
std::span<const Operation> Table();
// The newest version of `name` (case-insensitive, including aliases) not above `opset`; null if
// there is none.
const Operation* Find(std::string_view name, int opset);

// Adds rows to the table for its lifetime; they are found before the table's own rows. For tests of
// a single row. Only one may exist at a time; the rows must outlive it and every graph that uses
// them.
class ExtraRows {
 public:
  explicit ExtraRows(std::span<const Operation> rows);
  ~ExtraRows();
  ExtraRows(const ExtraRows&) = delete;
  ExtraRows& operator=(const ExtraRows&) = delete;
};

// Typed access to the attributes of a node. A malformed value is reported once, and the default is
// returned.
class Attributes {
 public:
  Attributes(const ir::Graph& graph, const ir::Node& node, Faults& faults)
      : graph_(graph), node_(node), faults_(faults) {}
  bool Has(std::string_view key) const;
  std::string Text(std::string_view key, std::string_view fallback) const;
  int64_t Int(std::string_view key, int64_t fallback) const;
  float Float(std::string_view key, float fallback) const;
  bool Bool(std::string_view key, bool fallback) const;  // accepts true, false, 1 and 0
  Dims Ints(std::string_view key, Dims fallback = {}) const;
  std::vector<float> Floats(std::string_view key, std::vector<float> fallback = {}) const;
  std::vector<std::string> Texts(std::string_view key,
                                 std::vector<std::string> fallback = {}) const;
  // Text restricted to `allowed`; otherwise reports an error that lists them and returns the
  // fallback.
  std::string Choice(std::string_view key, std::string_view fallback,
                     std::span<const std::string_view> allowed) const;

 private:
  // `parse` returns nullopt for a text that is not what it `must` be.
  template <typename T, typename Parse>
  T Read(std::string_view key, T fallback, std::string_view must, Parse parse) const;
  void Malformed(std::string_view key, std::string_view must) const;
  const ir::Graph& graph_;
  const ir::Node& node_;
  Faults& faults_;
};

// Shared by both scopes: the node's inputs and constants.
class NodeScope {
 public:
  NodeScope(const ir::Graph& graph, ir::Node& node, Faults& faults)
      : graph_(graph), node_(node), faults_(faults), attributes(graph, node, faults) {}

  const ir::Graph& graph() const { return graph_; }
  const ir::Node& node() const { return node_; }
  ir::Node& mutable_node() { return node_; }
  Faults& faults() { return faults_; }
  size_t input_count() const { return node_.inputs.size(); }
  bool has_input(size_t i) const { return i < input_count(); }
  const TensorType& input_type(size_t i) const;
  const Dims& input_dims(size_t i) const { return input_type(i).dims; }
  ElementType input_element(size_t i) const { return input_type(i).type; }
  // The original type if the input's element type replaces it, else null.
  const WidenedType* input_widened(size_t i) const { return ir::WidenedOf(node_.inputs[i]); }
  // The type as in the IR.
  std::string_view input_type_name(size_t i) const {
    return input_widened(i) != nullptr ? input_widened(i)->name : Name(input_element(i));
  }
  int64_t rank(size_t i) const { return static_cast<int64_t>(input_dims(i).size()); }

  // The input's value if it is known at conversion, else null.
  const ir::Constant* constant(size_t i) const;
  // Elements of a constant input as numbers (any integer, boolean or float type); nullopt if it is
  // not constant.
  std::optional<Dims> Ints(size_t i) const;
  std::optional<std::vector<double>> Numbers(size_t i) const;
  // Reports that input i, called `what`, is computed and must be constant. `reason` follows the
  // demand, with its punctuation.
  void FaultComputed(size_t i, std::string_view what, std::string_view reason = "");
  // Reports each of these attributes that the node lacks.
  void RequireAttributes(std::initializer_list<std::string_view> keys);
  // Normalises `axis`; a negative one counts from the end. Reports "axis -5 of a rank 3 tensor" and
  // returns nullopt if it is out of range.
  std::optional<int64_t> NormalAxis(int64_t axis, int64_t rank);
  // Like Ints, but a missing constant is an error "input 1 (what) is computed at run time; ...".
  std::optional<Dims> RequireInts(size_t i, std::string_view what);

  // Reports the error `file:line: layer id "name" (Type): ` + message.
  template <typename... Args>
  void Fault(fmt::format_string<Args...> text, Args&&... args) {
    AddFault(fmt::format(text, std::forward<Args>(args)...));
  }
  void AddFault(const std::string& message);
  void Warn(const std::string& message);
  bool failed() const { return failed_; }
  void MarkFailed() { failed_ = true; }

 protected:
  const ir::Graph& graph_;
  ir::Node& node_;
  Faults& faults_;
  bool failed_ = false;

 public:
  const Attributes attributes;
};

// The ReadValue nodes of a graph by their variable_id.
using VariableReads = std::multimap<std::string, const ir::Node*>;
VariableReads ReadsIn(const ir::Graph& graph);

// The scope of a shape rule, which reads and checks inputs and attributes and sets the type and
// dims of every output.
class InferScope : public NodeScope {
 public:
  using NodeScope::NodeScope;
  void SetOutput(size_t i, ElementType type, Dims dims);
  void SetOutput(size_t i, const TensorType& type) { SetOutput(i, type.type, type.dims); }
  // Sets the original type that output i's element type replaces; null: none.
  void SetWidened(size_t i, const WidenedType* type) { node_.outputs[i].widened = type; }
  size_t output_count() const { return node_.outputs.size(); }
  // Whether the declared shapes of the XML are compared with the inferred ones, in bodies too.
  bool check_declared = true;
  // The user's bound on the iterations of loops whose number is known at run time only.
  int64_t max_iterations = 0;  // 0: not given
  // Whether outputs must fit the file format. Not for T steps (ir/time_length.h).
  bool limits_bytes = true;
  // Infers the graph of a body like this graph. Returns false after reporting errors.
  std::function<bool(ir::Graph& body)> infer_body;
  // The reads of the graph if the caller has collected them, else null.
  const VariableReads* reads = nullptr;
  std::vector<const ir::Node*> ReadsOf(const std::string& id) const;
  // Disables the comparison with this node's declared shapes.
  void IgnoreDeclared() { ignores_declared_ = true; }
  bool ignores_declared() const { return ignores_declared_; }
  // NumPy's broadcast of two shapes; reports an error that names both if they are incompatible.
  std::optional<Dims> Broadcast(const Dims& a, const Dims& b);

 private:
  bool ignores_declared_ = false;
};

// Shared by the lowerings of one graph's nodes; each member is computed on first use.
struct LowerShared {
  using Output = std::pair<const ir::Node*, uint32_t>;
  struct Read {
    ir::Node* reader;
    size_t input;
  };
  std::optional<std::multimap<const ir::Node*, Read>> reads;  // of a node, by needed nodes
  // Strides along the port's dims of values that are stored in another order.
  std::map<const ir::Node*, Dims> strides;
  std::optional<std::set<Output>> used;  // outputs that are read
  // Sinks by the root of the value they store, with their indices among the graph's sinks.
  std::multimap<program::ValueId, size_t> sinks;
  size_t sink = 0;  // the sink being lowered
};

// The scope of a lowering, which emits the steps of a node. Types and dims are final and shape
// inference has reported all errors, so that lowering does not fail. The exception is a node
// without steps: report it with Fault, which stops the conversion.
class LowerScope : public NodeScope {
 public:
  // The values of node outputs; filled by SetOutput, read by input().
  using Values = std::map<std::pair<const ir::Node*, uint32_t>, program::ValueId>;
  static constexpr uint32_t kLengthPort = 0xFFFFFFFFu;  // see SetLength

  LowerScope(const ir::Graph& graph, ir::Node& node, Faults& faults, program::Builder& target,
             Values& values, LowerShared* shared = nullptr)
      : NodeScope(graph, node, faults), builder(target), values_(values), shared_(shared) {}

  // The value of input i; constants become weights on first use.
  program::ValueId input(size_t i);
  const TensorType& output_type(size_t i) const { return node_.outputs[i].type; }
  // A new scratch value of output i's type, registered as that output.
  program::ValueId NewOutput(size_t i);
  void SetOutput(size_t i, program::ValueId value);
  // Sets the value (i32) that holds a run-time length of the node: the number of iterations done or
  // elements found. `which` distinguishes several lengths.
  void SetLength(program::ValueId length, uint32_t which = 0) {
    values_[{&node_, kLengthPort - which}] = length;
  }
  // Returns true if output i is read. Other outputs need not be set.
  bool IsUsed(size_t i) const;
  // The sinks lowered after this one that store a value whose root is `root`.
  std::vector<const ir::Node*> SinksIn(program::ValueId root) const;
  void KeepAllOutputs() { keeps_all_outputs_ = true; }
  // Registers input `from` as output i under the output's dims, without a step (Reshape and
  // similar).
  void Forward(size_t from, size_t i);
  // Registers input 0, which holds the elements at other strides, as the only output. Returns false
  // and registers nothing unless all readers accept strides (traits.h, takes_strides).
  bool ForwardAt(const Dims& strides);
  // The strides of input i along its dims, in elements. A row with takes_strides must use them.
  Dims input_strides(size_t i) const;
  Values& values() { return values_; }

  program::Builder& builder;
  // Lowers a body, whose Parameters have their values in `values`, into the builder's current block
  // and returns the values of its Results. Set only for operations with bodies; else null.
  std::vector<program::ValueId> (*lower_body)(ir::Graph& body, program::Builder& builder,
                                              Values& values, Faults& faults) = nullptr;

 private:
  bool IsReadByStrides() const;

  Values& values_;
  LowerShared* const shared_;
  bool keeps_all_outputs_ = false;
};

// Lowers the node of the scope by its row. Outputs without elements need no steps, so that only
// operations with several outputs, states or bodies can be lowered with an empty output.
void Lower(LowerScope& scope);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_OPERATION_H_
