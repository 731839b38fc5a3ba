// SPDX-License-Identifier: Apache-2.0
// Searches for a smaller placement in one memory, and raises the lower bound of all placements.
#ifndef WEFT_CONVERTER_PLAN_IMPROVE_H_
#define WEFT_CONVERTER_PLAN_IMPROVE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "converter/plan/problem.h"

namespace weft::plan {

// How much work a solver does if its greedy orders stay above the lower bound. A node is one buffer
// that a search puts at an offset. Unset: as many nodes as a conversion can afford, fewer if each
// costs more.
struct Effort {
  std::optional<int64_t> max_nodes = std::nullopt;
  // The search only tries to find a placement of at most this size, and proves nothing.
  std::optional<int64_t> enough_bytes = std::nullopt;
  // Used if max_nodes is unset: the maximum number of items and sections that all nodes visit
  // together. Unset: as many as take a few tenths of a second.
  std::optional<int64_t> max_looks = std::nullopt;
};

// Result of Improve, in bytes rounded up to multiples of the granule.
struct Improved {
  int64_t used_bytes = 0, bound_bytes = 0;
  int64_t nodes = 0;
  std::vector<int64_t> offsets_bytes;  // by buffer; empty if nothing smaller was found
};

// `used_bytes` is the size of a known placement, `bound_bytes` a lower bound of all placements. The
// search first tries the bound itself, then bisects between bound and known size. The remaining
// nodes go into the proof that no smaller placement exists.
Improved Improve(std::span<const Buffer> buffers, std::span<const AllowedOverlap> allowed_overlaps,
                 int64_t used_bytes, int64_t bound_bytes, const Effort& effort);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_IMPROVE_H_
