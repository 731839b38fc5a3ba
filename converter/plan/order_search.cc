// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/order_search.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace weft::plan {

namespace {

constexpr size_t kWidths[] = {4, 64, 1024, 16384};  // states kept per number of units
constexpr size_t kNextPerState = 4;
constexpr size_t kNoPath = SIZE_MAX;

// The units that have run, the bytes live after them, and the peak so far.
struct OrderState {
  std::vector<bool> done;
  std::vector<size_t> ready;  // ascending
  int64_t live_bytes = 0, peak_bytes = 0;
  size_t count = 0;       // of units that have run
  size_t path = kNoPath;  // index in steps_ of the last of them
};

class OrderSearch {
 public:
  OrderSearch(const OrderProblem& problem, int64_t max_looks)
      : problem_(problem),
        unit_count_(problem.before.size()),
        max_looks_(max_looks),
        touched_(unit_count_),
        after_(unit_count_),
        shares_(unit_count_) {
    for (size_t i = 0; i < problem.bytes.size(); ++i) {
      for (const size_t unit : problem.bytes[i].units) touched_[unit].push_back(i);
    }
    for (size_t unit = 0; unit < unit_count_; ++unit) {
      for (const size_t other : problem.before[unit]) after_[other].push_back(unit);
    }
    for (const OrderProblem::Share& share : problem.shares) shares_[share.unit].push_back(share);
  }

  int64_t PeakLowerBound() const {
    int64_t min = Start().peak_bytes;
    for (size_t unit = 0; unit < unit_count_; ++unit) {
      int64_t bytes = problem_.inner_bytes[unit];
      for (const size_t i : touched_[unit]) bytes += problem_.bytes[i].bytes;
      min = std::max(min, bytes - SharedBytes(unit, [](size_t) { return true; }));
    }
    return min;
  }

  int64_t PeakInOrder() {
    OrderState state = Start();
    for (size_t unit = 0; unit < unit_count_; ++unit) Take(unit, ChangeBy(unit, state), state);
    return state.peak_bytes;
  }

  FoundOrder Find() {
    FoundOrder found;
    found.peak_bytes = PeakInOrder();
    min_ = PeakLowerBound();
    found.is_proven = found.peak_bytes == min_;
    for (const size_t width : kWidths) {
      if (found.is_proven || looks_ >= max_looks_) break;
      dropped_ = false;
      if (const OrderState* end = FindBelow(found.peak_bytes, width)) {
        found.peak_bytes = end->peak_bytes;
        found.units = PathTo(end->path);
      }
      found.is_proven = !dropped_ || found.peak_bytes == min_;
    }
    found.looks = looks_;
    return found;
  }

 private:
  // Peak and live bytes after running a unit in some state.
  struct Change {
    int64_t peak_bytes = 0, live_bytes = 0;
  };
  using States = std::vector<OrderState>;

  OrderState Start() const {
    OrderState state;
    state.done.resize(unit_count_);
    for (size_t unit = 0; unit < unit_count_; ++unit) {
      if (problem_.before[unit].empty()) state.ready.push_back(unit);
    }
    for (const OrderProblem::Bytes& each : problem_.bytes) {
      if (!each.from_start) continue;
      state.peak_bytes += each.bytes;
      if (each.to_end || !each.units.empty()) state.live_bytes += each.bytes;
    }
    return state;
  }

  // Bytes that `unit` can share. Each value takes part in at most one sharing per unit.
  template <typename MayShare>
  int64_t SharedBytes(size_t unit, MayShare may_share) const {
    int64_t bytes = 0;
    std::vector<size_t> used;
    for (const OrderProblem::Share& share : shares_[unit]) {
      const bool is_used = std::ranges::find(used, share.from) != used.end() ||
                           std::ranges::find(used, share.to) != used.end();
      if (is_used || !may_share(share.from)) continue;
      used.insert(used.end(), {share.from, share.to});
      bytes += problem_.bytes[share.to].bytes;
    }
    return bytes;
  }

  bool NoneDone(const OrderState& state, size_t value) {
    const OrderProblem::Bytes& of = problem_.bytes[value];
    return !of.from_start && std::ranges::none_of(of.units, [&](size_t unit) {
      ++looks_;
      return state.done[unit];
    });
  }

  bool IsLast(const OrderState& state, size_t value, size_t last) {
    const OrderProblem::Bytes& of = problem_.bytes[value];
    // Usually the last units have not run, so the search from the back ends early.
    return !of.to_end && std::all_of(of.units.rbegin(), of.units.rend(), [&](size_t unit) {
      ++looks_;
      return unit == last || state.done[unit];
    });
  }

  Change ChangeBy(size_t unit, const OrderState& state) {
    int64_t begun = 0, ended = 0;
    for (const size_t value : touched_[unit]) {
      if (NoneDone(state, value)) begun += problem_.bytes[value].bytes;
      if (IsLast(state, value, unit)) ended += problem_.bytes[value].bytes;
    }
    const int64_t shared =
        SharedBytes(unit, [&](size_t from) { return IsLast(state, from, unit); });
    const int64_t max = state.live_bytes + begun + problem_.inner_bytes[unit] - shared;
    return {std::max(state.peak_bytes, max), state.live_bytes + begun - ended};
  }

  static void Take(size_t unit, const Change& change, OrderState& state) {
    state.done[unit] = true;
    ++state.count;
    state.peak_bytes = change.peak_bytes;
    state.live_bytes = change.live_bytes;
  }

