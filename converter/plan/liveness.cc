// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/liveness.h"

#include <algorithm>
#include <map>

namespace weft::plan {

namespace {

struct LoopSpan {
  int64_t begin, end;
};

class Timeline {
 public:
  explicit Timeline(const Program& program) : program_(program) {
    for (const Port& port : program.inputs) Touch(port.value);
    ++now_;
    Visit(program.main);
    for (const Port& port : program.outputs) {
      Touch(port.value);
      Touch(port.length);
    }
  }

  std::vector<Interval> Intervals() const {
    std::vector<Interval> intervals;
    for (const auto& [root, times] : touches_) {
      const Value& value = program_.values[root];
      if (value.home != Home::kScratch || value.bytes == 0) continue;
      const auto [first, last] = std::minmax_element(times.begin(), times.end());
      Interval interval{root, *first, *last, value.bytes};
      for (const LoopSpan& loop : loops_) Extend(times, loop, interval);
      intervals.push_back(interval);
    }
    return intervals;
  }

 private:
  // What is touched inside a loop and outside it must survive every iteration.
  static void Extend(const std::vector<int64_t>& times, const LoopSpan& loop, Interval& interval) {
    const auto inside = [&](int64_t time) { return time >= loop.begin && time <= loop.end; };
    const auto count = std::count_if(times.begin(), times.end(), inside);
    if (count == 0 || count == static_cast<int64_t>(times.size())) return;
    interval.first = std::min(interval.first, loop.begin);
    interval.last = std::max(interval.last, loop.end);
  }

  void Touch(ValueId value) {
    if (value != kNone) touches_[Resolve(program_, value).root].push_back(now_);
  }

  void Visit(BlockId block) {
    for (const Item& item : program_.blocks[block].items) {
      if (const auto* step = std::get_if<Step>(&item)) {
        for (const ValueId input : step->inputs) Touch(input);
        for (const ValueId output : step->outputs) Touch(output);
        ++now_;
      } else {
        Visit(program_.sections[std::get<SectionEntry>(item).section]);
      }
    }
  }

  void Visit(const Section& section) {
    const int64_t begin = now_;
    Touch(section.trip);
    Touch(section.first_condition);
    ++now_;
    for (const BlockId copy : section.copies) {
      Touch(section.iteration);
      ++now_;
      Visit(copy);
      Touch(section.body_condition);
      ++now_;
    }
    for (const BlockId settle : section.settles) Visit(settle);
    Touch(section.length);
    if (section.max_trips > 1) loops_.push_back({begin, now_});
    ++now_;
  }

  const Program& program_;
  int64_t now_ = 0;
  std::map<ValueId, std::vector<int64_t>> touches_;
  std::vector<LoopSpan> loops_;
};

}  // namespace

std::vector<Interval> Liveness(const Program& program) { return Timeline(program).Intervals(); }

}  // namespace weft::plan
