// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/forms.h"

#include <span>

#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

// In order: inner functions must be recognised before formulas that contain them. RecogniseMovement
// runs first, because movement operations interrupt formulas, and again last, because the
// replacements leave some.
constexpr FormSearch kFormulas[] = {RecogniseMovement,   RecogniseBounds,   RecogniseExponential,
                                    RecogniseSlope,      RecogniseNorm,     RecogniseSoftmax,
                                    RecogniseAttention,  RecogniseRotation, RecogniseSnake,
                                    RecogniseActivation, RecogniseMovement};
// Searches inside the other formulas, after these are replaced.
constexpr FormSearch kParts[] = {RecogniseSharedHeads, RecogniseLength, RecogniseOneHot};
constexpr FormSearch kAttention[] = {RecogniseSoftmax, RecogniseAttention};
constexpr FormSearch kConstants[] = {RecogniseConstants};
constexpr FormSearch kTables[] = {RecogniseTransposedAddend, RecogniseTables};
constexpr FormSearch kBands[] = {RecogniseBands};
constexpr FormSearch kMovements[] = {RecogniseMovement};

// Returns false for nodes in the branch of an If that never runs, because it is not inferred.
bool HoldsFloats(ir::Node& node) {
  return node.operation != nullptr && !node.constant && node.outputs.size() == 1 &&
         node.outputs[0].type.type == ElementType::f32 && CountIn({&node, 0}) > 0;
}

void SearchIn(ir::Graph& graph, std::span<const FormSearch> searches) {
  FormSite site(graph);
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) SearchIn(*body.graph, searches);
    if (!HoldsFloats(*node)) continue;
    for (const FormSearch search : searches) {
      if (!site.IsReplaced(*node)) search(site, *node);
    }
  }
}

}  // namespace

void RecogniseForms(ir::Graph& graph) {
  SearchIn(graph, kFormulas);
  SearchIn(graph, kParts);
}
void RecogniseAttentions(ir::Graph& graph) { SearchIn(graph, kAttention); }
void JoinConstants(ir::Graph& graph) { SearchIn(graph, kConstants); }
void JoinTables(ir::Graph& graph) { SearchIn(graph, kTables); }
void RecogniseBands(ir::Graph& graph) { SearchIn(graph, kBands); }
void JoinMovements(ir::Graph& graph) { SearchIn(graph, kMovements); }

}  // namespace weft::graph
