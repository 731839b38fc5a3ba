// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/position.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "converter/base/visible.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

// Adds variable `name`, which each run increments by `steps`.
ir::Source NewStepCount(ir::Graph& graph, const ir::Node& like, const std::string& name,
                        int64_t steps) {
  const TensorType number = {ElementType::i64, {1}};
  const ir::Source read = NewReadValue(graph, like, name, NewInts(graph, like, number, {0}));
  ir::Node* next =
      NewInferredNode(graph, like, "Add", 1, {read, NewInts(graph, like, number, {steps})});
  NewAssign(graph, like, name, {next, 0});
  return read;
}

// Returns the constant as [outer, steps, inner], without the last steps if these are equal.
ir::Constant RowsOf(const Table& table, int64_t steps) {
  const auto at = static_cast<size_t>(table.time.axis);
  const Dims& dims = table.whole.type.dims;
  const int64_t outer = ops::ProductOf(dims, 0, at);
  const int64_t inner = table.time.chunk * ops::ProductOf(dims, at + 1, dims.size());
  const int64_t row_bytes = inner * ElementBytes(table.whole.type.type);
  const auto rows_at = [&](int64_t i, int64_t step, int64_t count) {
    return table.whole.bytes.subspan(static_cast<size_t>((i * steps + step) * row_bytes),
                                     static_cast<size_t>(count * row_bytes));
  };
  int64_t kept = steps;
  const auto repeats = [&](int64_t step) {
    for (int64_t i = 0; i < outer; ++i) {
      if (!std::ranges::equal(rows_at(i, step, 1), rows_at(i, step - 1, 1))) return false;
    }
    return true;
  };
  while (kept > 1 && repeats(kept - 1)) --kept;
  std::vector<std::byte> bytes;
  for (int64_t i = 0; i < outer; ++i) {
    const std::span<const std::byte> part = rows_at(i, 0, kept);
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return ir::OwnedConstant({table.whole.type.type, {outer, kept, inner}}, std::move(bytes));
}

// Makes the readers of a table read `rows` in each run.
void ReadTable(ir::Graph& graph, const Table& table, ir::Constant rows, int64_t steps,
               const ir::Source& steps_so_far, const TimeAxes& times) {
  ir::Node& node = *table.node;
  const int64_t last = rows.type.dims[1] - 1;
  const auto made = [&](const char* of, std::vector<ir::Source> inputs, int opset = 1) {
    return NewOperation(graph, node, of, opset, std::move(inputs));
  };
  const auto numbers = [&](const std::vector<int64_t>& of) { return NewInts(graph, node, of); };
  std::vector<int64_t> own(static_cast<size_t>(steps));
  std::iota(own.begin(), own.end(), 0);
  const ir::Source at =
      made("Minimum", {made("Add", {steps_so_far, numbers(own)}), numbers({last})});
  const ir::Source taken =
      made("Gather", {NewConstant(graph, node, std::move(rows)), at, numbers({1})}, 8);
  const ir::Source read = Reshaped(graph, node, taken, node.outputs[0].type.dims);
  for (ir::Node* reader : times.nodes()) {
    for (ir::Source& input : reader->inputs) {
      if (input.node == &node) input = read;
    }
  }
}

}  // namespace

ir::Source ReadTables(ir::Graph& graph, const TimeAxes& times, int64_t steps,
                      const std::vector<Table>& tables, const ir::Node* asks,
                      const NewState& new_state) {
  if (tables.empty() && asks == nullptr) return {};
  std::string from = "the number of steps so far";
  std::vector<ir::Constant> rows;
  for (const Table& table : tables) {
    rows.push_back(RowsOf(table, times.steps()));
    from += fmt::format("; layer {} \"{}\" is a table of {} steps, whose last row repeats",
                        table.node->id, OneLine(table.node->name), rows.back().type.dims[1]);
  }
  const std::string name = new_state("steps so far", {ElementType::i64, {1}}, from);
  const ir::Node& like = tables.empty() ? *asks : *tables[0].node;
  const ir::Source so_far = NewStepCount(graph, like, name, steps);
  for (size_t i = 0; i < tables.size(); ++i) {
    ReadTable(graph, tables[i], std::move(rows[i]), steps, so_far, times);
  }
  return so_far;
}

}  // namespace weft::graph
