// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/quantise.h"

#include "converter/graph/quantise/computed_params.h"
#include "converter/graph/quantise/data.h"
#include "converter/graph/quantise/elementwise.h"
#include "converter/graph/quantise/joined.h"
#include "converter/graph/quantise/products.h"
#include "converter/graph/quantise/site.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

void QuantiseNode(QuantiseSite& site, ir::Node& node) {
  if (node.constant || node.operation == nullptr || site.HasIntegers(node)) return;
  if (QuantiserOf(node)) {
    QuantiseBefore(site, node);
  } else if (node.operation->traits.converts && QuantParamsOfType(node.outputs[0].type.type)) {
    const ElementType type = node.outputs[0].type.type;
    const QuantParams* quant_params = site.QuantParamsOf(node.inputs[0]);
    if (quant_params == nullptr || !quant_params->AgreesWith(*QuantParamsOfType(type))) return;
    Become(node, "Identity", 16,
           {BytesAs(site.graph(), node, site.Integers(node.inputs[0]), type)});
  } else if (!QuantiseProduct(site, node) && !QuantiseComputedProduct(site, node) &&
             !QuantiseJoinedProduct(site, node)) {
    QuantiseData(site, node);
  }
}

}  // namespace

void Quantise(ir::Graph& graph, Folding& folding,
              const std::function<bool(const std::string& layer)>& keeps_floats) {
  QuantiseSite site(graph, folding, keeps_floats);
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) Quantise(*body.graph, folding, keeps_floats);
    if (!site.KeepsFloats(*node)) QuantiseNode(site, *node);
  }
}

}  // namespace weft::graph
