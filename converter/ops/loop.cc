// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/loop.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/ops/carry.h"
#include "converter/ops/once.h"
#include "converter/ops/track.h"
#include "converter/plan/coalesce.h"
#include "converter/plan/schedule.h"
#include "converter/program/access_index.h"
#include "converter/program/block_access.h"
#include "converter/program/fuse_tail.h"

namespace weft::ops {

namespace {

using format::Reason;
using plan::Builder;
using plan::kNone;
using plan::Place;
using plan::ValueId;

// More phases than these make the listing grow faster than the copies they save.
constexpr size_t kMostPhases = 8;
constexpr size_t kMostUnrolledSteps = 256;

bool SamePlace(const Place& a, const Place& b) {
  return a.root == b.root && a.offset_bytes == b.offset_bytes && a.moves == b.moves;
}

// A value by its bytes: a part of a state may begin where the state does.
struct Stretch {
  Place place;
  int64_t bytes = 0;
  bool operator==(const Stretch& other) const {
    return bytes == other.bytes && SamePlace(place, other.place);
  }
};

size_t CountSteps(const plan::Program& program, plan::BlockId block) {
  size_t count = 0;
  for (const plan::Item& item : program.blocks[block].items) {
    ++count;
    const auto* entry = std::get_if<plan::SectionEntry>(&item);
    if (entry == nullptr) continue;
    for (const plan::BlockId copy : program.sections[entry->section].copies)
      count += CountSteps(program, copy);
  }
  return count;
}

// The plain copies at the end of one copy of the body, which bring new values to their homes.
class BackEdges {
 public:
  BackEdges(const plan::Program& program, plan::BlockId copy)
      : program_(program), items_(program.blocks[copy].items) {
    plan::AccessMap accesses = plan::CollectAccesses(program, copy);
    counts_ = plan::CountsOf(accesses);
    accesses_.emplace(std::move(accesses));
    for (size_t item = 0; item < items_.size(); ++item) {
      const auto* step = std::get_if<plan::Step>(&items_[item]);
      if (step == nullptr || !plan::IsPlainCopy(program, *step)) continue;
      item_by_target_.emplace(step->outputs[0], item);
    }
  }

  // Is `target` still read when the step that makes its new value runs?
  bool OldStandsInTheWay(ValueId target) const {
    const auto found = item_by_target_.find(target);
    if (found == item_by_target_.end()) return false;
    const auto& step = std::get<plan::Step>(items_[found->second]);
    return !plan::SourceFitsTarget(program_, step, static_cast<int64_t>(found->second), *accesses_,
                                   counts_);
  }

 private:
  const plan::Program& program_;
  const std::vector<plan::Item>& items_;
  plan::AccessCounts counts_;
  std::optional<plan::AccessIndex> accesses_;
  std::unordered_map<ValueId, size_t> item_by_target_;  // the first one
};

// Lowers one spec. A sketch of the body shows which result is whose state and which states stand in
// each other's way; it is taken back, and the body laid down once per phase.
class LoopLowering {
 public:
  LoopLowering(Builder& builder, const LoopSpec& spec, const LowerBody& body)
      : builder_(builder), spec_(spec), body_(body) {}

  LoopResults Run() {
    section_ = builder_.NewSection();
    if (spec_.iteration) index_ = builder_.Scratch(*spec_.iteration);
    for (const SlicedInput& input : spec_.sliced) {
      slices_.push_back(SliceOf(builder_, input, spec_.trips, section_));
    }
    if (builder_.sketching()) {
      TakeStatesAlone();
    } else {
      Study();
    }
    PrepareTracks();
    if (!builder_.sketching()) Try();
    PrepareRings();
    LayCopies(PhasesOf(lines_));
    FillSection();
    return Results();
  }

