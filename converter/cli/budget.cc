// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "converter/cli/table.h"
#include "converter/inspect/budget.h"
#include "converter/inspect/sections.h"
#include "runtime/stack.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

Json FlashJson(const inspect::Budget& budget) {
  Json list = Json::array();
  for (const inspect::FlashPart& part : budget.flash) {
    list.push_back({{"part", part.name}, {"bytes", part.bytes}, {"what", part.what}});
  }
  return list;
}

template <typename Row>
std::span<const Row> Largest(const std::vector<Row>& rows, size_t max_rows) {
  return std::span(rows).first(std::min(rows.size(), max_rows));
}

Json PeakJson(const format::Model& model, const inspect::Peak& peak, size_t max_rows) {
  Json alive = Json::array();
  uint64_t value_bytes = 0;  // exceeds the peak if values overlap
  for (const inspect::AliveBuffer& buffer : peak.alive) value_bytes += buffer.bytes;
  for (const inspect::AliveBuffer& buffer : Largest(peak.alive, max_rows)) {
    alive.push_back({{"name", buffer.name}, {"bytes", buffer.bytes}});
  }
  return {{"step", peak.step},          {"layer", inspect::LayerOf(model, peak.step)},
          {"bytes", peak.bytes},        {"buffers", peak.alive.size()},
          {"value_bytes", value_bytes}, {"largest", std::move(alive)}};
}

Json ScratchJson(const format::Model& model, const inspect::Budget& budget, size_t max_rows) {
  Json list = Json::array();
  for (const inspect::ScratchRegion& region : budget.scratch) {
    Json entry = {{"region", region.name}, {"bytes", region.bytes}};
    if (region.peak) entry["peak"] = PeakJson(model, *region.peak, max_rows);
    list.push_back(std::move(entry));
  }
  return list;
}

Json WorkSectionsJson(const format::Model& model, const inspect::ModelWork& work) {
  Json list = Json::array();
  for (uint32_t i = 0; i < work.steps.sections.size(); ++i) {
    const inspect::Trips trips = inspect::TripsOf(model, i);
    const inspect::SectionSum& multiply_adds = work.multiply_adds.sections[i];
    list.push_back({{"section", i},
                    {"layer", inspect::LayerOfSection(model, i)},
                    {"iterations", trips.count},
                    {"iterations_exact", trips.exact},
                    {"steps_per_iteration", work.steps.sections[i].per_iteration},
                    {"multiply_adds_per_iteration", multiply_adds.per_iteration},
                    {"multiply_adds", multiply_adds.per_entry}});
  }
  return list;
}

Json LargestStepsJson(const inspect::Budget& budget, size_t max_rows) {
  Json list = Json::array();
  for (const inspect::StepWork& row : Largest(budget.largest_steps, max_rows)) {
    list.push_back({{"step", row.kind},
                    {"layer", row.layer},
                    {"calls", row.calls},
                    {"multiply_adds", row.multiply_adds}});
  }
  return list;
}

Json LargestWeightsJson(const inspect::Budget& budget, size_t max_rows) {
  Json list = Json::array();
  for (const inspect::WeightLocation& row : Largest(budget.largest_weights, max_rows)) {
    list.push_back(
        {{"step", row.kind}, {"layer", row.layer}, {"type", row.type}, {"bytes", row.bytes}});
  }
  return list;
}

std::string Count(const Json& number) { return fmt::format("{:.0f}", number.get<double>()); }
// A mean over unrolled copies may have a fraction.
std::string Mean(const Json& number) {
  const double mean = number.get<double>();
  return mean == static_cast<double>(static_cast<uint64_t>(mean)) ? fmt::format("{:.0f}", mean)
                                                                  : fmt::format("{:.1f}", mean);
}
std::string WordsOf(const Json& text) { return text.get<std::string>(); }

std::string FlashText(const Json& budget) {
  Table table({"flash", ">bytes", "content"});
  for (const Json& part : budget["flash"]) {
    table.Row({WordsOf(part["part"]), Count(part["bytes"]), WordsOf(part["what"])});
  }
  table.Row({"total", Count(budget["flash_bytes"]), "size of the file"});
  return table.Text();
}

