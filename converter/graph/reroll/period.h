// SPDX-License-Identifier: Apache-2.0
// Finds the repeating part of a graph that was traced through a loop: one copy of the body, as
// formulas over the values that change between copies. The result is a hypothesis: Copies
// (copies.h) verifies every copy.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_PERIOD_H_
#define WEFT_CONVERTER_GRAPH_REROLL_PERIOD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "converter/graph/reroll/value_table.h"

namespace weft::graph {

// Slices of one axis of a value, of equal size, that are read one by one.
struct Positions {
  int input = kNoValue;
  int64_t axis = 0, part = 0;
  int64_t first = 0;             // begin of the first slice
  std::map<int64_t, int> parts;  // slices by part number
};

// All series with at least `min` slices, by descending length, then by input.
std::vector<Positions> PositionsIn(const ValueTable& values, int64_t min);

// Assigns each value to a copy of the body: the latest slice on which the value depends, -1 if
// none. Backward: slice 0 belongs to the last copy.
struct Timeline {
  // `together`: includes all tensors with the same number of slices that do not depend on tensor
  // `at`.
  Timeline(const ValueTable& values, const std::vector<Positions>& all, size_t at, bool backward,
           bool together);
  int64_t Of(int value) const { return copies[static_cast<size_t>(value)]; }
  int64_t count = 0;  // number of copies
  std::vector<int64_t> copies;
  size_t visited = 0;  // number of tensors that are read slice by slice

 private:
  void Add(const Positions& positions, bool backward);
  void Spread(const ValueTable& values);
};

// The readers of each value. kNoValue marks a reader that is not a value, such as a Result.
using ValueReaders = std::vector<std::vector<int>>;
ValueReaders ReadersOf(const ValueTable& values);

// A value of the body.
struct BodyValue {
  enum class Kind : uint8_t {
    kSliced,     // slice of `value`: begins at begin + copy * step
    kState,      // value of `next` of the state in the previous copy
    kInvariant,  // the same `value` in every copy
    kSeries,     // a constant that differs between copies
    kPart,       // slice, reshape or operation of body values, as in Value
    kReshape,
    kOperation,
  };
  Kind kind = Kind::kInvariant;
  TensorType type;
  int value = kNoValue;  // kSliced, kInvariant: the source; else the value in the found copy
  std::vector<int> inputs = {};  // body values, with smaller numbers
  int64_t axis = 0, part = 0, begin = 0, step = 0;
  size_t state = 0;
  // Returns true if a node of the body computes the value.
  bool computed() const { return kind >= Kind::kPart; }
};

struct BodyState {
  int parameter = kNoValue;  // body value
  int next = kNoValue;       // body value
  int value = kNoValue;      // before the copy where the period was found
};

// A body value that is read after its copy. If `reader` joins the values of all copies, its input
// `at` is the value of the found copy, and input `at + step` that of the next copy.
struct BodyOutput {
  int body = kNoValue;
  int reader = kNoValue;
  int64_t at = 0, step = 0;
  bool is_read_beyond = false;  // also by others than the next copy
};

struct Period {
  int64_t copy = 0;  // the copy in which it was found
  std::vector<BodyValue> values;
  std::vector<BodyState> states;
  std::vector<BodyOutput> outputs;
};

// Removes the values that neither outputs nor required states depend on, and orders the others so
// that inputs come first.
void KeepNeeded(Period& period);

// Compares copy `copy` with the copy before it. Returns nullopt if no state is left.
std::optional<Period> PeriodAt(const ValueTable& values, const ValueReaders& readers,
                               const Timeline& timeline, int64_t copy);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_PERIOD_H_
