// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/lstm.h"

#include <optional>
#include <utility>

namespace weft::tflite {
namespace {

constexpr std::array<size_t, 4> kForgetFirst = {kForgetGate, kInputGate, kCellGate, kOutputGate};

bool HasInputGate(const Builder& b, const LstmInputs& at) { return b.Has(at.w); }

bool HasNormalisation(const Builder& b, const LstmInputs& at) {
  return at.normalisation != 0 && b.Has(at.normalisation + kForgetGate);
}

// Returns true if the LSTM of the IR computes the cell.
bool IsPlain(const Builder& b, const LstmInputs& at, const LstmOptions& options) {
  return !HasNormalisation(b, at) && !b.Has(at.projection) && options.cell_clip <= 0 &&
         options.projection_clip <= 0;
}

int64_t DimOf(const Builder& b, size_t input, size_t axis) {
  const Dims& dims = b.InputTensor(input).dims;
  return axis < dims.size() ? dims[axis] : 0;
}

// The parameters of all gates in the order of the IR. The sigmoid of a negated sum is 1 minus the
// sigmoid.
ir::Source Gates(Builder& b, size_t first, bool has_input_gate) {
  Sources gates;
  for (const size_t gate : kForgetFirst) {
    const bool is_coupled = gate == kInputGate && !has_input_gate;
    const ir::Source one = b.Input(first + (is_coupled ? kForgetGate : gate));
    gates.push_back(is_coupled ? b.Add("Negative", {one}) : one);
  }
  return b.Joined(gates, 0);
}

// Peepholes of the forget, input and output gate; nullopt if the cell has none.
std::optional<ir::Source> Peepholes(Builder& b, size_t first, bool has_input_gate) {
  constexpr size_t kOfForget = 1, kOfOutput = 2;
  if (!b.Has(first + kOfForget)) return std::nullopt;
  const ir::Source forget = b.Input(first + kOfForget);
  const ir::Source input = has_input_gate ? b.Input(first) : b.Add("Negative", {forget});
  return b.Joined({forget, input, b.Input(first + kOfOutput)}, 0);
}

SequenceResult Sequence(Builder& b, ir::Source x, const LstmInputs& at, const LstmOptions& options,
                        bool is_backward) {
  const bool has_input_gate = HasInputGate(b, at);
  const std::string activation = ActivationName(b, options.activation);
  const Attributes attributes = {{"hidden_size", std::to_string(DimOf(b, at.r + kForgetGate, 0))},
                                 {"direction", is_backward ? "reverse" : "forward"},
                                 {"activations", "sigmoid," + activation + "," + activation}};
  Sources inputs = {x,
                    b.Unsqueezed(b.Variable(at.hidden), 1),
                    b.Unsqueezed(b.Variable(at.cell), 1),
                    LengthsOf(b, x),
                    b.Unsqueezed(Gates(b, at.w, has_input_gate), 0),
                    b.Unsqueezed(Gates(b, at.r, has_input_gate), 0),
                    b.Unsqueezed(Gates(b, at.biases, has_input_gate), 0)};
  const std::optional<ir::Source> peepholes = Peepholes(b, at.peepholes, has_input_gate);
  if (peepholes) inputs.push_back(b.Unsqueezed(*peepholes, 0));
  ir::Node& node =
      b.AddNode("LSTMSequence", peepholes ? "opset1" : "opset5", attributes, inputs, 3);
  return {b.Squeezed({&node, 0}, 1), b.Squeezed({&node, 1}, 1), b.Squeezed({&node, 2}, 1)};
}

// The layers of one step.
class Step {
 public:
  Step(Builder& b, const LstmInputs& at, const LstmOptions& options)
      : b_(b), at_(at), options_(options) {}

