// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/cells/cell.h"

#include <fmt/format.h>

#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/graph/recognise/pattern.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

const Product* ProductOf(const Affine& affine, ir::Source input) {
  const auto found = std::ranges::find_if(
      affine.products, [&](const Product& product) { return IsSame(product.input, input); });
  return found == affine.products.end() ? nullptr : &*found;
}

void AppendMatrix(CodedFloats& matrix, const Affine& affine, ir::Source input, int64_t width,
                  float sign) {
  const Product* product = ProductOf(affine, input);
  const size_t count = affine.bias.size() * static_cast<size_t>(width);
  CodedFloats gate = product == nullptr ? CodedFloats::Zeros(count) : product->Weights();
  if (product != nullptr) gate.MultiplyBy(std::vector<float>(count, sign));
  matrix.Append(gate);
}

// Movement operations before a product belong to the cell if they read values that the cell
// computes.
void CoverPassages(CellDraft& draft) {
  for (bool grown = true; grown;) {
    grown = false;
    for (const ir::Node* node : draft.passages) {
      const bool inside = std::ranges::any_of(node->inputs, [&](const ir::Source& source) {
        return draft.nodes.contains(source.node);
      });
      if (inside) grown = draft.nodes.insert(node).second || grown;
    }
  }
}

bool IsClosed(const Site& site, const CellDraft& draft) {
  for (const ir::Node* node : draft.nodes) {
    const bool gives = std::ranges::any_of(
        draft.results, [&](const ir::Source& result) { return result.node == node; });
    if (gives) continue;
    for (const ir::Node* reader : ReadersIn(site.readers, *node)) {
      if (!draft.nodes.contains(reader)) return false;
    }
  }
  return true;
}

std::map<std::string, std::string> AttributesOf(const CellDraft& draft) {
  std::string names, alphas, betas;
  for (const Gate& gate : draft.activations) {
    const std::string comma = names.empty() ? "" : ",";
    names += comma + gate.activation;
    alphas += comma + fmt::format("{}", gate.alpha);
    betas += comma + fmt::format("{}", gate.beta);
  }
  std::map<std::string, std::string> attributes = {{"hidden_size", std::to_string(draft.hidden)},
                                                   {"activations", names},
                                                   {"activations_alpha", alphas},
                                                   {"activations_beta", betas}};
  if (draft.linear_before_reset) attributes["linear_before_reset"] = "true";
  return attributes;
}

}  // namespace

void CellDraft::Append(const Affine& affine, float sign) {
  AppendMatrix(w, affine, x, inputs, sign);
  AppendMatrix(r, affine, states[0], hidden, sign);
  for (const float bias : affine.bias) b.push_back(sign * bias);
  Cover(affine);
}

bool Place(Site& site, CellDraft draft) {
  CoverPassages(draft);
  if (!IsClosed(site, draft)) return false;
  ir::Graph& graph = site.graph;
  const ir::Node& like = *draft.results[0].node;
  std::vector<ir::Source> inputs = {Reshaped(graph, like, draft.x, {draft.rows, draft.inputs})};
  for (const ir::Source& state : draft.states) {
    inputs.push_back(Reshaped(graph, like, state, {draft.rows, draft.hidden}));
  }
  const auto gate_rows = std::ssize(draft.w.floats) / draft.inputs;
  const auto biases = static_cast<int64_t>(draft.b.size());
  inputs.push_back(NewFloats(graph, like, {gate_rows, draft.inputs}, std::move(draft.w)));
  inputs.push_back(NewFloats(graph, like, {gate_rows, draft.hidden}, std::move(draft.r)));
  inputs.push_back(NewFloats(graph, like, {biases}, std::move(draft.b)));
  ir::Node* cell = NewInferredNode(graph, like, draft.operation, draft.opset, std::move(inputs),
                                   Narrow32(draft.results.size(), "outputs"), AttributesOf(draft));
  for (uint32_t port = 0; port < draft.results.size(); ++port) {
    const ir::Source result = draft.results[port];
    HandOver(graph, result, Reshaped(graph, like, {cell, port}, TypeOf(result).dims));
  }
  return true;
}

std::optional<std::pair<Product, Product>> InputAndState(const Site& site,
                                                         const std::vector<Affine>& gates,
                                                         int64_t hidden) {
  std::vector<Product> inputs;
  for (const Affine& gate : gates) {
    for (const Product& product : gate.products) {
      const bool known = std::ranges::any_of(
          inputs, [&](const Product& other) { return other.input == product.input; });
      if (!known) inputs.push_back(product);
    }
  }
  if (inputs.size() != 2) return std::nullopt;
  const auto fits = [&](size_t i) { return inputs[i].width == hidden; };
  const auto is_state = [&](size_t i) {
    return fits(i) && (site.successors.contains(inputs[i].input.node) ||
                       ir::IsReadValue(*inputs[i].input.node));
  };
  if (!fits(0) && !fits(1)) return std::nullopt;
  const size_t state = is_state(1) || (fits(1) && !is_state(0)) ? 1 : 0;
  return std::pair{inputs[1 - state], inputs[state]};
}

}  // namespace weft::graph
