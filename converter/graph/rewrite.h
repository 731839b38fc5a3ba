// SPDX-License-Identifier: Apache-2.0
// What every rewrite of a graph is made of, with ir/edit.h: new operations and constants that speak
// under the name of the layer they stand for. The graph
// owns what is made; nodes that lose their readers stay in it and are passed over from then on.
#ifndef WEFT_CONVERTER_GRAPH_REWRITE_H_
#define WEFT_CONVERTER_GRAPH_REWRITE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "converter/ir/edit.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// A constant in the name of `like`.
ir::Source NewConstant(ir::Graph& graph, const ir::Node& like, ir::Constant constant);
ir::Source NewFloats(ir::Graph& graph, const ir::Node& like, Dims dims, std::vector<float> floats,
                     bool from_integers = false);
// Of any type of whole bytes; `dims` empty for a scalar.
ir::Source NewInts(ir::Graph& graph, const ir::Node& like, TensorType type,
                   const std::vector<int64_t>& numbers);
ir::Source NewFlag(ir::Graph& graph, const ir::Node& like, bool flag);

// A node of the operation's row as of `opset`, in the name of `like`, with `output_count` outputs
// of unknown type.
ir::Node* NewNode(ir::Graph& graph, const ir::Node& like, const std::string& type, int opset,
                  std::vector<ir::Source> inputs, uint32_t output_count = 1,
                  std::map<std::string, std::string> attributes = {});
// The same, with its types inferred. The caller knows that the inputs fit.
ir::Node* NewInferredNode(ir::Graph& graph, const ir::Node& like, const std::string& type,
                          int opset, std::vector<ir::Source> inputs, uint32_t output_count = 1,
                          std::map<std::string, std::string> attributes = {});
// Not yet part of a graph.
std::unique_ptr<ir::Node> MakeNode(const ir::Node& like, const std::string& type, int opset,
                                   std::vector<ir::Source> inputs, uint32_t output_count = 1,
                                   std::map<std::string, std::string> attributes = {});
std::unique_ptr<ir::Node> MakeConstant(const ir::Node& like, ir::Constant constant);
// The node itself becomes such an operation, without attributes; its outputs stay.
void Become(ir::Node& node, const std::string& type, int opset, std::vector<ir::Source> inputs);
// Of one output.
void BecomeConstant(ir::Node& node, ir::Constant constant);

// Operations that passes make, their types not inferred.
struct SliceBounds {
  std::vector<int64_t> begins, ends, steps, axes;  // no axes: all in their order
};
ir::Source NewSlice(ir::Graph& graph, const ir::Node& like, ir::Source data,
                    const SliceBounds& bounds);
ir::Source NewConcat(ir::Graph& graph, const ir::Node& like, std::vector<ir::Source> parts,
                     int64_t axis);
ir::Source NewBroadcast(ir::Graph& graph, const ir::Node& like, ir::Source source,
                        const Dims& dims);
ir::Source NewIdentity(ir::Graph& graph, const ir::Node& like, ir::Source source);
ir::Source NewReshape(ir::Graph& graph, const ir::Node& like, ir::Source source, const Dims& dims);
void BecomeReshape(ir::Graph& graph, ir::Node& node, ir::Source source, const Dims& dims);
ir::Source NewSqueeze(ir::Graph& graph, const ir::Node& like, ir::Source source, int64_t axis);
ir::Source NewUnsqueeze(ir::Graph& graph, const ir::Node& like, ir::Source source, int64_t axis);
// A variable of the graph: what it holds, which begins as `initial`; what it holds from now on.
ir::Source NewReadValue(ir::Graph& graph, const ir::Node& like, const std::string& variable,
                        ir::Source initial);
void NewAssign(ir::Graph& graph, const ir::Node& like, const std::string& variable,
               ir::Source source);
// Without inputs and outputs, its body empty.
ir::Node* NewTensorIterator(ir::Graph& graph, const ir::Node& like);
// Ports of the graph, behind those it has.
ir::Node* NewParameter(ir::Graph& graph, const ir::Node& like);
ir::Node* NewResult(ir::Graph& graph, const ir::Node& like, ir::Source source);

// `source` with other dims of as many elements, inferred: itself when it has them already.
ir::Source Reshaped(ir::Graph& graph, const ir::Node& like, ir::Source source, const Dims& dims);

// The nodes that are needed and read each node.
std::map<const ir::Node*, std::vector<ir::Node*>> Readers(const ir::Graph& graph);

const TensorType& TypeOf(ir::Source source);
// Its value when it is known, else null.
const ir::Constant* ConstantOf(ir::Source source);
// Elements of a known integer or boolean value; empty when unknown, of another type or empty.
std::vector<int64_t> IntsOf(ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REWRITE_H_
