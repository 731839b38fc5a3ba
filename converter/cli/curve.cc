// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/curve.h"

#include <fmt/format.h>

#include <algorithm>
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
                    {"outputs_over_inputs", point.candidate.outputs_over_inputs},
                    {"fuses_loops", point.candidate.fusion != plan::Fusion::kNone},
                    {"cost", plan::CostOf(point.work)},
                    {"weight_bytes_read", point.work.weight_bytes},
                    {"other_bytes_touched", point.work.other_bytes},
                    {"bytes_over_inputs", point.work.overlapped_bytes},
                    {"steps", point.work.steps},
                    {"chosen", i == converted.chosen}});
  }
  return list;
}

std::string CurveText(const pipeline::Converted& converted) {
  const std::vector<plan::CurvePoint>& curve = converted.curve;
  if (curve.size() < 2) return "";
  Table table(
      {"plan", ">scratch", ">estimated time", ">weights read per run", ">steps per run", "loops"});
  const double fastest = plan::CostOf(curve.front().work);
  const auto is_fused = [](const plan::CurvePoint& point) {
    return point.candidate.fusion != plan::Fusion::kNone;
  };
  const bool has_fused = std::ranges::any_of(curve, is_fused);
  const auto row = [&](const char* name, const plan::CurvePoint& point) {
    const double cost = plan::CostOf(point.work);
    const char* const fused = is_fused(point) ? "fused" : "separate";
    table.Row({name, fmt::format("{} bytes", point.scratch_bytes),
               fmt::format("{:.0f} %", fastest > 0 ? 100 * cost / fastest : 100),
               fmt::format("{:.0f} bytes", point.work.weight_bytes),
               fmt::format("{:.0f}", point.work.steps), has_fused ? fused : "-"});
  };
  row("smallest", curve.back());
  row("chosen", curve[converted.chosen]);
  row("fastest", curve.front());
  return table.Text();
}

std::string CurveHelp() {
  return R"(If a model has several plans, the summary lists the smallest, the chosen and the
fastest one. Column "estimated time" is relative to the fastest plan. Column "steps per run"
counts the steps of a loop once per iteration. Column "loops" is "fused" if recurrent layers over
one time axis run in one loop, and "-" if no plan does that. --json and --report list all plans.
)";
}

}  // namespace weft::cli
