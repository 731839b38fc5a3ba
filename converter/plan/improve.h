// SPDX-License-Identifier: Apache-2.0
// Makes a placement in one memory smaller by search, and finds out how small one can be.
#ifndef WEFT_CONVERTER_PLAN_IMPROVE_H_
#define WEFT_CONVERTER_PLAN_IMPROVE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "converter/plan/problem.h"

namespace weft::plan {

// How far a solver goes where its greedy orders stay above the bound. Nodes are buffers that a
// search puts; without a number as many as a conversion can wait for, fewer where each costs more.
struct Effort {
  std::optional<int64_t> most_nodes = std::nullopt;
  // A placement of so many bytes is good enough, and a worse one no better than the greedy one.
  std::optional<int64_t> enough_bytes = std::nullopt;
  // Without a number of nodes: items and sections that all nodes together look at, at most. Unset:
  // as many as a conversion needs a few tenths of a second for.
  std::optional<int64_t> max_looks = std::nullopt;
};

// In bytes that are rounded up to multiples of the granule.
struct Improved {
  int64_t used_bytes = 0, bound_bytes = 0;
  int64_t nodes = 0;
  std::vector<int64_t> offsets_bytes;  // by buffer; empty where nothing smaller was found
};

// `used_bytes` is what a placement is known to need, `bound_bytes` what all of them do. First the
// bound itself is tried, then what lies between, halving it; what is left of the nodes goes into
// the proof that nothing is smaller.
Improved Improve(std::span<const Buffer> buffers, std::span<const Near> nears, int64_t used_bytes,
                 int64_t bound_bytes, const Effort& effort);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_IMPROVE_H_
