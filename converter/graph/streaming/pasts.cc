// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/pasts.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <tuple>

#include "converter/graph/streaming/delays.h"

namespace weft::graph {
namespace {

// The positions that are looked back on, and the initial values before them.
using Key = std::tuple<const ir::Node*, uint32_t, bool, uint64_t>;

Key KeyOf(const AlignedPositions& positions, const ir::Node& reader, const Delay& delay) {
  const ir::Source data = positions.First(reader.inputs[0]);
  return {data.node, data.port, delay.repeats, std::bit_cast<uint64_t>(delay.fill)};
}

}  // namespace

std::vector<SharedPast> PastsOf(const TimeAxes& times, const AlignedPositions& positions) {
  std::vector<SharedPast> pasts;
  std::map<Key, size_t> known;
  for (ir::Node* node : times.nodes()) {
    const Delay* delay = DelayOverTime(times, *node);
    if (delay == nullptr || delay->past == 0) continue;
    const auto [found, is_new] = known.try_emplace(KeyOf(positions, *node, *delay), pasts.size());
    if (is_new) pasts.emplace_back();
    SharedPast& past = pasts[found->second];
    past.readers.push_back({node, delay});
    past.positions = std::max(past.positions, delay->past);
  }
  return pasts;
}

}  // namespace weft::graph
