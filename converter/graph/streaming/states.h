// SPDX-License-Identifier: Apache-2.0
// The states of a streaming model: values kept between runs become variables, each with a unique
// name and a description for the user.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_STATES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_STATES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/numbering.h"
#include "converter/graph/streaming/attention.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/delays.h"
#include "converter/graph/streaming/pasts.h"
#include "converter/graph/streaming/position.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/graph/streaming/time_loops.h"
#include "converter/ir/graph.h"
#include "converter/program/program.h"

namespace weft::graph {

// Returns the variable of a ReadValue or an Assign.
std::string VariableOf(const ir::Node& node);

// Makes the states those of the lowered graph: updates the bytes of states that became integers
// after streaming, and adds the flags of variables that the first run initialises. The lower bound
// contains no flags.
void CountStates(const program::Program& program, Streamed& streamed);

class States {
 public:
  // Starts with the variables that the model already has. A run computes `steps` steps. All
  // arguments must outlive this object.
  States(ir::Graph& graph, const TimeAxes& times, int64_t steps);

  // The nodes of the next calls read tensors with final extents.
  void KeepPasts(const std::vector<SharedPast>& pasts);
  void KeepSum(ir::Node& node);
  void KeepNumbers(ir::Node& node, const std::map<const ir::Node*, Numbering>& numbers);
  // Adds the step counter, the tables and the keys and values of attentions.
  void CountOn(const std::vector<Table>& tables, std::vector<CausalAttention> attentions);
  void KeepLateSteps();
  // Makes the input keep its value of the first run.
  void KeepFirst(ir::Node& node, size_t input);
  // The time loop is already shortened.
  void KeepCarried(TimeLoop& time_loop, const Carried& state);
  // Call it after all other operations of a run are in the graph.
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
