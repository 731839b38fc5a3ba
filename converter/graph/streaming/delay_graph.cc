// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/delay_graph.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "converter/graph/canonical/borders.h"
#include "converter/graph/canonical/pads.h"
#include "converter/graph/double_length.h"
#include "converter/graph/infer.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/delays.h"
#include "converter/graph/streaming/late_edits.h"
#include "converter/graph/streaming/latency.h"
#include "converter/graph/streaming/lengths.h"
#include "converter/graph/streaming/parts.h"
#include "converter/graph/streaming/resize.h"
#include "converter/graph/streaming/rounding.h"
#include "converter/graph/streaming/time_map.h"

namespace weft::graph {
namespace {

constexpr const char* kLatency = "latency";  // attribute of a Result, in steps

// Positive and negative zero are different numbers.
uint64_t BitsOf(double number) { return std::bit_cast<uint64_t>(number); }

class Delaying {
 public:
  Delaying(ir::Graph& graph, const TimeMap& map, const Latency& latency)
      : graph_(graph), times_(map.axes), latency_(latency) {}

  void Run() {
    for (const DelayedNode& at : latency_.nodes) {
      if (at.kind == DelayKind::kBorder) DelayBorder(at);
      if (at.kind != DelayKind::kBorder) AlignInputs(at);
      SetExtents(*at.node);
      Change(at);
    }
    for (const DelayedNode& at : latency_.nodes) {
      if (at.kind != DelayKind::kTimeLoop || at.steps == 0) continue;
      HoldStates(graph_, *at.time_loop, at.steps * at.iterations_per_step,
                 latency_.steps * at.iterations_per_step);
    }
  }

 private:
  using Key = std::pair<const ir::Node*, uint32_t>;
  static Key KeyOf(const ir::Source& source) { return {source.node, source.port}; }
  // A tensor and its delay in positions of its time axis.
  struct Delayed {
    ir::Source source;
    int64_t axis = 0, late = 0;
  };

  Delayed Found(const ir::Source& source) const {
    return {source, times_.Of(source)->axis, latency_.Of(source)};
  }
  int64_t Positions(const ir::Source& source) const {
    return latency_.steps * times_.Of(source)->chunk;
  }
  // A batch may be flattened into the time axis.
  int64_t Extent(const ir::Source& source) const {
    return times_.Of(source)->outer * Positions(source);
  }
  Delayed Shifted(Delayed from, int64_t late, double fill);
  Delayed Masked(Delayed from, double fill);
  void AlignInputs(const DelayedNode& at);
  void DelayBorder(const DelayedNode& at);
  void SetExtents(ir::Node& node);
  void Change(const DelayedNode& at);

