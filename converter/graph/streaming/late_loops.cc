// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/late_loops.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/late_masks.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

using ir::BodyInput;

// Adds a Parameter of this type to the body; it reads a loop input.
ir::Source BodyParameter(ir::Graph& body, const ir::Node& like, const TensorType& type) {
  ir::Node* parameter = NewParameter(body, like);
  parameter->outputs[0].type = type;
  parameter->outputs[0].declared = true;
  return {parameter, 0};
}

ir::Source Without(ir::Graph& graph, const ir::Node& like, ir::Source source, size_t axis) {
  Dims dims = TypeOf(source).dims;
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  return Reshaped(graph, like, source, dims);
}

// Makes each carried state keep its value where the mask is false.
void SelectStates(ir::Graph& graph, ir::Node& loop, int64_t late, int64_t steps) {
  ir::Body& body = loop.bodies[0];
  ir::Graph& inside = *body.graph;
  const size_t mask = ir::AddInput(loop, NewLateMask(graph, loop, {steps}, 0, late));
  const ir::Source flag = BodyParameter(inside, loop, {ElementType::boolean, {1}});
  const ir::Source moves = Reshaped(inside, loop, flag, {});
  for (BodyInput& input : body.map.inputs) {
    if (!input.is(BodyInput::Kind::kCarried)) continue;
    const ir::Source next = input.next->inputs[0];
    ir::Node* held =
        NewInferredNode(inside, loop, "Select", 1, {moves, next, ir::Source{input.parameter, 0}});
    input.next->inputs[0] = {held, 0};
  }
  ir::AddSlice(loop, mask, *flag.node, ir::WholeRange(0, 1, /*backward=*/false));
}

// Converts a sequence to a loop over its cell.
class CellLoop {
 public:
  CellLoop(ir::Graph& graph, const TimeLoop& time_loop)
      : graph_(graph),
        time_loop_(time_loop),
        node_(*time_loop.node),
        loop_(NewTensorIterator(graph, node_)) {}

  ir::Node& Run() {
    std::vector<ir::Source> inputs = {Slice()};
    for (const Carried& state : time_loop_.states) inputs.push_back(State(state));
    for (size_t i = time_loop_.states.size() + 2; i < node_.inputs.size(); ++i) {
      inputs.push_back(Weights(node_.inputs[i]));
    }
    std::map<std::string, std::string> attributes = node_.attributes;
    attributes.erase("direction");
    const ops::Operation& sequence = *node_.operation;
    ir::Node* cell = NewInferredNode(body(), node_, std::string(sequence.traits.cell),
                                     sequence.opset, std::move(inputs),
                                     Narrow32(time_loop_.states.size(), "states"), attributes);
    for (size_t i = 0; i < time_loop_.states.size(); ++i) Close(i, {cell, Narrow32(i, "state")});
    return *loop_;
  }

 private:
  ir::Graph& body() { return *loop_->bodies[0].graph; }
  ir::PortMap& map() { return loop_->bodies[0].map; }

  ir::Source Slice() {
    TensorType type = TypeOf(node_.inputs[0]);
    type.dims[1] = 1;
    const ir::Source slice = BodyParameter(body(), node_, type);
    ir::AddSlice(*loop_, ir::AddInput(*loop_, node_.inputs[0]), *slice.node,
                 ir::WholeRange(1, 1, /*backward=*/false));
    return Without(body(), node_, slice, 1);
  }

  ir::Source State(const Carried& state) {
    const ir::Source initial = Without(graph_, node_, node_.inputs[state.input], 1);
    const ir::Source held = BodyParameter(body(), node_, TypeOf(initial));
    map().inputs.push_back({.parameter = held.node, .input = ir::AddInput(*loop_, initial)});
    states_.push_back(map().inputs.size() - 1);
    held.node->name = state.name.substr(node_.name.size() + 1);
    return held;
  }

  // Constants are copied to the body; other values are loop invariants.
  ir::Source Weights(const ir::Source& source) {
    const ir::Source weights = Without(graph_, node_, source, 0);
    if (source.node->constant) {
      ir::Constant constant = *source.node->constant;
      constant.type = TypeOf(weights);
      return NewConstant(body(), node_, std::move(constant));
    }
    const ir::Source inside = BodyParameter(body(), node_, TypeOf(weights));
    map().inputs.push_back({.parameter = inside.node, .input = ir::AddInput(*loop_, weights)});
    return inside;
  }

  // Closes the back edge of a state; the first state is also a scan output.
  void Close(size_t i, const ir::Source& next) {
    ir::Node* result = NewResult(body(), node_, next);
    map().inputs[states_[i]].next = result;
    if (i == 0) Gather(next);
    const size_t last = ir::AddOutput(*loop_, *result);
    const ir::Source all = {loop_, Narrow32(last, "output")};
    const ir::Source old = {&node_, Narrow32(1 + i, "output")};
    ir::HandOver(graph_, old, Reshaped(graph_, node_, all, TypeOf(old).dims));
  }

  void Gather(const ir::Source& state) {
    const Dims& dims = TypeOf(state).dims;
    const ir::Source row = Reshaped(body(), node_, state, {dims[0], 1, 1, dims[1]});
    ir::Node* result = NewResult(body(), node_, row);
    const size_t output = ir::AddOutput(*loop_, *result);
    ir::BodyOutput& scan = map().outputs[output];
    scan.range = ir::WholeRange(2, 1, /*backward=*/false);
    scan.axis = 2;
    const ir::Source all = {loop_, Narrow32(output, "output")};
    loop_->outputs[output].type = TypeOf({&node_, 0});
    ir::HandOver(graph_, {&node_, 0}, all);
  }

  ir::Graph& graph_;
  const TimeLoop& time_loop_;
  ir::Node& node_;
  ir::Node* loop_;
  std::vector<size_t> states_;  // indices of their inputs
};

}  // namespace

bool SetSteps(ir::Graph& graph, const TimeLoop& time_loop, int64_t steps) {
  ir::Node& node = *time_loop.node;
  const bool is_loop = ir::IsLoop(node);
  if (time_loop.steps == steps || (ir::Iterates(node) && !is_loop)) return true;
  if (is_loop && node.bodies[0].map.Takes(0)) return false;
  ir::Source& count = node.inputs[is_loop ? 0 : 1 + time_loop.states.size()];
  const TensorType type = TypeOf(count);
  const Dims all(static_cast<size_t>(ElementCount(type.dims).value_or(0)), steps);
  count = NewInts(graph, node, type, all);
  return true;
}

void HoldStates(ir::Graph& graph, const TimeLoop& time_loop, int64_t late, int64_t steps) {
  ir::Node& loop = IsSequence(*time_loop.node) ? CellLoop(graph, time_loop).Run() : *time_loop.node;
  SelectStates(graph, loop, late, steps);
}

}  // namespace weft::graph
