// SPDX-License-Identifier: Apache-2.0
// The passes of the pipeline and the state that they share. Only pipeline.cc includes this header.
#ifndef WEFT_CONVERTER_PASSES_H_
#define WEFT_CONVERTER_PASSES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/faults.h"
#include "converter/base/pass_parts.h"
#include "converter/emit/model_file.h"
#include "converter/graph/fold.h"
#include "converter/graph/other_shapes.h"
#include "converter/graph/quantise/quantise.h"
#include "converter/graph/recognise/forms/integer_tables.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"
#include "converter/pipeline.h"
#include "converter/plan/loops/fuse.h"
#include "converter/plan/plan.h"
#include "converter/program/narrow_weights.h"
#include "converter/program/program.h"

namespace weft::pipeline {

// The shared state of the passes; each pass reads the results of earlier passes.
struct Conversion {
  const ConvertOptions& options;
  Faults& faults;
  graph::Folding folding;
  bool has_own_shapes = false;  // input shapes differ from those of the model
  std::unique_ptr<ir::Graph> graph = nullptr;
  graph::TimeSeeds open = {};  // the input axes of T steps (ir/time_length.h)
  bool may_be_batch = false;   // an axis of `open` may be a batch
  // From `infer` on, until it is known that `open` is time: the inferred graph without T steps.
  std::optional<graph::OtherShapes> as_batch = std::nullopt;
  std::optional<Faults> refusal = std::nullopt;  // of streaming along `open`
  int64_t f16_weights = 0;
  PortCodes input_codes = {}, output_codes = {};
  std::optional<graph::Streamed> streamed = std::nullopt;
  program::Program program = {};
  std::vector<plan::FusedProgram> fused = {};
  std::vector<graph::IntegerTable> tables = {};
  std::vector<graph::FloatLayer> float_layers = {};
  program::WeightsReport weights = {};
  // With --streams: the file of the model with one stream.
  const std::vector<std::byte>* single = nullptr;
  plan::Plan plan = {};
  emit::ModelFile file = {};
  std::map<std::string, std::string> parts = {};  // what --dump-after prints, by PASS.PART
};

// The representation that a pass works on and that --dump-after prints.
enum class Stage : uint8_t { kGraph, kProgram, kPlan, kFile };
inline constexpr std::string_view kStageNames[] = {"graph", "program", "plan", "file"};

// A pass returns true if the next pass can run. Faults need not stop the pipeline, so that faults
// of several passes are reported in one run.
struct Pass {
  std::string_view name;
  Stage stage;
  bool (*run)(Conversion&);
  std::string_view account;
  std::vector<PartText> (*parts)() = nullptr;
};

// All passes, in the order in which they run.
std::span<const Pass> AllPasses();
// Runs one pass. A number that exceeds the file format ends the pass with a fault.
bool Run(Conversion& c, const Pass& pass);
// Runs the passes after `first`, up to and including `last`. Returns false if one of them fails.
bool RunBetween(Conversion& c, std::string_view first, std::string_view last);
// Replaces the graph by `as_batch`, which must be set. Returns false if that graph has faults.
bool TakeBatch(Conversion& c);

// Returns true if --dump-after prints this pass, or this part of a pass.
bool IsWanted(const ConvertOptions& options, std::string_view name);
// How the conversion folds constants.
graph::Folding FoldingOf(const ConvertOptions& options);

}  // namespace weft::pipeline

#endif  // WEFT_CONVERTER_PASSES_H_
