// SPDX-License-Identifier: Apache-2.0
// Replaces decomposed formulas by the single operation that computes them: activations (GELU, SiLU,
// HSwish, Mish, Snake, ...), normalisations (LayerNorm, RMSNorm, L2), lengths, softmax and its
// logarithm, attention. A product of a one-hot vector and a constant table becomes a Gather of the
// table's rows. Repetitions for a product become repeated reads. Then consecutive constants are
// merged. The result is at least as exact as the decomposed form. A formula stays if another node
// reads a part of it. It also stays if its constants differ from those of the operation by more
// than f32 rounding.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_FORMS_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_FORMS_H_

#include <vector>

#include "converter/base/pass_parts.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded.
void RecogniseForms(ir::Graph& graph);
// The same; calls `observe`, if it is set, after each replacement.
void RecogniseForms(ir::Graph& graph, const PartObserver<ir::Graph>& observe);
// The searches of RecogniseForms.
std::vector<PartText> FormParts();
// Recognises attention only.
void RecogniseAttentions(ir::Graph& graph);
// Merges consecutive constant factors and addends, and those after a product with constant weights.
void JoinConstants(ir::Graph& graph);
// Merges only consecutive constants of several numbers, before time is split. A table that differs
// from step to step is no constant afterwards, and the sums must have the order of the full model.
void JoinTables(ir::Graph& graph);
// Recognises elementwise operations between a reshape and its inverse.
void RecogniseBands(ir::Graph& graph);
// Merges consecutive transpositions and reshapes.
void JoinMovements(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_FORMS_H_
