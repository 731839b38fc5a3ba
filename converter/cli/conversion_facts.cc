// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/conversion_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "converter/base/visible.h"
#include "converter/cli/sensitivity.h"
#include "converter/cli/streamed.h"
#include "converter/cli/table.h"
#include "converter/cli/terminal.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

// Returns true if the call requests a type narrower than f32 for any layer.
bool RequestsNarrow(const program::Precisions& precisions) {
  const auto is_narrow = [](const program::Precision& precision) {
    return precision && *precision != ElementType::f32;
  };
  return is_narrow(precisions.all) ||
         std::ranges::any_of(precisions.layers,
                             [&](const auto& layer) { return is_narrow(layer.second); });
}

Json TypesOf(const std::vector<program::WeightsOfType>& weights) {
  return ListOf(weights, [](const program::WeightsOfType& one) -> Json {
    return {{"type", format::EnumNameElementType(one.type)},
            {"exact", !one.is_rounded},
            {"bytes", one.bytes}};
  });
}

Json LayerWeightsOf(const std::vector<program::LayerWeights>& layers) {
  return ListOf(layers, [](const program::LayerWeights& one) {
    Json row = {{"layer", one.layer},
                {"type", program::TypeText(one)},
                {"bytes_before", one.bytes_before},
                {"bytes", one.bytes},
                {"signal_to_noise_db", nullptr}};
    if (std::isfinite(one.signal_to_noise_db)) row["signal_to_noise_db"] = one.signal_to_noise_db;
    if (!one.f32_because.empty()) row["f32_because"] = one.f32_because;
    return row;
  });
}

// Returns a table of the layers whose weights were rounded, then a line for each constant that
// stays f32. Returns "" if nothing was rounded and no type narrower than f32 was requested.
std::string LayerWeightsText(const Json& layers, const program::Precisions& requested) {
  Json rounded = Json::array();
  std::string fixed;
  for (const Json& one : layers) {
    if (one.contains("f32_because") && one["bytes"] >= program::kMinListedBytes) {
      fixed += fmt::format("{}: {} bytes stay f32: {}\n", Plain(one["layer"]), Plain(one["bytes"]),
                           Plain(one["f32_because"]));
    }
    if (!one["signal_to_noise_db"].is_null()) rounded.push_back(one);
  }
  if (rounded.empty()) return RequestsNarrow(requested) ? fixed : "";
  return TableText(rounded,
                   "layer | weights=type | >bytes before=bytes_before | >bytes after=bytes | "
                   ">signal to noise, dB=signal_to_noise_db .1f") +
         fixed;
}

// Returns the bytes of each type, such as "layer weights: 52480 bytes as i8x8 (rounded), 1024 as
// f32". Layer weights are those whose type --precision sets; types have the names of --precision.
std::string WeightsText(const Json& facts) {
  std::string text;
  for (const Json& one : facts["weights"]) {
    const std::string type = Plain(one["type"]);
    std::set<std::string> names;
    for (const Json& layer : facts["weights_by_layer"]) {
      if (Plain(layer["type"]).starts_with(type)) names.insert(Plain(layer["type"]));
    }
    if (names.empty()) names.insert(type);
    text +=
        fmt::format("{}{}{} as {}", text.empty() ? "layer weights: " : ", ", Plain(one["bytes"]),
                    text.empty() ? " bytes" : "", fmt::join(names, " and "));
    if (type != "f32") text += one["exact"].get<bool>() ? " (exact)" : " (rounded)";
  }
  return text.empty() ? "" : text + "\n";
}

// "f32 layers of quantised tensors: operator 3 EXP "y" (there is no int8 step)"; empty if there
// are none.
std::string FloatLayersText(const Json& layers) {
  constexpr size_t kMaxLayers = 8;
  std::string text;
  for (size_t i = 0; i < layers.size() && i < kMaxLayers; ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", Plain(layers[i]["place"]),
                        Plain(layers[i]["reason"]));
  }
  if (text.empty()) return "";
  return fmt::format("f32 layers of quantised tensors: {}{}\n", text,
                     layers.size() > kMaxLayers ? ", ..." : "");
}

