// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/reroll/reroll.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "converter/graph/recognise/loops/loop_passes.h"
#include "converter/graph/reroll/copies.h"
#include "converter/graph/reroll/loop_maker.h"
#include "converter/graph/reroll/peel.h"
#include "converter/graph/reroll/period.h"
#include "converter/graph/reroll/retime.h"
#include "converter/graph/reroll/value_table.h"
#include "converter/ir/edit.h"

namespace weft::graph {
namespace {

constexpr int64_t kMinTrips = 4;
// Search limits, far above the needs of traced loops: the number of sliced axes, and the number of
// copies from the end to try as the body.
constexpr size_t kMaxPositions = 64;
constexpr int64_t kMaxCopies = 6;

class Rerolling {
 public:
  Rerolling(ir::Graph& graph, Folding& folding)
      : graph_(graph), folding_(folding), values_(graph) {}

  // Creates the best loop over axes with the same number of slices. Returns false if there is none.
  bool Run() {
    std::vector<Positions> all = PositionsIn(values_, kMinTrips);
    if (all.size() > kMaxPositions) all.resize(kMaxPositions);
    if (!all.empty()) readers_ = ReadersOf(values_);
    for (size_t at = 0; at < all.size() && !best_.is_best; ++at) {
      if (best_.saved > 0 && all[at].parts.size() < all[at - 1].parts.size()) break;
      Traversal(all, at);
    }
    if (best_.saved == 0) return false;
    ReplaceByLoop(graph_, values_, *best_.period, *best_.copies);
    return true;
  }

 private:
  struct Candidate {
    int64_t saved = 0;     // number of operations
    bool is_best = false;  // contains all copies and cannot be improved
    std::shared_ptr<const Period> period;
    std::shared_ptr<Copies> copies;  // of the period
  };

  void Traversal(const std::vector<Positions>& all, size_t at) {
    for (const bool backward : {false, true}) {
      const Timeline together(values_, all, at, backward, /*together=*/true);
      Try(together);
      if (together.visited == 1 || best_.is_best) continue;
      Try(Timeline(values_, all, at, backward, /*together=*/false));
    }
  }

  // Tries several copies from the end. The last copies may lack values that nothing reads, the
  // first ones values that their constant states determine.
  void Try(const Timeline& timeline) {
    const int64_t after = std::max<int64_t>(1, timeline.count - kMaxCopies);
    const int64_t before = best_.saved;
    for (int64_t copy = timeline.count - 2; copy >= after && best_.saved == before; --copy) {
      std::optional<Period> period = PeriodAt(values_, readers_, timeline, copy);
      if (!period) continue;
      Retime(values_, *period);
      Consider(*std::move(period), timeline.count, /*may_move=*/true);
    }
  }

  // Considers the copies with and without the last one, which may differ.
  void Consider(Period found, int64_t count, bool may_move) {
    const int64_t min = std::max(kMinTrips, count / 2 + 1);
    const auto period = std::make_shared<const Period>(std::move(found));
    const auto copies = std::make_shared<Copies>(graph_, values_, *period, count, folding_);
    if (!copies->Find(min)) return;
    Period later = *period;
    if (may_move && RetimeByLast(values_, later, *copies, count)) {
      Consider(std::move(later), count, /*may_move=*/false);
    }
    for (const bool drops : {false, true}) {
      if (drops) copies->DropLast();
      if (copies->trips() < min || copies->last() < period->copy) return;
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
  // Loops created later may have removed readers of outputs of earlier loops.
  if (changed) PruneLoops(graph);
  MergePeeledSteps(graph, Peeled::kCopies, folding);
  return true;
}

}  // namespace weft::graph
