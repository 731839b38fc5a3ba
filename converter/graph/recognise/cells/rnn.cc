// SPDX-License-Identifier: Apache-2.0
// RNN: h' = act(x W + h R + b) in a loop that carries h' back to h. Outside a loop, the same
// arithmetic is an ordinary layer with two inputs and stays unchanged.
#include <utility>

#include "converter/graph/recognise/cells/cell.h"
#include "converter/graph/recognise/pattern.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {

bool RecogniseRnn(Site& site, ir::Node& root) {
  const ir::Source result{&root, 0};
  const std::optional<Gate> gate = GateOf(site.graph, result);
  if (!gate) return false;
  CellDraft draft("RNNCell", 1);
  draft.hidden = gate->before.count;
  draft.rows = ElementCount(TypeOf(result).dims).value_or(0) / draft.hidden;
  std::optional<Affine> sum = AffineOf(site.graph, gate->before, draft.rows);
  if (!sum || !sum->others.empty() || sum->products.size() != 2) return false;
  const auto inputs = InputAndState(site, {*sum}, draft.hidden);
  if (!inputs) return false;
  const auto successor = site.successors.find(inputs->second.input.node);
  if (successor == site.successors.end() || !IsSame(successor->second, result)) return false;
  draft.x = inputs->first.input;
  draft.inputs = inputs->first.width;
  draft.states = {inputs->second.input};
  draft.results = {result};
  draft.activations = {*gate};
  draft.Cover(*gate);
  draft.Append(*sum);
  return Place(site, std::move(draft));
}

}  // namespace weft::graph
