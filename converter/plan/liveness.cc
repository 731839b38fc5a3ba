// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/liveness.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

#include "converter/base/narrow.h"
#include "runtime/access.h"

namespace weft::plan {

namespace {

// Returns true if the step writes every byte of its output, not only some runs of bytes.
bool WritesAll(const program::Program& program, const program::Step& step, size_t output) {
  const auto operand = Narrow32(step.inputs.size() + output, "operands");
  const StridedBytes bytes = std::visit(
      [&](const auto& params) -> StridedBytes {
        if constexpr (requires(footprint::Visitor none) { footprint::Visit(params, none); }) {
          return AccessOf(params, operand);
        }
        return {};
      },
      step.params);
  return bytes.dim_count == 0 && bytes.first_byte == 0 &&
         bytes.run_bytes == program.values[step.outputs[output]].bytes;
}

class Timeline {
 public:
  explicit Timeline(const program::Program& program)
      : program_(program), ranges_(program.values.size()) {
    for (const program::Port& port : program.inputs) Touch(port.value, TouchKind::kWriteAll);
    ranges_.Advance();
    Visit(program.main);
    for (const program::Port& port : program.outputs) {
      Touch(port.value, TouchKind::kRead);
      Touch(port.length, TouchKind::kRead);
    }
    live_ = ranges_.Ranges();
  }

  std::vector<Lifetime> Lifetimes() const {
    std::vector<Lifetime> lifetimes;
    for (program::ValueId root = 0; root < live_.size(); ++root) {
      const std::vector<TimeRange>& live = live_[root];
      if (live.empty()) continue;
      Lifetime& each = lifetimes.emplace_back();
      each.root = root;
      each.time = {live.front().begin, live.back().end};
      each.bytes = program_.values[root].bytes;
      for (size_t i = 1; i < live.size(); ++i) {
        each.gaps.push_back({live[i - 1].end, live[i].begin});
      }
    }
    return lifetimes;
  }

  // The last step at or before `time`, with its position in the listing; null before the first.
  std::pair<int64_t, const program::Step*> StepAt(int64_t time) const {
    const auto after = steps_.upper_bound(time);
    return after == steps_.begin() ? std::pair<int64_t, const program::Step*>(0, nullptr)
                                   : std::prev(after)->second;
  }

 private:
  void Touch(program::ValueId id, TouchKind kind) {
    if (id == program::kNone) return;
    const program::Location location = Resolve(program_, id);
    const program::Value& root = program_.values[location.root];
    if (root.storage != program::Storage::kScratch || root.bytes == 0) return;
    if (!location.moves.empty()) ranges_.KeepWhole(location.root);
    const ByteSpan bytes = {location.offset_bytes,
                            location.offset_bytes + program_.values[id].bytes};
    ranges_.Touch(location.root, kind, bytes);
  }

  void Visit(program::BlockId block) {
    for (const program::Item& item : program_.blocks[block].items) {
      if (const auto* step = std::get_if<program::Step>(&item)) {
        for (const program::ValueId input : step->inputs) Touch(input, TouchKind::kRead);
        for (size_t i = 0; i < step->outputs.size(); ++i) {
          const bool all = step->outputs[i] != program::kNone && WritesAll(program_, *step, i);
          Touch(step->outputs[i], all ? TouchKind::kWriteAll : TouchKind::kWrite);
        }
        steps_[ranges_.now()] = {static_cast<int64_t>(steps_.size()), step};
        ranges_.Advance();
      } else {
        Visit(program_.sections[std::get<program::SectionEntry>(item).section]);
      }
    }
  }

  LivenessAnalysis::Section FactsOf(const program::Section& section) const {
    LivenessAnalysis::Section facts;
    facts.copies = Narrow32(section.copies.size(), "copies");
    facts.max_trips = section.max_trips;
    const bool counted = section.trip == program::kNone && section.trip_count >= 0;
    if (counted) facts.max_trips = std::min(facts.max_trips, section.trip_count);
    facts.may_end_early = !counted || section.body_condition != program::kNone;
    facts.may_skip = section.may_run_nothing() || facts.max_trips == 0;
    const bool is_branch = counted && section.body_condition == program::kNone &&
                           section.trip_count == 1 && section.copies.size() == 1 &&
                           section.first_condition != program::kNone;
    if (is_branch) facts.condition = section.first_condition;
    facts.runs_when = section.runs_when;
    return facts;
  }

  void Visit(const program::Section& section) {
    steps_[ranges_.now()] = {static_cast<int64_t>(steps_.size()), nullptr};
    Touch(section.trip, TouchKind::kRead);
    Touch(section.first_condition, TouchKind::kRead);
    ranges_.Enter(FactsOf(section));
    ranges_.Advance();
    for (const program::BlockId copy : section.copies) {
      ranges_.BeginRun();
      Touch(section.iteration, TouchKind::kWriteAll);
      ranges_.Advance();
      Visit(copy);
      Touch(section.body_condition, TouchKind::kRead);
      ranges_.EndRun();
      ranges_.Advance();
    }
    for (const program::BlockId epilogue : section.epilogues) {
      ranges_.BeginRun();
      ranges_.Advance();
      Visit(epilogue);
      ranges_.EndRun();
      ranges_.Advance();
    }
    ranges_.Leave();
    Touch(section.length, TouchKind::kWriteAll);
    ranges_.Advance();
  }

  const program::Program& program_;
  LivenessAnalysis ranges_;
  std::vector<std::vector<TimeRange>> live_;
  // By time; the step of a section's entry is null.
  std::map<int64_t, std::pair<int64_t, const program::Step*>> steps_;
};

}  // namespace

std::vector<Lifetime> Liveness(const program::Program& program) {
  return Timeline(program).Lifetimes();
}

std::string DescribePeak(const program::Program& program,
                         std::span<const AllowedOverlap> allowed_overlaps) {
  const Timeline timeline(program);
  std::vector<Buffer> buffers;
  for (const Lifetime& each : timeline.Lifetimes()) {
    buffers.push_back({program.values[each.root].name, each.bytes, each.time, each.gaps});
  }
  const Peak peak = PeakOf(buffers, 1, allowed_overlaps);
  std::erase_if(buffers, [&](const Buffer& buffer) {
    return std::ranges::none_of(LiveRanges(buffer), [&](const TimeRange& range) {
      return range.begin <= peak.time && peak.time < range.end;
    });
  });
  std::ranges::sort(buffers, std::ranges::greater(), &Buffer::bytes);
  constexpr size_t kMax = 8;
  std::string alive;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& buffer = buffers[i];
    if (i < kMax) alive += fmt::format("{}{} {}", i == 0 ? "" : ", ", buffer.name, buffer.bytes);
  }
  if (buffers.size() > kMax) alive += fmt::format(" and {} more", buffers.size() - kMax);
  const auto [index, step] = timeline.StepAt(peak.time);
  const std::string where =
      step == nullptr ? "the start"
                      : fmt::format("step {} ({} \"{}\")", index, Name(step->kind()), step->layer);
  return fmt::format("peak is {} bytes without padding at {}; live there: {}", peak.bytes, where,
                     alive);
}

}  // namespace weft::plan
