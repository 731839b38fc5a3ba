// SPDX-License-Identifier: Apache-2.0
#include "converter/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/base/narrow.h"
#include "converter/emit/model_file.h"
#include "converter/emit/run_here.h"
#include "converter/emit/self_test.h"
#include "converter/fold_work.h"
#include "converter/graph/flatten.h"
#include "converter/graph/fold.h"
#include "converter/graph/infer.h"
#include "converter/graph/input_shapes.h"
#include "converter/graph/layout/layout.h"
#include "converter/graph/lower.h"
#include "converter/graph/open_loops.h"
#include "converter/graph/promote.h"
#include "converter/graph/quantise/quantise.h"
#include "converter/graph/recognise/border.h"
#include "converter/graph/recognise/dilation.h"
#include "converter/graph/recognise/divide.h"
#include "converter/graph/recognise/forms.h"
#include "converter/graph/recognise/integer_tables.h"
#include "converter/graph/recognise/recognise.h"
#include "converter/graph/reroll/reroll.h"
#include "converter/graph/resolve.h"
#include "converter/graph/streaming/open_time.h"
#include "converter/graph/streaming/streaming.h"
#include "converter/graph/variables.h"
#include "converter/inspect/listing.h"
#include "converter/inspect/streamed.h"
#include "converter/ir/consistency.h"
#include "converter/ir/graph.h"
#include "converter/ir/listing.h"
#include "converter/ir/read.h"
#include "converter/plan/loops/fuse.h"
#include "converter/plan/loops/loops.h"
#include "converter/plan/plan.h"
#include "converter/plan/validate_placement.h"
#include "converter/plan/validator.h"
#include "converter/program/cells.h"
#include "converter/program/consistency.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/level_weights.h"
#include "converter/program/place_maps.h"
#include "converter/program/program.h"
#include "converter/program/read_parts.h"
#include "converter/program/ring_products.h"
#include "converter/stream_note.h"
#include "runtime/verify.h"
#include "runtime/weft.h"

