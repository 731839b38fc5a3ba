// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/fuse.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "converter/plan/loops/counted.h"
#include "converter/plan/loops/loop_passes.h"
#include "converter/plan/loops/scan_buffer.h"
#include "converter/program/block_access.h"
#include "converter/program/row_parts.h"

namespace weft::plan {

namespace {

// Iterations per tile. Longer tiles gain little: work that depends on a state runs once per
// iteration in any case.
constexpr int64_t kTile = 8;

// A slice of the second loop that reads a scan output of the first.
struct Feed {
  size_t slice = 0, scan = 0;  // of the two loops
};

class LoopFuser {
 public:
  // keeps_read: steps after the second loop may also read what the first loop gathers.
  LoopFuser(program::Program& program, program::BlockId block, bool keeps_read = false)
      : program_(program),
        block_(block),
        keeps_read_(keeps_read),
        accesses_(CollectAccesses(program, block)) {}

  // Fuses two loops and returns true if there are such; the object is then out of date.
  bool FuseTwo() {
    std::unordered_map<program::ValueId, program::SectionId> maker_of;
    for (const program::SectionId second : CountedLoopsIn(program_, block_)) {
      for (const program::Loop::Sliced& slice : LoopOf(second).sliced) {
        const auto maker = maker_of.find(Resolve(program_, slice.whole).root);
        if (maker != maker_of.end() && FuseInto(maker->second, second)) return true;
      }
      for (const program::Loop::Scan& scan : LoopOf(second).scans)
        maker_of.emplace(scan.whole, second);
    }
    return false;
  }

  bool FuseInto(program::SectionId first, program::SectionId second) {
    const program::Section& one = program_.sections[first];
    const program::Section& other = program_.sections[second];
    if (one.trip_count != other.trip_count || !HaveOneNumber(one, other)) return false;
    const auto feeds = FeedsOf(first, second);
    if (!feeds || !IsFree(first, second, *feeds)) return false;
    Fuse(first, second, *feeds);
    return true;
  }

 private:
  const program::Loop& LoopOf(program::SectionId id) const { return *program_.sections[id].loop; }

  int64_t ItemOf(program::SectionId id) const {
    const std::vector<program::Item>& items = program_.blocks[block_].items;
    const auto found = std::ranges::find_if(items, [&](const program::Item& item) {
      const auto* entry = std::get_if<program::SectionEntry>(&item);
      return entry != nullptr && entry->section == id;
    });
    return found - items.begin();
  }

  // Returns true if both loops can share one iteration number.
  bool HaveOneNumber(const program::Section& one, const program::Section& other) const {
    return one.iteration == program::kNone || other.iteration == program::kNone ||
           program_.values[one.iteration].type == program_.values[other.iteration].type;
  }

  // Returns nullopt if the second loop reads what the first one gathers in another way.
  std::optional<std::vector<Feed>> FeedsOf(program::SectionId first,
                                           program::SectionId second) const {
    const std::vector<program::Loop::Scan>& scans = LoopOf(first).scans;
    const std::vector<program::Loop::Sliced>& slices = LoopOf(second).sliced;
    std::vector<Feed> feeds;
    for (size_t slice = 0; slice < slices.size(); ++slice) {
      const program::ValueId root = Resolve(program_, slices[slice].whole).root;
      const auto scan = std::ranges::find(scans, root, &program::Loop::Scan::whole);
      if (scan == scans.end()) continue;
      if (!IsOneByOne(*scan, slices[slice], program_.sections[first].trip_count))
        return std::nullopt;
      feeds.push_back({slice, static_cast<size_t>(scan - scans.begin())});
    }
    return feeds;
  }

  // Returns true if the slice of each iteration is what that iteration adds to the scan output.
  bool IsOneByOne(const program::Loop::Scan& scan, const program::Loop::Sliced& slice,
                  int64_t trips) const {
    const program::Value& made = program_.values[scan.whole];
    const program::Value& taken = program_.values[slice.whole];
    const program::Location location = Resolve(program_, slice.whole);
    return made.block == block_ && location.offset_bytes == 0 && location.moves.empty() &&
           made.bytes == taken.bytes && scan.backward == slice.backward &&
           ViewOfScan(program_, scan, trips) == ViewOfSlice(program_, slice, trips);
  }

  // Returns true if the first loop can run at the position of the second: only the second loop may
  // read the sequences between them, and all other accesses must be movable.
  bool IsFree(program::SectionId first, program::SectionId second,
              const std::vector<Feed>& feeds) const {
    std::unordered_map<program::ValueId, size_t> reads;
    for (const Feed& feed : feeds) ++reads[LoopOf(first).scans[feed.scan].whole];
    const int64_t from = ItemOf(first), to = ItemOf(second);
    return std::ranges::all_of(accesses_, [&](const auto& of_root) {
      const auto& [root, accesses] = of_root;
      const auto fed = reads.find(root);
      if (fed == reads.end()) return MayMove(accesses, from, to);
      return keeps_read_ ? IsReadFrom(accesses, to) : accesses.size() == 1 + fed->second;
    });
  }

