// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/quantise.h"

#include <algorithm>
#include <memory>

#include "converter/graph/canonical/pads.h"
#include "converter/graph/quantise/conversions.h"
#include "converter/graph/quantise/site.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/stated.h"
#include "converter/ops/moved_inputs.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// Finds the positions of the largest quantised values among their codes.
bool QuantisePositions(QuantiseSite& site, ir::Node& node) {
  const bool is_search = IsCalled(node, "TopK") && node.outputs.size() > 1;
  if (!is_search || site.QuantParamsOf({&node, 0}) == nullptr) return false;
  ir::HandOver(site.graph(), {&node, 1}, {site.Integers({&node, 0}).node, 1});
  return true;
}

void QuantiseNode(QuantiseSite& site, ir::Node& node) {
  if (node.constant || node.operation == nullptr || site.HasIntegers(node)) return;
  if (QuantiserOf(node)) {
    QuantiseBefore(site, node);
  } else if (IsCalled(node, "Quantize")) {
    const QuantParams* from = site.QuantParamsOf(node.inputs[0]);
    const std::optional<QuantParams> to = QuantParamsOfCodes(node);
    if (from == nullptr || !to || !from->AgreesWith(*to)) return;
    Become(node, "Identity", 16, {site.Integers(node.inputs[0])});
  } else if (node.operation->traits.converts && QuantParamsOfType(node.outputs[0].type.type)) {
    const ElementType type = node.outputs[0].type.type;
    const QuantParams* quant_params = site.QuantParamsOf(node.inputs[0]);
    if (quant_params == nullptr || !quant_params->AgreesWith(*QuantParamsOfType(type))) return;
    Become(node, "Identity", 16,
           {BytesAs(site.graph(), node, site.Integers(node.inputs[0]), type)});
  } else if (!QuantisePositions(site, node) && !QuantiseProduct(site, node) &&
             !QuantiseComputedProduct(site, node) && !QuantiseJoinedProduct(site, node) &&
             !QuantiseComparison(site, node)) {
    QuantiseData(site, node);
  }
}

}  // namespace

void JoinPadsOfData(ir::Graph& graph, const KeepsFloats& keeps_floats) {
  const FormSite reads(graph);
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) JoinPadsOfData(*body.graph, keeps_floats);
    if (node->constant || keeps_floats(node->name) || !IsConvolved(*node)) continue;
    JoinOwnPad(graph, *node, [&](const ir::Node& data) {
      const ir::Node* reader = &data;
      while (reader != nullptr && reader != node) reader = reads.SoleReader(*reader);
      if (reader == nullptr || keeps_floats(data.name) || !QuantiserOf(data)) return false;
      return IsCalled(*data.inputs[0].node, "Pad") && IsQuantisableProduct(*node);
    });
  }
}

void QuantiseBeforeMoves(ir::Graph& graph) {
  const FormSite reads(graph);
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) QuantiseBeforeMoves(*body.graph);
    if (node->constant || !node->attributes.contains(ir::kStatedScale) || !QuantiserOf(*node)) {
      continue;
    }
    // The reader of the next move in the graph as it was. After a quantiser is before a move, the
    // readers of the quantiser read the move.
    for (const ir::Node* reader = node;;) {
      ir::Node& move = *node->inputs[0].node;
      const bool is_move = ops::MovedInputsOf(move).IsOfFirst() && move.outputs.size() == 1 &&
                           ops::TraitsOf(move).steering == ops::Steering::kShape &&
                           reads.SoleReader(move) == reader &&
                           CountIn(node->inputs[0]) == CountIn(move.inputs[0]);
      if (!is_move) break;
      ir::HandOver(graph, {node, 0}, {&move, 0});
      node->inputs[0] = move.inputs[0];
      node->outputs[0].type = TypeOf(move.inputs[0]);
      move.inputs[0] = {node, 0};
      reader = &move;
    }
  }
}

bool HasExactScales(const ir::Graph& graph) {
  const auto has_scale = [](const ir::Node& node) {
    const bool is_quantiser = IsCalled(node, "FakeQuantize") || IsCalled(node, "Dequantize");
    return is_quantiser && node.attributes.contains(ir::kStatedScale);
  };
  return std::ranges::any_of(graph.nodes, [&](const std::unique_ptr<ir::Node>& node) {
    return has_scale(*node) || AnyInBodies(*node, has_scale);
  });
}

std::vector<FloatLayer> Quantise(ir::Graph& graph, Folding& folding,
                                 const QuantiseOptions& options) {
  QuantiseSite site(graph, folding, options);
  const std::vector<ir::Node*> assigns = ReadCodes(site);
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) {
      site.AddFloatLayers(Quantise(*body.graph, folding, options));
    }
    if (!site.KeepsFloats(*node)) QuantiseNode(site, *node);
  }
  AssignCodes(site, assigns);
  for (const ir::Node* node : ir::Topological(graph)) site.AddFloatLayer(*node);
  return site.TakeFloatLayers();
}

}  // namespace weft::graph
