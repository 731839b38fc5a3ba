// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/rewrites.h"

#include <span>

#include "converter/graph/canonical/borders.h"
#include "converter/graph/canonical/canonical.h"
#include "converter/graph/canonical/shifts.h"
#include "converter/graph/recognise/forms/forms.h"
#include "converter/graph/streaming/rounding.h"

namespace weft::graph {
namespace {

using Change = void (*)(Rewritten&);

template <void (*change)(ir::Graph&)>
void OnGraph(Rewritten& r) {
  change(r.graph);
}

void FindAttentions(Rewritten& r) {
  r.ahead.clear();
  r.attentions = ReadAttentions(r.graph, r.folding, r.ahead);
}
void FindStarts(Rewritten& r) { r.started = StartedProducts(r.graph); }
void MergePads(Rewritten& r) { r.filled = JoinPads(r.graph); }
void MarkStarts(Rewritten& r) { (void)KeepStarts(r.graph, r.started); }

constexpr PassPart<Change> kRewrites[] = {
    {"attention", OnGraph<RecogniseAttentions>, "finds decomposed attention"},
    {"constants", OnGraph<SeparateConstants>, "copies constants that several nodes read"},
    {"causal_attention", FindAttentions, "reads the masks of attention"},
    {"starts", FindStarts, "finds additions that start a product"},
    {"splits", OnGraph<SplitsToSlices>, "replaces Splits by Slices"},
    {"joins", OnGraph<JoinsToPads>, "replaces prepended constants by a Pad"},
    {"borders", OnGraph<MoveBorders>, "moves Pads past data movements"},
    {"frames", OnGraph<LowerConstantGathers>, "replaces Gathers of frames, steps and repeats"},
    {"slices", OnGraph<SlicesOfPads>, "replaces Slices of padded tensors"},
    {"end_pads", OnGraph<JoinEndPads>, "merges zeros into transposed convolutions before them"},
    {"pads", MergePads, "merges Pads into the windows after them"},
    {"end_slices", OnGraph<JoinCuts>, "merges Slices at the end into windows"},
    {"rounding", MarkStarts, "keeps the rounding of additions that start a product"}};

}  // namespace

void Rewrite(Rewritten& rewritten, const PartObserver<ir::Graph>& observe) {
  for (const PassPart<Change>& part : kRewrites) {
    part.run(rewritten);
    if (observe) observe(part.name, rewritten.graph);
  }
}

std::vector<PartText> RewriteParts() { return TextsOf(std::span(kRewrites)); }

}  // namespace weft::graph
