// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/layout/layout.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "converter/base/faults.h"
#include "converter/base/narrow.h"
#include "converter/graph/layout/layout_groups.h"
#include "converter/graph/layout/turned.h"
#include "converter/graph/recognise/forms.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/turn.h"

namespace weft::graph {
namespace {

using ops::Port;

// A node and its changes.
struct Turning {
  ir::Node* node = nullptr;
  std::vector<bool> inputs = {}, outputs = {};  // true: permuted
  ops::Turn turn = {};
};

Turning TurningOf(const ir::Graph& graph, const LayoutGroups& groups, ir::Node& node) {
  const auto turns = [&](Port port) {
    return groups.Turns(node, port) && groups.IsLast(SourceAt(node, port));
  };
  Turning turning = {&node};
  for (size_t i = 0; i < node.inputs.size(); ++i) turning.inputs.push_back(turns(ops::In(i)));
  for (size_t i = 0; i < node.outputs.size(); ++i) turning.outputs.push_back(turns(ops::Out(i)));
  if (std::ranges::find(turning.inputs, true) == turning.inputs.end() &&
      std::ranges::find(turning.outputs, true) == turning.outputs.end()) {
    return turning;
  }
  Faults discarded;  // inference has accepted the node
  ops::TurnScope scope(graph, node, discarded);
  scope.SetTurned(turning.inputs, turning.outputs);
  turning.turn = ops::TurnOf(scope);
  return turning;
}

ir::Source Numbers(ir::Graph& graph, const ir::Node& like, const Dims& numbers) {
  return NewInts(graph, like, {ElementType::i64, {std::ssize(numbers)}}, numbers);
}

void Apply(ir::Graph& graph, const Turning& turning, TurnedValues& values) {
  ir::Node& node = *turning.node;
  const ops::Turn& turn = turning.turn;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    node.inputs[i] = values.As(node, node.inputs[i], turning.inputs[i]);
  }
  for (const auto& [i, dims] : turn.operands) {
    node.inputs[i] = values.Operand(node, node.inputs[i], dims);
  }
  for (const auto& [i, numbers] : turn.ints) {
    if (i >= node.inputs.size()) node.inputs.resize(i + 1);
    node.inputs[i] = Numbers(graph, node, numbers);
  }
  for (const auto& [key, value] : turn.attributes) node.attributes[key] = value;
  if (turn.reshape) BecomeReshape(graph, node, node.inputs[0], *turn.reshape);
}

void TurnLayoutGroups(ir::Graph& graph) {
  const LayoutGroups groups(graph);
  std::vector<Turning> all;
  for (ir::Node* node : ir::Topological(graph)) {
    all.push_back(TurningOf(graph, groups, *node));
  }
  TurnedValues values(graph);
  for (const Turning& turning : all) {
    for (size_t i = 0; i < turning.outputs.size(); ++i) {
      if (turning.outputs[i]) values.Turn({turning.node, Narrow32(i, "an output's index")});
    }
  }
  for (const Turning& turning : all) Apply(graph, turning, values);
}

void TurnAll(ir::Graph& graph) {
  for (const ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) TurnAll(*body.graph);
  }
  TurnLayoutGroups(graph);
}

}  // namespace

void ChooseLayouts(ir::Graph& graph) {
  RecogniseBands(graph);
  TurnAll(graph);
  JoinMovements(graph);
}

}  // namespace weft::graph
