// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "converter/plan/loops/counted.h"
#include "converter/plan/loops/loop_passes.h"
#include "converter/plan/loops/scan_buffer.h"
#include "converter/program/block_access.h"

namespace weft::plan {

namespace {

class LastChunks {
 public:
  LastChunks(program::Program& program, program::BlockId block)
      : program_(program), block_(block), accesses_(CollectAccesses(program, block)) {}

  void Shorten(program::SectionId id) {
    const std::vector<program::Loop::Scan> scans = program_.sections[id].loop->scans;
    for (const program::Loop::Scan& scan : scans) {
      const program::Value& whole = program_.values[scan.whole];
      if (whole.parent != program::kNone || whole.block != block_) continue;
      const AxisView view = ViewOfScan(program_, scan, program_.sections[id].trip_count);
      if (IsRead(scan.whole) && !ReadsLastOnly(scan, view)) continue;
      if (IsRead(scan.whole)) AddLast(*program_.sections[id].loop, scan, view);
      std::erase_if(program_.sections[id].loop->scans,
                    [&](const program::Loop::Scan& each) { return each.whole == scan.whole; });
    }
  }

 private:
  static int64_t LastOffset(const program::Loop::Scan& scan, const AxisView& view) {
    return scan.backward ? 0 : (view.trips - 1) * view.chunk_bytes();
  }

  bool IsRead(program::ValueId whole) const {
    return std::ranges::any_of(accesses_.at(whole),
                               [](const program::Access& access) { return !access.write; });
  }

  // The only write is that of the loop.
  bool ReadsLastOnly(const program::Loop::Scan& scan, const AxisView& view) const {
    const std::vector<program::Access>& accesses = accesses_.at(scan.whole);
    const int64_t begin = LastOffset(scan, view);
    const auto is_last = [&](const program::Access& access) {
      return access.begin_bytes >= begin && access.end_bytes <= begin + view.chunk_bytes() &&
             access.moves.empty();
    };
    return view.outer == 1 && std::ranges::count_if(accesses, &program::Access::write) == 1 &&
           std::ranges::all_of(accesses, [&](const program::Access& access) {
             return access.write || is_last(access);
           });
  }

  // Adds a value for the last chunk, and makes the views of that chunk views of this value.
  void AddLast(program::Loop& loop, const program::Loop::Scan& scan, const AxisView& view) {
    const int64_t begin = LastOffset(scan, view), end = begin + view.chunk_bytes();
    program::Value last = program_.values[scan.whole];
    last.type.dims[static_cast<size_t>(scan.axis)] /= view.trips;
    last.bytes = view.chunk_bytes();
    const program::ValueId id = program_.Add(std::move(last));
    std::vector<std::pair<program::ValueId, program::Location>> parts;
    for (program::ValueId value = 0; value < id; ++value) {
      if (program_.values[value].parent == program::kNone) continue;
      program::Location location = Resolve(program_, value);
      const bool is_in = location.root == scan.whole && location.moves.empty() &&
                         location.offset_bytes >= begin &&
                         location.offset_bytes + program_.values[value].bytes <= end;
      if (is_in) parts.emplace_back(value, std::move(location));
    }
    for (const auto& [value, location] : parts) {
      MakeView(program_, value, id, location.offset_bytes - begin);
    }
    loop.lasts.push_back({scan.result, id});
  }

  program::Program& program_;
  const program::BlockId block_;
  const program::AccessMap accesses_;
};

}  // namespace

void KeepLastChunks(program::Program& program) {
  for (program::BlockId block = 0; block < program.blocks.size(); ++block) {
    const std::vector<program::SectionId> loops = CountedLoopsIn(program, block);
    const bool gathers = std::ranges::any_of(
        loops, [&](program::SectionId id) { return !program.sections[id].loop->scans.empty(); });
    if (!gathers) continue;
    LastChunks chunks(program, block);
    for (const program::SectionId id : loops) chunks.Shorten(id);
  }
}

}  // namespace weft::plan
