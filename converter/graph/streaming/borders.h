// SPDX-License-Identifier: Apache-2.0
// Borders in front of an axis: what they are filled with, and how they are made. Models write them
// far from the window or shift that reads them: behind a transposition, say, because a framework
// has its channels elsewhere.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_BORDERS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_BORDERS_H_

#include <cstdint>
#include <optional>

#include "converter/ir/graph.h"

namespace weft::graph {

// What a Pad of one known number, or of its data's own edges, puts around its data; nullopt of
// other nodes.
struct Border {
  Dims begin, end;
  double fill = 0;
  bool repeats = false;  // the first and the last place
};
std::optional<Border> BorderOf(const ir::Graph& graph, ir::Node& pad);

// What the places of a new border hold: a number, without one zeros, or the first place again.
struct BorderFill {
  std::optional<ir::Source> number;
  bool repeats = false;
};
BorderFill FillOf(const ir::Node& pad, const Border& border);

// `node` becomes a Pad of `data` along one axis; one that shifts leaves as many places of the end
// out.
void BecomeBorder(ir::Graph& graph, ir::Node& node, const ir::Source& data, const BorderFill& fill,
                  int64_t axis, int64_t places, bool shifts);

// A slice takes all of its data, because what it left out is no longer made (kMoved, rounding.h).
void TakeAll(ir::Graph& graph, ir::Node& slice, const ir::Source& data);

// Borders in front of one axis come to stand behind what only moves their data, and such of
// repeated places also behind functions of each place: nearer to what reads them.
void MoveBorders(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_BORDERS_H_
