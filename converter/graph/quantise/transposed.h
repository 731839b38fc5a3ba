// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions of codes. Output positions that are a stride apart form a phase; all
// phases are outputs of one convolution with stride 1, whose filters are the taps of each phase.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_TRANSPOSED_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_TRANSPOSED_H_

#include <array>
#include <cstdint>
#include <optional>

#include "converter/graph/quantise/filters.h"
#include "converter/graph/quantise/site.h"

namespace weft::graph {

// One of the two spatial axes.
struct TransposedAxis {
  int64_t in = 0, out = 0, kernel = 0, stride = 1;
  int64_t cut = 0;  // dropped positions before the output

  int64_t taps() const { return (kernel + stride - 1) / stride; }  // maximum of a phase
  // The first and the last window of the convolution that have a position in the output.
  int64_t first() const { return cut / stride; }
  int64_t last() const { return (cut + out - 1) / stride; }
  int64_t pad_begin() const { return taps() - 1 - first(); }
  int64_t pad_end() const { return last() + 1 - in; }
};

struct TransposedConvolution {
  std::array<TransposedAxis, 2> axes;  // height, width
  int64_t outputs = 0;
  int64_t phases() const { return axes[0].stride * axes[1].stride; }
};

// The geometry of a ConvolutionBackpropData of two axes with constant filters. Returns nullopt for
// other nodes, and if the output has positions that no filter reaches.
std::optional<TransposedConvolution> TransposedConvolutionOf(const ir::Graph& graph,
                                                             const ir::Node& node);
// The convolution of all phases: outputs of one phase after another, x fastest.
ByteProduct PhasesOf(const TransposedConvolution& convolution, const ir::Node& node);
// The attributes of its window.
NodeAttributes WindowOfPhases(const TransposedConvolution& convolution);
// Moves the results of its phases, channels-last, to their positions.
ir::Source Interleaved(ir::Graph& graph, const ir::Node& like,
                       const TransposedConvolution& convolution, ir::Source phases);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_TRANSPOSED_H_
