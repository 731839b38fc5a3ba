// SPDX-License-Identifier: Apache-2.0
#include "converter/passes.h"

#include <fmt/format.h>

#include <cassert>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/emit/model_file.h"
#include "converter/emit/run_here.h"
#include "converter/emit/self_test.h"
#include "converter/emit/stream_parts.h"
#include "converter/file_checks.h"
#include "converter/fold_work.h"
#include "converter/graph/batch.h"
#include "converter/graph/canonical/canonical.h"
#include "converter/graph/fold.h"
#include "converter/graph/graph_passes.h"
#include "converter/graph/infer.h"
#include "converter/graph/input_shapes.h"
#include "converter/graph/layout/layout.h"
#include "converter/graph/lower.h"
#include "converter/graph/quantise/quantise.h"
#include "converter/graph/recognise/cells/cells.h"
#include "converter/graph/recognise/forms/divide.h"
#include "converter/graph/recognise/forms/forms.h"
#include "converter/graph/recognise/forms/integer_tables.h"
#include "converter/graph/recognise/loops/loop_passes.h"
#include "converter/graph/reroll/reroll.h"
#include "converter/graph/streaming/open_time.h"
#include "converter/graph/streaming/rewrites.h"
#include "converter/graph/streaming/states.h"
#include "converter/graph/streaming/streaming.h"
#include "converter/inspect/cost.h"
#include "converter/ir/edit.h"
#include "converter/ir/graph.h"
#include "converter/ir/listing.h"
#include "converter/ir/stated.h"
#include "converter/plan/loops/fuse.h"
#include "converter/plan/loops/loops.h"
#include "converter/plan/plan.h"
#include "converter/plan/traffic.h"
#include "converter/program/cells.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/passes.h"
#include "converter/program/program.h"
#include "converter/program/quantised_weights.h"
#include "converter/read_model.h"