namespace weft::pipeline {

namespace {

// The state that the passes share: each reads what those before it have made.
struct Conversion {
  const ConvertOptions& options;
  Faults& faults;
  graph::Folding folding;
  std::optional<int64_t> open_length = std::nullopt;  // of a dynamic time axis
  graph::TimeSeeds open = {};                         // the inputs' axes that are so long
  std::unique_ptr<ir::Graph> graph = nullptr;
  int64_t f16_weights = 0;
  std::optional<graph::Streamed> streamed = std::nullopt;
  plan::Program program = {};
  std::vector<plan::FusedProgram> fused = {};
  std::vector<graph::IntegerTable> tables = {};
  plan::WeightsReport weights = {};
  plan::Plan plan = {};
  emit::ModelFile file = {};
};

// A pass says whether the next one can go on. Faults need not end the work: those of several passes
// are reported in one run.
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

// A pass over the graph, or over the program, that finds no faults.
template <void (*pass)(ir::Graph&)>
bool OnGraph(Conversion& c) {
  pass(*c.graph);
  return true;
}
template <void (*pass)(plan::Program&)>
bool OnProgram(Conversion& c) {
  pass(c.program);
  return true;
}

// What a pass works on, and what is printed of it.
enum class Stage : uint8_t { kGraph, kProgram, kPlan, kFile };
constexpr std::string_view kStageNames[] = {"graph", "program", "plan", "file"};

struct Pass {
  std::string_view name;
  Stage stage;
  bool (*run)(Conversion&);
  std::string_view account;
};

constexpr Pass kPasses[] = {
    {"read", Stage::kGraph, Read, "the XML and its weights become a graph"},
    {"count", Stage::kGraph, Count, "loops with a counter of their own get their trip count"},
    {"resolve", Stage::kGraph, Resolve, "every layer gets its operation, by type and version"},
    {"flatten", Stage::kGraph, Flatten, "short loops that use their counter are flattened"},
    {"promote", Stage::kGraph, OnGraph<graph::Promote>, "f16, bf16 and f64 are computed as f32"},
    {"infer", Stage::kGraph, Infer, "all types and shapes; what is constant is computed"},
    {"dilate", Stage::kGraph, OnGraph<graph::RecogniseDilations>,
     "convolutions between SpaceToBatch and BatchToSpace become dilated"},
    {"borders", Stage::kGraph, OnGraph<graph::RecogniseBorders>,
     "zeros around a convolution's data become its padding"},
    {"reroll", Stage::kGraph, Reroll, "loops that were traced step by step become loops again"},
    {"tables", Stage::kGraph, OnGraph<graph::JoinTables>,
     "constants of several numbers that follow one another become one"},
    {"streaming", Stage::kGraph, Stream,
     "with --streaming, the time axis is cut and state is kept"},
    {"recognise", Stage::kGraph, OnGraph<graph::Recognise>,
     "cells spelled out in plain operations become one each"},
    {"formulas", Stage::kGraph, OnGraph<graph::RecogniseForms>,
     "formulas spelled out in plain operations become one each"},
    {"constants", Stage::kGraph, OnGraph<graph::JoinConstants>,
     "constants that follow one another, or a product, become one"},
    {"divide", Stage::kGraph, OnGraph<graph::DivideProducts>,
     "products that are read in parts become one for each part"},
    {"integer_tables", Stage::kGraph, Tables,
     "tables of integers of 8 bits stay so where rows are taken from them"},
    {"layout", Stage::kGraph, OnGraph<graph::ChooseLayouts>,
     "stretches with windows get their channels last"},
    {"quantise", Stage::kGraph, Quantise, "what is computed between quantisers becomes integers"},
    {"lower", Stage::kProgram, Lower, "operations become steps over values"},
    {"ring_products", Stage::kProgram, OnProgram<plan::ReadRingsInPlace>,
     "products read keys and values in the rings that keep them"},
    {"fuse_tail", Stage::kProgram, OnProgram<plan::FuseTails>,
     "activations and additions are fused into the product before them"},
    {"cells", Stage::kProgram, FuseCells,
     "a recurrent product and the gates behind it become one step"},
    {"read_parts", Stage::kProgram, OnProgram<plan::ReadParts>,
     "parts of values are read where they lie"},
    {"place_maps", Stage::kProgram, OnProgram<plan::PlaceMaps>,
     "maps are made where a copy would put them"},
    {"loops", Stage::kProgram, PlanLoops,
     "states of loops get homes, bodies a copy for each phase; also fused"},
    {"narrow", Stage::kProgram, NarrowWeights,
     "weights of products become f16, or as --precision says"},
    {"plan", Stage::kPlan, Plan,
     "the fastest of several plans that fits; all values get addresses"},
    {"emit", Stage::kFile, Emit, "the plan is written as a file, with its self test"},
    {"verify", Stage::kFile, Verify,
     "the file is checked by the rules of the format, its plan validated"},
};

// Loops and branches of the model that the reader, a --shape or a --value has found at fault, and those that
// depend on what is: what prepares and infers them needs all of it.
std::vector<ir::Node*> FaultyBodies(const ir::Graph& graph) {
  std::set<const ir::Node*> sound;
  for (const ir::Node* node : ir::Topological(graph)) {
    const auto is_sound = [&](const ir::Source& source) { return sound.contains(source.node); };
    if (!node->type.empty() && std::ranges::all_of(node->inputs, is_sound)) sound.insert(node);
  }
  std::vector<ir::Node*> faulty;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    if (!node->bodies.empty() && !sound.contains(node.get())) faulty.push_back(node.get());
  }
  return faulty;
}

graph::InferOptions InferOptionsOf(const ConvertOptions& options) {
  return {options.shapes.empty(), options.max_iterations};
}

// What else is wrong with a file that the reader, a --shape or a --value refuses.
void CheckTheRest(Conversion& c) {
  const std::vector<ir::Node*> faulty = FaultyBodies(*c.graph);
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

// Numbers of all constants of that type.
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
  graph::ApplyShapes(*c.graph, c.options.shapes, c.faults);
  graph::ApplyValues(*c.graph, c.options.values, c.faults);
  graph::ApplyStates(*c.graph, c.options.states, c.faults);
  graph::AddLayerOutputs(*c.graph, c.options.layer_outputs);
  c.f16_weights = CountF16(*c.graph);
  c.folding.limit_work = FoldWorkLimit(options.fold_budget_bytes, *c.graph);
  if (c.open_length) {
    c.open = graph::FillOpenAxes(*c.graph, c.options.time_axes, *c.open_length);
  }
  if (!c.faults.ok()) CheckTheRest(c);
  return c.faults.ok();
}

bool Count(Conversion& c) {
  graph::RecogniseCountsByShapes(*c.graph, c.folding);
  return true;
}

// A loop whose time is cut must still be one.
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
  graph::InferAndFold(*c.graph, InferOptionsOf(c.options), c.folding, c.faults);
  return c.faults.ok();
}

