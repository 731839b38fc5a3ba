// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/late_edits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/graph/canonical/borders.h"
#include "converter/graph/canonical/pads.h"
#include "converter/graph/lower.h"
#include "converter/graph/numbering.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/late_masks.h"
#include "converter/graph/streaming/resize.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

// Returns true if only this axis is padded.
bool IsPaddedAlong(const ops::Windows& windows, size_t axis) {
  for (size_t i = 0; i < windows.begin.size(); ++i) {
    if (i != axis && (windows.begin[i] != 0 || windows.end[i] != 0)) return false;
  }
  return true;
}

// Returns the positions of the equal parts that the constant repeats, if the delay is a multiple of
// them, else 0.
int64_t PeriodOf(const ir::Node& node, const TimeAxis& time, int64_t late) {
  const int64_t extent = node.outputs[0].type.dims[static_cast<size_t>(time.axis)];
  for (const int64_t period : {int64_t{1}, time.chunk}) {
    const TimeAxis part = {time.axis, 1, period};
    if (extent % period != 0 || !IsAlikeAtEveryStep(*node.constant, part, extent / period))
      continue;
    return late % period == 0 ? period : 0;
  }
  return 0;
}

// Returns the numbering of the constant if it can start earlier by the delay.
std::optional<Numbering> NumberingFrom(const ir::Node& node, const TimeAxis& time, int64_t late) {
  std::optional<Numbering> numbering = NumberingAlong(*node.constant, time.axis);
  const bool fits = numbering && CanStartAt(*node.constant, *numbering,
                                            numbering->first - late * numbering->step);
  return fits ? numbering : std::nullopt;
}

using ir::BodyInput;

// Adds a Parameter of this type to the body; it reads a loop input.
ir::Source BodyParameter(ir::Graph& body, const ir::Node& like, const TensorType& type) {
  ir::Node* parameter = NewParameter(body, like);
  parameter->outputs[0].type = type;
  parameter->outputs[0].declared = true;
  return {parameter, 0};
}

ir::Source Without(ir::Graph& graph, const ir::Node& like, ir::Source source, size_t axis) {
  Dims dims = TypeOf(source).dims;
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  return Reshaped(graph, like, source, dims);
}

// Makes each carried state keep its value where the mask is false.
void SelectStates(ir::Graph& graph, ir::Node& loop, int64_t late, int64_t steps) {
  ir::Body& body = loop.bodies[0];
  ir::Graph& inside = *body.graph;
  const size_t mask = ir::AddInput(loop, NewLateMask(graph, loop, {steps}, 0, late));
  const ir::Source flag = BodyParameter(inside, loop, {ElementType::boolean, {1}});
  const ir::Source moves = Reshaped(inside, loop, flag, {});
  for (BodyInput& input : body.map.inputs) {
    if (!input.is(BodyInput::Kind::kCarried)) continue;
    const ir::Source next = input.next->inputs[0];
    ir::Node* held =
        NewInferredNode(inside, loop, "Select", 1, {moves, next, ir::Source{input.parameter, 0}});
    input.next->inputs[0] = {held, 0};
  }
  ir::AddSlice(loop, mask, *flag.node, ir::WholeRange(0, 1, /*backward=*/false));
}

// Converts a sequence to a loop over its cell.
class CellLoop {
 public:
  CellLoop(ir::Graph& graph, const TimeLoop& time_loop)
      : graph_(graph),
        time_loop_(time_loop),
        node_(*time_loop.node),
        loop_(NewTensorIterator(graph, node_)) {}

  ir::Node& Run() {
    std::vector<ir::Source> inputs = {Slice()};
    for (const Carried& state : time_loop_.states) inputs.push_back(State(state));
    for (size_t i = time_loop_.states.size() + 2; i < node_.inputs.size(); ++i) {
      inputs.push_back(Weights(node_.inputs[i]));
    }
    std::map<std::string, std::string> attributes = node_.attributes;
    attributes.erase("direction");
    const ops::Operation& sequence = *node_.operation;
    ir::Node* cell = NewInferredNode(body(), node_, std::string(sequence.traits.cell),
                                     sequence.opset, std::move(inputs),
                                     Narrow32(time_loop_.states.size(), "states"), attributes);
    for (size_t i = 0; i < time_loop_.states.size(); ++i) Close(i, {cell, Narrow32(i, "state")});
    return *loop_;
  }

 private:
  ir::Graph& body() { return *loop_->bodies[0].graph; }
  ir::PortMap& map() { return loop_->bodies[0].map; }

