// SPDX-License-Identifier: Apache-2.0
// The latency of models that look ahead: centred windows, windows without padding, shifts to the
// left, slices without the first steps. Each tensor with time is delayed: the streaming model has
// at position i the value that the full model has at i - delay. Delays are the longest paths over
// the map of time. An operation reads the positions of each block of its own and `ahead` positions
// more, so it is delayed by at least that many positions more than each of its inputs. Where
// branches meet, the earlier ones get the delay of the latest one. The delay is 0 if nothing looks
// ahead.
//
// Over all steps, the first step of an output is delayed by its latency. Its last steps are
// missing, because they need input steps after the end.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LATENCY_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LATENCY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/canonical/borders.h"
#include "converter/graph/streaming/time_map.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// A node with delayed tensors.
struct DelayedNode {
  enum class Kind : uint8_t {
    kInput,
    kResult,
    kTimeLoop,
    kWindows,
    kBorder,
    kSlice,
    kReshape,
    kPointwise  // also reads of the past
  };
  ir::Node* node = nullptr;
  Kind kind = Kind::kInput;
  // For each input the delay that the node needs, in positions of the input. It is at least the
  // delay of the tensor. nullopt if any delay is valid. Constants have no delay of their own.
  std::vector<std::optional<int64_t>> inputs = {};
  int64_t steps = 0;  // by which the complete node is delayed: of kResult and kTimeLoop
  // Before the model's first step, input 0 must have this number.
  std::optional<double> fill = {};
  ops::Windows windows = {};  // with the padding of the delayed data
  Border border = {};
  Selection kept = {};  // of the delayed data
  const TimeLoop* time_loop = nullptr;
  int64_t iterations_per_step = 0;  // of the loop, whose inputs are about to change
};

using DelayKind = DelayedNode::Kind;

struct Latency {
  int64_t steps = 0;               // of the delayed graph; all its tensors with time have as many
  bool is_needed = false;          // a tensor is delayed, or has another number of steps
  std::vector<DelayedNode> nodes;  // in topological order
  // Delays of the tensors with time, in their positions.
  std::map<std::pair<const ir::Node*, uint32_t>, int64_t> tensors;

  int64_t Of(const ir::Source& source) const { return tensors.at({source.node, source.port}); }
};

// Computes the delays of a graph with a map of kAhead. Returns nullopt if the model cannot be
// streamed with latency; if it needs latency, faults were added for all reasons.
std::optional<Latency> MeasureLatency(const Rewritten& rewritten, const TimeMap& map,
                                      Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LATENCY_H_
