// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/divide.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "converter/graph/recognise/affine.h"
#include "converter/graph/recognise/forms/channel_constant.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/packed.h"
#include "kernels/matrix/pack.h"

namespace weft::graph {
namespace {

// A part of the result: its columns, and the output that reads them.
struct Part {
  ir::Source result;
  int64_t begin = 0, count = 0;
};

// A product with a constant matrix [inputs, outputs] or [outputs, inputs], and an optional constant
// addend.
struct CutProduct {
  ir::Node* product = nullptr;
  ir::Node* sum = nullptr;  // null: no addend
  std::vector<double> bias = {};
  bool outputs_first = false;
  std::vector<Part> parts = {};
};

std::optional<CutProduct> PlainMatrixProduct(ir::Node& node, const ReaderMap& readers) {
  const std::optional<ConstantMatrix> matrix = MatrixIn(node);
  if (!matrix || !IsReadOnce(readers, *node.inputs[1].node)) return std::nullopt;
  const Dims& result = node.outputs[0].type.dims;
  if (result.size() < 2 || result.back() != matrix->outputs) return std::nullopt;
  return CutProduct{.product = &node, .outputs_first = matrix->outputs_first};
}

// Records the addend if the only reader adds one constant number per output.
void TakeSum(CutProduct& product, const ReaderMap& readers) {
  const std::vector<ir::Node*>& all = ReadersIn(readers, *product.product);
  if (all.size() != 1 || !IsCalled(*all[0], "Add")) return;
  ir::Node& sum = *all[0];
  const Dims& dims = sum.outputs[0].type.dims;
  if (dims != product.product->outputs[0].type.dims) return;
  const std::optional<Repeated> addend = RepeatedOf(sum, sum.inputs[0].node->constant ? 0 : 1);
  if (!addend) return;
  std::optional<std::vector<double>> bias = AlongAxis(*addend, dims.size() - 1, dims.back());
  if (!bias) return;
  product.sum = &sum;
  product.bias = *std::move(bias);
}

// Returns all readers of the result, in order of their columns. Returns an empty vector if a reader
// reads anything but columns, or if two readers overlap.
std::vector<Part> PartsOf(const ir::Graph& graph, ir::Source whole, const ReaderMap& readers) {
  std::vector<Part> parts;
  const int64_t width = TypeOf(whole).dims.back();
  for (ir::Node* reader : ReadersIn(readers, *whole.node)) {
    if (reader->outputs.empty()) return {};
    for (uint32_t port = 0; port < reader->outputs.size(); ++port) {
      const ir::Source result = {reader, port};
      const std::optional<Cut> cut = CutOf(graph, result);
      if (!cut || !(cut->whole == whole) || cut->step != 1 || cut->count >= width) return {};
      if (cut->count > 0) parts.push_back({result, cut->begin, cut->count});
    }
  }
  std::ranges::sort(parts, {}, &Part::begin);
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].begin < parts[i - 1].begin + parts[i - 1].count) return {};
  }
  return parts;
}

bool FillsNoMorePanels(const std::vector<Part>& parts, int64_t width) {
  const auto panels = [](int64_t columns) {
    return (columns + kernels::kPanelOutputs - 1) / kernels::kPanelOutputs;
  };
  int64_t sum = 0;
  for (const Part& part : parts) sum += panels(part.count);
  return sum <= panels(width);
}

std::optional<CutProduct> CutProductOf(const ir::Graph& graph, ir::Node& node,
                                       const ReaderMap& readers) {
  std::optional<CutProduct> product = PlainMatrixProduct(node, readers);
  if (!product) return std::nullopt;
  TakeSum(*product, readers);
  ir::Node* last = product->sum != nullptr ? product->sum : &node;
  const ir::OutputPort& port = last->outputs[0];
  const int64_t width = port.type.dims.back();
  if (port.run_time_extent || width == 0) return std::nullopt;
  if (ElementCount(port.type.dims).value_or(0) <= width) return std::nullopt;
  product->parts = PartsOf(graph, {last, 0}, readers);
  if (product->parts.empty() || !FillsNoMorePanels(product->parts, width)) return std::nullopt;
  return product;
}

ir::Source WeightsOfPart(ir::Graph& graph, const CutProduct& product, const Part& part) {
  const ir::Constant& weights = *ConstantOf(product.product->inputs[1]);
  Dims dims = weights.type.dims;
  const int64_t outputs = product.outputs_first ? dims.end()[-2] : dims.back();
  const int64_t inner = product.outputs_first ? dims.back() : 1;
  (product.outputs_first ? dims.end()[-2] : dims.back()) = part.count;
  const auto take = [&](const std::vector<float>& all) {
    std::vector<float> own;
    for (size_t i = 0; i < all.size(); ++i) {
      const int64_t output = static_cast<int64_t>(i) / inner % outputs;
      if (output >= part.begin && output < part.begin + part.count) own.push_back(all[i]);
    }
    return own;
  };
  return NewFloats(graph, *product.product, std::move(dims),
                   ops::CodedFloatsOf(weights).Arranged(take));
}

void Divide(ir::Graph& graph, const CutProduct& product) {
  for (const Part& part : product.parts) {
    const ir::Node& like = *product.product;
    std::vector<ir::Source> inputs = like.inputs;
    inputs[1] = WeightsOfPart(graph, product, part);
    ir::Source made = NewOperation(graph, like, "MatMul", like.operation->opset, std::move(inputs),
                                   like.attributes);
    if (product.sum != nullptr) {
      const auto first = product.bias.begin() + static_cast<std::ptrdiff_t>(part.begin);
      const ir::Source bias =
          NewFloats(graph, *product.sum, {part.count},
                    std::vector<float>(first, first + static_cast<std::ptrdiff_t>(part.count)));
      made = NewOperation(graph, *product.sum, "Add", 1, {made, bias}, product.sum->attributes);
    }
    HandOver(graph, part.result, made);
  }
}

}  // namespace

void DivideProducts(ir::Graph& graph) {
  const ReaderMap readers = Readers(graph);
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) DivideProducts(*body.graph);
    if (node->operation == nullptr || node->constant) continue;
    if (const auto product = CutProductOf(graph, *node, readers)) Divide(graph, *product);
  }
}

}  // namespace weft::graph
