// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "converter/graph/recognise/loops/loop_passes.h"
#include "converter/graph/recognise/loops/scalars.h"
#include "converter/ir/edit.h"

namespace weft::graph {
namespace {

// Collects nodes from the Results that are outputs or the condition, over back edges, until nothing
// is added.
class Needed {
 public:
  explicit Needed(const ir::Node& loop) : body_(loop.bodies[0]) {
    if (MayRunNothing(loop)) AddStatesOfOutputs();
    for (const ir::Node* sink : body_.graph->sinks) AddNeeded(nodes_, sink);
    for (const ir::BodyOutput& output : body_.map.outputs) AddNeeded(nodes_, output.result);
    if (body_.map.condition != nullptr) AddNeeded(nodes_, body_.map.condition);
    for (size_t before = 0; before != nodes_.size();) {
      before = nodes_.size();
      for (const ir::BodyInput& input : body_.map.inputs) {
        if (input.next != nullptr && nodes_.contains(input.parameter))
          AddNeeded(nodes_, input.next);
      }
    }
  }

  bool operator()(const ir::Node& node) const { return nodes_.contains(&node); }

 private:
  static bool MayRunNothing(const ir::Node& loop) {
    return ir::IsLoop(loop) && IntOf(loop.inputs[1]).value_or(0) == 0;
  }

  // If no iteration runs, a carried output has the initial value of its state.
  void AddStatesOfOutputs() {
    for (const ir::BodyInput& input : body_.map.inputs) {
      if (input.next == nullptr) continue;
      const auto found = std::ranges::find(body_.map.outputs, input.next, &ir::BodyOutput::result);
      if (found != body_.map.outputs.end()) AddNeeded(nodes_, input.parameter);
    }
  }

  const ir::Body& body_;
  std::set<const ir::Node*> nodes_;
};

}  // namespace

void PruneLoop(ir::Node& loop) {
  const Needed needed(loop);
  ir::RemoveFromBody(loop.bodies[0], needed);
  ir::RemoveUnusedInputs(loop);
}

}  // namespace weft::graph
