// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "converter/cli/table.h"
#include "converter/inspect/flash.h"
#include "converter/inspect/listing.h"
#include "converter/inspect/peak.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/work.h"
#include "runtime/stack.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostRows = 10;  // of each list of contributors

Json FlashJson(const LoadedModel& model) {
  Json list = Json::array();
  for (const inspect::FlashPart& part : inspect::FlashOf(model.root(), model.bytes().size)) {
    list.push_back({{"part", part.name}, {"bytes", part.bytes}, {"what", part.what}});
  }
  return list;
}

Json ScratchJson(const format::Model& model) {
  const std::vector<inspect::Peak> peaks = inspect::PeaksOf(model);
  const auto regions = format::RowsOf(model.regions());
  Json list = Json::array();
  for (uint32_t i = format::kFirstScratchRegion; i < regions.count; ++i) {
    Json entry = {{"region", inspect::RegionName(i)}, {"bytes", regions[i].bytes()}};
    if (!peaks.empty()) {
      const inspect::Peak& peak = peaks[i - format::kFirstScratchRegion];
      Json alive = Json::array();
      for (const inspect::AliveBuffer& buffer : peak.alive) {
        if (alive.size() == kMostRows) break;
        alive.push_back({{"name", buffer.name}, {"bytes", buffer.bytes}});
      }
      entry["peak"] = {{"step", peak.step},
                       {"layer", inspect::LayerOf(model, peak.step)},
                       {"bytes", peak.bytes},
                       {"buffers", peak.alive.size()},
                       {"largest", std::move(alive)}};
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json WorkSectionsJson(const format::Model& model, const inspect::ModelWork& work) {
  Json list = Json::array();
  for (uint32_t i = 0; i < work.entries.size(); ++i) {
    const inspect::Trips trips = inspect::TripsOf(model, i);
    list.push_back({{"section", i},
                    {"layer", inspect::LayerOfSection(model, i)},
                    {"iterations", trips.count},
                    {"iterations_exact", trips.exact},
                    {"steps_per_iteration", work.iterations[i].steps},
                    {"multiply_adds_per_iteration", work.iterations[i].multiply_adds},
                    {"multiply_adds", work.entries[i].multiply_adds}});
  }
  return list;
}

// The first kMostRows entries, most first; equal ones keep their order.
template <typename Row>
void KeepLargest(std::vector<Row>& rows, double Row::*size) {
  std::stable_sort(rows.begin(), rows.end(),
                   [size](const Row& a, const Row& b) { return a.*size > b.*size; });
  if (rows.size() > kMostRows) rows.resize(kMostRows);
}

// Steps of one kind and layer, unrolled copies together.
Json LargestStepsJson(const format::Model& model, const inspect::ModelWork& work) {
  struct Row {
    std::string kind, layer;
    double calls = 0, multiply_adds = 0;
  };
  std::map<std::pair<std::string, std::string>, Row> rows;
  const auto steps = format::RowsOf(model.steps());
  for (uint32_t i = 0; i < steps.count; ++i) {
    const double multiply_adds = work.calls[i] * inspect::MultiplyAdds(model, steps[i]);
    if (multiply_adds == 0) continue;
    const std::string kind = inspect::KindName(steps[i].kind()), layer = inspect::LayerOf(model, i);
    Row& row = rows.try_emplace({kind, layer}, Row{kind, layer}).first->second;
    row.calls += work.calls[i];
    row.multiply_adds += multiply_adds;
  }
  std::vector<Row> largest;
  for (const auto& [who, row] : rows) largest.push_back(row);
  KeepLargest(largest, &Row::multiply_adds);
  Json list = Json::array();
  for (const Row& row : largest) {
    list.push_back({{"step", row.kind},
                    {"layer", row.layer},
                    {"calls", row.calls},
                    {"multiply_adds", row.multiply_adds}});
  }
  return list;
}

// Places in the weights, each with the first step that reads it. Slots of one place count once.
Json LargestWeightsJson(const format::Model& model) {
  struct Row {
    std::string kind, layer, type;
    uint32_t end_bytes = 0;
    double bytes = 0;
  };
  std::map<uint32_t, Row> rows;  // by offset
  const auto steps = format::RowsOf(model.steps());
  for (uint32_t i = 0; i < steps.count; ++i) {
    const uint32_t inputs = format::kArity[steps[i].kind()].inputs;
    for (uint32_t k = 0; k < inputs; ++k) {
      const uint32_t index = model.operands()->Get(steps[i].first_operand() + k);
      if (index == format::kNoSlot) continue;
      const format::Slot& slot = *model.slots()->Get(index);
      if (slot.region() != format::kWeightsRegion) continue;
      Row& row = rows[slot.offset_bytes()];
      if (slot.bytes() <= row.bytes) continue;
      row = {inspect::KindName(steps[i].kind()), inspect::LayerOf(model, i),
             inspect::SlotType(model, index), slot.offset_bytes() + slot.bytes(),
             1.0 * slot.bytes()};
    }
  }
  std::vector<Row> largest;
  uint32_t covered = 0;
  for (const auto& [offset, row] : rows) {
    if (row.end_bytes <= covered) continue;  // part of a place before it
    covered = row.end_bytes;
    largest.push_back(row);
  }
  KeepLargest(largest, &Row::bytes);
  Json list = Json::array();
  for (const Row& row : largest) {
    list.push_back({{"step", row.kind},
                    {"layer", row.layer},
                    {"type", row.type},
                    {"bytes", static_cast<uint64_t>(row.bytes)}});
  }
  return list;
}

std::string Count(const Json& number) { return fmt::format("{:.0f}", number.get<double>()); }
// Means over unrolled copies need not be whole.
std::string Mean(const Json& number) {
  const double mean = number.get<double>();
  return mean == static_cast<double>(static_cast<uint64_t>(mean)) ? fmt::format("{:.0f}", mean)
                                                                  : fmt::format("{:.1f}", mean);
}
std::string Words(const Json& text) { return text.get<std::string>(); }

std::string FlashText(const Json& budget) {
  Table table({"flash", ">bytes", "what"});
  for (const Json& part : budget["flash"]) {
    table.Row({Words(part["part"]), Count(part["bytes"]), Words(part["what"])});
  }
  table.Row({"total", Count(budget["flash_bytes"]), "the file"});
  return table.Text();
}

std::string MemoryText(const Json& budget) {
  Table table({"memory", ">bytes", "what"});
  table.Row({"state", Count(budget["state_bytes"]), "kept between runs, per stream"});
  for (const Json& region : budget["scratch"]) {
    std::string what = "free between runs";
    if (region.contains("peak")) {
      const Json& peak = region["peak"];
      what = fmt::format("fullest at step {} \"{}\": {} bytes in {} buffers", Count(peak["step"]),
                         Words(peak["layer"]), Count(peak["bytes"]), Count(peak["buffers"]));
    }
    table.Row({Words(region["region"]), Count(region["bytes"]), what});
    if (!region.contains("peak")) continue;
    for (const Json& buffer : region["peak"]["largest"]) {
      table.Row({"", "", fmt::format("{:>8} {}", Count(buffer["bytes"]), Words(buffer["name"]))});
    }
  }
  table.Row(
      {"stack", Count(budget["stack_bytes"]),
       fmt::format("of Open, Run and Reset at most, on Cortex-M ({} with Helium); SelfTest takes "
                   "{} more",
                   Count(budget["stack_bytes_helium"]), Count(budget["self_test_stack_bytes"]))});
  return table.Text();
}

std::string WorkText(const Json& budget) {
  const Json& work = budget["work"];
  const char* most = work["exact"].get<bool>() ? "" : "at most ";
  std::string text =
      fmt::format("a run: {}{} steps, {}{} multiply-adds (products that enter a sum)\n", most,
                  Count(work["steps"]), most, Count(work["multiply_adds"]));
  if (!work["sections"].empty()) {
    Table table({">section", "layer", ">iterations", ">steps/iteration", ">madds/iteration",
                 ">madds when entered"});
    for (const Json& s : work["sections"]) {
      table.Row({Count(s["section"]), Words(s["layer"]),
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
    steps.Row({Words(row["step"]), Words(row["layer"]), Count(row["calls"]),
               Count(row["multiply_adds"]),
               fmt::format("{:.1f} %", 100 * row["multiply_adds"].get<double>() / all)});
  }
  Table weights({"largest weights", "layer", "type", ">bytes"});
  for (const Json& row : budget["largest_weights"]) {
    weights.Row({Words(row["step"]), Words(row["layer"]), Words(row["type"]), Count(row["bytes"])});
  }
  return (budget["largest_steps"].empty() ? "" : steps.Text() + "\n") +
         (budget["largest_weights"].empty() ? "" : weights.Text());
}

}  // namespace

Json BudgetJson(const LoadedModel& model) {
  const format::Model& root = model.root();
  const inspect::ModelWork work = inspect::WorkOf(root);
  return {{"flash_bytes", model.bytes().size},
          {"flash", FlashJson(model)},
          {"state_bytes", model.needs().state_bytes},
          {"scratch", ScratchJson(root)},
          {"stack_bytes", kEngineStackBytes},
          {"stack_bytes_helium", kEngineStackBytesHelium},
          {"self_test_stack_bytes", kSelfTestStackBytes},
          {"work",
           {{"exact", work.exact},
            {"steps", work.run.steps},
            {"multiply_adds", work.run.multiply_adds},
            {"sections", WorkSectionsJson(root, work)}}},
          {"largest_steps", LargestStepsJson(root, work)},
          {"largest_weights", LargestWeightsJson(root)}};
}

std::string BudgetText(const Json& budget) {
  return FlashText(budget) + "\n" + MemoryText(budget) + "\n" + WorkText(budget) + "\n" +
         LargestText(budget);
}

}  // namespace weft::cli
