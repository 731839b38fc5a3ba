// SPDX-License-Identifier: Apache-2.0
// Shared by the kernel benchmarks: random values, aligned buffers and the choice of the target.
#ifndef WEFT_TESTS_BENCH_BENCH_H_
#define WEFT_TESTS_BENCH_BENCH_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "hwy/targets.h"

namespace weft::kernels {

inline std::vector<float> Values(size_t count) {
  std::vector<float> values(count + 16);
  uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int32_t>(state >> 12) - (1 << 19)) / (1 << 19);
  }
  return values;
}

// Returns the first element with the alignment that the format gives weights.
inline const float* Align(const std::vector<float>& values) {
  const size_t at = reinterpret_cast<uintptr_t>(values.data()) / sizeof(float);
  return values.data() + (16 - at % 16) % 16;
}

// Uses the n-th best target. Returns false if there are fewer targets.
inline bool Choose(benchmark::State& state, int64_t nth) {
  hwy::SetSupportedTargetsForTest(0);
  const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
  if (static_cast<size_t>(nth) >= targets.size()) {
    state.SkipWithError("no such target");
    return false;
  }
  hwy::SetSupportedTargetsForTest(targets[static_cast<size_t>(nth)]);
  state.SetLabel(hwy::TargetName(targets[static_cast<size_t>(nth)]));
  return true;
}

}  // namespace weft::kernels

#endif  // WEFT_TESTS_BENCH_BENCH_H_
