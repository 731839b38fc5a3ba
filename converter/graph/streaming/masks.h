// SPDX-License-Identifier: Apache-2.0
// The constants between the scores of an attention [..., T, T] and its softmax or, without a
// softmax, the product with the values: masks, biases, decay. Masks can be streamed if they expose
// keys up to the query position or to the end of its chunk. In all other respects they must depend
// only on the distance of query and key.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_MASKS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_MASKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// The number that half-precision models use for minus infinity: the exponential of a score that is
// lower by this much is 0.
inline constexpr double kExcludingScore = -10000;

// The range of an attention: `past` positions before the first new one.
struct Reach {
  int64_t past = 0;
  int64_t period = 1;    // the visible keys depend on the position modulo `period`
  bool is_even = false;  // positions see later ones of their period: same run
};

class Masks {
 public:
  // `between` are the operations after the scores, in order, that have one non-constant input;
  // `positions` is T. A softmax excludes keys with low scores, a sum those with weight 0.
  Masks(const std::vector<ir::Node*>& between, int64_t positions, bool has_softmax);

  // Returns nullopt if a position may see a later one, or if visibility depends on more than the
  // distance.
  std::optional<Reach> Read() const;

  // A constant input, reduced to `count` new positions after the past ones. It is unchanged if it
  // is equal for all pairs of positions. If the position within the period is unknown, it has one
  // variant per position, along a new first axis.
  struct Cut {
    ir::Node* node = nullptr;
    size_t input = 0;
    ir::Constant constant;
    bool by_phase = false;
  };
  std::vector<Cut> CutTo(const Reach& reach, int64_t count) const;

 private:
  // A constant input, broadcast to [batch, T, T].
  struct Operand {
    const ir::Node* node = nullptr;
    size_t input = 0;
    const ir::Constant* constant = nullptr;
    Dims batch;                   // of the constant itself, with the rank of the scores
    std::vector<size_t> batches;  // first element of each matrix
    size_t row = 0, column = 0;   // strides in elements
    size_t At(size_t b, size_t i, size_t j) const { return batches[b] + i * row + j * column; }
    bool varies() const { return row != 0 || column != 0; }
  };
  struct Pair {
    size_t i, j;
  };

  Operand OperandOf(const ir::Node& node, size_t input) const;
  const Operand* OperandAt(const ir::Node& node, size_t input) const;
  bool IsExcludedBy(const ir::Node& node, double scale, size_t b, const Pair& at) const;
  bool IsZeroBy(const ir::Node& node, size_t b, const Pair& at) const;
  // Returns the factor that the operation applies to its result; nullopt for other operations.
  std::optional<double> ScaleOf(const ir::Node& node) const;
  bool LeavesExcluded(const ir::Node& node, double scale) const;
  void FindExcluders();
  bool IsExcluded(size_t b, const Pair& at) const;
  bool HidesTheLastPosition() const;
  std::vector<bool> ReadExcluded() const;
  bool Excludes(size_t b, const Pair& at) const {
    return excluded_[(b * positions_ + at.i) * positions_ + at.j];
  }
  // Returns the first pair with distance i - j and with i at `phase` of the period; if none is
  // included, an excluded one.
  Pair Model(int64_t period, int64_t phase, int64_t distance) const;
  bool AreAlike(size_t b, const Pair& at, const Pair& other) const;
  bool Repeats(int64_t period) const;
  std::optional<Reach> ReachOf(int64_t period) const;
  ir::Constant CutOf(const Operand& operand, const Reach& reach, int64_t count) const;

  const std::vector<ir::Node*>& between_;
  const size_t positions_;
  const bool has_softmax_;
  size_t batches_ = 1;
  std::vector<Operand> operands_;
  // Operations that exclude keys, and the factors applied to their results.
  std::vector<std::pair<const ir::Node*, double>> excluders_;
  bool hides_last_ = false;     // no query at the first position sees the key at the last one
  std::vector<bool> excluded_;  // empty unless `hides_last_`
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_MASKS_H_