std::string MemoryText(const Json& budget) {
  Table table({"memory", ">bytes", "content"});
  table.Row({"state", Count(budget["state_bytes"]), "kept between runs, one per stream"});
  for (const Json& region : budget["scratch"]) {
    std::string what = "may be used for other data between runs";
    if (region.contains("peak")) {
      const Json& peak = region["peak"];
      what =
          fmt::format("maximum use at step {} \"{}\": {} bytes in {} buffers", Count(peak["step"]),
                      WordsOf(peak["layer"]), Count(peak["bytes"]), Count(peak["buffers"]));
    }
    table.Row({WordsOf(region["region"]), Count(region["bytes"]), what});
    if (!region.contains("peak")) continue;
    for (const Json& buffer : region["peak"]["largest"]) {
      table.Row({"", "", fmt::format("{:>8} {}", Count(buffer["bytes"]), WordsOf(buffer["name"]))});
    }
  }
  table.Row(
      {"stack", Count(budget["stack_bytes"]),
       fmt::format("maximum of Open, Run and Reset on Cortex-M ({} with Helium); SelfTest needs {} "
                   "more",
                   Count(budget["stack_bytes_helium"]), Count(budget["self_test_stack_bytes"]))});
  return table.Text();
}

std::string WorkText(const Json& budget) {
  const Json& work = budget["work"];
  const char* max = work["exact"].get<bool>() ? "" : "at most ";
  std::string text = fmt::format("work per run: {}{} steps, {}{} multiply-adds\n", max,
                                 Count(work["steps"]), max, Count(work["multiply_adds"]));
  if (!work["sections"].empty()) {
    Table table({">section", "layer", ">iterations", ">steps/iteration", ">multiply-adds/iteration",
                 ">multiply-adds"});
    for (const Json& s : work["sections"]) {
      table.Row({Count(s["section"]), WordsOf(s["layer"]),
                 (s["iterations_exact"].get<bool>() ? "" : "<= ") + Count(s["iterations"]),
                 Mean(s["steps_per_iteration"]), Mean(s["multiply_adds_per_iteration"]),
                 Count(s["multiply_adds"])});
    }
    text += table.Text();
  }
  return text;
}

std::string LargestText(const Json& budget) {
  Table steps({"largest steps", "layer", ">calls", ">multiply-adds", ">share"});
  const double all = std::max(1.0, budget["work"]["multiply_adds"].get<double>());
  for (const Json& row : budget["largest_steps"]) {
    steps.Row({WordsOf(row["step"]), WordsOf(row["layer"]), Count(row["calls"]),
               Count(row["multiply_adds"]),
               fmt::format("{:.1f} %", 100 * row["multiply_adds"].get<double>() / all)});
  }
  Table weights({"largest weights", "layer", "type", ">bytes"});
  for (const Json& row : budget["largest_weights"]) {
    weights.Row(
        {WordsOf(row["step"]), WordsOf(row["layer"]), WordsOf(row["type"]), Count(row["bytes"])});
  }
  return (budget["largest_steps"].empty() ? "" : steps.Text() + "\n") +
         (budget["largest_weights"].empty() ? "" : weights.Text());
}

}  // namespace

Json BudgetJson(const LoadedModel& model, size_t max_rows) {
  const format::Model& root = model.root();
  const inspect::Budget budget = inspect::BudgetOf(model.bytes());
  return {{"flash_bytes", model.bytes().size},
          {"flash", FlashJson(budget)},
          {"state_bytes", model.needs().state_bytes},
          {"scratch", ScratchJson(root, budget, max_rows)},
          {"stack_bytes", kEngineStackBytes},
          {"stack_bytes_helium", kEngineStackBytesHelium},
          {"self_test_stack_bytes", kSelfTestStackBytes},
          {"work",
           {{"exact", budget.work.steps.exact},
            {"steps", budget.work.steps.run},
            {"multiply_adds", budget.work.multiply_adds.run},
            {"sections", WorkSectionsJson(root, budget.work)}}},
          {"largest_steps", LargestStepsJson(budget, max_rows)},
          {"largest_weights", LargestWeightsJson(budget, max_rows)}};
}

std::string BudgetText(const Json& budget) {
  return FlashText(budget) + "\n" + MemoryText(budget) + "\n" + WorkText(budget) + "\n" +
         LargestText(budget);
}

}  // namespace weft::cli
