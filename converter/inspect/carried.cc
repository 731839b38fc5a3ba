// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/carried.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "converter/inspect/sections.h"
#include "converter/inspect/traverse.h"
#include "converter/inspect/weight_copies.h"

namespace weft::inspect {
namespace {

// Bytes [begin, end) of a region in iteration 0; each iteration adds `stride`.
struct Location {
  uint32_t region = 0;
  int64_t begin = 0, end = 0;
  int64_t stride = 0;
  bool by_copy = false;  // a `copy` step writes the range

  bool MovesLike(const Location& other) const {
    return region == other.region && stride == other.stride;
  }
  bool Overlaps(const Location& other) const {
    return MovesLike(other) && begin < other.end && other.begin < end;
  }
  // The range one iteration later.
  Location Next() const { return {region, begin + stride, end + stride, stride, by_copy}; }
};

// The parts of `location` that no range of `written` covers.
std::vector<Location> Uncovered(const Location& location, const std::vector<Location>& written) {
  std::vector<Location> parts = {location};
  for (const Location& cover : written) {
    std::vector<Location> rest;
    for (const Location& part : parts) {
      if (!part.Overlaps(cover)) {
        rest.push_back(part);
        continue;
      }
      if (part.begin < cover.begin)
        rest.push_back({part.region, part.begin, cover.begin, part.stride});
      if (part.end > cover.end) rest.push_back({part.region, cover.end, part.end, part.stride});
    }
    parts = std::move(rest);
  }
  return parts;
}

// Merges overlapping ranges, because several slots may be parts of one value.
std::vector<Location> Merge(std::vector<Location> positions) {
  const auto key = [](const Location& p) { return std::tuple(p.region, p.stride, p.begin, p.end); };
  std::sort(positions.begin(), positions.end(),
            [&](const Location& a, const Location& b) { return key(a) < key(b); });
  std::vector<Location> merged;
  for (const Location& location : positions) {
    if (!merged.empty() && merged.back().Overlaps(location)) {
      merged.back().end = std::max(merged.back().end, location.end);
      merged.back().by_copy = merged.back().by_copy || location.by_copy;
    } else {
      merged.push_back(location);
    }
  }
  return merged;
}

// Accesses of one copy of the body: `exposed` are reads of earlier iterations, `written` all
// writes, merged.
struct CopyAccess {
  std::vector<Location> exposed, written;
  std::vector<Location> writes;  // all writes, in order
};

// Maximum distance in iterations between the write and the read of a state in a scan output.
// Limited by the trip count, because later positions belong to the next buffer.
constexpr uint32_t kOldest = 64;

// Collects the accesses of a run. Nested sections are traversed once, which is sufficient because
// each of their steps runs at least once or never.
class Accesses : public Visitor {
 public:
  Accesses(const format::Model& model, uint32_t section)
      : model_(model), section_(section), copies_(model) {}

  CopyAccess Of(StepRun run) {
    access_ = {};
    Traverse(model_, run, *this);
    return {Merge(access_.exposed), Merge(access_.written), access_.written};
  }

  // The range of a slot that moves with a nested section includes all its iterations.
  Location PositionOf(uint32_t index) const {
    const format::Slot slot = copies_.InFile(format::RowsOf(model_.slots())[index]);
    Location location{slot.region(), slot.offset_bytes(),
                      int64_t{slot.offset_bytes()} + slot.bytes()};
    const auto moves = format::RowsOf(model_.moves());
    for (uint32_t i = 0; i < slot.move_count(); ++i) {
      const format::Move& move = moves[slot.first_move() + i];
      if (move.section() == section_) {
        location.stride = move.stride_bytes();
      } else if (SectionAt(model_, move.section()).depth() > SectionAt(model_, section_).depth()) {
        const int64_t reach =
            int64_t{move.stride_bytes()} * (int64_t{TripsOf(model_, move.section()).count} - 1);
        (reach < 0 ? location.begin : location.end) += reach;
      }
    }
    return location;
  }

 private:
  void Step(uint32_t index) override {
    const format::Step& step = format::RowsOf(model_.steps())[index];
    const format::Arity arity = format::kArity[step.kind()];
    const uint32_t* operands = format::RowsOf(model_.operands()).data + step.first_operand();
    for (uint32_t i = 0; i < arity.inputs; ++i) {
      if (operands[i] == format::kNoSlot) continue;
      const Location location = PositionOf(operands[i]);
      if (location.region == format::kWeightsRegion) continue;
      for (const Location& part : Uncovered(location, access_.written))
        access_.exposed.push_back(part);
    }
    for (uint32_t i = arity.inputs; i < arity.operands(); ++i) {
      if (operands[i] == format::kNoSlot) continue;
      Location location = PositionOf(operands[i]);
      location.by_copy = step.kind() == static_cast<uint16_t>(format::Kind::copy);
      access_.written.push_back(location);
    }
  }

