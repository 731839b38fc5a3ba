// SPDX-License-Identifier: Apache-2.0
// Converts an IR, on disk or in memory, to the bytes of model.weft. The order of the passes is a
// table in pipeline.cc.
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
#include "converter/base/stated_codes.h"
#include "converter/graph/input_states.h"
#include "converter/graph/input_values.h"
#include "converter/graph/layer_outputs.h"
#include "converter/graph/quantise/arithmetic.h"
#include "converter/graph/quantise/quantise.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/read.h"
#include "converter/plan/plan.h"
#include "converter/plan/solve.h"
#include "converter/program/narrow_weights.h"
#include "converter/program/program.h"
#include "converter/program/requantised.h"

namespace weft::pipeline {

// Value of ConvertOptions::dump_after for all passes.
inline constexpr std::string_view kAllPasses = "all";

// A memory region of the target for scratch.
struct ScratchRegion {
  std::string name;
  int64_t bytes = 0;
  bool holds_weights = false;  // copies of weights, in addition to scratch
};

struct ConvertOptions {
  std::filesystem::path model, weights;  // empty weights: the .bin next to the model
  // The model itself, which must outlive the call; `model` then is its name in messages.
  std::optional<ir::IrBytes> in_memory;
  // New shapes of inputs, by any of their names or by index. All dependent shapes are inferred
  // again.
  std::map<std::string, Dims> shapes;
  // Inputs that become constants, by name or index.
  std::map<std::string, graph::InputValue> values;
  // Additional outputs, after those of the model.
  std::vector<graph::LayerOutput> layer_outputs;
  graph::InputStates states;                                // inputs and outputs that become states
  program::Precisions precisions;                           // of weights
  graph::Arithmetic arithmetic = graph::Arithmetic::kAuto;  // of int8 layers
  // Maximum bytes of scratch; the fastest plan that fits is chosen. nullopt: no limit, arena_aim is
  // the criterion.
  std::optional<int64_t> arena_budget_bytes;
  plan::Aim arena_aim = plan::Aim::kBalanced;
  // Memory regions for scratch, the fastest first. The last region holds the rest.
  std::vector<ScratchRegion> regions;
  int64_t max_iterations = 0;  // of loops with a run-time trip count; 0: reject them
  // Maximum bytes of folded constants, plus inputs and scratch of the constant being computed.
  int64_t fold_budget_bytes = int64_t{1} << 30;
  // Time steps per run of a streaming model; nullopt: no streaming.
  std::optional<int64_t> streaming_steps;
  // Number of independent streams that a run processes, as the batch; 0: as in the model.
  int64_t streams = 0;
  graph::TimeNames time_axes;   // by port; empty: detected
  uint32_t self_test_runs = 0;  // runs recorded in the file, for boards
  std::string dump_after;       // a pass or kAllPasses, whose results go to `dump`
  std::function<void(std::string_view pass, std::string_view text)> dump;
  std::function<void(std::string_view pass)> progress;  // called before each pass
};

struct Converted {
  std::vector<std::byte> file;
  PortCodes input_codes, output_codes;  // which the file does not store
  int64_t weights_bytes = 0, state_bytes = 0, scratch_bytes = 0;
  std::vector<int64_t> more_scratch_bytes;   // of each further region; empty without regions
  std::vector<int64_t> copied_weight_bytes;  // of each region, a part of its scratch
  int64_t self_test_bytes = 0;
  // Difference between scratch and its lower bound for the chosen schedule. Another schedule may
  // need less.
  plan::Account scratch_account;
  int64_t f16_weights = 0;         // number of elements of the IR's f16 constants
  program::WeightsReport weights;  // of weights
  program::Requantised requantised;
  std::vector<std::string> layers_with_floats;  // program/float_layers.h
  std::vector<graph::FloatLayer> float_layers;  // between quantised tensors of the model
  // The available plans, the fastest first, and the index of the chosen one.
  std::vector<plan::CurvePoint> curve;
  size_t chosen = 0;
  std::optional<graph::Streamed> streamed;  // facts about the streaming model
  int64_t stream_state_bytes = 0;           // of each stream of --streams
};

// Runs the passes before planning. Returns the model as a program, and programs with fused loops.
std::optional<program::Program> LowerModel(const ConvertOptions& options, Faults& faults,
                                           std::vector<plan::FusedProgram>* fused = nullptr);

// Returns nullopt exactly if `faults` is not ok. The file has passed the rules of verify.cc and
// plan/validator.h.
std::optional<Converted> Convert(const ConvertOptions& options, Faults& faults);

// A pass: its name, the representation it works on ("graph", "program", "plan", "file") and a
// one-line description.
struct PassRow {
  std::string name;
  std::string_view stage, account;
  bool is_part = false;  // of the next pass that is no part
};
// All passes in the order of execution.
std::vector<PassRow> Passes();

}  // namespace weft::pipeline

#endif  // WEFT_CONVERTER_PIPELINE_H_
