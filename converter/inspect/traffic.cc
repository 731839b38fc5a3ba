// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/traffic.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "converter/inspect/sections.h"

namespace weft::inspect {
namespace {

double CopiedBytes(const format::Model& model, const format::Step& step) {
  if (step.kind() == static_cast<uint16_t>(format::Kind::fill)) {
    const format::FillParams& fill = *model.fill()->Get(step.param());
    return static_cast<double>(fill.count()) * fill.element_bytes();
  }
  if (step.kind() == static_cast<uint16_t>(format::Kind::compact)) {
    const format::CompactParams& rows = *model.compact()->Get(step.param());
    return static_cast<double>(rows.outer()) * rows.most() * rows.inner() * rows.element_bytes();
  }
  if (step.kind() != static_cast<uint16_t>(format::Kind::copy)) return 0;
  const format::CopyParams& copy = *model.copy()->Get(step.param());
  double bytes = copy.element_bytes();
  for (uint32_t i = 0; i < copy.rank(); ++i) bytes *= copy.dims()->Get(i);
  return bytes;
}

format::Reason ReasonOf(const format::Step& step) {
  return static_cast<format::Reason>(step.reason());
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
        causes_[{KindName(step.kind()), LayerOf(model_, i), ReasonOf(step)}] += copied * times;
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
      const auto& [kind, layer, reason] = who;
      if (bytes > 0) list.push_back({kind, layer, reason, bytes});
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const Cause& a, const Cause& b) { return a.bytes > b.bytes; });
    return list;
  }

 private:
  const format::Model& model_;
  std::map<std::tuple<std::string, std::string, format::Reason>, double> causes_;
};

}  // namespace

SectionTraffic TrafficOf(const format::Model& model, uint32_t section) {
  return Counter(model).Entry(section, 1);
}

const char* Why(format::Reason reason) {
  switch (reason) {
    case format::Reason::operation:
      return "the operation itself moves data";
    case format::Reason::initial_value:
      return "an initial value that is read elsewhere too, or is no step's result, enters its "
             "state";
    case format::Reason::back_edge:
      return "a state takes what is no step's own result, or what another state already took";
    case format::Reason::settle:
      return "only the run knows after how many iterations the loop ends";
    case format::Reason::slice_axis:
      return "the sliced axis is not the outermost: one transpose before the loop";
    case format::Reason::scan_axis:
      return "the gathered axis is not the outermost: one transpose after the loop";
    case format::Reason::scan_chunk:
      return "what is gathered is no step's own result, or is gathered twice";
    case format::Reason::last_value:
      return "what is returned is no step's own result of the iteration";
    case format::Reason::condition:
      return "the condition is no step's own result of the iteration";
    case format::Reason::branch_result:
      return "a branch hands on what it did not make";
    case format::Reason::variable:
      return "a variable takes what is no step's own result, or while its old value is still read";
    case format::Reason::output:
      return "an output may not lie in the state, and is contiguous at its true length";
    case format::Reason::clear:
      return "no iteration may come to write it";
  }
  return "";
}

std::vector<Cause> CausesOf(const format::Model& model) {
  Counter counter(model);
  counter.Run(AllOf(model), 1);
  return counter.causes();
}

}  // namespace weft::inspect
