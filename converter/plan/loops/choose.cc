// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/choose.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "converter/plan/loops/iteration_end.h"
#include "converter/program/access_index.h"
#include "converter/program/block_access.h"
#include "converter/program/builder.h"
#include "converter/program/coalesce.h"

namespace weft::plan {

namespace {

// With more phases the listing grows faster than the copies that they avoid.
constexpr size_t kMaxPhases = 8;
constexpr size_t kMaxUnrolledSteps = 256;
// Two phases pay for more steps than that, but nested loops multiply the steps.
constexpr size_t kMaxDoubledSteps = 4096;

// A value by its bytes: a part of a state may have the same begin as the state.
struct Extent {
  program::Location location;
  int64_t bytes = 0;
  bool operator==(const Extent&) const = default;
};

class CarryChoice {
 public:
  CarryChoice(program::Program& program, program::SectionId section, size_t steps_inside)
      : program_(program),
        section_(program.sections[section]),
        loop_(*section_.loop),
        steps_inside_(steps_inside) {
    for (const program::ValueId result : program.blocks[loop_.body].results) {
      results_.push_back(ExtentOf(result));
    }
    for (const program::Loop::Carried& state : loop_.carried)
      states_.push_back(ExtentOf(state.state));
  }

  LoopPlan Run() {
    std::vector<Origin> origins;
    for (size_t state = 0; state < states_.size(); ++state) origins.push_back(OriginOf(state));
    plan_.lines = LineUp(origins);
    AssignScanBuffers();
    FindStatesAmongLasts();
    LengthenRings();
    LimitPhases(plan_.lines, MaxPhases());
    FillRings();
    return std::move(plan_);
  }

 private:
  using OfLine = LoopPlan::OfLine;

  Extent ExtentOf(program::ValueId value) const {
    return {Resolve(program_, value), program_.values[value].bytes};
  }
  const Extent& Taken(size_t state) const { return results_[loop_.carried[state].result]; }
  Origin OriginOf(size_t state) const;
  bool IsParameter(program::ValueId root) const;
  void AssignScanBuffers();
  bool IsProvided(const program::Loop::Scan& scan) const {
    return program_.values[scan.whole].parent != program::kNone;
  }
  bool MayShareScanBuffer(size_t scan, size_t other) const;
  std::optional<OfLine> LineOfScan(size_t scan);
  bool IsLastOf(size_t last, size_t state) const;
  std::optional<OfLine> LineOfLast(size_t last);
  void FindStatesAmongLasts();
  void LengthenRings();
  IterationTargets FirstTargets(program::Builder& builder);
  void FillRings();
  size_t MaxPhases() const;

