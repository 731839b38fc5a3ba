// SPDX-License-Identifier: Apache-2.0
// One form of each window, for every model: exporters write the same padding, dilation and
// selection in several ways. Later passes, and streaming, read only the canonical form. Results are
// bit-identical. Forms that only streaming needs are in streaming/rewrites.h.
#ifndef WEFT_CONVERTER_GRAPH_CANONICAL_CANONICAL_H_
#define WEFT_CONVERTER_GRAPH_CANONICAL_CANONICAL_H_

#include <vector>

#include "converter/base/pass_parts.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded. Calls `observe`, if it is
// set, after each part.
void Canonicalise(ir::Graph& graph, const PartObserver<ir::Graph>& observe = {});
std::vector<PartText> CanonicalParts();

// Recognises TensorFlow's decomposed dilated convolution. SpaceToBatch moves each element of a
// block to a separate batch item, a convolution processes these, and BatchToSpace moves the
// elements back. It becomes one convolution with that dilation. It copies nothing, and its time
// axis can be streamed.
//
// `graph` and its bodies, with all types inferred and constants folded.
void MergeDilations(ir::Graph& graph);

// Lowers Gathers by constant indices, which exporters write for windows.
//
// Converts Gathers of all elements of an axis in order to reshapes, also in bodies.
void WholeGathersToReshapes(ir::Graph& graph);
// The same for indices that a Range computes for a dynamic time axis, as PyTorch's unfold does.
// `graph` after MarkOpenAxes, without its bodies.
void OpenGathersToReshapes(ir::Graph& graph);

// Removes Broadcasts that repeat nothing, as PyTorch's attention writes them before its softmax,
// also in bodies.
void DropEqualBroadcasts(ir::Graph& graph);

// Converts Gathers that repeat each element of an axis, select every n-th one, or overlapping
// frames, as exporters write repeat_interleave, slices and unfold. Each becomes a Tile, a Slice, or
// a concatenation of shifted copies of the axis.
void LowerConstantGathers(ir::Graph& graph);

// Converts Splits of which only one output is read, and Splits of given lengths, to Slices.
void SplitsToSlices(ir::Graph& graph);

// Splits STFT and ISTFT into the parts of ops/core/short_time.h, whose frames are windows along one
// axis, like those of a convolution. Streaming then treats them like windows. Results are
// bit-identical, but an ISTFT needs additional copies.
void SplitShortTime(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_CANONICAL_CANONICAL_H_
