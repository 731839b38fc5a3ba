// SPDX-License-Identifier: Apache-2.0
// The values that a body computes in each copy. A copy counts only where every value of the body
// that matters behind it is there, made as the body says: that is looked up, not assumed.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_COPIES_H_
#define WEFT_CONVERTER_GRAPH_REROLL_COPIES_H_

#include <cstdint>
#include <vector>

#include "converter/graph/fold.h"
#include "converter/graph/reroll/period.h"
#include "converter/graph/reroll/value_table.h"

namespace weft::graph {

class Copies {
 public:
  // `values` grows by the constants that a first copy was simplified with.
  Copies(const ir::Graph& graph, ValueTable& values, const Period& period, int64_t count,
         Folding& folding);

  // Finds the copies before and behind the one of the period; false where they are fewer than
  // `least`. A first copy whose operations were left out because a state begins as a constant
  // counts.
  bool Find(int64_t least);

  int64_t first() const { return first_; }
  int64_t last() const { return last_; }
  int64_t trips() const { return last_ - first_ + 1; }
  // The last copy need not have everything: what nothing reads is left out of a traced model.
  void DropLast() { --last_; }
  // kNoValue where a copy has no such value.
  int At(int64_t copy, int body) const;
  // Of a state before the first copy.
  int Initial(size_t state) const;

 private:
  using Row = std::vector<int>;  // by value of the body

  bool IsInside(int64_t copy) const;
  Row& RowOf(int64_t copy) { return rows_[static_cast<size_t>(copy)]; }
  const BodyValue& Body(int body) const { return period_.values[static_cast<size_t>(body)]; }
  bool Unify(int body, int value, Row& row) const;
  bool UnifyInputs(int body, int value, Row& row) const;
  bool UnifyOutputs(int64_t copy, Row& row) const;
  bool UnifyBefore(int64_t copy, Row& row) const;
  int Compute(int body, const std::vector<int>& inputs) const;
  std::vector<int> InputsOf(int body, const Row& row) const;
  int OutputAt(const BodyOutput& output, int64_t copy) const;
  void SetLeaves(int64_t copy, Row& row) const;
  bool Fill(int64_t copy, Row& row) const;
  void FindFirst();
  void FindLast();
  void AddSimplified();
  Row Hypothesis(int64_t copy);
  bool Simplify(int64_t copy, Row& row);
  int SimplifiedOf(int body, const Row& row);
  int WithOtherZeros(int body, const std::vector<int>& inputs) const;
  int WithoutNeutral(int body, const std::vector<int>& inputs);
  bool IsNothing(int body, const std::vector<int>& inputs) const;
  void FindZeros();
  int Folded(int body, const std::vector<int>& inputs);
  bool AreClose(int a, int b) const;

  const ir::Graph& graph_;
  ValueTable& values_;
  const Period& period_;
  const int64_t count_;
  Folding& folding_;
  std::vector<Row> rows_;   // by copy
  std::vector<int> zeros_;  // values
  int64_t first_ = 0, last_ = 0;
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_COPIES_H_
