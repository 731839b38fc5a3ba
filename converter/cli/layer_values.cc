// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/layer_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "converter/cli/table.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/weight_numbers.h"

namespace weft::cli {
namespace {

constexpr size_t kLayerWidth = 22;  // leaves room for six columns in lines of 80

// The factor f that minimises |f * is - must|.
double NearestFactor(const std::vector<float>& is, const std::vector<float>& must) {
  double both = 0, own = 0;
  for (size_t i = 0; i < is.size(); ++i) {
    if (!std::isfinite(is[i]) || !std::isfinite(must[i])) continue;
    both += double{is[i]} * must[i];
    own += double{is[i]} * is[i];
  }
  return own == 0 ? 1 : both / own;
}

// Signal to noise of the weights in decibels; nullopt if they are equal or cannot be compared.
// Noise as large as the signal means that the weights have another order.
std::optional<double> WeightsDb(const inspect::LayerConstants& now,
                                const inspect::LayerConstants& before) {
  const std::vector<float>&is = now.numbers, &must = before.numbers;
  if (is.size() != must.size()) return std::nullopt;
  const bool is_fitted = now.has_own_unit || before.has_own_unit;
  const double factor = is_fitted ? NearestFactor(is, must) : 1;
  double signal = 0, noise = 0;
  for (size_t i = 0; i < is.size(); ++i) {
    const double error = is[i] * factor - must[i];
    if (!std::isfinite(error)) continue;
    signal += double{must[i]} * must[i];
    noise += error * error;
  }
  if (noise == 0 || signal <= noise) return std::nullopt;
  return 10 * std::log10(signal / noise);
}

void Add(const Comparison& more, Comparison& all) {
  all.count += more.count;
  all.mismatch_count += more.mismatch_count;
  all.largest_difference = std::max(all.largest_difference, more.largest_difference);
  all.signal += more.signal;
  all.noise += more.noise;
}

std::string EndOf(const std::string& name) {
  return name.size() <= kLayerWidth ? name : "..." + name.substr(name.size() - (kLayerWidth - 3));
}

}  // namespace

LayerValues::LayerValues(LoadedModel& model)
    : watch_(model.engine(),
             [this](uint32_t step, std::byte* const* operands) { See(step, operands); }) {
  Find(model.root());
}

void LayerValues::Find(const format::Model& model) {
  std::map<std::string, uint32_t> last;
  const auto steps = format::RowsOf(model.steps());
  const auto operands = format::RowsOf(model.operands());
  const auto slots = format::RowsOf(model.slots());
  for (uint32_t i = 0; i < steps.count; ++i) {
    const std::string layer = inspect::LayerOf(model, i);
    if (steps[i].kind() != 0 && !layer.empty()) last[layer] = i;
  }
  for (const auto& [layer, step] : last) {
    const uint32_t operand = format::kArity[steps[step].kind()].inputs;
    const uint32_t slot = operands[steps[step].first_operand() + operand];
    if (slot == format::kNoSlot || format::BitsOf(slots[slot].type()) < 8) continue;
    sources_[step] = {layer, operand, AccessOf(model, steps[step], operand)};
    values_[layer].type = {slots[slot].type(), {0}};
  }
  for (const auto& [step, source] : sources_) layers_.push_back(source.layer);
}

void LayerValues::Forget() {
  for (auto& [layer, array] : values_) array.bytes.clear();
}

void LayerValues::See(uint32_t step, std::byte* const* operands) {
  const auto found = sources_.find(step);
  if (found == sources_.end()) return;
  const Source& source = found->second;
  Array& array = values_[source.layer];
  source.bytes.ForEachRun([&](int64_t at) {
    const std::byte* first = operands[source.operand] + at;
    array.bytes.insert(array.bytes.end(), first, first + source.bytes.run_bytes);
  });
  array.type.dims = {std::ssize(array.bytes) * 8 / weft::BitsOf(array.type.type)};
}

const Array* LayerValues::Of(const std::string& layer) const {
  const auto found = values_.find(layer);
  return found == values_.end() || found->second.bytes.empty() ? nullptr : &found->second;
}

LayerComparison::LayerComparison(LoadedModel& is, LoadedModel& must) : is_(is), must_(must) {
  const auto now = inspect::ConstantsByLayer(is.root());
  const auto before = inspect::ConstantsByLayer(must.root());
  for (const std::string& layer : is_.layers()) {
    LayerDifference row;
    row.layer = layer;
    const auto constants = now.find(layer), old = before.find(layer);
    if (constants != now.end() && constants->second.bytes > 0) {
      row.type = constants->second.type;
      row.bytes = constants->second.bytes;
      if (old != before.end()) {
        row.bytes_before = old->second.bytes;
        row.weights_db = WeightsDb(constants->second, old->second);
      }
    }
    layers_.push_back(std::move(row));
  }
}

void LayerComparison::BeginRun() {
  is_.Forget();
  must_.Forget();
}

void LayerComparison::EndRun(const Tolerance& tolerance) {
  for (LayerDifference& row : layers_) {
    const Array *is = is_.Of(row.layer), *must = must_.Of(row.layer);
    if (is == nullptr || must == nullptr || is->type != must->type) continue;
    Add(Compare(*is, *must, tolerance), row.values);
  }
}

Json LayerComparison::Rows() const {
  Json list = Json::array();
  for (const LayerDifference& row : layers_) {
    if (row.values.count == 0 && !row.bytes) continue;
    Json json = {{"layer", row.layer}, {"type", row.type}};
    if (row.bytes_before) json["bytes_before"] = *row.bytes_before;
    if (row.bytes) json["bytes"] = *row.bytes;
    if (row.weights_db) json["weights_signal_to_noise_db"] = *row.weights_db;
    json.update(ComparisonJson(row.values));
    list.push_back(std::move(json));
  }
  return list;
}

std::string LayersText(Json rows) {
  for (Json& row : rows) {
    row["layer"] = EndOf(Plain(row["layer"]));
    if (row["type"] == "") row["type"] = nullptr;
    if (row["elements"] == 0) row["largest_difference"] = nullptr;
  }
  return TableText(rows,
                   "layer | weights=type | >before=bytes_before | >bytes | "
                   ">weights dB=weights_signal_to_noise_db .1f | "
                   ">values dB=signal_to_noise_db .1f | >error=largest_difference .2g");
}

}  // namespace weft::cli