  ir::Source Slice() {
    TensorType type = TypeOf(node_.inputs[0]);
    type.dims[1] = 1;
    const ir::Source slice = BodyParameter(body(), node_, type);
    ir::AddSlice(*loop_, ir::AddInput(*loop_, node_.inputs[0]), *slice.node,
                 ir::WholeRange(1, 1, /*backward=*/false));
    return Without(body(), node_, slice, 1);
  }

  ir::Source State(const Carried& state) {
    const ir::Source initial = Without(graph_, node_, node_.inputs[state.input], 1);
    const ir::Source held = BodyParameter(body(), node_, TypeOf(initial));
    map().inputs.push_back({.parameter = held.node, .input = ir::AddInput(*loop_, initial)});
    states_.push_back(map().inputs.size() - 1);
    held.node->name = state.name.substr(node_.name.size() + 1);
    return held;
  }

  // Constants are copied to the body; other values are loop invariants.
  ir::Source Weights(const ir::Source& source) {
    const ir::Source weights = Without(graph_, node_, source, 0);
    if (source.node->constant) {
      ir::Constant constant = *source.node->constant;
      constant.type = TypeOf(weights);
      return NewConstant(body(), node_, std::move(constant));
    }
    const ir::Source inside = BodyParameter(body(), node_, TypeOf(weights));
    map().inputs.push_back({.parameter = inside.node, .input = ir::AddInput(*loop_, weights)});
    return inside;
  }

  // Closes the back edge of a state; the first state is also a scan output.
  void Close(size_t i, const ir::Source& next) {
    ir::Node* result = NewResult(body(), node_, next);
    map().inputs[states_[i]].next = result;
    if (i == 0) Gather(next);
    const size_t last = ir::AddOutput(*loop_, *result);
    const ir::Source all = {loop_, Narrow32(last, "output")};
    const ir::Source old = {&node_, Narrow32(1 + i, "output")};
    ir::HandOver(graph_, old, Reshaped(graph_, node_, all, TypeOf(old).dims));
  }

  void Gather(const ir::Source& state) {
    const Dims& dims = TypeOf(state).dims;
    const ir::Source row = Reshaped(body(), node_, state, {dims[0], 1, 1, dims[1]});
    ir::Node* result = NewResult(body(), node_, row);
    const size_t output = ir::AddOutput(*loop_, *result);
    ir::BodyOutput& scan = map().outputs[output];
    scan.range = ir::WholeRange(2, 1, /*backward=*/false);
    scan.axis = 2;
    const ir::Source all = {loop_, Narrow32(output, "output")};
    loop_->outputs[output].type = TypeOf({&node_, 0});
    ir::HandOver(graph_, {&node_, 0}, all);
  }

  ir::Graph& graph_;
  const TimeLoop& time_loop_;
  ir::Node& node_;
  ir::Node* loop_;
  std::vector<size_t> states_;  // indices of their inputs
};

}  // namespace

ir::Source NewShift(ir::Graph& graph, const ir::Source& source, int64_t axis, int64_t positions,
                    double fill) {
  const BorderFill number = {NewNumbers(graph, *source.node, {TypeOf(source).type, {}}, {fill})};
  return NewBorder(graph, source, number, axis, positions, /*shifts=*/true);
}

bool JoinBorders(ir::Graph& graph, const TimeAxes& times) {
  bool changed = false;
  for (ir::Node* node : times.nodes()) {
    const std::vector<ops::Windows>& windows = times.Relation(node).windows;
    const TimeAxis* time = windows.empty() ? nullptr : times.Of(node->inputs[0]);
    if (time == nullptr) continue;
    changed = JoinBorder(graph, *node, static_cast<size_t>(time->axis)) || changed;
  }
  return changed;
}

ir::Source NewMasked(ir::Graph& graph, const ir::Source& source, int64_t axis, int64_t late,
                     double fill) {
  const auto at = static_cast<size_t>(axis);
  Dims dims(DimsOf(source).size(), 1);
  dims[at] = DimsOf(source)[at];
  const ir::Node& like = *source.node;
  const ir::Source mask = NewLateMask(graph, like, dims, axis, late);
  const ir::Source filled = NewNumbers(graph, like, {TypeOf(source).type, {}}, {fill});
  return NewOperation(graph, like, "Select", 1, {mask, source, filled});
}

bool CanSetWindows(const ir::Node& node, const ops::Windows& windows) {
  const bool rounds_up = AttributeText(node, "rounding_type", "floor") != "floor";
  if (rounds_up && windows.begin.size() > 1) return false;
  return windows.fill || windows.begin[windows.at()] == 0 || IsPaddedAlong(windows, windows.at());
}

