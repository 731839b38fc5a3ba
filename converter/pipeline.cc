// SPDX-License-Identifier: Apache-2.0
#include "converter/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "converter/emit/stream_parts.h"
#include "converter/file_checks.h"
#include "converter/ir/consistency.h"
#include "converter/ir/listing.h"
#include "converter/ir/time_length.h"
#include "converter/passes.h"
#include "converter/plan/loops/fuse.h"
#include "converter/plan/plan.h"
#include "converter/plan/validate_placement.h"
#include "converter/program/consistency.h"
#include "converter/program/float_layers.h"
#include "converter/program/program.h"

namespace weft::pipeline {
namespace {

std::string TextOf(const Conversion& c, Stage stage) {
  switch (stage) {
    case Stage::kGraph:
      return c.open.empty() ? ir::ToString(*c.graph) : ir::WithTimeSymbol(ir::ToString(*c.graph));
    case Stage::kProgram:
      return program::ToString(c.program);
    case Stage::kPlan:
      return plan::ToString(c.plan);
    case Stage::kFile:
      break;
  }
  return ListingOf(c.file.bytes);
}

// Asserts the invariants of the representation after a pass; disabled in release builds. The checks
// of the file (Verify) are always enabled.
void AssertConsistent([[maybe_unused]] const Conversion& c, [[maybe_unused]] const Pass& pass) {
#ifndef NDEBUG
  std::string text;
  if (pass.stage == Stage::kGraph) text = ir::InconsistencyIn(*c.graph);
  if (pass.stage == Stage::kProgram) text = program::InconsistencyIn(c.program);
  if (pass.stage == Stage::kPlan) {
    text = program::InconsistencyIn(c.plan.program);
    const auto faults = plan::ValidatePlacement(c.plan.problem, c.plan.placement);
    if (text.empty() && !faults.empty()) text = faults.front().text;
  }
  if (!text.empty()) std::fputs(fmt::format("after {}: {}\n", pass.name, text).c_str(), stderr);
  assert(text.empty());
#endif
}

// Passes what --dump-after prints of the parts of a pass to the caller, in their order.
void DumpParts(Conversion& c, const Pass& pass) {
  if (pass.parts == nullptr) return;
  for (const PartText& part : pass.parts()) {
    const auto text = c.parts.find(fmt::format("{}.{}", pass.name, part.name));
    if (text != c.parts.end()) c.options.dump(text->first, text->second);
  }
}

// Continues with a batch of 1 after a pass has failed with T steps. The passes between `infer` and
// `failed` depend on extents, so they run again. Returns false if one of them fails.
bool RunAsBatch(Conversion& c, const Pass& failed) {
  return TakeBatch(c) && RunBetween(c, "infer", failed.name);
}

// Runs one pass, with the calls of the caller before and after it.
bool RunPass(Conversion& c, const Pass& pass) {
  const ConvertOptions& options = c.options;
  if (options.progress) options.progress(pass.name);
  const bool can_continue = Run(c, pass) || (c.as_batch && RunAsBatch(c, pass));
  DumpParts(c, pass);
  if (!can_continue) return false;
  if (c.faults.ok()) AssertConsistent(c, pass);
  if (IsWanted(options, pass.name)) options.dump(pass.name, TextOf(c, pass.stage));
  return true;
}

// Faults of a model with T steps name them.
void WriteTimeSymbol(Faults& faults) {
  Faults written;
  for (const std::string& line : faults.lines()) written.Add(ir::WithTimeSymbol(line));
  for (const std::string& line : faults.warnings()) written.Warn(line);
  faults = std::move(written);
}

// Runs the passes up to stage `last`.
bool RunPasses(Conversion& c, Stage last) {
  for (const Pass& pass : AllPasses()) {
    if (pass.stage > last) break;
    if (RunPass(c, pass)) continue;
    if (c.refusal) c.faults = *std::move(c.refusal);
    if (c.refusal || !c.open.empty()) WriteTimeSymbol(c.faults);
    return false;
  }
  return c.faults.ok();
}

// `single` is the file of the model with one stream, or null without --streams.
std::optional<Converted> ConvertFrom(const ConvertOptions& options,
                                     const std::vector<std::byte>* single, Faults& faults) {
  Conversion c{options, faults, FoldingOf(options)};
  c.single = single;
  if (!RunPasses(c, Stage::kFile)) return std::nullopt;
  Converted converted;
  converted.file = std::move(c.file.bytes);
  converted.input_codes = std::move(c.input_codes);
  converted.output_codes = std::move(c.output_codes);
  converted.weights_bytes = c.plan.weights_bytes;
  converted.state_bytes = c.plan.state_bytes;
  converted.scratch_bytes = c.plan.scratch_bytes[0];
  converted.more_scratch_bytes.assign(c.plan.scratch_bytes.begin() + 1, c.plan.scratch_bytes.end());
  converted.copied_weight_bytes.assign(c.plan.scratch_bytes.size(), 0);
  for (const plan::WeightCopy& copy : c.plan.weight_copies) {
    converted.copied_weight_bytes[copy.memory] += c.plan.program.values[copy.root].bytes;
  }
  converted.self_test_bytes = c.file.self_test_bytes;
  converted.scratch_account = c.plan.account;
  converted.f16_weights = c.f16_weights;
  converted.weights = std::move(c.weights);
  converted.requantised = program::RequantisedSteps(c.program);
  converted.layers_with_floats = program::LayersWithFloats(c.program);
  converted.float_layers = std::move(c.float_layers);
  converted.curve = std::move(c.plan.curve);
  converted.chosen = c.plan.chosen;
  converted.streamed = std::move(c.streamed);
  if (single != nullptr) converted.stream_state_bytes = emit::StreamBytesOf(converted.file);
  return converted;
}

// The time axes that were found with one stream: with several, the batch could be time too.
graph::TimeNames TimeAxesOf(const graph::Streamed& streamed) {
  graph::TimeNames axes;
  for (size_t i = 0; i < streamed.inputs.size(); ++i) {
    const graph::StreamedPort& port = streamed.inputs[i];
    const std::string name = port.name.empty() ? fmt::format("{}", i) : port.name;
    if (port.HasTime()) axes.emplace_back(name, port.row.axis());
  }
  return axes;
}

}  // namespace

std::optional<program::Program> LowerModel(const ConvertOptions& options, Faults& faults,
                                           std::vector<plan::FusedProgram>* fused) {
  Conversion c{options, faults, FoldingOf(options)};
  if (!RunPasses(c, Stage::kProgram)) return std::nullopt;
  if (fused != nullptr) *fused = std::move(c.fused);
  return std::move(c.program);
}

std::optional<Converted> Convert(const ConvertOptions& options, Faults& faults) {
  if (options.streams == 0) return ConvertFrom(options, nullptr, faults);
  ConvertOptions alone = options;
  alone.streams = 0;
  alone.self_test_runs = 0;
  alone.dump = nullptr;
  const std::optional<Converted> single = Convert(alone, faults);
  if (!single) return std::nullopt;
  Faults found;
  ConvertOptions several = options;
  if (single->streamed && several.time_axes.empty()) {
    several.time_axes = TimeAxesOf(*single->streamed);
  }
  std::optional<Converted> converted = ConvertFrom(several, &single->file, found);
  for (const std::string& line : found.warnings()) {
    if (std::ranges::find(faults.warnings(), line) == faults.warnings().end()) faults.Warn(line);
  }
  // Later errors are consequences of the first one: the batch that this model does not support.
  if (!converted) {
    faults.Add(fmt::format("{}: --streams {}: {}", options.model.filename().string(),
                           options.streams, found.lines().front()));
  }
  return converted;
}

std::vector<PassRow> Passes() {
  std::vector<PassRow> rows;
  for (const Pass& pass : AllPasses()) {
    const std::string_view stage = kStageNames[static_cast<size_t>(pass.stage)];
    for (const PartText& part : pass.parts == nullptr ? std::vector<PartText>() : pass.parts()) {
      rows.push_back({fmt::format("{}.{}", pass.name, part.name), stage, part.description, true});
    }
    rows.push_back({std::string(pass.name), stage, pass.account});
  }
  return rows;
}

}  // namespace weft::pipeline
