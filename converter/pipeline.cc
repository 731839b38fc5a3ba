// SPDX-License-Identifier: Apache-2.0
#include "converter/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "converter/base/aligned_bytes.h"
#include "converter/base/narrow.h"
#include "converter/emit/model_file.h"
#include "converter/emit/run_here.h"
#include "converter/emit/self_test.h"
#include "converter/graph/flatten.h"
#include "converter/graph/infer.h"
#include "converter/graph/input_shapes.h"
#include "converter/graph/lower.h"
#include "converter/graph/open_loops.h"
#include "converter/graph/promote.h"
#include "converter/graph/recognise/recognise.h"
#include "converter/graph/resolve.h"
#include "converter/graph/streaming/streaming.h"
#include "converter/graph/variables.h"
#include "converter/ir/graph.h"
#include "converter/ir/read.h"
#include "converter/plan/plan.h"
#include "converter/plan/validator.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/program.h"
#include "runtime/verify.h"
#include "runtime/weft.h"

namespace weft::pipeline {

namespace {

constexpr std::string_view kPasses[] = {"read",  "count",     "flatten",   "resolve", "promote",
                                        "infer", "streaming", "recognise", "lower",   "fuse_tail",
                                        "hoist", "coalesce",  "emit",      "verify"};

// Behind a single one lies a memory without a limit.
std::vector<plan::Memory> Memories(const std::vector<ScratchRegion>& regions) {
  std::vector<plan::Memory> memories;
  for (const ScratchRegion& region : regions) {
    const double speed = static_cast<double>(regions.size() + 1 - memories.size());
    memories.push_back({region.name, region.bytes, speed});
  }
  if (memories.size() == 1) memories.push_back({});
  return memories;
}

class Pipeline {
 public:
  Pipeline(const ConvertOptions& options, Faults& faults)
      : options_(options), faults_(faults), folding_{emit::RunHere, options.fold_budget_bytes} {}

  // A number that the file cannot hold ends the pass that meets it.
  std::optional<plan::Program> ToProgram() {
    try {
      return Lowered();
    } catch (const TooWide& wide) {
      faults_.Add(wide.Line("plan"));
      return std::nullopt;
    }
  }

  std::optional<Converted> Run() {
    try {
      return Planned();
    } catch (const TooWide& wide) {
      faults_.Add(wide.Line("plan"));
      return std::nullopt;
    }
  }

 private:
  std::optional<plan::Program> Lowered() {
    Begin("read");
    graph_ = ir::ReadWithHoles(options_.model, options_.weights, faults_);
    if (graph_ == nullptr) return std::nullopt;
    if (!faults_.ok()) {
      JudgeTheRest();
      return std::nullopt;
    }
    const bool shaped = graph::ApplyShapes(*graph_, options_.shapes, faults_);
    Begin("count");
    graph::RecogniseCountsByShapes(*graph_, folding_);
    Begin("flatten");
    FlattenLoops();
    Begin("resolve");
    const bool resolved = graph::Resolve(*graph_, faults_);
    graph::CheckVariables(*graph_, faults_);
    if (!shaped) return std::nullopt;  // every shape behind the input would be a guess
    Begin("promote");
    graph::Promote(*graph_);
    Begin("infer");
    const bool inferred = graph::InferAndFold(
        *graph_, {options_.shapes.empty(), options_.max_iterations}, folding_, faults_);
    if (!resolved || !inferred || !faults_.ok()) return std::nullopt;
    if (options_.streaming_steps && !CutTime()) return std::nullopt;
    Begin("recognise");
    graph::Recognise(*graph_);
    Begin("lower");
    plan::Program program;
    if (!graph::Lower(*graph_, program, faults_)) return std::nullopt;
    Dump("lower", program);
    Begin("fuse_tail");
    plan::FuseTails(program, program.main);
    Dump("fuse_tail", program);
    return program;
  }

  std::optional<Converted> Planned() {
    const std::optional<plan::Program> program = Lowered();
    if (!program) return std::nullopt;
    Begin("plan");
    const std::optional<plan::Plan> chosen = plan::ChoosePlan(
        *program, {Memories(options_.regions), options_.arena_budget_bytes}, faults_);
    if (!chosen) return std::nullopt;
    Begin("emit");
    emit::ModelFile file =
        emit::WriteModelFile(*chosen, {.self_test_runs = options_.self_test_runs}, faults_);
    if (!faults_.ok()) return std::nullopt;
    Begin("verify");
    if (!Verify(file)) return std::nullopt;
    Converted converted;
    converted.file = std::move(file.bytes);
    converted.weights_bytes = chosen->weights_bytes;
    converted.state_bytes = chosen->state_bytes;
    converted.scratch_bytes = chosen->scratch_bytes[0];
    if (chosen->scratch_bytes.size() > 1) converted.slow_scratch_bytes = chosen->scratch_bytes[1];
    converted.self_test_bytes = file.self_test_bytes;
    converted.scratch_bound_bytes = chosen->bound_bytes;
    converted.streamed = streamed_;
    return converted;
  }

