// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "converter/base/liveness_analysis.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/traverse.h"
#include "converter/inspect/weight_copies.h"
#include "runtime/access.h"

namespace weft::inspect {
namespace {

// A buffer of the plan: the bytes of all its slots, and when it is live.
struct Buffer {
  uint32_t region = 0;
  int64_t begin_bytes = INT64_MAX, end_bytes = 0;
  std::vector<TimeRange> live;
  std::set<uint32_t> slots;
  std::string name;
};

struct Span {
  int64_t begin, end;
};

// The number of bytes that a multiset of spans covers; shared bytes count once.
class Cover {
 public:
  // Adds the span `count` times, or removes it if negative. Returns the change of the covered
  // bytes.
  int64_t Add(const Span& span, int count) {
    if (span.begin >= span.end) return 0;
    const auto first = Split(span.begin), last = Split(span.end);
    int64_t grown = 0;
    for (auto at = first; at != last; ++at) {
      const int64_t bytes = std::next(at)->first - at->first;
      if (at->second == 0) grown += bytes;
      at->second += count;
      if (at->second == 0) grown -= bytes;
    }
    Join(last);
    Join(first);
    return grown;
  }

 private:
  using Counts =
      std::map<int64_t, int>;  // by address: the number of spans from there to the next entry

  Counts::iterator Split(int64_t at) {
    const auto after = counts_.upper_bound(at);
    return counts_.try_emplace(at, after == counts_.begin() ? 0 : std::prev(after)->second).first;
  }
  void Join(Counts::iterator at) {
    const int before = at == counts_.begin() ? 0 : std::prev(at)->second;
    if (at->second == before) counts_.erase(at);
  }

  Counts counts_;
};

// Traverses the listing once, copy by copy. Events between steps, such as reading a condition, have
// separate times.
class Timeline : public Visitor {
 public:
  explicit Timeline(const format::Model& model) : model_(model), analysis_(CountOf(model)) {
    NamePorts(format::RowsOf(model.inputs()), "input");
    NamePorts(format::RowsOf(model.outputs()), "output");
    NameCopies();
    for (const format::Port& port : format::RowsOf(model.inputs())) {
      Touch(port.slot(), 0, TouchKind::kWriteAll);
    }
    TouchCopies(TouchKind::kWriteAll);
    Traverse(model, AllOf(model), *this);
    analysis_.Advance();
    TouchCopies(TouchKind::kRead);
    for (const format::Port& port : format::RowsOf(model.outputs())) {
      Touch(port.slot(), 0, TouchKind::kRead);
      Touch(port.length_slot(), 0, TouchKind::kRead);
    }
    std::vector<std::vector<TimeRange>> ranges = analysis_.Ranges();
    for (auto& [id, buffer] : buffers_) buffer.live = std::move(ranges[id]);
  }

  Peak PeakOf(uint32_t region) const {
    const Changes changes = ChangesOf(region);
    const auto [fullest, max] = MaxOf(changes.bytes);
    Peak peak{region, StepAt(fullest), static_cast<uint64_t>(max), {}, changes.overlaps};
    for (const auto& [id, buffer] : buffers_) {
      if (buffer.region != region || !IsLiveAt(buffer, fullest)) continue;
      const Span location = PositionOf(buffer);
      peak.alive.push_back({buffer.name, static_cast<uint64_t>(location.end - location.begin)});
    }
    std::ranges::stable_sort(peak.alive, std::ranges::greater(), &AliveBuffer::bytes);
    return peak;
  }

  std::vector<int64_t> LiveBytes(uint32_t region) const {
    std::vector<int64_t> live(format::RowsOf(model_.steps()).count, 0);
    if (steps_.empty()) return live;
    std::map<int64_t, int64_t> taken =
        ChangesOf(region).bytes;  // changes, replaced by their running sums
    int64_t sum = 0;
    for (auto& [time, bytes] : taken) {
      sum += bytes;
      bytes = sum;
      int64_t& max = live[StepAt(time)];
      max = std::max(max, sum);
    }
    // A step without a change at its time has the sum of the last change.
    for (const auto& [time, step] : steps_) {
      const auto after = taken.upper_bound(time);
      if (after == taken.begin()) continue;
      live[step] = std::max(live[step], std::prev(after)->second);
    }
    return live;
  }

