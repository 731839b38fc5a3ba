// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "converter/plan/loops/clone.h"
#include "converter/plan/loops/loop_passes.h"
#include "converter/plan/loops/scan_buffer.h"
#include "converter/plan/loops/time_group.h"
#include "converter/program/builder.h"
#include "converter/program/row_parts.h"
#include "converter/program/window_rows.h"

namespace weft::plan {

namespace {

using format::Reason;

// The rows before the tiles, the tiles, and the rows after them.
enum class Stage : uint8_t { kLead, kTiles, kRest };

class TileBuilder {
 public:
  TileBuilder(program::Program& program, program::BlockId block, TimeGroup group)
      : builder_(program), block_(block), group_(std::move(group)) {}

  // Returns the index of the first item after the group.
  size_t Run() {
    builder_.SetBlock(block_);
    const std::vector<program::Item> items = std::exchange(program().blocks[block_].items, {});
    for (const size_t item : group_.before) builder_.Append(items[item]);
    for (const TimeMember& member : group_.members) {
      items_.push_back(items[member.item]);
      states_.push_back(InitialStates(items_.back()));
    }
    MakeBuffers();
    MakeStage(Stage::kLead);
    MakeTiles();
    MakeStage(Stage::kRest);
    const size_t end = program().blocks[block_].items.size();
    for (const size_t item : group_.after) builder_.Append(items[item]);
    for (const program::Item& item : items_) Forget(item);
    return end;
  }

 private:
  // Position of rows of a sequence: row `next` of the sequence follows row `end` of the buffer.
  struct Rows {
    program::ValueId buffer = program::kNone;
    int64_t end = 0, next = 0;
  };
  struct Extent {
    int64_t begin = 0, count = 0;
  };

  program::Program& program() { return builder_.program(); }
  const program::Section& SectionOf(const program::Item& item) {
    return program().sections[std::get<program::SectionEntry>(item).section];
  }
  std::vector<program::ValueId> InitialStates(const program::Item& item);
  void Forget(const program::Item& item);
  void MakeBuffers();
  void MakeTiles();
  void MakeStage(Stage stage);
  Extent ExtentOf(const TimeMember& member) const;
  bool IsLastStage(const TimeMember& member) const {
    return stage_ == (group_.RestOf(member) > 0 ? Stage::kRest : Stage::kTiles);
  }
  TensorType RowsType(const TimeSequence& sequence, int64_t rows) const;
  program::ValueId Part(program::ValueId whole, int64_t begin_bytes, int64_t row_bytes,
                        Extent rows);
  program::ValueId RowsOf(const TimeOperand& operand, Extent rows);
  program::ValueId BeginRows(size_t sequence, Extent rows);
  void MoveHistory(const TimeSequence& sequence, const Rows& location, int64_t rows);
  void KeepRows(const TimeSequence& sequence, program::ValueId made, Extent rows);
  program::ValueId TailOf(const TimeSequence& sequence);
  void MakeStep(const TimeMember& member, const program::Step& step, Extent rows);
  void MakeLoop(size_t member, program::SectionId from, Extent rows);
  void CarryStates(size_t member, program::Loop& within);
  void KeepLasts(const program::Loop& from, program::Loop& within);
  size_t AddResult(program::ValueId value);

