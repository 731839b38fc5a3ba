// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>
#include <vector>

#include "converter/plan/plan.h"
#include "converter/plan/plan_passes.h"
#include "converter/program/block_access.h"

namespace weft::plan {
namespace {

// A half-open range of bytes of a root.
struct Reach {
  int64_t begin = 0, end = 0;
};

int64_t RoundDown(int64_t bytes) { return bytes - bytes % kScratchAlignment; }

// Bytes of the root that are accessed in all iterations of the loops around. An empty range counts
// as one byte, so that it belongs to a part.
Reach Reached(const program::Program& program, Reach bytes, std::span<const program::Move> moves,
              int64_t root) {
  bytes.end = std::max(bytes.end, bytes.begin + 1);
  for (const program::Move& move : moves) {
    const int64_t farthest = (program.sections[move.section].max_trips - 1) * move.stride_bytes;
    bytes.begin += std::min<int64_t>(0, farthest);
    bytes.end += std::max<int64_t>(0, farthest);
  }
  return {std::clamp<int64_t>(RoundDown(std::max<int64_t>(bytes.begin, 0)), 0, RoundDown(root - 1)),
          std::clamp<int64_t>(bytes.end, 1, root)};
}

// Unions of overlapping ranges: disjoint and in order.
std::vector<Reach> PartsOf(std::vector<Reach> touched) {
  std::ranges::sort(touched, {}, &Reach::begin);
  std::vector<Reach> parts;
  for (const Reach& bytes : touched) {
    if (parts.empty() || bytes.begin >= parts.back().end) {
      parts.push_back(bytes);
    } else {
      parts.back().end = std::max(parts.back().end, bytes.end);
    }
  }
  return parts;
}

struct Part {
  Reach bytes;
  program::ValueId value = program::kNone;
};
using PartsByRoot = std::unordered_map<program::ValueId, std::vector<Part>>;

// Adds a separate value for each part of each root that is to be split.
PartsByRoot MakeParts(program::Program& program) {
  PartsByRoot parts_of;
  const program::AccessMap accesses = CollectAccesses(program, program.main);
  const auto roots = static_cast<program::ValueId>(program.values.size());
  for (program::ValueId root = 0; root < roots; ++root) {
    const int64_t bytes = program.values[root].bytes;
    const auto found = accesses.find(root);
    if (found == accesses.end() || bytes == 0 ||
        program.values[root].storage != program::Storage::kScratch) {
      continue;
    }
    std::vector<Reach> touched;
    for (const program::Access& access : found->second) {
      touched.push_back(
          Reached(program, {access.begin_bytes, access.end_bytes}, access.moves, bytes));
    }
    const std::vector<Reach> parts = PartsOf(std::move(touched));
    if (parts.size() == 1 && parts[0].end - parts[0].begin == bytes) continue;
    for (const Reach& part : parts) {
      program::Value value = program.values[root];
      value.bytes = part.end - part.begin;
      value.type = {ElementType::u8, {value.bytes}};
      parts_of[root].push_back({part, program.Add(std::move(value))});
    }
  }
  return parts_of;
}

// Makes the value a view of the part that holds it; `location` is Resolve() of the value.
void MoveToPart(program::Program& program, program::ValueId id, program::Location location,
                const std::vector<Part>& parts) {
  program::Value& value = program.values[id];
  const Reach reached =
      Reached(program, {location.offset_bytes, location.offset_bytes + value.bytes}, location.moves,
              program.values[location.root].bytes);
  const auto after = std::ranges::upper_bound(parts, reached.begin, {},
                                              [](const Part& part) { return part.bytes.begin; });
  if (after == parts.begin()) return;
  const Part& part = *std::prev(after);
  if (reached.end > part.bytes.end) return;  // no step accesses it
  value.parent = part.value;
  value.offset_bytes = location.offset_bytes - part.bytes.begin;
  value.moves = std::move(location.moves);
}

}  // namespace

void SplitValues(program::Program& program) {
  const auto values = static_cast<program::ValueId>(program.values.size());
  const PartsByRoot parts_of = MakeParts(program);
  if (parts_of.empty()) return;
  std::vector<program::Location> positions;
  for (program::ValueId value = 0; value < values; ++value)
    positions.push_back(Resolve(program, value));
  for (program::ValueId value = 0; value < values; ++value) {
    const auto parts = parts_of.find(positions[value].root);
    if (parts != parts_of.end() && (program.values[value].parent != program::kNone)) {
      MoveToPart(program, value, std::move(positions[value]), parts->second);
    }
  }
}

}  // namespace weft::plan