  std::vector<PlacedBuffer> Buffers() const {
    std::vector<PlacedBuffer> list;
    for (const auto& [id, buffer] : buffers_) {
      list.push_back({buffer.region, buffer.begin_bytes, buffer.end_bytes - buffer.begin_bytes,
                      StepsOf(buffer.live), buffer.name,
                      std::vector<uint32_t>(buffer.slots.begin(), buffer.slots.end())});
    }
    std::stable_sort(list.begin(), list.end(), [](const PlacedBuffer& a, const PlacedBuffer& b) {
      return std::pair(a.region, a.offset_bytes) < std::pair(b.region, b.offset_bytes);
    });
    return list;
  }

 private:
  // An enclosing section of the current position, and the current run of its body.
  struct Frame {
    uint32_t section, run;
  };

  static size_t CountOf(const format::Model& model) {
    const auto& ids = *model.slot_buffers();
    return ids.size() == 0 ? 0 : size_t{*std::max_element(ids.begin(), ids.end())} + 1;
  }

  void NamePorts(format::Rows<format::Port> ports, const char* side) {
    for (uint32_t i = 0; i < ports.count; ++i) {
      const bool named = ports[i].name_count() > 0;
      port_names_.try_emplace(
          model_.slot_buffers()->Get(ports[i].slot()),
          named ? fmt::format("{} {}", side, model_.names()->Get(ports[i].first_name())->str())
                : fmt::format("{} {}", side, i));
    }
  }

  void NameCopies() {
    for (const uint32_t i : WeightCopiesOf(model_)) {
      const format::Variable& copy = *model_.variables()->Get(i);
      if (copy.first_name() == format::kNoSlot) continue;
      port_names_.try_emplace(
          model_.slot_buffers()->Get(copy.slot()),
          fmt::format("weights of {}", model_.names()->Get(copy.first_name())->str()));
    }
  }

  // Copies of weights are live during the complete run.
  void TouchCopies(TouchKind kind) {
    for (const uint32_t i : WeightCopiesOf(model_)) {
      Touch(model_.variables()->Get(i)->slot(), 0, kind);
    }
  }

  // Minimum and maximum start address of the slot at the current position of the traversal.
  Span Reach(const format::Slot& slot) const {
    Span reach{slot.offset_bytes(), slot.offset_bytes()};
    for (uint32_t i = 0; i < slot.move_count(); ++i) {
      const format::Move& move = *model_.moves()->Get(slot.first_move() + i);
      const format::Section& section = SectionAt(model_, move.section());
      const uint32_t run = section.depth() < frames_.size() ? frames_[section.depth()].run : 0;
      uint32_t last = section.max_trips() - 1;
      if (run > last) continue;  // this copy is never reached
      last -= (last - run) % section.unroll();
      const int64_t from = int64_t{run} * move.stride_bytes();
      const int64_t to = int64_t{last} * move.stride_bytes();
      reach.begin += std::min(from, to);
      reach.end += std::max(from, to);
    }
    return reach;
  }

  void Touch(uint32_t slot_index, uint32_t step, TouchKind kind) {
    if (slot_index == format::kNoSlot) return;
    const format::Slot& slot = *model_.slots()->Get(slot_index);
    if (slot.region() < format::kFirstScratchRegion || slot.bytes() == 0) return;
    const uint32_t id = model_.slot_buffers()->Get(slot_index);
    const auto [it, added] = buffers_.try_emplace(id);
    Buffer& buffer = it->second;
    const Span reach = Reach(slot);
    buffer.region = slot.region();
    buffer.begin_bytes = std::min(buffer.begin_bytes, reach.begin);
    buffer.end_bytes = std::max(buffer.end_bytes, reach.end + slot.bytes());
    buffer.slots.insert(slot_index);
    if (slot.move_count() > 0) analysis_.KeepWhole(id);
    analysis_.Touch(id, kind, {slot.offset_bytes(), int64_t{slot.offset_bytes()} + slot.bytes()});
    if (!added) return;
    const auto port = port_names_.find(id);
    buffer.name = port != port_names_.end() ? port->second : LayerOf(model_, step);
  }

