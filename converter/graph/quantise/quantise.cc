// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/quantise.h"

#include "converter/graph/quantise/elementwise.h"
#include "converter/graph/quantise/joined.h"
#include "converter/graph/quantise/products.h"
#include "converter/graph/quantise/site.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// Numbers of i8 that came as f32, or go from it, are integers that stand for themselves.
bool IsOfItself(const Levels& levels) { return levels.scale == 1 && levels.zero == 0; }

void QuantiseNode(QuantiseSite& site, ir::Node& node) {
  if (node.constant || node.operation == nullptr || site.HasIntegers(node)) return;
  if (QuantiserOf(node)) {
    QuantiseBefore(site, node);
  } else if (node.operation->traits.converts && node.outputs[0].type.type == ElementType::i8) {
    const Levels* levels = site.LevelsOf(node.inputs[0]);
    if (levels == nullptr || !IsOfItself(*levels)) return;
    Become(node, "Identity", 16, {site.Integers(node.inputs[0])});
  } else if (!QuantiseProduct(site, node)) {
    QuantiseJoinedProduct(site, node);
  }
}

}  // namespace

void Quantise(ir::Graph& graph, Folding& folding,
              const std::function<bool(const std::string& layer)>& keeps_floats) {
  QuantiseSite site(graph, folding);
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) Quantise(*body.graph, folding, keeps_floats);
    if (!keeps_floats(node->name)) QuantiseNode(site, *node);
  }
}

}  // namespace weft::graph
