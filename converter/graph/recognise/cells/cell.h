// SPDX-License-Identifier: Apache-2.0
// The last stage of recognising a recurrent cell: replaces the decomposed operations by the drafted
// cell. Refuses if one of these operations has an external reader, whose value the cell would not
// compute. Replaced operations stay in the graph without readers.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_CELLS_CELL_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_CELLS_CELL_H_

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

// A graph and its readers during the search for cells.
struct Site {
  ir::Graph& graph;
  ReaderMap readers;
  // For each body Parameter with a back edge, its value in the next iteration.
  std::map<const ir::Node*, ir::Source> successors;
};

struct CellDraft {
  CellDraft(std::string name, int version) : operation(std::move(name)), opset(version) {}

  std::string operation;
  int opset;
  int64_t rows = 0, hidden = 0, inputs = 0;
  ir::Source x;
  std::vector<ir::Source> states;   // hidden, cell
  CodedFloats w, r;                 // of all gates, in the operation's order
  std::vector<float> b;             // the same
  std::vector<ir::Source> results;  // values that the operation's outputs replace
  std::vector<Gate> activations;    // one per activation of the operation
  bool linear_before_reset = false;
  std::set<const ir::Node*> nodes, passages;  // as in Affine

  void Cover(const Gate& gate) { nodes.insert(gate.nodes.begin(), gate.nodes.end()); }
  void Cover(const Affine& affine) {
    nodes.insert(affine.nodes.begin(), affine.nodes.end());
    passages.insert(affine.passages.begin(), affine.passages.end());
  }
  // Appends a gate's matrices and bias. Inputs that the gate does not read get zeros.
  void Append(const Affine& affine, float sign = 1.0f);
};

// Returns false and changes nothing if another node reads a value that the draft covers.
bool Place(Site& site, CellDraft draft);

// Determines which of the two inputs of the gates is x and which is the state. The state has width
// `hidden`, and is carried by the loop or read from a variable. If both match, it is the second.
// Returns nullopt if there are not two inputs or none matches.
std::optional<std::pair<Product, Product>> InputAndState(const Site& site,
                                                         const std::vector<Affine>& gates,
                                                         int64_t hidden);

// Three searches. `root` is an operation that may compute the new hidden state, with at least one
// element. Each returns true if it replaced `root` by a cell.
bool RecogniseLstm(Site& site, ir::Node& root);
bool RecogniseGru(Site& site, ir::Node& root);
bool RecogniseRnn(Site& site, ir::Node& root);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_CELLS_CELL_H_
