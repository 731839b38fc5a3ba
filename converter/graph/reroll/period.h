// SPDX-License-Identifier: Apache-2.0
// What repeats in a graph that was traced through a loop: one copy of the body, as formulas over
// what changes from copy to copy. Nothing here is a promise: Copies (copies.h) checks every copy.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_PERIOD_H_
#define WEFT_CONVERTER_GRAPH_REROLL_PERIOD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "converter/graph/reroll/value_table.h"

namespace weft::graph {

// Places of one axis of a value that are read one by one, in parts of one size.
struct Places {
  int input = kNoValue;
  int64_t axis = 0, part = 0;
  int64_t first = 0;             // begin of the first part that is read
  std::map<int64_t, int> parts;  // the slices by the number of the part
};

// All that are read at `least` parts or more, the longest first, then in the order of their inputs.
std::vector<Places> PlacesIn(const ValueTable& values, int64_t least);

// For every value the latest of the places that it depends on, -1 for none: the copy of the body in
// which it is computed. Backward: place 0 is the last copy.
struct Timeline {
  // Together: the places of all tensors that are read as often, as far as none is made of others.
  Timeline(const ValueTable& values, const std::vector<Places>& all, size_t at, bool backward,
           bool together);
  int64_t Of(int value) const { return copies[static_cast<size_t>(value)]; }
  int64_t count = 0;  // of copies
  std::vector<int64_t> copies;
  size_t walked = 0;  // tensors that are read step by step

 private:
  void Add(const Places& places, bool backward);
  void Spread(const ValueTable& values);
};

// Who reads each value. Readers that are no values, such as Results, stand for kNoValue.
using ValueReaders = std::vector<std::vector<int>>;
ValueReaders ReadersOf(const ValueTable& values);

// A value of the body.
struct BodyValue {
  enum class Kind : uint8_t {
    kSliced,     // part number copy of `value`, counted from `begin` on in steps of `step`
    kState,      // what `next` of the state was in the copy before
    kInvariant,  // `value` in every copy
    kSeries,     // a constant of another value in each copy
    kPart,       // as Value has a slice, a reshape and an operation, of values of the body
    kReshape,
    kOperation,
  };
  Kind kind = Kind::kInvariant;
  TensorType type;
  int value = kNoValue;  // of what is neither sliced nor invariant: the one in the found copy
  std::vector<int> inputs = {};  // in the body; smaller than the value's own number
  int64_t axis = 0, part = 0, begin = 0, step = 0;
  size_t state = 0;
  // By a node of the body.
  bool computed() const { return kind >= Kind::kPart; }
};

struct BodyState {
  int parameter = kNoValue;  // in the body
  int next = kNoValue;       // likewise
  int value = kNoValue;      // before the found copy
};

// A value of the body that is read behind its copy. Where an operation joins those of all copies:
// it is input `at` of that reader in the found copy, and `step` inputs further in the one after.
struct BodyOutput {
  int body = kNoValue;
  int reader = kNoValue;
  int64_t at = 0, step = 0;
  bool is_read_beyond = false;  // not by the next copy alone
};

struct Period {
  int64_t copy = 0;  // the one it was found in
  std::vector<BodyValue> values;
  std::vector<BodyState> states;
  std::vector<BodyOutput> outputs;
};

// Takes out the values that neither outputs nor the states they depend on are made of, and puts the
// others into an order in which inputs come first.
void KeepNeeded(Period& period);

// What copy `copy` repeats of the one before; nullopt where that leaves no state.
std::optional<Period> PeriodAt(const ValueTable& values, const ValueReaders& readers,
                               const Timeline& timeline, int64_t copy);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_PERIOD_H_
