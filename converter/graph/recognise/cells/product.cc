// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <vector>

#include "converter/graph/recognise/affine.h"
#include "converter/graph/recognise/cells/cells.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

std::set<const ir::Node*> SlicedParameters(const ir::Body& body) {
  std::set<const ir::Node*> sliced;
  for (const ir::BodyInput& input : body.map.inputs) {
    if (input.range) sliced.insert(input.parameter);
  }
  return sliced;
}

// Concatenates the parts of each kind into one row and multiplies it by their rows of the matrix.
ir::Source ProductOfParts(ir::Graph& graph, const ir::Node& like,
                          const std::vector<const Product*>& parts, int64_t rows, int64_t outputs) {
  std::vector<ir::Source> inputs;
  CodedFloats matrix;  // [inputs, outputs]
  int64_t width = 0;
  for (const Product* part : parts) {
    inputs.push_back(Reshaped(graph, like, part->input, {rows, part->width}));
    width += part->width;
    matrix.Append(part->Weights().Arranged([&](const std::vector<float>& all) {
      std::vector<float> permuted;
      for (int64_t i = 0; i < part->width; ++i) {
        for (int64_t o = 0; o < outputs; ++o) {
          permuted.push_back(all[static_cast<size_t>(o * part->width + i)]);
        }
      }
      return permuted;
    }));
  }
  ir::Source row = inputs[0];
  if (inputs.size() > 1) {
    row = NewOperation(graph, like, "Concat", 1, inputs, {{"axis", "1"}});
  }
  const ir::Source weights = NewFloats(graph, like, {width, outputs}, std::move(matrix));
  return NewOperation(graph, like, "MatMul", 1, {row, weights});
}

void SplitProduct(ir::Graph& graph, ir::Node& node, const std::set<const ir::Node*>& sliced) {
  const Dims dims = node.outputs[0].type.dims;
  if (dims.size() < 2 || ElementCount(dims).value_or(0) == 0) return;
  if (node.outputs[0].run_time_extent) return;
  const int64_t rows = ElementCount(dims).value_or(0) / dims.back();
  const std::optional<Affine> sum = AffineOf(graph, AllColumns({&node, 0}), rows);
  if (!sum || !sum->others.empty()) return;
  std::vector<const Product*> slices, rest;
  for (const Product& product : sum->products) {
    (sliced.contains(product.input.node) ? slices : rest).push_back(&product);
  }
  if (slices.empty() || rest.empty()) return;
  const ir::Source a = ProductOfParts(graph, node, rest, rows, dims.back());
  const ir::Source b = ProductOfParts(graph, node, slices, rows, dims.back());
  const ir::Source both = NewOperation(graph, node, "Add", 1, {a, b});
  HandOver(graph, {&node, 0}, Reshaped(graph, node, both, dims));
}

}  // namespace

void SplitProducts(const ir::Body& body) {
  const std::set<const ir::Node*> sliced = SlicedParameters(body);
  if (sliced.empty()) return;
  for (ir::Node* node : ir::Topological(*body.graph)) {
    if (node->type == "MatMul" && !node->constant) SplitProduct(*body.graph, *node, sliced);
  }
}

}  // namespace weft::graph
