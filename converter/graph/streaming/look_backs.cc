// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/look_backs.h"

#include <fmt/format.h>

#include <algorithm>

#include "converter/ops/support/look_back.h"

namespace weft::graph {
namespace {

Motion MotionOf(const ir::Node& node, const Delay& delay) {
  if (delay.past == 0) return Motion::kApart;
  if (delay.shifts || node.attributes.contains(ops::PadFillOf(delay.axis))) return Motion::kShifted;
  return delay.take == delay.give ? Motion::kEven : Motion::kFewer;
}

}  // namespace

LookBacks LookBacksIn(const ir::Graph& graph, const std::vector<CausalAttention>& attentions,
                      TimeReach reach) {
  const bool is_ahead = reach == TimeReach::kAhead;
  LookBacks found;
  const auto add = [&](Motion motion, const LookBack& back) {
    if (motion < found.motion) found = {motion, {}};
    if (motion == found.motion) found.likeliest.push_back(back);
  };
  for (const CausalAttention& attention : attentions) {
    const int64_t together = attention.reach.is_even ? attention.reach.period : 1;
    const int64_t axis = (attention.key.port == 0 ? attention.key : attention.query).axis;
    add(Motion::kAttends, {attention.scores, axis, together});
  }
  for (ir::Node* node : ir::Topological(graph)) {
    const AxisRelation relation = ops::RelationOf(graph, *node);
    if (relation.sum) add(Motion::kShifted, {node, relation.sum->axis});
    for (const Delay& delay : relation.delays) {
      if (is_ahead && delay.past == 0) continue;
      add(MotionOf(*node, delay), {node, delay.axis, delay.take});
    }
    for (const ops::Windows& windows : relation.windows) {
      if (!is_ahead) break;
      const Motion motion = windows.stride == 1 ? Motion::kAround : Motion::kFewer;
      add(motion, {node, windows.axis, windows.stride});
    }
  }
  return found;
}

Motion MotionAlong(const TimeAxes& times, const std::vector<CausalAttention>& attentions) {
  const auto attends = [&](const CausalAttention& attention) {
    return RunsAlong(times, attention);
  };
  if (std::ranges::any_of(attentions, attends)) return Motion::kAttends;
  Motion max = Motion::kNone;
  for (ir::Node* node : times.nodes()) {
    const AxisRelation& relation = times.Relation(node);
    const TimeAxis* time = node->inputs.empty() ? nullptr : times.Of(node->inputs[0]);
    if (time == nullptr) continue;
    if (relation.sum && relation.sum->axis == time->axis) max = std::min(max, Motion::kShifted);
    const Delay* delay = DelayAlong(relation, time->axis);
    if (delay != nullptr) max = std::min(max, MotionOf(*node, *delay));
  }
  return max;
}

std::string NoLookBackFault(const ir::Graph& graph) {
  const bool has_states =
      std::ranges::any_of(graph.nodes, [](const auto& node) { return ir::IsReadValue(*node); });
  return fmt::format(
      "{}: no sequence, TensorIterator or Loop iterates over a time axis, and no convolution, "
      "pool, running sum or attention looks back along one; --streaming must have one of these{}",
      graph.file, has_states ? " (the model has states: it may already run step by step)" : "");
}

std::string AdviceForOneWindow(const ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ops::Windows& windows : ops::RelationOf(graph, *node).windows) {
      const auto axis = static_cast<size_t>(windows.axis);
      const int64_t positions = DimsOf(node->inputs[0])[axis];
      if (positions == 1 || windows.extent != positions || DimsOf({node, 0})[axis] != 1) continue;
      return fmt::format(
          "{}: its window covers all {} positions of axis {}, so the model may have only one time "
          "step; --shape must give its input more, or --time-axis must select another axis",
          ir::Where(graph, *node), positions, windows.axis);
    }
  }
  return "";
}

bool RunsThroughWeights(const TimeAxes& times) {
  return std::ranges::any_of(times.nodes(), [&](const ir::Node* node) {
    if (!ops::TraitsOf(*node).heavy || node->inputs.size() < 2) return false;
    const ir::Source& weights = node->inputs[1];
    return times.Of(node->inputs[0]) != nullptr && weights.node->constant &&
           DimsOf(weights).size() > 1;
  });
}

bool IsChannelsOfWindows(const TimeAxes& times) {
  return std::ranges::any_of(times.nodes(), [&](const ir::Node* node) {
    if (times.Relation(node).delays.empty()) return false;
    const TimeAxis* time = times.Of(node->inputs[0]);
    return time != nullptr && time->axis == 1;
  });
}

}  // namespace weft::graph
