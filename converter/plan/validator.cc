// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/validator.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "converter/plan/effect.h"
#include "converter/plan/repeat.h"
#include "runtime/access.h"
#include "runtime/format/listing.h"

namespace weft::plan {

namespace {

using format::kNoSlot;

constexpr uint64_t kMaxWork = uint64_t{1} << 24;  // runs of bytes; seconds

// The region of a slot, and its stride per iteration of each section around it, outermost first. At
// one position of the listing, slots with equal frames keep their distance in all iterations.
using Frame = std::vector<int64_t>;
using Effects = std::map<Frame, Effect>;

// Possible trip counts of a section. `max` is 0 if it never runs.
struct Trips {
  int64_t min, max;
  bool may_skip;  // by its first condition
  bool MayBe(int64_t trips) const {
    return (trips >= min && trips <= max) || (may_skip && trips == 0);
  }
};

Trips TripsOf(const format::Section& section) {
  const bool counted = section.trip_slot() == kNoSlot && section.trip_count() != format::kNoLimit;
  Trips trips = {0, section.max_trips(), section.first_condition_slot() != kNoSlot};
  if (counted) trips.max = std::min<int64_t>(trips.max, section.trip_count());
  if (counted && section.body_condition_slot() == kNoSlot) {
    trips.min = trips.max;
  } else if (section.trip_slot() == kNoSlot) {
    trips.min = std::min<int64_t>(1, trips.max);
  }
  return trips;
}

// One of the two sections of an If.
bool IsBranch(const format::Section& section) {
  return section.first_condition_slot() != kNoSlot && section.trip_slot() == kNoSlot &&
         section.body_condition_slot() == kNoSlot && section.trip_count() == 1 &&
         section.unroll() == 1;
}

class Validator {
 public:
  explicit Validator(const format::Model& model) : model_(model) {}

  std::vector<std::string> Lines() {
    Traversal();
    if (lines_.empty()) return lines_;
    // A second pass uses what the first one found; usually the first pass is enough.
    FindLocals();
    if (locals_.empty()) return lines_;
    lines_.clear();
    findings_ = {};
    Traversal();
    return lines_;
  }

  // The number of byte ranges that the last traversal compared.
  uint64_t compared_ranges() const { return findings_.work; }

 private:
  static constexpr uint32_t kAfterLastStep = 0xFFFFFFFEu;

  bool Goes() const { return findings_.work < kMaxWork; }
  void Traversal();

  // Effects of the steps [first, end), inside the sections of open_.
  Effects Run(uint32_t first, uint32_t end);
  uint32_t Step(uint32_t step, Effects& effects);
  uint32_t Section(uint32_t index, Effects& effects);
  uint32_t Branches(uint32_t index, uint32_t other, Effects& effects);
  Effects Looped(uint32_t index, const Trips& trips);
  Effects Static(const std::vector<Effects>& bodies, const std::vector<Effects>& epilogues,
                 const Trips& trips, const Effects& moving);
  Effects Moving(const std::vector<Effects>& bodies, int64_t trips);
  bool AreDisjoint(const std::vector<Effect>& parts);
  Effect Iterated(const std::vector<Effects>& bodies, const Frame& outside, int64_t trips);

  uint32_t Mark(uint32_t section, uint32_t i) const {
    return model_.marks()->Get(model_.sections()->Get(section)->first_mark() + i);
  }
  uint32_t EndOf(uint32_t section) const {
    return Mark(section, 2 * model_.sections()->Get(section)->unroll() - 1);
  }
  // Returns the other section of the If whose first section is `index`; kNoSlot if there is none.
  uint32_t OtherBranch(uint32_t index) const;

  void NoteCandidates(uint32_t section, const std::vector<Effects>& bodies);
  void FindLocals();
  bool IsLocal(uint32_t section, uint32_t buffer) const {
    return locals_.contains({section, buffer});
  }
  void Touch(Effects& effects, uint32_t slot, StridedBytes bytes, bool writes);
  void ReadSlot(Effects& effects, uint32_t slot) {
    if (slot != kNoSlot) Touch(effects, slot, WholeOf(slot), false);
  }
  void WriteSlot(Effects& effects, uint32_t slot) {
    if (slot != kNoSlot) Touch(effects, slot, WholeOf(slot), true);
  }
  StridedBytes WholeOf(uint32_t slot) const {
    StridedBytes whole;
    whole.run_bytes = model_.slots()->Get(slot)->bytes();
    return whole;
  }

