// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/carried.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "converter/inspect/sections.h"
#include "converter/inspect/traverse.h"

namespace weft::inspect {
namespace {

// Bytes [begin, end) of a region in iteration 0; each iteration adds `stride`.
struct Place {
  uint32_t region = 0;
  int64_t begin = 0, end = 0;
  int64_t stride = 0;
  bool by_copy = false;  // a `copy` step writes the range

  bool MovesLike(const Place& other) const {
    return region == other.region && stride == other.stride;
  }
  bool Overlaps(const Place& other) const {
    return MovesLike(other) && begin < other.end && other.begin < end;
  }
  // The range one iteration later.
  Place Next() const { return {region, begin + stride, end + stride, stride, by_copy}; }
};

// The parts of `place` that no range of `written` covers.
std::vector<Place> Uncovered(const Place& place, const std::vector<Place>& written) {
  std::vector<Place> parts = {place};
  for (const Place& cover : written) {
    std::vector<Place> rest;
    for (const Place& part : parts) {
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
std::vector<Place> Merge(std::vector<Place> places) {
  const auto key = [](const Place& p) { return std::tuple(p.region, p.stride, p.begin, p.end); };
  std::sort(places.begin(), places.end(),
            [&](const Place& a, const Place& b) { return key(a) < key(b); });
  std::vector<Place> merged;
  for (const Place& place : places) {
    if (!merged.empty() && merged.back().Overlaps(place)) {
      merged.back().end = std::max(merged.back().end, place.end);
      merged.back().by_copy = merged.back().by_copy || place.by_copy;
    } else {
      merged.push_back(place);
    }
  }
  return merged;
}

// Accesses of one copy of the body: `exposed` are reads of earlier iterations, `written` all
// writes, merged.
struct CopyAccess {
  std::vector<Place> exposed, written;
  std::vector<Place> writes;  // all writes, in order
};

// Maximum distance in iterations between the write and the read of a state in a scan output.
// Limited by the trip count, because later positions belong to the next buffer.
constexpr uint32_t kOldest = 64;

// Collects the accesses of a run. Nested sections are traversed once, which is sufficient because
// each of their steps runs at least once or never.
class Accesses : public Visitor {
 public:
  Accesses(const format::Model& model, uint32_t section) : model_(model), section_(section) {}

  CopyAccess Of(StepRun run) {
    access_ = {};
    Traverse(model_, run, *this);
    return {Merge(access_.exposed), Merge(access_.written), access_.written};
  }

  // The range of a slot that moves with a nested section includes all its iterations.
  Place PlaceOf(uint32_t index) const {
    const format::Slot& slot = format::RowsOf(model_.slots())[index];
    Place place{slot.region(), slot.offset_bytes(), int64_t{slot.offset_bytes()} + slot.bytes()};
    const auto moves = format::RowsOf(model_.moves());
    for (uint32_t i = 0; i < slot.move_count(); ++i) {
      const format::Move& move = moves[slot.first_move() + i];
      if (move.section() == section_) {
        place.stride = move.stride_bytes();
      } else if (SectionAt(model_, move.section()).depth() > SectionAt(model_, section_).depth()) {
        const int64_t reach =
            int64_t{move.stride_bytes()} * (int64_t{TripsOf(model_, move.section()).count} - 1);
        (reach < 0 ? place.begin : place.end) += reach;
      }
    }
    return place;
  }

 private:
  void Step(uint32_t index) override {
    const format::Step& step = format::RowsOf(model_.steps())[index];
    const format::Arity arity = format::kArity[step.kind()];
    const uint32_t* operands = format::RowsOf(model_.operands()).data + step.first_operand();
    for (uint32_t i = 0; i < arity.inputs; ++i) {
      if (operands[i] == format::kNoSlot) continue;
      const Place place = PlaceOf(operands[i]);
      if (place.region == format::kWeightsRegion) continue;
      for (const Place& part : Uncovered(place, access_.written)) access_.exposed.push_back(part);
    }
    for (uint32_t i = arity.inputs; i < arity.operands(); ++i) {
      if (operands[i] == format::kNoSlot) continue;
      Place place = PlaceOf(operands[i]);
      place.by_copy = step.kind() == static_cast<uint16_t>(format::Kind::copy);
      access_.written.push_back(place);
    }
  }

  const format::Model& model_;
  const uint32_t section_;
  CopyAccess access_;
};

const Place* FindOverlap(const std::vector<Place>& places, const Place& place) {
  const auto found = std::find_if(places.begin(), places.end(),
                                  [&](const Place& other) { return other.Overlaps(place); });
  return found == places.end() ? nullptr : &*found;
}

// Returns true if a `copy` step wrote at least a part of the bytes that `place` has after all
// writes; nullopt if no write overlaps it. Other values may have used the range in between.
std::optional<bool> LastByCopy(const std::vector<Place>& writes, const Place& place) {
  std::optional<bool> by_copy;
  std::vector<Place> later;
  for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
    if (!write->Overlaps(place)) continue;
    Place part = place;
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
  for (const Place& place : first.exposed) {
    if (place.stride != 0) {
      // The range was written `age` + 1 iterations earlier, that many strides further.
      bool scan = false;
      Place written = place;
      for (uint32_t age = 0; age < oldest && !scan; ++age) {
        written = written.Next();
        scan = FindOverlap(last.written, written) != nullptr;
      }
      ++(scan ? carried.through_scan : carried.sliced);
    } else if (const std::optional<bool> by_copy = LastByCopy(last.writes, place)) {
      // A buffer that the last copy reads as well is updated in place by each copy.
      const bool stays = unroll == 1 || FindOverlap(last.exposed, place) != nullptr;
      ++(*by_copy ? carried.by_copy : stays ? carried.in_place : carried.ping_pongs);
    } else if (const std::optional<bool> is_copied = LastByCopy(first.writes, place)) {
      ++(*is_copied ? carried.by_copy : carried.in_place);
    }
  }
  for (const Place& place : first.written) carried.scans += place.stride != 0 ? 1 : 0;
  return carried;
}

std::vector<PingPong> PingPongsOf(const format::Model& model, uint32_t section) {
  std::vector<PingPong> ping_pongs;
  if (SectionAt(model, section).unroll() < 2) return ping_pongs;
  const StepRun first = CopyOf(model, section, 0), second = CopyOf(model, section, 1);
  if (first.end - first.begin != second.end - second.begin) return ping_pongs;
  Accesses accesses(model, section);
  const std::vector<Place> first_reads = accesses.Of(first).exposed;
  const std::vector<Place> second_reads = accesses.Of(second).exposed;
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
      const Place there = accesses.PlaceOf(ping_pong.there),
                  back = accesses.PlaceOf(ping_pong.back);
      const bool is_pair = there.stride == 0 && back.stride == 0 && !there.Overlaps(back) &&
                           FindOverlap(first_reads, back) != nullptr &&
                           FindOverlap(second_reads, there) != nullptr;
      if (is_pair) ping_pongs.push_back(ping_pong);
    }
  }
  return ping_pongs;
}

}  // namespace weft::inspect
