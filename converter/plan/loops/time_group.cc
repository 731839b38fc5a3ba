// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/time_group.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "converter/plan/loops/counted.h"
#include "converter/plan/loops/scan_buffer.h"
#include "converter/program/block_access.h"
#include "converter/program/row_parts.h"
#include "converter/program/window_rows.h"

namespace weft::plan {

namespace {

// Accessed roots, with true for those that are written.
using Touches = std::unordered_map<program::ValueId, bool>;

bool Conflict(const Touches& a, const Touches& b) {
  return std::ranges::any_of(a, [&](const auto& touch) {
    const auto found = b.find(touch.first);
    return found != b.end() && (touch.second || found->second);
  });
}

void AddTo(Touches& touches, const Touches& more) {
  for (const auto& [root, written] : more) touches[root] |= written;
}

// Collects the members after one item, as long as nothing else must run between them.
class GroupFinder {
 public:
  GroupFinder(const program::Program& program, program::BlockId block,
              const program::AccessMap& accesses, const std::vector<Touches>& touches)
      : program_(program), block_(block), accesses_(accesses), touches_(touches) {}

  std::optional<TimeGroup> From(size_t first, int64_t max_rows) {
    if (!Join(first)) return std::nullopt;
    for (size_t item = 0; item < first; ++item) group_.before.push_back(item);
    for (size_t item = first + 1; item < touches_.size(); ++item) {
      if (Conflict(touches_[item], after_)) {
        LeaveAfter(item);
      } else if (!Join(item)) {
        if (Conflict(touches_[item], members_)) {
          LeaveAfter(item);
        } else {
          group_.before.push_back(item);
        }
      }
    }
    SetKept();
    if (!SetNumbers(max_rows) || !IsUseful()) return std::nullopt;
    return std::move(group_);
  }

 private:
  void LeaveAfter(size_t item) {
    group_.after.push_back(item);
    AddTo(after_, touches_[item]);
  }

  const std::vector<program::Access>& AccessesOf(program::ValueId root) const {
    return accesses_.at(root);
  }
  size_t CountAt(program::ValueId root, size_t item) const {
    return static_cast<size_t>(std::ranges::count_if(
        AccessesOf(root),
        [&](const program::Access& access) { return std::cmp_equal(access.item, item); }));
  }

  bool Join(size_t item);
  bool MayMake(program::ValueId value) const;
  bool AddOperand(TimeMember& member, size_t input, program::ValueId value, int64_t begin_bytes,
                  int64_t rows, int64_t row_bytes) const;
  std::optional<TimeMember> MemberOf(size_t item, std::vector<TimeSequence>& made) const;
  std::optional<TimeMember> MemberOf(const program::Section& section,
                                     std::vector<TimeSequence>& made) const;
  std::optional<TimeMember> MemberOf(const program::Step& step,
                                     std::vector<TimeSequence>& made) const;
  std::optional<TimeMember> WindowOf(const program::Step& step,
                                     const program::WindowRows& window) const;
  std::optional<TimeMember> RowsOf(const program::Step& step) const;
  void SetKept();
  bool SetNumbers(int64_t max_rows);
  bool IsUseful() const;

