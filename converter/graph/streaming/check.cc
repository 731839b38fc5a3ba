// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/graph/input_states.h"
#include "converter/graph/streaming/attention.h"
#include "converter/graph/streaming/bodies.h"
#include "converter/graph/streaming/counters.h"
#include "converter/graph/streaming/delays.h"
#include "converter/graph/streaming/late_masks.h"
#include "converter/graph/streaming/length_values.h"
#include "converter/graph/streaming/lengths.h"
#include "converter/graph/streaming/resize.h"
#include "converter/graph/streaming/rounding.h"
#include "converter/graph/streaming/states.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr const char* kShapeSetsIt = ", which only --shape can set";

class Checking {
 public:
  Checking(const Rewritten& rewritten, TimeMap& map, int64_t steps, bool is_open,
           const Folding& folding, Faults& faults)
      : graph_(rewritten.graph),
        attentions_(rewritten.attentions),
        map_(map),
        times_(map.axes),
        steps_(steps),
        is_open_(is_open),
        folding_(folding),
        faults_(faults) {}

  Kept Run() {
    for (const std::string& line : map_.faults.lines()) faults_.Add(line);
    if (!map_.has_steps) return {};
    if (steps_ < 1 || steps_ > times_.steps()) {
      faults_.Add(TooManySteps(graph_, steps_, times_.steps()));
      return {};
    }
    lengths_ = is_open_ ? ConstantsOfOpenLength(graph_, folding_)
                        : ConstantsOfLength(graph_, times_, folding_);
    lengths_.merge(std::set(map_.lengths));
    CheckCounters();
    kept_.states = KeptStatesOf(graph_, map_.loops);
    // A sequence of one step is always complete.
    if (times_.steps() == 1 || !CheckExtents()) return std::move(kept_);
    for (ir::Node* node : times_.nodes()) CheckNode(*node);
    for (const CausalAttention& attention : attentions_) CheckAttention(attention);
    CheckLate();
    kept_.early_uses = EarlyUses(times_, map_.loops);
    return std::move(kept_);
  }

 private:
  void Refuse(const ir::Node& node, const std::string& what) {
    RefuseToCut(graph_, node, what, faults_);
  }
  void CheckCounters();
  bool CheckExtents();
  void CheckNode(ir::Node& node);
  void CheckStates(const ir::Node& node);
  void CheckLengths(ir::Node& node);
  bool MayReadLength(ir::Node& node, size_t input) const;
  void CheckAttention(const CausalAttention& attention);
  void CheckOrder(const ir::Node& node);
  void CheckPort(ir::Node& node, const PortAxis& at, const TimeAxis& time);
  void CheckConstant(ir::Node& node, const TimeAxis& time);
  void CheckLate();
  bool IsLate(ir::Node& node, uint32_t port) const;

  ir::Graph& graph_;
  const std::vector<CausalAttention>& attentions_;
  TimeMap& map_;
  const TimeAxes& times_;
  const int64_t steps_;  // per run
  const bool is_open_;
  const Folding& folding_;
  Faults& faults_;
  std::set<const ir::Node*> lengths_;  // constants that depend on the total number of steps
  Kept kept_;
};

void Checking::CheckCounters() {
  for (const TimeLoop& time_loop : map_.loops) {
    if (!ir::Iterates(*time_loop.node)) continue;
    std::set<size_t> lengths;
    for (size_t i = 0; i < time_loop.node->inputs.size(); ++i) {
      if (lengths_.contains(time_loop.node->inputs[i].node)) lengths.insert(i);
    }
    RefuseCounters(graph_, *time_loop.node, lengths, faults_);
  }
}

// A node may read the number of steps as a trip count, or as an extent of a tensor with time,
// because these are replaced.
bool Checking::MayReadLength(ir::Node& node, size_t input) const {
  if (times_.Of(node.inputs[input]) != nullptr) return false;
  if (const TimeLoop* time_loop = map_.LoopOf(node)) {
    return ir::Iterates(node) || input == 1 + time_loop->states.size();
  }
  const AxisRelation& relation = times_.Relation(&node);
  if (relation.selects) return input > 0 && times_.Of(node.inputs[0]) != nullptr;
  return (relation.reshapes || relation.stretches) && input > 0 && times_.Of({&node, 0}) != nullptr;
}

