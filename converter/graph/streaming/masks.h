// SPDX-License-Identifier: Apache-2.0
// The constants that stand between the scores of an attention [..., T, T] and its softmax, or,
// where it has none, the sum of the values that they weigh: masks, biases, decay. Masks that expose
// keys up to the query's place, or to the end of its chunk, and otherwise depend only on the
// distance of query and key, can be streamed.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_MASKS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_MASKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// How far an attention looks: `past` places before the first new one.
struct Reach {
  int64_t past = 0;
  int64_t period = 1;    // what a place sees depends on its place within so many
  bool is_even = false;  // it sees all of these, later ones too: they can only come together
};

class Masks {
 public:
  // `between` are the operations from the scores on, in order, that have one input that is not
  // constant; `places` is T. A softmax excludes keys of low scores, a sum those that weigh 0.
  Masks(const std::vector<ir::Node*>& between, int64_t places, bool has_softmax);

  // Nullopt where a place may see a later one, or what it sees depends on more than the distance.
  std::optional<Reach> Read() const;

  // What stands in the place of a constant input for `count` new places behind the past ones: the
  // same constant where it is the same for all pairs of places. Where the place within the period
  // is not known, for each of them, along a new first axis.
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
    Dims batch;                   // of the constant itself, as many axes as the scores have
    std::vector<size_t> batches;  // where each matrix begins
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
  // What the number that comes out is multiplied by; nullopt of what does something else.
  std::optional<double> ScaleOf(const ir::Node& node) const;
  void FindExcluders();
  bool IsExcluded(size_t b, const Pair& at) const;
  bool HidesTheLastPlace() const;
  std::vector<bool> ReadExcluded() const;
  bool Excludes(size_t b, const Pair& at) const {
    return excluded_[(b * places_ + at.i) * places_ + at.j];
  }
  // The first pair of the distance i - j, i at that place of the period; else one that excludes.
  Pair Model(int64_t period, int64_t phase, int64_t distance) const;
  bool AreAlike(size_t b, const Pair& at, const Pair& other) const;
  bool Repeats(int64_t period) const;
  std::optional<Reach> ReachOf(int64_t period) const;
  ir::Constant CutOf(const Operand& operand, const Reach& reach, int64_t count) const;

  const std::vector<ir::Node*>& between_;
  const size_t places_;
  const bool has_softmax_;
  size_t batches_ = 1;
  std::vector<Operand> operands_;
  // Operations that exclude keys, and what their result is multiplied by after them.
  std::vector<std::pair<const ir::Node*, double>> excluders_;
  bool hides_last_ = false;     // no query at the first place sees the key at the last one
  std::vector<bool> excluded_;  // empty unless `hides_last_`
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_MASKS_H_