  void Then(Effects& effects, const Effects& next) {
    for (const auto& [frame, effect] : next) {
      effects[frame].Then(effect, 0, findings_);
      TakeConflicts(frame);
    }
  }
  void MergeBranch(Effects& effects, const Effects& other) {
    for (const auto& [frame, effect] : other) effects[frame];
    for (auto& [frame, effect] : effects) {
      const auto found = other.find(frame);
      effect.MergeBranch(found == other.end() ? Effect() : found->second, findings_);
      TakeConflicts(frame);
    }
  }
  void Beside(Effects& effects, const Effects& other) {
    for (const auto& [frame, effect] : other) {
      effects[frame].Beside(effect, findings_);
      TakeConflicts(frame);
    }
  }

  std::string Reader(const Needed& needed) const {
    if (needed.step == kAfterLastStep)
      return fmt::format("output or variable slot {}", needed.slot);
    if (needed.step == kNoReader) return "a loop";
    return fmt::format("step {}: slot {}", needed.step, needed.slot);
  }
  void Report(const Frame& frame, const std::string& what, const std::string& why) {
    constexpr size_t kMaxLines = 32;
    if (lines_.size() < kMaxLines)
      lines_.push_back(fmt::format("{} of region {}; {}", what, frame[0], why));
  }
  // Converts the conflicts found since the last call to lines.
  void TakeConflicts(const Frame& frame) {
    for (const Findings::Conflict& conflict : findings_.conflicts) {
      if (conflict.needed.step != kNoReader) misread_.insert(conflict.needed.owner);
      Report(frame,
             fmt::format("{} {} buffer {} at [{}, {})", Reader(conflict.needed),
                         conflict.needed.step == kNoReader ? "writes" : "reads",
                         conflict.needed.owner, conflict.begin, conflict.end),
             conflict.owner == kManyOwners
                 ? std::string("another buffer may have overwritten it")
                 : fmt::format("buffer {} has overwritten it", conflict.owner));
    }
    findings_.conflicts.clear();
  }