void SetWindows(ir::Graph& graph, ir::Node& node, const ops::Windows& windows, bool was_padded) {
  const size_t at = windows.at();
  std::map<std::string, std::string>& attributes = node.attributes;
  if (attributes.contains("rounding_type")) attributes["rounding_type"] = "floor";
  SetPads(node, windows.begin, windows.end);
  if (attributes.contains("output_padding")) {
    Dims padding = Quiet<ops::NodeScope>(graph, node).attributes.Ints("output_padding");
    if (at < padding.size()) padding[at] = 0;
    attributes["output_padding"] = fmt::format("{}", fmt::join(padding, ","));
  }
  const bool is_whole = !was_padded && IsPaddedAlong(windows, at);
  if (is_whole && attributes.contains("exclude-pad")) attributes["exclude-pad"] = "false";
}

void PassOn(ir::Graph& graph, ir::Node& node, const ir::Source& data) {
  const Dims& dims = node.outputs[0].type.dims;
  Become(node, "Identity", 16, {Reshaped(graph, node, data, dims)});
  node.attributes[kMoved] = "true";
}

void CutTo(ir::Graph& graph, ir::Node& node, std::vector<ops::Runs> runs, const Selection& kept) {
  runs[static_cast<size_t>(kept.axis)] = {{0, kept.end - kept.begin, kept.begin, 1}};
  const ir::Source data = node.inputs[0];
  bool is_whole = true;
  for (size_t axis = 0; axis < runs.size(); ++axis) {
    is_whole = is_whole && ops::IsInOrder(runs[axis], DimsOf(data)[axis]);
  }
  if (is_whole) return PassOn(graph, node, data);
  BecomeSlice(graph, node, runs);
}

bool CanDelay(const ir::Node& node, const TimeAxis& time, int64_t late) {
  return IsFloat(node.constant->type.type) || IsLateMask(node) || PeriodOf(node, time, late) != 0 ||
         NumberingFrom(node, time, late);
}

void DelayConstant(ir::Graph& graph, ir::Node& node, const TimeAxis& time, int64_t late,
                   int64_t positions) {
  if (const int64_t period = PeriodOf(node, time, late); period != 0) {
    RepeatStep(*node.constant, {time.axis, 1, period}, positions / period);
    node.outputs[0].type = node.constant->type;
  } else if (const std::optional<Numbering> numbering = NumberingFrom(node, time, late)) {
    Renumber(node, *numbering, numbering->first - late * numbering->step, positions);
  } else if (IsLateMask(node)) {
    DelayLateMask(graph, node, time.axis, late, positions);
  } else {
    DelayPositions(node, {time.axis, 1, time.chunk}, late, positions);
  }
}

bool HasOneRunEach(const AxisRelation& relation) {
  const auto is_one = [](const ops::Runs& runs) { return runs.size() == 1; };
  return !relation.runs.empty() && std::ranges::all_of(relation.runs, is_one);
}

bool TakesItsRuns(const AxisRelation& relation) {
  const auto taken = [&](const Selection& selection) {
    const ops::Run& run = relation.runs[static_cast<size_t>(selection.axis)][0];
    return run.source == selection.begin && run.count == selection.end - selection.begin;
  };
  return HasOneRunEach(relation) && std::ranges::all_of(relation.selections, taken);
}

bool CanSetSteps(const TimeLoop& time_loop, int64_t steps) {
  const ir::Node& node = *time_loop.node;
  return time_loop.steps == steps || !ir::IsLoop(node) || !node.bodies[0].map.Takes(0);
}

void SetSteps(ir::Graph& graph, const TimeLoop& time_loop, int64_t steps) {
  ir::Node& node = *time_loop.node;
  const bool is_loop = ir::IsLoop(node);
  if (time_loop.steps == steps || (ir::Iterates(node) && !is_loop)) return;
  ir::Source& count = node.inputs[is_loop ? 0 : 1 + time_loop.states.size()];
  const TensorType type = TypeOf(count);
  const Dims all(static_cast<size_t>(ElementCount(type.dims).value_or(0)), steps);
  count = NewInts(graph, node, type, all);
}

void HoldStates(ir::Graph& graph, const TimeLoop& time_loop, int64_t late, int64_t steps) {
  ir::Node& loop = IsSequence(*time_loop.node) ? CellLoop(graph, time_loop).Run() : *time_loop.node;
  SelectStates(graph, loop, late, steps);
}

}  // namespace weft::graph
