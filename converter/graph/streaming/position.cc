// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/position.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>
#include <vector>

#include "converter/base/visible.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

// Adds variable `name`, which each run increments by `steps`.
ir::Source NewStepCount(ir::Graph& graph, const ir::Node& like, const std::string& name,
                        int64_t steps) {
  const TensorType number = {ElementType::i64, {1}};
  const ir::Source read = NewReadValue(graph, like, name, NewInts(graph, like, number, {0}));
  read.node->outputs[0].type = number;
  ir::Node* next =
      NewInferredNode(graph, like, "Add", 1, {read, NewInts(graph, like, number, {steps})});
  NewAssign(graph, like, name, {next, 0});
  return read;
}

void ReadTable(ir::Graph& graph, const Table& table, const ir::Source& steps_so_far,
               const TimeAxes& times) {
  ir::Node& node = *table.node;
  const int64_t chunk = table.time.chunk;
  const int64_t positions = DimsOf({&node, 0})[static_cast<size_t>(table.time.axis)];
  const auto made = [&](const char* of, std::vector<ir::Source> inputs, int opset = 1) {
    return ir::Source{NewInferredNode(graph, node, of, opset, std::move(inputs)), 0};
  };
  const auto numbers = [&](const std::vector<int64_t>& of) {
    return NewInts(graph, node, {ElementType::i64, {std::ssize(of)}}, of);
  };
  std::vector<int64_t> own(static_cast<size_t>(positions));
  std::iota(own.begin(), own.end(), 0);
  const int64_t last = (times.steps() - 1) * chunk;
  ir::Source at = made("Add", {made("Multiply", {steps_so_far, numbers({chunk})}), numbers(own)});
  // After the last step, each position reads that of the last step.
  std::vector<int64_t> limits;
  for (const int64_t position : own) limits.push_back(last + position % chunk);
  at = made("Minimum", {at, numbers(limits)});
  const ir::Source rows =
      made("Gather", {NewConstant(graph, node, table.whole), at, numbers({table.time.axis})}, 8);
  for (ir::Node* reader : times.nodes()) {
    for (ir::Source& input : reader->inputs) {
      if (input.node == &node) input = rows;
    }
  }
}

}  // namespace

ir::Source ReadTables(ir::Graph& graph, const TimeAxes& times, int64_t steps,
                      const std::vector<Table>& tables, const ir::Node* asks,
                      const NewState& new_state) {
  if (tables.empty() && asks == nullptr) return {};
  std::string from = "the number of steps so far";
  for (const Table& table : tables) {
    from += fmt::format("; layer {} \"{}\" is a table of {} steps, whose last row repeats",
                        table.node->id, OneLine(table.node->name), times.steps());
  }
  const std::string name = new_state("steps so far", {ElementType::i64, {1}}, from);
  const ir::Node& like = tables.empty() ? *asks : *tables[0].node;
  const ir::Source so_far = NewStepCount(graph, like, name, steps);
  for (const Table& table : tables) ReadTable(graph, table, so_far, times);
  return so_far;
}

}  // namespace weft::graph
