// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/forms.h"

#include <span>

#include "converter/graph/recognise/forms/form_site.h"

namespace weft::graph {
namespace {

// In order: inner functions must be recognised before formulas that contain them. RecogniseMovement
// runs first, because movement operations interrupt formulas, and again last, because the
// replacements leave some.
constexpr PassPart<FormSearch> kFormulas[] = {
    {"first_movement", RecogniseMovement, "merges consecutive transpositions and reshapes"},
    {"bounds", RecogniseBounds, "finds clamps and their relatives"},
    {"exponential", RecogniseExponential, "finds functions of exp"},
    {"slope", RecogniseSlope, "finds PRelu"},
    {"norm", RecogniseNorm, "finds LayerNorm, RMSNorm and L2 normalisation"},
    {"softmax", RecogniseSoftmax, "finds softmax and its logarithm"},
    {"attention", RecogniseAttention, "finds scaled dot-product attention"},
    {"rotation", RecogniseRotation, "finds rotary embeddings"},
    {"snake", RecogniseSnake, "finds Snake"},
    {"activation", RecogniseActivation, "finds GELU, SiLU, HSwish, Mish and others"},
    {"last_movement", RecogniseMovement, "merges the movements that the replacements leave"}};
// Searches inside the other formulas, after these are replaced.
constexpr PassPart<FormSearch> kInnerForms[] = {
    {"shared_heads", RecogniseSharedHeads, "reads repeated factors of products repeatedly"},
    {"length", RecogniseLength, "finds vector norms"},
    {"one_hot", RecogniseOneHot, "gathers rows instead of one-hot products"}};
// Searches that are not parts of a pass.
template <FormSearch... searches>
constexpr PassPart<FormSearch> kUnnamed[] = {{"", searches, ""}...};

// Returns false for nodes in the branch of an If that never runs, because it is not inferred.
bool HoldsFloats(ir::Node& node) {
  return node.operation != nullptr && !node.constant && !node.outputs.empty() &&
         node.outputs[0].type.type == ElementType::f32 && CountIn({&node, 0}) > 0;
}

// Calls `observe` after each replacement with the graph that contains the node: the main graph or a
// body.
void SearchIn(ir::Graph& graph, std::span<const PassPart<FormSearch>> parts,
              const PartObserver<ir::Graph>& observe = {}) {
  FormSite site(graph);
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) SearchIn(*body.graph, parts, observe);
    if (!HoldsFloats(*node)) continue;
    for (const PassPart<FormSearch>& part : parts) {
      if (site.IsReplaced(*node)) break;
      if (part.run(site, *node) && observe) observe(part.name, graph);
    }
  }
}

}  // namespace

void RecogniseForms(ir::Graph& graph, const PartObserver<ir::Graph>& observe) {
  SearchIn(graph, kFormulas, observe);
  SearchIn(graph, kInnerForms, observe);
}
void RecogniseForms(ir::Graph& graph) { RecogniseForms(graph, {}); }
std::vector<PartText> FormParts() {
  std::vector<PartText> texts = TextsOf(std::span(kFormulas));
  const std::vector<PartText> inner = TextsOf(std::span(kInnerForms));
  texts.insert(texts.end(), inner.begin(), inner.end());
  return texts;
}
void RecogniseAttentions(ir::Graph& graph) {
  SearchIn(graph, kUnnamed<RecogniseSoftmax, RecogniseAttention>);
}
void JoinConstants(ir::Graph& graph) { SearchIn(graph, kUnnamed<RecogniseConstants>); }
void JoinTables(ir::Graph& graph) {
  SearchIn(graph, kUnnamed<RecogniseMovedNumber, RecogniseTransposedAddend, RecogniseTables>);
}
void RecogniseBands(ir::Graph& graph) { SearchIn(graph, kUnnamed<RecogniseBands>); }
void JoinMovements(ir::Graph& graph) { SearchIn(graph, kUnnamed<RecogniseMovement>); }

}  // namespace weft::graph
