// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "converter/base/shell_word.h"
#include "converter/cli/table.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

constexpr size_t kNameWidth = 36;  // leaves room for four columns of numbers in lines of 80

// Signal to noise in decibels; null if the noise is 0 or not finite.
Json Decibels(double noise) {
  return noise != 0 && std::isfinite(noise) ? Json(-10 * std::log10(noise)) : Json();
}

// Facts of an error. JSON has no infinity. Signal to noise is null if it is 0 or infinite.
void AddLoss(const program::Measured& loss, Json& json) {
  json["signal_to_noise_db"] = Decibels(loss.noise);
  json["largest_difference"] = std::isfinite(loss.largest) ? Json(loss.largest) : Json("inf");
}

// Shortens a long name to its end, which identifies the layer.
std::string Fitted(const std::string& name) {
  return name.size() <= kNameWidth ? name : "..." + name.substr(name.size() - (kNameWidth - 3));
}

// The new types of the layer's weights, such as "i8" or "i8, f32".
std::string TypesOf(const program::WeightsReport& weights, const std::string& layer) {
  std::vector<std::string> types;
  for (const program::LayerWeights& one : weights.layers) {
    if (one.is_fixed) continue;
    std::string type = program::TypeText(one);
    const bool is_new = std::ranges::find(types, type) == types.end();
    if (one.layer == layer && is_new) types.push_back(std::move(type));
  }
  std::string text;
  for (const std::string& type : types) text += (text.empty() ? "" : ", ") + type;
  return text;
}

std::string SensitivityText(const Json& sensitivity) {
  Json rows = sensitivity["layers"];
  rows.push_back(sensitivity["all"]);
  rows.back()["layer"] = "all layers";
  rows.back()["type"] = "";
  for (Json& row : rows) {
    row["layer"] = Fitted(Plain(row["layer"]));
    Json& decibels = row["signal_to_noise_db"];
    if (decibels.is_null()) decibels = row["largest_difference"] == 0 ? "exact" : "lost";
  }
  std::string text = fmt::format("output error if only one layer is rounded ({}):\n",
                                 Plain(sensitivity["inputs"]));
  text += TableText(rows,
                    "layer | weights=type | >bytes saved=bytes_saved | "
                    ">SNR, dB=signal_to_noise_db .1f | >max error=largest_difference .3g");
  const size_t kept = sensitivity["kept"].size();
  if (kept == 0) return text;
  return text +
         fmt::format("unchanged (no size gain): {} {}\n", kept, kept == 1 ? "layer" : "layers");
}

std::string OptionsText(const Json& words) {
  std::string text = "options for the same model without measuring:";
  for (const Json& word : words) text += " --precision " + ShellWord(Plain(word));
  return text;
}

std::string ChoiceText(const Json& choice) {
  std::string text = fmt::format("maximum output error: {}, limit {} ({})\n",
                                 Plain(choice["largest_difference"], ".3g"),
                                 Plain(choice["max_error"], ".3g"), Plain(choice["inputs"]));
  return text + OptionsText(choice["precision"]) + "\n";
}

// "42.10 dB", "exact" or "lost".
std::string RatioText(const Json& snr) {
  if (snr["db"].is_null()) return snr["is_exact"] == true ? "exact" : "lost";
  return Plain(snr["db"], ".2f") + " dB";
}

std::string SnrText(const Json& snr) {
  if (snr["result"]["is_exact"] == true && snr["elements_left_out"] == 0) return {};
  std::string text =
      fmt::format("output SNR: {} ({})\n", RatioText(snr["result"]), Plain(snr["inputs"]));
  if (snr["is_reached"] == false) {
    text += fmt::format("the limit of {} dB is not reached with {} weights either\n",
                        Plain(snr["limit_db"]), Plain(snr["type"]));
  }
  if (snr["kept"].empty()) return text;
  text +=
      fmt::format("SNR without an exception: {}, limit {} dB. Layers with {} weights instead:\n",
                  RatioText(snr["requested"]), Plain(snr["limit_db"]), Plain(snr["type"]));
  for (const Json& layer : snr["kept"]) text += "  " + Plain(layer) + "\n";
  return text + OptionsText(snr["precision"]) + " --min-snr 0\n";
}

// The layers whose weights have the requested type.
std::vector<std::string> LayersOfType(const program::WeightsReport& weights,
                                      const program::Precisions& precisions) {
  std::vector<std::string> layers;
  for (const program::LayerWeights& one : weights.layers) {
    const bool has_type = !one.is_fixed && one.type == TypeOf(precisions.all);
    if (has_type && !precisions.layers.contains(one.layer)) layers.push_back(one.layer);
  }
  std::ranges::sort(layers);
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  return layers;
}

Json SnrFacts(const program::Measured& loss) {
  return {{"db", Decibels(loss.float_noise)}, {"is_exact", loss.float_noise == 0}};
}

// Measures a choice of types, and announces the trial.
program::Measure MeasureOf(const Trials& trials, const Announce& announce,
                           std::function<program::Precisions(const program::LayerTypes&)> with) {
  return [&trials, &announce, with = std::move(with),
          count = 0](const program::LayerTypes& types) mutable -> std::optional<program::Measured> {
    announce(fmt::format("{} (trial {} of at most {})",
                         types.empty() ? "no layer narrowed" : types.begin()->first, ++count,
                         program::kMaxTypeTrials + 1));
    const std::optional<Trial> trial = trials.With(with(types));
    if (!trial) return std::nullopt;
    program::Measured measured = trial->loss;
    measured.bytes = trial->bytes;
    return measured;
  };
}

}  // namespace

