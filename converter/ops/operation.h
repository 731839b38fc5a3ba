// SPDX-License-Identifier: Apache-2.0
// What the converter knows of one operation of the IR: its name, the opset that introduced this
// version, the shape rule, the lowering to steps and what passes ask of it (traits.h). One row per
// version in ops/table.cc; one file per family holds the functions. Both functions see a node only
// through the scopes below; they report faults there and never abort.
#ifndef WEFT_CONVERTER_OPS_OPERATION_H_
#define WEFT_CONVERTER_OPS_OPERATION_H_

#include <fmt/format.h>

#include <functional>
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

inline constexpr int kAnyNumber = -1;  // of inputs, where there is no most
inline constexpr int kOfPasses = 0;    // for an opset: no document has it, passes make it alone

struct Operation {
  std::string_view name;  // as in the opset documents
  // That introduced this version, or under which old converters write it: ROIPooling, ReorgYolo and
  // MVN say opset1 though they came with opset2.
  int opset;
  int min_inputs, max_inputs;
  void (*infer)(InferScope&);
  void (*lower)(LowerScope&);
  Traits traits = {};  // what passes ask of it
};

// Of a node without a row: the defaults, which promise nothing.
const Traits& TraitsOf(const ir::Node& node);

// All rows, sorted by name, then opset.
std::span<const Operation> Table();
// Newest version of `name` (any case, aliases too) not above `opset`; null when there is none.
const Operation* Find(std::string_view name, int opset);

// More rows beside the table's while it lives, found before them: for tests of what a row brings by
// itself. One at a time; the rows must outlive it and every graph that uses them.
class ExtraRows {
 public:
  explicit ExtraRows(std::span<const Operation> rows);
  ~ExtraRows();
  ExtraRows(const ExtraRows&) = delete;
  ExtraRows& operator=(const ExtraRows&) = delete;
};

// Attributes of a node, read by type. A malformed value is reported once and the default returned.
class Attributes {
 public:
  Attributes(const ir::Graph& graph, const ir::Node& node, Faults& faults)
      : graph_(graph), node_(node), faults_(faults) {}
  bool Has(std::string_view key) const;
  std::string Text(std::string_view key, std::string_view fallback) const;
  int64_t Int(std::string_view key, int64_t fallback) const;
  float Float(std::string_view key, float fallback) const;
  bool Bool(std::string_view key, bool fallback) const;  // true false 1 0
  Dims Ints(std::string_view key, Dims fallback = {}) const;
  std::vector<float> Floats(std::string_view key, std::vector<float> fallback = {}) const;
  std::vector<std::string> Texts(std::string_view key,
                                 std::vector<std::string> fallback = {}) const;
  // Text restricted to `allowed`; else a fault that lists them, and the fallback.
  std::string Choice(std::string_view key, std::string_view fallback,
                     std::span<const std::string_view> allowed) const;

 private:
  void Malformed(std::string_view key, std::string_view must) const;
  const ir::Graph& graph_;
  const ir::Node& node_;
  Faults& faults_;
};

// What both scopes share: the node's inputs and constants.
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
  // The type that the input's element type stands in for, or null.
  const WidenedType* input_widened(size_t i) const { return ir::WidenedOf(node_.inputs[i]); }
  // As the IR has it.
  std::string_view input_type_name(size_t i) const {
    return input_widened(i) != nullptr ? input_widened(i)->name : Name(input_element(i));
  }
  int64_t rank(size_t i) const { return static_cast<int64_t>(input_dims(i).size()); }

  // The input's value when it is known at conversion, else null.
  const ir::Constant* constant(size_t i) const;
  // Elements of a constant input as numbers (any integer, boolean or float type); nullopt when not
  // constant.
  std::optional<Dims> Ints(size_t i) const;
  std::optional<std::vector<double>> Numbers(size_t i) const;
  // Adds the fault of input i, called `what`, which is no constant and must be one; `reason`
  // follows the demand, with its punctuation.
  void FaultComputed(size_t i, std::string_view what, std::string_view reason = "");
  // As Ints, but a missing constant is a fault "input 1 (what) is computed at run time; ...".
  std::optional<Dims> RequireInts(size_t i, std::string_view what);

  // Adds `file:line: layer id "name" (Type): ` + message to the faults.
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

// The ReadValues of a graph by the text of their variable_id.
using VariableReads = std::multimap<std::string, const ir::Node*>;
VariableReads ReadsIn(const ir::Graph& graph);

