// SPDX-License-Identifier: Apache-2.0
// Building blocks of graph rewrites, with ir/edit.h: new operations and constants, which messages
// report under the name of the layer `like` that they replace. The graph owns new nodes. Nodes
// without readers stay in the graph and are skipped by later passes.
#ifndef WEFT_CONVERTER_GRAPH_REWRITE_H_
#define WEFT_CONVERTER_GRAPH_REWRITE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/edit.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Returns a new constant with the name of `like`.
ir::Source NewConstant(ir::Graph& graph, const ir::Node& like, ir::Constant constant);
ir::Source NewFloats(ir::Graph& graph, const ir::Node& like, Dims dims, CodedFloats numbers);
// Any type with a multiple of 8 bits; empty `dims` for a scalar.
ir::Source NewInts(ir::Graph& graph, const ir::Node& like, TensorType type,
                   const std::vector<int64_t>& numbers);
// A list of i64.
ir::Source NewInts(ir::Graph& graph, const ir::Node& like, const std::vector<int64_t>& list);
// Any type; the elements are f32 if it is a float type.
ir::Source NewNumbers(ir::Graph& graph, const ir::Node& like, const TensorType& type,
                      const std::vector<double>& numbers);
ir::Source NewFlag(ir::Graph& graph, const ir::Node& like, bool flag);

// Creates a node of the newest version up to `opset`, with the name of `like` and `output_count`
// outputs of unknown type.
ir::Node* NewNode(ir::Graph& graph, const ir::Node& like, const std::string& type, int opset,
                  std::vector<ir::Source> inputs, uint32_t output_count = 1,
                  std::map<std::string, std::string> attributes = {});
// The same with inferred types. The inputs must be valid for the operation.
ir::Node* NewInferredNode(ir::Graph& graph, const ir::Node& like, const std::string& type,
                          int opset, std::vector<ir::Source> inputs, uint32_t output_count = 1,
                          std::map<std::string, std::string> attributes = {});
// Creates a node of one output with inferred types, and returns the output.
ir::Source NewOperation(ir::Graph& graph, const ir::Node& like, const std::string& type, int opset,
                        std::vector<ir::Source> inputs,
                        std::map<std::string, std::string> attributes = {});
// Creates a node that is not yet part of a graph.
std::unique_ptr<ir::Node> MakeNode(const ir::Node& like, const std::string& type, int opset,
                                   std::vector<ir::Source> inputs, uint32_t output_count = 1,
                                   std::map<std::string, std::string> attributes = {});
std::unique_ptr<ir::Node> MakeConstant(const ir::Node& like, ir::Constant constant);
// Changes the node itself into this operation, without attributes; its outputs stay.
void Become(ir::Node& node, const std::string& type, int opset, std::vector<ir::Source> inputs);
// Changes a node with one output into a constant.
void BecomeConstant(ir::Node& node, ir::Constant constant);

// Operations created by passes; their types are not inferred.
struct SliceBounds {
  std::vector<int64_t> begins, ends, steps, axes;  // empty axes: all, in order
};
ir::Source NewSlice(ir::Graph& graph, const ir::Node& like, ir::Source data,
                    const SliceBounds& bounds);
// Returns positions [begin, begin + count) along an axis, typed; a negative `begin` counts from the
// end.
ir::Source NewPart(ir::Graph& graph, const ir::Node& like, ir::Source data, int64_t axis,
                   int64_t begin, int64_t count);
ir::Source NewConcat(ir::Graph& graph, const ir::Node& like, std::vector<ir::Source> parts,
                     int64_t axis);
ir::Source NewBroadcast(ir::Graph& graph, const ir::Node& like, ir::Source source,
                        const Dims& dims);
ir::Source NewIdentity(ir::Graph& graph, const ir::Node& like, ir::Source source);
ir::Source NewReshape(ir::Graph& graph, const ir::Node& like, ir::Source source, const Dims& dims);
// A reshape where a slice was stays one (kMoved).
void BecomeReshape(ir::Graph& graph, ir::Node& node, ir::Source source, const Dims& dims);
ir::Source NewSqueeze(ir::Graph& graph, const ir::Node& like, ir::Source source, int64_t axis);
ir::Source NewUnsqueeze(ir::Graph& graph, const ir::Node& like, ir::Source source, int64_t axis);
// Read and write of a variable of the graph. NewReadValue returns its content, initially `initial`,
// and gives it this type.
ir::Source NewReadValue(ir::Graph& graph, const ir::Node& like, const std::string& variable,
                        ir::Source initial);
void NewAssign(ir::Graph& graph, const ir::Node& like, const std::string& variable,
               ir::Source source);
// Creates a TensorIterator without inputs and outputs, with an empty body.
ir::Node* NewTensorIterator(ir::Graph& graph, const ir::Node& like);
// Ports of the graph, appended after the existing ones.
ir::Node* NewParameter(ir::Graph& graph, const ir::Node& like);
ir::Node* NewResult(ir::Graph& graph, const ir::Node& like, ir::Source source);

// Returns `source` reshaped to `dims`, with inferred types; `source` itself if it has these dims.
ir::Source Reshaped(ir::Graph& graph, const ir::Node& like, ir::Source source, const Dims& dims);

// Returns the readers of each node; only nodes that the graph needs count.
using ReaderMap = std::map<const ir::Node*, std::vector<ir::Node*>>;
ReaderMap Readers(const ir::Graph& graph);
const std::vector<ir::Node*>& ReadersIn(const ReaderMap& readers, const ir::Node& node);
bool IsReadOnce(const ReaderMap& readers, const ir::Node& node);

// Returns true if the node computes this operation.
bool IsCalled(const ir::Node& node, std::string_view operation);
bool IsConvolved(const ir::Node& node);  // read by a convolution, with or without groups

// Returns true if `fits` holds for a node in the bodies of `node`, at any depth.
bool AnyInBodies(const ir::Node& node, bool (*fits)(const ir::Node& inner));
// Returns true for a loop whose trip count is not known, or not known to be its only end condition.
bool IsOpenLoop(const ir::Node& node);

// Returns the text of an attribute; `fallback` if the node does not have it.
std::string AttributeText(const ir::Node& node, const std::string& key,
                          const std::string& fallback = {});

using ir::NumberAt;
using ir::TypeOf;
// Returns the value if it is constant, else null.
const ir::Constant* ConstantOf(ir::Source source);
// Returns the elements of a constant integer or boolean value; empty if the value is not constant,
// has another type, or has no elements.
std::vector<int64_t> IntsOf(ir::Source source);

// A scope, or the attributes, of a node that inference has accepted: discards faults.
struct DiscardedFaults {
  Faults discarded;
};
template <typename Scope>
struct Quiet : private DiscardedFaults, Scope {
  template <typename Node>
  Quiet(const ir::Graph& graph, Node& node) : Scope(graph, node, discarded) {}
};

// Permutes or repeats the elements of a constant.
//
// Returns a tensor of `shape` with the elements that a traversal of `dims` by `strides` reads, from
// element `first` on. Strides are in elements of the constant. Its type must have a multiple of 8
// bits.
ir::Constant Rearranged(const ir::Constant& constant, const Dims& dims, const Dims& strides,
                        Dims shape, int64_t first = 0);
// Returns elements [begin, begin + count) along an axis.
ir::Constant PartOf(const ir::Constant& constant, size_t axis, int64_t begin, int64_t count);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REWRITE_H_
