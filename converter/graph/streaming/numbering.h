// SPDX-License-Identifier: Apache-2.0
// Constants that number the steps of a time axis: 0 1 2 3 or 64 128 192 256, as a running mean
// divides by, or the inverses of such numbers, which it multiplies by. Cut, they come from a
// variable that counts on.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_NUMBERING_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_NUMBERING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct Numbering {
  int64_t axis = 0, first = 0, step = 1;
  bool inverse = false;  // the constant holds 1 over each number, as f32 divides
};

// Of a constant that grows from 0, or from its step, by a whole number from place to place of an
// axis and is the same along all others, over four places or more: fewer may be a chance.
std::optional<Numbering> NumberingAlong(const ir::Constant& constant, int64_t axis);
// Of a constant node; one whose numbers Renumber has written may begin anywhere.
std::optional<Numbering> NumberingOf(const ir::Node& node, int64_t axis);
// Marks a constant that is known to number the steps of a time axis of any length along `axis`,
// from any integer on. Returns false, and changes nothing, if its numbers do not grow by one
// positive integer from place to place.
bool MarkNumbering(ir::Node& node, int64_t axis);
bool IsMarkedNumbering(const ir::Node& node);
// Along any axis.
bool IsNumbering(const ir::Constant& constant);

// Such a constant begins at `first` and has so many places. False where its type cannot hold them.
bool Renumber(ir::Node& node, const Numbering& numbering, int64_t first, int64_t places);

// What stands in the place of the constant, whose dims are final: numbers from variable `name` on.
ir::Source ReadNumbering(ir::Graph& graph, const ir::Node& constant, const Numbering& numbering,
                         const std::string& name);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_NUMBERING_H_
