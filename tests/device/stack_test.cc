// SPDX-License-Identifier: Apache-2.0
// Measures the stack that the engine uses on a Cortex-M for every model. The maximum is at most the
// size in stack.h, and not far below it.
#include "runtime/stack.h"

#include <gtest/gtest.h>

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include <algorithm>
#include <cstdio>
#include <string>

#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/stored_models.h"
#include "tests/runtime/painted_stack.h"

namespace weft {
namespace {

#if defined(__ARM_FEATURE_MVE)
constexpr uint32_t kPromised = kEngineStackBytesHelium;
#else
constexpr uint32_t kPromised = kEngineStackBytes;
#endif

struct StackUse {
  uint32_t open_bytes = 0, run_bytes = 0, self_test_bytes = 0;
};

__attribute__((noinline)) StackUse Measure(Bytes model, const Memory& memory) {
  volatile uint32_t* top;
  WEFT_STACK_TOP(top);
  StackUse use;
  Engine engine;
  PaintStack(top);
  const Fault fault = Engine::Open(model, AllSteps(), memory, &engine);
  use.open_bytes = TouchedStackBytes(top);
  if (!fault.ok()) return use;
  PaintStack(top);
  (void)engine.Run();
  use.run_bytes = TouchedStackBytes(top);
  Mismatch mismatch;
  PaintStack(top);
  (void)engine.SelfTest(&mismatch);
  use.self_test_bytes = TouchedStackBytes(top);
  return use;
}

TEST(Stack, NoModelNeedsMoreThanThePinnedBytes) {
  uint32_t max = 0;
  for (const StoredCase& stored : StoredCases()) {
    const auto file = ReadModelFile(ModelPath(stored.name));
    const Stream stream(*file);  // memory of the right size; also checks that the model opens
    Memory memory;
    memory.state = stream.state->block();
    memory.scratch = stream.scratch->block();
    const StackUse use = Measure(file->bytes(), memory);
    const uint32_t bytes = std::max(use.open_bytes, use.run_bytes);
    EXPECT_LE(bytes, kPromised) << stored.name;
    EXPECT_LE(use.self_test_bytes, kPromised + kSelfTestStackBytes) << stored.name;
    if (bytes <= max) continue;
    max = bytes;
    std::printf("%s: Open %u, Run %u, SelfTest %u bytes\n", stored.name.c_str(),
                static_cast<unsigned>(use.open_bytes), static_cast<unsigned>(use.run_bytes),
                static_cast<unsigned>(use.self_test_bytes));
  }
  EXPECT_GT(max, kPromised - 128) << "the bound is too generous to be a promise";
}

}  // namespace
}  // namespace weft
#endif