  // Returns true if there is one write and all other accesses are reads at item `to` or later.
  static bool IsReadFrom(const std::vector<program::Access>& accesses, int64_t to) {
    return std::ranges::count_if(accesses, &program::Access::write) == 1 &&
           std::ranges::all_of(accesses, [&](const program::Access& access) {
             return access.write || access.item >= to;
           });
  }
  // Returns true if the gathered sequence is read after that item.
  bool IsReadAfter(const program::Loop::Scan& scan, int64_t item) const {
    return std::ranges::any_of(accesses_.at(scan.whole),
                               [&](const program::Access& access) { return access.item > item; });
  }

  // Returns true if the accesses of item `from` to a root can move to item `to`.
  static bool MayMove(const std::vector<program::Access>& accesses, int64_t from, int64_t to) {
    bool is_touched = false, is_written = false, is_passed = false, is_passed_by_write = false;
    for (const program::Access& access : accesses) {
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

  void Fuse(program::SectionId first, program::SectionId second, const std::vector<Feed>& feeds);
  void MoveBody(program::BlockId from, program::BlockId to);
  void ReplaceEntries(program::SectionId first, program::SectionId second);

  program::Program& program_;
  const program::BlockId block_;
  const bool keeps_read_;
  const program::AccessMap accesses_;
};

// Appends the results of the second loop to those of the first.
void LoopFuser::Fuse(program::SectionId first, program::SectionId second,
                     const std::vector<Feed>& feeds) {
  program::Loop& loop = *program_.sections[first].loop;
  program::Loop other = *std::exchange(program_.sections[second].loop, std::nullopt);
  const std::vector<program::ValueId>& results = program_.blocks[loop.body].results;
  const size_t shift = results.size();
  std::vector<bool> is_slice_fed(other.sliced.size()), is_scan_fed(loop.scans.size());
  for (const Feed& feed : feeds) {
    is_slice_fed[feed.slice] = true;
    is_scan_fed[feed.scan] = !IsReadAfter(loop.scans[feed.scan], ItemOf(second));
    MakeView(program_, other.sliced[feed.slice].chunk, results[loop.scans[feed.scan].result], 0);
  }
  std::vector<program::Loop::Scan> scans;
  for (size_t scan = 0; scan < loop.scans.size(); ++scan) {
    if (!is_scan_fed[scan]) scans.push_back(loop.scans[scan]);
  }
  loop.scans = std::move(scans);
  for (size_t slice = 0; slice < other.sliced.size(); ++slice) {
    if (!is_slice_fed[slice]) loop.sliced.push_back(other.sliced[slice]);
  }
  for (program::Loop::Carried carried : other.carried) {
    carried.result += shift;
    loop.carried.push_back(carried);
  }
  for (program::Loop::Scan scan : other.scans) {
    scan.result += shift;
    loop.scans.push_back(scan);
  }
  for (program::Loop::Last last : other.lasts) {
    last.result += shift;
    loop.lasts.push_back(last);
  }
  MoveBody(other.body, loop.body);
  ReplaceEntries(first, second);
}

void LoopFuser::MoveBody(program::BlockId from, program::BlockId to) {
  program::Block moved = std::exchange(program_.blocks[from], {});
  program::Block& body = program_.blocks[to];
  std::ranges::move(moved.items, std::back_inserter(body.items));
  std::ranges::move(moved.results, std::back_inserter(body.results));
  for (program::Value& value : program_.values) {
    if (value.block == from) value.block = to;
  }
}

// Replaces the entry of the second loop by the fused loop, and removes that of the first.
void LoopFuser::ReplaceEntries(program::SectionId first, program::SectionId second) {
  program::Section& one = program_.sections[first];
  const program::ValueId number =
      std::exchange(program_.sections[second].iteration, program::kNone);
  if (one.iteration == program::kNone) {
    one.iteration = number;
  } else if (number != program::kNone) {
    MakeView(program_, number, one.iteration, 0);
  }
  std::vector<program::Item>& items = program_.blocks[block_].items;
  items[static_cast<size_t>(ItemOf(second))] = program::SectionEntry{first};
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(ItemOf(first)));
}

}  // namespace

namespace {

// Fuses the steps between two loops of one block into these loops.
class StepFuser {
 public:
  StepFuser(program::Program& program, program::BlockId block) : program_(program), block_(block) {}

  void Run() {
    while (FuseLoopsOnly() || FuseStep()) {
    }
  }

 private:
  // The loop that gathers a sequence.
  struct Maker {
    program::SectionId loop = program::kNone;
    bool backward = false;
  };
  using MakerOf = std::unordered_map<program::ValueId, Maker>;

  bool FuseLoopsOnly() { return LoopFuser(program_, block_, true).FuseTwo(); }

