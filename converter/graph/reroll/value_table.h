// SPDX-License-Identifier: Apache-2.0
// Numbers the outputs of a graph so that equal values share a number (value numbering). Equal are:
// the same operation of equal inputs, the same slice of a tensor, the same elements with the same
// dims, and constants with equal bytes. Inputs of a value have smaller numbers. The result of a
// formula can be looked up without creating a node.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_VALUE_TABLE_H_
#define WEFT_CONVERTER_GRAPH_REROLL_VALUE_TABLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

inline constexpr int kNoValue = -1;

struct Value {
  enum class Kind : uint8_t {
    kConstant,
    kSlice,      // elements [begin, begin + part) of an axis of inputs[0], other axes complete
    kReshape,    // the elements of inputs[0] with the dims of `type`
    kOperation,  // output `port` of a node of form `form`
    kOther,      // equal only to itself: ports, variables, loops and branches
  };
  Kind kind = Kind::kOther;
  TensorType type;
  ir::Source source = {};  // an output that holds the value; no node if there is none
  std::vector<int> inputs = {};
  int64_t axis = 0, begin = 0, part = 0;
  int form = 0;  // number for the type, version, attributes and output types of a node
  uint32_t port = 0;
  std::optional<ir::Constant> constant = std::nullopt;
};

class ValueTable {
 public:
  // Numbers the values that the graph's results and sinks need; the graph must be inferred.
  explicit ValueTable(const ir::Graph& graph);

  int size() const { return static_cast<int>(values_.size()); }
  const Value& operator[](int value) const { return values_[static_cast<size_t>(value)]; }
  // kNoValue if the value is not needed.
  int Of(const ir::Source& source) const;
  const std::vector<ir::Node*>& nodes() const { return nodes_; }

  // These look up an existing value; kNoValue if there is none.
  int FindSlice(int input, int64_t axis, int64_t begin, int64_t part) const;
  int FindReshape(int input, const Dims& dims) const;
  int FindOperation(int form, uint32_t port, const std::vector<int>& inputs) const;
  // Returns true if `form` is the form of this node.
  bool HasForm(int form, const ir::Node& node) const;
  // Adds the constant if the table does not have it.
  int AddConstant(const ir::Constant& constant);

 private:
  using Key = std::vector<int64_t>;

  void AddNode(ir::Node& node);
  int AddOutput(ir::Node& node, uint32_t port, const std::vector<int>& inputs);
  std::optional<int> AddTaken(ir::Node& node, uint32_t port, const std::vector<int>& inputs);
  int AddReshape(int input, const TensorType& type);
  int Add(const Key& key, Value value);
  int Find(const Key& key) const;
  int FormOf(const ir::Node& node);

  const ir::Graph& graph_;
  std::vector<ir::Node*> nodes_;
  std::vector<Value> values_;
  std::map<Key, int> numbers_;
  std::multimap<size_t, int> constants_;  // by hash
  std::map<std::string, int> forms_;
  std::map<std::pair<const ir::Node*, uint32_t>, int> of_;
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_VALUE_TABLE_H_