  const program::Program& program_;
  const program::BlockId block_;
  const program::AccessMap& accesses_;
  const std::vector<Touches>& touches_;  // by item
  TimeGroup group_;
  std::unordered_map<program::ValueId, size_t> sequence_of_;
  Touches members_, after_;  // accesses of the members, and of the items left after the group
};

// Adds the item as a member if its operands are read row by row. No other access of the item may
// depend on another member.
bool GroupFinder::Join(size_t item) {
  std::vector<TimeSequence> made;
  std::optional<TimeMember> member = MemberOf(item, made);
  if (!member) return false;
  const bool is_fed = std::ranges::any_of(member->operands, [](const TimeOperand& operand) {
    return operand.sequence != program::kNone;
  });
  if (!is_fed && !group_.members.empty()) return false;
  Touches rest = touches_[item];
  for (const TimeOperand& operand : member->operands) {
    if (operand.sequence == program::kNone) continue;
    const program::ValueId whole = group_.sequences[operand.sequence].whole;
    const auto reads =
        std::ranges::count(member->operands, operand.sequence, &TimeOperand::sequence);
    if (!std::cmp_equal(reads, CountAt(whole, item))) return false;
    rest.erase(whole);
  }
  if (Conflict(rest, members_)) return false;
  member->item = item;
  for (TimeSequence& sequence : made) {
    sequence.maker = group_.members.size();
    member->made.push_back(group_.sequences.size());
    sequence_of_.emplace(sequence.whole, group_.sequences.size());
    group_.sequences.push_back(sequence);
  }
  group_.members.push_back(*std::move(member));
  AddTo(members_, touches_[item]);
  return true;
}

// Returns true for a complete root in scratch that exactly one step or loop writes.
bool GroupFinder::MayMake(program::ValueId value) const {
  const program::Value& whole = program_.values[value];
  return whole.parent == program::kNone && whole.storage == program::Storage::kScratch &&
         whole.block == block_ && BitsOf(whole.type.type) >= 8 &&
         std::ranges::count_if(AccessesOf(value), &program::Access::write) == 1;
}

// Returns false if the operand is a sequence that is not read row by row.
bool GroupFinder::AddOperand(TimeMember& member, size_t input, program::ValueId value,
                             int64_t begin_bytes, int64_t rows, int64_t row_bytes) const {
  const program::Location location = Resolve(program_, value);
  const auto found = sequence_of_.find(location.root);
  if (found == sequence_of_.end()) {
    member.operands.push_back({input, program::kNone, value, begin_bytes, row_bytes});
    return true;
  }
  const TimeSequence& sequence = group_.sequences[found->second];
  member.operands.push_back({input, found->second, value, 0, row_bytes});
  return begin_bytes == 0 && location.offset_bytes == 0 && location.moves.empty() &&
         sequence.rows == rows && sequence.row_bytes == row_bytes;
}

std::optional<TimeMember> GroupFinder::MemberOf(size_t item,
                                                std::vector<TimeSequence>& made) const {
  const program::Item& of = program_.blocks[block_].items[item];
  const auto* entry = std::get_if<program::SectionEntry>(&of);
  return entry != nullptr ? MemberOf(program_.sections[entry->section], made)
                          : MemberOf(std::get<program::Step>(of), made);
}

std::optional<TimeMember> GroupFinder::MemberOf(const program::Section& section,
                                                std::vector<TimeSequence>& made) const {
  if (!IsCountedLoop(section) || section.iteration != program::kNone) return std::nullopt;
  const program::Loop& loop = *section.loop;
  const bool has_section = !SectionsIn(program_, loop.body).empty();
  if (has_section) return std::nullopt;
  TimeMember member;
  member.rows = section.trip_count;
  for (size_t slice = 0; slice < loop.sliced.size(); ++slice) {
    const program::Loop::Sliced& sliced = loop.sliced[slice];
    const AxisView view = ViewOfSlice(program_, sliced, member.rows);
    if (sliced.backward || view.outer != 1) return std::nullopt;
    if (!AddOperand(member, slice, sliced.whole, view.begin_elements * view.element_bytes,
                    member.rows, view.chunk_bytes())) {
      return std::nullopt;
    }
  }
  for (const program::Loop::Scan& scan : loop.scans) {
    const AxisView view = ViewOfScan(program_, scan, member.rows);
    if (scan.backward || view.outer != 1 || !MayMake(scan.whole)) return std::nullopt;
    made.push_back({scan.whole, member.rows, view.chunk_bytes()});
  }
  return member;
}

std::optional<TimeMember> GroupFinder::MemberOf(const program::Step& step,
                                                std::vector<TimeSequence>& made) const {
  if (step.outputs.size() != 1 || !MayMake(step.outputs[0])) return std::nullopt;
  const std::optional<program::WindowRows> window = WindowRowsOf(step);
  std::optional<TimeMember> member = window ? WindowOf(step, *window) : RowsOf(step);
  if (!member) return std::nullopt;
  made.push_back(
      {step.outputs[0], member->rows, program_.values[step.outputs[0]].bytes / member->rows});
  return member;
}

std::optional<TimeMember> GroupFinder::WindowOf(const program::Step& step,
                                                const program::WindowRows& window) const {
  TimeMember member;
  member.rows = window.out;
  member.front = window.front;
  member.reach = window.reach;
  member.after = window.after();
  const int64_t bytes = program_.values[step.inputs[0]].bytes;
  if (window.in == 0 || window.out == 0 || bytes % window.in != 0 || member.after < 0 ||
      !AddOperand(member, 0, step.inputs[0], 0, window.in, bytes / window.in)) {
    return std::nullopt;
  }
  return member;
}

// The member must compute as many rows as the sequence that it reads has.
std::optional<TimeMember> GroupFinder::RowsOf(const program::Step& step) const {
  TimeMember member;
  for (const program::ValueId input : step.inputs) {
    if (input == program::kNone) continue;
    const auto found = sequence_of_.find(Resolve(program_, input).root);
    if (found != sequence_of_.end()) member.rows = group_.sequences[found->second].rows;
  }
  if (member.rows == 0) return std::nullopt;
  const std::optional<program::RowPart> part = RowPartOf(program_, step, member.rows);
  if (!part) return std::nullopt;
  for (size_t input = 0; input < step.inputs.size(); ++input) {
    const program::OperandParts& parts = part->operands[input];
    if (parts.bytes == 0) continue;
    if (parts.outer != 1 ||
        !AddOperand(member, input, step.inputs[input], 0, member.rows, parts.bytes)) {
      return std::nullopt;
    }
  }
  return member;
}

// Determines the rows that are read after the group.
void GroupFinder::SetKept() {
  for (TimeSequence& sequence : group_.sequences) {
    sequence.kept_from = sequence.rows;
    for (const program::Access& access : AccessesOf(sequence.whole)) {
      const bool is_members = std::ranges::any_of(group_.members, [&](const TimeMember& member) {
        return std::cmp_equal(member.item, access.item);
      });
      if (is_members) continue;
      const int64_t first = access.moves.empty() ? access.begin_bytes / sequence.row_bytes : 0;
      sequence.kept_from = std::min(sequence.kept_from, first);
    }
  }
}

bool GroupFinder::SetNumbers(int64_t max_rows) {
  int64_t min_lead = 0, end = std::numeric_limits<int64_t>::max();
  for (TimeMember& member : group_.members) {
    for (const TimeOperand& operand : member.operands) {
      if (operand.sequence == program::kNone) continue;
      const TimeMember& maker = group_.members[group_.sequences[operand.sequence].maker];
      member.lag =
          std::max(member.lag, maker.lag + std::max<int64_t>(0, member.reach - member.front));
    }
    min_lead = std::max(min_lead, member.lag + member.front);
    end = std::min(end, member.rows + member.lag - member.after);
  }
  group_.tile = std::min(max_rows, (end - min_lead) / 2);
  if (group_.tile < 1) return false;
  group_.tiles = (end - min_lead) / group_.tile;
  group_.lead = end - group_.tiles * group_.tile;
  for (const TimeMember& member : group_.members) {
    for (const TimeOperand& operand : member.operands) {
      if (operand.sequence == program::kNone) continue;
      TimeSequence& sequence = group_.sequences[operand.sequence];
      const int64_t lag = group_.members[sequence.maker].lag;
      sequence.history = std::max(sequence.history, member.front + member.lag - lag);
    }
  }
  // A sequence is kept completely if later items read more than the rows of the last stage.
  for (TimeSequence& sequence : group_.sequences) {
    const int64_t rest = group_.RestOf(group_.members[sequence.maker]);
    const int64_t last = sequence.rows - (rest > 0 ? rest : group_.tile);
    if (sequence.kept_from < last) sequence.kept_from = 0;
  }
  return true;
}

bool GroupFinder::IsUseful() const {
  const auto is_loop = [&](const TimeMember& member) {
    return std::holds_alternative<program::SectionEntry>(
        program_.blocks[block_].items[member.item]);
  };
  const auto has_window = [](const TimeMember& member) { return member.front + member.reach > 0; };
  return std::ranges::any_of(group_.members, is_loop) &&
         std::ranges::any_of(group_.members, has_window) &&
         std::ranges::any_of(group_.sequences,
                             [](const TimeSequence& sequence) { return sequence.kept_from > 0; });
}

// Maximum number of items before the first loop at which a group may begin. Trying all items of a
// long chain would take quadratic time.
constexpr size_t kMaxItemsBefore = 64;

// Returns for each item whether a loop is at it or less than kMaxItemsBefore items after it.
std::vector<bool> HaveOverlappingLoops(const program::Program& program,
                                       const std::vector<program::Item>& items) {
  std::vector<bool> have(items.size());
  size_t left = 0;
  for (size_t i = items.size(); i-- > 0;) {
    const auto* entry = std::get_if<program::SectionEntry>(&items[i]);
    if (entry != nullptr && IsCountedLoop(program.sections[entry->section])) left = kMaxItemsBefore;
    have[i] = left != 0;
    if (left != 0) --left;
  }
  return have;
}

std::vector<Touches> TouchesOf(const program::AccessMap& accesses, size_t items) {
  std::vector<Touches> touches(items);
  for (const auto& [root, of_root] : accesses) {
    for (const program::Access& access : of_root) {
      if (access.item < 0 || std::cmp_greater_equal(access.item, items)) continue;
      touches[static_cast<size_t>(access.item)][root] |= access.write;
    }
  }
  return touches;
}

}  // namespace

std::optional<TimeGroup> FindTimeGroup(const program::Program& program, program::BlockId block,
                                       size_t first, int64_t max_rows) {
  if (CountedLoopsIn(program, block).empty()) return std::nullopt;
  const program::AccessMap accesses = CollectAccesses(program, block);
  const size_t items = program.blocks[block].items.size();
  const std::vector<Touches> touches = TouchesOf(accesses, items);
  const std::vector<bool> have_loops = HaveOverlappingLoops(program, program.blocks[block].items);
  for (; first < items; ++first) {
    if (!have_loops[first]) continue;
    std::optional<TimeGroup> group =
        GroupFinder(program, block, accesses, touches).From(first, max_rows);
    if (group) return group;
  }
  return std::nullopt;
}

}  // namespace weft::plan
