// SPDX-License-Identifier: Apache-2.0
// Resource variables. A handle is the name of a variable; handles of one name in any subgraph are
// one variable. Reads and writes have the order of the operators. CALL_ONCE gives the values with
// which the first run, and each run after a reset, starts.
#include <map>
#include <string>

#include "converter/tflite/control.h"
#include "converter/tflite/quantised.h"

namespace weft::tflite {
namespace {

constexpr int kVarHandle = 142, kAssignVariable = 144;

// "container/name", or the name if there is no container.
std::string NameOfVariable(const schema::VarHandleOptions* options) {
  const auto text = [](const flatbuffers::String* part) {
    return part == nullptr ? std::string() : part->str();
  };
  if (options == nullptr) return "variable";
  const std::string container = text(options->container()), name = text(options->shared_name());
  return container.empty() ? (name.empty() ? "variable" : name) : container + "/" + name;
}

// The numbers of a constant tensor of any subgraph.
ir::Source NumbersOf(Builder& b, const Tensor& tensor) {
  return IsQuantised(tensor) ? Dequantised(b, tensor) : b.Const(*tensor.constant);
}

// Zeros of the type that the tensor's values have in the graph.
ir::Source ZerosOf(Builder& b, const Tensor& tensor) {
  const ElementType type =
      IsQuantised(tensor) ? ElementType::f32 : IrTypeOf(tensor.type).value_or(ElementType::f32);
  const TensorType zeros = {type, tensor.dims};
  return b.Const(zeros, std::vector<std::byte>(static_cast<size_t>(DenseBytes(zeros).value_or(0))));
}

const std::string* HandleOf(Builder& b) {
  const std::string* variable = b.Handle(0);
  if (variable == nullptr) {
    b.Refuse("input 0 is not the output of a VAR_HANDLE of the same subgraph; must be one");
  }
  return variable;
}

}  // namespace

void WarnOfZeros(Builder& b, const std::string& variable) {
  if (!b.is_main() || b.HasState(variable)) return;
  b.Warn("variable \"{}\" has no initial value; it starts with zeros", variable);
}

void VarHandle(Builder& b) {
  b.SetHandle(0, NameOfVariable(&b.Options<schema::VarHandleOptions>()));
}

// A variable without a value from CALL_ONCE starts with zeros.
void ReadVariable(Builder& b) {
  const std::string* variable = HandleOf(b);
  if (variable == nullptr) return;
  WarnOfZeros(b, *variable);
  b.Set(0, b.State(*variable, ZerosOf(b, b.OutputTensor(0))));
}

void AssignVariable(Builder& b) {
  const std::string* variable = HandleOf(b);
  if (variable == nullptr) return;
  if (!b.is_main()) b.State(*variable, ZerosOf(b, b.InputTensor(1)));
  b.SetState(*variable, b.Input(1));
}

// The subgraph may only assign constants.
void CallOnce(Builder& b) {
  const Subgraph* init = b.SubgraphAt(b.Options<schema::CallOnceOptions>().init_subgraph_index());
  if (init == nullptr) return;
  std::map<int32_t, std::string> handles;
  for (const Operator& op : init->operators) {
    if (op.number == kVarHandle && op.outputs.size() == 1) {
      handles[op.outputs[0]] = NameOfVariable(op.table->options_as_VarHandleOptions());
      continue;
    }
    const bool assigns = op.number == kAssignVariable && op.inputs.size() == 2 &&
                         handles.contains(op.inputs[0]) && op.inputs[1] != kLeftOut;
    const Tensor* value = assigns ? &init->tensors[static_cast<size_t>(op.inputs[1])] : nullptr;
    if (value == nullptr || !value->constant) {
      return b.Refuse(
          "calls a subgraph that does more than assign constants to variables; "
          "initial values must be constants");
    }
    b.State(handles[op.inputs[0]], NumbersOf(b, *value));
  }
}

}  // namespace weft::tflite
