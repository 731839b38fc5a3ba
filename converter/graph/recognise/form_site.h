// SPDX-License-Identifier: Apache-2.0
// A graph while formulas are looked for that several operations spell out: who reads what, and the
// replacement of a formula by one operation. A replacement costs as much as the formula has
// operations, whatever the size of the graph.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORM_SITE_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORM_SITE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// The operations of a formula, but for the last, which gives its result.
using Covered = std::set<const ir::Node*>;

// An operation that computes what a formula spells out.
struct Form {
  std::string operation;
  int opset = 1;
  std::vector<ir::Source> inputs = {};
  std::map<std::string, std::string> attributes = {};
};

class FormSite {
 public:
  explicit FormSite(ir::Graph& graph);

  ir::Graph& graph() { return graph_; }
  const ir::Graph& graph() const { return graph_; }
  // The one node that reads `node`, and only once; null when there is none such.
  ir::Node* SoleReader(const ir::Node& node) const;
  // Is what the covered nodes compute read by them and `root` alone? Not so where a length is known
  // at run time alone: a reduction minds it, a step in place of several does not.
  bool IsClosed(const ir::Node& root, const Covered& covered) const;
  // Has it gone into the operation that another node is now?
  bool IsReplaced(const ir::Node& node) const { return replaced_.contains(&node); }
  // `root` becomes the operation, with its outputs as they are; what is covered, and closed, has no
  // reader from then on.
  void Replace(ir::Node& root, const Covered& covered, Form form);
  // `reader` takes `source`, of the same type, at that input.
  void Redirect(ir::Node& reader, size_t input, ir::Source source);

 private:
  struct Reads {
    int64_t count = 0;
    ir::Node* last = nullptr;
  };
  void Count(ir::Node& reader);
  void CountNew(ir::Node& node);
  void Release(const ir::Node& node);

  ir::Graph& graph_;
  std::unordered_map<const ir::Node*, Reads> reads_;
  std::unordered_set<const ir::Node*> replaced_;
};

// A search: `node` has one output, of f32 and with elements. True when a formula that ends there
// has been replaced.
using FormSearch = bool (*)(FormSite& site, ir::Node& node);
bool RecogniseMovement(FormSite& site, ir::Node& node);     // Transpose, of several one or none
bool RecogniseBounds(FormSite& site, ir::Node& node);       // Clamp
bool RecogniseExponential(FormSite& site, ir::Node& node);  // Sigmoid, SoftPlus by Exp
bool RecogniseSlope(FormSite& site, ir::Node& node);        // PRelu
bool RecogniseNorm(FormSite& site, ir::Node& node);         // MVN, NormalizeL2
bool RecogniseSoftmax(FormSite& site, ir::Node& node);      // Softmax, LogSoftmax
bool RecogniseRotation(FormSite& site, ir::Node& node);     // rotary positions, by one Reverse
bool RecogniseAttention(FormSite& site, ir::Node& node);    // ScaledDotProductAttention
bool RecogniseLength(FormSite& site, ir::Node& node);       // ReduceL2
bool RecogniseSharedHeads(FormSite& site, ir::Node& node);  // products that repeat a factor
bool RecogniseSnake(FormSite& site, ir::Node& node);        // Snake
bool RecogniseOneHot(FormSite& site, ir::Node& node);       // Gather, of products with a one-hot
// Of the formulas around the function that `node` is: Gelu, Swish, HSwish and their like.
bool RecogniseActivation(FormSite& site, ir::Node& node);
// Constants that follow one another, and those behind a product.
bool RecogniseConstants(FormSite& site, ir::Node& node);
// Those that are added after a transposition of a product.
bool RecogniseTransposedAddend(FormSite& site, ir::Node& node);
// Those of several numbers that follow one another and go into no product.
bool RecogniseTables(FormSite& site, ir::Node& node);

// Those between a reshape and one back take the constants under the dims around it.
bool RecogniseBands(FormSite& site, ir::Node& node);

// What the searches ask of a node.
bool IsCalled(const ir::Node& node, std::string_view operation);
bool IsConvolved(const ir::Node& node);  // by a convolution, with or without groups
// The number that every element of a constant of f32 holds.
std::optional<double> NumberIn(ir::Source source);
// As near as constants of f32 say it, in another order of the operations that made it.
bool IsNear(double number, double wanted);
// The inputs of a commutative operation, one of which is such a constant.
struct WithNumber {
  ir::Source other;
  double number = 0;
};
std::optional<WithNumber> SplitNumber(const ir::Node& node);
int64_t CountIn(ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORM_SITE_H_