  struct States {
    ir::Source hidden, cell;
  };
  States Next(ir::Source x, const States& now) {
    SetSums(x, now.hidden);
    const ir::Source forget = Sigmoid(Gate(kForgetGate, now.cell));
    const ir::Source input = HasInputGate(b_, at_) ? Sigmoid(Gate(kInputGate, now.cell))
                                                   : Both("Subtract", b_.Float(1), forget);
    const ir::Source candidate = b_.Activated(Gate(kCellGate, std::nullopt), options_.activation);
    const ir::Source cell =
        Clipped(Both("Add", Both("Multiply", forget, now.cell), Both("Multiply", input, candidate)),
                options_.cell_clip);
    const ir::Source output = Sigmoid(Gate(kOutputGate, cell));
    const ir::Source hidden = Both("Multiply", output, b_.Activated(cell, options_.activation));
    return {Projected(hidden), cell};
  }

 private:
  ir::Source Both(const char* type, ir::Source a, ir::Source b) { return b_.Add(type, {a, b}); }
  ir::Source Sigmoid(ir::Source x) { return b_.Add("Sigmoid", {x}); }
  ir::Source Product(ir::Source x, ir::Source weights) {
    return b_.Add("MatMul", "opset1", {{"transpose_a", "false"}, {"transpose_b", "true"}},
                  {x, weights});
  }

  ir::Source Clipped(ir::Source x, float limit) {
    if (limit <= 0) return x;
    return b_.Add("Clamp", "opset1",
                  {{"min", fmt::format("{}", -limit)}, {"max", fmt::format("{}", limit)}}, {x});
  }

  ir::Source Joined(size_t first) {
    Sources parts;
    for (const size_t gate : gates_) parts.push_back(b_.Input(first + gate));
    return b_.Joined(parts, 0);
  }

  // The sums of all gates are one product with x and one with the hidden state.
  void SetSums(ir::Source x, ir::Source hidden) {
    gates_ = {kForgetGate, kCellGate, kOutputGate};
    if (HasInputGate(b_, at_)) gates_.push_back(kInputGate);
    ir::Source all = Both("Add", Product(x, Joined(at_.w)), Product(hidden, Joined(at_.r)));
    if (!HasNormalisation(b_, at_)) all = Both("Add", all, Joined(at_.biases));
    ir::Node& split = b_.AddNode("Split", "opset1", {{"num_splits", std::to_string(gates_.size())}},
                                 {all, b_.Int(1)}, gates_.size());
    for (uint32_t i = 0; i < gates_.size(); ++i) {
      sums_[gates_[i]] = {&split, i};
    }
  }

  // The argument of a gate's function. `seen` is the cell state that its peephole reads.
  ir::Source Gate(size_t gate, std::optional<ir::Source> seen) {
    ir::Source sum = sums_[gate];
    // The cell gate has no peephole.
    const size_t peephole = at_.peepholes + gate - (gate == kOutputGate ? 1 : 0);
    if (seen && b_.Has(peephole)) {
      sum = Both("Add", sum, Both("Multiply", *seen, b_.Input(peephole)));
    }
    if (!HasNormalisation(b_, at_)) return sum;
    const Attributes attributes = {
        {"normalize_variance", "true"}, {"eps", "1e-8"}, {"eps_mode", "inside_sqrt"}};
    const ir::Source normal =
        b_.Add("MVN", "opset6", attributes, {sum, b_.Ints(std::array<int64_t, 1>{-1})});
    return Both("Add", Both("Multiply", normal, b_.Input(at_.normalisation + gate)),
                b_.Input(at_.biases + gate));
  }

  ir::Source Projected(ir::Source hidden) {
    if (!b_.Has(at_.projection)) return hidden;
    ir::Source y = Product(hidden, b_.Input(at_.projection));
    if (b_.Has(at_.projection + 1)) y = Both("Add", y, b_.Input(at_.projection + 1));
    return Clipped(y, options_.projection_clip);
  }

