// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/canonical/canonical.h"

#include <span>

#include "converter/graph/canonical/pads.h"

namespace weft::graph {
namespace {

constexpr PassPart<void (*)(ir::Graph&)> kParts[] = {
    {"dilations", MergeDilations, "merges SpaceToBatch and BatchToSpace into convolutions"},
    {"full_gathers", WholeGathersToReshapes, "replaces Gathers of all elements"},
    {"equal_shapes", DropEqualBroadcasts, "removes Broadcasts to the same shape"},
    {"own_pads", JoinOwnPads, "merges Pads into windows that pad with the same number"}};

}  // namespace

void Canonicalise(ir::Graph& graph, const PartObserver<ir::Graph>& observe) {
  for (const auto& part : kParts) {
    part.run(graph);
    if (observe) observe(part.name, graph);
  }
}

std::vector<PartText> CanonicalParts() { return TextsOf(std::span(kParts)); }

}  // namespace weft::graph
