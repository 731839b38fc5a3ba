// SPDX-License-Identifier: Apache-2.0
// Edits of graphs: new nodes (the one place outside the reader where nodes are made), copies,
// readers handed from one value to another, and ports of loops added and removed with the map that
// joins them.
#ifndef WEFT_CONVERTER_IR_EDIT_H_
#define WEFT_CONVERTER_IR_EDIT_H_

#include <functional>
#include <memory>

#include "converter/ir/graph.h"

namespace weft::ir {

// A node of no type yet that stands for the layer that `like` stands for: its id, line and name.
std::unique_ptr<Node> MakeNode(const Node& like);

// Bodies included; constants share their bytes with the original. A node reads what the original
// reads.
std::unique_ptr<Node> CopyOf(const Node& node);
std::unique_ptr<Graph> CopyOf(const Graph& graph);

// What reads `from` reads `to` from now on; tensor names move along.
void HandOver(Graph& graph, Source from, Source to);

// One more input of a layer with bodies; its index. No Parameter takes it yet.
size_t AddInput(Node& layer, Source source);
// The loop's body, one more Parameter of which is given, takes chunks of an input.
void AddSlice(Node& loop, size_t input, Node& parameter, const ChunkRange& range);
// One more output of a loop: the last value of a Result of its body. Its index; its type is the
// Result's.
size_t AddOutput(Node& loop, Node& result);

// Takes the Parameters and Results that are not `needed`, and all else that is not, out of the body
// and its map. Needed are at least the Results of outputs and the condition.
void RemoveFromBody(Body& body, const std::function<bool(const Node&)>& needed);
// Takes out the inputs of a loop that its body does not take; later ones move up. A Loop keeps its
// trip count and condition.
void RemoveUnusedInputs(Node& loop);
// Takes out the outputs of a loop of `graph` that no node of it reads; later ones move up.
void RemoveUnreadOutputs(Graph& graph, Node& loop);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_EDIT_H_
