// SPDX-License-Identifier: Apache-2.0
// A one-hot vector times a constant table: Gather reads the row of the table instead.
//   MatMul(OneHot(i, K, 1, 0), table), MatMul(Equal(i, [0, 1, ... K - 1]), table)
// The one-hot vector may be converted, selected as 1 or 0, and reshaped in between. Equal may
// compare with any K different integers in a range of at most 2 K. An index that matches none of
// them selects a row of zeros. The table must be finite, because 0 times infinity or NaN is NaN.
// Results are bit-identical, except that a subnormal number of the table is not flushed to zero. A
// table of 8-bit integers stays a product with int8 weights.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/elements.h"
#include "converter/base/narrow.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/bounds.h"
#include "converter/ops/support/packed.h"
#include "kernels/elementwise/convert.h"

namespace weft::graph {
namespace {

// Vectors with a 1 where `index` is one of `classes`, and zeros elsewhere.
struct OneHot {
  ir::Source index;
  std::vector<int64_t> classes = {};  // of each element of the vector
  bool counts_from_end = false;       // negative indices do
  Covered covered = {};
};

// Returns true if `source` is a constant whose elements all are `number`.
bool IsFilledWith(ir::Source source, double number) {
  const ir::Constant* constant = ConstantOf(source);
  if (constant == nullptr || CountIn(source) < 1) return false;
  for (size_t i = 0; i < static_cast<size_t>(CountIn(source)); ++i) {
    if (NumberAt(*constant, i) != number) return false;
  }
  return true;
}

bool HasIntegers(ir::Source source) {
  const ElementType type = TypeOf(source).type;
  return !IsFloat(type) && type != ElementType::boolean && type != ElementType::i4 &&
         type != ElementType::u4;
}

// The classes of a constant of integers that is compared along the last axis only.
std::vector<int64_t> ClassesIn(ir::Source source, int64_t count) {
  const ir::Constant& constant = *ConstantOf(source);
  if (CountIn(source) != count || constant.type.dims.back() != count) return {};
  return ir::IntegersOf(constant);
}

std::optional<OneHot> OfEqual(const ir::Node& node) {
  const Dims& dims = node.outputs[0].type.dims;
  if (AttributeText(node, "auto_broadcast", "numpy") != "numpy") return std::nullopt;
  for (const size_t i : {1, 0}) {
    const bool is_row = ConstantOf(node.inputs[i]) != nullptr && HasIntegers(node.inputs[i]) &&
                        !TypeOf(node.inputs[i]).dims.empty();
    if (!is_row) continue;
    const ir::Source index = node.inputs[1 - i];
    OneHot one_hot{index, ClassesIn(node.inputs[i], dims.back())};
    const Dims& of_index = TypeOf(index).dims;
    const bool is_column = of_index.empty() || of_index.back() == 1;
    const bool is_whole = CountIn(index) * dims.back() == ElementCount(dims);
    if (!one_hot.classes.empty() && is_column && is_whole) return one_hot;
  }
  return std::nullopt;
}

std::optional<OneHot> OfOneHot(const ir::Node& node) {
  const Dims& dims = node.outputs[0].type.dims;
  const auto axis = static_cast<int64_t>(AttributeOf(node, "axis", -1));
  const bool is_last = axis == -1 || axis == std::ssize(dims) - 1;
  if (!is_last || !IsFilledWith(node.inputs[2], 1) || !IsFilledWith(node.inputs[3], 0)) {
    return std::nullopt;
  }
  OneHot one_hot{node.inputs[0]};
  for (int64_t i = 0; i < dims.back(); ++i) one_hot.classes.push_back(i);
  constexpr int kOpsetWithMode = 16;
  one_hot.counts_from_end = node.operation->opset >= kOpsetWithMode &&
                            AttributeText(node, "negative_indices_mode") == "normalize";
  return one_hot;
}

// Returns true if the operation keeps zeros, ones and the last axis.
bool KeepsOneHots(const ir::Node& node) {
  const ops::Traits& traits = ops::TraitsOf(node);
  if (IsCalled(node, "Select")) {
    return TypeOf(node.inputs[0]).dims == node.outputs[0].type.dims &&
           IsFilledWith(node.inputs[1], 1) && IsFilledWith(node.inputs[2], 0);
  }
  if (node.inputs.empty() || node.outputs.size() != 1) return false;
  const Dims &before = TypeOf(node.inputs[0]).dims, &after = node.outputs[0].type.dims;
  const bool keeps_axis = !before.empty() && !after.empty() && before.back() == after.back();
  return (traits.converts || traits.reshapes) && keeps_axis;
}

std::optional<OneHot> OneHotOf(ir::Source source) {
  Covered covered;
  while (source.node->operation != nullptr && !source.node->constant && !ir::ExtentOf(source)) {
    const ir::Node& node = *source.node;
    covered.insert(&node);
    if (KeepsOneHots(node)) {
      source = node.inputs[0];
      continue;
    }
    std::optional<OneHot> one_hot;
    if (IsCalled(node, "Equal") && !node.outputs[0].type.dims.empty()) one_hot = OfEqual(node);
    if (IsCalled(node, "OneHot")) one_hot = OfOneHot(node);
    if (one_hot) one_hot->covered = std::move(covered);
    return one_hot;
  }
  return std::nullopt;
}

// Rows of numbers that an index, counted from `first`, selects.
struct Table {
  int64_t first = 0, rows = 0, width = 0;
  std::vector<float> numbers;
};

// The rows of the constant factor, each at the position of its class, with rows of zeros between.
std::optional<Table> TableOf(const ir::Node& product, const std::vector<int64_t>& classes) {
  const std::optional<ConstantMatrix> matrix = MatrixIn(product);
  const int64_t count = std::ssize(classes);
  if (!matrix || matrix->constant->quantisation || matrix->inputs != count) return std::nullopt;
  Table table;
  table.width = matrix->outputs;
  const auto [low, high] = std::ranges::minmax(classes);
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (range >= 2 * static_cast<uint64_t>(count)) return std::nullopt;
  table.first = low;
  table.rows = static_cast<int64_t>(range) + 1;
  table.numbers.resize(static_cast<size_t>(table.rows * table.width));
  const std::vector<float> numbers = ops::Floats(*matrix->constant);
  if (!std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); })) {
    return std::nullopt;
  }
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < table.width; ++j) {
      const int64_t from = matrix->outputs_first ? j * count + i : i * table.width + j;
      const int64_t to = (classes[static_cast<size_t>(i)] - low) * table.width + j;
      // A sum of products that starts with 0 is never -0.
      table.numbers[static_cast<size_t>(to)] = numbers[static_cast<size_t>(from)] + 0.0f;
    }
  }
  return table;
}

