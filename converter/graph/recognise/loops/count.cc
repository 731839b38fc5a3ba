// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "converter/graph/infer.h"
#include "converter/graph/recognise/loops/list.h"
#include "converter/graph/recognise/loops/loop_passes.h"
#include "converter/graph/recognise/loops/scalars.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

constexpr int64_t kMaxIterations = 1 << 20;  // maximum iterations of a recognised loop
constexpr int64_t kMaxRuns = 1 << 12;        // maximum runs to evaluate

// Evaluates the condition until it is false or `trip` (if not negative) is reached. The count is
// exact if the condition is known at all iterations before.
std::optional<Count> CountOf(const ir::Node& loop, ir::Source condition, int64_t trip) {
  if (trip == 0) return std::nullopt;
  const int64_t max = trip < 0 ? kMaxIterations : std::min(trip, kMaxIterations);
  LoopScalars scalars(loop);
  Count count{0, true};
  for (int64_t runs = 0; count.trips < max && runs < kMaxRuns; ++runs) {
    const LoopScalars::Run goes_on = scalars.TakeRun(condition);
    if (goes_on.first == 0) return Count{count.trips + 1, count.exact};
    count.exact = count.exact && goes_on.first.has_value();
    count.trips += std::min(goes_on.iterations, max - count.trips);
  }
  if (trip != max) return std::nullopt;
  return count.trips < max ? Count{max, false} : count;
}

struct FixedCount {
  Count count;
  bool changed = false;
};

// Makes the condition before the first iteration a constant if counters decide it.
void FixFirstCondition(ir::Graph& graph, ir::Node& loop) {
  if (loop.inputs[1].node->constant) return;
  const std::optional<int64_t> runs = LoopScalars(loop).Value(loop.inputs[1]);
  if (runs) loop.inputs[1] = NewFlag(graph, loop, *runs != 0);
}

// Returns an input that was folded to the trip count, so that the origin of its value stays known
// (graph/origins.h), or else a new constant.
ir::Source TripCount(ir::Graph& graph, const ir::Node& loop, int64_t trips) {
  for (const ir::Source& input : loop.inputs) {
    const ir::Constant* constant = ConstantOf(input);
    const bool is_folded = constant != nullptr && input.node->attributes.contains(kFoldedFrom) &&
                           constant->type.dims.empty();
    if (is_folded && IntOf(input) == trips) return input;
  }
  return NewInts(graph, loop, {ElementType::i64, {}}, {trips});
}

// Makes the trip count a constant, and also the condition if it only repeats the trip count.
std::optional<FixedCount> FixTripCount(ir::Graph& graph, ir::Node& loop) {
  ir::Body& body = loop.bodies[0];
  if (loop.inputs.size() < 2 || body.map.Takes(0)) return std::nullopt;
  FixFirstCondition(graph, loop);
  const std::optional<int64_t> written = IntOf(loop.inputs[0]);
  if (body.map.condition == nullptr) {
    return written ? std::optional(FixedCount{{*written, true}}) : std::nullopt;
  }
  const ir::Source condition = body.map.condition->inputs[0];
  if (!written && condition.node->constant) return std::nullopt;  // no bound
  const std::optional<Count> count = CountOf(loop, condition, written.value_or(-1));
  if (!count) return std::nullopt;
  if (!written) {  // data may end the loop earlier
    body.max_trips = count->trips;
    return std::nullopt;
  }
  if (count->trips != written) {
    loop.inputs[0] = TripCount(graph, loop, count->trips);
  }
  if (!count->exact || condition.node->constant) return FixedCount{*count};
  // A new Result, because the old one may also be a state or an output.
  ir::Graph& inside = *body.graph;
  const ir::Source flag = NewFlag(inside, *condition.node, true);
  body.map.condition = NewResult(inside, *condition.node, flag);
  return FixedCount{*count, true};
}

// A slice reads the same element in every iteration that runs, even if data ends the loop earlier.
void RecogniseCount(ir::Graph& graph, ir::Node& loop) {
  const std::optional<FixedCount> fixed = FixTripCount(graph, loop);
  if (!fixed) return;
  const Count& count = fixed->count;
  if (count.trips < 1 || count.trips > kMaxIterations) return;
  bool changed = RecogniseSlices(loop, count.trips) || fixed->changed;
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