void Checking::CheckLengths(ir::Node& node) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ir::Node* input = node.inputs[i].node;
    if (!lengths_.contains(input) || MayReadLength(node, i)) continue;
    // Masks are streamed with their attention; tables are valid for any number of steps.
    if (!is_open_ && IsMask(attentions_, node)) continue;
    if (std::ranges::find(kept_.tables, input, &Table::node) != kept_.tables.end()) continue;
    Refuse(node, fmt::format("input {} is computed from the total number of steps{}", i,
                             is_open_ ? kShapeSetsIt : ""));
  }
}

// Returns true if every tensor with time has an integer number of positions per step.
bool Checking::CheckExtents() {
  bool fit = true;
  for (ir::Node* node : times_.nodes()) {
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      const TimeAxis* time = times_.Of({node, port});
      if (time == nullptr || times_.HasAllSteps({node, port})) continue;
      Refuse(*node, fmt::format("output {} has {} positions for {} steps", port,
                                times_.Extent({node, port}), times_.steps()));
      fit = false;
    }
  }
  return fit;
}

void Checking::CheckNode(ir::Node& node) {
  CheckLengths(node);
  CheckStates(node);
  CheckOrder(node);
  RefuseLengthsInBodies(times_, node, folding_, faults_);
  const bool looks_back = DelayOverTime(times_, node) || SumOverTime(times_, node);
  if (looks_back && times_.Of(node.inputs[0])->outer != 1) {
    Refuse(node, "its time axis is flattened into a batch");
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TimeAxis* time = times_.Of(node.inputs[i]);
    if (time != nullptr) CheckPort(node, {false, i, time->axis}, *time);
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const TimeAxis* time = times_.Of({&node, Narrow32(i, "output")});
    if (time != nullptr) CheckPort(node, {true, i, time->axis}, *time);
  }
}

// Refuses variables that are read once for all steps.
void Checking::CheckStates(const ir::Node& node) {
  if (ir::IsReadValue(node) && !kept_.states.reads.contains(&node)) {
    const bool is_declared = node.attributes.contains(kDeclaredState);
    Refuse(node, fmt::format("it reads variable \"{}\" once for all steps{}", VariableOf(node),
                             is_declared ? ", so --state must not name it" : ""));
  }
  if (map_.LoopOf(node) == nullptr && HoldsVariables(node)) {
    Refuse(node, "its body reads a variable once for all steps");
  }
}

void Checking::CheckAttention(const CausalAttention& attention) {
  if (!RunsAlong(times_, attention)) return;
  if (times_.Of({attention.scores, 0})->outer != 1) {
    Refuse(*attention.scores, "its time axis is flattened into a batch");
  }
  const Reach& reach = attention.reach;
  if (!is_open_ || reach.past + reach.period < attention.positions) return;
  Refuse(*attention.scores, "it attends to all earlier steps, whose number only --shape can limit");
}

// Refuses sums whose order would change.
void Checking::CheckOrder(const ir::Node& node) {
  const std::optional<int64_t> axis = AxisOutOfOrder(times_, node, steps_);
  if (!axis || times_.Relation(&node).keeps_order) return;
  Refuse(node, fmt::format("it sums over axis {} with the time axis inside, which rounds "
                           "differently for a single step",
                           *axis));
}

