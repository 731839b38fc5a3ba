// SPDX-License-Identifier: Apache-2.0
// Edits of graphs: creating nodes (only the reader and this file create nodes), copying, moving
// readers to another value, and adding and removing ports of loops together with their port map
// entries.
#ifndef WEFT_CONVERTER_IR_EDIT_H_
#define WEFT_CONVERTER_IR_EDIT_H_

#include <functional>
#include <memory>

#include "converter/ir/graph.h"

namespace weft::ir {

// Creates a node without a type, with the id, line and name of `like`.
std::unique_ptr<Node> MakeNode(const Node& like);

// Copy bodies too. Constants share their bytes with the original. A copied node has the inputs of
// the original.
std::unique_ptr<Node> CopyOf(const Node& node);
std::unique_ptr<Graph> CopyOf(const Graph& graph);

// Makes all readers of `from` read `to`, and moves the tensor names.
void HandOver(Graph& graph, Source from, Source to);

// Adds an input to a layer with bodies and returns its index. No Parameter reads it yet.
size_t AddInput(Node& layer, Source source);
// Adds a sliced input to the loop's body: the new `parameter` reads chunks of input `input`.
void AddSlice(Node& loop, size_t input, Node& parameter, const ChunkRange& range);
// Adds an output with the last value of `result` to a loop and returns its index. Its type is that
// of `result`.
size_t AddOutput(Node& loop, Node& result);

// Removes all nodes that are not `needed` from the body and its map. The Results of outputs and of
// the condition must be needed.
void RemoveFromBody(Body& body, const std::function<bool(const Node&)>& needed);
// Removes the inputs of a loop that its body does not read; later inputs move up. A Loop keeps its
// trip count and condition.
void RemoveUnusedInputs(Node& loop);
// Removes the outputs of a loop that no node of `graph` reads; later outputs move up.
void RemoveUnreadOutputs(Graph& graph, Node& loop);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_EDIT_H_
