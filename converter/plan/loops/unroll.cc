// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/unroll.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/plan/loops/clone.h"
#include "converter/plan/loops/iteration_end.h"
#include "converter/plan/loops/scan_buffer.h"

namespace weft::plan {

namespace {

using format::Reason;

class Unroller {
 public:
  Unroller(program::Builder& builder, program::SectionId section, const LoopPlan& plan)
      : builder_(builder),
        id_(section),
        section_(builder.program().sections[section]),
        loop_(*section_.loop),
        plan_(plan) {}

  void Run() {
    builder_.SetLayer(section_.layer);
    for (const program::Loop::Sliced& input : loop_.sliced)
      BindSlice(builder_, input, trips(), id_);
    PrepareScanBuffers();
    PrepareRings();
    OrderInitialCopies();
    TakeOut();
    LayPhases();
    for (size_t phase = 1; phase < section_.copies.size(); ++phase) EmitEpilogue(phase);
    section_.loop.reset();
    program().sections[id_] = section_;
    builder_.Enter(id_);
    BindResults();
  }

 private:
  program::Program& program() { return builder_.program(); }
  TensorType TypeOf(program::ValueId value) const { return builder_.value(value).type; }
  TensorType StateType(const DelayLine& line) const {
    return TypeOf(loop_.carried[line.states[0]].state);
  }
  int64_t trips() const { return section_.max_trips; }

  void PrepareScanBuffers();
  void ClearScanBuffer(const ScanBuffer& scan_buffer);
  void PrepareRings();
  void OrderInitialCopies();
  void MoveInitialCopyToEnd(program::ValueId storage);
  void TakeOut();
  void LayPhases();
  program::ValueId BufferAt(size_t line, size_t position, size_t phase);
  std::vector<program::ValueId> StatesOf(size_t phase);
  IterationTargets TargetsOf(size_t phase);
  void EmitPhase(size_t phase, const std::vector<program::ValueId>& states);
  void EmitEpilogue(size_t phase);
  void BindResults();
  void BindLast(size_t last);
  void BindLastOnScanBuffer(const DelayLine& line, size_t age, program::ValueId value);