 private:
  void TakeStatesAlone();
  void Study();
  Origin OriginOf(size_t state, std::span<const Stretch> results,
                  std::span<const Stretch> states) const;
  void AssignTracks(std::span<const Stretch> results, std::span<const Stretch> states);
  void FindStatesAmongLasts(std::span<const Stretch> results, std::span<const Stretch> states);
  bool IsLastOf(size_t last, size_t state, std::span<const Stretch> results) const;
  void PrepareTracks();
  void Try();
  void PrepareRings();
  void LayCopies(size_t phases);
  void LayCopy(size_t phase);
  void EndIteration(size_t phase);
  void TakeCondition();
  void CopyAtOnce(std::vector<std::pair<ValueId, ValueId>> copies);
  void FillSection();
  plan::BlockId LaySettle(size_t phase);
  LoopResults Results();
  ValueId LastOnTrack(const DelayLine& line, size_t age);

  // A last value, or a scan output, that is a value of some line: of that age when the loop ends.
  struct OfLine {
    size_t line = 0, age = 0;
  };

  plan::Program& program() { return builder_.program(); }
  TensorType TypeOf(ValueId value) const { return builder_.value(value).type; }
  TensorType StateType(const DelayLine& line) const {
    return TypeOf(spec_.carried[line.states[0]].initial);
  }
  bool exact() const { return !spec_.end.possible(); }
  bool may_run_nothing() const {
    return spec_.end.trip != kNone || spec_.end.first_condition != kNone;
  }
  size_t HeadResult(const DelayLine& line) const { return spec_.carried[line.states[0]].result; }
  // Where the state at `position` of a line is during the copy of that phase.
  ValueId HomeAt(size_t line, size_t position, size_t phase) {
    const DelayLine& of = lines_[line];
    if (!of.track) return rings_[line][HomeAfter(of, phase, position)];
    return tracks_[*of.track].MovingChunk(builder_, section_, static_cast<int64_t>(position) + 1,
                                          StateType(of));
  }
  // Where the line's new value goes in that phase.
  ValueId TargetOf(size_t line, size_t phase) {
    const DelayLine& of = lines_[line];
    if (!of.track) return rings_[line][HomeAfter(of, phase + 1, 0)];
    return tracks_[*of.track].MovingChunk(builder_, section_, 0, StateType(of));
  }

