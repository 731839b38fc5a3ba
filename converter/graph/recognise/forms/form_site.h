// SPDX-License-Identifier: Apache-2.0
// A graph during the search for decomposed formulas: tracks the readers of each node, and replaces
// a formula by one operation. The cost of a replacement is proportional to the formula's
// operations, independent of the size of the graph.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_FORM_SITE_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_FORM_SITE_H_

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "converter/graph/recognise/nodes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The operation that replaces a formula.
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
  // Returns the only reader of `node` if it reads it exactly once; else null.
  ir::Node* SoleReader(const ir::Node& node) const;
  // Returns true if only the covered nodes and `root` read the values of the covered nodes, and no
  // input has a run-time length. The decomposed reductions respect such a length, but the single
  // step does not.
  bool IsClosed(const ir::Node& root, const Covered& covered) const;
  // Returns true if `node` was merged into the operation that replaced a formula.
  bool IsReplaced(const ir::Node& node) const { return replaced_.contains(&node); }
  // Changes `root` into the operation, keeping its outputs. The covered nodes, which must be
  // closed, no longer have readers.
  void Replace(ir::Node& root, const Covered& covered, Form form);
  // Makes input `input` of `reader` read `source`, which has the same type.
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

// Returns `source` with its axes in another order. Replaces preceding transpositions, which are
// added to `covered` if it is not null.
ir::Source Transposed(ir::Graph& graph, const ir::Node& like, ir::Source source,
                      std::vector<size_t> order, Covered* covered = nullptr);

// A search: `node` has one f32 output with at least one element. Returns true if a formula that
// ends at `node` was replaced.
using FormSearch = bool (*)(FormSite& site, ir::Node& node);
bool RecogniseMovement(FormSite& site, ir::Node& node);     // several into one or none
bool RecogniseBounds(FormSite& site, ir::Node& node);       // Clamp
bool RecogniseExponential(FormSite& site, ir::Node& node);  // Sigmoid, SoftPlus by Exp
bool RecogniseSlope(FormSite& site, ir::Node& node);        // PRelu
bool RecogniseNorm(FormSite& site, ir::Node& node);         // MVN, NormalizeL2
bool RecogniseSoftmax(FormSite& site, ir::Node& node);      // Softmax, LogSoftmax
bool RecogniseRotation(FormSite& site, ir::Node& node);     // rotary positions, with one Reverse
bool RecogniseAttention(FormSite& site, ir::Node& node);    // ScaledDotProductAttention
bool RecogniseLength(FormSite& site, ir::Node& node);       // ReduceL2
bool RecogniseSharedHeads(FormSite& site, ir::Node& node);  // products that repeat a factor
bool RecogniseSnake(FormSite& site, ir::Node& node);        // Snake
bool RecogniseOneHot(FormSite& site, ir::Node& node);       // Gather, from products with a one-hot
// Formulas around the function `node`: Gelu, Swish, HSwish and similar.
bool RecogniseActivation(FormSite& site, ir::Node& node);
// Consecutive constant factors and addends, and those after a product.
bool RecogniseConstants(FormSite& site, ir::Node& node);
// Numbers that are added or multiplied after movements of a product or of such an operation.
bool RecogniseMovedNumber(FormSite& site, ir::Node& node);
// Constants added after a transposition of a product.
bool RecogniseTransposedAddend(FormSite& site, ir::Node& node);
// Consecutive constants of several numbers that do not follow a product.
bool RecogniseTables(FormSite& site, ir::Node& node);

// Elementwise operations between a reshape and its inverse: their constants get the outer dims, and
// the reshapes are removed.
bool RecogniseBands(FormSite& site, ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_FORM_SITE_H_
