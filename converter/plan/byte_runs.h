// SPDX-License-Identifier: Apache-2.0
// A map from bytes to values: disjoint half-open runs of bytes, each with one value, with gaps
// between them. Adjacent runs of equal value are merged. Positions may be negative.
#ifndef WEFT_CONVERTER_PLAN_BYTE_RUNS_H_
#define WEFT_CONVERTER_PLAN_BYTE_RUNS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace weft::plan {

template <typename Value>
class ByteRuns {
 public:
  // The end of a run and its value.
  struct Tail {
    int64_t end;
    Value value;
    bool operator==(const Tail&) const = default;
  };
  using Map = std::map<int64_t, Tail>;  // by the first byte of a run

  typename Map::const_iterator begin() const { return runs_.begin(); }
  typename Map::const_iterator end() const { return runs_.end(); }
  size_t size() const { return runs_.size(); }
  bool operator==(const ByteRuns&) const = default;

  // Calls visit(begin, end, const Value*) for the pieces of [begin, end) in order, with null for a
  // gap. `visit` must not change the map. Does nothing for an empty range.
  template <typename Visit>
  void ForEach(int64_t begin, int64_t end, Visit visit) const {
    auto run = runs_.upper_bound(begin);
    if (run != runs_.begin() && std::prev(run)->second.end > begin) --run;
    while (begin < end) {
      if (run == runs_.end() || run->first >= end) return visit(begin, end, nullptr);
      if (run->first > begin) {
        visit(begin, run->first, static_cast<const Value*>(nullptr));
        begin = run->first;
      }
      const int64_t stop = std::min(end, run->second.end);
      visit(begin, stop, &run->second.value);
      begin = stop;
      ++run;
    }
  }

  // Sets [begin, end) to `value`, replacing what was there. Does nothing for an empty range.
  void Assign(int64_t begin, int64_t end, const Value& value) {
    if (begin >= end) return;
    SplitAt(begin);
    SplitAt(end);
    runs_.erase(runs_.lower_bound(begin), runs_.lower_bound(end));
    auto next = runs_.lower_bound(end);
    if (next != runs_.end() && next->first == end && next->second.value == value) {
      end = next->second.end;
      next = runs_.erase(next);
    }
    if (next != runs_.begin()) {
      const auto previous = std::prev(next);
      if (previous->second.end == begin && previous->second.value == value) {
        previous->second.end = end;
        return;
      }
    }
    runs_.emplace_hint(next, begin, Tail{end, value});
  }

 private:
  // Ensures that no run crosses `position`.
  void SplitAt(int64_t position) {
    auto run = runs_.upper_bound(position);
    if (run == runs_.begin()) return;
    --run;
    if (run->first == position || run->second.end <= position) return;
    const Tail right = run->second;
    run->second.end = position;
    runs_.emplace(position, right);
  }

  Map runs_;
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_BYTE_RUNS_H_