  program::Program& program_;
  const program::Section section_;  // a copy: adding values and blocks invalidates references
  const program::Loop& loop_;
  const size_t steps_inside_;
  size_t steps_ = 0;  // of one phase
  std::vector<Extent> results_, states_;
  std::vector<program::ValueId> extra_buffers_;  // by line; kNone if there is none
  LoopPlan plan_;
};

bool CarryChoice::IsParameter(program::ValueId root) const {
  return root == section_.iteration ||
         std::ranges::any_of(loop_.carried, [&](const auto& c) { return c.state == root; }) ||
         std::ranges::any_of(loop_.sliced, [&](const auto& s) { return s.chunk == root; });
}

Origin CarryChoice::OriginOf(size_t state) const {
  const Extent& end = Taken(state);
  for (size_t other = 0; other < states_.size(); ++other) {
    if (end == states_[other]) return {Origin::Kind::kOldState, other, false};
  }
  size_t first = 0;
  while (results_[first] != end) ++first;
  const program::Value& root = program_.values[end.location.root];
  const bool fresh = root.block == loop_.body && root.storage == program::Storage::kScratch &&
                     root.bytes == end.bytes && !IsParameter(end.location.root);
  return {Origin::Kind::kResult, first, fresh};
}

bool CarryChoice::MayShareScanBuffer(size_t scan, size_t other) const {
  const program::Loop::Scan& a = loop_.scans[scan];
  const program::Loop::Scan& b = loop_.scans[other];
  return a.backward == b.backward && a.axis == b.axis && !IsProvided(a) && !IsProvided(b);
}

std::optional<LoopPlan::OfLine> CarryChoice::LineOfScan(size_t scan) {
  const Extent& end = results_[loop_.scans[scan].result];
  const bool provided = IsProvided(loop_.scans[scan]);  // with space for a halo of one chunk
  for (size_t line = 0; line < plan_.lines.size(); ++line) {
    DelayLine& of = plan_.lines[line];
    if (of.closed || (provided && of.states.size() > 1)) continue;
    if (of.scan_buffer && !MayShareScanBuffer(scan, *of.scan_buffer)) continue;
    std::optional<OfLine> found;
    if (end == Taken(of.states[0])) found = OfLine{line, 0};
    for (size_t age = 1; age <= of.states.size() && !provided; ++age) {
      if (end == states_[of.states[age - 1]]) found = OfLine{line, age};
    }
    if (!found) continue;
    if (!of.scan_buffer) of.scan_buffer = scan;
    return found;
  }
  return std::nullopt;
}

// Lines whose values are gathered anyway are stored in the first scan output that takes one of
// them.
void CarryChoice::AssignScanBuffers() {
  for (size_t scan = 0; scan < loop_.scans.size(); ++scan) {
    plan_.line_of_scan.push_back(LineOfScan(scan));
  }
}

// Returns true if the last value is in the buffer of the state. If no iteration runs, only a result
// that is itself carried has an initial value: that of the first state that takes it.
bool CarryChoice::IsLastOf(size_t last, size_t state) const {
  const size_t result = loop_.lasts[last].result;
  if (!section_.may_run_nothing()) return results_[result] == Taken(state);
  const auto first = std::ranges::find(loop_.carried, result, &program::Loop::Carried::result);
  return first - loop_.carried.begin() == static_cast<std::ptrdiff_t>(state);
}

std::optional<LoopPlan::OfLine> CarryChoice::LineOfLast(size_t last) {
  for (size_t line = 0; line < plan_.lines.size(); ++line) {
    const std::vector<size_t>& members = plan_.lines[line].states;
    for (size_t age = 0; age < members.size(); ++age) {
      if (IsLastOf(last, members[age])) return OfLine{line, age};
    }
  }
  if (section_.is_open()) return std::nullopt;
  // The value that a state held in the last iteration; without iterations that is not its initial
  // value, so open loops are excluded.
  const Extent& end = results_[loop_.lasts[last].result];
  for (size_t line = 0; line < plan_.lines.size(); ++line) {
    DelayLine& of = plan_.lines[line];
    for (size_t age = 1; age <= of.states.size(); ++age) {
      if (end != states_[of.states[age - 1]]) continue;
      if (age == of.states.size() && !of.closed) of.buffers = age + 1;
      return OfLine{line, age};
    }
  }
  return std::nullopt;
}

void CarryChoice::FindStatesAmongLasts() {
  for (size_t last = 0; last < loop_.lasts.size(); ++last) {
    plan_.line_of_last.push_back(LineOfLast(last));
  }
}

// Targets of the first phase, with the shortest possible rings. Views of values with the same live
// ranges replace those that do not exist yet.
IterationTargets CarryChoice::FirstTargets(program::Builder& builder) {
  const std::vector<program::ValueId> results = program_.blocks[loop_.body].results;
  const auto chunk = [&](const program::Loop::Scan& scan) {
    return builder.View(scan.whole, 0, builder.value(results[scan.result]).type);
  };
  IterationTargets targets;
  for (size_t scan = 0; scan < loop_.scans.size(); ++scan) {
    targets.of_scans.push_back(plan_.line_of_scan[scan] ? program::kNone
                                                        : chunk(loop_.scans[scan]));
  }
  for (size_t last = 0; last < loop_.lasts.size(); ++last) {
    targets.of_lasts.push_back(plan_.line_of_last[last] ? program::kNone : loop_.lasts[last].value);
  }
  for (size_t line = 0; line < plan_.lines.size(); ++line) {
    const DelayLine& of = plan_.lines[line];
    const program::ValueId oldest = loop_.carried[of.states.back()].state;
    if (of.scan_buffer) {
      targets.of_lines.push_back(chunk(loop_.scans[*of.scan_buffer]));
    } else {
      targets.of_lines.push_back(of.buffers > of.states.size() ? extra_buffers_[line] : oldest);
    }
  }
  return targets;
}

// Ends the first iteration with the shortest possible rings, and lengthens each ring whose oldest
// value is still read when the new value is written. Restores the body afterwards.
void CarryChoice::LengthenRings() {
  program::Builder builder(program_);
  builder.SetLayer(section_.layer);
  builder.SetBlock(loop_.body);
  for (const DelayLine& of : plan_.lines) {
    const bool longer = !of.scan_buffer && of.buffers > of.states.size();
    const program::ValueId state = loop_.carried[of.states[0]].state;
    extra_buffers_.push_back(longer ? builder.Scratch(builder.value(state).type) : program::kNone);
  }
  std::vector<program::ValueId> states;
  for (const program::Loop::Carried& carried : loop_.carried) states.push_back(carried.state);
  const program::Block body = program_.blocks[loop_.body];
  const IterationTargets targets = FirstTargets(builder);
  EndIteration(builder, section_, plan_, body.results, states, targets);
  program_.blocks[loop_.body].results.clear();  // the copies read them now

  program::AccessMap accesses = CollectAccesses(program_, loop_.body);
  const program::AccessCounts counts = CountsOf(accesses);
  const program::AccessIndex index(std::move(accesses));
  const std::vector<program::Item>& items = program_.blocks[loop_.body].items;
  steps_ = items.size() + steps_inside_;
  std::unordered_map<program::ValueId, size_t> copy_to;  // the first plain copy to each value
  for (size_t item = 0; item < items.size(); ++item) {
    const auto* step = std::get_if<program::Step>(&items[item]);
    if (step != nullptr && IsPlainCopy(program_, *step)) copy_to.emplace(step->outputs[0], item);
  }
  for (size_t line = 0; line < plan_.lines.size(); ++line) {
    DelayLine& of = plan_.lines[line];
    if (of.scan_buffer || !of.fresh || of.buffers > of.states.size()) continue;
    const auto found = copy_to.find(targets.of_lines[line]);
    if (found == copy_to.end()) continue;
    const auto item = static_cast<int64_t>(found->second);
    const auto& copy = std::get<program::Step>(items[found->second]);
    if (!SourceFitsTarget(program_, copy, item, index, counts)) ++of.buffers;
  }
  program_.blocks[loop_.body] = body;
}

size_t CarryChoice::MaxPhases() const {
  if (2 * steps_ > kMaxDoubledSteps) return 1;
  return std::clamp<size_t>(kMaxUnrolledSteps / std::max<size_t>(1, steps_), 2, kMaxPhases);
}

void CarryChoice::FillRings() {
  program::Builder builder(program_);
  builder.SetLayer(section_.layer);
  builder.SetBlock(loop_.body);
  for (const DelayLine& of : plan_.lines) {
    std::vector<program::ValueId>& ring = plan_.rings.emplace_back();
    if (of.scan_buffer) continue;
    for (const size_t state : of.states) ring.push_back(loop_.carried[state].state);
    if (of.buffers > of.states.size()) {
      ring.push_back(builder.Scratch(builder.value(ring[0]).type));
    }
  }
}

}  // namespace

LoopPlan ChooseCarries(program::Program& program, program::SectionId section, size_t steps_inside) {
  return CarryChoice(program, section, steps_inside).Run();
}

}  // namespace weft::plan