  // Fuses a step into the loop whose results it reads, if another loop of as many iterations
  // follows. After the last loop a step is only fused if it reads several gathered sequences.
  bool FuseStep() {
    const std::vector<program::SectionId> loops = CountedLoopsIn(program_, block_);
    MakerOf maker_of;
    const std::vector<program::Item> items = program_.blocks[block_].items;
    for (size_t item = 0, loop = 0; item < items.size(); ++item) {
      if (const auto* entry = std::get_if<program::SectionEntry>(&items[item])) {
        if (loop == loops.size() || entry->section != loops[loop]) continue;
        for (const program::Loop::Scan& scan : program_.sections[loops[loop]].loop->scans) {
          maker_of[scan.whole] = {loops[loop], scan.backward};
        }
        ++loop;
        continue;
      }
      const std::vector<Maker> makers = MakersOf(std::get<program::Step>(items[item]), maker_of);
      for (const Maker& maker : makers) {
        const bool is_wanted = makers.size() > 1 || HasLoopFrom(loops, loop, TripsOf(maker.loop));
        if (is_wanted && FuseStepInto(maker, item)) return true;
      }
    }
    return false;
  }

  int64_t TripsOf(program::SectionId loop) const { return program_.sections[loop].trip_count; }

  bool HasLoopFrom(const std::vector<program::SectionId>& loops, size_t first,
                   int64_t trips) const {
    return std::any_of(loops.begin() + static_cast<std::ptrdiff_t>(first), loops.end(),
                       [&](program::SectionId id) { return TripsOf(id) == trips; });
  }

  // Returns the loop of each gathered sequence that the step reads.
  std::vector<Maker> MakersOf(const program::Step& step, const MakerOf& maker_of) const {
    std::map<program::ValueId, Maker> makers;
    for (const program::ValueId input : step.inputs) {
      if (input == program::kNone) continue;
      const auto maker = maker_of.find(Resolve(program_, input).root);
      if (maker != maker_of.end()) makers.insert(*maker);
    }
    std::vector<Maker> found;
    for (const auto& [whole, maker] : makers) found.push_back(maker);
    return found;
  }

  bool FuseStepInto(const Maker& maker, size_t item) {
    const program::Step& step = std::get<program::Step>(program_.blocks[block_].items[item]);
    if (!RowPartOf(program_, step, TripsOf(maker.loop))) return false;  // before the costly copy
    program::Program trial = program_;
    const std::optional<program::SectionId> second =
        LoopOfStep(trial, block_, item, TripsOf(maker.loop), maker.backward);
    if (!second || !LoopFuser(trial, block_, true).FuseInto(maker.loop, *second)) return false;
    program_ = std::move(trial);
    return true;
  }

  program::Program& program_;
  const program::BlockId block_;
};

size_t LoopCount(const program::Program& program, size_t end) {
  size_t count = 0;
  for (program::BlockId block = 0; block < end; ++block)
    count += CountedLoopsIn(program, block).size();
  return count;
}

// Processes the blocks with an id below `end`.
bool FuseLoopsBefore(program::Program& program, size_t end) {
  bool has_fused = false;
  for (program::BlockId block = 0; block < end; ++block) {
    while (CountedLoopsIn(program, block).size() > 1 && LoopFuser(program, block).FuseTwo()) {
      has_fused = true;
    }
  }
  return has_fused;
}

// Keeps the steps between loops only if that fuses more loops.
Fusion FuseBefore(program::Program& program, size_t end) {
  const bool has_fused = FuseLoopsBefore(program, end);
  program::Program with_steps = program;
  for (program::BlockId block = 0; block < end; ++block) {
    if (CountedLoopsIn(with_steps, block).size() > 1) FuseLoopsAndSteps(with_steps, block);
  }
  if (LoopCount(with_steps, end) >= LoopCount(program, end)) {
    return has_fused ? Fusion::kLoops : Fusion::kNone;
  }
  program = std::move(with_steps);
  return Fusion::kSteps;
}

}  // namespace

void FuseLoopsAndSteps(program::Program& program, program::BlockId block) {
  StepFuser(program, block).Run();
}

Fusion FuseLoops(program::Program& program) { return FuseBefore(program, program.blocks.size()); }

std::vector<FusedProgram> FusedPrograms(const program::Program& program) {
  std::vector<FusedProgram> programs;
  const auto add = [&](program::Program fused, int64_t tile, Fusion fusion) {
    if (fusion != Fusion::kNone) programs.push_back({std::move(fused), tile, fusion});
  };
  for (const int64_t tile : {kTile, kTile / 2, int64_t{1}}) {
    program::Program tiles = program;
    if (!RunInTiles(tiles, tile)) break;
    add(std::move(tiles), tile, Fusion::kWindows);
  }
  program::Program batches = program;
  if (RunByBatch(batches)) add(std::move(batches), 1, Fusion::kBatches);
  const size_t blocks = program.blocks.size();
  program::Program fused = program;
  const Fusion fusion = FuseBefore(fused, blocks);
  if (fusion == Fusion::kNone) return programs;
  program::Program tiles = program;
  // The new blocks within tiles are left out, so loops within a tile stay separate.
  if (SplitIntoTiles(tiles, kTile)) {
    const Fusion of_tiles = FuseBefore(tiles, blocks);
    add(std::move(tiles), kTile, of_tiles);
  }
  add(std::move(fused), 1, fusion);
  return programs;
}

}  // namespace weft::plan
