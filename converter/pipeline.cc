// SPDX-License-Identifier: Apache-2.0
#include "converter/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/emit/model_file.h"
#include "converter/emit/run_here.h"
#include "converter/emit/self_test.h"
#include "converter/file_checks.h"
#include "converter/fold_work.h"
#include "converter/graph/batch.h"
#include "converter/graph/faulty_bodies.h"
#include "converter/graph/fold.h"
#include "converter/graph/infer.h"
#include "converter/graph/input_shapes.h"
#include "converter/graph/layout/layout.h"
#include "converter/graph/lower.h"
#include "converter/graph/promote.h"
#include "converter/graph/quantise/quantise.h"
#include "converter/graph/recognise/cells/cells.h"
#include "converter/graph/recognise/forms/border.h"
#include "converter/graph/recognise/forms/dilation.h"
#include "converter/graph/recognise/forms/divide.h"
#include "converter/graph/recognise/forms/forms.h"
#include "converter/graph/recognise/forms/integer_tables.h"
#include "converter/graph/recognise/loops/flatten.h"
#include "converter/graph/recognise/loops/open_loops.h"
#include "converter/graph/reroll/reroll.h"
#include "converter/graph/resolve.h"
#include "converter/graph/streaming/open_time.h"
#include "converter/graph/streaming/states.h"
#include "converter/graph/streaming/streaming.h"
#include "converter/graph/variables.h"
#include "converter/ir/consistency.h"
#include "converter/ir/graph.h"
#include "converter/ir/listing.h"
#include "converter/ir/read.h"
#include "converter/plan/loops/fuse.h"
#include "converter/plan/loops/loops.h"
#include "converter/plan/plan.h"
#include "converter/plan/validate_placement.h"
#include "converter/program/cells.h"
#include "converter/program/consistency.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/place_maps.h"
#include "converter/program/program.h"
#include "converter/program/quantised_weights.h"
#include "converter/program/read_parts.h"
#include "converter/program/ring_products.h"
#include "converter/stream_note.h"

