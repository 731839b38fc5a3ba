// SPDX-License-Identifier: Apache-2.0
// Borders before the first element of an axis: their content and their construction. Models may
// write a border far from the window or shift that reads it, for example before a transposition,
// because a framework has another channel order.
#ifndef WEFT_CONVERTER_GRAPH_CANONICAL_BORDERS_H_
#define WEFT_CONVERTER_GRAPH_CANONICAL_BORDERS_H_

#include <cstdint>
#include <optional>

#include "converter/ir/graph.h"

namespace weft::graph {

// The border that a Pad with one known number, or with its data's edges, adds to its data. BorderOf
// returns nullopt for other nodes.
struct Border {
  Dims begin, end;
  double fill = 0;
  bool repeats = false;  // the first and the last element
};
std::optional<Border> BorderOf(const ir::Graph& graph, ir::Node& pad);

// The content of a new border: `number`, zeros if it is absent, or the first element repeated.
struct BorderFill {
  std::optional<ir::Source> number;
  bool repeats = false;
};
BorderFill FillOf(const ir::Node& pad, const Border& border);

// Changes `node` into a Pad of `data` along one axis. If `shifts`, it removes the same number of
// elements at the end.
void BecomeBorder(ir::Graph& graph, ir::Node& node, const ir::Source& data, const BorderFill& fill,
                  int64_t axis, int64_t positions, bool shifts);

// Changes `node` into a Pad of `data` along one axis with these numbers of positions, of which
// negative ones remove elements.
void BecomeBorders(ir::Graph& graph, ir::Node& node, const ir::Source& data, const BorderFill& fill,
                   int64_t axis, int64_t before, int64_t after);

// Returns a new Pad of the first kind, with inferred types.
ir::Source NewBorder(ir::Graph& graph, const ir::Source& data, const BorderFill& fill, int64_t axis,
                     int64_t positions, bool shifts);

// Makes a slice return all of its data, because the elements it removed are no longer computed
// (kMoved).
void TakeAll(ir::Graph& graph, ir::Node& slice, const ir::Source& data);

// Moves borders before the first element of one axis past operations that only move data, closer to
// their readers. Borders that repeat an element also move past elementwise functions.
void MoveBorders(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_CANONICAL_BORDERS_H_
