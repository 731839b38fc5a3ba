// SPDX-License-Identifier: Apache-2.0
// Searches for the order of units with the lowest peak of live bytes.
//
// The bytes that are live after some units depend on the set of units that have run, not on their
// order. So all orders that lead to one set are one state, which stores the lowest peak of these
// orders. States are expanded by their number of units, fewest first; each gives one more state per
// unit that is ready. Pruned are
//   - orders that reach the peak of the best known one,
//   - all other ready units, if one ready unit needs no more than was live before and leaves no
//     more live than it found: running that unit at once can only help.
// A search keeps the best states of each number of units, first few, then more. A search that
// dropped no state has seen every order. Work is counted in visits of a value's units, never in
// time.
#ifndef WEFT_CONVERTER_PLAN_ORDER_SEARCH_H_
#define WEFT_CONVERTER_PLAN_ORDER_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::plan {

// Units with their dependences, and the values that they use. Sizes are in bytes.
struct OrderProblem {
  // Live from its first unit to its last one.
  struct Bytes {
    int64_t bytes = 0;
    std::vector<size_t> units = {};           // that access it, ascending
    bool from_start = false, to_end = false;  // live before the first unit, after the last unit
  };
  // `unit` may write `to`, which begins with it, over `from`, which has the same size and ends
  // there.
  struct Share {
    size_t unit = 0, from = 0, to = 0;
  };
  std::vector<std::vector<size_t>> before;  // by unit: the units that must run earlier
  std::vector<int64_t> inner_bytes;         // by unit: bytes that only the running unit needs
  std::vector<Bytes> bytes;
  std::vector<Share> shares;
};

// Returns the peak in bytes if the units run in order of their index.
int64_t PeakInOrder(const OrderProblem& problem);
// Returns a lower bound of the peak of all orders: the maximum need of any single unit.
int64_t PeakLowerBound(const OrderProblem& problem);

// Result of FindOrder.
struct FoundOrder {
  std::vector<size_t> units;  // empty if no order with a lower peak was found
  int64_t peak_bytes = 0;     // of `units`, or of the given order
  bool is_proven = false;     // no order has a lower peak
  int64_t looks = 0;
};
// Searches for an order with a lower peak than the given one, with at most `max_looks` looks.
FoundOrder FindOrder(const OrderProblem& problem, int64_t max_looks);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_ORDER_SEARCH_H_