  program::Builder builder_;
  const program::BlockId block_;
  const TimeGroup group_;
  std::vector<program::Item> items_;                   // by member
  std::vector<std::vector<program::ValueId>> states_;  // by member: its states before its next rows
  std::vector<Rows> positions_;                        // by sequence
  Stage stage_ = Stage::kLead;
  program::SectionId tiles_ = program::kNone;
  program::Loop around_;     // the loop over tiles
  size_t around_state_ = 0;  // index in it of the first state of the current member
};

std::vector<program::ValueId> TileBuilder::InitialStates(const program::Item& item) {
  std::vector<program::ValueId> initial;
  if (!std::holds_alternative<program::SectionEntry>(item)) return initial;
  for (const program::Loop::Carried& carried : SectionOf(item).loop->carried) {
    initial.push_back(carried.initial);
  }
  return initial;
}

void TileBuilder::Forget(const program::Item& item) {
  if (!std::holds_alternative<program::SectionEntry>(item)) return;
  program::Section& section = program().sections[std::get<program::SectionEntry>(item).section];
  program().blocks[section.loop->body] = {};
  section.loop.reset();
}

TensorType TileBuilder::RowsType(const TimeSequence& sequence, int64_t rows) const {
  const ElementType type = builder_.type(sequence.whole);
  return {type, {rows, sequence.row_bytes / ElementBytes(type)}};
}

// Adds a buffer for each sequence with history. It has space for the rows of each stage at its end,
// and for the row before them. A loop keeps a state there if the state is such a row.
void TileBuilder::MakeBuffers() {
  for (const TimeSequence& sequence : group_.sequences) {
    Rows& location = positions_.emplace_back();
    if (sequence.history == 0) continue;
    const TimeMember& maker = group_.members[sequence.maker];
    location.end = std::max(group_.LeadOf(maker) + 1,
                            sequence.history + std::max(group_.tile, group_.RestOf(maker)));
    location.buffer = builder_.Scratch(RowsType(sequence, location.end));
  }
}

void TileBuilder::MakeTiles() {
  tiles_ = builder_.NewSection();
  around_.body = builder_.NewBlock();
  builder_.SetBlock(around_.body);
  MakeStage(Stage::kTiles);
  builder_.SetBlock(block_);
  builder_.Enter(tiles_);
  program::Section& section = program().sections[tiles_];
  section.trip_count = section.max_trips = group_.tiles;
  section.layer = builder_.layer();
  section.loop = std::move(around_);
}

TileBuilder::Extent TileBuilder::ExtentOf(const TimeMember& member) const {
  const int64_t lead = group_.LeadOf(member);
  if (stage_ == Stage::kLead) return {0, lead};
  if (stage_ == Stage::kTiles) return {lead, group_.tile};
  return {lead + group_.tiles * group_.tile, group_.RestOf(member)};
}

void TileBuilder::MakeStage(Stage stage) {
  stage_ = stage;
  for (size_t i = 0; i < group_.members.size(); ++i) {
    const TimeMember& member = group_.members[i];
    const Extent rows = ExtentOf(member);
    for (const size_t sequence : member.made) positions_[sequence].next = rows.begin + rows.count;
    if (rows.count == 0) continue;
    if (const auto* step = std::get_if<program::Step>(&items_[i])) {
      MakeStep(member, *step, rows);
    } else {
      MakeLoop(i, std::get<program::SectionEntry>(items_[i]).section, rows);
    }
  }
}

// A view of rows of a value outside of the group; within a tile, of the rows of that tile.
program::ValueId TileBuilder::Part(program::ValueId whole, int64_t begin_bytes, int64_t row_bytes,
                                   Extent rows) {
  std::vector<program::Move> moves;
  if (stage_ == Stage::kTiles) moves.push_back({tiles_, group_.tile * row_bytes});
  const ElementType type = builder_.type(whole);
  return builder_.View(whole, begin_bytes + rows.begin * row_bytes,
                       {type, {rows.count, row_bytes / ElementBytes(type)}}, std::move(moves));
}

program::ValueId TileBuilder::RowsOf(const TimeOperand& operand, Extent rows) {
  if (operand.sequence == program::kNone) {
    return Part(operand.value, operand.begin_bytes, operand.row_bytes, rows);
  }
  const Rows& location = positions_[operand.sequence];
  const int64_t row = location.end - (location.next - rows.begin);
  return builder_.View(location.buffer, row * operand.row_bytes,
                       RowsType(group_.sequences[operand.sequence], rows.count));
}

// Returns the view that receives the next rows of a sequence.
program::ValueId TileBuilder::BeginRows(size_t id, Extent rows) {
  const TimeSequence& sequence = group_.sequences[id];
  Rows& location = positions_[id];
  const TensorType type = RowsType(sequence, rows.count);
  if (sequence.history == 0) {
    location.buffer = builder_.Scratch(type);
    location.end = rows.count;
    return location.buffer;
  }
  if (stage_ != Stage::kLead) MoveHistory(sequence, location, rows.count);
  return builder_.View(location.buffer, (location.end - rows.count) * sequence.row_bytes, type);
}

// Moves the last rows of a buffer, its history, `rows` rows to the front.
void TileBuilder::MoveHistory(const TimeSequence& sequence, const Rows& location, int64_t rows) {
  const program::Because because(builder_, Reason::back_edge);
  const auto part = [&](int64_t begin, int64_t count) {
    return builder_.View(location.buffer, begin * sequence.row_bytes, RowsType(sequence, count));
  };
  const int64_t history = sequence.history, from = location.end - history;
  if (history <= 2 * rows) {
    const int64_t first = std::min(history, rows);
    builder_.Copy(part(from, first), part(from - rows, first));
    if (first == history) return;
    builder_.Copy(part(from + first, history - first), part(from, history - first));
    return;
  }
  const program::ValueId aside = builder_.Scratch(RowsType(sequence, history));
  builder_.Copy(part(from, history), aside);
  builder_.Copy(aside, part(from - rows, history));
}

// Copies rows that are read after the group to where they are read.
void TileBuilder::KeepRows(const TimeSequence& sequence, program::ValueId made, Extent rows) {
  if (sequence.kept_from == sequence.rows) return;
  const program::Because because(builder_, Reason::scan_chunk);
  if (sequence.kept_from == 0) {
    builder_.Copy(made, Part(sequence.whole, 0, sequence.row_bytes, rows));
    return;
  }
  if (!IsLastStage(group_.members[sequence.maker])) return;
  const int64_t kept = sequence.rows - sequence.kept_from;
  builder_.Copy(
      builder_.View(made, (rows.count - kept) * sequence.row_bytes, RowsType(sequence, kept)),
      TailOf(sequence));
}

// Adds a value for the last rows only, and makes the views of these rows views of that value.
program::ValueId TileBuilder::TailOf(const TimeSequence& sequence) {
  const int64_t begin = sequence.kept_from * sequence.row_bytes;
  std::vector<std::pair<program::ValueId, int64_t>> parts;
  for (program::ValueId value = 0; value < program().values.size(); ++value) {
    const program::Location location = Resolve(program(), value);
    if (location.root == sequence.whole && location.moves.empty() &&
        location.offset_bytes >= begin) {
      parts.emplace_back(value, location.offset_bytes - begin);
    }
  }
  const program::BlockId block = builder_.block();
  builder_.SetBlock(block_);
  const program::ValueId tail =
      builder_.Scratch(RowsType(sequence, sequence.rows - sequence.kept_from));
  builder_.SetBlock(block);
  for (const auto& [value, offset] : parts) MakeView(program(), value, tail, offset);
  return tail;
}

void TileBuilder::MakeStep(const TimeMember& member, const program::Step& step, Extent rows) {
  builder_.SetLayer(step.layer);
  program::Step part = step;
  Extent read = rows;
  if (const std::optional<program::WindowRows> window = WindowRowsOf(step)) {
    const int64_t first = rows.begin - member.front;
    const int64_t end = std::min(first + member.reach + rows.count, window->in);
    read = {std::max<int64_t>(0, first), end - std::max<int64_t>(0, first)};
    part.params = WindowPart(step, read.count, rows.count, read.begin - first);
  } else {
    part.params = RowPartOf(program(), step, member.rows, rows.count)->params;
  }
  for (const TimeOperand& operand : member.operands) {
    part.inputs[operand.input] = RowsOf(operand, read);
  }
  part.outputs[0] = BeginRows(member.made[0], rows);
  const program::ValueId made = part.outputs[0];
  builder_.Append(std::move(part));
  KeepRows(group_.sequences[member.made[0]], made, rows);
}

void TileBuilder::MakeLoop(size_t id, program::SectionId from_id, Extent rows) {
  const TimeMember& member = group_.members[id];
  program::Section section = program().sections[from_id];
  const program::Loop from = *std::exchange(section.loop, std::nullopt);
  builder_.SetLayer(section.layer);
  program::Loop within;
  ValueMap copies;
  const auto copy = [&](program::ValueId value) {
    return copies[value] = program().Add(builder_.value(value));
  };
  for (const TimeOperand& operand : member.operands) {
    const program::ValueId whole = RowsOf(operand, rows);
    within.sliced.push_back({whole, copy(from.sliced[operand.input].chunk), 0, 1, 0, false});
  }
  for (const program::Loop::Carried& carried : from.carried) {
    within.carried.push_back({program::kNone, copy(carried.state), carried.result});
  }
  within.body = Clone(program(), from.body, copies);
  for (const auto& [value, copied] : copies) program().values[copied].block = within.body;
  // The history moves first: a state that is one of its rows is stored in the row before the new
  // rows.
  std::vector<program::ValueId> made;
  for (size_t scan = 0; scan < from.scans.size(); ++scan) {
    made.push_back(BeginRows(member.made[scan], rows));
    within.scans.push_back({from.scans[scan].result, made.back(), 0, false});
  }
  CarryStates(id, within);
  if (IsLastStage(member)) KeepLasts(from, within);
  section.loop = std::move(within);
  section.trip_count = section.max_trips = rows.count;
  const program::SectionId made_id = builder_.NewSection();
  program().sections[made_id] = std::move(section);
  builder_.Enter(made_id);
  for (size_t scan = 0; scan < made.size(); ++scan) {
    KeepRows(group_.sequences[member.made[scan]], made[scan], rows);
  }
}

// Carries the states of a member from stage to stage, and from tile to tile.
void TileBuilder::CarryStates(size_t id, program::Loop& within) {
  const program::Because because(builder_, Reason::initial_value);
  const bool goes_on = !IsLastStage(group_.members[id]);
  around_state_ = around_.carried.size();
  for (size_t i = 0; i < within.carried.size(); ++i) {
    program::ValueId& state = states_[id][i];
    const TensorType type = builder_.value(within.carried[i].state).type;
    const auto copied = [&](program::ValueId from) {
      const program::ValueId initial = builder_.Scratch(type);
      builder_.Copy(from, initial);
      return initial;
    };
    const program::ValueId last =
        stage_ == Stage::kTiles || goes_on ? builder_.Scratch(type) : program::kNone;
    if (last != program::kNone) within.lasts.push_back({within.carried[i].result, last});
    if (stage_ != Stage::kTiles) {
      within.carried[i].initial = copied(state);
      state = last;
      continue;
    }
    const program::ValueId before = builder_.Scratch(type);
    // A loop of one iteration reads its states directly.
    within.carried[i].initial = group_.tile == 1 ? before : copied(before);
    builder_.SetBlock(block_);
    const size_t result = AddResult(last);
    around_.carried.push_back({copied(state), before, result});
    if (goes_on) {
      state = builder_.Scratch(type);
      around_.lasts.push_back({result, state});
    }
    builder_.SetBlock(around_.body);
  }
}

// Binds the last values of the loop in the last stage.
void TileBuilder::KeepLasts(const program::Loop& from, program::Loop& within) {
  for (const program::Loop::Last& last : from.lasts) {
    if (stage_ != Stage::kTiles) {
      within.lasts.push_back(last);
      continue;
    }
    const auto carried =
        std::ranges::find(from.carried, last.result, &program::Loop::Carried::result);
    if (carried != from.carried.end()) {
      const size_t state = around_state_ + static_cast<size_t>(carried - from.carried.begin());
      around_.lasts.push_back({around_.carried[state].result, last.value});
      continue;
    }
    const program::ValueId value = builder_.Scratch(builder_.value(last.value).type);
    within.lasts.push_back({last.result, value});
    around_.lasts.push_back({AddResult(value), last.value});
  }
}

// Returns the index of `value` as a result of a tile.
size_t TileBuilder::AddResult(program::ValueId value) {
  std::vector<program::ValueId>& results = program().blocks[around_.body].results;
  results.push_back(value);
  return results.size() - 1;
}

}  // namespace

bool RunInTiles(program::Program& program, int64_t max_rows) {
  bool has_any = false;
  const size_t blocks = program.blocks.size();
  for (program::BlockId block = 0; block < blocks; ++block) {
    size_t first = 0;
    while (std::optional<TimeGroup> group = FindTimeGroup(program, block, first, max_rows)) {
      first = TileBuilder(program, block, *std::move(group)).Run();
      has_any = true;
    }
  }
  return has_any;
}

}  // namespace weft::plan
