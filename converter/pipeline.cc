// SPDX-License-Identifier: Apache-2.0
#include "converter/pipeline.h"

#include <fmt/format.h>

#include <cassert>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/file_checks.h"
#include "converter/graph/fold.h"
#include "converter/graph/streaming/open_time.h"
#include "converter/ir/consistency.h"
#include "converter/ir/graph.h"
#include "converter/ir/listing.h"
#include "converter/passes.h"
#include "converter/plan/loops/fuse.h"
#include "converter/plan/plan.h"
#include "converter/plan/validate_placement.h"
#include "converter/program/consistency.h"
#include "converter/program/program.h"

namespace weft::pipeline {
namespace {

std::string TextOf(const Conversion& c, Stage stage) {
  switch (stage) {
    case Stage::kGraph:
      return ir::ToString(*c.graph);
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

// Runs the passes up to stage `last`. A number that exceeds the file format ends its pass with a
// fault.
bool RunPasses(Conversion& c, Stage last) {
  const ConvertOptions& options = c.options;
  c.dumps = true;
  for (const Pass& pass : AllPasses()) {
    if (pass.stage > last) break;
    if (options.progress) options.progress(pass.name);
    try {
      const bool can_continue = pass.run(c);
      DumpParts(c, pass);
      if (!can_continue) return false;
      if (c.faults.ok()) AssertConsistent(c, pass);
    } catch (const TooWide& wide) {
      c.faults.Add(wide.Line("plan"));
      return false;
    }
    if (IsWanted(options, pass.name)) options.dump(pass.name, TextOf(c, pass.stage));
  }
  return c.faults.ok();
}

bool ReadSecondCopy(Conversion& second) {
  for (const Pass& pass : AllPasses()) {
    if (pass.run == Stream) break;
    if (!pass.run(second)) return false;
  }
  return !second.open.empty();
}

// The result of trying a length of the dynamic time axis.
enum class OpenTime { kNone, kUnreadable, kRefused, kStreamed };

struct OpenTrial {
  OpenTime reached = OpenTime::kNone;
  bool is_open = false;    // an input has a dynamic axis that may be time
  bool has_pairs = false;  // constants have pairs of steps
  bool has_batch = false;  // an axis may be a batch
};

// Models without a dynamic time axis are tried only if a batch was assumed.
OpenTrial TryOpenTime(Conversion&& c) {
  OpenTrial trial;
  for (const Pass& pass : AllPasses()) {
    if (pass.run == Stream) trial.reached = OpenTime::kRefused;
    if (!pass.run(c)) break;
    trial.has_batch = c.has_batch;
    trial.is_open = !c.open.empty();
    if (!trial.is_open && !c.assumes_batch) return trial;
    trial.reached = OpenTime::kUnreadable;
    if (pass.run != Stream) continue;
    const bool are_time = graph::AreTime(c.open, *c.streamed);
    trial.reached = are_time ? OpenTime::kStreamed : OpenTime::kNone;
    return trial;
  }
  trial.has_pairs = trial.reached == OpenTime::kRefused && graph::HasPairsOfSteps(*c.graph);
  return trial;
}

// The interpretation of dynamic inputs.
struct Opening {
  // The first length with which the model can be streamed, else the first length that it can have;
  // nullopt if no dynamic dimension may be time.
  std::optional<int64_t> length = std::nullopt;
  bool assumes_batch = true;
  bool is_streamed = false;
};

Opening TryLengths(const ConvertOptions& options, bool assumes_batch) {
  Opening refused{std::nullopt, assumes_batch};
  bool has_batch = false;
  for (const int64_t length : graph::kOpenLengths) {
    if (length / 2 < *options.streaming_steps) continue;
    Faults discarded;
    const OpenTrial trial =
        TryOpenTime({options, discarded, FoldingOf(options), length, assumes_batch});
    if (trial.reached == OpenTime::kStreamed) {
      return {trial.is_open ? std::optional(length) : std::nullopt, assumes_batch, true};
    }
    has_batch = has_batch || trial.has_batch;
    if (trial.reached == OpenTime::kNone || !trial.is_open) break;
    if (trial.reached == OpenTime::kRefused && !refused.length) refused.length = length;
    if (trial.has_pairs && length >= graph::kMaxPairedLength) break;
  }
  if (!has_batch) return refused;
  // If the first axis is the only dynamic one and cannot be time, it is the batch.
  const Opening batch = TryLengths(options, /*assumes_batch=*/true);
  return batch.is_streamed || !refused.length ? batch : refused;
}

Conversion Begin(const ConvertOptions& options, Faults& faults) {
  const Opening opening =
      options.streaming_steps ? TryLengths(options, /*assumes_batch=*/false) : Opening();
  return {options, faults, FoldingOf(options), opening.length, opening.assumes_batch};
}

}  // namespace

std::optional<program::Program> LowerModel(const ConvertOptions& options, Faults& faults,
                                           std::vector<plan::FusedProgram>* fused) {
  Conversion c = Begin(options, faults);
  if (!RunPasses(c, Stage::kProgram)) return std::nullopt;
  if (fused != nullptr) *fused = std::move(c.fused);
  return std::move(c.program);
}

std::optional<Converted> Convert(const ConvertOptions& options, Faults& faults) {
  Conversion c = Begin(options, faults);
  if (!RunPasses(c, Stage::kFile)) return std::nullopt;
  Converted converted;
  converted.file = std::move(c.file.bytes);
  converted.weights_bytes = c.plan.weights_bytes;
  converted.state_bytes = c.plan.state_bytes;
  converted.scratch_bytes = c.plan.scratch_bytes[0];
  converted.more_scratch_bytes.assign(c.plan.scratch_bytes.begin() + 1, c.plan.scratch_bytes.end());
  converted.self_test_bytes = c.file.self_test_bytes;
  converted.scratch_account = c.plan.account;
  converted.f16_weights = c.f16_weights;
  converted.weights = std::move(c.weights);
  converted.curve = std::move(c.plan.curve);
  converted.chosen = c.plan.chosen;
  converted.streamed = std::move(c.streamed);
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
