// SPDX-License-Identifier: Apache-2.0
// A client with many streams in real time: each sends a frame every 10 ms. Compares all answers
// with the model that has one stream, and measures the time from request to answer.
#ifndef WEFT_EXAMPLES_SERVER_LOAD_H_
#define WEFT_EXAMPLES_SERVER_LOAD_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "examples/server/model.h"

namespace server {

// Counts of times, in steps of 10 us up to one second.
struct Histogram {
  std::vector<uint64_t> counts = std::vector<uint64_t>(100'000, 0);
  uint64_t total = 0, max_us = 0;
  void Add(uint64_t microseconds);
  void Add(const Histogram& other);
  // The upper end of the step with this share of all times.
  uint64_t Percentile(double share) const;
};

struct LoadResult {
  uint64_t sent = 0, answered = 0, wrong = 0, late = 0;  // late: after the next frame
  uint64_t restarts = 0;                                 // streams that left and joined again
  Histogram times;
};

// Runs `streams` streams for `seconds`, over a few connections to `port`. `single` is the model
// with one stream.
LoadResult RunLoad(const Model& single, uint16_t port, uint32_t streams, uint32_t seconds);

}  // namespace server

#endif  // WEFT_EXAMPLES_SERVER_LOAD_H_
