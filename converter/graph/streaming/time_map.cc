// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/time_map.h"

#include <algorithm>
#include <map>
#include <utility>

#include "converter/graph/streaming/look_backs.h"

namespace weft::graph {
namespace {

// Elements of each seed correspond to those of the first one.
void StartAtSeeds(const ir::Graph& graph, const TimeSeeds& seeds, TimeAxes& axes) {
  const auto extent = [&](const PortAxis& seed) {
    return DimsOf(PortTensor(graph, seed))[static_cast<size_t>(seed.axis)];
  };
  for (const PortAxis& seed : seeds) {
    if (std::min(extent(seed), extent(seeds[0])) == 0) continue;
    const ir::Source tensor = PortTensor(graph, seed);
    axes.Set(tensor, {seed.axis, 1, extent(seed), extent(seeds[0])}, *tensor.node);
  }
}

// Other loops are reached from the first one, or have the same number of steps.
void StartAtLoops(const std::vector<TimeLoop>& loops, TimeAxes& axes) {
  for (const TimeLoop& loop : loops) {
    if (loop.steps != loops[0].steps) continue;
    for (const Stride& stride : loop.strides) {
      axes.Set(TensorAt(*loop.node, stride.at), {stride.at.axis, 1, stride.chunk}, *loop.node);
    }
  }
}

// Returns true if all operations of the highest rank agree on the axis. Windows over both axes of
// an image do not.
bool Agree(const std::vector<LookBack>& backs, const TimeAxes& axes) {
  return std::ranges::all_of(backs, [&](const LookBack& back) {
    const TimeAxis* time = axes.Of(back.node->inputs[0]);
    return time == nullptr || time->axis == back.axis;
  });
}

}  // namespace

const TimeLoop* TimeMap::LoopOf(const ir::Node& node) const {
  const auto found = std::ranges::find(loops, &node, &TimeLoop::node);
  return found == loops.end() ? nullptr : &*found;
}

int64_t TimeMap::IterationsPerStep(const TimeLoop& loop) const {
  const Stride& stride = loop.strides[0];
  return axes.Of(TensorAt(*loop.node, stride.at))->chunk / stride.chunk;
}

std::optional<TimeMap> MapAhead(ir::Graph& graph, const TimeSeeds& seeds) {
  TimeMap map = {TimeAxes(graph, 0, TimeReach::kAhead), {}};
  std::map<const ir::Node*, Faults> refusals;
  for (ir::Node* node : map.axes.nodes()) {
    std::optional<TimeLoop> loop = ReadTimeLoop(graph, *node, refusals[node]);
    if (!loop) continue;
    map.axes.AddTimeLoop(*node, loop->strides);
    map.loops.push_back(std::move(*loop));
  }
  std::vector<LookBack> backs;
  StartAtSeeds(graph, seeds, map.axes);
  if (seeds.empty()) StartAtLoops(map.loops, map.axes);
  if (seeds.empty() && map.loops.empty()) {
    backs = LookBacksIn(graph, {}, TimeReach::kAhead).likeliest;
    if (backs.empty()) return std::nullopt;
    map.axes.Set(backs[0].node->inputs[0], {backs[0].axis}, *backs[0].node);
  }
  map.axes.Spread();
  map.axes.FitStep();
  // A loop over another axis is an ordinary operation.
  std::erase_if(map.loops, [&](const TimeLoop& loop) {
    return !map.axes.RunsAlong(*loop.node, loop.strides);
  });
  const bool can_stream = std::ranges::all_of(map.loops, [&](const TimeLoop& loop) {
    return refusals[loop.node].ok() &&
           map.axes.Of(TensorAt(*loop.node, loop.strides[0].at)) != nullptr;
  });
  if (!can_stream || !map.axes.faults().ok() || !Agree(backs, map.axes)) return std::nullopt;
  return map;
}

}  // namespace weft::graph
