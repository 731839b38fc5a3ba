// SPDX-License-Identifier: Apache-2.0
// Expressions over operations, written as text, and the search for them in a graph. A table row
// then describes one decomposition:
//   "Add(Multiply(Subtract(1,z),n),Multiply(z,h))"
// Terms of the text:
//   x          any value, the same value wherever the name occurs
//   2, -1      an f32 constant filled with that number
//   #k         an f32 constant filled with any number, which Match::Number returns
//   %c         any constant that broadcasts by NumPy's rule
//   Add(x,y)   an operation; a commutative one matches in both operand orders. Names separated by
//              "/" are alternatives. Any(x) is any activation of cells
//   {A|B}      each of the terms, in this order
//   n:T        term T with a named result
// A pattern may have readers: names in its text that match a group of operations as one.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_PATTERN_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_PATTERN_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converter/graph/recognise/nodes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// One way to read a value as a function of `of`, with the numbers of this function.
struct Reading {
  ir::Source of;
  Covered covered = {};
  std::vector<double> numbers = {};
  Dims dims = {};                  // of the numbers
  std::vector<int64_t> axes = {};  // of a reduction; equal for all reductions of a match
};

struct PatternReader {
  std::string_view name;
  std::vector<Reading> (*read)(ir::Source source);
};

class Pattern {
 public:
  // One match of the expression.
  struct Match {
    std::map<std::string, ir::Source, std::less<>> values;  // by name
    std::map<std::string, Reading, std::less<>> readings;   // of named readers
    std::vector<int64_t> axes;                              // of the reductions
    Covered covered;                                        // operations of the expression

    bool Has(std::string_view name) const { return values.find(name) != values.end(); }
    ir::Source at(std::string_view name) const { return values.find(name)->second; }
    // Returns the number of a constant or reader; `fallback` if the match does not have it.
    double Number(std::string_view name, double fallback = 0) const;
  };

  // The text is part of the program and must be well formed. Without readers, operations that only
  // reshape one row of numbers are skipped.
  explicit Pattern(std::string_view text, std::span<const PatternReader> readers = {});
  // Returns every match of the expression with result `root`.
  std::vector<Match> AllMatches(ir::Source root) const;

 private:
  enum class Kind { kValue, kNumber, kUniform, kConstant, kEither, kOperation, kReader };
  struct Term {
    Kind kind = Kind::kValue;
    std::string name = {};                     // empty for none
    std::vector<std::string> operations = {};  // alternatives
    double number = 0;                         // kNumber
    const PatternReader* reader = nullptr;     // kReader
    std::vector<Term> inputs = {};             // also the alternatives of kEither
  };
  Term Parse(std::string_view& text) const;
  ir::Source Before(ir::Source source) const;
  bool Bind(const std::string& name, ir::Source source, Match& match) const;
  std::vector<Match> Fit(const Term& term, ir::Source source, const Match& so_far) const;
  std::vector<Match> FitConstant(const Term& term, ir::Source source, Match match) const;
  std::vector<Match> FitReader(const Term& term, ir::Source source, const Match& so_far) const;
  std::vector<Match> FitOperation(const Term& term, ir::Source source, Match match) const;

  const std::span<const PatternReader> readers_;
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
