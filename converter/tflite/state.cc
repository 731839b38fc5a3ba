// SPDX-License-Identifier: Apache-2.0
// Resource variables. A handle is the name of a variable; handles of one name in any subgraph are
// one variable. Reads and writes have the order of the operators. CALL_ONCE gives the values with
// which the first run, and each run after a reset, starts. CIRCULAR_BUFFER, a custom operator of
// TensorFlow Lite for Microcontrollers, has the past of its input as a state.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "converter/tflite/control.h"
#include "converter/tflite/custom_options.h"
#include "converter/tflite/quantised.h"
#include "converter/tflite/recurrent_codes.h"
#include "converter/tflite/resource_names.h"

namespace weft::tflite {
namespace {

constexpr int kAssignVariable = 144;

// The numbers of a constant tensor of any subgraph.
ir::Source NumbersOf(Builder& b, const Tensor& tensor) {
  return IsQuantised(tensor) ? Dequantised(b, tensor) : b.Const(*tensor.constant);
}

// Zeros of the type that the tensor's values have in the graph.
ir::Source ZerosOf(Builder& b, const Tensor& tensor, const Dims& dims) {
  const ElementType type =
      IsQuantised(tensor) ? ElementType::f32 : IrTypeOf(tensor.type).value_or(ElementType::f32);
  const TensorType zeros = {type, dims};
  return b.Const(zeros, std::vector<std::byte>(static_cast<size_t>(DenseBytes(zeros).value_or(0))));
}

constexpr int64_t kMaxCycles = 1 << 16;

// The number of runs from which one continues after the buffer; nullopt after a fault. Without one,
// tflite-micro chooses 1 or 2 by the shapes of two nets: for a buffer of [1,slots,2,96] by the
// number of such buffers before it.
std::optional<int64_t> CyclesOf(Builder& b) {
  int64_t cycles = 0;
  if (HasOption(b, "cycles_max")) {
    const std::optional<std::vector<int64_t>> given = IntegerOptions(b, {"cycles_max"});
    if (!given) return std::nullopt;
    cycles = given->front();
  }
  if (cycles > kMaxCycles) {
    b.Refuse("cycles_max is {}; must be at most {}", cycles, kMaxCycles);
    return std::nullopt;
  }
  if (cycles > 0) return cycles;
  const Dims& dims = b.OutputTensor(0).dims;
  constexpr int64_t kEachRun[] = {5, 13, 25};
  if (std::ranges::find(kEachRun, dims[1]) != std::end(kEachRun)) return 1;
  if (dims[2] == 2 && dims[3] == 96) {
    b.Refuse("cycles_max is {} for a shape of {}; must be at least 1", cycles, ToString(dims));
    return std::nullopt;
  }
  b.Warn("cycles_max is {}; uses 2, as tflite-micro: later operators run in every second run",
         cycles);
  return 2;
}

// True in every run whose number is a multiple of `cycles`.
ir::Source IsLastCycle(Builder& b, int64_t cycles) {
  const auto number = [&](int64_t value) {
    return *ConstantOf<int32_t>(b, ElementType::i32, {}, {value});
  };
  const std::string name = b.StateName("cycles");
  const ir::Source left = b.Add("Subtract", {b.State(name, number(cycles)), number(1)});
  const ir::Source is_last = b.Add("Equal", {left, number(0)});
  b.SetState(name, b.Add("Select", {is_last, number(cycles), left}));
  return is_last;
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
  (void)b.Options<schema::VarHandleOptions>();  // refuses options of another type
  b.SetHandle(0, NameOfResource(b.op()));
}

// A variable without a value from CALL_ONCE starts with zeros.
void ReadVariable(Builder& b) {
  const std::string* variable = HandleOf(b);
  if (variable == nullptr) return;
  WarnOfZeros(b, *variable);
  b.Set(0, b.State(*variable, ZerosOf(b, b.OutputTensor(0), b.OutputTensor(0).dims),
                   /*is_assumed=*/true));
}

void AssignVariable(Builder& b) {
  const std::string* variable = HandleOf(b);
  if (variable == nullptr) return;
  if (!b.is_main())
    b.State(*variable, ZerosOf(b, b.InputTensor(1), b.InputTensor(1).dims), /*is_assumed=*/true);
  b.SetState(*variable, b.Input(1));
}

// The last inputs along axis 1, oldest first.
void CircularBuffer(Builder& b) {
  const Tensor &x = b.InputTensor(0), &y = b.OutputTensor(0);
  Dims past = y.dims;
  const bool fits = b.input_count() == 1 && b.output_count() == 1 && x.dims.size() == 4 &&
                    past.size() == 4 && x.dims[0] == 1 && x.dims[1] == 1 && past[1] >= 1 &&
                    x.dims == Dims{past[0], 1, past[2], past[3]};
  if (!fits) {
    return b.Refuse("input 0 is {} and output 0 {}; must be [1,1,n,depth] and [1,slots,n,depth]",
                    ToString(x.dims), ToString(past));
  }
  if (x.type != y.type || x.quantization != y.quantization) {
    return b.Refuse("input 0 and output 0 have different codes; must have one type and scale");
  }
  const std::optional<int64_t> cycles = CyclesOf(b);
  if (!cycles) return;
  const int64_t slots = past[1]--;
  ir::Source all = b.PortInput(0);
  if (slots > 1) {
    const std::string name = b.StateName("past");
    all = b.Joined({b.State(name, FirstCodes(b, y, past)), all}, 1);
    b.SetState(name, b.Sliced(all, 1, 1, slots));
  }
  b.SetPort(0, all);
  if (*cycles > 1) b.RunRestIf(IsLastCycle(b, *cycles));
}

// The subgraph may only assign constants.
void CallOnce(Builder& b) {
  const Subgraph* init = b.SubgraphAt(b.Options<schema::CallOnceOptions>().init_subgraph_index());
  if (init == nullptr) return;
  std::map<int32_t, std::string> handles;
  for (const Operator& op : init->operators) {
    if (IsVarHandle(op) && op.outputs.size() == 1) {
      handles[op.outputs[0]] = NameOfResource(op);
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
