// SPDX-License-Identifier: Apache-2.0
// Expressions over operations, written as text, and the search for them in a graph. A table row
// then describes one decomposition of a cell:
//   "Add(Multiply(Subtract(1,z),n),Multiply(z,h))"
// A lower-case name matches any value, the same value wherever the name occurs. `name:` before an
// operation names its result. 1 and -1 are constants filled with that number. Any(x) is any
// activation. Add and Multiply match in both operand orders. Operations that only reshape one row
// of numbers are skipped.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_PATTERN_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_PATTERN_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

class Pattern {
 public:
  // One match of the expression.
  struct Match {
    std::map<std::string, ir::Source, std::less<>> values;  // by name
    std::vector<const ir::Node*> nodes;                     // that the expression covers
    ir::Source at(std::string_view name) const { return values.find(name)->second; }
  };

  // The text is part of the program and must be well formed.
  explicit Pattern(std::string_view text);
  // Returns every match of the expression with result `root`.
  std::vector<Match> AllMatches(ir::Source root) const;

 private:
  struct Term {
    std::string name;       // of the value, empty for none
    std::string operation;  // "Add", "Any", "1", "-1"; empty for a plain value
    std::vector<Term> inputs;
  };
  static Term Parse(std::string_view& text);
  static std::vector<Match> Fit(const Term& term, ir::Source source, const Match& so_far);

  Term root_;
};

// Returns the input of a sequence of Reshapes, Squeezes and Unsqueezes that keep the rows.
ir::Source BeforeReshapes(ir::Source source);

// Returns true if both are the same rows of numbers, with any dims.
bool IsSame(ir::Source a, ir::Source b);

// Returns the name of `node` among the activations of recurrent cells ("sigmoid"); empty if it is
// none.
std::string_view ActivationName(const ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_PATTERN_H_
