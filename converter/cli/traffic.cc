// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/traffic.h"

#include <algorithm>
#include <map>
#include <utility>

#include "converter/cli/sections.h"

namespace weft::cli {
namespace {

double CopiedBytes(const format::Model& model, const format::Step& step) {
  if (step.kind() == static_cast<uint16_t>(format::Kind::fill)) {
    const format::FillParams& fill = *model.fill()->Get(step.param());
    return static_cast<double>(fill.count()) * fill.element_bytes();
  }
  if (step.kind() != static_cast<uint16_t>(format::Kind::copy)) return 0;
  const format::CopyParams& copy = *model.copy()->Get(step.param());
  double bytes = copy.element_bytes();
  for (uint32_t i = 0; i < copy.rank(); ++i) bytes *= copy.dims()->Get(i);
  return bytes;
}

class Counter {
 public:
  explicit Counter(const format::Model& model) : model_(model) {}

  // Bytes of one pass through a run; every step is noted with `times` as many.
  double Run(StepRun run, double times) {
    const auto steps = format::RowsOf(model_.steps());
    double bytes = 0;
    for (uint32_t i : DirectSteps(model_, run)) {
      const format::Step& step = steps[i];
      if (step.kind() == 0) {
        bytes += Entry(step.param(), times).bytes_per_entry;
      } else if (const double copied = CopiedBytes(model_, step); copied > 0) {
        bytes += copied;
        causes_[{KindName(step.kind()), LayerOf(model_, i)}] += copied * times;
      }
    }
    return bytes;
  }

  SectionTraffic Entry(uint32_t section, double times) {
    const uint32_t unroll = SectionAt(model_, section).unroll();
    const Trips trips = TripsOf(model_, section);
    SectionTraffic traffic;
    for (uint32_t copy = 0; copy < unroll; ++copy) {
      const double runs = trips.count > copy ? (trips.count - copy - 1) / unroll + 1 : 0;
      const double bytes = Run(CopyOf(model_, section, copy), times * runs);
      traffic.bytes_per_iteration += bytes / unroll;
      traffic.bytes_per_entry += bytes * runs;
    }
    for (uint32_t run = 1; run < unroll; ++run) {
      const bool executed = !trips.exact || trips.count % unroll == run;
      const double bytes = Run(SettleOf(model_, section, run), executed ? times : 0);
      if (executed) traffic.settle_bytes = std::max(traffic.settle_bytes, bytes);
    }
    traffic.bytes_per_entry += traffic.settle_bytes;
    return traffic;
  }

  std::vector<Cause> causes() const {
    std::vector<Cause> list;
    for (const auto& [who, bytes] : causes_) {
      if (bytes > 0) list.push_back({who.first, who.second, bytes});
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const Cause& a, const Cause& b) { return a.bytes > b.bytes; });
    return list;
  }

 private:
  const format::Model& model_;
  std::map<std::pair<std::string, std::string>, double> causes_;
};

}  // namespace

SectionTraffic TrafficOf(const format::Model& model, uint32_t section) {
  return Counter(model).Entry(section, 1);
}

std::vector<Cause> CausesOf(const format::Model& model) {
  Counter counter(model);
  counter.Run(AllOf(model), 1);
  return counter.causes();
}

}  // namespace weft::cli
