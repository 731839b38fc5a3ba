// SPDX-License-Identifier: Apache-2.0
// LSTM: c' = f * c + i * g, h' = o * act(c'), with equal activations for f, i, o and another for g,
// over sums of products. The arithmetic identifies each gate, so the order in an export does not
// matter. Cells with a peephole (c in a gate) or a coupled gate (1 - i for f) have no such form and
// stay unchanged.
#include <utility>

#include "converter/graph/recognise/cells/cell.h"
#include "converter/graph/recognise/pattern.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

constexpr std::string_view kGates[] = {"f", "i", "g", "o"};  // the order of LSTMCell: f, i, c, o

bool Draft(Site& site, const Pattern::Match& match, ir::Source root) {
  const int64_t hidden = TypeOf(root).dims.back();
  CellDraft draft("LSTMCell", 4);
  draft.hidden = hidden;
  draft.rows = ElementCount(TypeOf(root).dims).value_or(0) / hidden;
  if (ElementCount(TypeOf(match.at("c")).dims) != draft.rows * hidden) return false;
  std::vector<Gate> gates;
  std::vector<Affine> sums;
  for (const std::string_view name : kGates) {
    std::optional<Gate> gate = GateOf(site.graph, match.at(name));
    if (!gate || gate->before.count != hidden) return false;
    std::optional<Affine> sum = AffineOf(site.graph, gate->before, draft.rows);
    if (!sum || !sum->others.empty()) return false;
    draft.Cover(*gate);
    gates.push_back(std::move(*gate));
    sums.push_back(std::move(*sum));
  }
  if (!gates[0].HasActivationOf(gates[1]) || !gates[0].HasActivationOf(gates[3])) return false;
  const auto inputs = InputAndState(site, sums, hidden);
  const std::optional<Gate> of_cell = GateOf(site.graph, match.at("t"));
  if (!inputs || !of_cell || of_cell->before.count != hidden) return false;
  draft.x = inputs->first.input;
  draft.inputs = inputs->first.width;
  draft.states = {inputs->second.input, match.at("c")};
  for (const Affine& sum : sums) draft.Append(sum);
  draft.activations = {gates[0], gates[2], *of_cell};
  draft.nodes.insert(match.covered.begin(), match.covered.end());
  draft.results = {root, match.at("cell")};
  return Place(site, std::move(draft));
}

}  // namespace

bool RecogniseLstm(Site& site, ir::Node& root) {
  static const Pattern kPattern("Multiply(o,t:Any(cell:Add(Multiply(f,c),Multiply(i,g))))");
  for (const Pattern::Match& match : kPattern.AllMatches({&root, 0})) {
    if (Draft(site, match, {&root, 0})) return true;
  }
  return false;
}

}  // namespace weft::graph
