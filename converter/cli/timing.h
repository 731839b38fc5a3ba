// SPDX-License-Identifier: Apache-2.0
// The clock and the statistics of `weft bench`. Times are nanoseconds.
#ifndef WEFT_CONVERTER_CLI_TIMING_H_
#define WEFT_CONVERTER_CLI_TIMING_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::cli {

// The unused parameter makes Now usable as Profile::now.
uint64_t Now(void* = nullptr);
// Median time between two consecutive readings of the clock.
uint64_t ClockCost();

// Quantile by nearest rank: the smallest time that at least the fraction `share` of the runs do not
// exceed. `sorted` must not be empty.
uint64_t Quantile(std::span<const uint64_t> sorted, double share);

// Number of runs with a time in [from, to); the last bin includes `to`.
struct Bin {
  double from = 0, to = 0;
  uint64_t count = 0;
};
// Returns bins of equal width on a logarithmic scale, which separates slow outliers.
std::vector<Bin> Histogram(std::span<const uint64_t> sorted);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TIMING_H_
