// SPDX-License-Identifier: Apache-2.0
#include "converter/program/chains.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "converter/program/block_access.h"
#include "converter/program/chain_code.h"
#include "converter/program/live_bytes.h"

namespace weft::program {
namespace {

class ChainJoiner {
 public:
  ChainJoiner(Program& program, BlockId block)
      : program_(program),
        block_(block),
        items_(program.blocks[block].items),
        accesses_(CollectAccesses(program, block)),
        live_(program, block, accesses_, LiveBytes::InPlace::kShares) {}

  // Returns the number of steps saved.
  size_t Run() {
    for (size_t item = items_.size(); item-- > 0;) {
      if (!moved_.contains(item) && InstructionAt(item) != nullptr) Grow(item);
    }
    RemoveItems(items_, moved_);
    return moved_.size();
  }

 private:
  // Items of a chain in order; the last one writes its result.
  using Members = std::set<size_t>;
  // A change of live bytes from an item on to the last item of a chain.
  struct LiveChange {
    size_t first;
    int64_t bytes;
  };

  const Step* InstructionAt(size_t item) const {
    const auto* step = std::get_if<Step>(&items_[item]);
    return step != nullptr && MayBeInstruction(*step) ? step : nullptr;
  }
  // Returns the item at which the access now happens.
  int64_t NowAt(const Access& access) const {
    const auto found = moved_.find(static_cast<size_t>(access.item));
    return found == moved_.end() ? access.item : static_cast<int64_t>(found->second);
  }
  bool IsHere(ValueId root) const {
    return program_.values[root].storage == Storage::kScratch &&
           program_.values[root].block == block_;
  }

  void Grow(size_t last);
  std::optional<size_t> MakerOf(ValueId value) const;
  bool IsReadBy(const Members& members, ValueId value) const;
  std::optional<Step> Joined(const Members& members) const;
  bool MayRunAt(size_t last, size_t item, const Step& joined) const;
  bool FitsLive(size_t last, size_t item, const Step& before, const Step& joined);
  size_t LastReadOf(ValueId root) const;
  bool TakesOver(const Step& step, size_t item) const;

