// SPDX-License-Identifier: Apache-2.0
// The same model by the C interface, with its own step table, and by the C++ interface, with every
// step of the library and the bytes that the assembler took from the file.
#include <spelled.h>
#include <taken.h>

#include <cstdio>
#include <cstring>

#include "runtime/steps.h"
#include "runtime/weft.h"

extern "C" int AnswerInC(const float* input, float* output);

namespace {

constexpr int kInputs = 80, kOutputs = 17;
alignas(64) std::byte state[spelled::kStateBytes], scratch[spelled::kScratchBytes];

bool Answer(weft::StepTable steps, const float* input, float* output) {
  const weft::Memory memory = {{state, sizeof(state)}, {scratch, sizeof(scratch)}};
  weft::Engine engine;
  if (!weft::Engine::Open({taken_model, taken::kModelBytes}, steps, memory, &engine).ok())
    return false;
  for (int run = 0; run < 2; ++run) {
    if (engine.input(0).bytes != kInputs * sizeof(float)) return false;
    std::memcpy(engine.input(0).data, input, kInputs * sizeof(float));
    if (!engine.Run().ok()) return false;
  }
  if (engine.output(0).bytes != kOutputs * sizeof(float)) return false;
  std::memcpy(output, engine.output(0).data, kOutputs * sizeof(float));
  return true;
}

}  // namespace

int main() {
  if (std::memcmp(spelled_model, taken_model, spelled::kModelBytes) != 0) {
    std::puts("the assembler took other bytes than the compiler was given");
    return 1;
  }
  float input[kInputs], in_c[kOutputs], in_cpp[kOutputs];
  for (int i = 0; i < kInputs; ++i) input[i] = static_cast<float>(i % 9 - 4) / 16.0f;
  static constexpr weft::StepEntry kOne[] = {weft::steps::kDense};
  if (Answer({kOne, 1}, input, in_cpp)) {
    std::puts("a table without the model's other steps was accepted");
    return 1;
  }
  if (AnswerInC(input, in_c) != 0 || !Answer(weft::AllSteps(), input, in_cpp)) {
    std::puts("the model does not open or run");
    return 1;
  }
  if (std::memcmp(in_c, in_cpp, sizeof(in_c)) != 0) {
    std::puts("C and C++ answer differently");
    return 1;
  }
  std::puts("one answer in C and C++");
  return 0;
}
