// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/early.h"

#include <algorithm>
#include <set>

#include "converter/graph/streaming/late_edits.h"

namespace weft::graph {
namespace {

// Returns true if the input of a time loop is only an initial state.
bool BeginsState(std::vector<TimeLoop>& time_loops, const ir::Node& node, size_t input) {
  const auto time_loop = std::ranges::find(time_loops, &node, &TimeLoop::node);
  if (time_loop == time_loops.end()) return false;
  const auto is_state = [&](const Carried& state) { return state.input == input; };
  if (IsSequence(node)) return std::ranges::any_of(time_loop->states, is_state);
  const std::vector<ir::BodyInput>& inputs = node.bodies[0].map.inputs;
  const bool is_count = ir::IsLoop(node) && input < 2;
  return !is_count && std::ranges::all_of(inputs, [&](const ir::BodyInput& entry) {
    return entry.input != input || entry.is(ir::BodyInput::Kind::kCarried);
  });
}

}  // namespace

const Selection* FirstStepIn(const TimeAxes& times, const ir::Node& node) {
  const AxisRelation& relation = times.Relation(&node);
  const TimeAxis* time = relation.selections.empty() ? nullptr : times.Of(node.inputs[0]);
  if (time == nullptr || time->outer != 1 || times.steps() == 1) return nullptr;
  const auto found = std::ranges::find(relation.selections, time->axis, &Selection::axis);
  const bool is_first = found != relation.selections.end() && found->end <= time->chunk;
  return is_first && HasOneRunEach(relation) ? &*found : nullptr;
}

std::vector<EarlyUse> EarlyUses(const TimeAxes& times, std::vector<TimeLoop>& time_loops) {
  std::vector<EarlyUse> uses;
  std::set<const ir::Node*> early, late;
  for (ir::Node* node : times.nodes()) {
    if (FirstStepIn(times, *node) != nullptr) {
      early.insert(node);
      continue;
    }
    const auto any_in = [&](const std::set<const ir::Node*>& nodes) {
      return std::ranges::any_of(node->inputs, [&](const ir::Source& source) {
        return nodes.contains(source.node) && times.Of(source) == nullptr;
      });
    };
    const bool goes_on = HasTime(times, *node);
    const bool ends = ir::IsResult(*node) || ir::IsAssign(*node);
    if (goes_on || any_in(late)) late.insert(node);
    if (!any_in(early)) continue;
    if (!goes_on && !ends && !any_in(late) && !ir::IsReadValue(*node)) {
      early.insert(node);
      continue;
    }
    if (ir::IsReadValue(*node)) continue;
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const bool is_held =
          early.contains(node->inputs[i].node) && !BeginsState(time_loops, *node, i);
      if (is_held) uses.push_back({node, i});
    }
  }
  return uses;
}

}  // namespace weft::graph