Json MeasureSensitivity(const Trials& trials, const program::Precisions& precisions,
                        const Announce& announce) {
  const program::Precision floats = *program::PrecisionOf("f32");
  const int64_t bytes = trials.reference().bytes;
  std::vector<std::pair<program::Measured, Json>> rows;
  Json kept = Json::array();
  for (const std::string& layer : trials.layers()) {
    if (precisions.Of(layer) == floats) continue;
    announce(layer);
    const auto trial = trials.With({.all = floats, .layers = {{layer, precisions.Of(layer)}}});
    if (!trial || trial->bytes == bytes) {
      kept.push_back(layer);
      continue;
    }
    Json row = {{"layer", layer},
                {"type", TypesOf(trial->weights, layer)},
                {"bytes_saved", bytes - trial->bytes}};
    AddLoss(trial->loss, row);
    rows.emplace_back(trial->loss, std::move(row));
  }
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return std::tie(a.first.noise, a.first.largest) > std::tie(b.first.noise, b.first.largest);
  });
  const auto all = trials.With(precisions);
  Json all_layers = {{"bytes_saved", all ? bytes - all->bytes : 0}};
  AddLoss(all ? all->loss : program::Measured(), all_layers);
  return {{"inputs", trials.InputsText()},
          {"runs", trials.runs()},
          {"elements_left_out", trials.left_out()},
          {"layers", ListOf(rows, [](const auto& row) { return row.second; })},
          {"all", all_layers},
          {"kept", kept}};
}

Json ChooseForError(const Trials& trials, double max, const std::vector<std::string>& given,
                    const Announce& announce, program::Precisions* precisions) {
  const auto with = [&](const program::LayerTypes& types) {
    program::Precisions all = *precisions;
    for (const auto& [layer, type] : types) all.layers[layer] = *program::PrecisionOf(type);
    return all;
  };
  const program::Measure measure = MeasureOf(trials, announce, with);
  std::vector<std::string> free;
  for (std::string& layer : trials.layers()) {
    if (!precisions->layers.contains(layer)) free.push_back(std::move(layer));
  }
  const auto fits = [max](const program::Measured& measured) { return measured.largest <= max; };
  const program::LayerTypes types =
      program::ChooseTypes(free, program::NarrowTypes(), fits, measure);
  std::vector<std::string> words = given;
  if (std::ranges::find(words, "auto") == words.end()) words.insert(words.begin(), "auto");
  for (std::string& word : program::TextsOf(types)) words.push_back(std::move(word));
  Json choice = {{"inputs", trials.InputsText()},
                 {"runs", trials.runs()},
                 {"elements_left_out", trials.left_out()},
                 {"max_error", max},
                 {"precision", words}};
  AddLoss(measure(types).value_or(program::Measured()), choice);
  *precisions = with(types);
  return choice;
}

Json KeepSnr(const Trials& trials, double min_snr_db, const std::vector<std::string>& given,
             const std::string& wide, const Announce& announce, program::Precisions* precisions) {
  announce("the outputs");
  const std::optional<Trial> all = trials.With(*precisions);
  if (!all) return nullptr;
  const double max_noise = std::pow(10, -min_snr_db / 10);
  const auto fits = [&](const program::Measured& loss) { return loss.float_noise <= max_noise; };
  Json facts = {{"inputs", trials.InputsText()},
                {"runs", trials.runs()},
                {"elements_left_out", trials.left_out()},
                {"limit_db", min_snr_db},
                {"requested", SnrFacts(all->loss)},
                {"result", SnrFacts(all->loss)},
                {"is_reached", fits(all->loss)},
                {"type", wide},
                {"kept", Json::array()},
                {"precision", given}};
  if (fits(all->loss)) return facts;
  const std::vector<std::string> layers = LayersOfType(all->weights, *precisions);
  const auto with = [&](const program::LayerTypes& narrow) {
    program::Precisions mixed = *precisions;
    for (const std::string& layer : layers) {
      if (!narrow.contains(layer)) mixed.layers[layer] = *program::PrecisionOf(wide);
    }
    return mixed;
  };
  const program::Measure measure = MeasureOf(trials, announce, with);
  const auto requested = std::ranges::find_if(
      given, [](const std::string& word) { return program::PrecisionOf(word).has_value(); });
  const program::LayerTypes narrow = program::ChooseTypes(layers, {*requested}, fits, measure);
  const std::optional<program::Measured> measured = measure(narrow);
  if (!measured || !fits(*measured)) return facts;
  facts["result"] = SnrFacts(*measured);
  facts["is_reached"] = true;
  for (const std::string& layer : layers) {
    if (narrow.contains(layer)) continue;
    facts["kept"].push_back(layer);
    facts["precision"].push_back(fmt::format("{}={}", layer, wide));
  }
  *precisions = with(narrow);
  return facts;
}

std::string FindingsText(const Json& findings) {
  std::string text;
  if (findings.contains("output_snr")) text += SnrText(findings["output_snr"]);
  if (findings.contains("sensitivity")) text += SensitivityText(findings["sensitivity"]);
  if (findings.contains("chosen_for_error")) text += ChoiceText(findings["chosen_for_error"]);
  return text;
}

}  // namespace weft::cli