namespace weft::pipeline {
namespace {

bool Read(Conversion&);
bool Count(Conversion&);
bool Resolve(Conversion&);
bool Flatten(Conversion&);
bool Infer(Conversion&);
bool Widen(Conversion&);
bool Canonicalise(Conversion&);
bool Reroll(Conversion&);
bool Stream(Conversion&);
bool RecogniseForms(Conversion&);
bool Tables(Conversion&);
bool Quantise(Conversion&);
bool Lower(Conversion&);
bool PlanLoops(Conversion&);
bool FuseCells(Conversion&);
bool NarrowWeights(Conversion&);
bool Plan(Conversion&);
bool Emit(Conversion&);
bool Verify(Conversion&);

// Stores the text of the last state after each part of a pass that --dump-after names.
template <typename T>
PartObserver<T> ObserverOf(Conversion& c, std::string_view pass) {
  const bool is_wanted = c.options.dump_after.starts_with(std::string(pass) + ".");
  if (!(is_wanted || IsWanted(c.options, kAllPasses))) return {};
  return [&c, pass](std::string_view part, const T& value) {
    const std::string name = fmt::format("{}.{}", pass, part);
    if (IsWanted(c.options, name)) c.parts[name] = ToString(value);
  };
}

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

constexpr Pass kPasses[] = {
    {"read", Stage::kGraph, Read, "reads the model file into a graph"},
    {"count", Stage::kGraph, Count, "finds the trip counts of loops with their own counter"},
    {"resolve", Stage::kGraph, Resolve, "finds the operation of every layer, by type and version"},
    {"flatten", Stage::kGraph, Flatten, "flattens short loops that use their counter"},
    {"promote", Stage::kGraph, OnGraph<graph::Promote>, "converts f16, bf16 and f64 to f32"},
    {"infer", Stage::kGraph, Infer, "infers types and shapes, folds constants"},
    {"canonical", Stage::kGraph, Canonicalise, "brings variants of windows to one form",
     graph::CanonicalParts},
    {"reroll", Stage::kGraph, Reroll, "converts loops that were traced step by step back to loops"},
    {"widen", Stage::kGraph, Widen, "with --streams: widens the batch to the streams"},
    {"tables", Stage::kGraph, OnGraph<graph::JoinTables>,
     "joins constant additions and factors across permutations"},
    {"streaming", Stage::kGraph, Stream,
     "with --streaming: splits the time axis into runs, keeps state", graph::RewriteParts},
    {"recognise", Stage::kGraph, OnGraph<graph::RecogniseCells>,
     "recognises cells decomposed into elementary operations"},
    {"formulas", Stage::kGraph, RecogniseForms,
     "recognises formulas decomposed into elementary operations", graph::FormParts},
    {"constants", Stage::kGraph, OnGraph<graph::JoinConstants>,
     "merges consecutive constant factors and addends, also into weights"},
    {"divide", Stage::kGraph, OnGraph<graph::DivideProducts>,
     "splits matrix products whose outputs are sliced"},
    {"integer_tables", Stage::kGraph, Tables, "keeps 8-bit integer tables of look-ups"},
    {"layout", Stage::kGraph, OnGraph<graph::ChooseLayouts>,
     "permutes layout groups with windows to channels-last"},
    {"quantise", Stage::kGraph, Quantise, "converts operations between quantisers to integers"},
    {"lower", Stage::kProgram, Lower, "converts operations to steps over values"},
    {"ring_products", Stage::kProgram, OnProgram<program::ReadRingsInPlace>,
     "lets products read keys and values directly from rings"},
    {"fuse_tail", Stage::kProgram, OnProgram<program::FuseTails>,
     "fuses activations and additions into the preceding product"},
    {"cells", Stage::kProgram, FuseCells,
     "fuses the matrix product and the gates of a recurrent cell"},
    {"read_parts", Stage::kProgram, OnProgram<program::ReadParts>,
     "reads parts of values without a copy"},
    {"place_maps", Stage::kProgram, OnProgram<program::PlaceMaps>,
     "writes feature maps directly to the target of their copy"},
    {"loops", Stage::kProgram, PlanLoops,
     "assigns state buffers of loops, copies bodies per phase, fuses loops", plan::LoopParts},
    {"narrow", Stage::kProgram, NarrowWeights,
     "converts weights to f16 or as --precision specifies"},
    {"plan", Stage::kPlan, Plan, "chooses the fastest plan that fits, assigns addresses",
     plan::PlanParts},
    {"emit", Stage::kFile, Emit, "writes the model file, with its self test"},
    {"verify", Stage::kFile, Verify, "checks the rules of the file format and the plan"},
};

graph::InferOptions InferOptionsOf(const Conversion& c) {
  return {.check_declared = !c.has_own_shapes,
          .max_iterations = c.options.max_iterations,
          .frees_folded = !c.options.streaming_steps && c.single == nullptr};
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

// Records whether an axis may be a batch that is not assumed to be one.
void AssumeBatches(Conversion& c) {
  const bool streams = c.options.streaming_steps.has_value();
  const size_t warnings = c.faults.warnings().size();
  c.may_be_batch =
      !graph::AssumeBatches(*c.graph, {streams, !streams, c.options.time_axes}, c.faults);
  c.has_own_shapes = !c.options.shapes.empty() || c.faults.warnings().size() > warnings;
}

PortCodes CodesOf(const std::vector<ir::Node*>& ports) {
  PortCodes codes;
  for (const ir::Node* port : ports) codes.push_back(ir::CodesStatedBy(*port));
  return codes;
}

bool Read(Conversion& c) {
  const ConvertOptions& options = c.options;
  const tflite::ReadOptions reading = {
      .as_litert = options.arithmetic == graph::Arithmetic::kXnnpack,
      .has_own_shapes = !options.shapes.empty()};
  c.graph =
      ReadModelWithHoles(options.model, options.weights, options.in_memory, reading, c.faults);
  if (c.graph == nullptr) return false;
  graph::WarnOfDoubles(*c.graph, c.faults);
  graph::ApplyShapes(*c.graph, c.options.shapes, c.faults);
  AssumeBatches(c);
  graph::ApplyValues(*c.graph, c.options.values, c.faults);
  graph::ApplyStates(*c.graph, c.options.states, c.faults);
  graph::AddLayerOutputs(*c.graph, c.options.layer_outputs);
  // In a .tflite file they are those of the framework.
  if (!c.graph->is_tflite) c.f16_weights = CountF16(*c.graph);
  c.input_codes = CodesOf(c.graph->parameters);
  c.output_codes = CodesOf(c.graph->results);
  c.folding.limit_work = FoldWorkLimit(options.fold_budget_bytes, *c.graph);
  if (options.streaming_steps && c.faults.ok())
    c.open = graph::FillOpenAxes(*c.graph, options.time_axes);
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

// Returns the graph without T steps: batches are 1, other axes of `open` are dynamic.
graph::OtherShapes GraphAsBatch(const Conversion& c) {
  graph::OtherShapes batch = {
      graph::WithDynamicAxes(*c.graph, c.open), InferOptionsOf(c), {}, c.faults};
  graph::AssumeBatches(*batch.graph, {true, true, c.options.time_axes}, batch.faults);
  const bool assumes = batch.faults.warnings().size() > c.faults.warnings().size();
  batch.options.check_declared = c.options.shapes.empty() && !assumes;
  return batch;
}

// A dynamic axis may be time or a batch: it has T, 2 * T (graph/double_length.h) and 1 elements.
bool Infer(Conversion& c) {
  if (c.open.empty()) {
    graph::InferAndFold(*c.graph, InferOptionsOf(c), c.folding, c.faults);
  } else {
    graph::UnfoldTripCounts(*c.graph);
    graph::OtherShapes batch = GraphAsBatch(c);
    graph::InferBoth(*c.graph, InferOptionsOf(c), c.folding, c.faults, batch);
    // If no axis may be a batch, the errors are those of T steps.
    if (c.faults.ok() || c.may_be_batch) c.as_batch = std::move(batch);
  }
  const bool has_file_shapes = c.options.shapes.empty() && !c.options.streaming_steps;
  if (!c.faults.ok() && has_file_shapes) graph::AdviseShapes(*c.graph, c.faults);
  return c.faults.ok();
}

bool Widen(Conversion& c) {
  return c.single == nullptr ||
         graph::WidenBatch(*c.graph, c.options.streams, InferOptionsOf(c), c.folding, c.faults);
}

// Layers with --precision f32 are not quantised.
graph::KeepsFloats KeepsFloatsOf(const Conversion& c) {
  return
      [&c](const std::string& layer) { return c.options.precisions.Of(layer) == ElementType::f32; };
}

bool Canonicalise(Conversion& c) {
  graph::Canonicalise(*c.graph, ObserverOf<ir::Graph>(c, "canonical"));
  graph::JoinPadsOfData(*c.graph, KeepsFloatsOf(c));
  graph::QuantiseBeforeMoves(*c.graph);
  return true;
}

bool Reroll(Conversion& c) {
  const graph::InferOptions options = {false, c.options.max_iterations};
  return graph::Reroll(*c.graph, options, c.folding, c.faults);
}

graph::InferOptions InferOptionsOfStreamed(const ConvertOptions& options) {
  return {true, options.max_iterations};
}

// Returns the multiply-adds of one run, as inspect::WorkOf counts them in the file of `program`.
double MultiplyAddsOf(const program::Program& program) {
  const auto count = [](const auto& params) -> double {
    if constexpr (std::is_same_v<std::decay_t<decltype(params)>, std::monostate>) {
      return 0;
    } else {
      return inspect::MultiplyAdds(params);
    }
  };
  return plan::SumOverSteps(
      program, [&](const program::Step& step) { return std::visit(count, step.params); });
}

// Multiply-adds of one run of the model before streaming: runs the passes between streaming and the
// plan on a copy of the graph, because these determine the kinds of products.
std::optional<double> WholeMultiplyAdds(const Conversion& c) {
  ConvertOptions options = c.options;
  options.streaming_steps.reset();
  options.dump = nullptr;
  options.precisions = {};  // may name layers that only the streaming model has
  Faults discarded;
  Conversion whole{options, discarded, c.folding};
  whole.graph = ir::CopyOf(*c.graph);
  if (!RunBetween(whole, "streaming", "narrow")) return std::nullopt;
  return MultiplyAddsOf(whole.program);
}

// Streams the graph, then infers all shapes again as a check.
bool StreamGraph(Conversion& c) {
  const graph::StreamOptions options = {*c.options.streaming_steps, c.options.time_axes, false,
                                        ObserverOf<ir::Graph>(c, "streaming")};
  const std::optional<double> multiply_adds = WholeMultiplyAdds(c);
  c.streamed = graph::Stream(*c.graph, options, c.folding, c.faults);
  if (c.streamed) c.streamed->multiply_adds = multiply_adds;
  return c.streamed &&
         graph::InferAndFold(*c.graph, InferOptionsOfStreamed(c.options), c.folding, c.faults);
}

// If an axis of T steps may be a batch, that is tried after a refusal.
bool StreamOpen(Conversion& c) {
  const graph::StreamOptions options = {*c.options.streaming_steps, c.options.time_axes, true,
                                        ObserverOf<ir::Graph>(c, "streaming")};
  c.streamed = graph::StreamOpenTime(*c.graph, options, InferOptionsOfStreamed(c.options),
                                     c.folding, c.faults);
  if (!c.streamed) {
    if (c.may_be_batch)
      c.refusal = c.faults;
    else
      c.as_batch.reset();
    return false;
  }
  if (c.streamed->inputs.empty()) return false;
  c.as_batch.reset();
  return true;
}

bool Stream(Conversion& c) {
  if (!c.options.streaming_steps) return true;
  return c.open.empty() ? StreamGraph(c) : StreamOpen(c);
}

bool RecogniseForms(Conversion& c) {
  graph::RecogniseForms(*c.graph, ObserverOf<ir::Graph>(c, "formulas"));
  return true;
}

bool Tables(Conversion& c) {
  const program::Precision& all = c.options.precisions.all;
  if (!all || program::IsInteger(all->type)) {
    c.tables = graph::KeepIntegerTables(*c.graph);
  }
  return true;
}

bool Quantise(Conversion& c) {
  const graph::Arithmetic arithmetic = c.options.arithmetic;
  const bool is_exact = graph::HasExactScales(*c.graph);
  const bool by_integers =
      arithmetic == graph::Arithmetic::kAuto ? is_exact : arithmetic == graph::Arithmetic::kMicro;
  c.float_layers = graph::Quantise(*c.graph, c.folding,
                                   {KeepsFloatsOf(c), by_integers, by_integers || is_exact});
  return true;
}

// Frees the graph: the program has packed copies of its constants.
bool Lower(Conversion& c) {
  if (!graph::Lower(*c.graph, c.program, c.faults)) return false;
  if (c.streamed) graph::CountStates(c.program, *c.streamed);
  c.graph = nullptr;
  return true;
}

bool PlanLoops(Conversion& c) {
  c.fused = plan::FusedPrograms(c.program);
  plan::PlanLoops(c.program, ObserverOf<program::Program>(c, "loops"));
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
  std::vector<plan::Memory>& memories = plan_options.memories;
  for (const ScratchRegion& region : options.regions) {
    const auto slower = static_cast<double>(memories.size());
    memories.push_back({region.name, region.bytes, 1 / (1 + slower), region.holds_weights});
  }
  if (memories.size() == 1) memories.push_back({"", std::nullopt, 0.5});
  return plan_options;
}

bool Plan(Conversion& c) {
  std::optional<plan::Plan> plan =
      plan::ChoosePlan(c.program, PlanOptionsOf(c.options), c.faults, c.fused);
  if (!plan) return false;
  c.plan = *std::move(plan);
  if (const auto observe = ObserverOf<program::Program>(c, "plan")) {
    plan::ObserveParts(c.program, c.fused, c.plan.candidate, observe);
  }
  return true;
}

// Compares the variables with those of the model with one stream, to find the bytes of each stream.
bool FindStreams(Conversion& c, emit::FileOptions* options) {
  emit::FileOptions first = *options;
  first.self_test_runs = 0;
  c.file = emit::WriteModelFile(c.plan, first, c.faults);
  if (!c.faults.ok()) return false;
  options->stream_parts = emit::StreamPartsOf(*c.single, c.file.bytes,
                                              Narrow32(c.options.streams, "streams"), c.faults);
  return c.faults.ok();
}

void AddStreamNote(const graph::Streamed& streamed, emit::FileOptions& options) {
  for (const auto* ports : {&streamed.inputs, &streamed.outputs}) {
    for (const graph::StreamedPort& port : *ports) options.streamed_ports.push_back(port.row);
  }
  options.streaming.emplace_back(
      streamed.multiply_adds.value_or(-1), static_cast<uint64_t>(streamed.min_state_bytes),
      Narrow32(streamed.steps, "steps"), Narrow32(streamed.all_steps, "steps"),
      Narrow32(streamed.receptive_steps.value_or(0), "steps"), 0);
}

bool Emit(Conversion& c) {
  emit::FileOptions options;
  options.self_test_runs = c.options.self_test_runs;
  options.f16_weights = c.f16_weights > 0;
  if (c.streamed) AddStreamNote(*c.streamed, options);
  if (c.single != nullptr && !FindStreams(c, &options)) return false;
  c.file = emit::WriteModelFile(c.plan, options, c.faults);
  if (c.single != nullptr && c.faults.ok()) emit::CheckStreams(*c.single, c.file.bytes, c.faults);
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

}  // namespace

std::span<const Pass> AllPasses() { return kPasses; }

bool Run(Conversion& c, const Pass& pass) {
  try {
    return pass.run(c);
  } catch (const TooWide& wide) {
    c.faults.Add(wide.Line("plan"));
    return false;
  }
}

bool RunBetween(Conversion& c, std::string_view first, std::string_view last) {
  bool is_after = false;
  for (const Pass& pass : AllPasses()) {
    if (is_after && !Run(c, pass)) return false;
    if (pass.name == last) return true;
    is_after = is_after || pass.name == first;
  }
  assert(false);  // `last` is the name of a pass
  return false;
}

bool TakeBatch(Conversion& c) {
  graph::OtherShapes batch = *std::move(c.as_batch);
  c.as_batch.reset();
  c.open.clear();
  c.graph = std::move(batch.graph);
  c.folding = std::move(batch.folding);
  c.faults = std::move(batch.faults);
  return c.faults.ok();
}

bool IsWanted(const ConvertOptions& options, std::string_view name) {
  return options.dump && (options.dump_after == name || options.dump_after == kAllPasses);
}

graph::Folding FoldingOf(const ConvertOptions& options) {
  return {emit::RunHere, options.fold_budget_bytes, 0, FoldWork};
}

}  // namespace weft::pipeline
