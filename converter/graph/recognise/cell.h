// SPDX-License-Identifier: Apache-2.0
// The last act of recognising a recurrent cell: a draft of the cell, put in the place of the
// operations that spell it out. Refuses when one of those has a reader outside, whose value the
// cell would not give. What is replaced stays in the graph without a reader.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_CELL_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_CELL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/recognise/affine.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// A graph while its cells are looked for.
struct Site {
  ir::Graph& graph;
  std::map<const ir::Node*, std::vector<ir::Node*>> readers;
  // Of a body's Parameters that a back edge reaches: what they hold in the next iteration.
  std::map<const ir::Node*, ir::Source> successors;
};

struct CellDraft {
  CellDraft(std::string name, int version) : operation(std::move(name)), opset(version) {}

  std::string operation;
  int opset;
  int64_t rows = 0, hidden = 0, inputs = 0;
  ir::Source x;
  std::vector<ir::Source> states;   // hidden, cell
  std::vector<float> w, r, b;       // of all gates, in the operation's order
  bool from_integers = false;       // some of w or r, as ir::Constant has it
  std::vector<ir::Source> results;  // what the operation's outputs stand for
  std::vector<Gate> activations;    // one per activation of the operation
  bool linear_before_reset = false;
  std::set<const ir::Node*> nodes, passages;  // as in Affine

  void Cover(const Gate& gate) { nodes.insert(gate.nodes.begin(), gate.nodes.end()); }
  void Cover(const Affine& affine) {
    nodes.insert(affine.nodes.begin(), affine.nodes.end());
    passages.insert(affine.passages.begin(), affine.passages.end());
  }
  // Appends a gate's matrices and bias; inputs that it does not read get zeros.
  void Append(const Affine& affine, float sign = 1.0f);
};

// False, and nothing changed, when another node reads what the draft covers.
bool Place(Site& site, CellDraft draft);

// Which of two inputs of `hidden`'s gates is x, which the state: the one of the state's width that
// the loop carries, or, where both have it, the second. Nullopt when there are not two or none
// fits.
std::optional<std::pair<Product, Product>> InputAndState(const Site& site,
                                                         const std::vector<Affine>& gates,
                                                         int64_t hidden);

// The three searches. `root` is an operation that may compute the new hidden state, with at least
// one element; true when a cell stands in its place now.
bool RecogniseLstm(Site& site, ir::Node& root);
bool RecogniseGru(Site& site, ir::Node& root);
bool RecogniseRnn(Site& site, ir::Node& root);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_CELL_H_