  const format::Model& model_;
  // (section, buffer): the buffer moves with the section, each iteration only reads what it has
  // written itself, and nothing outside accesses the buffer. It is live within iterations only, and
  // may share any of its bytes with other such buffers of the same body.
  std::set<std::pair<uint32_t, uint32_t>> locals_, candidates_;
  std::set<uint32_t> misread_;  // buffers that a step read after another one had overwritten them
  std::vector<uint32_t> open_;  // sections around the step, outermost first
  uint32_t step_ = 0;
  Findings findings_;
  std::vector<std::string> lines_;
};

void Validator::Traversal() {
  Effects all;
  step_ = 0;
  for (const format::Port& port : format::RowsOf(model_.inputs())) WriteSlot(all, port.slot());
  for (const format::Variable& variable : format::RowsOf(model_.variables()))
    WriteSlot(all, variable.slot());
  Then(all, Run(0, format::RowsOf(model_.steps()).count));
  step_ = kAfterLastStep;
  for (const format::Port& port : format::RowsOf(model_.outputs())) {
    ReadSlot(all, port.slot());
    ReadSlot(all, port.length_slot());
  }
  for (const format::Variable& variable : format::RowsOf(model_.variables()))
    ReadSlot(all, variable.slot());
  for (const auto& [frame, effect] : all) {
    for (const auto& [begin, run] : effect.needed()) {
      Report(frame,
             fmt::format("{} reads buffer {} at [{}, {})", Reader(run.value), run.value.owner,
                         begin, run.end),
             "nothing was written there");
    }
  }
  if (!Goes()) {
    lines_.push_back(fmt::format(
        "the slots have more than {} separate runs of bytes; the plan cannot be validated",
        kMaxWork));
  }
}

// Notes the buffers that move with the section and of which each iteration writes every byte before
// reading it.
void Validator::NoteCandidates(uint32_t section, const std::vector<Effects>& bodies) {
  std::set<uint32_t> moving, needed;
  for (const Effects& body : bodies) {
    for (const auto& [frame, effect] : body) {
      for (const auto& [begin, run] : effect.needed()) needed.insert(run.value.owner);
      if (frame.back() == 0) continue;
      for (const auto& [begin, run] : effect.writers()) moving.insert(run.value);
    }
  }
  for (const uint32_t buffer : moving) {
    if (buffer != kManyOwners && !needed.contains(buffer)) candidates_.insert({section, buffer});
  }
}

// Keeps the candidates that nothing outside of the section's bodies accesses.
void Validator::FindLocals() {
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> steps;  // by buffer: first and end of its steps
  const auto touches = [&](uint32_t slot, uint32_t first, uint32_t end) {
    if (slot == kNoSlot) return;
    const auto [it, added] = steps.try_emplace(model_.slot_buffers()->Get(slot), first, end);
    it->second = {std::min(it->second.first, first), std::max(it->second.second, end)};
  };
  for (uint32_t i = 0; i < format::RowsOf(model_.steps()).count; ++i) {
    const format::Step& step = *model_.steps()->Get(i);
    for (uint32_t k = 0; k < format::kArity[step.kind()].operands(); ++k) {
      touches(model_.operands()->Get(step.first_operand() + k), i, i + 1);
    }
  }
  const auto touched_anywhere = [&](uint32_t slot) { touches(slot, 0, kAfterLastStep); };
  for (const format::Section& section : format::RowsOf(model_.sections())) {
    touched_anywhere(section.trip_slot());
    touched_anywhere(section.first_condition_slot());
    touched_anywhere(section.body_condition_slot());
    touched_anywhere(section.iteration_slot());
    touched_anywhere(section.length_slot());
  }
  for (const auto* ports : {model_.inputs(), model_.outputs()}) {
    for (const format::Port& port : format::RowsOf(ports)) {
      touched_anywhere(port.slot());
      touched_anywhere(port.length_slot());
    }
  }
  for (const format::Variable& variable : format::RowsOf(model_.variables()))
    touched_anywhere(variable.slot());
  for (const auto& [section, buffer] : candidates_) {
    const auto [first, end] = steps.at(buffer);
    const uint32_t unroll = model_.sections()->Get(section)->unroll();
    const bool inside = first >= Mark(section, 0) && end <= Mark(section, unroll);
    if (inside && !misread_.contains(buffer)) locals_.insert({section, buffer});
  }
}

// Adds the read or write of `bytes` of a slot, which are relative to the slot's address.
void Validator::Touch(Effects& effects, uint32_t index, StridedBytes bytes, bool writes) {
  const format::Slot& slot = *model_.slots()->Get(index);
  const uint32_t buffer = model_.slot_buffers()->Get(index);
  if (slot.region() == format::kWeightsRegion) return;
  Frame frame(1 + open_.size(), 0);
  frame[0] = slot.region();
  for (uint32_t i = 0; i < slot.move_count(); ++i) {
    const format::Move& move = *model_.moves()->Get(slot.first_move() + i);
    const format::Section& section = *model_.sections()->Get(move.section());
    const int64_t trips = TripsOf(section).max;
    if (section.depth() >= open_.size() || trips <= 1) continue;
    if (IsLocal(move.section(), buffer)) {
      bytes.Repeat(trips, move.stride_bytes());
    } else {
      frame[1 + section.depth()] += move.stride_bytes();
    }
  }
  if (bytes.RunCount() > static_cast<int64_t>(kMaxWork)) {
    findings_.work = kMaxWork;
    return;
  }
  Effect& effect = effects[frame];
  bytes.ForEachRun([&](int64_t at) {
    const int64_t begin = slot.offset_bytes() + at;
    if (writes) {
      effect.Write(begin, begin + bytes.run_bytes, {buffer, true}, findings_);
    } else {
      effect.Read(begin, begin + bytes.run_bytes, {buffer, index, step_}, findings_);
    }
  });
  TakeConflicts(frame);
}

Effects Validator::Run(uint32_t first, uint32_t end) {
  Effects effects;
  for (uint32_t step = first; step < end && Goes();) {
    step_ = step;
    const format::Step& row = *model_.steps()->Get(step);
    step = row.kind() == 0 ? Section(row.param(), effects) : Step(step, effects);
  }
  return effects;
}

// Adds one step and returns the next. All operands are read before the first is written.
uint32_t Validator::Step(uint32_t step, Effects& effects) {
  const format::Step& row = *model_.steps()->Get(step);
  const format::Arity arity = format::kArity[row.kind()];
  for (uint32_t i = 0; i < arity.operands(); ++i) {
    const uint32_t slot = model_.operands()->Get(row.first_operand() + i);
    if (slot != kNoSlot) Touch(effects, slot, AccessOf(model_, row, i), i >= arity.inputs);
  }
  return step + 1;
}

uint32_t Validator::OtherBranch(uint32_t index) const {
  const uint32_t after = EndOf(index);
  if (after >= format::RowsOf(model_.steps()).count || model_.steps()->Get(after)->kind() != 0)
    return kNoSlot;
  const uint32_t other = model_.steps()->Get(after)->param();
  const format::Section& a = *model_.sections()->Get(index);
  const format::Section& b = *model_.sections()->Get(other);
  const bool pair = a.depth() == b.depth() && IsBranch(a) && IsBranch(b) &&
                    a.first_condition_slot() == b.first_condition_slot() &&
                    a.runs_when() != b.runs_when();
  return pair ? other : kNoSlot;
}

// Adds a section and returns the step after it and its epilogues; for an If, after both branches.
uint32_t Validator::Section(uint32_t index, Effects& effects) {
  const format::Section& section = *model_.sections()->Get(index);
  const uint32_t other = OtherBranch(index);
  if (other != kNoSlot) return Branches(index, other, effects);
  ReadSlot(effects, section.trip_slot());
  ReadSlot(effects, section.first_condition_slot());
  const Trips trips = TripsOf(section);
  if (trips.max > 0) Then(effects, Looped(index, trips));
  WriteSlot(effects, section.length_slot());
  return EndOf(index);
}

// Exactly one of the two branches runs; the condition of the second is read after the first has
// run.
uint32_t Validator::Branches(uint32_t index, uint32_t other, Effects& effects) {
  const Trips once = {1, 1, false};
  const uint32_t condition = model_.sections()->Get(index)->first_condition_slot();
  ReadSlot(effects, condition);
  Effects either = Looped(index, once);
  ReadSlot(either, condition);
  WriteSlot(either, model_.sections()->Get(index)->length_slot());
  Effects alternative = Looped(other, once);
  WriteSlot(alternative, model_.sections()->Get(other)->length_slot());
  MergeBranch(either, alternative);
  Then(effects, either);
  return EndOf(other);
}

// Returns the effect of the iterations and epilogues of a section, as seen from outside.
Effects Validator::Looped(uint32_t index, const Trips& trips) {
  const format::Section& section = *model_.sections()->Get(index);
  const uint32_t unroll = section.unroll();
  std::vector<Effects> bodies, epilogues;
  open_.push_back(index);
  for (uint32_t i = 0; i < unroll && i < trips.max; ++i) {
    Effects body;
    WriteSlot(body, section.iteration_slot());
    Then(body, Run(Mark(index, i), Mark(index, i + 1)));
    ReadSlot(body, section.body_condition_slot());
    bodies.push_back(std::move(body));
  }
  open_.pop_back();
  NoteCandidates(index, bodies);
  for (uint32_t i = 1; i < unroll; ++i) {
    epilogues.push_back(Run(Mark(index, unroll + i - 1), Mark(index, unroll + i)));
  }
  return Static(bodies, epilogues, trips, Moving(bodies, trips.max));
}

// The effect of the loop on bytes that it moves through. Scan outputs count as completely written,
// however early the loop ends, because bytes after their true length are not used.
Effects Validator::Moving(const std::vector<Effects>& bodies, int64_t trips) {
  const Effect nothing;
  std::map<Frame, std::vector<Effect>> parts;  // by the frame outside, one per stride
  std::map<Frame, Effect> in_place;
  std::set<Frame> frames;
  for (const Effects& body : bodies) {
    for (const auto& [frame, effect] : body) {
      const Frame outside(frame.begin(), frame.end() - 1);
      if (frame.back() == 0) {
        in_place[outside].Then(effect, 0, findings_);
        findings_.conflicts.clear();  // Static finds them again
      } else {
        frames.insert(frame);
      }
    }
  }
  for (const Frame& frame : frames) {
    const Frame outside(frame.begin(), frame.end() - 1);
    std::vector<const Effect*> phases;
    for (const Effects& body : bodies) {
      const auto found = body.find(frame);
      phases.push_back(found == body.end() ? &nothing : &found->second);
    }
    parts[outside].push_back(Repeated(phases, frame.back(), trips, kMaxWork, findings_));
  }
  Effects all;
  for (auto& [outside, list] : parts) {
    Effect& effect = all[outside];
    if (AreDisjoint(list) || trips > kMaxVisitedTrips) {
      for (Effect& part : list) {
        part.MustHaveOneOwnerEach(findings_);
        part.MustBeDisjointFrom(effect, findings_);
        effect.Beside(part, findings_);
      }
    } else {
      findings_.conflicts.clear();
      effect = Iterated(bodies, outside, trips);
    }
    effect.MustBeDisjointFrom(in_place[outside], findings_);
    TakeConflicts(outside);
  }
  return all;
}

// Returns true if, among accesses with different strides, each byte belongs to one buffer in all
// iterations. The order of these accesses then does not matter.
bool Validator::AreDisjoint(const std::vector<Effect>& parts) {
  Findings found;
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i].MustHaveOneOwnerEach(found);
    for (size_t k = 0; k < i; ++k) parts[i].MustBeDisjointFrom(parts[k], found);
  }
  findings_.work += found.work;
  return found.conflicts.empty() && findings_.conflicts.empty();
}

