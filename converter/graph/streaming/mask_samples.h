// SPDX-License-Identifier: Apache-2.0
// Attention masks over T steps (ir/time_length.h), which have a value for each pair of steps. Masks
// (masks.h) reads them for a few steps only.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_MASK_SAMPLES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_MASK_SAMPLES_H_

#include <cstdint>

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Returns true if there are a row and a column for each of T steps.
bool IsOverPairs(const ir::Source& source);

struct MaskSamples {
  int64_t steps = 0;  // of the constants
  // False if the masks may have another form from a later step on.
  bool are_complete = true;
};

// Replaces computed values that nodes over pairs of steps read by constants. The type of their port
// stays; the constant itself has `steps` steps. Skips values that depend on T in other ways than by
// their number of elements. A mask can have another form only from a number of steps on that the
// model states, for example as a window: `steps` is more than twice all of these.
MaskSamples SampleMasks(ir::Graph& graph, const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_MASK_SAMPLES_H_
