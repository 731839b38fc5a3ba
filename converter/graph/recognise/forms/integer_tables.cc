// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/integer_tables.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "converter/base/quantisation.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

constexpr int64_t kMinRow = 16, kMinTableNumbers = 1024;

// Each number of a row is (integer - offset) * scale.
struct TableParts {
  std::vector<int64_t> integers, offsets;
  std::vector<float> scales;
  bool has_offsets = false;
};

bool HoldsBits(const IntegerGrid& grid, std::span<const float> row) {
  for (size_t i = 0; i < row.size(); ++i) {
    const auto number = static_cast<float>(grid.integers[i] - grid.offset) * grid.scale;
    if (std::memcmp(&number, &row[i], sizeof(number)) != 0) return false;
  }
  return true;
}

std::optional<TableParts> PartsOfTable(const ir::Constant& table) {
  const std::vector<float> numbers = ops::Floats(table), scales = table.quantisation->scales();
  const auto rows = static_cast<size_t>(table.type.dims[0]);
  const size_t width = numbers.size() / rows;
  TableParts parts;
  for (size_t row = 0; row < rows; ++row) {
    const auto of_row = std::span(numbers).subspan(row * width, width);
    const auto grid = GridOf(of_row, std::span(scales).subspan(row * width, width));
    if (!grid || !HoldsBits(*grid, of_row)) return std::nullopt;
    parts.integers.insert(parts.integers.end(), grid->integers.begin(), grid->integers.end());
    parts.scales.push_back(grid->scale);
    parts.offsets.push_back(grid->offset);
    parts.has_offsets = parts.has_offsets || grid->offset != 0;
  }
  return parts;
}

const ir::Constant* TableOf(const ir::Node& node) {
  if (!IsCalled(node, "Gather") || node.outputs[0].run_time_extent) return nullptr;
  const ir::Constant* table = ConstantOf(node.inputs[0]);
  if (table == nullptr || table->quantisation == nullptr) {
    return nullptr;
  }
  const Dims& dims = table->type.dims;
  const int64_t count = ElementCount(dims).value_or(0);
  if (count < kMinTableNumbers || count / dims[0] < kMinRow) return nullptr;
  const std::vector<int64_t> axis = IntsOf(node.inputs[2]);
  const bool is_first =
      axis == std::vector<int64_t>{0} || axis == std::vector<int64_t>{-std::ssize(dims)};
  return is_first ? table : nullptr;
}

class TableGather {
 public:
  TableGather(ir::Graph& graph, ir::Node& node) : graph_(graph), node_(node) {}

  void Replace(const Dims& dims, TableParts parts) {
    Dims one_each(dims.size(), 1);
    one_each[0] = dims[0];
    ir::Source numbers =
        Floats(Gathered(NewInts(graph_, node_, {ElementType::i8, dims}, parts.integers)));
    if (parts.has_offsets) {
      const ir::Source offsets = NewInts(graph_, node_, {ElementType::i8, one_each}, parts.offsets);
      numbers = Made("Subtract", {numbers, Floats(Gathered(offsets))});
    }
    const ir::Source scales = NewFloats(graph_, node_, one_each, std::move(parts.scales));
    HandOver(graph_, {&node_, 0}, Made("Multiply", {numbers, Gathered(scales)}));
  }

 private:
  ir::Source Made(const std::string& type, std::vector<ir::Source> inputs,
                  std::map<std::string, std::string> attributes = {}) {
    return NewOperation(graph_, node_, type, 1, std::move(inputs), std::move(attributes));
  }
  ir::Source Gathered(ir::Source table) {
    std::vector<ir::Source> inputs = node_.inputs;
    inputs[0] = table;
    return NewOperation(graph_, node_, "Gather", node_.operation->opset, std::move(inputs),
                        node_.attributes);
  }
  ir::Source Floats(ir::Source integers) {
    return Made("Convert", {integers}, {{"destination_type", "f32"}});
  }

  ir::Graph& graph_;
  ir::Node& node_;
};

}  // namespace

std::vector<IntegerTable> KeepIntegerTables(ir::Graph& graph) {
  std::vector<IntegerTable> tables;
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) {
      std::ranges::move(KeepIntegerTables(*body.graph), std::back_inserter(tables));
    }
    const ir::Constant* table = TableOf(*node);
    if (table == nullptr) continue;
    std::optional<TableParts> parts = PartsOfTable(*table);
    if (!parts) continue;
    const auto before = std::ssize(table->bytes);
    const int64_t row_bytes = int64_t{sizeof(float)} + (parts->has_offsets ? 1 : 0);
    tables.push_back({node->name, before, before / 4 + table->type.dims[0] * row_bytes});
    TableGather(graph, *node).Replace(table->type.dims, std::move(*parts));
  }
  return tables;
}

}  // namespace weft::graph
