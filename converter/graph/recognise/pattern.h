// SPDX-License-Identifier: Apache-2.0
// Expressions over operations, written as text, and the search for them in a graph. A row of a
// table then says what arithmetic a cell may be spelled out in:
//   "Add(Multiply(Subtract(1,z),n),Multiply(z,h))"
// A name in lower case stands for any value, the same one wherever it occurs; `name:` before an
// operation names what it computes; 1 and -1 are constants full of that number; Any(x) is any
// activation. Add and Multiply are tried both ways round. Operations that only give one row of
// numbers other dims are looked through.
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
  // One way in which the expression fits.
  struct Match {
    std::map<std::string, ir::Source, std::less<>> values;  // by name
    std::vector<const ir::Node*> nodes;                     // that the expression covers
    ir::Source at(std::string_view name) const { return values.find(name)->second; }
  };

  // The text is part of the program; it must be well formed.
  explicit Pattern(std::string_view text);
  // Every way in which the expression computes `root`.
  std::vector<Match> AllMatches(ir::Source root) const;

 private:
  struct Term {
    std::string name;       // of the value, empty for none
    std::string operation;  // "Add", "Any", "1", "-1"; empty for a value alone
    std::vector<Term> inputs;
  };
  static Term Parse(std::string_view& text);
  static std::vector<Match> Fit(const Term& term, ir::Source source, const Match& so_far);

  Term root_;
};

// What `source` is before the Reshapes, Squeezes and Unsqueezes that leave its rows as they are.
ir::Source BeforeReshapes(ir::Source source);

// The same rows of numbers, whatever their dims.
bool IsSame(ir::Source a, ir::Source b);

// The name of `node` among the activations of recurrent cells ("sigmoid"), or empty.
std::string_view ActivationName(const ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_PATTERN_H_
