// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/kept_states.h"

#include <algorithm>

#include "converter/graph/recognise/nodes.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/states.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// Returns the ReadValue that keeps the state; null if there is none.
const ir::Node* ReadOf(const ir::Graph& graph, const TimeLoop& time_loop, const Carried& state) {
  if (!state.output) return nullptr;
  const ir::Node* read = SkipReshapes(InitialOf(time_loop, state)).node;
  if (!ir::IsReadValue(*read)) return nullptr;
  int readers = 0;
  for (ir::Node* node : ir::Topological(graph)) {
    if (KeepsOrder(*node)) continue;
    for (const ir::Source& input : node->inputs) {
      readers += SkipReshapes(input).node == read ? 1 : 0;
    }
  }
  int assigns = 0;
  bool assigns_last = false;
  for (const ir::Node* sink : graph.sinks) {
    if (VariableOf(*sink) != VariableOf(*read)) continue;
    ++assigns;
    const ir::Source last = SkipReshapes(sink->inputs[0]);
    assigns_last = last.node == time_loop.node && last.port == *state.output;
  }
  return readers == 1 && assigns == 1 && assigns_last ? read : nullptr;
}

}  // namespace

KeptStates KeptStatesOf(const ir::Graph& graph, const std::vector<TimeLoop>& time_loops) {
  KeptStates kept;
  for (const TimeLoop& time_loop : time_loops) {
    for (const Carried& state : time_loop.states) {
      const ir::Node* read = ReadOf(graph, time_loop, state);
      if (read == nullptr) continue;
      kept.reads.insert(read);
      kept.carried.insert({time_loop.node, &state});
    }
  }
  return kept;
}

}  // namespace weft::graph
