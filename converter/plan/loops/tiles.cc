// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "converter/plan/loops/counted.h"
#include "converter/plan/loops/loop_passes.h"
#include "converter/program/builder.h"

namespace weft::plan {

namespace {

int64_t TileLength(int64_t trips, int64_t max) {
  int64_t length = std::min(max, trips / 2);
  while (length > 1 && trips % length != 0) --length;
  return length;
}

// The type of consecutive chunks with `extent` elements on the axis.
TensorType TypeOfChunks(TensorType type, int64_t axis, int64_t extent) {
  type.dims[static_cast<size_t>(axis)] = extent;
  return type;
}

// Splits one loop into two: `around_` iterates over tiles, `within_` over the iterations of one.
class TileSplitter {
 public:
  TileSplitter(program::Program& program, program::SectionId section, int64_t length)
      : builder_(program),
        id_(section),
        section_(program.sections[section]),
        loop_(*section_.loop),
        length_(length) {}

  void Run() {
    builder_.SetLayer(section_.layer);
    const program::SectionId inner = builder_.NewSection();
    around_.body = builder_.NewBlock();
    within_.body = loop_.body;
    builder_.SetBlock(around_.body);
    CutSlices();
    CutStates();
    CutScans();
    CutLasts();
    builder_.Enter(inner);
    program::Program& program = builder_.program();
    program.blocks[around_.body].results = std::move(results_);
    program.sections[inner].layer = section_.layer;
    SetLoop(program.sections[inner], std::move(within_), length_);
    SetLoop(program.sections[id_], std::move(around_), section_.trip_count / length_);
  }

 private:
  static void SetLoop(program::Section& section, program::Loop loop, int64_t trips) {
    section.loop = std::move(loop);
    section.trip_count = section.max_trips = trips;
  }

  TensorType TypeOf(program::ValueId value) const { return builder_.value(value).type; }

  // Returns the index of `value` as a result of the outer body.
  size_t AddResult(program::ValueId value) {
    results_.push_back(value);
    return results_.size() - 1;
  }

  void CutSlices() {
    for (const program::Loop::Sliced& slice : loop_.sliced) {
      const int64_t part = slice.part * length_;
      const program::ValueId tile =
          builder_.Scratch(TypeOfChunks(TypeOf(slice.whole), slice.axis, part));
      around_.sliced.push_back({slice.whole, tile, slice.axis, part, slice.begin, slice.backward});
      within_.sliced.push_back({tile, slice.chunk, slice.axis, slice.part, 0, slice.backward});
    }
  }

  void CutStates() {
    const program::Because because(builder_, format::Reason::initial_value);
    for (const program::Loop::Carried& carried : loop_.carried) {
      const program::ValueId state = builder_.Scratch(TypeOf(carried.state));
      const program::ValueId initial = builder_.Scratch(TypeOf(carried.state));
      const program::ValueId last = builder_.Scratch(TypeOf(carried.state));
      builder_.Copy(state, initial);
      within_.carried.push_back({initial, carried.state, carried.result});
      within_.lasts.push_back({carried.result, last});
      around_.carried.push_back({carried.initial, state, AddResult(last)});
    }
  }

  void CutScans() {
    for (const program::Loop::Scan& scan : loop_.scans) {
      const TensorType type = TypeOf(scan.whole);
      const int64_t extent =
          type.dims[static_cast<size_t>(scan.axis)] / section_.trip_count * length_;
      const program::ValueId tile = builder_.Scratch(TypeOfChunks(type, scan.axis, extent));
      within_.scans.push_back({scan.result, tile, scan.axis, scan.backward});
      around_.scans.push_back({AddResult(tile), scan.whole, scan.axis, scan.backward});
    }
  }

  void CutLasts() {
    for (const program::Loop::Last& last : loop_.lasts) {
      const auto carried =
          std::ranges::find(loop_.carried, last.result, &program::Loop::Carried::result);
      if (carried != loop_.carried.end()) {
        const auto state = static_cast<size_t>(carried - loop_.carried.begin());
        around_.lasts.push_back({around_.carried[state].result, last.value});
        continue;
      }
      const program::ValueId value = builder_.Scratch(TypeOf(last.value));
      within_.lasts.push_back({last.result, value});
      around_.lasts.push_back({AddResult(value), last.value});
    }
  }

  program::Builder builder_;
  const program::SectionId id_;
  const program::Section section_;  // a copy: adding sections invalidates references
  const program::Loop loop_;
  const int64_t length_;
  program::Loop around_, within_;
  std::vector<program::ValueId> results_;  // of the outer body
};

bool MayBeCut(const program::Program& program, const program::Section& section) {
  const program::Loop& loop = *section.loop;
  const bool has_section = !SectionsIn(program, loop.body).empty();
  // A scan output that is part of another value has space for only one chunk before the first.
  const bool has_position = std::ranges::any_of(loop.scans, [&](const program::Loop::Scan& scan) {
    return program.values[scan.whole].parent != program::kNone;
  });
  return !has_section && !has_position && section.iteration == program::kNone;
}

}  // namespace

bool SplitIntoTiles(program::Program& program, int64_t max_iterations) {
  bool has_cut = false;
  const size_t blocks = program.blocks.size();
  for (program::BlockId block = 0; block < blocks; ++block) {
    for (const program::SectionId loop : CountedLoopsIn(program, block)) {
      const program::Section& section = program.sections[loop];
      const int64_t length = TileLength(section.trip_count, max_iterations);
      if (length < 2 || !MayBeCut(program, section)) continue;
      TileSplitter(program, loop, length).Run();
      has_cut = true;
    }
  }
  return has_cut;
}

}  // namespace weft::plan
