// SPDX-License-Identifier: Apache-2.0
// Runs a model twice with the kernels of one vector target, the second time in a separate function,
// whose instructions callgrind counts: counted_run TARGET MODEL.weft. Exit code 77: the processor
// does not support the target.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "hwy/targets.h"
#include "kernels/variants.h"
#include "runtime/weft.h"
#include "tests/device/made_inputs.h"
#include "tests/device/zeroed_memory.h"

namespace {

// The processor's best target differs between machines; the instructions of one target do not.
bool TakeTarget(const char* name) {
  (void)weft::kernels::AllVariants();  // so that all are linked
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (std::strcmp(hwy::TargetName(target), name) != 0) continue;
    hwy::SetSupportedTargetsForTest(target);
    return true;
  }
  std::printf("%s: is not a target of this machine\n", name);
  return false;
}

int Say(const char* what, const weft::Fault& fault) {
  std::printf("%s: fault %d\n", what, static_cast<int>(fault.code));
  return 1;
}

}  // namespace

// callgrind counts the function of this name; it is neither inlined nor cloned.
extern "C" [[gnu::noinline, gnu::noclone]] bool CountedRun(weft::Engine& engine) {
  return engine.Run().ok();
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  if (!TakeTarget(arguments[1])) return 77;
  std::ifstream stream(arguments[2], std::ios::binary | std::ios::ate);
  const weft::ZeroedMemory file(stream ? static_cast<size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(static_cast<char*>(file.block.data), static_cast<std::streamsize>(file.block.bytes));
  const weft::Bytes bytes = {file.block.data, file.block.bytes};

  weft::Needs needs;
  if (const weft::Fault fault = weft::ReadNeeds(bytes, &needs); !fault.ok()) {
    return Say("ReadNeeds", fault);
  }
  const weft::ZeroedMemory state(needs.state_bytes), scratch(needs.scratch_bytes);
  weft::Memory memory;
  memory.state = state.block;
  memory.scratch = scratch.block;
  weft::Engine engine;
  const weft::Fault fault = weft::Engine::Open(bytes, weft::AllSteps(), memory, &engine);
  if (!fault.ok()) return Say("Open", fault);

  uint32_t random = 1;
  for (int run = 0; run < 2; ++run) {
    for (uint32_t i = 0; i < engine.input_count(); ++i) {
      weft::FillInput(engine.input(i), random);
    }
    const bool ok = run == 0 ? engine.Run().ok() : CountedRun(engine);
    if (!ok) return 1;
  }
  return 0;
}
