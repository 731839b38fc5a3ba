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
#include "converter/plan/coalesce.h"
#include "converter/plan/liveness.h"
#include "converter/plan/validator.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/hoist.h"
#include "converter/program/hoist_invariant.h"
#include "converter/program/program.h"
#include "runtime/verify.h"
#include "runtime/weft.h"

namespace weft::pipeline {

namespace {

constexpr std::string_view kPasses[] = {"read",  "count",     "flatten",   "resolve", "promote",
                                        "infer", "streaming", "recognise", "lower",   "fuse_tail",
                                        "hoist", "coalesce",  "emit",      "verify"};

// What leaves the loops, fastest first: rows of an input product that are computed at once, and
// steps that every iteration would repeat. More of it, more scratch.
struct HoistPlan {
  int64_t rows = 1;
  bool invariants = true;
};
constexpr HoistPlan kHoistPlans[] = {
    {std::numeric_limits<int64_t>::max()}, {64}, {32}, {16}, {8}, {4}, {2}, {1}, {1, false}};

class Pipeline {
 public:
  Pipeline(const ConvertOptions& options, Faults& faults)
      : options_(options), faults_(faults), fold_budget_{options.fold_budget_bytes} {}

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
    graph::RecogniseCountsByShapes(*graph_, options_.fold_budget_bytes);
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
        *graph_, {options_.shapes.empty(), options_.max_iterations, &fold_budget_}, faults_);
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
    const std::optional<emit::ModelFile> file = PlanWithinBudget(*program);
    if (!file) return std::nullopt;
    Begin("verify");
    if (!Verify(*file)) return std::nullopt;
    return Converted{file->bytes,
                     file->weights_bytes,
                     file->state_bytes,
                     file->scratch_bytes,
                     file->slow_scratch_bytes,
                     file->self_test_bytes,
                     file->scratch_bound_bytes,
                     streamed_};
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
  std::string ExcessOf(const emit::ModelFile& file) const;
  std::optional<emit::ModelFile> PlanWithinBudget(const plan::Program& lowered);
  bool Verify(const emit::ModelFile& file);

  const ConvertOptions& options_;
  Faults& faults_;
  graph::FoldBudget fold_budget_;
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
  graph::InferAndFold(*graph_, {options_.shapes.empty(), options_.max_iterations}, faults_);
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
  streamed_ = graph::Stream(*graph_, *options_.streaming_steps, faults_);
  return streamed_ &&
         graph::InferAndFold(*graph_, {true, options_.max_iterations, &fold_budget_}, faults_);
}

// What of the file is beyond the memory that the call grants; empty where it fits.
std::string Pipeline::ExcessOf(const emit::ModelFile& file) const {
  const int64_t scratch_bytes = file.scratch_bytes + file.slow_scratch_bytes;
  if (options_.arena_budget_bytes && scratch_bytes > *options_.arena_budget_bytes) {
    return fmt::format("scratch needs {} bytes and --arena-budget is {}", scratch_bytes,
                       *options_.arena_budget_bytes);
  }
  if (options_.regions.size() < 2 || file.slow_scratch_bytes <= options_.regions[1].bytes)
    return "";
  const auto& [slow, slow_bytes] = options_.regions[1];
  return fmt::format(
      "scratch needs {} bytes in region \"{}\" beside {} in \"{}\" and --region {} is {}",
      file.slow_scratch_bytes, slow, file.scratch_bytes, options_.regions[0].name, slow,
      slow_bytes);
}

std::optional<emit::ModelFile> Pipeline::PlanWithinBudget(const plan::Program& lowered) {
  std::string peak;
  for (const HoistPlan& hoist : kHoistPlans) {
    plan::Program program = lowered;
    Begin("hoist");
    if (hoist.invariants) plan::HoistInvariants(program);
    plan::Hoist(program, hoist.rows);
    Dump("hoist", program);
    Begin("coalesce");
    plan::Coalesce(program);
    Dump("coalesce", program);
    Begin("emit");
    emit::FileOptions file_options;
    if (!options_.regions.empty()) file_options.fast_bytes = options_.regions[0].bytes;
    emit::ModelFile file = emit::WriteModelFile(program, file_options, faults_);
    if (!faults_.ok()) return std::nullopt;
    const std::string excess = ExcessOf(file);
    if (excess.empty()) {
      if (options_.self_test_runs == 0) return file;
      Begin("self test");
      file_options.self_test_runs = options_.self_test_runs;
      file = emit::WriteModelFile(program, file_options, faults_);
      return faults_.ok() ? std::optional(std::move(file)) : std::nullopt;
    }
    // The last plan tried hoists nothing; its excess is the one that is told.
    peak = fmt::format("{}; {}", excess, plan::DescribePeak(program));
  }
  faults_.Add("plan: " + peak);
  return std::nullopt;
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