  const format::Model& model_;
  const uint32_t section_;
  const CopiedWeights copies_;
  CopyAccess access_;
};

const Location* FindOverlap(const std::vector<Location>& positions, const Location& location) {
  const auto found = std::find_if(positions.begin(), positions.end(),
                                  [&](const Location& other) { return other.Overlaps(location); });
  return found == positions.end() ? nullptr : &*found;
}

// Returns true if a `copy` step wrote at least a part of the bytes that `location` has after all
// writes; nullopt if no write overlaps it. Other values may have used the range in between.
std::optional<bool> LastByCopy(const std::vector<Location>& writes, const Location& location) {
  std::optional<bool> by_copy;
  std::vector<Location> later;
  for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
    if (!write->Overlaps(location)) continue;
    Location part = location;
    part.begin = std::max(part.begin, write->begin);
    part.end = std::min(part.end, write->end);
    if (Uncovered(part, later).empty()) continue;
    by_copy = by_copy.value_or(false) || write->by_copy;
    later.push_back(*write);
  }
  return by_copy;
}

}  // namespace

Carried CarriedBy(const format::Model& model, uint32_t section) {
  const uint32_t unroll = SectionAt(model, section).unroll();
  Accesses accesses(model, section);
  const CopyAccess first = accesses.Of(CopyOf(model, section, 0));
  const CopyAccess last = accesses.Of(CopyOf(model, section, unroll - 1));
  const uint32_t oldest = std::min(kOldest, std::max(TripsOf(model, section).count, 1u) - 1);
  Carried carried;
  for (const Location& location : first.exposed) {
    if (location.stride != 0) {
      // The range was written `age` + 1 iterations earlier, that many strides further.
      bool scan = false;
      Location written = location;
      for (uint32_t age = 0; age < oldest && !scan; ++age) {
        written = written.Next();
        scan = FindOverlap(last.written, written) != nullptr;
      }
      ++(scan ? carried.through_scan : carried.sliced);
    } else if (const std::optional<bool> by_copy = LastByCopy(last.writes, location)) {
      // A buffer that the last copy reads as well is updated in place by each copy.
      const bool stays = unroll == 1 || FindOverlap(last.exposed, location) != nullptr;
      ++(*by_copy ? carried.by_copy : stays ? carried.in_place : carried.ping_pongs);
    } else if (const std::optional<bool> is_copied = LastByCopy(first.writes, location)) {
      ++(*is_copied ? carried.by_copy : carried.in_place);
    }
  }
  for (const Location& location : first.written) carried.scans += location.stride != 0 ? 1 : 0;
  return carried;
}

std::vector<PingPong> PingPongsOf(const format::Model& model, uint32_t section) {
  std::vector<PingPong> ping_pongs;
  if (SectionAt(model, section).unroll() < 2) return ping_pongs;
  const StepRun first = CopyOf(model, section, 0), second = CopyOf(model, section, 1);
  if (first.end - first.begin != second.end - second.begin) return ping_pongs;
  Accesses accesses(model, section);
  const std::vector<Location> first_reads = accesses.Of(first).exposed;
  const std::vector<Location> second_reads = accesses.Of(second).exposed;
  const auto steps = format::RowsOf(model.steps());
  for (uint32_t i = 0; i < first.end - first.begin; ++i) {
    const format::Step& one = steps[first.begin + i];
    const format::Step& other = steps[second.begin + i];
    if (one.kind() != other.kind()) return {};
    if (one.kind() == 0) continue;
    const format::Arity arity = format::kArity[one.kind()];
    const uint32_t* operands = format::RowsOf(model.operands()).data;
    for (uint32_t k = arity.inputs; k < arity.operands(); ++k) {
      const PingPong ping_pong{operands[one.first_operand() + k],
                               operands[other.first_operand() + k]};
      if (ping_pong.there == format::kNoSlot || ping_pong.back == format::kNoSlot) continue;
      const Location there = accesses.PositionOf(ping_pong.there),
                     back = accesses.PositionOf(ping_pong.back);
      const bool is_pair = there.stride == 0 && back.stride == 0 && !there.Overlaps(back) &&
                           FindOverlap(first_reads, back) != nullptr &&
                           FindOverlap(second_reads, there) != nullptr;
      if (is_pair) ping_pongs.push_back(ping_pong);
    }
  }
  return ping_pongs;
}

}  // namespace weft::inspect
