// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/count.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "converter/graph/prune_loop.h"
#include "converter/graph/recognise/list.h"
#include "converter/graph/recognise/scalars.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

constexpr int64_t kMostIterations = 1 << 20;  // beyond, a count is not looked for
constexpr int64_t kMostUnknown = 1 << 12;     // nor that far where data may decide

ir::PortMapEntry* ConditionEntry(ir::Body& body) {
  const auto found = std::ranges::find_if(body.outputs, [](const ir::PortMapEntry& entry) {
    return entry.purpose == "execution_condition";
  });
  return found == body.outputs.end() ? nullptr : &*found;
}

// Runs the condition until it is false or the trip count is reached; the count is exact where the
// condition is known at every iteration before.
std::optional<Count> CountOf(const ir::Node& loop, ir::Source condition) {
  const std::optional<int64_t> trip = IntOf(loop.inputs[0]);
  if (!trip || *trip == 0) return std::nullopt;
  const int64_t most = *trip < 0 ? kMostIterations : std::min(*trip, kMostIterations);
  LoopScalars scalars(loop);
  Count count{0, true};
  while (count.trips < most) {
    const std::optional<int64_t> goes_on = scalars.Value(condition);
    ++count.trips;
    if (goes_on && *goes_on == 0) return count;
    count.exact = count.exact && goes_on.has_value();
    if (!count.exact && count.trips >= kMostUnknown) {
      count.trips = most;
      break;
    }
    scalars.Advance();
  }
  if (*trip != most) return std::nullopt;
  return count;
}

int64_t NewId(const ir::Graph& graph) {
  int64_t id = 0;
  for (const auto& node : graph.nodes) id = std::max(id, node->id + 1);
  return id;
}

// A condition of its own: the Result it had may be a state or an output as well.
void SetCondition(ir::Body& body, ir::PortMapEntry& entry, const ir::Node& like) {
  const ir::Source flag = NewFlag(*body.graph, like, true);
  ir::Node* result = NewResult(*body.graph, like, flag);
  result->id = NewId(*body.graph);
  if (entry.external_port_id < 0) {
    entry.internal_layer_id = result->id;
    return;
  }
  entry.purpose.clear();
  ir::PortMapEntry own;
  own.line = entry.line;
  own.internal_layer_id = result->id;
  own.purpose = "execution_condition";
  body.outputs.push_back(own);
}

struct Settled {
  Count count;
  bool changed = false;
};

// The trip count as a constant, and the condition too where it says no more than that.
std::optional<Settled> SettleCount(ir::Graph& graph, ir::Node& loop) {
  ir::Body& body = loop.bodies[0];
  const bool is_read = std::ranges::any_of(
      body.inputs, [](const ir::PortMapEntry& entry) { return entry.external_port_id == 0; });
  if (is_read || loop.inputs.size() < 2) return std::nullopt;
  const std::optional<int64_t> written = IntOf(loop.inputs[0]);
  ir::PortMapEntry* entry = ConditionEntry(body);
  if (entry == nullptr) return written ? std::optional(Settled{{*written, true}}) : std::nullopt;
  const ir::Node* result = NodeOfId(body.graph->results, entry->internal_layer_id);
  if (result == nullptr) return std::nullopt;
  const ir::Source condition = result->inputs[0];
  const std::optional<Count> count = CountOf(loop, condition);
  if (!count) return std::nullopt;
  if (count->trips != written) {
    loop.inputs[0] = NewInts(graph, loop, {ElementType::i64, {}}, {count->trips});
  }
  if (!count->exact || condition.node->constant) return Settled{*count};
  SetCondition(body, *entry, *condition.node);
  return Settled{*count, true};
}

// A slice is the same element in every iteration that runs, even where later ones may not.
void RecogniseCount(ir::Graph& graph, ir::Node& loop) {
  const std::optional<Settled> settled = SettleCount(graph, loop);
  if (!settled) return;
  const Count& count = settled->count;
  if (count.trips < 1 || count.trips > kMostIterations) return;
  bool changed = RecogniseSlices(loop, count.trips) || settled->changed;
  changed = RecogniseLists(loop, count) || changed;
  if (changed) PruneLoop(loop);
  if (RecogniseCounters(loop, count.trips)) PruneLoop(loop);
}

}  // namespace

void RecogniseCounts(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) RecogniseCounts(*body.graph);
    if (ir::IsLoop(*node) && node->bodies.size() == 1) RecogniseCount(graph, *node);
  }
}

}  // namespace weft::graph