// Refuses constants that differ from step to step, except numberings and tables.
void Checking::CheckConstant(ir::Node& node, const TimeAxis& time) {
  const auto count = [&] { kept_.numbers[&node] = NumberingOf(node, time.axis).value(); };
  if (IsOpenNumbering(node) && time.outer == 1) return count();
  if (node.constant->type != node.outputs[0].type) {
    return Refuse(node, "it has a value for each pair of steps");
  }
  if (IsAlikeAtEveryStep(*node.constant, time, times_.steps())) return;
  if (IsLateMask(node)) return;
  if (!is_open_ && time.outer == 1 && NumberingOf(node, time.axis)) return count();
  // No integers, because indices would select steps of another tensor.
  const ElementType type = node.constant->type.type;
  const bool is_table =
      !is_open_ && time.outer == 1 && (IsFloat(type) || type == ElementType::boolean);
  if (is_table) return kept_.tables.push_back({&node, *node.constant, time});
  return Refuse(
      node, is_open_ ? fmt::format("its value depends on the total number of steps{}", kShapeSetsIt)
                     : "its value differs from step to step");
}

void Checking::CheckPort(ir::Node& node, const PortAxis& at, const TimeAxis& time) {
  const bool is_port = ir::IsParameter(node) || ir::IsResult(node);
  if (is_port && time.outer != 1) {
    return Refuse(node, "its time axis is flattened into a batch");
  }
  if (node.constant) return CheckConstant(node, time);
  if (const TimeLoop* time_loop = map_.LoopOf(node)) {
    const auto stride = std::ranges::find(time_loop->strides, at, &Stride::at);
    if (stride != time_loop->strides.end() && time.outer == 1 &&
        time.chunk == stride->chunk * (time_loop->steps / times_.steps())) {
      return;
    }
    return Refuse(node, fmt::format("the time steps of input {} differ from its own", at.port));
  }
  const AxisRelation& relation = times_.Relation(&node);
  if (relation.reshapes && at.port == 0) {
    const PortAxis other = {!at.output, 0, 0};
    if (times_.Of(TensorAt(node, other)) != nullptr) return;
  }
  const bool goes_on =
      DelayAlong(relation, at.axis) != nullptr || (relation.sum && relation.sum->axis == at.axis);
  const bool has_delay = (at.output || at.port == 0) && goes_on;
  if (has_delay || IsInGroup(relation, at)) return;
  const auto selection = std::ranges::find(relation.selections, at.axis, &Selection::axis);
  if (at.output || at.port != 0 || selection == relation.selections.end()) {
    return Refuse(node, "it " + relation.reason);
  }
  if (TakesLastStep(*selection, time, times_.steps()) || FirstStepIn(times_, node)) return;
  Refuse(node, fmt::format("it selects positions [{}, {}) of {} along time", selection->begin,
                           selection->end, time.outer * times_.steps() * time.chunk));
}

// Returns true if `port` depends on the final step and none of its producers does.
bool Checking::IsLate(ir::Node& node, uint32_t port) const {
  if (times_.Of({&node, port}) != nullptr || !HasTime(times_, node)) return false;
  if (map_.LoopOf(node) != nullptr) return true;
  return !times_.Relation(&node).selections.empty() && FirstStepIn(times_, node) == nullptr;
}

// Refuses nodes that combine a value known only after the last step with earlier steps.
void Checking::CheckLate() {
  std::set<std::pair<const ir::Node*, uint32_t>> late;
  for (ir::Node* node : times_.nodes()) {
    const bool reads_late = std::ranges::any_of(node->inputs, [&](const ir::Source& source) {
      return late.contains({source.node, source.port});
    });
    if (reads_late && HasTime(times_, *node)) {
      Refuse(*node, "it depends on the final step of the sequence");
      continue;
    }
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      if (reads_late || IsLate(*node, port)) late.insert({node, port});
    }
  }
}

}  // namespace

std::string TooManySteps(const ir::Graph& graph, int64_t steps, int64_t max) {
  return fmt::format("--streaming: has {} steps per run and {} has {}; must be from 1 to {}", steps,
                     graph.file, max, max);
}

Kept Check(const Rewritten& rewritten, TimeMap& map, int64_t steps, bool is_open,
           const Folding& folding, Faults& faults) {
  return Checking(rewritten, map, steps, is_open, folding, faults).Run();
}

}  // namespace weft::graph
