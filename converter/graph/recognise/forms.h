// SPDX-License-Identifier: Apache-2.0
// Formulas that a model spells out in plain operations become the one operation that computes them:
// activations (GELU, SiLU, HSwish, Mish, Snake, ...), normalisations (LayerNorm, RMSNorm, L2) and
// lengths, softmax and its logarithm, attention. A product of a one-hot vector and a constant table
// becomes a Gather of the table's rows. What is repeated for a product is read as often
// instead. Then constants that follow one another become one. What comes out is no less exact than
// what was spelled out. A formula stays as it is where another node reads a part of it, or where
// its constants are not those of the operation to the last bits of f32.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded.
void RecogniseForms(ir::Graph& graph);
// Attention alone.
void RecogniseAttentions(ir::Graph& graph);
// Factors and addends that are constant, one behind the other or behind a product with constant
// weights.
void JoinConstants(ir::Graph& graph);
// Of these, those one behind the other of more than one number, before time is cut: one that
// differs from step to step is none then, and the sums of the whole model must have no other order.
void JoinTables(ir::Graph& graph);
// Operations element by element between other dims and the same ones again.
void RecogniseBands(ir::Graph& graph);
// Transpositions and other dims behind one another.
void JoinMovements(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_H_
