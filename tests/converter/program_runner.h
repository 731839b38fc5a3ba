// SPDX-License-Identifier: Apache-2.0
// Runs a Program as a user would: written to model.weft, opened and run by the runtime itself.
#ifndef WEFT_TESTS_CONVERTER_PROGRAM_RUNNER_H_
#define WEFT_TESTS_CONVERTER_PROGRAM_RUNNER_H_

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "converter/base/faults.h"
#include "converter/emit/model_file.h"
#include "converter/plan/loops/loops.h"
#include "converter/plan/plan.h"
#include "converter/plan/validator.h"
#include "converter/program/coalesce.h"
#include "runtime/weft.h"

namespace weft {

// Zeroed bytes, aligned as models and memory require.
class AlignedBlock {
 public:
  explicit AlignedBlock(size_t bytes)
      : data_(static_cast<std::byte*>(
            ::operator new (bytes + kModelAlignment, std::align_val_t{kModelAlignment}))) {
    std::memset(data_.get(), 0, bytes + kModelAlignment);
  }
  std::byte* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const {
      ::operator delete (data, std::align_val_t{kModelAlignment});
    }
  };
  std::unique_ptr<std::byte, Free> data_;
};

// Every output port after one run. Inputs are the raw elements of each input port. Faults become
// failures of the test, and the answer is then short.
inline std::vector<std::vector<float>> RunPlan(const plan::Plan& plan,
                                               const std::vector<std::vector<float>>& inputs) {
  Faults faults;
  const emit::ModelFile file = emit::WriteModelFile(plan, {}, faults);
  for (const std::string& line : faults.lines()) ADD_FAILURE() << line;
  if (!faults.ok()) return {};
  const AlignedBlock model(file.bytes.size());
  std::memcpy(model.get(), file.bytes.data(), file.bytes.size());
  for (const std::string& line : plan::CheckPlan(*format::GetModel(model.get())))
    ADD_FAILURE() << line;
  Needs needs;
  const Bytes bytes{model.get(), file.bytes.size()};
  Fault fault = ReadNeeds(bytes, &needs);
  const AlignedBlock state(needs.state_bytes), scratch(needs.scratch_bytes);
  Engine engine;
  if (fault.ok()) {
    fault = Engine::Open(bytes, AllSteps(),
                         {{state.get(), needs.state_bytes}, {scratch.get(), needs.scratch_bytes}},
                         &engine);
  }
  for (uint32_t i = 0; fault.ok() && i < inputs.size(); ++i) {
    EXPECT_EQ(engine.input(i).bytes, inputs[i].size() * sizeof(float));
    std::memcpy(engine.input(i).data, inputs[i].data(), engine.input(i).bytes);
  }
  if (fault.ok()) fault = engine.Run();
  std::vector<std::vector<float>> outputs;
  for (uint32_t i = 0; fault.ok() && i < engine.output_count(); ++i) {
    const Tensor tensor = engine.output(i);
    outputs.emplace_back(tensor.as<float>(), tensor.as<float>() + tensor.bytes / sizeof(float));
  }
  char text[160];
  Describe(fault, text, sizeof(text));
  EXPECT_TRUE(fault.ok()) << text;
  return outputs;
}

// With allows_overlap the outputs of steps may overlap their inputs.
inline std::vector<std::vector<float>> RunFloats(program::Program program,
                                                 const std::vector<std::vector<float>>& inputs,
                                                 bool allows_overlap = false) {
  plan::PlanLoops(program);
  program::Coalesce(program);
  return RunPlan(plan::PlanAsIs(std::move(program), {}, allows_overlap), inputs);
}

// Returns the bytes of scratch in the planned program.
inline int64_t ScratchOf(program::Program program) {
  plan::PlanLoops(program);
  program::Coalesce(program);
  return plan::PlanAsIs(std::move(program)).all_scratch_bytes();
}

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_PROGRAM_RUNNER_H_
