// SPDX-License-Identifier: Apache-2.0
// Runs one model through the C interface with its own step table, and through the C++ interface
// with all steps of the library: with the bytes that the assembler included, and with an object
// that the linker created from the file.
#include <generated.h>
#include <taken.h>

#include <cstdio>
#include <cstring>

#include "runtime/steps.h"
#include "runtime/weft.h"

extern "C" int AnswerInC(const float* input, float* output);
extern "C" const unsigned char _binary_model_start[], _binary_model_end[];

namespace {

constexpr int kInputs = 80, kOutputs = 17;
alignas(64) std::byte state[generated::kStateBytes], scratch[generated::kScratchBytes];

bool Answer(weft::Bytes model, weft::StepTable steps, const float* input, float* output) {
  const weft::Memory memory = {{state, sizeof(state)}, {scratch, sizeof(scratch)}};
  weft::Engine engine;
  if (!weft::Engine::Open(model, steps, memory, &engine).ok()) return false;
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
  if (std::memcmp(generated_model, taken_model, generated::kModelBytes) != 0) {
    std::puts("the assembler took other bytes than the compiler was given");
    return 1;
  }
  float input[kInputs], in_c[kOutputs], in_cpp[kOutputs], by_object[kOutputs];
  for (int i = 0; i < kInputs; ++i) input[i] = static_cast<float>(i % 9 - 4) / 16.0f;
  const weft::Bytes taken = {taken_model, taken::kModelBytes};
  const weft::Bytes object = {_binary_model_start,
                              static_cast<size_t>(_binary_model_end - _binary_model_start)};
  static constexpr weft::StepEntry kOne[] = {weft::steps::kDense};
  if (Answer(taken, {kOne, 1}, input, in_cpp)) {
    std::puts("a table without the model's other steps was accepted");
    return 1;
  }
  if (AnswerInC(input, in_c) != 0 || !Answer(taken, weft::AllSteps(), input, in_cpp) ||
      !Answer(object, weft::AllSteps(), input, by_object)) {
    std::puts("the model does not open or run");
    return 1;
  }
  if (std::memcmp(in_c, in_cpp, sizeof(in_c)) != 0 ||
      std::memcmp(in_c, by_object, sizeof(in_c)) != 0) {
    std::puts("the answers differ");
    return 1;
  }
  std::puts("one answer in C and C++");
  return 0;
}
