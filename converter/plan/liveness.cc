// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/liveness.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace weft::plan {

namespace {

struct LoopTime {
  TimeRange time;
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

  std::vector<Lifetime> Lifetimes() const {
    std::vector<Lifetime> lifetimes;
    for (const auto& [root, times] : touches_) {
      const Value& value = program_.values[root];
      if (value.home != Home::kScratch || value.bytes == 0) continue;
      const TimeRange touched{times.front().time, times.back().time + 1};
      TimeRange lifetime = touched;
      for (const TouchTime& touch : times) Extend(touched, touch.loop, lifetime);
      lifetimes.push_back({root, lifetime, value.bytes});
    }
    return lifetimes;
  }

  // The last step not after `time`, with its position in the listing; null before the first.
  std::pair<int64_t, const Step*> StepAt(int64_t time) const {
    const auto after = steps_.upper_bound(time);
    return after == steps_.begin() ? std::pair<int64_t, const Step*>(0, nullptr)
                                   : std::prev(after)->second;
  }

 private:
  // What is touched inside a loop and outside it must survive every iteration.
  void Extend(const TimeRange& touched, size_t loop, TimeRange& lifetime) const {
    for (; loop != kNoLoop; loop = loops_[loop].around) {
      const TimeRange& time = loops_[loop].time;
      if (time.begin <= touched.begin && touched.end <= time.end) return;
      lifetime.begin = std::min(lifetime.begin, time.begin);
      lifetime.end = std::max(lifetime.end, time.end);
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
      loops_.push_back({{now_, now_ + 1}, around});
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
    if (section.max_trips > 1) loops_[loop_].time.end = now_ + 1;
    loop_ = around;
    ++now_;
  }

  const Program& program_;
  int64_t now_ = 0;
  std::map<int64_t, std::pair<int64_t, const Step*>>
      steps_;                                          // by time; a section's entry has no Step
  std::map<ValueId, std::vector<TouchTime>> touches_;  // in order of time
  std::vector<LoopTime> loops_;
  size_t loop_ = kNoLoop;
};

}  // namespace

std::vector<Lifetime> Liveness(const Program& program) { return Timeline(program).Lifetimes(); }

std::string DescribePeak(const Program& program, std::span<const Near> nears) {
  const Timeline timeline(program);
  std::vector<Buffer> buffers;
  for (const Lifetime& each : timeline.Lifetimes()) {
    buffers.push_back({program.values[each.root].name, each.bytes, each.time});
  }
  const Peak peak = PeakOf(buffers, 1, nears);
  std::erase_if(buffers, [&](const Buffer& buffer) {
    return buffer.lifetime.begin > peak.time || buffer.lifetime.end <= peak.time;
  });
  std::sort(buffers.begin(), buffers.end(),
            [](const Buffer& a, const Buffer& b) { return a.bytes > b.bytes; });
  constexpr size_t kMost = 8;
  std::string alive;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& buffer = buffers[i];
    if (i < kMost) alive += fmt::format("{}{} {}", i == 0 ? "" : ", ", buffer.name, buffer.bytes);
  }
  if (buffers.size() > kMost) alive += fmt::format(" and {} more", buffers.size() - kMost);
  const auto [index, step] = timeline.StepAt(peak.time);
  const std::string where =
      step == nullptr ? "the start"
                      : fmt::format("step {} ({} \"{}\")", index, Name(step->kind()), step->layer);
  return fmt::format("peak is {} bytes at {}; alive there: {}", peak.bytes, where, alive);
}

}  // namespace weft::plan
