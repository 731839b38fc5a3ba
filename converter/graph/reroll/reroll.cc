// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/reroll/reroll.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "converter/graph/reroll/copies.h"
#include "converter/graph/reroll/loop_maker.h"
#include "converter/graph/reroll/period.h"
#include "converter/graph/reroll/retime.h"
#include "converter/graph/reroll/value_table.h"

namespace weft::graph {
namespace {

constexpr int64_t kLeastTrips = 4;
// Bounds of the search, far above what traced loops need: axes whose places are looked at, copies
// from the end in which a body is looked for.
constexpr size_t kMostPlaces = 64;
constexpr int64_t kMostCopies = 6;

class Rerolling {
 public:
  Rerolling(ir::Graph& graph, Folding& folding)
      : graph_(graph), folding_(folding), values_(graph) {}

  // Makes one loop, if there is one to be made.
  bool Run() {
    std::vector<Places> all = PlacesIn(values_, kLeastTrips);
    if (all.size() > kMostPlaces) all.resize(kMostPlaces);
    if (!all.empty()) readers_ = ReadersOf(values_);
    for (size_t at = 0; at < all.size(); ++at) {
      for (const bool backward : {false, true}) {
        const Timeline together(values_, all, at, backward, /*together=*/true);
        if (Try(together)) return true;
        if (together.walked == 1) continue;
        if (Try(Timeline(values_, all, at, backward, /*together=*/false))) return true;
      }
    }
    return false;
  }

 private:
  // The last copies may lack what nothing reads, the first what its constant states decide.
  bool Try(const Timeline& timeline) {
    const int64_t behind = std::max<int64_t>(1, timeline.count - kMostCopies);
    for (int64_t copy = timeline.count - 2; copy >= behind; --copy) {
      std::optional<Period> period = PeriodAt(values_, readers_, timeline, copy);
      if (!period) continue;
      Retime(values_, *period);
      if (Replace(*period, timeline.count)) return true;
    }
    return false;
  }

  bool Replace(const Period& period, int64_t count) {
    const int64_t least = std::max(kLeastTrips, count / 2 + 1);
    Copies copies(graph_, values_, period, count, folding_);
    if (!copies.Find(least)) return false;
    Period later = period;
    if (RetimeByLast(values_, later, copies) && Replace(later, count)) return true;
    while (copies.trips() >= least) {
      if (ReplaceByLoop(graph_, values_, period, copies)) return true;
      copies.DropLast();
      if (copies.last() < period.copy) return false;
    }
    return false;
  }

  ir::Graph& graph_;
  Folding& folding_;
  ValueTable values_;
  ValueReaders readers_;
};

}  // namespace

bool Reroll(ir::Graph& graph, const InferOptions& options, Folding& folding, Faults& faults) {
  while (Rerolling(graph, folding).Run()) {
    if (!InferAndFold(graph, options, folding, faults)) return false;
  }
  return true;
}

}  // namespace weft::graph
