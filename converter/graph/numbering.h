// SPDX-License-Identifier: Apache-2.0
// Constants that number the steps of a time axis, such as 0 1 2 3 or 64 128 192 256. A running mean
// divides by them, or multiplies by their inverses. In a streaming model a counter variable
// computes them.
#ifndef WEFT_CONVERTER_GRAPH_NUMBERING_H_
#define WEFT_CONVERTER_GRAPH_NUMBERING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "converter/ir/graph.h"

namespace weft::graph {

// Attribute of a constant whose numbers are counted separately for each position of the axis that
// it names: the streams of --streams.
inline constexpr const char* kCountedAlong = "counted_along";

struct Numbering {
  int64_t axis = 0, first = 0, step = 1;
  bool inverse = false;  // the constant holds 1 / number, rounded to f32
};

// Reads a constant that starts at 0 or at its step, grows by an integer per element of an axis, and
// is constant along the others. It must have at least four elements, because fewer may match by
// chance.
std::optional<Numbering> NumberingAlong(const ir::Constant& constant, int64_t axis);
// Reads a constant node. The numbers of a constant that Renumber changed may start at any value.
std::optional<Numbering> NumberingOf(const ir::Node& node, int64_t axis);
// Returns a constant of one axis that numbers T steps (ir/time_length.h). Its port has `type`, but
// it stores only the first numbers.
ir::Source NewNumbering(ir::Graph& graph, const ir::Node& like, const TensorType& type,
                        const Numbering& numbering);
// Returns true for a constant of NewNumbering.
bool IsOpenNumbering(const ir::Node& node);
// Returns true for a numbering along any axis.
bool IsNumbering(const ir::Constant& constant);

// Returns true if the type of the constant can hold these numbers starting at `first`.
bool CanStartAt(const ir::Constant& constant, const Numbering& numbering, int64_t first);
// Makes the constant start at `first`, which CanStartAt accepts, and have `positions` elements.
void Renumber(ir::Node& node, const Numbering& numbering, int64_t first, int64_t positions);

// Returns the replacement of the constant, whose dims are final: numbers counted by variable
// `name`.
ir::Source ReadNumbering(ir::Graph& graph, const ir::Node& constant, const Numbering& numbering,
                         const std::string& name);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_NUMBERING_H_
