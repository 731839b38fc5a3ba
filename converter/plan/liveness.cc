// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/liveness.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace weft::plan {

namespace {

struct LoopSpan {
  int64_t begin, end;
  size_t around;  // index of the loop that this one stands in, or kNoLoop
};
constexpr size_t kNoLoop = SIZE_MAX;

struct TouchTime {
  int64_t time;
  size_t loop;  // the innermost one around
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
      const Interval touched{root, times.front().time, times.back().time, value.bytes};
      Interval interval = touched;
      for (const TouchTime& touch : times) Extend(touched, touch.loop, interval);
      intervals.push_back(interval);
    }
    return intervals;
  }

  // The last step not after `time`, with its position in the listing; null before the first.
  std::pair<int64_t, const Step*> StepAt(int64_t time) const {
    const auto after = steps_.upper_bound(time);
    return after == steps_.begin() ? std::pair<int64_t, const Step*>(0, nullptr)
                                   : std::prev(after)->second;
  }

 private:
  // What is touched inside a loop and outside it must survive every iteration.
  void Extend(const Interval& touched, size_t loop, Interval& interval) const {
    for (; loop != kNoLoop; loop = loops_[loop].around) {
      const LoopSpan& span = loops_[loop];
      if (span.begin <= touched.first && touched.last <= span.end) return;
      interval.first = std::min(interval.first, span.begin);
      interval.last = std::max(interval.last, span.end);
    }
  }

  void Touch(ValueId value) {
    if (value != kNone) touches_[Resolve(program_, value).root].push_back({now_, loop_});
  }

  void Visit(BlockId block) {
    for (const Item& item : program_.blocks[block].items) {
      if (const auto* step = std::get_if<Step>(&item)) {
        for (const ValueId input : step->inputs) Touch(input);
        for (const ValueId output : step->outputs) Touch(output);
        steps_[now_] = {static_cast<int64_t>(steps_.size()), step};
        ++now_;
      } else {
        Visit(program_.sections[std::get<SectionEntry>(item).section]);
      }
    }
  }

  void Visit(const Section& section) {
    const size_t around = loop_;
    if (section.max_trips > 1) {
      loop_ = loops_.size();
      loops_.push_back({now_, now_, around});
    }
    steps_[now_] = {static_cast<int64_t>(steps_.size()), nullptr};
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
    if (section.max_trips > 1) loops_[loop_].end = now_;
    loop_ = around;
    ++now_;
  }

  const Program& program_;
  int64_t now_ = 0;
  std::map<int64_t, std::pair<int64_t, const Step*>>
      steps_;                                          // by time; a section's entry has no Step
  std::map<ValueId, std::vector<TouchTime>> touches_;  // in order of time
  std::vector<LoopSpan> loops_;
  size_t loop_ = kNoLoop;
};

}  // namespace

std::vector<Interval> Liveness(const Program& program) { return Timeline(program).Intervals(); }

namespace {

int64_t FullestTime(const std::vector<Interval>& intervals) {
  std::map<int64_t, int64_t> change;
  for (const Interval& interval : intervals) {
    change[interval.first] += interval.bytes;
    change[interval.last + 1] -= interval.bytes;
  }
  int64_t live = 0, most = 0, fullest = 0;
  for (const auto& [time, bytes] : change) {
    live += bytes;
    if (live <= most) continue;
    most = live;
    fullest = time;
  }
  return fullest;
}

}  // namespace

std::string DescribePeak(const Program& program) {
  const Timeline timeline(program);
  std::vector<Interval> intervals = timeline.Intervals();
  const int64_t time = FullestTime(intervals);
  std::erase_if(intervals, [&](const Interval& i) { return i.first > time || i.last < time; });
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.bytes > b.bytes; });
  constexpr size_t kMost = 8;
  int64_t bytes = 0;
  std::string alive;
  for (size_t i = 0; i < intervals.size(); ++i) {
    bytes += intervals[i].bytes;
    const std::string& name = program.values[intervals[i].root].name;
    if (i < kMost) alive += fmt::format("{}{} {}", i == 0 ? "" : ", ", name, intervals[i].bytes);
  }
  if (intervals.size() > kMost) alive += fmt::format(" and {} more", intervals.size() - kMost);
  const auto [index, step] = timeline.StepAt(time);
  const std::string where =
      step == nullptr ? "the start"
                      : fmt::format("step {} ({} \"{}\")", index, Name(step->kind()), step->layer);
  return fmt::format("peak is {} bytes at {}; alive there: {}", bytes, where, alive);
}

}  // namespace weft::plan
