// SPDX-License-Identifier: Apache-2.0
// A Loop written down for tests, with its body and port map, as the reader would leave it: types
// declared, nothing resolved or inferred yet.
//
//   CountedLoop loop(-1);
//   ir::Source i = loop.Carried(loop.outer.Int(0));
//   ...
//   loop.GoOn(condition);
//   graph::RecogniseCounts(loop.outer.graph);
#ifndef WEFT_TESTS_CONVERTER_COUNTED_LOOP_H_
#define WEFT_TESTS_CONVERTER_COUNTED_LOOP_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converter/ir/edit.h"
#include "tests/converter/graph_builder.h"

namespace weft {

struct CountedLoop {
  GraphBuilder outer, body;
  ir::Node* node = nullptr;

  explicit CountedLoop(int64_t trips) {
    const ir::Source first = outer.Const<uint8_t>({ElementType::boolean, {}}, {1});
    node = outer.Add("Loop", 5, {outer.Int(trips), first}, {}, 0).node;
    node->bodies.emplace_back();
  }

  // A Parameter of the body, fed by a value of the outside.
  ir::Source Input(ir::Source source) {
    const ir::Source parameter = body.Parameter(outer.type(source));
    map().inputs.push_back({.parameter = parameter.node, .input = ir::AddInput(*node, source)});
    return parameter;
  }

  ir::Node* Result(ir::Source source) {
    body.Result(source);
    return body.graph.results.back();
  }
  void GoesBack(ir::Source next, ir::Source parameter) {
    map().InputOf(*parameter.node)->next = Result(next);
  }

  // A state that grows by `step`.
  ir::Source Counter(int64_t first, int64_t step) {
    const ir::Source counter = Input(outer.Int(first));
    GoesBack(Typed("Add", {counter, body.Int(step)}, {ElementType::i64, {}}), counter);
    return counter;
  }
  ir::Source Iteration() {
    const ir::Source parameter = body.Parameter({ElementType::i64, {}});
    map().inputs.push_back({.parameter = parameter.node});
    return parameter;
  }

  // A node of the body with its declared type.
  ir::Source Typed(const std::string& type, std::vector<ir::Source> inputs, TensorType declared,
                   std::map<std::string, std::string> attributes = {}, int opset = 1) {
    const ir::Source made = body.Add(type, opset, std::move(inputs), std::move(attributes));
    made.node->outputs[0] = {std::move(declared), true, {}};
    return made;
  }
  ir::Source Compared(const std::string& type, ir::Source a, ir::Source b) {
    return Typed(type, {a, b}, {ElementType::boolean, {}});
  }

  void GoOn(ir::Source condition) { map().condition = Result(condition); }
  void LastOf(ir::Node* result) {
    const auto port = static_cast<int64_t>(node->outputs.size());
    map().outputs.push_back({.result = result, .port_id = port});
  }
  // The latest input is sliced, the latest output gathered, along this axis.
  void SliceOn(int64_t axis) { map().inputs.back().range = On(axis); }
  void GatherOn(int64_t axis) { map().outputs.back().range = On(axis); }
  static ir::ChunkRange On(int64_t axis) {
    ir::ChunkRange range;
    range.axis = axis;
    return range;
  }
  // The last value of a body's value, as an output.
  ir::Source Last(ir::Source source) {
    LastOf(Result(source));
    node->outputs.push_back({body.type(source), true, {}});
    return {node, static_cast<uint32_t>(node->outputs.size() - 1)};
  }
  ir::PortMap& map() { return node->bodies[0].map; }
  const ir::PortMap& map() const { return node->bodies[0].map; }

  // The body becomes part of the loop; to be called once, before a pass.
  void Close() {
    node->bodies[0].graph = std::make_unique<ir::Graph>(std::move(body.graph));
    for (uint32_t i = 0; i < node->outputs.size(); ++i) outer.Result({node, i});
  }
  const ir::Graph& inside() const { return *node->bodies[0].graph; }
};

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_COUNTED_LOOP_H_
