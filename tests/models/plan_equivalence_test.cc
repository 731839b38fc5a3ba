// SPDX-License-Identifier: Apache-2.0
// Planning must not change a bit. Every conformance case is lowered once and run seven ways: every
// copy executed, copies coalesced, outputs written over inputs, invariants and products hoisted out
// of loops, the latter whole and in small chunks, and with its scratch in two memories.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/emit/model_file.h"
#include "converter/pipeline.h"
#include "converter/plan/coalesce.h"
#include "converter/plan/plan.h"
#include "converter/plan/validator.h"
#include "converter/program/hoist.h"
#include "converter/program/hoist_invariant.h"
#include "runtime/weft.h"
#include "tests/rounds.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

void FillInput(const Tensor& tensor, uint32_t& state) {
  const auto next = [&state] {
    state = state * 1664525u + 1013904223u;
    return state >> 19;
  };
  if (tensor.type == Type::kF32) {
    for (size_t i = 0; i < tensor.bytes / sizeof(float); ++i) {
      tensor.as<float>()[i] = (static_cast<float>(next()) - 4096.0f) / 4096.0f;
    }
    return;
  }
  std::memset(tensor.data, 0, tensor.bytes);
  const size_t element_bytes = std::max<size_t>(1, BitsOf(tensor.type) / 8);
  for (size_t i = 0; i < tensor.bytes; i += element_bytes) {
    tensor.as<unsigned char>()[i] = static_cast<unsigned char>(next() & 1);
  }
}

// All output bytes of two runs on scratch that held arbitrary bytes before.
std::vector<std::byte> Outputs(const plan::Program& program, std::optional<int64_t> fast_bytes = {},
                               bool lies_near = false) {
  Faults faults;
  std::vector<plan::Memory> memories(1);
  if (fast_bytes) memories = {{"fast", fast_bytes, 2}, {"slow"}};
  const plan::Plan plan = plan::PlanAsIs(program, memories, lies_near);
  const emit::ModelFile file = emit::WriteModelFile(plan, {}, faults);
  EXPECT_TRUE(faults.ok());
  EXPECT_LE(plan.scratch_bytes[0], fast_bytes.value_or(plan.scratch_bytes[0]));
  const int64_t slow_bytes = fast_bytes ? plan.scratch_bytes[1] : 0;
  AlignedBytes model(file.bytes.size());
  std::memcpy(model.data(), file.bytes.data(), file.bytes.size());
  for (const std::string& line : plan::CheckPlan(*format::GetModel(model.data())))
    ADD_FAILURE() << line;
  AlignedBytes state(static_cast<size_t>(plan.state_bytes));
  AlignedBytes scratch(static_cast<size_t>(plan.scratch_bytes[0]));
  std::memset(scratch.data(), 0xFF, scratch.size());
  AlignedBytes slow(static_cast<size_t>(slow_bytes));
  std::memset(slow.data(), 0xFF, slow.size());
  Memory memory;
  memory.state = {state.data(), state.size()};
  memory.scratch = {scratch.data(), scratch.size()};
  memory.more_scratch[0] = {slow.data(), slow.size()};
  Engine engine;
  std::vector<std::byte> bytes;
  const Fault fault = Engine::Open({model.data(), model.size()}, AllSteps(), memory, &engine);
  char text[160];
  Describe(fault, text, sizeof(text));
  EXPECT_TRUE(fault.ok()) << text;
  uint32_t random = 7;
  for (int run = 0; run < 2 && fault.ok(); ++run) {
    for (uint32_t i = 0; i < engine.input_count(); ++i) FillInput(engine.input(i), random);
    const FaultCode code =
        engine.Run().code;  // a count that random inputs set may exceed its bound
    EXPECT_TRUE(code == FaultCode::kNone || code == FaultCode::kTripLimit);
    for (uint32_t i = 0; i < engine.output_count(); ++i) {
      const Tensor output = engine.output(i);
      const auto* first = static_cast<const std::byte*>(output.data);
      bytes.insert(bytes.end(), first, first + output.bytes);
    }
  }
  return bytes;
}

std::vector<std::byte> Planned(plan::Program program, int64_t hoisted_rows) {
  plan::HoistInvariants(program);
  plan::Hoist(program, hoisted_rows);
  plan::Coalesce(program);
  return Outputs(program);
}

TEST(Plan, ChangesNoBitOfAnyModel) {
  int models = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(WEFT_SOURCE_DIR "/tests/conformance/cases")) {
    if (entry.path().filename() != "model.xml") continue;
    SCOPED_TRACE(entry.path().parent_path().filename().string());
    Faults faults;
    pipeline::ConvertOptions options;
    options.model = entry.path();
    options.max_iterations = 64;
    const std::optional<plan::Program> program = pipeline::LowerModel(options, faults);
    if (!program) continue;  // the conformance tests check refusals
    if (!IsRound(models++)) continue;
    const std::vector<std::byte> naive = Outputs(*program);
    plan::Program coalesced = *program;
    plan::Coalesce(coalesced);
    EXPECT_EQ(naive, Outputs(coalesced)) << "coalesced";
    EXPECT_EQ(naive, Outputs(coalesced, {}, true)) << "near";
    EXPECT_EQ(naive, Planned(*program, 1)) << "invariants hoisted";
    EXPECT_EQ(naive, Planned(*program, INT64_MAX)) << "hoisted whole";
    EXPECT_EQ(naive, Planned(*program, 4)) << "hoisted by chunks";
    for (const int64_t fast_bytes : {0, 64, 512}) {
      EXPECT_EQ(naive, Outputs(coalesced, fast_bytes)) << "in two memories";
    }
  }
  EXPECT_GT(models, 500);
}

}  // namespace
}  // namespace weft
