// SPDX-License-Identifier: Apache-2.0
// The values that a loop body computes in each of its copies. A copy counts only if every needed
// value of the body exists in the graph with the computation of the body; the class verifies this.
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
  // Adds to `values` the constants with which a first copy was simplified.
  Copies(const ir::Graph& graph, ValueTable& values, const Period& period, int64_t count,
         Folding& folding);

  // Finds the copies before and after the one of the period. Returns false if there are fewer than
  // `min`. A first copy counts even if a constant initial state let the exporter leave out
  // operations.
  bool Find(int64_t min);

  int64_t first() const { return first_; }
  int64_t last() const { return last_; }
  int64_t trips() const { return last_ - first_ + 1; }
  // Excludes the last copy, which may be incomplete: traced models omit values that nothing reads.
  void DropLast() { --last_; }
  // kNoValue if the copy does not contain the value.
  int At(int64_t copy, int body) const;
  // The value of a state before the first copy.
  int Initial(size_t state) const;

 private:
  using Row = std::vector<int>;  // by body value

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
