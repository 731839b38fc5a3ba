// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace weft::cli {

uint64_t Now(void*) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

uint64_t ClockCost() {
  std::vector<uint64_t> costs(1001);
  for (uint64_t& cost : costs) {
    const uint64_t begin = Now();
    cost = Now() - begin;
  }
  std::sort(costs.begin(), costs.end());
  return Quantile(costs, 0.5);
}

uint64_t Quantile(std::span<const uint64_t> sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

std::vector<Bin> Histogram(std::span<const uint64_t> sorted) {
  constexpr size_t kBins = 16;
  if (sorted.empty()) return {};
  const auto min = static_cast<double>(std::max<uint64_t>(sorted.front(), 1)),
             max = static_cast<double>(std::max<uint64_t>(sorted.back(), 1));
  if (min == max) return {{min, max, sorted.size()}};
  std::vector<Bin> bins(kBins);
  const double step = std::log(max / min) / kBins;
  for (size_t i = 0; i < kBins; ++i) {
    bins[i].from = i == 0 ? static_cast<double>(sorted.front()) : bins[i - 1].to;
    bins[i].to = i + 1 == kBins ? max : min * std::exp(step * static_cast<double>(i + 1));
  }
  size_t bin = 0;
  for (const uint64_t time : sorted) {
    while (bin + 1 < kBins && static_cast<double>(time) >= bins[bin].to) ++bin;
    ++bins[bin].count;
  }
  return bins;
}

}  // namespace weft::cli
