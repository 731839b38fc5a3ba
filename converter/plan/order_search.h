// SPDX-License-Identifier: Apache-2.0
// An order of units in which as few bytes as can be are live at one time.
//
// What is live after some units depends on which of them have run, not on their order, so all
// orders that lead to one set are one state: the lowest peak on the way to it. States are met by
// the number of their units, fewest first, each giving one more state per unit that is ready. Left
// out are
//   - orders that reach the peak of the best one known,
//   - where a ready unit needs no more than was live already and leaves no more behind than it
//   found,
//     all others that are ready: to run it at once can only help.
// A search keeps the best states of each number, first few, then more; one that had to drop none
// has seen every order. Work is counted in looks at a value's units, never in time.
#ifndef WEFT_CONVERTER_PLAN_ORDER_SEARCH_H_
#define WEFT_CONVERTER_PLAN_ORDER_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::plan {

struct OrderProblem {
  // Live from the first of its units to the last.
  struct Bytes {
    int64_t bytes = 0;
    std::vector<size_t> units = {};           // that touch it, ascending
    bool from_start = false, to_end = false;  // live before the first unit, behind the last
  };
  // `unit` may write `to`, which begins with it, over `from` of the same size where that ends.
  struct Share {
    size_t unit = 0, from = 0, to = 0;
  };
  std::vector<std::vector<size_t>> before;  // by unit: what has to run before it
  std::vector<int64_t> inner_bytes;         // by unit: what only it needs, while it runs
  std::vector<Bytes> bytes;
  std::vector<Share> shares;
};

// Of the order in which the units stand.
int64_t PeakInOrder(const OrderProblem& problem);
// No order is below it: some unit needs as much by itself.
int64_t LeastPeak(const OrderProblem& problem);

struct FoundOrder {
  std::vector<size_t> units;  // empty where none was found with a lower peak
  int64_t peak_bytes = 0;     // of `units`, or of the order as it stands
  bool is_proven = false;     // that no order has a lower peak
  int64_t looks = 0;
};
FoundOrder FindOrder(const OrderProblem& problem, int64_t most_looks);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_ORDER_SEARCH_H_