  void Run(size_t unit, const Change& change, OrderState& state) {
    Take(unit, change, state);
    steps_.push_back({unit, state.path});
    state.path = steps_.size() - 1;
    std::erase(state.ready, unit);
    for (const size_t next : after_[unit]) {
      if (!state.done[next] && AllDone(state, problem_.before[next])) {
        const auto at = std::ranges::lower_bound(state.ready, next);
        if (at == state.ready.end() || *at != next) state.ready.insert(at, next);
      }
    }
  }

  bool AllDone(const OrderState& state, const std::vector<size_t>& units) {
    looks_ += static_cast<int64_t>(units.size());
    return std::ranges::all_of(units, [&](size_t unit) { return state.done[unit]; });
  }

  // Runs the ready units that raise neither the peak nor the live bytes.
  void RunFree(OrderState& state) {
    for (size_t i = 0; i < state.ready.size() && looks_ < max_looks_;) {
      const size_t unit = state.ready[i];
      const Change change = ChangeBy(unit, state);
      const bool is_free = change.peak_bytes <= std::max(state.peak_bytes, min_) &&
                           change.live_bytes <= state.live_bytes;
      if (is_free) Run(unit, change, state);
      i = is_free ? 0 : i + 1;
    }
  }

  // Returns the best final state with a peak below `limit` that a search of this width reaches;
  // null if there is none.
  const OrderState* FindBelow(int64_t limit, size_t width) {
    steps_.clear();
    by_count_.assign(unit_count_ + 1, {});
    OrderState start = Start();
    RunFree(start);
    by_count_[start.count].push_back(std::move(start));
    for (size_t count = 0; count < unit_count_; ++count) {
      const States states = std::move(by_count_[count]);
      by_count_[count].clear();
      GoOn(Best(states, width), limit, width);
    }
    const States& ends = by_count_[unit_count_];
    const auto best = std::ranges::min_element(ends, {}, &OrderState::peak_bytes);
    return best == ends.end() || best->peak_bytes >= limit ? nullptr : &*best;
  }

  // Expands each state by each ready unit, the most promising expansions first. Several expansions
  // can lead to one state, so kNextPerState times as many as will be kept are expanded.
  void GoOn(const States& states, int64_t limit, size_t width) {
    struct Next {
      const OrderState* state;
      size_t unit;
      Change change;
    };
    std::vector<Next> nexts;
    for (const OrderState& state : states) {
      dropped_ = dropped_ || looks_ >= max_looks_;
      for (size_t i = 0; i < state.ready.size() && looks_ < max_looks_; ++i) {
        const size_t unit = state.ready[i];
        const Change change = ChangeBy(unit, state);
        if (change.peak_bytes < limit) nexts.push_back({&state, unit, change});
      }
    }
    if (nexts.size() > kNextPerState * width) {
      dropped_ = true;
      std::ranges::stable_sort(nexts, {}, [](const Next& next) {
        return std::pair(next.change.peak_bytes, next.change.live_bytes);
      });
      nexts.resize(kNextPerState * width);
    }
    for (const auto& [state, unit, change] : nexts) {
      if (looks_ >= max_looks_) {
        dropped_ = true;
        return;
      }
      OrderState next = *state;
      looks_ += static_cast<int64_t>(unit_count_ / 64);
      Run(unit, change, next);
      RunFree(next);
      by_count_[next.count].push_back(std::move(next));
    }
  }

  // Returns one state per set of units, that with the lowest peak; of these the best `width`.
  States Best(const States& states, size_t width) {
    std::unordered_map<std::vector<bool>, size_t> of_set;
    std::vector<size_t> best;
    for (size_t i = 0; i < states.size(); ++i) {
      const auto [found, is_new] = of_set.try_emplace(states[i].done, best.size());
      if (is_new) {
        best.push_back(i);
      } else if (states[i].peak_bytes < states[best[found->second]].peak_bytes) {
        best[found->second] = i;
      }
    }
    if (best.size() > width) {
      dropped_ = true;
      std::ranges::stable_sort(best, {}, [&](size_t i) {
        return std::pair(states[i].peak_bytes, states[i].live_bytes);
      });
      best.resize(width);
    }
    States kept;
    for (const size_t i : best) kept.push_back(states[i]);
    return kept;
  }

  std::vector<size_t> PathTo(size_t path) const {
    std::vector<size_t> units;
    for (; path != kNoPath; path = steps_[path].second) units.push_back(steps_[path].first);
    std::ranges::reverse(units);
    return units;
  }

  const OrderProblem& problem_;
  const size_t unit_count_;
  const int64_t max_looks_;
  std::vector<std::vector<size_t>> touched_, after_;  // by unit: its values, its later units
  std::vector<std::vector<OrderProblem::Share>> shares_;
  int64_t looks_ = 0, min_ = 0;
  bool dropped_ = false;
  std::vector<std::pair<size_t, size_t>> steps_;  // a unit, and the previous step on the path
  std::vector<States> by_count_;
};

}  // namespace

int64_t PeakInOrder(const OrderProblem& problem) { return OrderSearch(problem, 0).PeakInOrder(); }

int64_t PeakLowerBound(const OrderProblem& problem) {
  return OrderSearch(problem, 0).PeakLowerBound();
}

FoundOrder FindOrder(const OrderProblem& problem, int64_t max_looks) {
  return OrderSearch(problem, max_looks).Find();
}

}  // namespace weft::plan
