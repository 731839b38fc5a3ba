// SPDX-License-Identifier: Apache-2.0
// What `weft bench` prints of its measurements: text, JSON or CSV.
#ifndef WEFT_CONVERTER_CLI_BENCH_REPORT_H_
#define WEFT_CONVERTER_CLI_BENCH_REPORT_H_

#include <cstdint>
#include <vector>

#include "converter/cli/loaded_model.h"

namespace weft::cli {

struct StepTime {
  uint64_t calls = 0, nanoseconds = 0;
};

// Of one model; the cost of reading the clock is taken off all times.
struct Measured {
  const LoadedModel* model = nullptr;
  std::vector<uint64_t> runs;  // nanoseconds, sorted
  std::vector<StepTime> steps;
  int64_t profiled_runs = 0;
  std::vector<std::vector<uint64_t>> step_runs;  // nanoseconds of every step, of some profiled runs
  double deadline_nanoseconds = 0;               // for a run; 0: none
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
