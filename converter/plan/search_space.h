// SPDX-License-Identifier: Apache-2.0
// A problem of one memory as input of a search: in units instead of bytes, in sections instead of
// times, with the minimum distances between buffers that are live together.
#ifndef WEFT_CONVERTER_PLAN_SEARCH_SPACE_H_
#define WEFT_CONVERTER_PLAN_SEARCH_SPACE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "converter/plan/problem.h"

namespace weft::plan {

// Criterion that orders buffers of equal offset; the largest value comes first.
enum class TieKey : uint8_t {
  kContention,  // maximum number of bytes live at one time during its lifetime
  kWidth,       // time live
  kArea,        // time live times bytes
  kOverlaps,    // number of buffers that are live with it
};

// Units, sections and minimum distances of a problem. Built once, then read-only.
class SearchSpace {
 public:
  // A section is a moment at which the set of live buffers is locally largest: some buffer begins
  // at it, and the next change is the end of a buffer. Moments between two sections have no more
  // live buffers than one of these. Half-open.
  struct Sections {
    int32_t begin, end;
  };
  // Another buffer that is live at the same time, and its minimum distance above this one, if it
  // begins above.
  struct Overlap {
    int32_t other, distance;
  };
  // A buffer in units and sections.
  struct Item {
    bool is_fixed = false;
    int32_t units = 0, alignment_units = 1;
    int32_t lowest = 0;  // the lowest offset without other buffers
    Sections hull{0, 0};
    std::vector<Sections> live;
    std::vector<Overlap> overlaps;
    double contention = 0, width = 0;
    double Key(TieKey key) const;
  };

  // `allowed_overlaps` refers to buffers by their indices in `buffers`.
  SearchSpace(std::span<const Buffer> buffers, std::span<const AllowedOverlap> allowed_overlaps);

  // Returns false if a search cannot help: too many pairs are live together, numbers are too large,
  // or fixed buffers overlap.
  bool is_possible() const { return is_possible_; }

  // All offsets of a placement in which no buffer can sink are multiples of this unit.
  int64_t unit_bytes() const { return unit_bytes_; }
  // All sizes are rounded up to multiples of the granule, which divides the unit.
  int64_t granule_bytes() const { return granule_bytes_; }

  const std::vector<Item>& items() const { return items_; }
  int32_t sections() const { return sections_; }
  // By section: the maximum number of units that overlapping pairs live there can share.
  const std::vector<int64_t>& shared_units() const { return shared_units_; }
  // Sum over all items of the sections in which they are live: the cost of visiting everything.
  int64_t incidences() const { return incidences_; }

  // Returns the lowest offset from `offset` on that the alignment and the fixed buffers allow.
  int64_t LowestFrom(size_t item, int64_t offset) const;

 private:
  // Range of offsets that a fixed buffer forbids for an item: above `low`, below `high`.
  struct Obstacle {
    int64_t low, high;
  };
  struct Pair {
    int32_t a, b;  // a < b
  };

  void SetUnits(std::span<const Buffer> buffers, std::span<const AllowedOverlap> allowed_overlaps);
  void SetSections(std::span<const Buffer> buffers);
  std::vector<Pair> PairsLiveTogether();
  void SetOverlaps(std::span<const Buffer> buffers,
                   std::span<const AllowedOverlap> allowed_overlaps);
  void AddOverlap(const Pair& pair, const AllowedOverlap* overlap);
  void SetContention();
  int32_t UnitsOf(int64_t bytes) const;

  int64_t unit_bytes_ = 1, granule_bytes_ = 1;
  bool is_possible_ = true;
  std::vector<Item> items_;
  std::vector<std::vector<Obstacle>> obstacles_;  // by item
  int32_t sections_ = 0;
  int64_t incidences_ = 0;
  std::vector<int64_t> shared_units_;
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_SEARCH_SPACE_H_