  ir::Graph& graph_;
  const TimeAxes& times_;  // of the map
  const Latency& latency_;
  std::map<Key, uint64_t> blank_;  // number at the positions before the first step
  std::map<std::tuple<Key, int64_t, uint64_t>, ir::Source> shifted_;
  std::map<std::pair<Key, uint64_t>, ir::Source> masked_;
};

// `fill` is zero unless the model defines another number.
Delaying::Delayed Delaying::Shifted(Delayed from, int64_t late, double fill) {
  const int64_t positions = late - std::exchange(from.late, late);
  if (positions == 0) return from;
  ir::Source& shifted = shifted_[{KeyOf(from.source), positions, BitsOf(fill)}];
  if (shifted.node == nullptr) {
    shifted = NewShift(graph_, from.source, from.axis, positions, fill);
    if (late == positions) blank_[KeyOf(shifted)] = BitsOf(fill);
  }
  return {shifted, from.axis, late};
}

// Returns the tensor with `fill` at positions before the model's first step.
Delaying::Delayed Delaying::Masked(Delayed from, double fill) {
  const auto blank = blank_.find(KeyOf(from.source));
  const bool is_blank = blank != blank_.end() && blank->second == BitsOf(fill);
  if (from.late == 0 || is_blank) return from;
  ir::Source& masked = masked_[{KeyOf(from.source), BitsOf(fill)}];
  if (masked.node == nullptr) {
    masked = NewMasked(graph_, from.source, from.axis, from.late, fill);
  }
  return {masked, from.axis, from.late};
}

void Delaying::AlignInputs(const DelayedNode& at) {
  for (size_t i = 0; i < at.inputs.size(); ++i) {
    ir::Source& source = at.node->inputs[i];
    const bool has_fill = i == 0 && at.fill;
    if (!at.inputs[i] && !has_fill) continue;
    if (source.node->constant) {
      DelayConstant(graph_, *source.node, *times_.Of(source), *at.inputs[i], Positions(source));
      continue;
    }
    Delayed data = Found(source);
    data = Shifted(data, at.inputs[i].value_or(data.late), at.fill.value_or(0));
    if (has_fill) data = Masked(data, *at.fill);
    if (at.kind == DelayKind::kResult) {
      data.source.node->outputs[data.source.port].names = source.node->outputs[source.port].names;
    }
    source = data.source;
  }
}

void Delaying::DelayBorder(const DelayedNode& at) {
  ir::Node& node = *at.node;
  Delayed data = Found(node.inputs[0]);
  if (at.fill) data = Masked(data, *at.fill);
  const TensorType row = TypeOf(node.inputs[1]);
  node.inputs[0] = Shifted(data, *at.inputs[0], at.border.fill).source;
  node.inputs[1] = NewInts(graph_, node, row, at.border.begin);
  node.inputs[2] = NewInts(graph_, node, row, at.border.end);
}

void Delaying::SetExtents(ir::Node& node) {
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const TimeAxis* time = times_.Of({&node, port});
    if (time == nullptr) continue;
    node.outputs[port].type.dims[static_cast<size_t>(time->axis)] = Extent({&node, port});
  }
}

void Delaying::Change(const DelayedNode& at) {
  ir::Node& node = *at.node;
  const AxisRelation& relation = times_.Relation(&node);
  switch (at.kind) {
    case DelayKind::kInput:
      return;
    case DelayKind::kResult:
      if (at.steps > 0) node.attributes[kLatency] = std::to_string(at.steps);
      return;
    case DelayKind::kTimeLoop:
      return SetSteps(graph_, *at.time_loop, latency_.steps * at.iterations_per_step);
    case DelayKind::kWindows:
      return SetWindows(graph_, node, at.windows, /*was_padded=*/at.fill.has_value());
    case DelayKind::kBorder:
      if (at.border.begin == at.border.end &&
          std::ranges::count(at.border.begin, 0) == std::ssize(at.border.begin)) {
        PassOn(graph_, node, node.inputs[0]);
      }
      return;
    case DelayKind::kSlice:
      return CutTo(graph_, node, relation.runs, at.kept);
    case DelayKind::kReshape:
      return BecomeReshape(graph_, node, node.inputs[0], node.outputs[0].type.dims);
    case DelayKind::kPointwise:
      if (!relation.stretches || times_.Of({&node, 0}) == nullptr) return;
      SetBroadcastExtent(graph_, node, times_.Of({&node, 0})->axis, Extent({&node, 0}));
  }
}

// Brings borders and first steps of a graph that looks ahead to the forms that Measuring expects.
// Takes MapAhead of the graph, and returns that of the changed graph.
std::optional<TimeMap> PrepareLookahead(const Rewritten& rewritten, const TimeSeeds& seeds,
                                        TimeMap before) {
  ir::Graph& graph = rewritten.graph;
  std::optional<TimeMap> map = StartsToChoices(rewritten, seeds, std::move(before));
  if (!map) return map;
  bool changed = false;
  for (const FilledWindow& window : rewritten.filled) {
    if (IsOverTime(map->axes, window)) continue;
    TakeBack(graph, window);
    changed = true;
  }
  changed = JoinBorders(graph, map->axes) || changed;
  return changed ? MapAhead(rewritten, seeds) : std::move(map);
}

}  // namespace

std::optional<DelayedGraph> AddLookaheadLatency(const Rewritten& rewritten, const TimeSeeds& seeds,
                                                const Folding& folding, Faults& faults) {
  ir::Graph& graph = rewritten.graph;
  std::optional<TimeMap> before = MapAhead(rewritten, seeds);
  if (!before) return std::nullopt;
  const std::optional<TimeMap> map = PrepareLookahead(rewritten, seeds, *std::move(before));
  if (!map) return DelayedGraph{};
  const std::optional<Latency> latency = MeasureLatency(rewritten, *map, faults);
  if (!faults.ok()) return std::nullopt;
  if (!latency || !latency->is_needed) return DelayedGraph{};
  DelayedGraph delayed = {latency->steps, {}};
  // Their tensors may get fewer positions, so that recomputation would no longer find them.
  if (rewritten.folding == nullptr) {
    delayed.lengths = ConstantsOfLength(graph, map->axes, folding);
  }
  Delaying(graph, *map, *latency).Run();
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    for (ir::OutputPort& port : node->outputs) port.declared = true;
  }
  // Shapes of T steps are no longer valid for 2 * T.
  Folding of_copy = folding.OfCopy();
  const bool is_valid = DoubleLength::IsNeeded(graph) ||
                        InferAndFold(graph, {.check_declared = false}, of_copy, faults);
  if (!is_valid) return std::nullopt;
  if (const ir::Node* apart = KeepStarts(graph, rewritten.started)) {
    RefuseToCut(graph, *apart, "with latency its sum would round differently", faults);
    return std::nullopt;
  }
  return delayed;
}

int64_t LatencyOf(const ir::Node& result) {
  return std::stoll(AttributeText(result, kLatency, "0"));
}

}  // namespace weft::graph
