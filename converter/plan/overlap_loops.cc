// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>

#include "converter/plan/plan_passes.h"
#include "converter/plan/validator.h"
#include "converter/program/access_index.h"
#include "converter/program/block_access.h"

namespace weft::plan {

namespace {

// A read or a write of a chunk that moves with the iterations of the loop.
struct ChunkAccess {
  int64_t begin_bytes = 0, end_bytes = 0, stride_bytes = 0;

  int64_t BeginIn(int64_t iteration) const { return begin_bytes + iteration * stride_bytes; }
  int64_t EndIn(int64_t iteration) const { return end_bytes + iteration * stride_bytes; }
};

// The accesses of a loop to a root of the block around it.
struct ChunkUse {
  std::vector<ChunkAccess> reads, writes;
  bool reads_else = false, writes_else = false;  // accesses that do not move
  size_t count = 0;                              // number of accesses in the copies of the body
};

class LoopOverlaps {
 public:
  using IndexOfRoot = std::unordered_map<program::ValueId, size_t>;

  LoopOverlaps(const program::Program& program, const program::AccessMap& around,
               const program::AccessCounts& everywhere, const IndexOfRoot& index,
               program::SectionId section, int64_t item)
      : program_(program),
        around_(around),
        everywhere_(everywhere),
        index_(index),
        id_(section),
        section_(program.sections[section]),
        item_(item) {}

  void AddTo(std::vector<AllowedOverlap>& allowed_overlaps) {
    for (const program::BlockId copy : section_.copies) CollectInnerTrips(copy);
    CollectUses();
    for (const auto& [x, of_x] : uses_) {
      if (!IsReadUp(x, of_x)) continue;
      for (const auto& [y, of_y] : uses_) {
        if (y == x || of_y.writes.empty() || of_y.writes_else || !IsLocal(y, of_y)) continue;
        const std::optional<AllowedOverlap> overlap = OverlapOf(x, of_x, y, of_y);
        if (overlap) allowed_overlaps.push_back(*overlap);
      }
    }
  }

 private:
  int64_t BytesOf(program::ValueId root) const { return program_.values[root].bytes; }

  void CollectUses() {
    for (const program::BlockId copy : section_.copies) {
      for (const auto& [root, list] : CollectAccesses(program_, copy)) {
        ChunkUse& use = uses_[root];
        for (const program::Access& access : list) Add(access, use);
        use.count += list.size();
      }
    }
  }

  // Adds an access; for loops inside, the union over all their iterations.
  void Add(const program::Access& access, ChunkUse& use) const {
    ChunkAccess chunk{access.begin_bytes, access.end_bytes, 0};
    for (const program::Move& move : access.moves) {
      const auto inner = inner_trips_.find(move.section);
      if (move.section == id_) {
        chunk.stride_bytes += move.stride_bytes;
      } else if (inner != inner_trips_.end()) {
        const int64_t farthest_bytes = move.stride_bytes * (inner->second - 1);
        chunk.begin_bytes += std::min<int64_t>(0, farthest_bytes);
        chunk.end_bytes += std::max<int64_t>(0, farthest_bytes);
      } else {
        chunk.stride_bytes = 0;
        break;
      }
    }
    if (chunk.stride_bytes == 0) {
      (access.write ? use.writes_else : use.reads_else) = true;
    } else {
      (access.write ? use.writes : use.reads).push_back(chunk);
    }
  }

  // The union of the bytes that all iterations of other loops access.
  ChunkAccess AllOf(const program::Access& access) const {
    ChunkAccess all{access.begin_bytes, access.end_bytes, 0};
    for (const program::Move& move : access.moves) {
      const int64_t trips = std::max<int64_t>(1, program_.sections[move.section].max_trips);
      const int64_t farthest_bytes = move.stride_bytes * (trips - 1);
      all.begin_bytes += std::min<int64_t>(0, farthest_bytes);
      all.end_bytes += std::max<int64_t>(0, farthest_bytes);
    }
    return all;
  }

  void CollectInnerTrips(program::BlockId block) {
    for (const program::SectionId section : SectionsIn(program_, block)) {
      const program::Section& inner = program_.sections[section];
      inner_trips_.emplace(section, std::max<int64_t>(1, inner.max_trips));
      for (const program::BlockId copy : inner.copies) CollectInnerTrips(copy);
      for (const program::BlockId epilogue : inner.epilogues) CollectInnerTrips(epilogue);
    }
  }

