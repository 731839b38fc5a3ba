// SPDX-License-Identifier: Apache-2.0
// Outputs of a program for generated inputs, for tests that compare two programs.
#ifndef WEFT_TESTS_MODELS_PROGRAM_OUTPUTS_H_
#define WEFT_TESTS_MODELS_PROGRAM_OUTPUTS_H_

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/emit/model_file.h"
#include "converter/plan/plan.h"
#include "converter/plan/validator.h"
#include "runtime/weft.h"
#include "tests/device/made_inputs.h"

namespace weft {

// Returns all output bytes of two runs; scratch contains arbitrary bytes before each.
inline std::vector<std::byte> Outputs(const program::Program& program,
                                      std::optional<int64_t> fast_bytes = {},
                                      bool allows_overlap = false) {
  Faults faults;
  std::vector<plan::Memory> memories(1);
  if (fast_bytes) memories = {{"fast", fast_bytes, 2}, {"slow"}};
  const plan::Plan plan = plan::PlanAsIs(program, memories, allows_overlap);
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
        engine.Run().code;  // a trip count from random inputs may exceed its bound
    EXPECT_TRUE(code == FaultCode::kNone || code == FaultCode::kTripLimit);
    for (uint32_t i = 0; i < engine.output_count(); ++i) {
      const Tensor output = engine.output(i);
      const auto* first = static_cast<const std::byte*>(output.data);
      bytes.insert(bytes.end(), first, first + output.bytes);
    }
  }
  return bytes;
}

}  // namespace weft

#endif  // WEFT_TESTS_MODELS_PROGRAM_OUTPUTS_H_
