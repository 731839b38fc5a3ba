// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/loop.h"

#include <algorithm>
#include <array>
#include <utility>

#include "converter/passes/fuse_tail.h"
#include "converter/plan/block_access.h"
#include "converter/plan/coalesce.h"
#include "converter/plan/schedule.h"

namespace weft::ops {

namespace {

using plan::Builder;
using plan::kNone;
using plan::Move;
using plan::ValueId;

int64_t Product(const Dims& dims, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < end; ++i) product *= dims[i];
  return product;
}

// Chunks of a tensor along one axis: [outer, trips, chunk], rows of `row_elements` per outer index,
// the first chunk `begin_elements` into each.
struct AxisView {
  int64_t outer, trips, row_elements, begin_elements, chunk_elements, element_bytes;
  int64_t chunk_bytes() const { return outer * chunk_elements * element_bytes; }
};

AxisView ViewOf(const TensorType& type, int64_t axis, int64_t trips, int64_t begin, int64_t part) {
  const auto position = static_cast<size_t>(axis);
  const int64_t inner = Product(type.dims, position + 1, type.dims.size());
  return {Product(type.dims, 0, position),
          trips,
          type.dims[position] * inner,
          begin * inner,
          part * inner,
          ElementBytes(type.type)};
}

enum class Carry { kInPlace, kShuttle, kThroughScan, kCopy };

// Lowers one spec. The first attempt lays the body down once with every state in place and looks
// which of them that breaks; if any, the program is put back and the body is laid down twice.
class LoopLowering {
 public:
  LoopLowering(Builder& builder, const LoopSpec& spec, const LowerBody& body)
      : builder_(builder), spec_(spec), body_(body) {}

  LoopResults Run() {
    if (spec_.trips == 1) return RunFlat();
    section_ = builder_.NewSection();
    if (spec_.iteration) index_ = builder_.Scratch(*spec_.iteration);
    PrepareSlices();
    FindStatesAmongOutputs();
    PrepareScans();
    PrepareStates();
    const Builder::Snapshot before = builder_.Take();
    LayCopies(1);
    if (DecideCarries()) {
      builder_.Restore(before);
      LayCopies(2);
    }
    FillSection();
    return Results();
  }

 private:
  LoopResults RunFlat();
  void PrepareSlices();
  void FindStatesAmongOutputs();
  void PrepareScans();
  void PrepareStates();
  void LayCopies(size_t unroll);
  void LayCopy(size_t copy, size_t unroll);
  bool DecideCarries();
  void FillSection();
  LoopResults Results();

  plan::Program& program() { return builder_.program(); }
  const TensorType& TypeOf(ValueId value) const { return builder_.value(value).type; }
  TensorType ChunkType(const SlicedInput& input) const {
    TensorType type = TypeOf(input.value);
    type.dims[static_cast<size_t>(input.axis)] = input.part;
    return type;
  }
  // One result can live in one home only.
  bool IsFirstWithResult(size_t state) const {
    const auto same = [&](const CarriedState& other) {
      return other.result == spec_.carried[state].result;
    };
    const auto first = std::find_if(spec_.carried.begin(), spec_.carried.end(), same);
    return first - spec_.carried.begin() == static_cast<std::ptrdiff_t>(state);
  }
  bool IsHome(ValueId value) {
    const ValueId root = plan::Resolve(program(), value).root;
    return std::any_of(homes_.begin(), homes_.end(), [&](const auto& homes) {
      return homes[0] != kNone && root == plan::Resolve(program(), homes[0]).root;
    });
  }
  // [outer, trips, chunk] <-> [trips, outer, chunk], in one strided copy.
  void MoveAxisOut(ValueId source, ValueId target, const AxisView& view) {
    builder_.CopyStrided(source, target, {view.trips, view.outer, view.chunk_elements},
                         {view.chunk_elements, view.row_elements, 1}, view.begin_elements,
                         {view.outer * view.chunk_elements, view.chunk_elements, 1}, 0);
  }
  void MoveAxisIn(ValueId source, ValueId target, const AxisView& view) {
    builder_.CopyStrided(source, target, {view.outer, view.trips, view.chunk_elements},
                         {view.chunk_elements, view.outer * view.chunk_elements, 1}, 0,
                         {view.row_elements, view.chunk_elements, 1}, 0);
  }
  // The chunk of `whole` (time first) that iteration i works on.
  ValueId MovingChunk(ValueId whole, int64_t base_bytes, int64_t chunk_bytes, bool backward,
                      TensorType type) {
    const int64_t offset = base_bytes + (backward ? (spec_.trips - 1) * chunk_bytes : 0);
    return builder_.View(whole, offset, std::move(type),
                         {Move{section_, backward ? -chunk_bytes : chunk_bytes}});
  }

