// SPDX-License-Identifier: Apache-2.0
#include "converter/base/liveness_analysis.h"

#include <algorithm>
#include <iterator>

#include "converter/base/narrow.h"

namespace weft {

LivenessAnalysis::LivenessAnalysis(size_t values)
    : touched_(values, {INT64_MAX, INT64_MIN}),
      is_kept_whole_(values, false),
      noted_in_(values, kNothing),
      needs_(values, Need::kNone),
      ranges_(values) {}

void LivenessAnalysis::Touch(uint32_t value, TouchKind kind, ByteSpan bytes) {
  events_.push_back({now_, kNothing, value, kind, bytes});
  ByteSpan& all = touched_[value];
  all = {std::min(all.begin, bytes.begin), std::max(all.end, bytes.end)};
  if (open_ != kNothing) NoteValue(value);
}

// Returns true if the event overwrites all bytes of the value that are ever accessed.
bool LivenessAnalysis::MakesAll(const Event& event) const {
  const ByteSpan& all = touched_[event.value];
  return event.kind == TouchKind::kWriteAll && event.bytes.begin <= all.begin &&
         all.end <= event.bytes.end;
}

// Adds the value to the innermost section. Enclosing sections take over its list in Leave.
void LivenessAnalysis::NoteValue(uint32_t value) {
  if (noted_in_[value] == open_) return;
  noted_in_[value] = open_;
  sections_[open_].values.push_back(value);
}

void LivenessAnalysis::Enter(const Section& section) {
  const uint32_t id = Narrow32(sections_.size(), "sections");
  Entered& entered = sections_.emplace_back();
  entered.facts = section;
  entered.around = open_;
  entered.run = open_ == kNothing ? 0 : sections_[open_].runs.size();
  entered.span.begin_event = events_.size();
  entered.span.time.begin = now_;
  open_ = id;
}

void LivenessAnalysis::BeginRun() {
  sections_[open_].runs.push_back({events_.size(), events_.size(), {now_, now_}});
}

void LivenessAnalysis::EndRun() {
  Span& run = sections_[open_].runs.back();
  run.end_event = events_.size();
  run.time.end = now_;
}

void LivenessAnalysis::Leave() {
  Entered& left = sections_[open_];
  std::ranges::sort(left.values);
  const auto repeated = std::ranges::unique(left.values);
  left.values.erase(repeated.begin(), repeated.end());
  events_.push_back({now_, open_});
  left.span.end_event = events_.size();
  left.span.time.end = now_ + 1;
  open_ = left.around;
  if (open_ == kNothing) return;
  for (const uint32_t value : left.values) NoteValue(value);
}

// Maximum live range of each value. A value that is accessed inside and outside a loop is kept in
// all iterations of the loop.
std::vector<TimeRange> LivenessAnalysis::Hulls() const {
  std::vector<TimeRange> touched(needs_.size(), {INT64_MAX, INT64_MIN});
  for (const Event& event : events_) {
    if (event.value == kNothing) continue;
    TimeRange& all = touched[event.value];
    all = {std::min(all.begin, event.time), std::max(all.end, event.time + 1)};
  }
  std::vector<TimeRange> hulls = touched;
  for (const Entered& section : sections_) {
    if (!section.is_loop()) continue;
    const TimeRange& time = section.span.time;
    for (const uint32_t value : section.values) {
      if (time.begin <= touched[value].begin && touched[value].end <= time.end) continue;
      TimeRange& hull = hulls[value];
      hull = {std::min(hull.begin, time.begin), std::max(hull.end, time.end)};
    }
  }
  return hulls;
}

void LivenessAnalysis::Cover(uint32_t value, int64_t time) {
  std::vector<TimeRange>& ranges = ranges_[value];
  if (!ranges.empty() && ranges.back().begin <= time + 1) {
    ranges.back().begin = std::min(ranges.back().begin, time);
  } else {
    ranges.push_back({time, time + 1});
  }
}

// Sets the need at and before `time`. While a value is needed, its last range is open.
void LivenessAnalysis::SetNeed(uint32_t value, Need need, int64_t time, bool records) {
  const bool changes = needs_[value] != need;
  needs_[value] = need;
  if (!records || !changes) return;
  if (need == Need::kRead) {
    Cover(value, time);
  } else {
    ranges_[value].back().begin = std::min(ranges_[value].back().begin, time);
  }
}

LivenessAnalysis::Needs LivenessAnalysis::NeedsOf(const std::vector<uint32_t>& values) const {
  Needs needs;
  for (const uint32_t value : values) needs.push_back(needs_[value]);
  return needs;
}

void LivenessAnalysis::SetNeeds(const std::vector<uint32_t>& values, const Needs& needs,
                                int64_t time, bool records) {
  for (size_t i = 0; i < values.size(); ++i) SetNeed(values[i], needs[i], time, records);
}

void LivenessAnalysis::Join(Needs& needs, const Needs& others) {
  for (size_t i = 0; i < needs.size(); ++i) needs[i] = std::max(needs[i], others[i]);
}

void LivenessAnalysis::Visit(const Span& span, bool records) {
  for (size_t i = span.end_event; i-- > span.begin_event;) {
    const Event& event = events_[i];
    if (event.section != kNothing) {
      const uint32_t other = OtherBranch(event.section);
      if (other == kNothing) {
        VisitSection(event.section, records);
      } else {
        VisitBranches(other, event.section, records);
      }
      i = sections_[other == kNothing ? event.section : other].span.begin_event;
      continue;
    }
    if (records && needs_[event.value] != Need::kRead) Cover(event.value, event.time);
    if (MakesAll(event)) SetNeed(event.value, Need::kNone, event.time, records);
    if (event.kind == TouchKind::kRead) {
      SetNeed(event.value, Need::kRead, event.time, records);
    }
  }
}

// Returns the first branch of an If whose second branch is `section`, else kNothing.
uint32_t LivenessAnalysis::OtherBranch(uint32_t section) const {
  const Entered& second = sections_[section];
  if (!second.facts.condition) return kNothing;
  // Only reads of the condition may be between the two branches.
  size_t before = second.span.begin_event;
  while (before > 0 && events_[before - 1].value != kNothing &&
         events_[before - 1].kind == TouchKind::kRead) {
    --before;
  }
  if (before == 0 || events_[before - 1].section == kNothing) return kNothing;
  const uint32_t other = events_[before - 1].section;
  const Entered& first = sections_[other];
  const bool is_pair = first.around == second.around && first.run == second.run &&
                       first.facts.condition == second.facts.condition &&
                       first.facts.runs_when != second.facts.runs_when;
  return is_pair ? other : kNothing;
}

void LivenessAnalysis::VisitSection(uint32_t id, bool records) {
  const Entered& section = sections_[id];
  const Needs after = NeedsOf(section.values);
  VisitRuns(id, records);
  if (!section.facts.may_skip) return;
  Needs before = NeedsOf(section.values);
  Join(before, after);
  SetNeeds(section.values, before, section.span.time.begin, records);
}

// Traverses both branches of an If and the reads between them.
void LivenessAnalysis::VisitBranches(uint32_t first, uint32_t second, bool records) {
  const Span &of_first = sections_[first].span, &of_second = sections_[second].span;
  std::vector<uint32_t> values;
  std::ranges::set_union(sections_[first].values, sections_[second].values,
                         std::back_inserter(values));
  const Needs after = NeedsOf(values);
  VisitRuns(second, records);
  Needs before = NeedsOf(values);
  SetNeeds(values, after, of_second.time.begin, records);
  Visit({of_first.end_event, of_second.begin_event, {}}, records);
  VisitRuns(first, records);
  Join(before, NeedsOf(values));
  SetNeeds(values, before, of_first.time.begin, records);
}

// Without `records` the effect of a section is computed once and cached in `before`.
void LivenessAnalysis::VisitRuns(uint32_t id, bool records) {
  Entered& section = sections_[id];
  if (records) return VisitEachRun(section, true);
  const Needs after = NeedsOf(section.values);
  if (!section.before) {
    SetNeeds(section.values, Needs(after.size(), Need::kAfter), 0, false);
    VisitEachRun(section, false);
    section.before = NeedsOf(section.values);
  }
  for (size_t i = 0; i < after.size(); ++i) {
    const Need need = (*section.before)[i];
    needs_[section.values[i]] = need == Need::kAfter ? after[i] : need;
  }
}

void LivenessAnalysis::VisitEachRun(const Entered& section, bool records) {
  const std::vector<uint32_t>& values = section.values;
  const size_t copies = section.facts.copies;
  const Needs after = NeedsOf(values), none(values.size(), Need::kNone);
  // Needs after each copy if the section ends there.
  std::vector<Needs> exits(copies, after);
  for (size_t run = section.runs.size(); run-- > copies;) {
    SetNeeds(values, after, section.runs[run].time.end, records);
    Visit(section.runs[run], records);
    exits[run - copies] = NeedsOf(values);
    SetNeeds(values, none, section.runs[run].time.begin, records);
  }
  for (size_t copy = 0; copy < copies && !section.facts.may_end_early; ++copy) {
    const auto period = static_cast<int64_t>(copies), done = static_cast<int64_t>(copy) + 1;
    if (section.facts.max_trips % period != done % period) exits[copy] = none;
  }
  Needs next = none;
  if (section.is_loop()) {
    const Needs recorded = NeedsOf(values);
    VisitCopies(section, none, exits, false);
    next = NeedsOf(values);
    SetNeeds(values, recorded, 0, false);
  }
  VisitCopies(section, next, exits, records);
}

// Traverses the copies of the body. `after_last` are the needs of the next iteration.
void LivenessAnalysis::VisitCopies(const Entered& section, const Needs& after_last,
                                   const std::vector<Needs>& exits, bool records) {
  Needs needs = after_last;
  for (size_t copy = section.facts.copies; copy-- > 0;) {
    Join(needs, exits[copy]);
    SetNeeds(section.values, needs, section.runs[copy].time.end, records);
    Visit(section.runs[copy], records);
    needs = NeedsOf(section.values);
  }
}

std::vector<std::vector<TimeRange>> LivenessAnalysis::Ranges() {
  Visit({0, events_.size(), {}}, true);
  const std::vector<TimeRange> hulls = Hulls();
  std::vector<std::vector<TimeRange>> result(ranges_.size());
  for (size_t value = 0; value < ranges_.size(); ++value) {
    if (ranges_[value].empty()) continue;
    const TimeRange& hull = hulls[value];
    if (is_kept_whole_[value]) {
      result[value] = {hull};
      continue;
    }
    if (needs_[value] == Need::kRead) ranges_[value].back().begin = hull.begin;
    for (auto range = ranges_[value].rbegin(); range != ranges_[value].rend(); ++range) {
      const TimeRange inside = {std::max(range->begin, hull.begin), std::min(range->end, hull.end)};
      if (inside.begin < inside.end) result[value].push_back(inside);
    }
  }
  return result;
}

}  // namespace weft
