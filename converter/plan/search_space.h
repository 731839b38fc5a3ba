// SPDX-License-Identifier: Apache-2.0
// A problem of one memory as a search sees it: in whole units instead of bytes, in sections instead
// of times, with the distances that buffers which are live together must keep.
#ifndef WEFT_CONVERTER_PLAN_SEARCH_SPACE_H_
#define WEFT_CONVERTER_PLAN_SEARCH_SPACE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "converter/plan/problem.h"

namespace weft::plan {

// What goes first among buffers of equal offset: the one with the most of it.
enum class TieKey : uint8_t {
  kContention,  // the bytes live at the fullest moment of its life
  kWidth,       // time alive
  kArea,        // time alive times bytes
  kBytes,
  kOverlaps,  // how many are live with it
};

class SearchSpace {
 public:
  // A section stands for a moment at which one buffer more than just before is live, and one fewer
  // just after: of the moments between, none is fuller. Half-open.
  struct Sections {
    int32_t begin, end;
  };
  // Another buffer that is live at the same time, and how far above this one it must begin if it
  // begins above.
  struct Overlap {
    int32_t other, distance;
  };
  struct Item {
    bool is_fixed = false;
    int32_t units = 0, alignment_units = 1;
    int32_t lowest = 0;  // where it would lie alone
    Sections hull{0, 0};
    std::vector<Sections> live;
    std::vector<Overlap> overlaps;
    double contention = 0, width = 0;
    double Key(TieKey key) const;
  };

  // Pairs of `nears` count by their indices in `buffers`.
  SearchSpace(std::span<const Buffer> buffers, std::span<const Near> nears);

  // False where a search cannot help: too many pairs are live together, numbers are too large, or
  // fixed buffers overlap.
  bool is_possible() const { return is_possible_; }

  // All offsets of a placement in which no buffer can sink are multiples of this.
  int64_t unit_bytes() const { return unit_bytes_; }
  // All bytes are rounded up to multiples of this, which divides the unit.
  int64_t granule_bytes() const { return granule_bytes_; }

  const std::vector<Item>& items() const { return items_; }
  int32_t sections() const { return sections_; }
  // By section: what near buffers that are live there can have in common at most.
  const std::vector<int64_t>& shared_units() const { return shared_units_; }
  // Sections that all items are live in, summed up: what one look at everything costs.
  int64_t incidences() const { return incidences_; }

  // The lowest offset not below `offset` that the alignment and the fixed buffers allow.
  int64_t LowestFrom(size_t item, int64_t offset) const;

 private:
  // Where an item may not begin for the sake of a fixed one: behind `low`, before `high`.
  struct Obstacle {
    int64_t low, high;
  };
  struct Pair {
    int32_t a, b;  // a < b
  };

  void SetUnits(std::span<const Buffer> buffers, std::span<const Near> nears);
  void SetSections(std::span<const Buffer> buffers);
  std::vector<Pair> PairsLiveTogether();
  void SetOverlaps(std::span<const Buffer> buffers, std::span<const Near> nears);
  void AddOverlap(const Pair& pair, const Near* near);
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
