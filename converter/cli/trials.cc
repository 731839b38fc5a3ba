// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include "converter/base/elements.h"
#include "converter/base/paths.h"
#include "converter/base/text.h"
#include "converter/cli/call_files.h"
#include "converter/cli/terminal.h"

namespace weft::cli {
namespace {

constexpr int64_t kMadeRuns = 16;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

program::Precisions AllFloats() { return {.all = *program::PrecisionOf("f32"), .layers = {}}; }

bool Exists(const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(PathOf(file), error);
}

bool IsFolder(const std::string& text) {
  std::error_code error;
  return std::filesystem::is_directory(PathOf(text), error);
}

// Updates `loss` with the maximum noise and difference over all outputs. For integer outputs the
// noise is the fraction of elements that differ.
void AddLoss(const Array& is, const Array& must, program::Measured& loss) {
  if (is.type != must.type) {
    loss.noise = loss.float_noise = loss.largest = kInfinity;
    return;
  }
  const Comparison found = Compare(is, must, {.relative = 0, .absolute = 0, .finite_only = true});
  const double share = static_cast<double>(found.mismatch_count) /
                       static_cast<double>(std::max<int64_t>(found.count, 1));
  double noise = IsFloat(is.type.type) ? 0 : share;
  if (found.noise > 0) noise = found.signal > 0 ? found.noise / found.signal : kInfinity;
  if (found.largest_difference == kInfinity) noise = kInfinity;
  loss.noise = std::max(loss.noise, noise);
  if (IsFloat(is.type.type)) loss.float_noise = std::max(loss.float_noise, noise);
  loss.largest = std::max(loss.largest, found.largest_difference);
}

}  // namespace

std::vector<std::string> FilesOfInput(const std::string& text) {
  if (!IsFolder(text)) return {text.substr(text.find('=') + 1)};
  std::set<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(PathOf(text), error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    // File systems may ignore the case of names.
    const std::string extension = LowerCase(entry->path().extension().string());
    const bool is_input = extension == ".npy" || extension == ".wav";
    if (is_input && entry->is_regular_file(unknown)) files.insert(entry->path().string());
  }
  return {files.begin(), files.end()};
}

Trials::Trials(const pipeline::ConvertOptions& options, const std::vector<std::string>& inputs)
    : options_(options), inputs_(inputs) {
  options_.dump_after.clear();
  options_.progress = nullptr;
  options_.self_test_runs = 0;
}

std::optional<pipeline::Converted> Trials::Convert(const program::Precisions& precisions,
                                                   Faults& faults) const {
  pipeline::ConvertOptions options = options_;
  options.precisions = precisions;
  return pipeline::Convert(options, faults);
}

// The files of the folder that are named after an input, by any of its names.
std::vector<std::string> Trials::FilesOf(const std::string& folder) const {
  std::vector<std::string> files;
  for (const ModelPort& port : model_->inputs()) {
    for (const std::string& name : port.names) {
      const std::string stem = (PathOf(folder) / PathOf(FileNameOf(name))).string();
      const std::string file = Exists(stem + ".wav") ? stem + ".wav" : stem + ".npy";
      if (!Exists(file)) continue;
      files.push_back(fmt::format("{}={}", name, file));
      break;
    }
  }
  return files;
}

// Counts the output elements of the reference run. Returns false and adds a fault if floats exist
// but none is finite.
bool Trials::CountFinite(Faults& faults) {
  for (const Array& output : session_->outputs()) {
    if (!IsFloat(output.type.type)) continue;
    const int64_t count = ElementCount(output.type.dims).value_or(0);
    float_elements_ += count;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      left_out_ += !std::isfinite(RealAt(output.type.type, output.bytes, i));
    }
  }
  if (!lacks_finite_outputs()) return true;
  faults.Add(fmt::format(
      "{}: no output element is finite with f32 weights and {}; the output error needs finite "
      "outputs, so give such inputs with --input",
      options_.model.string(), InputsText()));
  return false;
}

bool Trials::Begin(Diagnostics& complaints) {
  Faults& faults = complaints.input;
  Faults own;  // its warnings are dropped; the final conversion repeats them
  const std::optional<pipeline::Converted> converted = Convert(AllFloats(), own);
  for (const std::string& line : own.lines()) faults.Add(line);
  if (!converted) return false;
  reference_ = {std::ssize(converted->file), converted->weights, {}};
  const std::string name = fmt::format("{} with f32 weights", options_.model.string());
  model_ = LoadedModel::Of(converted->file, name, faults);
  if (model_ == nullptr || !model_->Open(faults)) return false;
  session_ = std::make_unique<Session>(*model_);
  if (inputs_.empty()) {
    session_->MakeInputs(kMadeRuns);
  } else {
    SessionCall call;
    for (const std::string& text : inputs_) {
      if (IsFolder(text)) {
        for (std::string& file : FilesOf(text)) call.inputs.push_back(std::move(file));
      } else {
        call.inputs.push_back(text);
      }
    }
    session_->ReadInputs(call, complaints);
    if (!complaints.ok()) return false;
    session_->CheckFiniteOutputs();
  }
  session_->Run(1, faults);
  if (!complaints.ok() || !CountFinite(faults)) return false;
  return true;
}

std::optional<Trial> Trials::With(const program::Precisions& precisions) const {
  Faults discarded;
  const std::optional<pipeline::Converted> converted = Convert(precisions, discarded);
  if (!converted) return std::nullopt;
  const std::unique_ptr<LoadedModel> model =
      LoadedModel::Of(converted->file, options_.model.string(), discarded);
  if (model == nullptr || !model->Open(discarded)) return std::nullopt;
  Session session(*model);
  session.TakeInputs(*session_);
  session.Run(1, discarded);
  Trial trial = {std::ssize(converted->file), converted->weights, {}};
  if (!discarded.ok()) trial.loss.noise = trial.loss.float_noise = trial.loss.largest = kInfinity;
  for (size_t i = 0; i < session.outputs().size() && discarded.ok(); ++i) {
    AddLoss(session.outputs()[i], session_->outputs()[i], trial.loss);
  }
  return trial;
}

std::vector<std::string> Trials::layers() const {
  std::set<std::string> names;
  for (const program::LayerWeights& layer : reference_.weights.layers) {
    if (!layer.is_fixed) names.insert(layer.layer);
  }
  return {names.begin(), names.end()};
}

std::string Trials::InputsText() const {
  std::string text = fmt::format("{} {} of {}", runs(), runs() == 1 ? "run" : "runs",
                                 has_files() ? "the inputs given" : "random inputs in [-1, 1)");
  if (left_out_ == 0 || lacks_finite_outputs()) return text;
  return text + fmt::format(", without {} of {} output elements, which are not finite",
                            Grouped(left_out_), Grouped(float_elements_));
}

}  // namespace weft::cli