  Builder& b_;
  const LstmInputs& at_;
  const LstmOptions& options_;
  std::vector<size_t> gates_;            // that the cell has
  std::array<ir::Source, kGates> sums_;  // by gate
};

ir::Source AddParameter(Builder& b, const TensorType& type) {
  ir::Node& node = b.AddNode("Parameter", "opset1", {}, {});
  node.outputs[0].type = type;
  node.outputs[0].declared = true;
  b.graph().parameters.push_back(&node);
  return {&node, 0};
}

ir::Node* AddResult(Builder& b, ir::Source value) {
  ir::Node& node = b.AddNode("Result", "opset1", {}, {value}, 0);
  b.graph().results.push_back(&node);
  return &node;
}

// A loop over the steps, for cells that the IR does not have.
SequenceResult Loop(Builder& b, ir::Source x, const LstmInputs& at, const LstmOptions& options,
                    bool is_backward) {
  const int64_t batch = DimOf(b, at.hidden, 0);
  const auto type = [&](Dims dims) { return TensorType{ElementType::f32, std::move(dims)}; };
  return LoopOverSteps(
      b, {x, b.Variable(at.hidden), b.Variable(at.cell)},
      {type({batch, 1, DimOf(b, at.w + kForgetGate, 1)}), type({batch, DimOf(b, at.hidden, 1)}),
       type({batch, DimOf(b, at.cell, 1)})},
      is_backward, [&](ir::Source chunk, ir::Source hidden, ir::Source cell) {
        const Step::States next = Step(b, at, options).Next(b.Squeezed(chunk, 1), {hidden, cell});
        return SequenceResult{b.Unsqueezed(next.hidden, 1), next.hidden, next.cell};
      });
}

}  // namespace

SequenceResult LstmOver(Builder& b, ir::Source x, const LstmInputs& at, const LstmOptions& options,
                        bool is_backward) {
  const SequenceResult result = IsPlain(b, at, options) ? Sequence(b, x, at, options, is_backward)
                                                        : Loop(b, x, at, options, is_backward);
  b.SetVariable(at.hidden, result.hidden);
  b.SetVariable(at.cell, result.cell);
  return result;
}

SequenceResult LoopOverSteps(Builder& b, const Sources& inputs,
                             const std::array<TensorType, 3>& types, bool is_backward,
                             const StepFunction& step) {
  ir::Body body;
  {
    const InnerGraph inner(b, body.graph);
    const ir::Source chunk = AddParameter(b, types[0]);
    const ir::Source old_hidden = AddParameter(b, types[1]), old_cell = AddParameter(b, types[2]);
    const SequenceResult next = step(chunk, old_hidden, old_cell);
    ir::Node* const steps = AddResult(b, next.y);
    ir::Node *const hidden = AddResult(b, next.hidden), *const cell = AddResult(b, next.cell);
    const ir::ChunkRange range = ir::WholeRange(1, 1, is_backward);
    body.map.inputs = {{.parameter = chunk.node, .input = 0, .range = range},
                       {.parameter = old_hidden.node, .input = 1, .next = hidden},
                       {.parameter = old_cell.node, .input = 2, .next = cell}};
    body.map.outputs = {{.result = steps, .port_id = 0, .range = range},
                        {.result = hidden, .port_id = 1},
                        {.result = cell, .port_id = 2}};
  }
  ir::Node& node = b.AddNode("TensorIterator", "opset1", {}, inputs, 3);
  node.bodies.push_back(std::move(body));
  return {{&node, 0}, {&node, 1}, {&node, 2}};
}

ir::Source LengthsOf(Builder& b, ir::Source x) {
  const ir::Source shape = b.Add("ShapeOf", "opset3", {{"output_type", "i64"}}, {x});
  const auto dim = [&](int64_t axis) {
    return b.Add("Gather", "opset8", {{"batch_dims", "0"}},
                 {shape, b.Ints(std::array{axis}), b.Int(0)});
  };
  return b.Broadcasted(dim(1), dim(0));
}

std::string ActivationName(Builder& b, schema::Activation activation) {
  if (activation == schema::Activation::tanh) return "tanh";
  if (activation == schema::Activation::relu) return "relu";
  b.Refuse("activation is {}; must be tanh or relu", static_cast<int>(activation));
  return "";
}

}  // namespace weft::tflite
