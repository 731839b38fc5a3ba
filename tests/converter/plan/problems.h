// SPDX-License-Identifier: Apache-2.0
// Memory-planning problems for tests: random ones, and the MiniMalloc benchmarks.
#ifndef WEFT_TESTS_CONVERTER_PLAN_PROBLEMS_H_
#define WEFT_TESTS_CONVERTER_PLAN_PROBLEMS_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "converter/plan/problem.h"

namespace weft::plan {

struct Shape {
  bool gaps = false, alignments = false, fixed = false;
  int memories = 1;
  bool allowed_overlaps = false;
};

// Adds pairs of adjacent buffers in the list, with distances from 0 to those of disjoint buffers.
inline void AddOverlaps(std::mt19937& random, Problem& problem) {
  const auto up_to = [&](int64_t max) { return static_cast<int64_t>(random()) % (max + 1); };
  for (size_t y = 1; y < problem.buffers.size(); ++y) {
    if (random() % 2 == 0) continue;
    const int64_t x_bytes = problem.buffers[y - 1].bytes, y_bytes = problem.buffers[y].bytes;
    AllowedOverlap overlap = {y - 1, y, up_to(y_bytes), up_to(x_bytes)};
    if (random() % 3 == 0) overlap.after_bytes = x_bytes;
    if (random() % 3 == 0) overlap.before_bytes = y_bytes;
    problem.allowed_overlaps.push_back(overlap);
  }
}

// Fixed buffers are far above each other, so that every problem has a placement.
inline Problem RandomProblem(std::mt19937& random, const Shape& shape) {
  const auto below = [&](int64_t max) { return static_cast<int64_t>(random()) % max; };
  Problem problem;
  const int64_t count = below(40);
  for (int64_t i = 0; i < count; ++i) {
    Buffer buffer;
    buffer.name = "b" + std::to_string(i);
    buffer.bytes = 1 + below(500);
    buffer.lifetime.begin = below(50);
    buffer.lifetime.end = buffer.lifetime.begin + 1 + below(20);
    buffer.traffic_bytes = static_cast<double>(below(10000));
    if (shape.alignments) buffer.alignment_bytes = int64_t{1} << below(7);
    if (shape.fixed && i < 3) buffer.fixed_offset_bytes = 1024 * i;
    int64_t time = buffer.lifetime.begin;
    while (shape.gaps && time + 2 < buffer.lifetime.end && below(2) == 0) {
      const int64_t begin = time + 1 + below(buffer.lifetime.end - time - 2);
      const int64_t end = begin + 1 + below(buffer.lifetime.end - begin);
      buffer.gaps.push_back({begin, end});
      time = end;
    }
    problem.buffers.push_back(buffer);
  }
  if (shape.allowed_overlaps) AddOverlaps(random, problem);
  problem.memories.clear();
  for (int i = 0; i < shape.memories; ++i) {
    problem.memories.push_back(
        {"m" + std::to_string(i), 4096 + below(4096), static_cast<double>(shape.memories - i)});
  }
  problem.memories.back().capacity_bytes.reset();
  return problem;
}

}  // namespace weft::plan

#endif  // WEFT_TESTS_CONVERTER_PLAN_PROBLEMS_H_
