// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "converter/cli/table.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kNameWidth = 36;  // leaves room for four columns of numbers in lines of 80

std::optional<double> Decibels(const program::Measured& loss) {
  if (loss.noise == 0 || !std::isfinite(loss.noise)) return std::nullopt;
  return -10 * std::log10(loss.noise);
}

std::string DecibelsText(const program::Measured& loss) {
  if (const auto decibels = Decibels(loss)) return fmt::format("{:.1f}", *decibels);
  return loss.noise == 0 ? "exact" : "lost";
}

// JSON has no infinity.
Json NumberOrInf(double number) { return std::isfinite(number) ? Json(number) : Json("inf"); }

Json LossJson(const program::Measured& loss) {
  Json json = {{"signal_to_noise_db", nullptr}, {"largest_difference", NumberOrInf(loss.largest)}};
  if (const auto decibels = Decibels(loss)) json["signal_to_noise_db"] = *decibels;
  return json;
}

// Shortens a long name to its end, which identifies the layer.
std::string Fitted(const std::string& name) {
  return name.size() <= kNameWidth ? name : "..." + name.substr(name.size() - (kNameWidth - 3));
}

// Quotes a word for a shell if it has special characters.
std::string Quoted(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./:=,+").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
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

std::vector<std::string> AllWords(const Choice& choice, const std::vector<std::string>& given) {
  std::vector<std::string> words = given;
  if (std::ranges::find(words, "auto") == words.end()) words.insert(words.begin(), "auto");
  for (std::string& word : program::TextsOf(choice.types)) words.push_back(std::move(word));
  return words;
}

std::string SensitivityText(const Sensitivity& sensitivity) {
  std::string text =
      fmt::format("output error if only one layer is rounded ({}):\n", sensitivity.inputs);
  Table table({"layer", "weights", ">bytes saved", ">SNR, dB", ">max error"});
  const auto row = [&](const LayerSensitivity& one) {
    table.Row({Fitted(one.layer), one.type, fmt::format("{}", one.saved_bytes),
               DecibelsText(one.loss), fmt::format("{:.3g}", one.loss.largest)});
  };
  for (const LayerSensitivity& one : sensitivity.layers) row(one);
  row(sensitivity.all);
  text += table.Text();
  if (!sensitivity.kept.empty()) {
    text += fmt::format("unchanged (no size gain): {} {}\n", sensitivity.kept.size(),
                        sensitivity.kept.size() == 1 ? "layer" : "layers");
  }
  return text;
}

Json SensitivityJson(const Sensitivity& sensitivity) {
  const auto row = [](const LayerSensitivity& one) {
    Json json = {{"layer", one.layer}, {"type", one.type}, {"bytes_saved", one.saved_bytes}};
    json.update(LossJson(one.loss));
    return json;
  };
  Json json = {{"inputs", sensitivity.inputs}, {"runs", sensitivity.runs}};
  json["layers"] = Json::array();
  for (const LayerSensitivity& one : sensitivity.layers) json["layers"].push_back(row(one));
  json["all"] = {{"bytes_saved", sensitivity.all.saved_bytes}};
  json["all"].update(LossJson(sensitivity.all.loss));
  json["kept"] = sensitivity.kept;
  return json;
}

std::string ChoiceText(const Choice& choice, const std::vector<std::string>& given) {
  std::string text = fmt::format("maximum output error: {:.3g}, limit {:.3g} ({})\n",
                                 choice.loss.largest, choice.max, choice.inputs);
  text += "options for the same model without measuring:";
  for (const std::string& word : AllWords(choice, given)) {
    text += " --precision " + Quoted(word);
  }
  return text + "\n";
}

Json ChoiceJson(const Choice& choice, const std::vector<std::string>& given) {
  Json json = {{"inputs", choice.inputs},
               {"runs", choice.runs},
               {"max_error", choice.max},
               {"precision", AllWords(choice, given)}};
  json.update(LossJson(choice.loss));
  return json;
}

}  // namespace

Sensitivity MeasureSensitivity(const Trials& trials, const program::Precisions& precisions,
                               const Announce& announce) {
  const program::Precision floats = *program::PrecisionOf("f32");
  Sensitivity found;
  found.inputs = trials.InputsText();
  found.runs = trials.runs();
  for (const std::string& layer : trials.layers()) {
    if (precisions.Of(layer) == floats) continue;
    announce(layer);
    const auto trial = trials.With({.all = floats, .layers = {{layer, precisions.Of(layer)}}});
    if (!trial || trial->bytes == trials.reference().bytes) {
      found.kept.push_back(layer);
      continue;
    }
    found.layers.push_back({layer, TypesOf(trial->weights, layer),
                            trials.reference().bytes - trial->bytes, trial->loss});
  }
  std::ranges::stable_sort(found.layers, [](const auto& a, const auto& b) {
    return std::tie(a.loss.noise, a.loss.largest) > std::tie(b.loss.noise, b.loss.largest);
  });
  if (const auto all = trials.With(precisions)) {
    found.all = {"all layers", "", trials.reference().bytes - all->bytes, all->loss};
  }
  return found;
}

Choice ChooseForError(const Trials& trials, const program::Precisions& precisions, double max,
                      const Announce& announce) {
  const auto with = [&](const program::LayerTypes& types) {
    program::Precisions all = precisions;
    for (const auto& [layer, type] : types) all.layers[layer] = *program::PrecisionOf(type);
    return trials.With(all);
  };
  int trial_count = 0;
  const auto measure = [&](const program::LayerTypes& types) -> std::optional<program::Measured> {
    announce(fmt::format("{} (trial {} of at most {})",
                         types.empty() ? "no layer narrowed" : types.begin()->first, ++trial_count,
                         program::kMaxTypeTrials + 1));
    const std::optional<Trial> trial = with(types);
    if (!trial) return std::nullopt;
    program::Measured measured = trial->loss;
    measured.bytes = trial->bytes;
    return measured;
  };
  std::vector<std::string> free;
  for (std::string& layer : trials.layers()) {
    if (!precisions.layers.contains(layer)) free.push_back(std::move(layer));
  }
  Choice choice;
  choice.max = max;
  choice.inputs = trials.InputsText();
  choice.runs = trials.runs();
  choice.types = program::ChooseTypes(free, max, measure);
  if (const auto measured = measure(choice.types)) choice.loss = *measured;
  return choice;
}

void TakeChoice(const Choice& choice, program::Precisions* precisions) {
  for (const auto& [layer, type] : choice.types) {
    precisions->layers[layer] = *program::PrecisionOf(type);
  }
}

std::string FindingsText(const Findings& findings, const std::vector<std::string>& given) {
  std::string text;
  if (findings.sensitivity) text += SensitivityText(*findings.sensitivity);
  if (findings.choice) text += ChoiceText(*findings.choice, given);
  return text;
}

Json FindingsJson(const Findings& findings, const std::vector<std::string>& given) {
  Json json = Json::object();
  if (findings.sensitivity) json["sensitivity"] = SensitivityJson(*findings.sensitivity);
  if (findings.choice) json["chosen_for_error"] = ChoiceJson(*findings.choice, given);
  return json;
}

}  // namespace weft::cli