  void Advance(uint32_t step) {
    analysis_.Advance();
    steps_[analysis_.now()] = step;
  }

  bool WritesAll(const format::Step& row, uint32_t operand, uint32_t slot) const {
    if (slot == format::kNoSlot) return false;
    const StridedBytes bytes = AccessOf(model_, row, operand);
    return bytes.dim_count == 0 && bytes.first_byte == 0 &&
           bytes.run_bytes == model_.slots()->Get(slot)->bytes();
  }

  void Step(uint32_t step) override {
    Advance(step);
    const format::Step& row = *model_.steps()->Get(step);
    const format::Arity arity = format::kArity[row.kind()];
    for (uint32_t k = 0; k < arity.operands(); ++k) {
      const uint32_t slot = model_.operands()->Get(row.first_operand() + k);
      const TouchKind writes = WritesAll(row, k, slot) ? TouchKind::kWriteAll : TouchKind::kWrite;
      Touch(slot, step, k < arity.inputs ? TouchKind::kRead : writes);
    }
  }

  LivenessAnalysis::Section FactsOf(const format::Section& section) const {
    LivenessAnalysis::Section facts;
    facts.copies = section.unroll();
    facts.max_trips = section.max_trips();
    const bool counted =
        section.trip_slot() == format::kNoSlot && section.trip_count() != format::kNoLimit;
    if (counted) facts.max_trips = std::min<int64_t>(facts.max_trips, section.trip_count());
    const bool goes_on = section.body_condition_slot() == format::kNoSlot;
    facts.may_end_early = !counted || !goes_on;
    facts.may_skip = section.trip_slot() != format::kNoSlot ||
                     section.first_condition_slot() != format::kNoSlot || facts.max_trips == 0;
    const bool is_branch = counted && goes_on && section.trip_count() == 1 &&
                           section.unroll() == 1 &&
                           section.first_condition_slot() != format::kNoSlot;
    if (is_branch) facts.condition = section.first_condition_slot();
    facts.runs_when = section.runs_when() != 0;
    return facts;
  }

  void Enter(uint32_t step, uint32_t section) override {
    Advance(step);
    entered_.push_back(step);
    Touch(SectionAt(model_, section).trip_slot(), step, TouchKind::kRead);
    Touch(SectionAt(model_, section).first_condition_slot(), step, TouchKind::kRead);
    analysis_.Enter(FactsOf(SectionAt(model_, section)));
  }

  void Run(uint32_t section, uint32_t run) override {
    analysis_.Advance();
    analysis_.BeginRun();
    if (!IsCopy(section, run)) return;
    frames_.push_back({section, run});
    Touch(SectionAt(model_, section).iteration_slot(), entered_.back(), TouchKind::kWriteAll);
  }

  void EndRun(uint32_t section, uint32_t run) override {
    analysis_.Advance();
    if (IsCopy(section, run)) {
      Touch(SectionAt(model_, section).body_condition_slot(), entered_.back(), TouchKind::kRead);
      frames_.pop_back();
    }
    analysis_.EndRun();
  }

  void Leave(uint32_t step, uint32_t section) override {
    analysis_.Advance();
    analysis_.Leave();
    Touch(SectionAt(model_, section).length_slot(), step, TouchKind::kWriteAll);
    entered_.pop_back();
  }

  bool IsCopy(uint32_t section, uint32_t run) const {
    return run < SectionAt(model_, section).unroll();
  }

  // The buffer's range, extended to multiples of the region's alignment.
  Span PositionOf(const Buffer& buffer) const {
    const int64_t alignment = model_.regions()->Get(buffer.region)->alignment_bytes();
    return {buffer.begin_bytes / alignment * alignment,
            (buffer.end_bytes + alignment - 1) / alignment * alignment};
  }

