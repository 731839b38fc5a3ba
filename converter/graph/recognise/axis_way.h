// SPDX-License-Identifier: Apache-2.0
// Operations behind one another that exchange axes, make or drop those of one element: which axis
// becomes which, and the same for a tensor of other extents.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_AXIS_WAY_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_AXIS_WAY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// From the first on.
using Way = std::vector<const ir::Node*>;

// The way to `source`, and what it begins with.
std::pair<Way, ir::Source> WayTo(ir::Source source);

// Of each axis of a tensor the axis of the first one on a way that it is; -1: of one element, made
// on it.
using AxisOrigins = std::vector<int64_t>;

// At the end of a way that begins with `rank` axes; nullopt where an axis is divided or joined.
std::optional<AxisOrigins> OriginsAtEnd(const Way& way, size_t rank);
// Which axis it became; -1: none.
int64_t PlaceOf(const AxisOrigins& origins, size_t origin);

// Did every axis that has another extent in `after` stay on the way, whose origins are known?
bool KeepsChanged(const Way& way, const Dims& before, const Dims& after);
// The same way for `source`, which KeepsChanged.
ir::Source Along(ir::Graph& graph, const ir::Node& like, const Way& way, ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_AXIS_WAY_H_