// The shape rule: looks at inputs and attributes, checks them, sets every output's type and dims.
class InferScope : public NodeScope {
 public:
  using NodeScope::NodeScope;
  void SetOutput(size_t i, ElementType type, Dims dims);
  void SetOutput(size_t i, const TensorType& type) { SetOutput(i, type.type, type.dims); }
  // What output i's element type stands in for.
  void SetWidened(size_t i, const WidenedType* type) { node_.outputs[i].widened = type; }
  size_t output_count() const { return node_.outputs.size(); }
  // Are the XML's declared shapes to be held against the inferred ones, in bodies too?
  bool check_declared = true;
  // The user's bound on iterations that only the run counts.
  int64_t max_iterations = 0;  // 0: none given
  // Infers the graph of a body in the way this one is inferred; false when it has added faults.
  std::function<bool(ir::Graph& body)> infer_body;
  // Of the graph, where the caller has them at hand.
  const VariableReads* reads = nullptr;
  std::vector<const ir::Node*> ReadsOf(const std::string& id) const;
  // This node's declared shapes are known to be of no use.
  void IgnoreDeclared() { ignores_declared_ = true; }
  bool ignores_declared() const { return ignores_declared_; }
  // "axis -5 of a rank 3 tensor" -> fault and nullopt; negatives count from the end.
  std::optional<int64_t> NormalAxis(int64_t axis, int64_t rank);
  // NumPy broadcast of two shapes; a fault names both when they do not agree.
  std::optional<Dims> Broadcast(const Dims& a, const Dims& b);

 private:
  bool ignores_declared_ = false;
};

// What the lowerings of one graph's nodes share; each part is made when it is first asked for.
struct LowerShared {
  using Output = std::pair<const ir::Node*, uint32_t>;
  struct Read {
    ir::Node* reader;
    size_t input;
  };
  std::optional<std::multimap<const ir::Node*, Read>> reads;  // of nodes that are needed
  // Of the values that lie in another order than the dims of their ports: the strides along those.
  std::map<const ir::Node*, Dims> strides;
  std::optional<std::set<Output>> used;  // outputs that are read
  // Sinks by the root of what they store, with their places among the graph's sinks.
  std::multimap<plan::ValueId, size_t> sinks;
  size_t sink = 0;  // the one being lowered
};

// Lowering: emits steps for the node. Types and dims are final, every fault has been found before,
// so lowering does not fail (but for what has no steps: use Fault for that, it stops the
// conversion).
class LowerScope : public NodeScope {
 public:
  // Where a node's outputs go; filled by SetOutput, read by input().
  using Values = std::map<std::pair<const ir::Node*, uint32_t>, plan::ValueId>;
  static constexpr uint32_t kLengthPort = 0xFFFFFFFFu;  // see SetLength

  LowerScope(const ir::Graph& graph, ir::Node& node, Faults& faults, plan::Builder& target,
             Values& values, LowerShared* shared = nullptr)
      : NodeScope(graph, node, faults), builder(target), values_(values), shared_(shared) {}

  // The value of input i; constants become weights on first use.
  plan::ValueId input(size_t i);
  const TensorType& output_type(size_t i) const { return node_.outputs[i].type; }
  // A fresh scratch value of output i's type, registered as that output.
  plan::ValueId NewOutput(size_t i);
  void SetOutput(size_t i, plan::ValueId value);
  // The value (i32) that holds how many iterations the node has done, or places it has found, once
  // it has run; `which` of several such numbers.
  void SetLength(plan::ValueId length, uint32_t which = 0) {
    values_[{&node_, kLengthPort - which}] = length;
  }
  // Is output i read? What is not read need not be set.
  bool IsUsed(size_t i) const;
  // Of the sinks that are lowered after this one: those that store what stands in `root`.
  std::vector<const ir::Node*> SinksIn(plan::ValueId root) const;
  void KeepAllOutputs() { keeps_all_outputs_ = true; }
  // Registers input `from` as output i under the output's own dims: no step at all (Reshape and
  // kin).
  void Forward(size_t from, size_t i);
  // Registers input 0 as the one output, whose elements it holds at other strides, if all that read
  // the output take it so (traits.h, takes_strides); else false.
  bool ForwardAt(const Dims& strides);
  // The strides of input i along its dims, in elements: where the row takes strides, it must ask.
  Dims input_strides(size_t i) const;
  Values& values() { return values_; }

  plan::Builder& builder;
  // Lowers a body whose Parameters stand in `values` into the builder's current block; returns the
  // values of its Results. Of operations with bodies only; null where none can be met.
  std::vector<plan::ValueId> (*lower_body)(ir::Graph& body, plan::Builder& builder, Values& values,
                                           Faults& faults) = nullptr;

 private:
  bool IsReadByStrides() const;

  Values& values_;
  LowerShared* const shared_;
  bool keeps_all_outputs_ = false;
};

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_OPERATION_H_
