// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/bound.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "converter/graph/streaming/delays.h"
#include "converter/graph/streaming/early.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

using SourceKey = std::pair<const ir::Node*, uint32_t>;

int64_t DividedUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Returns the bytes of `past` positions of a tensor with a time axis. If this axis is dynamic, the
// tensor itself may be larger than a file can store.
int64_t PastBytes(const TimeAxes& times, const ir::Source& source, int64_t past) {
  const TimeAxis& time = *times.Of(source);
  const int64_t positions = time.outer * times.steps() * time.chunk;
  const TensorType& type = TypeOf(source);
  const int64_t elements = ElementCount(type.dims).value_or(0) / std::max<int64_t>(positions, 1);
  return elements * BitsOf(type.type) / 8 * past;
}

// Converts a number of positions of one tensor to those of another with the same steps.
int64_t PositionsIn(const TimeAxes& times, const ir::Source& other, const ir::Source& source,
                    int64_t positions) {
  return DividedUp(positions * times.Of(other)->chunk, times.Of(source)->chunk);
}

// Returns true if the output only has numbers of input 0, without arithmetic.
bool MakesNothingNew(const TimeAxes& times, const ir::Node& node) {
  const ops::Traits& traits = ops::TraitsOf(node);
  return traits.reshapes || traits.converts || times.Relation(&node).stretches;
}

class ReceptiveField {
 public:
  ReceptiveField(const ir::Graph& graph, const TimeAxes& times,
                 const std::vector<CausalAttention>& attentions)
      : times_(times) {
    for (const CausalAttention& attention : attentions) {
      if (!RunsAlong(times, attention)) continue;
      const TimeAxis* keys = times.Of(attention.scores->inputs[attention.key.port]);
      const int64_t before = (times.steps() - 1) * (keys == nullptr ? 1 : keys->chunk);
      const int64_t seen = std::min(attention.reach.past, before);
      seen_[{attention.scores, attention.key.port}] = seen;
      seen_[{attention.product, attention.value.port}] = seen;
    }
    for (const ir::Node* result : graph.results) Ask(result->inputs[0], 0);
    for (ir::Node* node : times.nodes() | std::views::reverse) {
      int64_t positions = -1;
      for (uint32_t port = 0; port < node->outputs.size(); ++port) {
        const auto found = asked_.find({node, port});
        if (found != asked_.end()) positions = std::max(positions, found->second);
      }
      if (positions < 0) continue;
      for (size_t i = 0; i < node->inputs.size(); ++i) AskInput(*node, i, positions);
    }
  }

  std::optional<int64_t> StepsOf(const ir::Graph& graph) const {
    int64_t steps = 1;
    for (ir::Node* parameter : graph.parameters) {
      const auto found = asked_.find({parameter, 0});
      const TimeAxis* time = times_.Of({parameter, 0});
      if (found == asked_.end() || time == nullptr) continue;
      if (found->second == kAll) return std::nullopt;
      steps = std::max(steps, StepsBack(found->second, time->chunk));
    }
    return steps;
  }

 private:
  static constexpr int64_t kAll = INT64_MAX;

  // Positions within the sequence cover at most its number of steps, even if the last of these is
  // only partly read.
  int64_t StepsBack(int64_t positions, int64_t chunk) const {
    return std::min(1 + DividedUp(positions, chunk),
                    std::max(times_.steps(), 1 + positions / chunk));
  }

  // Records that an output reads `positions` positions before those of its own step.
  void Ask(const ir::Source& source, int64_t positions) {
    int64_t& asked = asked_.try_emplace({source.node, source.port}, 0).first->second;
    asked = std::max(asked, positions);
  }

  void AskInput(ir::Node& node, size_t input, int64_t positions) {
    const ir::Source source = node.inputs[input];
    const TimeAxis* time = times_.Of(source);
    if (time == nullptr) return Ask(source, 0);
    const int64_t asked = PositionsNeeded(node, input, *time, positions);
    const auto seen = seen_.find({&node, input});
    Ask(source, asked == kAll || seen == seen_.end() ? asked : asked + seen->second);
  }

  int64_t PositionsNeeded(ir::Node& node, size_t input, const TimeAxis& time,
                          int64_t positions) const {
    if (positions == kAll) return kAll;
    const AxisRelation& relation = times_.Relation(&node);
    if (input == 0 && FirstStepIn(times_, node) != nullptr) return kAll;
    const Delay* delay = input == 0 ? DelayAlong(relation, time.axis) : nullptr;
    if (delay != nullptr) return DividedUp(positions, delay->give) * delay->take + delay->past;
    const bool selects = std::ranges::find(relation.selections, time.axis, &Selection::axis) !=
                         relation.selections.end();
    if (ir::IsResult(node) || (input == 0 && selects)) return 0;
    const PortAxis at = {false, input, time.axis};
    const bool goes_on = std::ranges::any_of(relation.groups, [&](const AxisGroup& group) {
      return std::ranges::find(group, at) != group.end();
    });
    const bool is_sequence = ops::TraitsOf(node).sequence_states != 0;
    const bool time_loops = ir::Iterates(node) || (is_sequence && input == 0 && time.axis == 1);
    if (time_loops || (!goes_on && !(relation.reshapes && input == 0))) return kAll;
    for (uint32_t port = 0; port < node.outputs.size(); ++port) {
      const ir::Source output = {&node, port};
      if (times_.Of(output) != nullptr) {
        return PositionsIn(times_, node.inputs[input], output, positions);
      }
    }
    return kAll;
  }

  const TimeAxes& times_;
  std::map<SourceKey, int64_t> asked_;
  // Past positions of keys and values that an attention sees, by node and input.
  std::map<std::pair<const ir::Node*, size_t>, int64_t> seen_;
};

}  // namespace

int64_t MinPastBytes(const TimeAxes& times, const AlignedPositions& positions) {
  std::map<SourceKey, int64_t> min;  // per tensor, bytes of the longest look-back
  for (const ir::Node* node : times.nodes()) {
    const Delay* delay = DelayOverTime(times, *node);
    if (delay == nullptr || delay->past == 0) continue;
    const ir::Source data = positions.First(node->inputs[0]);
    ir::Source narrowest = data;
    int64_t bytes = PastBytes(times, data, delay->past);
    for (ir::Source at = data; MakesNothingNew(times, *at.node);) {
      at = positions.First(at.node->inputs[0]);
      if (times.Of(at) == nullptr) break;
      const int64_t here = PastBytes(times, at, PositionsIn(times, at, data, delay->past));
      if (here > bytes) continue;
      bytes = here;
      narrowest = at;
    }
    int64_t& max = min[{narrowest.node, narrowest.port}];
    max = std::max(max, bytes);
  }
  int64_t sum = 0;
  for (const auto& [tensor, bytes] : min) sum += bytes;
  return sum;
}

std::optional<int64_t> ReceptiveSteps(const ir::Graph& graph, const TimeAxes& times,
                                      const std::vector<CausalAttention>& attentions) {
  return ReceptiveField(graph, times, attentions).StepsOf(graph);
}

}  // namespace weft::graph