  // Returns true if only the block around the loop and the copies of the loop body access the root.
  bool IsLocal(program::ValueId root, const ChunkUse& use) const {
    const auto found = around_.find(root);
    const bool is_placed =
        program_.values[root].storage == program::Storage::kScratch && BytesOf(root) > 0;
    if (!is_placed || found == around_.end()) return false;
    const auto inside = std::ranges::count(found->second, item_, &program::Access::item);
    return found->second.size() == everywhere_.at(root) && static_cast<size_t>(inside) == use.count;
  }

  // Returns true if the loop reads x chunk by chunk and nothing accesses x afterwards.
  bool IsReadUp(program::ValueId x, const ChunkUse& use) const {
    const bool only_read =
        !use.reads.empty() && use.writes.empty() && !use.reads_else && !use.writes_else;
    return only_read && IsLocal(x, use) &&
           std::ranges::none_of(around_.at(x),
                                [&](const program::Access& access) { return access.item > item_; });
  }

  // Only writes to y matter, because x is written only before the loop. The bytes of y that are
  // written before the loop must be disjoint from all of x.
  std::optional<AllowedOverlap> OverlapOf(program::ValueId x, const ChunkUse& of_x,
                                          program::ValueId y, const ChunkUse& of_y) const {
    AllowedOverlap overlap{.x = index_.at(x), .y = index_.at(y)};
    for (const program::Access& access : around_.at(y)) {
      if (!access.write || access.item >= item_) continue;
      const ChunkAccess taken = AllOf(access);
      overlap.before_bytes = std::max(overlap.before_bytes, taken.end_bytes);
      overlap.after_bytes = std::max(overlap.after_bytes, BytesOf(x) - taken.begin_bytes);
    }
    for (const ChunkAccess& write : of_y.writes) {
      for (const ChunkAccess& read : of_x.reads) {
        KeepApart(read, write, overlap);
      }
    }
    overlap.before_bytes = std::min(overlap.before_bytes, BytesOf(y));
    overlap.after_bytes = std::min(overlap.after_bytes, BytesOf(x));
    if (overlap.before_bytes == BytesOf(y) && overlap.after_bytes == BytesOf(x))
      return std::nullopt;
    return overlap;
  }

  // Raises the distances for a write in iteration w and a read in iteration r >= w. The distance is
  // linear in r and w, so checking the corners of their range is enough.
  void KeepApart(const ChunkAccess& read, const ChunkAccess& write, AllowedOverlap& overlap) const {
    const int64_t last = section_.max_trips - 1;
    const std::pair<int64_t, int64_t> corners[] = {{0, 0}, {last, 0}, {last, last}};
    for (const auto& [r, w] : corners) {
      overlap.before_bytes = std::max(overlap.before_bytes, write.EndIn(w) - read.BeginIn(r));
      overlap.after_bytes = std::max(overlap.after_bytes, read.EndIn(r) - write.BeginIn(w));
    }
  }

  const program::Program& program_;
  const program::AccessMap& around_;
  const program::AccessCounts& everywhere_;
  const IndexOfRoot& index_;  // in the lifetimes
  const program::SectionId id_;
  const program::Section& section_;
  const int64_t item_;
  std::unordered_map<program::SectionId, int64_t> inner_trips_;
  std::map<program::ValueId, ChunkUse> uses_;
};

}  // namespace

std::vector<AllowedOverlap> OverlapsInLoops(const program::Program& program,
                                            std::span<const Lifetime> lifetimes) {
  std::unordered_map<program::ValueId, size_t> index;
  for (size_t i = 0; i < lifetimes.size(); ++i) index.emplace(lifetimes[i].root, i);
  std::vector<AllowedOverlap> allowed_overlaps;
  const program::AccessCounts everywhere = CountsOf(CollectAccesses(program, program.main));
  for (program::BlockId block = 0; block < program.blocks.size(); ++block) {
    const std::vector<program::Item>& items = program.blocks[block].items;
    const auto is_loop = [&](const program::Item& item) {
      const auto* entry = std::get_if<program::SectionEntry>(&item);
      if (entry == nullptr) return false;
      const int64_t trips = program.sections[entry->section].max_trips;
      return trips > 1 && trips <= kMaxVisitedTrips;
    };
    if (std::ranges::none_of(items, is_loop)) continue;
    const program::AccessMap around = CollectAccesses(program, block);
    for (size_t item = 0; item < items.size(); ++item) {
      if (!is_loop(items[item])) continue;
      const program::SectionId section = std::get<program::SectionEntry>(items[item]).section;
      LoopOverlaps(program, around, everywhere, index, section, static_cast<int64_t>(item))
          .AddTo(allowed_overlaps);
    }
  }
  return allowed_overlaps;
}

}  // namespace weft::plan
