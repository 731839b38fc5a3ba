// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/fuse.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "converter/plan/loops/counted.h"
#include "converter/plan/loops/strips.h"
#include "converter/plan/loops/track.h"
#include "converter/program/block_access.h"

namespace weft::plan {

namespace {

// Longer strips gain little: what the states take part in is done once per iteration anyway.
constexpr int64_t kStrip = 8;

// A slice of the second loop that is a scan output of the first.
struct Feed {
  size_t slice = 0, scan = 0;  // of the two loops
};

class LoopFuser {
 public:
  LoopFuser(Program& program, BlockId block)
      : program_(program), block_(block), accesses_(CollectAccesses(program, block)) {}

  // True when two loops have become one; what is known of the block is out of date then.
  bool FuseTwo() {
    std::unordered_map<ValueId, SectionId> maker_of;
    for (const SectionId second : CountedLoopsIn(program_, block_)) {
      for (const Loop::Sliced& slice : LoopOf(second).sliced) {
        const auto maker = maker_of.find(Resolve(program_, slice.whole).root);
        if (maker != maker_of.end() && FuseInto(maker->second, second)) return true;
      }
      for (const Loop::Scan& scan : LoopOf(second).scans) maker_of.emplace(scan.whole, second);
    }
    return false;
  }

 private:
  const Loop& LoopOf(SectionId id) const { return *program_.sections[id].loop; }

  int64_t ItemOf(SectionId id) const {
    const std::vector<Item>& items = program_.blocks[block_].items;
    const auto found = std::ranges::find_if(items, [&](const Item& item) {
      const auto* entry = std::get_if<SectionEntry>(&item);
      return entry != nullptr && entry->section == id;
    });
    return found - items.begin();
  }

  bool FuseInto(SectionId first, SectionId second) {
    const Section& one = program_.sections[first];
    const Section& other = program_.sections[second];
    if (one.trip_count != other.trip_count || !HaveOneNumber(one, other)) return false;
    const auto feeds = FeedsOf(first, second);
    if (!feeds || !IsFree(first, second, *feeds)) return false;
    Fuse(first, second, *feeds);
    return true;
  }

  // May the iterations of both have one number?
  bool HaveOneNumber(const Section& one, const Section& other) const {
    return one.iteration == kNone || other.iteration == kNone ||
           program_.values[one.iteration].type == program_.values[other.iteration].type;
  }

  // Nullopt where the second loop takes something else of what the first one gathers.
  std::optional<std::vector<Feed>> FeedsOf(SectionId first, SectionId second) const {
    const std::vector<Loop::Scan>& scans = LoopOf(first).scans;
    const std::vector<Loop::Sliced>& slices = LoopOf(second).sliced;
    std::vector<Feed> feeds;
    for (size_t slice = 0; slice < slices.size(); ++slice) {
      const ValueId root = Resolve(program_, slices[slice].whole).root;
      const auto scan = std::ranges::find(scans, root, &Loop::Scan::whole);
      if (scan == scans.end()) continue;
      if (!IsOneByOne(*scan, slices[slice], program_.sections[first].trip_count))
        return std::nullopt;
      feeds.push_back({slice, static_cast<size_t>(scan - scans.begin())});
    }
    return feeds;
  }

  // Is the slice of each iteration what the same iteration adds to the scan output?
  bool IsOneByOne(const Loop::Scan& scan, const Loop::Sliced& slice, int64_t trips) const {
    const Value& made = program_.values[scan.whole];
    const Value& taken = program_.values[slice.whole];
    const Place place = Resolve(program_, slice.whole);
    return made.block == block_ && place.offset_bytes == 0 && place.moves.empty() &&
           made.bytes == taken.bytes && scan.backward == slice.backward &&
           ViewOfScan(program_, scan, trips) == ViewOfSlice(program_, slice, trips);
  }

  // Does nothing but the second loop read what it is fed with, and may all else that the first one
  // does be done where the second stands?
  bool IsFree(SectionId first, SectionId second, const std::vector<Feed>& feeds) const {
    std::unordered_map<ValueId, size_t> reads;
    for (const Feed& feed : feeds) ++reads[LoopOf(first).scans[feed.scan].whole];
    const int64_t from = ItemOf(first), to = ItemOf(second);
    return std::ranges::all_of(accesses_, [&](const auto& of_root) {
      const auto& [root, accesses] = of_root;
      const auto fed = reads.find(root);
      return fed == reads.end() ? MayMove(accesses, from, to) : accesses.size() == 1 + fed->second;
    });
  }

