// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/curve.h"

#include <fmt/format.h>

#include <vector>

#include "converter/cli/table.h"

namespace weft::cli {

nlohmann::ordered_json CurveJson(const pipeline::Converted& converted) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (size_t i = 0; i < converted.curve.size(); ++i) {
    const plan::CurvePoint& point = converted.curve[i];
    list.push_back({{"scratch_bytes", point.scratch_bytes},
                    {"scratch_bound_bytes", point.account.bound_bytes},
                    {"scratch_proof", plan::ToString(point.account)},
                    {"hoisted_rows", plan::RowsText(point.candidate)},
                    {"hoists_invariants", point.candidate.hoists_invariants},
                    {"outputs_over_inputs", point.candidate.lies_near},
                    {"fuses_loops", point.candidate.fuses_loops},
                    {"cost", plan::CostOf(point.work)},
                    {"weight_bytes_read", point.work.weight_bytes},
                    {"other_bytes_touched", point.work.other_bytes},
                    {"bytes_over_inputs", point.work.near_bytes},
                    {"steps", point.work.steps},
                    {"chosen", i == converted.chosen}});
  }
  return list;
}

std::string CurveText(const pipeline::Converted& converted) {
  const std::vector<plan::CurvePoint>& curve = converted.curve;
  if (curve.size() < 2) return "";
  Table table({"plan", ">scratch", ">cost", ">weights read", ">others", ">over inputs", ">steps",
               ">rows", "loops"});
  const auto row = [&](const char* name, const plan::CurvePoint& point) {
    const auto number = [](double value) { return fmt::format("{:.0f}", value); };
    table.Row({name, fmt::format("{}", point.scratch_bytes), number(plan::CostOf(point.work)),
               number(point.work.weight_bytes), number(point.work.other_bytes),
               number(point.work.near_bytes), number(point.work.steps),
               plan::RowsText(point.candidate), point.candidate.fuses_loops ? "fused" : "apart"});
  };
  row("smallest", curve.back());
  row("chosen", curve[converted.chosen]);
  row("fastest", curve.front());
  return table.Text();
}

std::string CurveHelp() {
  return R"(Plans, where there are several to choose from:
  scratch       bytes of scratch memory
  cost          estimated time of a run, in bytes of weights read in the same time
  weights read  bytes of weights read in a run
  others        bytes of other values read and written in a run
  over inputs   bytes touched by steps whose output overlaps their input
  steps         steps of a run, each iteration of a loop counted
  rows          time steps whose input products are computed at once, before the loop
  loops         fused: recurrent layers over one time axis run in one loop
)";
}

}  // namespace weft::cli
