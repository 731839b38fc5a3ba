// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/improve.h"

#include <algorithm>

#include "converter/plan/search.h"

namespace weft::plan {
namespace {

constexpr int64_t kQuickNodes = 2000;  // enough for most problems of a few buffers
// Limit for a few tenths of a second: one node visits all items and all sections of each.
constexpr int64_t kMaxLooks = 30'000'000;
constexpr int64_t kMaxNodes = 40'000;

class Improvement {
 public:
  Improvement(const SearchSpace& space, int64_t used_bytes, int64_t bound_bytes,
              const Effort& effort)
      : space_(space), search_(space), unit_(space.unit_bytes()) {
    best_.used_bytes = RoundUp(used_bytes, space.granule_bytes());
    best_.bound_bytes = RoundUp(bound_bytes, unit_);
    const auto items = static_cast<int64_t>(space.items().size());
    const int64_t looks_per_node = 1 + items + space.incidences();
    max_nodes_ = effort.max_nodes.value_or(effort.max_looks
                                               ? *effort.max_looks / looks_per_node
                                               : std::min(kMaxNodes, kMaxLooks / looks_per_node));
  }

  Improved Run(const Effort& effort) {
    if (effort.enough_bytes) {
      Try(*effort.enough_bytes - *effort.enough_bytes % unit_, max_nodes_);
    } else {
      GoDown();
      Prove();
    }
    best_.bound_bytes = std::min(best_.bound_bytes, best_.used_bytes);
    return std::move(best_);
  }

 private:
  int64_t left() const { return max_nodes_ - best_.nodes; }

  void GoDown() {
    Try(best_.bound_bytes, max_nodes_ / 2);
    // `low` is the smallest capacity that is still tried.
    int64_t low = best_.bound_bytes;
    while (low < best_.used_bytes && left() > 0) {
      const int64_t middle = low + (best_.used_bytes - low) / 2 / unit_ * unit_;
      if (!Try(middle, max_nodes_ / 16)) low = std::max(middle + unit_, best_.bound_bytes);
    }
  }

  void Prove() {
    while (best_.bound_bytes < best_.used_bytes && left() > 0) {
      const int64_t smaller = RoundUp(best_.used_bytes, unit_) - unit_;
      if (Refute(smaller, left()) == Result::kOutOfNodes) return;
    }
  }

  bool Try(int64_t capacity, int64_t max_nodes) {
    if (capacity >= best_.used_bytes || capacity < best_.bound_bytes) return false;
    const Result result = Refute(capacity, std::min({kQuickNodes, max_nodes, left()}));
    if (result != Result::kOutOfNodes) return result == Result::kFits;
    return Take(search_.Find(capacity, std::min(max_nodes, left()), &best_.nodes)) == Result::kFits;
  }

  Result Refute(int64_t capacity, int64_t max_nodes) {
    const Result result = Take(search_.Refute(capacity, max_nodes, &best_.nodes));
    if (result == Result::kDoesNotFit) best_.bound_bytes = capacity + unit_;
    return result;
  }

  Result Take(Result result) {
    if (result != Result::kFits) return result;
    best_.offsets_bytes = search_.OffsetsBytes();
    best_.used_bytes = 0;
    for (size_t i = 0; i < best_.offsets_bytes.size(); ++i) {
      const int64_t bytes = space_.items()[i].units * unit_;
      best_.used_bytes = std::max(best_.used_bytes, best_.offsets_bytes[i] + bytes);
    }
    return result;
  }

  const SearchSpace& space_;
  Search search_;
  const int64_t unit_;
  int64_t max_nodes_ = 0;
  Improved best_;
};

}  // namespace

Improved Improve(std::span<const Buffer> buffers, std::span<const AllowedOverlap> allowed_overlaps,
                 int64_t used_bytes, int64_t bound_bytes, const Effort& effort) {
  const SearchSpace space(buffers, allowed_overlaps);
  if (!space.is_possible()) return {used_bytes, bound_bytes, 0, {}};
  return Improvement(space, used_bytes, bound_bytes, effort).Run(effort);
}

}  // namespace weft::plan
