// SPDX-License-Identifier: Apache-2.0
// The states of a model that is being cut: what it keeps from run to run becomes variables, each
// with a name of its own and a line for the user.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_STATES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_STATES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/streaming/attention.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/delays.h"
#include "converter/graph/streaming/numbering.h"
#include "converter/graph/streaming/pasts.h"
#include "converter/graph/streaming/position.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/graph/streaming/walks.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Of a ReadValue or an Assign.
std::string VariableOf(const ir::Node& node);

// Corrects the bytes of states that have become integers after streaming.
void CountStateBytes(const ir::Graph& graph, Streamed& streamed);

class States {
 public:
  // Begins with the variables that the model has of its own. A run makes `steps` steps. All must
  // outlive this.
  States(ir::Graph& graph, const TimeAxes& times, int64_t steps);

  // These read tensors of their final extents.
  void KeepPasts(const std::vector<SharedPast>& pasts);
  void KeepSum(ir::Node& node);
  void KeepNumbers(ir::Node& node, const std::map<const ir::Node*, Numbering>& numbers);
  // What looks up its step, and what attends.
  void CountOn(const std::vector<Table>& tables, std::vector<CausalAttention> attentions);
  void KeepLateSteps();
  // The input goes on to be what it is in the first run.
  void KeepFirst(ir::Node& node, size_t input);
  // The walk is shortened already.
  void KeepCarried(Walk& walk, const Carried& state);
  // Once all else that a run computes is there.
  void WritePasts();

  const std::vector<StreamedState>& all() const { return all_; }

 private:
  void AddVariables(const ir::Graph& graph);
  std::string FreeName(const std::string& wanted);
  void KeepPast(const SharedPast& past);
  std::string NewStart(const ir::Node& node);
  void Add(const std::string& name, const TensorType& type, const ir::Node& node,
           const std::string& what);

  ir::Graph& graph_;
  const TimeAxes& times_;
  const int64_t steps_;
  std::set<std::string> names_;
  std::vector<StreamedState> all_;
  std::vector<Past> pasts_;
  std::map<std::pair<const ir::Node*, uint32_t>, ir::Source> firsts_;
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_STATES_H_
