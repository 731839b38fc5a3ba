// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/computed_levels.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "converter/graph/quantise/products.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "kernels/elementwise/levels.h"

namespace weft::graph {
namespace {

// Integers of u8 or i8 that were converted to i32; what they lie above those of i8 that stand for them.
struct WidenedBytes {
  ir::Source bytes;
  int64_t above = 0;
};
std::optional<WidenedBytes> WidenedBytesOf(const ir::Source& source) {
  if (!IsCalled(*source.node, "Convert") || TypeOf(source).type != ElementType::i32) {
    return std::nullopt;
  }
  const ir::Source& bytes = source.node->inputs[0];
  const ElementType type = TypeOf(bytes).type;
  if (type == ElementType::u8) return WidenedBytes{bytes, -int64_t{kLeastByte}};
  if (type == ElementType::i8) return WidenedBytes{bytes, 0};
  return std::nullopt;
}

// Data of a product: bytes, and what is taken off all of them, of i32, if anything is.
struct CentredBytes {
  WidenedBytes data;
  std::optional<ir::Source> zero = std::nullopt;
};
std::optional<CentredBytes> CentredBytesOf(const ir::Source& source) {
  if (const auto data = WidenedBytesOf(source)) return CentredBytes{*data};
  if (!IsCalled(*source.node, "Subtract")) return std::nullopt;
  const ir::Source &from = source.node->inputs[0], &zero = source.node->inputs[1];
  const std::optional<WidenedBytes> data = WidenedBytesOf(from);
  if (!data || ElementCount(TypeOf(zero).dims) != 1) return std::nullopt;
  if (TypeOf(from).dims != TypeOf(source).dims) return std::nullopt;
  return CentredBytes{*data, zero};
}

// Constants within i8, as rows of one output each.
struct ByteRows {
  int64_t outputs = 0, inputs = 0;
  std::vector<int64_t> integers, sums;
};
std::optional<ByteRows> ByteRowsOf(const ir::Node& product) {
  const ir::Source& weights = product.inputs[1];
  const Dims& dims = TypeOf(weights).dims;
  const std::vector<int64_t> numbers = IntsOf(weights);
  if (numbers.empty() || dims.size() != 2) return std::nullopt;
  const bool are_bytes = std::ranges::all_of(
      numbers, [](int64_t number) { return number >= kLeastByte && number <= kGreatestByte; });
  const bool is_turned = IsFlagged(product, "transpose_b");
  ByteRows rows = {dims[is_turned ? 0 : 1], dims[is_turned ? 1 : 0], {}, {}};
  if (!are_bytes || rows.inputs > int64_t{kernels::kMostProducts}) return std::nullopt;
  for (int64_t n = 0; n < rows.outputs; ++n) {
    int64_t sum = 0;
    for (int64_t k = 0; k < rows.inputs; ++k) {
      const int64_t place = is_turned ? n * rows.inputs + k : k * rows.outputs + n;
      rows.integers.push_back(numbers[static_cast<size_t>(place)]);
      sum += rows.integers.back();
    }
    rows.sums.push_back(sum);
  }
  return rows;
}

// What follows a product and nothing else reads: the conversion, and one factor or one of each output.
struct FloatTail {
  ir::Node* last = nullptr;
  std::optional<ir::Source> factor = std::nullopt;
};
std::optional<FloatTail> FloatTailOf(const QuantiseSite& site, const ir::Node& product,
                                     int64_t outputs) {
  ir::Node* const floats = site.SoleReader(product);
  if (floats == nullptr || !IsCalled(*floats, "Convert")) return std::nullopt;
  if (floats->outputs[0].type.type != ElementType::f32) return std::nullopt;
  ir::Node* const scaled = site.SoleReader(*floats);
  if (scaled == nullptr || !IsCalled(*scaled, "Multiply") ||
      scaled->outputs[0].type != floats->outputs[0].type) {
    return FloatTail{floats};
  }
  const ir::Source& factor = scaled->inputs[scaled->inputs[0].node == floats ? 1 : 0];
  const Dims& dims = TypeOf(factor).dims;
  const std::optional<int64_t> count = ElementCount(dims);
  if (count != 1 && (count != outputs || dims.back() != outputs)) return FloatTail{floats};
  return FloatTail{scaled, factor};
}

// A number for each output.
ir::Source ScalesOf(ir::Graph& graph, const ir::Node& like, const FloatTail& tail,
                    int64_t outputs) {
  const Dims dims = {outputs};
  if (!tail.factor) {
    return NewFloats(graph, like, dims, std::vector<float>(static_cast<size_t>(outputs), 1.0f));
  }
  if (ElementCount(TypeOf(*tail.factor).dims) == outputs) {
    return Reshaped(graph, like, *tail.factor, dims);
  }
  const ir::Source one = Reshaped(graph, like, *tail.factor, {1});
  const ir::Source extents = NewInts(graph, like, {ElementType::i64, {1}}, dims);
  return {NewInferredNode(graph, like, "Broadcast", 3, {one, extents}, 1, {{"mode", "numpy"}}), 0};
}

// What the sums of each output begin with: (above - zero) * the sum of its weights.
ir::Source FirstsOf(ir::Graph& graph, const ir::Node& like, const CentredBytes& x,
                    const ByteRows& rows) {
  const TensorType one = {ElementType::i32, {1}}, all = {ElementType::i32, {rows.outputs}};
  if (!x.zero) {
    std::vector<int64_t> firsts;
    for (const int64_t sum : rows.sums) firsts.push_back(x.data.above * sum);
    return NewInts(graph, like, all, firsts);
  }
  const ir::Source above = NewInts(graph, like, one, {x.data.above});
  const ir::Source zero = Reshaped(graph, like, *x.zero, {1});
  const ir::Source away = {NewInferredNode(graph, like, "Subtract", 1, {above, zero}), 0};
  const ir::Source sums = NewInts(graph, like, all, rows.sums);
  return {NewInferredNode(graph, like, "Multiply", 1, {away, sums}), 0};
}

}  // namespace

bool QuantiseComputedProduct(QuantiseSite& site, ir::Node& node) {
  if (!IsCalled(node, "MatMul") || IsFlagged(node, "transpose_a")) return false;
  if (node.outputs[0].type.type != ElementType::i32 || TypeOf(node.inputs[0]).dims.size() < 2) {
    return false;
  }
  const std::optional<CentredBytes> x = CentredBytesOf(node.inputs[0]);
  if (!x) return false;
  const std::optional<ByteRows> rows = ByteRowsOf(node);
  if (!rows) return false;
  const std::optional<FloatTail> tail = FloatTailOf(site, node, rows->outputs);
  if (!tail) return false;
  ir::Graph& graph = site.graph();
  const Dims outputs = {rows->outputs};
  const std::vector<ir::Source> inputs = {
      BytesAs(graph, node, x->data.bytes, ElementType::i8),
      NewInts(graph, node, {ElementType::i8, {rows->outputs, rows->inputs}}, rows->integers),
      ScalesOf(graph, node, *tail, rows->outputs), FirstsOf(graph, node, *x, *rows),
      NewFloats(graph, node, outputs, std::vector<float>(rows->sums.size()))};
  const ir::Source made = {NewInferredNode(graph, node, "QuantizedMatMul", ops::kOfPasses, inputs),
                           0};
  Become(*tail->last, "Identity", 16, {made});
  return true;
}

}  // namespace weft::graph
