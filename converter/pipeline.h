// SPDX-License-Identifier: Apache-2.0
// From an IR, on disk or in memory, to the bytes of model.weft. The order of the passes is one
// table, in pipeline.cc.
#ifndef WEFT_CONVERTER_PIPELINE_H_
#define WEFT_CONVERTER_PIPELINE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/element_type.h"
#include "converter/base/faults.h"
#include "converter/graph/input_states.h"
#include "converter/graph/input_values.h"
#include "converter/graph/layer_outputs.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/read.h"
#include "converter/plan/plan.h"
#include "converter/plan/solve.h"
#include "converter/program/narrow_weights.h"
#include "converter/program/program.h"

namespace weft::pipeline {

// Of ConvertOptions::dump_after.
inline constexpr std::string_view kAllPasses = "all";

// A memory of the target that scratch may use.
struct ScratchRegion {
  std::string name;
  int64_t bytes = 0;
};

struct ConvertOptions {
  std::filesystem::path model, weights;  // weights may be empty: the .bin beside the model
  // The IR itself, which must outlive the call; `model` then is its name in messages.
  std::optional<ir::IrBytes> in_memory;
  // New shapes of inputs by any of their names (or index); everything behind them is inferred
  // again.
  std::map<std::string, Dims> shapes;
  // Inputs that become constants, named likewise.
  std::map<std::string, graph::InputValue> values;
  // Outputs of layers that the model gives besides, behind its own.
  std::vector<graph::LayerOutput> layer_outputs;
  graph::InputStates states;    // inputs and outputs that become states
  plan::Precisions precisions;  // of weights
  // Most bytes of scratch: the fastest plan that fits is taken. nullopt for no limit; then the aim
  // says which.
  std::optional<int64_t> arena_budget_bytes;
  plan::Aim arena_aim = plan::Aim::kBalanced;
  // Scratch in memories of their own, the fastest first; the last takes what is left over.
  std::vector<ScratchRegion> regions;
  int64_t max_iterations = 0;  // of loops without a known end; 0: refuse them
  // Most bytes of the constants that folding makes, with inputs and scratch of the one being made.
  int64_t fold_budget_bytes = int64_t{1} << 30;
  // Steps of the time axis in one run, the rest of its state being variables; nullopt: all of it.
  std::optional<int64_t> streaming_steps;
  graph::TimeNames time_axes;   // of ports, by name; none: the axis is found
  uint32_t self_test_runs = 0;  // input and output pairs that the file carries, for boards
  std::string dump_after;       // name of a pass, or kAllPasses; what it makes goes to `dump`
  std::function<void(std::string_view pass, std::string_view text)> dump;
  std::function<void(std::string_view pass)> progress;  // called as each pass begins
};

struct Converted {
  std::vector<std::byte> file;
  int64_t weights_bytes = 0, state_bytes = 0, scratch_bytes = 0;
  std::vector<int64_t> more_scratch_bytes;  // of each further region; empty without regions
  int64_t self_test_bytes = 0;
  // How far scratch is from the least that this order of steps with these hoists needs; another
  // order or another --arena-budget may need less.
  plan::Account scratch_account;
  int64_t f16_weights = 0;      // numbers of the IR's constants that it holds as f16
  plan::WeightsReport weights;  // those of products
  // The plans that can be had, the fastest first, and which of them this is.
  std::vector<plan::CurvePoint> curve;
  size_t chosen = 0;
  std::optional<graph::Streamed> streamed;  // what --streaming has made of it
};

// The passes before planning: the model as steps over values, and the same with fused loops.
std::optional<plan::Program> LowerModel(const ConvertOptions& options, Faults& faults,
                                        std::vector<plan::FusedProgram>* fused = nullptr);

// Nullopt exactly when `faults` is not ok. The file passes the rules of verify.cc and of
// plan/validator.h.
std::optional<Converted> Convert(const ConvertOptions& options, Faults& faults);

// A row of the table of passes: its name, what it works on ("graph", "program", "plan", "file")
// and, in a line, what it does.
struct PassRow {
  std::string_view name, stage, account;
};
// All of them, in the order in which they run.
std::vector<PassRow> Passes();

}  // namespace weft::pipeline

#endif  // WEFT_CONVERTER_PIPELINE_H_