  Program& program_;
  const BlockId block_;
  std::vector<Item>& items_;
  const AccessMap accesses_;
  LiveBytes live_;
  std::map<size_t, size_t> moved_;  // by removed item: the item of its chain
};

// Returns the step that writes all of `value`, if it is the only one.
std::optional<size_t> ChainJoiner::MakerOf(ValueId value) const {
  if (value == kNone) return std::nullopt;
  const Location location = Resolve(program_, value);
  const auto found = accesses_.find(location.root);
  if (found == accesses_.end() || !IsHere(location.root) ||
      !IsCompleteScratch(program_, location, value))
    return std::nullopt;
  std::optional<size_t> maker;
  for (const Access& access : found->second) {
    if (!access.write) continue;
    if (maker || access.item < 0 || access.item == kAfterRun || access.nested) return std::nullopt;
    maker = static_cast<size_t>(access.item);
  }
  const bool is_instruction = maker && !moved_.contains(*maker) && InstructionAt(*maker) != nullptr;
  const bool makes_all =
      is_instruction && IsCompleteScratch(program_, location, InstructionAt(*maker)->outputs[0]);
  return makes_all ? maker : std::nullopt;
}

bool ChainJoiner::IsReadBy(const Members& members, ValueId value) const {
  const ValueId root = Resolve(program_, value).root;
  return std::ranges::all_of(accesses_.at(root), [&](const Access& access) {
    if (access.write) return true;
    return access.step != nullptr && !access.nested && access.item != kAfterRun &&
           members.contains(static_cast<size_t>(access.item));
  });
}

std::optional<Step> ChainJoiner::Joined(const Members& members) const {
  std::vector<const Step*> steps;
  for (const size_t item : members) steps.push_back(InstructionAt(item));
  return ChainOf(program_, steps);
}

// Returns true if nothing overwrites the operands of the step at `item` before the chain reads
// them, including the chain itself.
bool ChainJoiner::MayRunAt(size_t last, size_t item, const Step& joined) const {
  const Location result = Resolve(program_, joined.outputs[0]);
  const int64_t bytes = program_.values[joined.outputs[0]].bytes;
  for (size_t i = 0; i < joined.inputs.size(); ++i) {
    if (joined.inputs[i] == kNone) continue;
    const Location location = Resolve(program_, joined.inputs[i]);
    if (location.root != result.root) continue;
    const int64_t end = location.offset_bytes + program_.values[joined.inputs[i]].bytes;
    const bool is_apart =
        location.moves == result.moves &&
        (end <= result.offset_bytes || result.offset_bytes + bytes <= location.offset_bytes);
    if (!is_apart && !(location == result && MayShare(joined, i, 0))) return false;
  }
  return std::ranges::none_of(InstructionAt(item)->inputs, [&](ValueId input) {
    return IsWritten(accesses_, Resolve(program_, input).root, static_cast<int64_t>(item) + 1,
                     static_cast<int64_t>(last) - 1);
  });
}

size_t ChainJoiner::LastReadOf(ValueId root) const {
  int64_t last = 0;
  for (const Access& access : accesses_.at(root)) last = std::max(last, NowAt(access));
  return static_cast<size_t>(std::min<int64_t>(last, std::ssize(items_)));
}

bool ChainJoiner::TakesOver(const Step& step, size_t item) const {
  return CanOverwriteInput(program_, block_, step, 0,
                           [&](ValueId root) { return LastReadOf(root) <= item; });
}

// Removes the result of the step at `item` from the live bytes, and extends the live ranges of its
// operands. Restores everything and returns false if that needs more bytes. Around sections the
// live bytes may not grow at all, because sections have values of their own.
bool ChainJoiner::FitsLive(size_t last, size_t item, const Step& before, const Step& joined) {
  const Step& step = *InstructionAt(item);
  const int64_t made = program_.values[Resolve(program_, step.outputs[0]).root].bytes;
  const int64_t max = live_.Max(item, last);
  std::vector<LiveChange> changes = {{item + (TakesOver(step, item) ? 1 : 0), -made}};
  std::set<ValueId> roots;
  for (const ValueId input : step.inputs) {
    const ValueId root = Resolve(program_, input).root;
    if (!IsHere(root) || !roots.insert(root).second) continue;
    const size_t first = LastReadOf(root) + 1;
    if (first <= last) changes.push_back({first, program_.values[root].bytes});
  }
  const ValueId result = Resolve(program_, joined.outputs[0]).root;
  moved_[item] = last;
  const bool takes_over = TakesOver(joined, last);
  moved_.erase(item);
  if (IsHere(result) && takes_over != TakesOver(before, last)) {
    changes.push_back({last, (takes_over ? -1 : 1) * program_.values[result].bytes});
  }
  bool fits = true;
  for (size_t at = item; at < last; ++at) {
    if (!std::holds_alternative<SectionEntry>(items_[at])) continue;
    int64_t more = 0;
    for (const LiveChange& change : changes) more += at >= change.first ? change.bytes : 0;
    fits = fits && more <= 0;
  }
  for (const LiveChange& change : changes) live_.Add(change.first, last, change.bytes);
  fits = fits && live_.Max(item, last) <= max;
  if (fits) return true;
  for (const LiveChange& change : changes) live_.Add(change.first, last, -change.bytes);
  return false;
}

// Grows from the last step towards the first, so that all readers of a value are decided before the
// step that writes it.
void ChainJoiner::Grow(size_t last) {
  Members members = {last};
  std::optional<Step> chain;
  std::map<size_t, ValueId, std::greater<>> candidates;
  const auto add_makers = [&](size_t item) {
    for (const ValueId input : InstructionAt(item)->inputs) {
      const std::optional<size_t> maker = MakerOf(input);
      if (maker && *maker < item) candidates[*maker] = input;
    }
  };
  add_makers(last);
  while (!candidates.empty()) {
    const auto [item, value] = *candidates.begin();
    candidates.erase(candidates.begin());
    if (!IsReadBy(members, value)) continue;
    Members more = members;
    more.insert(item);
    std::optional<Step> joined = Joined(more);
    if (!joined || !MayRunAt(last, item, *joined)) continue;
    if (!FitsLive(last, item, chain ? *chain : *InstructionAt(last), *joined)) continue;
    members = std::move(more);
    chain = std::move(joined);
    moved_[item] = last;
    add_makers(item);
  }
  if (chain) items_[last] = *std::move(chain);
}

}  // namespace

void JoinChains(Program& program, size_t min_spared) {
  Program joined = program;
  size_t spared = 0;
  for (BlockId block = 0; block < joined.blocks.size(); ++block) {
    spared += ChainJoiner(joined, block).Run();
  }
  if (spared >= min_spared) program = std::move(joined);
}

}  // namespace weft::program
