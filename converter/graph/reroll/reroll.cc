// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/reroll/reroll.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "converter/graph/prune_loop.h"
#include "converter/graph/reroll/copies.h"
#include "converter/graph/reroll/loop_maker.h"
#include "converter/graph/reroll/period.h"
#include "converter/graph/reroll/retime.h"
#include "converter/graph/reroll/value_table.h"
#include "converter/ir/edit.h"

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

  // Makes one loop, if there is one to be made: the best over axes that are read as often.
  bool Run() {
    std::vector<Places> all = PlacesIn(values_, kLeastTrips);
    if (all.size() > kMostPlaces) all.resize(kMostPlaces);
    if (!all.empty()) readers_ = ReadersOf(values_);
    for (size_t at = 0; at < all.size() && !best_.is_best; ++at) {
      if (best_.saved > 0 && all[at].parts.size() < all[at - 1].parts.size()) break;
      Walk(all, at);
    }
    if (best_.saved == 0) return false;
    ReplaceByLoop(graph_, values_, *best_.period, *best_.copies);
    return true;
  }

 private:
  struct Candidate {
    int64_t saved = 0;     // operations
    bool is_best = false;  // it has all copies, and nothing could be better
    std::shared_ptr<const Period> period;
    std::shared_ptr<Copies> copies;  // of the period
  };

  void Walk(const std::vector<Places>& all, size_t at) {
    for (const bool backward : {false, true}) {
      const Timeline together(values_, all, at, backward, /*together=*/true);
      Try(together);
      if (together.walked == 1 || best_.is_best) continue;
      Try(Timeline(values_, all, at, backward, /*together=*/false));
    }
  }

  // The last copies may lack what nothing reads, the first what its constant states decide.
  void Try(const Timeline& timeline) {
    const int64_t behind = std::max<int64_t>(1, timeline.count - kMostCopies);
    const int64_t before = best_.saved;
    for (int64_t copy = timeline.count - 2; copy >= behind && best_.saved == before; --copy) {
      std::optional<Period> period = PeriodAt(values_, readers_, timeline, copy);
      if (!period) continue;
      Retime(values_, *period);
      Consider(*std::move(period), timeline.count, /*may_move=*/true);
    }
  }

  // Also without the last copy, which may be another.
  void Consider(Period found, int64_t count, bool may_move) {
    const int64_t least = std::max(kLeastTrips, count / 2 + 1);
    const auto period = std::make_shared<const Period>(std::move(found));
    const auto copies = std::make_shared<Copies>(graph_, values_, *period, count, folding_);
    if (!copies->Find(least)) return;
    Period later = *period;
    if (may_move && RetimeByLast(values_, later, *copies, count)) {
      Consider(std::move(later), count, /*may_move=*/false);
    }
    for (const bool drops : {false, true}) {
      if (drops) copies->DropLast();
      if (copies->trips() < least || copies->last() < period->copy) return;
      const Gain gain = GainOfLoop(graph_, values_, *period, *copies);
      if (gain.operations <= best_.saved) continue;
      const bool is_best = gain.is_clean && copies->trips() == count;
      best_ = {gain.operations, is_best, period, std::make_shared<Copies>(*copies)};
    }
  }

  ir::Graph& graph_;
  Folding& folding_;
  ValueTable values_;
  ValueReaders readers_;
  Candidate best_;
};

void PruneLoops(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    if (node->operation == nullptr || node->constant || !ir::IsTensorIterator(*node)) continue;
    ir::RemoveUnreadOutputs(graph, *node);
    PruneLoop(*node);
  }
}

}  // namespace

bool Reroll(ir::Graph& graph, const InferOptions& options, Folding& folding, Faults& faults) {
  bool changed = false;
  for (; Rerolling(graph, folding).Run(); changed = true) {
    if (!InferAndFold(graph, options, folding, faults)) return false;
  }
  // What a later loop has taken in no longer reads the earlier ones.
  if (changed) PruneLoops(graph);
  return true;
}

}  // namespace weft::graph