  void Begin(std::string_view pass) {
    if (options_.progress) options_.progress(pass);
  }

  void Dump(std::string_view pass, const plan::Program& program) {
    if (options_.dump && options_.dump_after == pass) options_.dump(plan::ToString(program));
  }

  void JudgeTheRest();
  void FlattenLoops();
  bool CutTime();
  bool Verify(const emit::ModelFile& file);

  const ConvertOptions& options_;
  Faults& faults_;
  graph::Folding folding_;
  std::unique_ptr<ir::Graph> graph_;
  std::optional<graph::Streamed> streamed_;
};

// In a whole loop, recognising may make a scan output of such an update; here nobody can say
// whether it would, so it is no unknown operation either.
void ForgetListUpdates(ir::Graph& graph) {
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    for (ir::Body& body : node->bodies) {
      for (const std::unique_ptr<ir::Node>& inner : body.graph->nodes) {
        if (inner->type == "ScatterUpdate") inner->type.clear();
      }
      ForgetListUpdates(*body.graph);
    }
  }
}

// What else is wrong with a file that the reader refuses. Loops and branches are passed over: what
// prepares them needs a whole graph.
void Pipeline::JudgeTheRest() {
  const bool shaped = graph::ApplyShapes(*graph_, options_.shapes, faults_);
  ForgetListUpdates(*graph_);
  graph::Resolve(*graph_, faults_);
  if (!shaped) return;
  for (const std::unique_ptr<ir::Node>& node : graph_->nodes) {
    if (!node->bodies.empty()) node->operation = nullptr;
  }
  graph::Promote(*graph_);
  graph::Folding folding{folding_.run};
  graph::InferAndFold(*graph_, {options_.shapes.empty(), options_.max_iterations}, folding,
                      faults_);
}

// A loop whose time is cut must still be one.
void Pipeline::FlattenLoops() {
  if (!options_.streaming_steps) return graph::Flatten(*graph_);
  for (const std::unique_ptr<ir::Node>& node : graph_->nodes) {
    for (ir::Body& body : node->bodies) graph::Flatten(*body.graph);
  }
}

// What the pass says of every shape is held against what the operations make of it.
bool Pipeline::CutTime() {
  Begin("streaming");
  streamed_ = graph::Stream(*graph_, *options_.streaming_steps, folding_, faults_);
  return streamed_ &&
         graph::InferAndFold(*graph_, {true, options_.max_iterations}, folding_, faults_);
}

// The converter is its own first victim: a file that breaks a law is never written.
bool Pipeline::Verify(const emit::ModelFile& file) {
  AlignedBytes aligned(file.bytes.size());
  std::memcpy(aligned.data(), file.bytes.data(), file.bytes.size());
  const auto report = [](void* faults, const Fault& fault) {
    char text[192];
    Describe(fault, text, sizeof(text));
    static_cast<Faults*>(faults)->Add(
        fmt::format("weft: the converter made a file that breaks a law: {}", text));
  };
  const Bytes bytes{aligned.data(), file.bytes.size()};
  VerifyAll(bytes, AllSteps(), {report, &faults_});
  if (!faults_.ok()) return false;
  for (const std::string& line : plan::CheckPlan(*format::GetModel(aligned.data()))) {
    faults_.Add("weft: the converter made a plan that breaks its laws: " + line);
  }
  if (options_.self_test_runs != 0 && faults_.ok()) emit::RepeatSelfTest(file.bytes, faults_);
  return faults_.ok();
}

}  // namespace

std::optional<plan::Program> LowerModel(const ConvertOptions& options, Faults& faults) {
  return Pipeline(options, faults).ToProgram();
}

std::optional<Converted> Convert(const ConvertOptions& options, Faults& faults) {
  return Pipeline(options, faults).Run();
}

std::vector<std::string_view> PassNames() { return {std::begin(kPasses), std::end(kPasses)}; }

}  // namespace weft::pipeline