// "quantised steps: 12 by integers, 1 by floats (pool)"; empty if none is computed by integers.
std::string RequantisedText(const Json& steps) {
  constexpr size_t kMaxNames = 8;
  const size_t by_integers = steps["by_integers"];
  const std::vector<std::string> by_floats = steps["by_floats"];
  if (by_integers == 0) return "";
  std::string text =
      fmt::format("quantised steps: {} by integers, {} by floats", by_integers, by_floats.size());
  if (by_floats.empty()) return text + "\n";
  const size_t shown = std::min(by_floats.size(), kMaxNames);
  return text + fmt::format(" ({}{})\n",
                            fmt::join(by_floats.begin(),
                                      by_floats.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                            shown < by_floats.size() ? ", ..." : "");
}

Json FloatLayersOf(const std::vector<graph::FloatLayer>& layers) {
  return ListOfCount(layers.size(), [&](size_t i) -> Json {
    return {{"place", layers[i].place}, {"reason", layers[i].reason}};
  });
}

Json CurveOf(const pipeline::Converted& converted) {
  return ListOfCount(converted.curve.size(), [&](size_t i) -> Json {
    const plan::CurvePoint& point = converted.curve[i];
    return {{"scratch_bytes", point.scratch_bytes},
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
            {"chosen", i == converted.chosen}};
  });
}

// A table of the smallest, the chosen and the fastest plan; empty if there is only one plan.
std::string CurveText(const Json& curve) {
  if (curve.size() < 2) return "";
  Json rows = {curve.back(), curve.back(), curve.front()};
  bool has_fused = false;
  for (const Json& plan : curve) {
    if (plan["chosen"].get<bool>()) rows[1] = plan;
    has_fused = has_fused || plan["fuses_loops"].get<bool>();
  }
  const char* const names[] = {"smallest", "chosen", "fastest"};
  const double fastest = curve.front()["cost"];
  for (size_t i = 0; i < rows.size(); ++i) {
    Json& row = rows[i];
    const double cost = row["cost"];
    row["plan"] = names[i];
    row["scratch"] = Plain(row["scratch_bytes"]) + " bytes";
    row["time"] = fmt::format("{:.0f} %", fastest > 0 ? 100 * cost / fastest : 100);
    row["weights"] = Plain(row["weight_bytes_read"]) + " bytes";
    row["loops"] = !has_fused ? "-" : row["fuses_loops"].get<bool>() ? "fused" : "separate";
  }
  return TableText(rows,
                   "plan | >scratch | >estimated time=time | >weights read per run=weights | "
                   ">steps per run=steps | loops");
}

// Name and bytes of each region.
Json ScratchByRegion(const std::vector<pipeline::ScratchRegion>& regions,
                     const pipeline::Converted& converted) {
  return ListOfCount(1 + converted.more_scratch_bytes.size(), [&](size_t i) -> Json {
    const bool has_name = i < regions.size();
    Json region = {
        {"region", has_name ? regions[i].name : "elsewhere"},
        {"bytes", i == 0 ? converted.scratch_bytes : converted.more_scratch_bytes[i - 1]}};
    if (has_name && regions[i].holds_weights) {
      region["weight_bytes"] = converted.copied_weight_bytes[i];
    }
    return region;
  });
}

// "scratch by region: dtcm 1024 bytes with 512 bytes of weights, default memory 64 bytes"
std::string RegionsText(const Json& facts, size_t named) {
  if (named == 0) return "";
  std::string text;
  for (const Json& region : facts["scratch_bytes_by_region"]) {
    const std::string name = named == 0 ? "default memory" : Plain(region["region"]);
    text += fmt::format("{}{} {}", text.empty() ? "scratch by region: " : ", ", name,
                        Size(region["bytes"].get<int64_t>()));
    if (region.contains("weight_bytes")) {
      text += fmt::format(" with {} of weights", Size(region["weight_bytes"].get<int64_t>()));
    }
    if (named > 0) --named;
  }
  return text + "\n";
}

}  // namespace

Json FactsOf(const pipeline::Converted& converted, const pipeline::ConvertOptions& options,
             const Json& findings) {
  Json facts = {{"file_bytes", converted.file.size()},
                {"weights_bytes", converted.weights_bytes},
                {"weights", TypesOf(converted.weights.types)},
                {"weights_by_layer", LayerWeightsOf(converted.weights.layers)}};
  facts.update(findings);
  facts["state_bytes"] = converted.state_bytes;
  facts["scratch_bytes"] = converted.scratch_bytes;
  if (!options.regions.empty()) {
    const std::vector<int64_t>& more = converted.more_scratch_bytes;
    facts["more_scratch_bytes"] = std::accumulate(more.begin(), more.end(), int64_t{0});
    facts["scratch_bytes_by_region"] = ScratchByRegion(options.regions, converted);
  }
  const plan::Account& account = converted.scratch_account;
  facts["scratch_bound_bytes"] = account.bound_bytes;
  facts["scratch_proof"] = plan::ToString(account);
  facts["search_nodes"] = account.nodes;
  facts["curve"] = CurveOf(converted);
  facts["self_test_bytes"] = converted.self_test_bytes;
  facts["f16_weights"] = converted.f16_weights;
  facts["int8_steps"] = {{"by_integers", converted.requantised.by_integers},
                         {"by_floats", converted.requantised.by_floats},
                         {"f32_layers", FloatLayersOf(converted.float_layers)}};
  if (options.streams > 0) {
    facts["streams"] = {{"count", options.streams}, {"state_bytes", converted.stream_state_bytes}};
  }
  if (converted.streamed) facts["streamed"] = StreamedJson(*converted.streamed);
  return facts;
}

// The bound of scratch holds for this order of steps only; another plan may need less.
std::string ConversionText(const std::string& file, const Json& facts,
                           const pipeline::ConvertOptions& options) {
  const auto size = [&](const char* key) { return facts.value(key, int64_t{0}); };
  std::string text = fmt::format(
      "{}: {} bytes; weights {}, state {}, scratch {} ({})\n", Visible(file),
      Grouped(size("file_bytes")), Size(size("weights_bytes")), Size(size("state_bytes")),
      Size(size("scratch_bytes") + size("more_scratch_bytes")), Plain(facts["scratch_proof"]));
  text += RequantisedText(facts["int8_steps"]) + FloatLayersText(facts["int8_steps"]["f32_layers"]);
  text += WeightsText(facts) + LayerWeightsText(facts["weights_by_layer"], options.precisions) +
          FindingsText(facts) + RegionsText(facts, options.regions.size()) +
          CurveText(facts["curve"]);
  if (options.self_test_runs == 0) return text;
  return text + fmt::format("self test: {} runs, {}\n", options.self_test_runs,
                            Size(size("self_test_bytes")));
}

std::string CurveHelp() {
  return R"(If a model has several plans, the summary lists the smallest, the chosen and the
fastest one. Column "estimated time" is relative to the fastest plan. Column "steps per run"
counts the steps of a loop once per iteration. Column "loops" is "fused" if recurrent layers over
one time axis run in one loop, and "-" if no plan does that. --json and --report list all plans.
)";
}

}  // namespace weft::cli
