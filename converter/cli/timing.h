// SPDX-License-Identifier: Apache-2.0
// The clock of `weft bench` and what it says of many runs. Times are nanoseconds.
#ifndef WEFT_CONVERTER_CLI_TIMING_H_
#define WEFT_CONVERTER_CLI_TIMING_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::cli {

// Profile::now has the parameter.
uint64_t Now(void* = nullptr);
// What a reading adds to the time between two of them: the median of many.
uint64_t ClockCost();

// Nearest rank: the smallest time that at least `share` of the runs do not exceed. At least one
// run.
uint64_t Quantile(std::span<const uint64_t> sorted, double share);

// Runs of [from, to), the last with its end.
struct Bin {
  double from = 0, to = 0;
  uint64_t count = 0;
};
// Bins as wide as one another on a logarithmic scale, so that a few slow runs stand apart.
std::vector<Bin> Histogram(std::span<const uint64_t> sorted);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TIMING_H_
