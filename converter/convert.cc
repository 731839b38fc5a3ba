// SPDX-License-Identifier: Apache-2.0
#include "converter/convert.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "converter/base/element_type.h"
#include "converter/base/paths.h"
#include "converter/emit/c_source.h"
#include "converter/pipeline.h"
#include "runtime/format/listing.h"

namespace weft::converter {
namespace {

std::optional<program::Precision> PrecisionNamed(const std::string& text, Faults& faults) {
  std::optional<program::Precision> precision = program::PrecisionOf(text);
  if (!precision) {
    faults.Add(fmt::format("weft: precision: is \"{}\"; must be one of {}", text,
                           program::PrecisionNames()));
  }
  return precision;
}

void TakePrecisions(const Options& options, program::Precisions* precisions, Faults& faults) {
  if (const auto all = PrecisionNamed(options.precision, faults)) precisions->all = *all;
  for (const auto& [layer, text] : options.layer_precisions) {
    if (const auto one = PrecisionNamed(text, faults)) precisions->layers.emplace(layer, *one);
  }
}

void TakeValues(const Options& options, std::map<std::string, graph::InputValue>* values,
                Faults& faults) {
  for (const auto& [name, array] : options.values) {
    const std::optional<ElementType> type = ParseElementType(array.type);
    if (!type) {
      faults.Add(fmt::format("weft: value of \"{}\": type is \"{}\"; must be one of {}", name,
                             array.type, ElementTypeNames()));
      continue;
    }
    graph::InputValue value{{*type, array.shape}, {array.bytes.begin(), array.bytes.end()}};
    if (DenseBytes(value.type) != std::ssize(value.bytes)) {
      faults.Add(
          fmt::format("weft: value of \"{}\": is {} with {} bytes; must have the size of its "
                      "shape",
                      name, ToString(value.type), value.bytes.size()));
      continue;
    }
    value.may_convert = true;
    values->emplace(name, std::move(value));
  }
}

// Checks the limits that the command line checks while parsing.
void CheckLimits(const Options& options, Faults& faults) {
  const auto check = [&](const char* name, int64_t is, int64_t min, int64_t max) {
    if (is >= min && is <= max) return;
    faults.Add(fmt::format("weft: {}: is {}; must be {} to {}", name, is, min, max));
  };
  check("streaming", options.streaming_steps.value_or(1), 1, INT32_MAX);
  check("streams", options.streams == 0 ? 2 : options.streams, 2, 1024);
  check("max_iterations", options.max_iterations, 0, 0xFFFFFFFE);
  check("self_test", options.self_test_runs, 0, format::kMaxSelfTestRuns);
  check("arena_budget", options.arena_budget_bytes.value_or(0), 0, INT64_MAX);
  check("fold_budget", options.fold_budget_bytes, 0, INT64_MAX);
  if (!options.time_axes.empty() && !options.streaming_steps) {
    faults.Add("weft: time_axis: is given without streaming; must be given with it");
  }
}

pipeline::ConvertOptions PipelineOptions(const Options& options, Faults& faults) {
  pipeline::ConvertOptions made;
  CheckLimits(options, faults);
  made.shapes = options.shapes;
  TakeValues(options, &made.values, faults);
  made.states = options.states;
  made.streaming_steps = options.streaming_steps;
  made.time_axes = options.time_axes;
  made.streams = options.streams;
  TakePrecisions(options, &made.precisions, faults);
  if (const auto arithmetic = graph::ArithmeticOf(options.arithmetic)) {
    made.arithmetic = *arithmetic;
  } else {
    faults.Add(fmt::format("weft: arithmetic: is \"{}\"; must be one of {}", options.arithmetic,
                           fmt::join(graph::kArithmeticNames, ", ")));
  }
  made.arena_budget_bytes = options.arena_budget_bytes;
  if (options.arena_aim == Aim::kSmallest) made.arena_aim = plan::Aim::kSmallest;
  if (options.arena_aim == Aim::kFastest) made.arena_aim = plan::Aim::kFastest;
  made.max_iterations = options.max_iterations;
  made.fold_budget_bytes = options.fold_budget_bytes;
  made.self_test_runs = options.self_test_runs;
  for (const LayerOutput& output : options.layer_outputs) {
    made.layer_outputs.push_back({output.layer, output.port});
  }
  return made;
}

// `position` sets the location of the IR in the options.
template <typename Position>
Result ConvertFrom(const Options& options, const Position& position) {
  Faults faults;
  pipeline::ConvertOptions made = PipelineOptions(options, faults);
  position(made);
  Result result;
  std::optional<pipeline::Converted> converted;
  if (faults.ok()) converted = pipeline::Convert(made, faults);
  result.faults = faults.lines();
  result.warnings = faults.warnings();
  if (!converted) return result;
  result.model = {std::move(converted->file), converted->weights_bytes,   converted->state_bytes,
                  converted->scratch_bytes,   converted->self_test_bytes, converted->f16_weights};
  return result;
}

}  // namespace

Result Convert(std::span<const std::byte> xml, std::span<const std::byte> weights,
               const Options& options) {
  return ConvertFrom(options, [&](pipeline::ConvertOptions& made) {
    made.model = PathOf(options.name);
    made.in_memory = ir::IrBytes{xml, weights};
  });
}

Result ConvertFile(const std::filesystem::path& model, const std::filesystem::path& weights,
                   const Options& options) {
  return ConvertFrom(options, [&](pipeline::ConvertOptions& made) {
    made.model = model;
    made.weights = weights;
  });
}

std::optional<CSource> WriteCSource(std::span<const std::byte> file, const std::string& name) {
  if (!emit::CanBeIncluded(name)) return std::nullopt;
  emit::CSource c = emit::WriteCSource({file, name, ""});
  return CSource{std::move(c.header), std::move(c.source)};
}

}  // namespace weft::converter