// Simulates one iteration after the other, for loops in which one buffer may reuse bytes that
// another one no longer needs. Within an iteration, accesses with different strides are disjoint.
Effect Validator::Iterated(const std::vector<Effects>& bodies, const Frame& outside,
                           int64_t trips) {
  Effect total;
  for (int64_t i = 0; i < trips && Goes(); ++i) {
    Effect iteration;
    for (const auto& [frame, effect] : bodies[static_cast<size_t>(i) % bodies.size()]) {
      if (frame.back() == 0 || !std::equal(outside.begin(), outside.end(), frame.begin())) continue;
      Effect there;
      there.Then(effect, i * frame.back(), findings_);
      there.MustBeDisjointFrom(iteration, findings_);
      iteration.Beside(there, findings_);
    }
    total.Then(iteration, 0, findings_);
  }
  return total;
}

// Combines everything: for each possible trip count, as many bodies as change the effect, then the
// epilogue for that count.
Effects Validator::Static(const std::vector<Effects>& bodies, const std::vector<Effects>& epilogues,
                          const Trips& trips, const Effects& moving) {
  const auto period = static_cast<int64_t>(epilogues.size() + 1);
  // The effect after a third period equals that after the second.
  int64_t visited = std::min(trips.max, 3 * period);
  Trips reduced = trips;
  if (trips.max > visited) {
    if (trips.min == trips.max) {
      visited = 2 * period + trips.max % period;
      reduced.min = visited;
    }
    reduced.max = visited;
  }
  Effects done, result;
  bool first = true;
  for (int64_t n = 0; n <= visited && Goes(); ++n) {
    if (reduced.MayBe(n)) {
      Effects exit = done;
      Beside(exit, moving);
      if (n % period != 0) Then(exit, epilogues[static_cast<size_t>(n % period - 1)]);
      if (first) {
        result = std::move(exit);
      } else {
        MergeBranch(result, exit);
      }
      first = false;
    }
    if (n == visited) break;
    for (const auto& [frame, effect] : bodies[static_cast<size_t>(n % period)]) {
      if (frame.back() != 0) continue;
      const Frame outside(frame.begin(), frame.end() - 1);
      done[outside].Then(effect, 0, findings_);
      TakeConflicts(outside);
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> CheckPlan(const format::Model& model, uint64_t* compared_ranges) {
  const auto* buffers = model.slot_buffers();
  if (buffers == nullptr || buffers->size() != model.slots()->size()) return {};
  Validator validator(model);
  std::vector<std::string> lines = validator.Lines();
  if (compared_ranges != nullptr) *compared_ranges = validator.compared_ranges();
  return lines;
}

}  // namespace weft::plan