  program::Builder& builder_;
  const program::SectionId id_;
  program::Section section_;
  const program::Loop loop_;
  const LoopPlan& plan_;
  std::vector<ScanBuffer>
      scan_buffers_;  // by scan output; unused if it is stored in that of another one
};

void Unroller::PrepareScanBuffers() {
  for (size_t scan = 0; scan < loop_.scans.size(); ++scan) {
    const auto& of = plan_.line_of_scan[scan];
    if (of && *plan_.lines[of->line].scan_buffer != scan) {
      scan_buffers_.emplace_back();
      continue;
    }
    const size_t halo = of ? plan_.lines[of->line].states.size() : 0;
    scan_buffers_.push_back(ScanBuffer::Of(builder_, loop_.scans[scan], trips(), halo));
    if (section_.is_open()) ClearScanBuffer(scan_buffers_.back());
  }
  for (const DelayLine& line : plan_.lines) {
    for (size_t position = 0; line.scan_buffer && position < line.states.size(); ++position) {
      const program::Loop::Carried& carried = loop_.carried[line.states[position]];
      const ScanBuffer& scan_buffer = scan_buffers_[*line.scan_buffer];
      const auto age = static_cast<int64_t>(position) + 1;
      MakeView(program(), carried.initial, scan_buffer.whole(), scan_buffer.OffsetOf(-age));
      MakeView(program(), carried.state, scan_buffer.whole(), scan_buffer.OffsetOf(-age),
               {program::Move{id_, scan_buffer.stride_bytes()}});
    }
  }
}

// Clears the scan buffer, so that bytes after the true length do not depend on earlier runs.
void Unroller::ClearScanBuffer(const ScanBuffer& scan_buffer) {
  const program::Because because(builder_, Reason::clear);
  const ElementType type = builder_.type(scan_buffer.whole());
  const int64_t elements = scan_buffer.chunk_bytes() / std::max<int64_t>(1, ElementBytes(type));
  builder_.Fill(scan_buffer.Chunk(builder_, 0, {type, {trips(), elements}}));
}

// Binds the initial values of the states to the buffers of their rings.
void Unroller::PrepareRings() {
  for (size_t line = 0; line < plan_.lines.size(); ++line) {
    const std::vector<size_t>& states = plan_.lines[line].states;
    for (size_t storage = 0; storage < plan_.rings[line].size() && storage < states.size();
         ++storage) {
      MakeView(program(), loop_.carried[states[storage]].initial, plan_.rings[line][storage], 0);
    }
  }
  if (!section_.may_run_nothing()) return;
  const program::Because because(builder_, Reason::clear);
  for (size_t last = 0; last < loop_.lasts.size(); ++last) {
    if (!plan_.line_of_last[last]) builder_.Fill(loop_.lasts[last].value);
  }
}

// Before the loop each buffer of a ring receives an initial value. After the loop the value of a
// buffer may be copied to the source of an initial value, for example a variable. A buffer can only
// be merged with its final target if the copy that reads the old value of the target comes earlier.
// This orders the copies accordingly. The state in buffer h ends at position h + done.
void Unroller::OrderInitialCopies() {
  for (const std::vector<program::ValueId>& ring : plan_.rings) {
    const size_t done = ring.empty() ? 0 : static_cast<size_t>(trips()) % ring.size();
    if (ring.size() < 3 || done == 0 || section_.is_open()) continue;
    const size_t orbits = std::gcd(done, ring.size());
    for (size_t orbit = 0; orbit < orbits; ++orbit) {
      size_t storage = orbit;
      do {
        MoveInitialCopyToEnd(ring[storage]);
        storage = (storage + ring.size() - done) % ring.size();
      } while (storage != orbit);
    }
  }
}

// The copy may move: since then only slices and other initial values of this loop were added.
void Unroller::MoveInitialCopyToEnd(program::ValueId storage) {
  std::vector<program::Item>& items = program().blocks[builder_.block()].items;
  const auto found = std::find_if(items.rbegin(), items.rend(), [&](const program::Item& item) {
    const auto* step = std::get_if<program::Step>(&item);
    return step != nullptr && step->reason == Reason::initial_value &&
           IsPlainCopy(program(), *step) && Resolve(program(), step->outputs[0]).root == storage;
  });
  if (found != items.rend()) std::rotate(found.base() - 1, found.base(), items.end());
}

// Assigns the values that all phases share to the block around, because the body is copied.
void Unroller::TakeOut() {
  const auto take = [&](program::ValueId value) {
    if (value != program::kNone) program().values[value].block = builder_.block();
  };
  for (const program::Loop::Sliced& input : loop_.sliced) take(input.chunk);
  for (const program::Loop::Carried& carried : loop_.carried) take(carried.state);
  for (const std::vector<program::ValueId>& ring : plan_.rings) std::ranges::for_each(ring, take);
  take(section_.iteration);
}

// Returns the buffer of the state at `position` of a line in that phase.
program::ValueId Unroller::BufferAt(size_t line, size_t position, size_t phase) {
  const DelayLine& of = plan_.lines[line];
  if (of.scan_buffer) return loop_.carried[of.states[position]].state;
  return plan_.rings[line][BufferAfter(of, phase, position)];
}

std::vector<program::ValueId> Unroller::StatesOf(size_t phase) {
  std::vector<program::ValueId> states(loop_.carried.size());
  for (size_t line = 0; line < plan_.lines.size(); ++line) {
    const std::vector<size_t>& members = plan_.lines[line].states;
    for (size_t position = 0; position < members.size(); ++position) {
      states[members[position]] = BufferAt(line, position, phase);
    }
  }
  return states;
}

IterationTargets Unroller::TargetsOf(size_t phase) {
  IterationTargets targets;
  const std::vector<program::ValueId>& results = program().blocks[builder_.block()].results;
  for (size_t scan = 0; scan < loop_.scans.size(); ++scan) {
    const TensorType type = TypeOf(results[loop_.scans[scan].result]);
    targets.of_scans.push_back(plan_.line_of_scan[scan]
                                   ? program::kNone
                                   : scan_buffers_[scan].MovingChunk(builder_, id_, 0, type));
  }
  for (size_t last = 0; last < loop_.lasts.size(); ++last) {
    targets.of_lasts.push_back(plan_.line_of_last[last] ? program::kNone : loop_.lasts[last].value);
  }
  for (size_t line = 0; line < plan_.lines.size(); ++line) {
    const DelayLine& of = plan_.lines[line];
    targets.of_lines.push_back(
        of.scan_buffer ? scan_buffers_[*of.scan_buffer].MovingChunk(builder_, id_, 0, StateType(of))
                       : plan_.rings[line][BufferAfter(of, phase + 1, 0)]);
  }
  return targets;
}

// The loop's body becomes the first phase, in which each state is in its own buffer.
void Unroller::LayPhases() {
  const program::BlockId outside = builder_.block();
  section_.copies = {loop_.body};
  for (size_t phase = 1; phase < plan_.phases(); ++phase) {
    const std::vector<program::ValueId> states = StatesOf(phase);
    ValueMap values;
    for (size_t state = 0; state < states.size(); ++state) {
      values.emplace(loop_.carried[state].state, states[state]);
    }
    section_.copies.push_back(Clone(program(), loop_.body, std::move(values)));
  }
  for (size_t phase = 0; phase < section_.copies.size(); ++phase) {
    builder_.SetBlock(section_.copies[phase]);
    EmitPhase(phase, StatesOf(phase));
  }
  builder_.SetBlock(outside);
}

void Unroller::EmitPhase(size_t phase, const std::vector<program::ValueId>& states) {
  const IterationTargets targets = TargetsOf(phase);
  const std::vector<program::ValueId> results =
      std::move(program().blocks[builder_.block()].results);
  program().blocks[builder_.block()].results.clear();
  EndIteration(builder_, section_, plan_, results, states, targets);
}

// Emits the epilogue of a phase: it copies each state that is read to the buffer that it has after
// complete rounds.
void Unroller::EmitEpilogue(size_t phase) {
  const program::BlockId outside = builder_.block();
  section_.epilogues.push_back(builder_.NewBlock());
  builder_.SetBlock(section_.epilogues.back());
  std::vector<std::pair<program::ValueId, program::ValueId>> copies;
  for (size_t last = 0; last < loop_.lasts.size() && section_.is_open(); ++last) {
    const auto& of = plan_.line_of_last[last];
    if (!of || plan_.lines[of->line].scan_buffer) continue;
    const DelayLine& line = plan_.lines[of->line];
    const std::vector<program::ValueId>& ring = plan_.rings[of->line];
    const std::pair<program::ValueId, program::ValueId> copy = {
        ring[BufferAfter(line, phase, of->age)], ring[BufferAfter(line, 0, of->age)]};
    if (std::ranges::find(copies, copy) == copies.end()) copies.push_back(copy);
  }
  const program::Because because(builder_, Reason::epilogue);
  CopyAtOnce(builder_, std::move(copies));
  builder_.SetBlock(outside);
}

void Unroller::BindResults() {
  for (size_t scan = 0; scan < loop_.scans.size(); ++scan) {
    const auto& of = plan_.line_of_scan[scan];
    const ScanBuffer& scan_buffer = scan_buffers_[of ? *plan_.lines[of->line].scan_buffer : scan];
    scan_buffer.BindScan(builder_, of ? -static_cast<int64_t>(of->age) : 0,
                         loop_.scans[scan].whole);
  }
  for (size_t last = 0; last < loop_.lasts.size(); ++last) {
    if (plan_.line_of_last[last]) BindLast(last);
  }
}

void Unroller::BindLast(size_t last) {
  const auto [line, age] = *plan_.line_of_last[last];
  const DelayLine& of = plan_.lines[line];
  const program::ValueId value = loop_.lasts[last].value;
  if (of.scan_buffer) return BindLastOnScanBuffer(of, age, value);
  const size_t done = section_.is_open() ? 0 : static_cast<size_t>(trips());
  MakeView(program(), value, plan_.rings[line][BufferAfter(of, done, age)], 0);
}

// The true count is in section.length. Counting chunks from the one before the first, the last
// value is number `length`.
void Unroller::BindLastOnScanBuffer(const DelayLine& line, size_t age, program::ValueId value) {
  const ScanBuffer& scan_buffer = scan_buffers_[*line.scan_buffer];
  const auto back = static_cast<int64_t>(age);
  if (!section_.is_open()) {
    return MakeView(program(), value, scan_buffer.whole(),
                    scan_buffer.OffsetOf(trips() - 1 - back));
  }
  const TensorType type = StateType(line);
  const int64_t unit = std::max<int64_t>(1, ElementBytes(type.type));
  const int64_t elements = scan_buffer.chunk_bytes() / unit;
  if (elements == 0) return;
  format::GatherParams params;
  params.mutate_batch(1);
  params.mutate_outer(1);
  params.mutate_axis(Narrow32(trips() + 1, "axis"));
  params.mutate_inner(Narrow32(elements, "inner"));
  params.mutate_indices(1);
  params.mutate_element_bytes(Narrow32(unit, "element bytes"));
  params.mutate_index_type(ElementType::i32);
  const program::ValueId values =
      scan_buffer.Chunk(builder_, -1 - back, {type.type, {trips() + 1, elements}});
  const program::Because because(builder_, Reason::epilogue);
  builder_.Emit(params, {values, section_.length}, {value});
}

}  // namespace

void Unroll(program::Builder& builder, program::SectionId section, const LoopPlan& plan) {
  Unroller(builder, section, plan).Run();
}

}  // namespace weft::plan