namespace weft::pipeline {

namespace {

// The shared state of the passes; each pass reads the results of earlier passes.
struct Conversion {
  const ConvertOptions& options;
  Faults& faults;
  graph::Folding folding;
  std::optional<int64_t> open_length = std::nullopt;  // assumed length of a dynamic time axis
  bool assumes_batch = true;    // also if the first axis is the only dynamic one
  bool has_batch = false;       // there is a batch axis that is not assumed to be 1
  bool has_own_shapes = false;  // input shapes differ from those of the model
  graph::TimeSeeds open = {};   // the input axes that have open_length
  std::unique_ptr<ir::Graph> graph = nullptr;
  int64_t f16_weights = 0;
  std::optional<graph::Streamed> streamed = std::nullopt;
  program::Program program = {};
  std::vector<plan::FusedProgram> fused = {};
  std::vector<graph::IntegerTable> tables = {};
  program::WeightsReport weights = {};
  plan::Plan plan = {};
  emit::ModelFile file = {};
};

// A pass returns true if the next pass can run. Faults need not stop the pipeline, so that faults
// of several passes are reported in one run.
bool Read(Conversion&);
bool Count(Conversion&);
bool Resolve(Conversion&);
bool Flatten(Conversion&);
bool Infer(Conversion&);
bool Reroll(Conversion&);
bool Stream(Conversion&);
bool Tables(Conversion&);
bool Quantise(Conversion&);
bool Lower(Conversion&);
bool PlanLoops(Conversion&);
bool FuseCells(Conversion&);
bool NarrowWeights(Conversion&);
bool Plan(Conversion&);
bool Emit(Conversion&);
bool Verify(Conversion&);

// Wraps a pass over the graph or the program that adds no faults.
template <void (*pass)(ir::Graph&)>
bool OnGraph(Conversion& c) {
  pass(*c.graph);
  return true;
}
template <void (*pass)(program::Program&)>
bool OnProgram(Conversion& c) {
  pass(c.program);
  return true;
}

// The representation that a pass works on and that --dump-after prints.
enum class Stage : uint8_t { kGraph, kProgram, kPlan, kFile };
constexpr std::string_view kStageNames[] = {"graph", "program", "plan", "file"};

struct Pass {
  std::string_view name;
  Stage stage;
  bool (*run)(Conversion&);
  std::string_view account;
};

constexpr Pass kPasses[] = {
    {"read", Stage::kGraph, Read, "reads the XML and its weights into a graph"},
    {"count", Stage::kGraph, Count, "finds the trip counts of loops with their own counter"},
    {"resolve", Stage::kGraph, Resolve, "finds the operation of every layer, by type and version"},
    {"flatten", Stage::kGraph, Flatten, "flattens short loops that use their counter"},
    {"promote", Stage::kGraph, OnGraph<graph::Promote>, "converts f16, bf16 and f64 to f32"},
    {"infer", Stage::kGraph, Infer, "infers types and shapes, folds constants"},
    {"dilate", Stage::kGraph, OnGraph<graph::RecogniseDilations>,
     "merges SpaceToBatch and BatchToSpace into dilated convolutions"},
    {"borders", Stage::kGraph, OnGraph<graph::RecogniseBorders>,
     "merges zeros around the data of convolutions into their padding"},
    {"reroll", Stage::kGraph, Reroll, "converts loops that were traced step by step back to loops"},
    {"tables", Stage::kGraph, OnGraph<graph::JoinTables>,
     "joins constant additions and factors across permutations"},
    {"streaming", Stage::kGraph, Stream,
     "with --streaming: splits the time axis into runs, keeps state"},
    {"recognise", Stage::kGraph, OnGraph<graph::RecogniseCells>,
     "recognises cells decomposed into elementary operations"},
    {"formulas", Stage::kGraph, OnGraph<graph::RecogniseForms>,
     "recognises formulas decomposed into elementary operations"},
    {"constants", Stage::kGraph, OnGraph<graph::JoinConstants>,
     "merges consecutive constant factors and addends, also into weights"},
    {"divide", Stage::kGraph, OnGraph<graph::DivideProducts>,
     "splits products whose results are read in parts"},
    {"integer_tables", Stage::kGraph, Tables, "keeps 8-bit integer tables of look-ups"},
    {"layout", Stage::kGraph, OnGraph<graph::ChooseLayouts>,
     "permutes layout groups with windows to channels-last"},
    {"quantise", Stage::kGraph, Quantise, "converts operations between quantisers to integers"},
    {"lower", Stage::kProgram, Lower, "converts operations to steps over values"},
    {"ring_products", Stage::kProgram, OnProgram<program::ReadRingsInPlace>,
     "lets products read keys and values directly from rings"},
    {"fuse_tail", Stage::kProgram, OnProgram<program::FuseTails>,
     "fuses activations and additions into the preceding product"},
    {"cells", Stage::kProgram, FuseCells, "fuses a recurrent product and its gates into one step"},
    {"read_parts", Stage::kProgram, OnProgram<program::ReadParts>,
     "reads parts of values without a copy"},
    {"place_maps", Stage::kProgram, OnProgram<program::PlaceMaps>,
     "writes feature maps directly to the target of their copy"},
    {"loops", Stage::kProgram, PlanLoops,
     "assigns state buffers of loops, copies bodies per phase, fuses loops"},
    {"narrow", Stage::kProgram, NarrowWeights,
     "converts weights to f16 or as --precision specifies"},
    {"plan", Stage::kPlan, Plan, "chooses the fastest plan that fits, assigns addresses"},
    {"emit", Stage::kFile, Emit, "writes the model file, with its self test"},
    {"verify", Stage::kFile, Verify, "checks the rules of the file format and the plan"},
};

graph::Folding FoldingOf(const ConvertOptions& options) {
  return {emit::RunHere, options.fold_budget_bytes, 0, FoldWork};
}

graph::InferOptions InferOptionsOf(const Conversion& c) {
  return {!c.has_own_shapes, c.options.max_iterations};
}

// Runs later checks on a model with faults, to collect all remaining errors.
void CollectRemainingErrors(Conversion& c) {
  const std::vector<ir::Node*> faulty = graph::FaultyBodies(*c.graph);
  std::vector<std::vector<ir::Body>> bodies;
  for (ir::Node* node : faulty) bodies.push_back(std::exchange(node->bodies, {}));
  Count(c);
  for (size_t i = 0; i < faulty.size(); ++i) {
    faulty[i]->bodies = std::move(bodies[i]);
  }
  Resolve(c);
  for (ir::Node* node : faulty) {
    node->bodies.clear();
    node->operation = nullptr;
  }
  Flatten(c);
  graph::Promote(*c.graph);
  Infer(c);
}

// Number of elements of all f16 constants.
int64_t CountF16(const ir::Graph& graph) {
  int64_t count = 0;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    if (node->constant && node->constant->type.type == ElementType::f16) {
      count += ElementCount(node->constant->type.dims).value_or(0);
    }
    for (const ir::Body& body : node->bodies) count += CountF16(*body.graph);
  }
  return count;
}

bool Read(Conversion& c) {
  const ConvertOptions& options = c.options;
  c.graph = options.in_memory ? ir::ReadWithHoles(options.model, *options.in_memory, c.faults)
                              : ir::ReadWithHoles(options.model, options.weights, c.faults);
  if (c.graph == nullptr) return false;
  graph::WarnOfDoubles(*c.graph, c.faults);
  graph::ApplyShapes(*c.graph, c.options.shapes, c.faults);
  const bool streams = options.streaming_steps.has_value();
  const size_t warnings = c.faults.warnings().size();
  c.has_batch =
      !graph::AssumeBatches(*c.graph, {streams, c.assumes_batch, options.time_axes}, c.faults);
  c.has_own_shapes = !options.shapes.empty() || c.faults.warnings().size() > warnings;
  graph::ApplyValues(*c.graph, c.options.values, c.faults);
  graph::ApplyStates(*c.graph, c.options.states, c.faults);
  graph::AddLayerOutputs(*c.graph, c.options.layer_outputs);
  c.f16_weights = CountF16(*c.graph);
  c.folding.limit_work = FoldWorkLimit(options.fold_budget_bytes, *c.graph);
  if (c.open_length) {
    c.open = graph::FillOpenAxes(*c.graph, c.options.time_axes, *c.open_length);
  }
  if (!c.faults.ok()) CollectRemainingErrors(c);
  return c.faults.ok();
}

bool Count(Conversion& c) {
  graph::RecogniseCountsByShapes(*c.graph, c.folding);
  return true;
}

// With streaming, keeps loops of the main graph, which may be streamed.
bool Flatten(Conversion& c) {
  if (!c.options.streaming_steps) {
    graph::Flatten(*c.graph);
    return true;
  }
  for (const std::unique_ptr<ir::Node>& node : c.graph->nodes) {
    for (ir::Body& body : node->bodies) graph::Flatten(*body.graph);
  }
  return true;
}

bool Resolve(Conversion& c) {
  graph::FindOperations(*c.graph);
  graph::Resolve(*c.graph, c.faults);
  graph::CheckVariables(*c.graph, c.faults);
  return true;
}

bool Infer(Conversion& c) {
  graph::InferAndFold(*c.graph, InferOptionsOf(c), c.folding, c.faults);
  return c.faults.ok();
}

bool Reroll(Conversion& c) {
  const graph::InferOptions options = {false, c.options.max_iterations};
  return graph::Reroll(*c.graph, options, c.folding, c.faults);
}

graph::InferOptions InferOptionsOfStreamed(const ConvertOptions& options) {
  return {true, options.max_iterations};
}

// Streams the graph, then infers all shapes again as a check.
bool StreamGraph(Conversion& c) {
  const graph::StreamOptions options = {*c.options.streaming_steps, c.options.time_axes};
  c.streamed = graph::Stream(*c.graph, options, c.folding, c.faults);
  return c.streamed &&
         graph::InferAndFold(*c.graph, InferOptionsOfStreamed(c.options), c.folding, c.faults);
}

bool HaveOneLength(const Conversion& a, const Conversion& b) {
  return std::ranges::equal(
      a.graph->parameters, b.graph->parameters, {},
      [](const ir::Node* node) { return node->outputs[0].type.dims; },
      [](const ir::Node* node) { return node->outputs[0].type.dims; });
}

// Runs the passes before streaming on the model with another length. Returns false if the model
// cannot have that length.
bool ReadSecondCopy(Conversion& second);

// Streams a model with a dynamic time axis. If only one length is possible, it is the model's
// length.
bool StreamOpen(Conversion& c) {
  const int64_t length = *c.open_length;
  const bool is_long = length > graph::kOpenLengths[0];
  for (const int64_t other :
       {is_long ? length / 2 : length * 2, is_long ? length * 2 : length / 2}) {
    Faults of_second;
    Conversion second{c.options, of_second, FoldingOf(c.options), other, c.assumes_batch};
    if (!ReadSecondCopy(second) || HaveOneLength(c, second)) continue;
    const graph::StreamOptions options = {*c.options.streaming_steps, c.options.time_axes};
    c.streamed = graph::StreamOpenTime(*c.graph, *second.graph, options,
                                       InferOptionsOfStreamed(c.options), c.folding, c.faults);
    return c.streamed.has_value();
  }
  return StreamGraph(c);
}

bool Stream(Conversion& c) {
  if (!c.options.streaming_steps) return true;
  return c.open.empty() ? StreamGraph(c) : StreamOpen(c);
}

bool Tables(Conversion& c) {
  const program::Precision& all = c.options.precisions.all;
  if (!all || program::IsInteger(all->type)) {
    c.tables = graph::KeepIntegerTables(*c.graph);
  }
  return true;
}

// Layers with --precision f32 are not quantised.
bool Quantise(Conversion& c) {
  graph::Quantise(*c.graph, c.folding, [&](const std::string& layer) {
    return c.options.precisions.Of(layer) == ElementType::f32;
  });
  if (c.streamed) graph::CountStateBytes(*c.graph, *c.streamed);
  return true;
}

bool Lower(Conversion& c) { return graph::Lower(*c.graph, c.program, c.faults); }

bool PlanLoops(Conversion& c) {
  c.fused = plan::FusedPrograms(c.program);
  plan::PlanLoops(c.program);
  for (plan::FusedProgram& fused : c.fused) plan::PlanLoops(fused.program);
  return true;
}

bool FuseCells(Conversion& c) {
  program::FuseCells(c.program, c.options.precisions);
  return true;
}

bool NarrowWeights(Conversion& c) {
  // Must precede NarrowWeights, which creates more quantised products.
  std::vector<program::LayerWeights> codes = program::QuantisedWeights(c.program);
  c.weights = program::NarrowWeights(c.program, c.options.precisions, c.faults);
  for (program::LayerWeights& layer : codes) c.weights.Add(std::move(layer));
  for (const graph::IntegerTable& table : c.tables) {
    c.weights.Add({table.layer, ElementType::i8, table.bytes_before, table.bytes,
                   std::numeric_limits<double>::infinity()});
  }
  for (plan::FusedProgram& fused : c.fused) {
    if (c.faults.ok()) program::NarrowWeights(fused.program, c.options.precisions, c.faults);
  }
  return c.faults.ok();
}

// The regions of the call are the memories of scratch. A single region is followed by unlimited
// memory.
plan::PlanOptions PlanOptionsOf(const ConvertOptions& options) {
  plan::PlanOptions plan_options;
  plan_options.budget_bytes = options.arena_budget_bytes;
  plan_options.aim = options.arena_aim;
  plan_options.joins_chains = true;
  std::vector<plan::Memory>& memories = plan_options.memories;
  for (const ScratchRegion& region : options.regions) {
    const auto slower = static_cast<double>(memories.size());
    memories.push_back({region.name, region.bytes, 1 / (1 + slower)});
  }
  if (memories.size() == 1) memories.push_back({"", std::nullopt, 0.5});
  return plan_options;
}

bool Plan(Conversion& c) {
  std::optional<plan::Plan> plan =
      plan::ChoosePlan(c.program, PlanOptionsOf(c.options), c.faults, c.fused);
  if (!plan) return false;
  c.plan = *std::move(plan);
  return true;
}

// Multiply-adds of a run of the full model, without streaming.
std::optional<double> WholeMultiplyAdds(const ConvertOptions& streaming) {
  ConvertOptions options = streaming;
  options.streaming_steps.reset();
  options.dump = nullptr;
  options.progress = nullptr;
  options.precisions = {};  // may name layers that only the streaming model has
  Faults discarded;
  const std::optional<program::Program> whole = LowerModel(options, discarded);
  return whole ? std::optional(MultiplyAddsOf(*whole)) : std::nullopt;
}

bool Emit(Conversion& c) {
  emit::FileOptions options;
  options.self_test_runs = c.options.self_test_runs;
  options.f16_weights = c.f16_weights > 0;
  if (c.streamed) {
    c.streamed->multiply_adds = WholeMultiplyAdds(c.options);
    options.stream_note = StreamNoteOf(*c.streamed);
  }
  c.file = emit::WriteModelFile(c.plan, options, c.faults);
  return c.faults.ok();
}

// Checks the file. An invalid file is never written.
bool Verify(Conversion& c) {
  CheckFile(c.file.bytes, c.faults);
  if (c.options.self_test_runs != 0 && c.faults.ok()) {
    emit::RepeatSelfTest(c.file.bytes, c.faults);
  }
  return c.faults.ok();
}

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

// Runs the passes up to stage `last`. A number that exceeds the file format ends its pass with a
// fault.
bool RunPasses(Conversion& c, Stage last) {
  const ConvertOptions& options = c.options;
  for (const Pass& pass : kPasses) {
    if (pass.stage > last) break;
    if (options.progress) options.progress(pass.name);
    try {
      if (!pass.run(c)) return false;
      if (c.faults.ok()) AssertConsistent(c, pass);
    } catch (const TooWide& wide) {
      c.faults.Add(wide.Line("plan"));
      return false;
    }
    const bool is_wanted = options.dump_after == pass.name || options.dump_after == kAllPasses;
    if (options.dump && is_wanted) options.dump(pass.name, TextOf(c, pass.stage));
  }
  return c.faults.ok();
}

bool ReadSecondCopy(Conversion& second) {
  for (const Pass& pass : kPasses) {
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
  for (const Pass& pass : kPasses) {
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
  for (const Pass& pass : kPasses) {
    rows.push_back({pass.name, kStageNames[static_cast<size_t>(pass.stage)], pass.account});
  }
  return rows;
}

}  // namespace weft::pipeline