  // May what item `from` does to a root be done at `to`?
  static bool MayMove(const std::vector<Access>& accesses, int64_t from, int64_t to) {
    bool is_touched = false, is_written = false, is_passed = false, is_passed_by_write = false;
    for (const Access& access : accesses) {
      if (access.item == from) {
        is_touched = true;
        is_written = is_written || access.write;
      } else if (access.item > from && access.item <= to) {
        is_passed = true;
        is_passed_by_write = is_passed_by_write || access.write;
      }
    }
    return !(is_written && is_passed) && !(is_touched && is_passed_by_write);
  }

  void Fuse(SectionId first, SectionId second, const std::vector<Feed>& feeds);
  void MoveBody(BlockId from, BlockId to);
  void ReplaceEntries(SectionId first, SectionId second);

  Program& program_;
  const BlockId block_;
  const AccessMap accesses_;
};

// The second loop's results stand behind those of the first.
void LoopFuser::Fuse(SectionId first, SectionId second, const std::vector<Feed>& feeds) {
  Loop& loop = *program_.sections[first].loop;
  Loop other = *std::exchange(program_.sections[second].loop, std::nullopt);
  const std::vector<ValueId>& results = program_.blocks[loop.body].results;
  const size_t shift = results.size();
  std::vector<bool> is_slice_fed(other.sliced.size()), is_scan_fed(loop.scans.size());
  for (const Feed& feed : feeds) {
    is_slice_fed[feed.slice] = is_scan_fed[feed.scan] = true;
    MakeView(program_, other.sliced[feed.slice].chunk, results[loop.scans[feed.scan].result], 0);
  }
  std::vector<Loop::Scan> scans;
  for (size_t scan = 0; scan < loop.scans.size(); ++scan) {
    if (!is_scan_fed[scan]) scans.push_back(loop.scans[scan]);
  }
  loop.scans = std::move(scans);
  for (size_t slice = 0; slice < other.sliced.size(); ++slice) {
    if (!is_slice_fed[slice]) loop.sliced.push_back(other.sliced[slice]);
  }
  for (Loop::Carried carried : other.carried) {
    carried.result += shift;
    loop.carried.push_back(carried);
  }
  for (Loop::Scan scan : other.scans) {
    scan.result += shift;
    loop.scans.push_back(scan);
  }
  for (Loop::Last last : other.lasts) {
    last.result += shift;
    loop.lasts.push_back(last);
  }
  MoveBody(other.body, loop.body);
  ReplaceEntries(first, second);
}

void LoopFuser::MoveBody(BlockId from, BlockId to) {
  Block moved = std::exchange(program_.blocks[from], {});
  Block& body = program_.blocks[to];
  std::ranges::move(moved.items, std::back_inserter(body.items));
  std::ranges::move(moved.results, std::back_inserter(body.results));
  for (Value& value : program_.values) {
    if (value.block == from) value.block = to;
  }
}

// The loop stands where the second one stood.
void LoopFuser::ReplaceEntries(SectionId first, SectionId second) {
  Section& one = program_.sections[first];
  const ValueId number = std::exchange(program_.sections[second].iteration, kNone);
  if (one.iteration == kNone) {
    one.iteration = number;
  } else if (number != kNone) {
    MakeView(program_, number, one.iteration, 0);
  }
  std::vector<Item>& items = program_.blocks[block_].items;
  items[static_cast<size_t>(ItemOf(second))] = SectionEntry{first};
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(ItemOf(first)));
}

}  // namespace

namespace {

// Of blocks before that one.
bool FuseLoopsBefore(Program& program, size_t end) {
  bool has_fused = false;
  for (BlockId block = 0; block < end; ++block) {
    while (CountedLoopsIn(program, block).size() > 1 && LoopFuser(program, block).FuseTwo()) {
      has_fused = true;
    }
  }
  return has_fused;
}

}  // namespace

bool FuseLoops(Program& program) { return FuseLoopsBefore(program, program.blocks.size()); }

std::vector<FusedProgram> FusedPrograms(const Program& program) {
  Program fused = program;
  if (!FuseLoops(fused)) return {};
  std::vector<FusedProgram> programs;
  Program strips = program;
  // The loops within strips, in blocks of their own, stay apart.
  if (CutIntoStrips(strips, kStrip) && FuseLoopsBefore(strips, program.blocks.size())) {
    programs.push_back({std::move(strips), kStrip});
  }
  programs.push_back({std::move(fused), 1});
  return programs;
}

}  // namespace weft::plan