// Returns f32 numbers as bits of f16; empty if one of them is not exact in f16 or the table is
// small.
std::vector<int64_t> HalvesOf(const std::vector<float>& numbers) {
  constexpr size_t kMinNumbers = 1024;  // 2 KB saved; a Convert step is smaller
  if (numbers.size() < kMinNumbers) return {};
  const uint32_t count = Narrow32(numbers.size(), "numbers");
  std::vector<uint16_t> halves(numbers.size());
  std::vector<float> widened(numbers.size());
  kernels::Convert({count, kernels::Element::kF32, kernels::Element::kF16}, numbers.data(),
                   halves.data());
  kernels::Convert({count, kernels::Element::kF16, kernels::Element::kF32}, halves.data(),
                   widened.data());
  if (widened != numbers) return {};
  return {halves.begin(), halves.end()};
}

bool AreDifferent(std::vector<int64_t> classes) {
  std::ranges::sort(classes);
  return std::ranges::adjacent_find(classes) == classes.end();
}

class RowReader {
 public:
  RowReader(ir::Graph& graph, const ir::Node& node) : graph_(graph), node_(node) {}

  // Gather counts a negative index from the end and returns zeros for an index beyond the table. So
  // negative indices become -1, and the last row contains zeros.
  ir::Source Rows(const OneHot& one_hot, Table table) {
    ir::Source index = Reshaped(graph_, node_, one_hot.index, DimsOfIndex());
    const int64_t low = ops::BoundsOf(one_hot.index).low;
    const ElementType type = TypeOf(index).type;
    const bool is_word = type == ElementType::i32 || type == ElementType::i64;
    if (!is_word) index = Made("Convert", 1, {index}, {{"destination_type", "i32"}});
    if (table.first != 0) index = Made("Subtract", 1, {index, Number(index, table.first)});
    if (!one_hot.counts_from_end && low < table.first) {
      index = Made("Maximum", 1, {index, Number(index, -1)});
      table.numbers.resize(table.numbers.size() + static_cast<size_t>(table.width));
      ++table.rows;
    }
    const ir::Source axis = NewInts(graph_, node_, {ElementType::i64, {}}, {0});
    const ir::Source rows = Stored(std::move(table));
    ir::Source read = Made("Gather", 8, {rows, index, axis}, {{"batch_dims", "0"}});
    if (TypeOf(read).type != ElementType::f32) {
      read = Made("Convert", 1, {read}, {{"destination_type", "f32"}});
    }
    return Reshaped(graph_, node_, read, Dims(node_.outputs[0].type.dims));
  }

 private:
  // Returns a constant, stored as f16 if that is exact, because products store their weights as f16
  // by default.
  ir::Source Stored(Table table) {
    Dims dims = {table.rows, table.width};
    const std::vector<int64_t> halves = HalvesOf(table.numbers);
    if (halves.empty()) return NewFloats(graph_, node_, dims, std::move(table.numbers));
    return NewInts(graph_, node_, {ElementType::f16, std::move(dims)}, halves);
  }
  // The dims of the product without the table's width.
  Dims DimsOfIndex() const {
    Dims dims = node_.outputs[0].type.dims;
    dims.pop_back();
    return dims;
  }
  ir::Source Number(ir::Source like, int64_t number) {
    return NewInts(graph_, node_, {TypeOf(like).type, {}}, {number});
  }
  ir::Source Made(const std::string& type, int opset, std::vector<ir::Source> inputs,
                  std::map<std::string, std::string> attributes = {}) {
    return NewOperation(graph_, node_, type, opset, std::move(inputs), std::move(attributes));
  }

  ir::Graph& graph_;
  const ir::Node& node_;
};

}  // namespace

bool RecogniseOneHot(FormSite& site, ir::Node& node) {
  if (!IsCalled(node, "MatMul")) return false;
  const bool is_vector = TypeOf(node.inputs[0]).dims.size() == 1;
  if (AttributeOf(node, "transpose_a") != 0 && !is_vector) return false;
  const std::optional<OneHot> one_hot = OneHotOf(node.inputs[0]);
  if (!one_hot || ir::ExtentOf(one_hot->index)) return false;
  if (one_hot->classes.empty() || !AreDifferent(one_hot->classes)) return false;
  std::optional<Table> table = TableOf(node, one_hot->classes);
  if (!table) return false;
  const ir::Source rows = RowReader(site.graph(), node).Rows(*one_hot, *std::move(table));
  // Where another node reads the one-hot vector, it is still computed.
  const bool is_closed = site.IsClosed(node, one_hot->covered);
  site.Replace(node, is_closed ? one_hot->covered : Covered(), {"Identity", 16, {rows}});
  return true;
}

}  // namespace weft::graph