bool Reroll(Conversion& c) {
  const graph::InferOptions options = {false, c.options.max_iterations};
  return graph::Reroll(*c.graph, options, c.folding, c.faults);
}

// What it says of every shape is held against what the operations make of it.
bool Stream(Conversion& c) {
  if (!c.options.streaming_steps) return true;
  c.streamed =
      graph::Stream(*c.graph, *c.options.streaming_steps, c.folding, c.faults, c.options.time_axes);
  if (c.streamed && !c.open.empty()) graph::ForgetLengths(*c.streamed);
  return c.streamed &&
         graph::InferAndFold(*c.graph, {true, c.options.max_iterations}, c.folding, c.faults);
}

bool Tables(Conversion& c) {
  const plan::Precision& all = c.options.precisions.all;
  if (!all || plan::IsInteger(all->type)) {
    c.tables = graph::KeepIntegerTables(*c.graph);
  }
  return true;
}

// States that have become integers.
void CountStates(const ir::Graph& graph, graph::Streamed& streamed) {
  std::map<std::string, int64_t> bytes;
  for (const ir::Node* node : ir::Topological(graph)) {
    if (!ir::IsReadValue(*node)) continue;
    bytes[node->attributes.at("variable_id")] = DenseBytes(node->outputs[0].type).value_or(0);
  }
  for (graph::StreamedState& state : streamed.states) {
    const auto found = bytes.find(state.name);
    if (found == bytes.end() || found->second >= state.bytes) continue;
    streamed.least_state_bytes -= state.bytes - found->second;
    state.bytes = found->second;
  }
}

// A layer that is to be of f32 stays so.
bool Quantise(Conversion& c) {
  graph::Quantise(*c.graph, c.folding, [&](const std::string& layer) {
    return c.options.precisions.Of(layer) == ElementType::f32;
  });
  if (c.streamed) CountStates(*c.graph, *c.streamed);
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
  plan::FuseCells(c.program, c.options.precisions);
  return true;
}

bool NarrowWeights(Conversion& c) {
  // Before products of narrow weights are of levels, too.
  std::vector<plan::LayerWeights> levels = plan::LevelWeights(c.program);
  c.weights = plan::NarrowWeights(c.program, c.options.precisions, c.faults);
  for (plan::LayerWeights& layer : levels) c.weights.Add(std::move(layer));
  for (const graph::IntegerTable& table : c.tables) {
    c.weights.Add({table.layer, ElementType::i8, table.bytes_before, table.bytes,
                   std::numeric_limits<double>::infinity()});
  }
  for (plan::FusedProgram& fused : c.fused) {
    if (c.faults.ok()) plan::NarrowWeights(fused.program, c.options.precisions, c.faults);
  }
  return c.faults.ok();
}

// The regions of the call are the memories of scratch. Behind a single one lies one without limit.
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