  // Changes of the live bytes of a region, by time.
  struct Changes {
    std::map<int64_t, int64_t> bytes;
    bool overlaps = false;
  };
  Changes ChangesOf(uint32_t region) const {
    std::map<int64_t, std::vector<std::pair<Span, int>>> edges;  // by time: +1 start, -1 end
    for (const auto& [id, buffer] : buffers_) {
      if (buffer.region != region) continue;
      const Span location = PositionOf(buffer);
      for (const TimeRange& range : buffer.live) {
        edges[range.begin].emplace_back(location, 1);
        edges[range.end].emplace_back(location, -1);
      }
    }
    Changes changes;
    Cover cover;
    int64_t sum = 0, covered = 0;
    for (const auto& [time, list] : edges) {
      int64_t& change = changes.bytes[time];
      for (const auto& [location, count] : list) {
        change += cover.Add(location, count);
        sum += count * (location.end - location.begin);
      }
      covered += change;
      changes.overlaps = changes.overlaps || covered < sum;
    }
    return changes;
  }

  // Time and value of the maximum sum of the changes.
  static std::pair<int64_t, int64_t> MaxOf(const std::map<int64_t, int64_t>& change) {
    int64_t alive = 0, max = 0, fullest = 0;
    for (const auto& [time, bytes] : change) {
      alive += bytes;
      if (alive > max) max = alive, fullest = time;
    }
    return {fullest, max};
  }

  static bool IsLiveAt(const Buffer& buffer, int64_t time) {
    return std::ranges::any_of(buffer.live, [&](const TimeRange& range) {
      return range.begin <= time && time < range.end;
    });
  }

  // Converts times to steps; ranges that touch the same or adjacent steps are joined.
  std::vector<StepSpan> StepsOf(const std::vector<TimeRange>& live) const {
    std::vector<StepSpan> spans;
    for (const TimeRange& range : live) {
      const StepSpan span = {StepAt(range.begin), StepAt(range.end - 1)};
      if (!spans.empty() && span.first <= spans.back().last + 1) {
        spans.back().last = std::max(spans.back().last, span.last);
      } else {
        spans.push_back(span);
      }
    }
    return spans;
  }

  uint32_t StepAt(int64_t time) const {
    const auto after = steps_.upper_bound(time);
    return after == steps_.begin() ? 0 : std::prev(after)->second;
  }

  const format::Model& model_;
  LivenessAnalysis analysis_;
  std::map<int64_t, uint32_t> steps_;  // by time
  std::map<uint32_t, Buffer> buffers_;
  std::map<uint32_t, std::string> port_names_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> entered_;  // the steps that entered the enclosing sections
};

}  // namespace

namespace {

bool HasBuffers(const format::Model& model) {
  const auto* buffers = model.slot_buffers();
  return buffers != nullptr && buffers->size() == model.slots()->size();
}

}  // namespace

std::vector<PlacedBuffer> BuffersOf(const format::Model& model) {
  return HasBuffers(model) ? Timeline(model).Buffers() : std::vector<PlacedBuffer>();
}

std::vector<std::vector<int64_t>> LiveBytesOf(const format::Model& model) {
  if (!HasBuffers(model)) return {};
  const Timeline timeline(model);
  std::vector<std::vector<int64_t>> regions;
  for (uint32_t i = format::kFirstScratchRegion; i < model.regions()->size(); ++i) {
    regions.push_back(timeline.LiveBytes(i));
  }
  return regions;
}

std::vector<Peak> PeaksOf(const format::Model& model) {
  if (!HasBuffers(model)) return {};
  const Timeline timeline(model);
  std::vector<Peak> peaks;
  for (uint32_t i = format::kFirstScratchRegion; i < model.regions()->size(); ++i) {
    peaks.push_back(timeline.PeakOf(i));
  }
  return peaks;
}

}  // namespace weft::inspect
