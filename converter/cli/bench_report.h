// SPDX-License-Identifier: Apache-2.0
// Prints the measurements of `weft bench` as text, JSON or CSV.
#ifndef WEFT_CONVERTER_CLI_BENCH_REPORT_H_
#define WEFT_CONVERTER_CLI_BENCH_REPORT_H_

#include <cstdint>
#include <vector>

#include "converter/cli/loaded_model.h"

namespace weft::cli {

struct StepTime {
  uint64_t calls = 0, nanoseconds = 0;
};

// Measurements of one model. The cost of reading the clock is subtracted from all times.
struct Measured {
  const LoadedModel* model = nullptr;
  std::vector<uint64_t> runs;  // nanoseconds, sorted
  std::vector<StepTime> steps;
  int64_t profiled_runs = 0;
  std::vector<std::vector<uint64_t>> step_runs;  // nanoseconds by step, of some profiled runs
  double deadline_nanoseconds = 0;               // maximum time of a run; 0: none
};

struct BenchReport {
  std::vector<Measured> models;
  int64_t warm_up = 0;
  uint64_t clock_cost = 0;
  bool profile = false, histogram = false, json = false, csv = false;
};

void PrintReport(const BenchReport& report);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_BENCH_REPORT_H_
