// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "converter/base/shell_word.h"
#include "converter/base/visible.h"
#include "converter/graph/input_states.h"
#include "converter/graph/recognise/nodes.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/kept_states.h"
#include "converter/graph/streaming/parts.h"
#include "converter/graph/streaming/states.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/time_length.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// A state that the caller copies: the names of its input and its output.
struct HandedState {
  std::string input, output;
  bool is_cache = false;  // else the state of a sequence
};

// Skips reshapes and all transpositions.
ir::Source SkipMoves(ir::Source source) {
  for (;;) {
    source = SkipReshapes(source);
    if (!IsTransposition(*source.node)) return source;
    source = source.node->inputs[0];
  }
}

// Returns true for an input, or a state that --state created from one.
bool IsHandedIn(const ir::Node& node) {
  return ir::IsParameter(node) || node.attributes.contains(kDeclaredState);
}

std::string InputName(const ir::Graph& graph, const ir::Node& node) {
  if (ir::IsReadValue(node)) return VariableOf(node);
  const auto at = std::ranges::find(graph.parameters, &node);
  return PortName(graph, {false, static_cast<size_t>(at - graph.parameters.begin()), 0});
}

// Returns true if the selection may keep the last positions of an axis: its bounds are unknown, or
// it selects one run up to the end.
bool MayKeepLast(const ops::AxisRelation& relation, const Dims& dims) {
  for (size_t axis = 0; axis < relation.runs.size(); ++axis) {
    const ops::Runs& runs = relation.runs[axis];
    if (ops::IsInOrder(runs, dims[axis])) continue;
    const bool is_end =
        runs.size() == 1 && runs[0].step == 1 && runs[0].source + runs[0].count == dims[axis];
    if (!is_end) return false;
  }
  return true;
}

// Returns the input whose next value is the tensor; null if there is none.
const ir::Node* HandedOn(const ir::Graph& graph, const ir::Source& last, bool& is_cache) {
  ir::Source source = SkipMoves(last);
  ir::Node& node = *source.node;
  if (node.operation == nullptr || node.constant) return nullptr;
  const size_t states = ops::TraitsOf(node).sequence_states;
  is_cache = states == 0;
  if (!is_cache) {
    if (source.port == 0 || source.port > states) return nullptr;
    const ir::Node* initial = SkipMoves(node.inputs[source.port]).node;
    return IsHandedIn(*initial) ? initial : nullptr;
  }
  if (node.inputs.empty()) return nullptr;
  const ops::AxisRelation relation = ops::RelationOf(graph, node);
  if (!relation.selects || !MayKeepLast(relation, DimsOf(node.inputs[0]))) return nullptr;
  const ir::Node& joined = *SkipMoves(node.inputs[0]).node;
  if (joined.constant || !ops::TraitsOf(joined).joins || joined.inputs.size() < 2) return nullptr;
  const ir::Node* cache = SkipMoves(joined.inputs[0]).node;
  const bool is_kept =
      IsHandedIn(*cache) && ElementCount(DimsOf(last)) == ElementCount(cache->outputs[0].type.dims);
  return is_kept ? cache : nullptr;
}

std::vector<HandedState> HandedStates(const ir::Graph& graph) {
  std::vector<HandedState> states;
  const auto add = [&](const ir::Source& last, const std::string& output) {
    bool is_cache = false;
    const ir::Node* input = HandedOn(graph, last, is_cache);
    if (input == nullptr) return;
    states.push_back(
        {InputName(graph, *input), AttributeText(*input, kDeclaredState, output), is_cache});
  };
  for (size_t i = 0; i < graph.results.size(); ++i) {
    add(graph.results[i]->inputs[0], PortName(graph, {true, i, 0}));
  }
  for (const ir::Node* sink : graph.sinks) add(sink->inputs[0], "");
  return states;
}

// Formats dynamic axes as N.
std::string ShapesOf(const ir::Graph& graph) {
  std::string text;
  const auto add = [&](const ir::Node& node) {
    text += fmt::format(" {}=", ShellWord(OneLine(InputName(graph, node))));
    const Dims& dims = node.outputs[0].type.dims;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      const bool is_open = (ir::OpenAxes(node.outputs[0]) >> axis & 1U) != 0;
      text += axis == 0 ? "" : ",";
      text += is_open ? "N" : fmt::format("{}", dims[axis]);
    }
  };
  for (const ir::Node* parameter : graph.parameters) add(*parameter);
  for (const ir::Node* node : ir::Topological(graph)) {
    if (node->attributes.contains(kDeclaredState)) add(*node);
  }
  return text;
}

}  // namespace

std::string AdviceForCaches(const ir::Graph& graph) {
  std::string names, options;
  for (const HandedState& state : HandedStates(graph)) {
    options +=
        fmt::format(" {}={}", ShellWord(OneLine(state.input)), ShellWord(OneLine(state.output)));
    if (!state.is_cache) continue;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", OneLine(state.input));
  }
  if (names.empty()) return "";
  return fmt::format(
      "{}: input {}: the model stores its own past and needs no --streaming; must be converted "
      "without --streaming (--shape{} --state{})",
      graph.file, names, ShapesOf(graph), options);
}

}  // namespace weft::graph