  // Where a scan output is gathered: time first, with a slice before (after, when backward) the
  // first for the initial value of a state that travels through it.
  struct Gathering {
    ValueId whole = kNone;   // with the guard
    int64_t base_bytes = 0;  // of the slices proper
    AxisView view = {};
    bool guarded = false;
  };

  Builder& builder_;
  const LoopSpec& spec_;
  const LowerBody& body_;
  plan::SectionId section_ = kNone;
  ValueId index_ = kNone;
  std::vector<ValueId> slices_;
  std::vector<std::optional<size_t>> scan_of_state_;  // where a state is also a scan output's chunk
  std::vector<std::optional<size_t>> state_of_last_;  // where a last value is also a state
  std::vector<Gathering> gatherings_;
  std::vector<Carry> carries_;
  std::vector<std::array<ValueId, 2>> homes_;  // of each state; the second only for shuttles
  std::vector<ValueId> last_homes_;
  std::vector<plan::BlockId> copies_;
  std::vector<ValueId> results_;  // of the copy laid last
  ValueId first_body_value_ = 0;
};

LoopResults LoopLowering::RunFlat() {
  Iteration iteration;
  for (const SlicedInput& input : spec_.sliced) {
    const AxisView view = ViewOf(TypeOf(input.value), input.axis, 1, input.begin, input.part);
    if (view.outer == 1) {
      iteration.slices.push_back(
          builder_.View(input.value, view.begin_elements * view.element_bytes, ChunkType(input)));
      continue;
    }
    iteration.slices.push_back(builder_.Scratch(ChunkType(input)));
    MoveAxisOut(input.value, iteration.slices.back(), view);
  }
  if (spec_.iteration) {
    const auto bytes = static_cast<size_t>(ElementBytes(spec_.iteration->type));
    iteration.index = builder_.Weights(*spec_.iteration, std::vector<std::byte>(bytes));
  }
  for (const CarriedState& state : spec_.carried) iteration.states.push_back(state.initial);
  const std::vector<ValueId> results = body_(iteration);
  LoopResults out;
  for (const ScanOutput& scan : spec_.scans) {
    ValueId whole = results[scan.result];
    if (scan.whole != kNone) {
      whole = builder_.View(scan.whole, scan.base_bytes, scan.type);
      builder_.Copy(results[scan.result], whole);
    }
    out.scans.push_back(builder_.View(whole, 0, scan.type));
  }
  for (const size_t last : spec_.lasts) out.lasts.push_back(results[last]);
  return out;
}

void LoopLowering::PrepareSlices() {
  for (const SlicedInput& input : spec_.sliced) {
    const AxisView view =
        ViewOf(TypeOf(input.value), input.axis, spec_.trips, input.begin, input.part);
    ValueId whole = input.value;
    int64_t base_bytes = view.begin_elements * view.element_bytes;
    if (view.outer != 1) {
      whole = builder_.Scratch(
          {TypeOf(input.value).type, {view.trips, view.outer, view.chunk_elements}});
      MoveAxisOut(input.value, whole, view);
      base_bytes = 0;
    }
    slices_.push_back(
        MovingChunk(whole, base_bytes, view.chunk_bytes(), input.backward, ChunkType(input)));
  }
}

// A state and a scan output may be two Results of one value, perhaps reshaped between. Only the
// body's steps tell, so it is laid down once for the answer and taken back.
void LoopLowering::FindStatesAmongOutputs() {
  scan_of_state_.assign(spec_.carried.size(), std::nullopt);
  state_of_last_.assign(spec_.lasts.size(), std::nullopt);
  if (spec_.carried.empty()) return;
  const Builder::Snapshot before = builder_.Take();
  Iteration iteration;
  iteration.slices = slices_;
  iteration.index = index_;
  for (const CarriedState& state : spec_.carried) {
    iteration.states.push_back(builder_.Scratch(TypeOf(state.initial)));
  }
  builder_.SetBlock(builder_.NewBlock());
  const std::vector<ValueId> results = body_(iteration);
  const auto same = [&](ValueId a, ValueId b) {
    const plan::Place left = plan::Resolve(program(), a), right = plan::Resolve(program(), b);
    return left.root == right.root && left.offset_bytes == right.offset_bytes &&
           left.moves == right.moves && builder_.value(a).bytes == builder_.value(b).bytes;
  };
  for (size_t scan = 0; scan < spec_.scans.size(); ++scan) {
    for (size_t k = 0; k < spec_.carried.size(); ++k) {
      if (scan_of_state_[k] ||
          !same(results[spec_.carried[k].result], results[spec_.scans[scan].result]))
        continue;
      scan_of_state_[k] = scan;
      break;
    }
  }
  for (size_t last = 0; last < spec_.lasts.size(); ++last) {
    for (size_t k = 0; k < spec_.carried.size() && !state_of_last_[last]; ++k) {
      if (same(results[spec_.carried[k].result], results[spec_.lasts[last]]))
        state_of_last_[last] = k;
    }
  }
  builder_.Restore(before);
}

void LoopLowering::PrepareScans() {
  for (const ScanOutput& scan : spec_.scans) {
    Gathering gathering;
    gathering.view = ViewOf(scan.type, scan.axis, spec_.trips, 0,
                            scan.type.dims[static_cast<size_t>(scan.axis)] / spec_.trips);
    const size_t index = gatherings_.size();
    gathering.guarded =
        std::any_of(scan_of_state_.begin(), scan_of_state_.end(),
                    [&](const std::optional<size_t>& of_state) { return of_state == index; });
    if (scan.whole != kNone) {
      gathering.whole = scan.whole;
      gathering.base_bytes = scan.base_bytes;
      gatherings_.push_back(gathering);
      continue;
    }
    const int64_t slice_count = spec_.trips + (gathering.guarded ? 1 : 0);
    gathering.whole = builder_.Scratch(
        {scan.type.type, {slice_count, gathering.view.outer * gathering.view.chunk_elements}});
    if (gathering.guarded && !scan.backward) gathering.base_bytes = gathering.view.chunk_bytes();
    gatherings_.push_back(gathering);
  }
}

void LoopLowering::PrepareStates() {
  for (size_t k = 0; k < spec_.carried.size(); ++k) {
    const CarriedState& state = spec_.carried[k];
    const std::optional<size_t> scan = scan_of_state_[k];
    const TensorType type = TypeOf(state.initial);
    if (scan) {
      const Gathering& gathering = gatherings_[*scan];
      const bool backward = spec_.scans[*scan].backward;
      const int64_t chunk = gathering.view.chunk_bytes();
      const int64_t guard_bytes = gathering.base_bytes + (backward ? spec_.trips * chunk : -chunk);
      builder_.Copy(state.initial, builder_.View(gathering.whole, guard_bytes, type));
      const ValueId before = builder_.View(gathering.whole, guard_bytes, type,
                                           {Move{section_, backward ? -chunk : chunk}});
      carries_.push_back(Carry::kThroughScan);
      homes_.push_back({before, kNone});
      continue;
    }
    const ValueId home = builder_.Scratch(type);
    builder_.Copy(state.initial, home);
    carries_.push_back(Carry::kInPlace);
    homes_.push_back({home, kNone});
  }
}

void LoopLowering::LayCopies(size_t unroll) {
  copies_.clear();
  last_homes_.assign(spec_.lasts.size(), kNone);
  if (unroll == 2) {
    for (size_t k = 0; k < homes_.size(); ++k) {
      if (carries_[k] == Carry::kShuttle) homes_[k][1] = builder_.Scratch(TypeOf(homes_[k][0]));
    }
  }
  const plan::BlockId outside = builder_.block();
  first_body_value_ = static_cast<ValueId>(program().values.size());
  for (size_t copy = 0; copy < unroll; ++copy) {
    copies_.push_back(builder_.NewBlock());
    builder_.SetBlock(copies_.back());
    LayCopy(copy, unroll);
  }
  builder_.SetBlock(outside);
}

void LoopLowering::LayCopy(size_t copy, size_t unroll) {
  Iteration iteration;
  iteration.slices = slices_;
  iteration.index = index_;
  for (size_t k = 0; k < homes_.size(); ++k) {
    const bool odd = carries_[k] == Carry::kShuttle && copy == 1;
    iteration.states.push_back(homes_[k][odd ? 1 : 0]);
  }
  results_ = body_(iteration);
  for (size_t i = 0; i < spec_.scans.size(); ++i) {
    const Gathering& gathering = gatherings_[i];
    const ValueId result = results_[spec_.scans[i].result];
    builder_.Copy(result,
                  MovingChunk(gathering.whole, gathering.base_bytes, gathering.view.chunk_bytes(),
                              spec_.scans[i].backward, TypeOf(result)));
  }
  for (size_t i = 0; i < spec_.lasts.size(); ++i) {
    if (state_of_last_[i]) continue;
    // Made on first use, outside the body's own values, so that all copies share it.
    if (last_homes_[i] == kNone)
      last_homes_[i] = builder_.Scratch(TypeOf(results_[spec_.lasts[i]]));
    builder_.Copy(results_[spec_.lasts[i]], last_homes_[i]);
  }
  // Back edges act at once: a result that is itself a state's home is read before any home is
  // written.
  std::vector<std::pair<ValueId, ValueId>> edges, ordered;
  for (size_t k = 0; k < homes_.size(); ++k) {
    if (carries_[k] == Carry::kThroughScan) continue;
    const bool shuttle = carries_[k] == Carry::kShuttle && unroll == 2;
    const ValueId target = homes_[k][shuttle && copy == 0 ? 1 : 0];
    ValueId result = results_[spec_.carried[k].result];
    if (result != target && IsHome(result)) {
      const ValueId aside = builder_.Scratch(TypeOf(result));
      builder_.Copy(result, aside);
      result = aside;
    }
    edges.emplace_back(result, target);
    ordered.emplace_back(iteration.states[k], result);
  }
  for (const auto& [result, target] : edges) builder_.Copy(result, target);
  passes::FuseTails(program(), builder_.block());
  plan::OrderReadersFirst(program(), builder_.block(), ordered);
}

// True when some state needs a second home.
bool LoopLowering::DecideCarries() {
  const plan::AccessMap local = plan::CollectAccesses(program(), copies_[0]);
  const std::vector<plan::Item>& items = program().blocks[copies_[0]].items;
  bool shuttles = false;
  for (size_t k = 0; k < homes_.size(); ++k) {
    if (carries_[k] != Carry::kInPlace) continue;
    bool settled = false;
    for (size_t item = 0; item < items.size() && !settled; ++item) {
      const auto* step = std::get_if<plan::Step>(&items[item]);
      if (step == nullptr || !plan::IsPlainCopy(program(), *step) ||
          step->outputs[0] != homes_[k][0])
        continue;
      settled = true;
      const ValueId root = plan::Resolve(program(), step->inputs[0]).root;
      const bool fresh = root >= first_body_value_ &&
                         program().values[root].home == plan::Home::kScratch &&
                         program().values[root].bytes == builder_.value(homes_[k][0]).bytes;
      if (root == homes_[k][0]) continue;  // handed on unchanged
      const bool fits =
          plan::SourceFitsTarget(program(), *step, static_cast<int64_t>(item), local, local);
      if (fresh && fits && IsFirstWithResult(k)) continue;
      carries_[k] = fresh && IsFirstWithResult(k) ? Carry::kShuttle : Carry::kCopy;
      shuttles = shuttles || carries_[k] == Carry::kShuttle;
    }
  }
  return shuttles;
}

void LoopLowering::FillSection() {
  plan::Section& section = program().sections[section_];
  section.copies = copies_;
  section.iteration = index_;
  section.trip_count = spec_.trips;
  section.max_trips = spec_.trips;
  section.report.sliced = static_cast<uint32_t>(spec_.sliced.size());
  section.report.scans = static_cast<uint32_t>(spec_.scans.size());
  for (const Carry carry : carries_) {
    section.report.carried_in_place += carry == Carry::kInPlace;
    section.report.shuttles += carry == Carry::kShuttle;
    section.report.through_scan_output += carry == Carry::kThroughScan;
    section.report.carried_by_copy += carry == Carry::kCopy;
  }
  section.settles.assign(copies_.size() - 1, kNone);
  for (plan::BlockId& settle : section.settles) settle = builder_.NewBlock();
  builder_.Enter(section_);
}

LoopResults LoopLowering::Results() {
  LoopResults out;
  for (size_t i = 0; i < spec_.scans.size(); ++i) {
    const Gathering& gathering = gatherings_[i];
    if (gathering.view.outer == 1) {
      out.scans.push_back(
          builder_.View(gathering.whole, gathering.base_bytes, spec_.scans[i].type));
      continue;
    }
    const ValueId whole = builder_.Scratch(spec_.scans[i].type);
    const ValueId slices = builder_.View(
        gathering.whole, gathering.base_bytes,
        {spec_.scans[i].type.type,
         {gathering.view.trips, gathering.view.outer, gathering.view.chunk_elements}});
    MoveAxisIn(slices, whole, gathering.view);
    out.scans.push_back(whole);
  }
  for (size_t i = 0; i < spec_.lasts.size(); ++i) {
    if (!state_of_last_[i]) {
      out.lasts.push_back(last_homes_[i]);
      continue;
    }
    const size_t k = *state_of_last_[i];
    const TensorType type = TypeOf(results_[spec_.lasts[i]]);
    ValueId last = homes_[k][carries_[k] == Carry::kShuttle && spec_.trips % 2 == 1 ? 1 : 0];
    if (carries_[k] == Carry::kThroughScan) {
      const size_t scan = *scan_of_state_[k];
      const Gathering& gathering = gatherings_[scan];
      const int64_t at = spec_.scans[scan].backward ? 0 : spec_.trips - 1;
      last = builder_.View(gathering.whole,
                           gathering.base_bytes + at * gathering.view.chunk_bytes(), type);
    } else {
      last = builder_.View(last, 0, type);
    }
    out.lasts.push_back(last);
  }
  return out;
}

}  // namespace

LoopResults LowerLoop(Builder& builder, const LoopSpec& spec, const LowerBody& body) {
  return LoopLowering(builder, spec, body).Run();
}

}  // namespace weft::ops
