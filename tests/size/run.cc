// SPDX-License-Identifier: Apache-2.0
// Cost of model files on a board: weft_size_run MODEL.weft ... runs each of them twice and prints
// the SysTick ticks of the second run. Under an emulator that counts instructions a tick is a fixed
// number of instructions (tests/bench/plans.py).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>

#include "runtime/weft.h"
#include "tests/device/made_inputs.h"
#include "tests/device/zeroed_memory.h"
#include "tests/size/ticks.h"

namespace {

weft::Fault Open(const weft::ZeroedMemory& file, const weft::ZeroedMemory& state,
                 const weft::ZeroedMemory& scratch, weft::Engine* engine) {
  weft::Memory memory;
  memory.state = state.block;
  memory.scratch = scratch.block;
  return weft::Engine::Open({file.block.data, file.block.bytes}, weft::AllSteps(), memory, engine);
}

bool Measure(const char* path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const weft::ZeroedMemory file(stream ? static_cast<size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(static_cast<char*>(file.block.data), static_cast<std::streamsize>(file.block.bytes));
  weft::Needs needs;
  weft::Fault fault = weft::ReadNeeds({file.block.data, file.block.bytes}, &needs);
  const weft::ZeroedMemory state(fault.ok() ? needs.state_bytes : 0);
  const weft::ZeroedMemory scratch(fault.ok() ? needs.scratch_bytes : 0);
  weft::Engine engine;
  if (fault.ok()) fault = Open(file, state, scratch, &engine);
  uint32_t random = 1, ticks = 0;
  for (int run = 0; run < 2 && fault.ok(); ++run) {
    for (uint32_t i = 0; i < engine.input_count(); ++i) {
      weft::FillInput(engine.input(i), random);
    }
    const uint32_t start = *kCount;
    fault = engine.Run();
    ticks = TicksSince(start);
  }
  if (!fault.ok()) {
    std::printf("%s: fault %u\n", path, static_cast<unsigned>(fault.code));
    return false;
  }
  std::printf("%s %u\n", path, static_cast<unsigned>(ticks));
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  StartTicks();
  for (int i = 1; i < count; ++i) {
    if (!Measure(arguments[i])) return 1;
  }
  return 0;
}