  Builder& builder_;
  const LoopSpec& spec_;
  const LowerBody& body_;
  plan::SectionId section_ = kNone;
  ValueId index_ = kNone, length_ = kNone;
  std::vector<ValueId> slices_;
  std::vector<DelayLine> lines_;
  std::vector<std::vector<ValueId>> rings_;  // homes of each line; none for those on tracks
  std::vector<std::optional<OfLine>> line_of_scan_, line_of_last_;
  std::vector<Track> tracks_;  // one per scan output; unused where it stands in another one's
  std::vector<ValueId> last_homes_;
  std::vector<plan::BlockId> copies_;
  std::vector<ValueId> results_;  // of the copy laid last
  ValueId condition_ = kNone;
  ValueId first_body_value_ = 0;
};

void LoopLowering::TakeStatesAlone() {
  for (size_t state = 0; state < spec_.carried.size(); ++state) {
    DelayLine alone;
    alone.states = {state};
    lines_.push_back(alone);
  }
  line_of_scan_.assign(spec_.scans.size(), std::nullopt);
  line_of_last_.assign(spec_.lasts.size(), std::nullopt);
}

// A state, a scan output and a last value may all be Results of one value, perhaps reshaped
// between. Only the body's steps tell, so it is laid down once for the answer and taken back.
void LoopLowering::Study() {
  const Builder::Snapshot before = builder_.Take();
  builder_.SetSketching(true);
  Iteration iteration{slices_, {}, index_};
  for (const CarriedState& state : spec_.carried) {
    iteration.states.push_back(builder_.Scratch(TypeOf(state.initial)));
  }
  first_body_value_ = static_cast<ValueId>(program().values.size());
  builder_.SetBlock(builder_.NewBlock());
  const std::vector<ValueId> results = body_(iteration);
  std::vector<Stretch> ends, states;
  const auto stretch = [&](ValueId value) {
    return Stretch{plan::Resolve(program(), value), builder_.value(value).bytes};
  };
  for (const ValueId result : results) ends.push_back(stretch(result));
  for (const ValueId state : iteration.states) states.push_back(stretch(state));
  std::vector<Origin> origins;
  for (size_t state = 0; state < states.size(); ++state) {
    origins.push_back(OriginOf(state, ends, states));
  }
  lines_ = LineUp(origins);
  AssignTracks(ends, states);
  FindStatesAmongLasts(ends, states);
  builder_.Restore(before);
  builder_.SetSketching(false);
}

Origin LoopLowering::OriginOf(size_t state, std::span<const Stretch> results,
                              std::span<const Stretch> states) const {
  const Stretch& end = results[spec_.carried[state].result];
  for (size_t other = 0; other < states.size(); ++other) {
    if (end == states[other]) return {Origin::Kind::kOldState, other, false};
  }
  size_t first = 0;
  while (results[first] != end) ++first;
  const plan::Value& root = builder_.value(end.place.root);
  const bool fresh = end.place.root >= first_body_value_ && root.home == plan::Home::kScratch &&
                     root.bytes == end.bytes;
  return {Origin::Kind::kResult, first, fresh};
}

// Lines whose values are gathered anyway stand in the first scan output that takes one of them.
void LoopLowering::AssignTracks(std::span<const Stretch> results, std::span<const Stretch> states) {
  line_of_scan_.assign(spec_.scans.size(), std::nullopt);
  const auto may_share = [&](const ScanOutput& output, size_t first) {
    const ScanOutput& other = spec_.scans[first];
    return output.backward == other.backward && output.axis == other.axis &&
           output.whole == kNone && other.whole == kNone;
  };
  for (size_t scan = 0; scan < spec_.scans.size(); ++scan) {
    const ScanOutput& output = spec_.scans[scan];
    const Stretch& end = results[output.result];
    for (size_t line = 0; line < lines_.size() && !line_of_scan_[scan]; ++line) {
      DelayLine& of = lines_[line];
      const bool provided = output.whole != kNone;  // with room for one guard
      if (of.closed || (provided && of.states.size() > 1)) continue;
      if (of.track && !may_share(output, *of.track)) continue;
      if (end == results[HeadResult(of)]) line_of_scan_[scan] = OfLine{line, 0};
      for (size_t age = 1; age <= of.states.size() && !provided; ++age) {
        if (end == states[of.states[age - 1]]) line_of_scan_[scan] = OfLine{line, age};
      }
      if (line_of_scan_[scan] && !of.track) of.track = scan;
    }
  }
}

// Does the last value stand where the state does? After no iteration only a Result that is carried
// itself has an initial value: that of the first Parameter it feeds.
bool LoopLowering::IsLastOf(size_t last, size_t state, std::span<const Stretch> results) const {
  const size_t result = spec_.lasts[last].result;
  if (!may_run_nothing()) return results[result] == results[spec_.carried[state].result];
  const auto first = std::ranges::find(spec_.carried, result, &CarriedState::result);
  return first - spec_.carried.begin() == static_cast<std::ptrdiff_t>(state);
}

void LoopLowering::FindStatesAmongLasts(std::span<const Stretch> results,
                                        std::span<const Stretch> states) {
  line_of_last_.assign(spec_.lasts.size(), std::nullopt);
  for (size_t last = 0; last < spec_.lasts.size(); ++last) {
    const Stretch& end = results[spec_.lasts[last].result];
    std::optional<OfLine>& found = line_of_last_[last];
    for (size_t line = 0; line < lines_.size() && !found; ++line) {
      const std::vector<size_t>& members = lines_[line].states;
      for (size_t age = 0; age < members.size() && !found; ++age) {
        if (IsLastOf(last, members[age], results)) found = OfLine{line, age};
      }
    }
    // What a state held in the last iteration; after none that is not its initial value.
    for (size_t line = 0; line < lines_.size() && !found && exact(); ++line) {
      DelayLine& of = lines_[line];
      for (size_t age = 1; age <= of.states.size() && !found; ++age) {
        if (end != states[of.states[age - 1]]) continue;
        found = OfLine{line, age};
        if (age == of.states.size() && !of.closed) of.homes = age + 1;
      }
    }
  }
}

void LoopLowering::PrepareTracks() {
  for (size_t scan = 0; scan < spec_.scans.size(); ++scan) {
    const std::optional<OfLine>& of = line_of_scan_[scan];
    if (of && *lines_[of->line].track != scan) {
      tracks_.emplace_back();
      continue;
    }
    const size_t guards = of ? lines_[of->line].states.size() : 0;
    tracks_.push_back(Track::Of(builder_, spec_.scans[scan], spec_.trips, guards));
    // What lies behind the true length must not tell of another run.
    const plan::Because because(builder_, Reason::clear);
    if (!exact()) builder_.Fill(tracks_.back().whole());
  }
  const plan::Because because(builder_, Reason::initial_value);
  for (const DelayLine& line : lines_) {
    for (size_t position = 0; line.track && position < line.states.size(); ++position) {
      builder_.Copy(spec_.carried[line.states[position]].initial,
                    tracks_[*line.track].Chunk(builder_, -1 - static_cast<int64_t>(position),
                                               StateType(line)));
    }
  }
}

// Lays the first copy down as a sketch with every ring as short as can be, and lengthens those
// whose oldest value is still read when the new one comes.
void LoopLowering::Try() {
  const Builder::Snapshot before = builder_.Take();
  builder_.SetSketching(true);
  PrepareRings();
  LayCopies(1);
  const BackEdges back_edges(program(), copies_[0]);
  for (size_t line = 0; line < lines_.size(); ++line) {
    DelayLine& of = lines_[line];
    if (of.track || !of.fresh || of.homes > of.states.size()) continue;
    if (back_edges.OldStandsInTheWay(TargetOf(line, 0))) ++of.homes;
  }
  const size_t steps = std::max<size_t>(1, CountSteps(program(), copies_[0]));
  LimitPhases(lines_, std::clamp<size_t>(kMostUnrolledSteps / steps, 2, kMostPhases));
  builder_.Restore(before);
  builder_.SetSketching(false);
}

void LoopLowering::PrepareRings() {
  const plan::Because because(builder_, Reason::initial_value);
  rings_.assign(lines_.size(), {});
  for (size_t line = 0; line < lines_.size(); ++line) {
    const DelayLine& of = lines_[line];
    for (size_t home = 0; home < of.homes && !of.track; ++home) {
      rings_[line].push_back(builder_.Scratch(StateType(of)));
      if (home < of.states.size())
        builder_.Copy(spec_.carried[of.states[home]].initial, rings_[line][home]);
    }
  }
  last_homes_.assign(spec_.lasts.size(), kNone);
  for (size_t last = 0; last < spec_.lasts.size(); ++last) {
    if (line_of_last_[last]) continue;
    last_homes_[last] = builder_.Scratch(spec_.lasts[last].type);
    const plan::Because because_unmade(builder_, Reason::clear);
    if (may_run_nothing()) builder_.Fill(last_homes_[last]);
  }
  condition_ = kNone;
}

void LoopLowering::LayCopies(size_t phases) {
  copies_.clear();
  const plan::BlockId outside = builder_.block();
  first_body_value_ = static_cast<ValueId>(program().values.size());
  for (size_t phase = 0; phase < phases; ++phase) {
    copies_.push_back(builder_.NewBlock());
    builder_.SetBlock(copies_.back());
    LayCopy(phase);
  }
  builder_.SetBlock(outside);
}

void LoopLowering::LayCopy(size_t phase) {
  Iteration iteration{slices_, std::vector<ValueId>(spec_.carried.size()), index_};
  std::vector<std::pair<ValueId, ValueId>> oldest_first;
  for (size_t line = 0; line < lines_.size(); ++line) {
    const std::vector<size_t>& states = lines_[line].states;
    for (size_t position = 0; position < states.size(); ++position) {
      iteration.states[states[position]] = HomeAt(line, position, phase);
    }
  }
  results_ = body_(iteration);
  EndIteration(phase);
  plan::FuseTails(program(), builder_.block());
  for (const DelayLine& line : lines_) {
    if (line.track || !line.fresh) continue;
    oldest_first.emplace_back(iteration.states[line.states.back()], results_[HeadResult(line)]);
  }
  plan::OrderReadersFirst(program(), builder_.block(), oldest_first);
}

void LoopLowering::EndIteration(size_t phase) {
  for (size_t scan = 0; scan < spec_.scans.size(); ++scan) {
    if (line_of_scan_[scan]) continue;
    const plan::Because because(builder_, Reason::scan_chunk);
    const ValueId result = results_[spec_.scans[scan].result];
    builder_.Copy(result, tracks_[scan].MovingChunk(builder_, section_, 0, TypeOf(result)));
  }
  for (size_t last = 0; last < spec_.lasts.size(); ++last) {
    const plan::Because because(builder_, Reason::last_value);
    if (!line_of_last_[last]) builder_.Copy(results_[spec_.lasts[last].result], last_homes_[last]);
  }
  // Before the back edges: the condition may be a state's old value.
  TakeCondition();
  std::vector<std::pair<ValueId, ValueId>> edges;
  for (size_t line = 0; line < lines_.size(); ++line) {
    if (lines_[line].closed) continue;
    edges.emplace_back(results_[HeadResult(lines_[line])], TargetOf(line, phase));
  }
  const plan::Because because(builder_, Reason::back_edge);
  CopyAtOnce(std::move(edges));
}

// The engine reads the condition after each iteration, wherever the copies of the body leave it.
void LoopLowering::TakeCondition() {
  if (!spec_.end.body_condition) return;
  const ValueId result = results_[*spec_.end.body_condition];
  if (condition_ == kNone) condition_ = builder_.Scratch(TypeOf(result));
  const plan::Because because(builder_, Reason::condition);
  builder_.Copy(result, condition_);
}

// All sources are read before any target is written: copies go in an order that sees to it, and one
// value of every circle is set aside.
void LoopLowering::CopyAtOnce(std::vector<std::pair<ValueId, ValueId>> copies) {
  const auto root = [&](ValueId value) { return plan::Resolve(program(), value).root; };
  std::erase_if(copies, [&](const auto& copy) {
    return SamePlace(plan::Resolve(program(), copy.first), plan::Resolve(program(), copy.second));
  });
  while (!copies.empty()) {
    const auto free = std::find_if(copies.begin(), copies.end(), [&](const auto& copy) {
      return std::none_of(copies.begin(), copies.end(), [&](const auto& other) {
        return &other != &copy && root(other.first) == root(copy.second);
      });
    });
    if (free != copies.end()) {
      builder_.Copy(free->first, free->second);
      copies.erase(free);
      continue;
    }
    const ValueId aside = builder_.Scratch(TypeOf(copies.front().first));
    builder_.Copy(copies.front().first, aside);
    copies.front().first = aside;
  }
}

void LoopLowering::FillSection() {
  std::vector<plan::BlockId> settles;
  for (size_t phase = 1; phase < copies_.size(); ++phase) settles.push_back(LaySettle(phase));
  if (!exact()) length_ = builder_.Scratch({ElementType::i32, {}});
  plan::Section& section = program().sections[section_];
  section.copies = copies_;
  section.settles = settles;
  section.iteration = index_;
  section.length = length_;
  section.trip = spec_.end.trip;
  section.first_condition = spec_.end.first_condition;
  section.body_condition = condition_;
  section.trip_count = spec_.limited || spec_.end.trip != kNone ? -1 : spec_.trips;
  section.max_trips = spec_.trips;
  section.report.sliced = Narrow32(spec_.sliced.size(), "sliced inputs");
  section.report.scans = Narrow32(spec_.scans.size(), "scan outputs");
  for (const DelayLine& line : lines_) {
    const auto states = Narrow32(line.states.size(), "states");
    const bool moving = line.homes > 1;
    section.report.through_scan_output += line.track ? states : 0;
    section.report.shuttles += !line.track && moving ? states : 0;
    section.report.carried_in_place += !line.track && !moving && (line.fresh || line.closed);
    section.report.carried_by_copy += !line.track && !moving && !line.fresh && !line.closed;
  }
  builder_.Enter(section_);
}

// Brings every wanted state to the home where it stands after a whole number of rounds.
plan::BlockId LoopLowering::LaySettle(size_t phase) {
  const plan::BlockId outside = builder_.block(), settle = builder_.NewBlock();
  builder_.SetBlock(settle);
  std::vector<std::pair<ValueId, ValueId>> copies;
  for (size_t last = 0; last < spec_.lasts.size() && !exact(); ++last) {
    if (!line_of_last_[last] || lines_[line_of_last_[last]->line].track) continue;
    const auto [line, age] = *line_of_last_[last];
    const std::pair<ValueId, ValueId> copy = {rings_[line][HomeAfter(lines_[line], phase, age)],
                                              rings_[line][HomeAfter(lines_[line], 0, age)]};
    if (std::find(copies.begin(), copies.end(), copy) == copies.end()) copies.push_back(copy);
  }
  const plan::Because because(builder_, Reason::settle);
  CopyAtOnce(std::move(copies));
  builder_.SetBlock(outside);
  return settle;
}

// With the true count in `length_`, the value born last is chunk number `length_` from the one
// before the first.
ValueId LoopLowering::LastOnTrack(const DelayLine& line, size_t age) {
  const Track& track = tracks_[*line.track];
  const TensorType type = StateType(line);
  const auto born = static_cast<int64_t>(age);
  if (exact()) return track.Chunk(builder_, spec_.trips - 1 - born, type);
  const int64_t unit = std::max<int64_t>(1, ElementBytes(type.type));
  const int64_t elements = track.chunk_bytes() / unit;
  const ValueId last = builder_.Scratch(type);
  if (elements == 0) return last;
  format::GatherParams params;
  params.mutate_batch(1);
  params.mutate_outer(1);
  params.mutate_axis(Narrow32(spec_.trips + 1, "axis"));
  params.mutate_inner(Narrow32(elements, "inner"));
  params.mutate_indices(1);
  params.mutate_element_bytes(Narrow32(unit, "element bytes"));
  params.mutate_index_type(ElementType::i32);
  const ValueId values = track.Chunk(builder_, -1 - born, {type.type, {spec_.trips + 1, elements}});
  const plan::Because because(builder_, Reason::settle);
  builder_.Emit(params, {values, length_}, {last});
  return last;
}

LoopResults LoopLowering::Results() {
  LoopResults out;
  out.length = length_;
  for (size_t scan = 0; scan < spec_.scans.size(); ++scan) {
    const std::optional<OfLine>& of = line_of_scan_[scan];
    const Track& track = tracks_[of ? *lines_[of->line].track : scan];
    const int64_t birth = of ? -static_cast<int64_t>(of->age) : 0;
    out.scans.push_back(track.Gathered(builder_, birth, spec_.scans[scan].type));
  }
  const size_t done = exact() ? static_cast<size_t>(spec_.trips) : 0;
  for (size_t last = 0; last < spec_.lasts.size(); ++last) {
    if (!line_of_last_[last]) {
      out.lasts.push_back(last_homes_[last]);
      continue;
    }
    const auto [line, age] = *line_of_last_[last];
    const DelayLine& of = lines_[line];
    const ValueId value = of.track ? LastOnTrack(of, age) : rings_[line][HomeAfter(of, done, age)];
    out.lasts.push_back(builder_.View(value, 0, spec_.lasts[last].type));
  }
  return out;
}

LoopResults LowerNever(Builder& builder, const LoopSpec& spec) {
  LoopResults out;
  for (const ScanOutput& scan : spec.scans) out.scans.push_back(builder.Scratch(scan.type));
  for (const LastValue& last : spec.lasts) {
    const auto state =
        std::find_if(spec.carried.begin(), spec.carried.end(),
                     [&](const CarriedState& carried) { return carried.result == last.result; });
    const auto bytes = static_cast<size_t>(DenseBytes(last.type).value_or(0));
    out.lasts.push_back(state != spec.carried.end()
                            ? state->initial
                            : builder.Weights(last.type, std::vector<std::byte>(bytes)));
  }
  return out;
}

}  // namespace

LoopResults LowerLoop(Builder& builder, const LoopSpec& spec, const LowerBody& body) {
  if (spec.trips == 0) return LowerNever(builder, spec);
  if (spec.trips == 1 && !spec.end.possible()) return LowerOnce(builder, spec, body);
  return LoopLowering(builder, spec, body).Run();
}

}  // namespace weft::ops