// What a run of the model multiplies and adds before it is cut.
std::optional<double> WholeMultiplyAdds(const ConvertOptions& streaming) {
  ConvertOptions options = streaming;
  options.streaming_steps.reset();
  options.dump = nullptr;
  options.progress = nullptr;
  options.precisions = {};  // which may name layers of the cut one
  Faults discarded;
  const std::optional<plan::Program> whole = LowerModel(options, discarded);
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

// FlatBuffers are read at their own alignment only.
AlignedBytes AlignedCopy(const std::vector<std::byte>& bytes) {
  AlignedBytes aligned(bytes.size());
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  return aligned;
}

// A file that breaks a rule is never written.
bool Verify(Conversion& c) {
  const AlignedBytes aligned = AlignedCopy(c.file.bytes);
  const auto report = [](void* faults, const Fault& fault) {
    char text[192];
    Describe(fault, text, sizeof(text));
    static_cast<Faults*>(faults)->Add(
        fmt::format("weft: the converter made a file that breaks a rule: {}", text));
  };
  (void)VerifyAll({aligned.data(), aligned.size()}, AllSteps(), {report, &c.faults});
  if (!c.faults.ok()) return false;
  for (const std::string& line : plan::CheckPlan(*format::GetModel(aligned.data()))) {
    c.faults.Add("weft: the converter made a plan that breaks a rule: " + line);
  }
  for (const std::string& line : inspect::StreamNoteFaults({aligned.data(), aligned.size()})) {
    c.faults.Add("weft: the converter made a file that breaks a rule: " + line);
  }
  if (c.options.self_test_runs != 0 && c.faults.ok()) {
    emit::RepeatSelfTest(c.file.bytes, c.faults);
  }
  return c.faults.ok();
}

// Only a file that is valid by the rules of the format can be listed.
std::string ListingOf(const std::vector<std::byte>& file) {
  const AlignedBytes aligned = AlignedCopy(file);
  bool is_sound = true;
  const auto report = [](void* sound, const Fault&) { *static_cast<bool*>(sound) = false; };
  (void)VerifyAll({aligned.data(), aligned.size()}, AllSteps(), {report, &is_sound});
  if (!is_sound) return "the file breaks a rule of the format, which the pass verify names\n";
  return inspect::ListingText(*format::GetModel(aligned.data()));
}

std::string TextOf(const Conversion& c, Stage stage) {
  switch (stage) {
    case Stage::kGraph:
      return ir::ToString(*c.graph);
    case Stage::kProgram:
      return plan::ToString(c.program);
    case Stage::kPlan:
      return plan::ToString(c.plan);
    case Stage::kFile:
      break;
  }
  return ListingOf(c.file.bytes);
}

// What a pass leaves behind it keeps to what the next one expects. Off in release, like every
// assertion. A file has its own checks, which are always on.
void AssertConsistent([[maybe_unused]] const Conversion& c, [[maybe_unused]] const Pass& pass) {
#ifndef NDEBUG
  std::string text;
  if (pass.stage == Stage::kGraph) text = ir::InconsistencyIn(*c.graph);
  if (pass.stage == Stage::kProgram) text = plan::InconsistencyIn(c.program);
  if (pass.stage == Stage::kPlan) {
    text = plan::InconsistencyIn(c.plan.program);
    const auto faults = plan::ValidatePlacement(c.plan.problem, c.plan.placement);
    if (text.empty() && !faults.empty()) text = faults.front().text;
  }
  if (!text.empty()) std::fputs(fmt::format("after {}: {}\n", pass.name, text).c_str(), stderr);
  assert(text.empty());
#endif
}

// The passes up to the last one of a stage. A number that the file cannot hold ends the pass that
// meets it.
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

graph::Folding FoldingOf(const ConvertOptions& options) {
  return {emit::RunHere, options.fold_budget_bytes, 0, FoldWork};
}

// What has come of a dynamic time axis of some length.
enum class OpenTime { kNone, kUnreadable, kRefused, kStreamed };
OpenTime TryOpenTime(const ConvertOptions& options, int64_t length) {
  Faults discarded;
  Conversion c{options, discarded, FoldingOf(options), length};
  OpenTime reached = OpenTime::kNone;
  for (const Pass& pass : kPasses) {
    if (pass.run == Stream) reached = OpenTime::kRefused;
    if (!pass.run(c)) break;
    if (c.open.empty()) return OpenTime::kNone;
    reached = OpenTime::kUnreadable;
    if (pass.run != Stream) continue;
    return graph::AreTime(c.open, *c.streamed) ? OpenTime::kStreamed : OpenTime::kNone;
  }
  return reached;
}

// The first length with which the model can be cut, else the first that it can have: nullopt where
// no dynamic dimension may be time.
std::optional<int64_t> OpenLengthOf(const ConvertOptions& options) {
  std::optional<int64_t> readable;
  for (const int64_t length : graph::kOpenLengths) {
    if (!options.streaming_steps) break;
    if (length / 2 < *options.streaming_steps) continue;
    const OpenTime found = TryOpenTime(options, length);
    if (found == OpenTime::kNone) break;
    if (found == OpenTime::kStreamed) return length;
    if (found == OpenTime::kRefused && !readable) readable = length;
  }
  return readable;
}

Conversion Begin(const ConvertOptions& options, Faults& faults) {
  return {options, faults, FoldingOf(options), OpenLengthOf(options)};
}

}  // namespace

std::optional<plan::Program> LowerModel(const ConvertOptions& options, Faults& faults,
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
