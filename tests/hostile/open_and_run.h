// SPDX-License-Identifier: Apache-2.0
// Opens a file that may be hostile and calls every function of the runtime on it. Independent of
// the test framework, so that tests and fuzzers share it.
#ifndef WEFT_TESTS_HOSTILE_OPEN_AND_RUN_H_
#define WEFT_TESTS_HOSTILE_OPEN_AND_RUN_H_

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "runtime/weft.h"

namespace weft::test {

// Prevents the compiler from removing reads whose result is not used.
inline volatile unsigned bytes_read = 0;

enum class Fate { kRefused, kOpened };

// Reads every byte of a view, so that a view outside its memory is detected.
inline unsigned Sum(const Tensor& tensor) {
  unsigned sum = 0;
  for (size_t i = 0; i < tensor.bytes; ++i) sum += static_cast<const uint8_t*>(tensor.data)[i];
  return sum;
}

// A valid file may need a long run; the rules bound memory, not time.
inline constexpr uint64_t kMaxSteps = 20000;

// The environment of a file:
//   Block NewBlock(size_t bytes)        memory of exactly this size, until the rig is destroyed
//   void FillInputs(const Engine&)      before each run
//   bool Call(const F& call)            calls it; returns false if the call was stopped
//   void RestoreState(Block state)      writes any bytes, as a caller that restores a wrong state
//   void Expect(bool, const char* what) reports a broken promise
//
// Calls the engine's functions and reads all outputs. Returns false if a call was stopped.
template <typename Rig>
bool UseEngine(Rig& rig, Block state, Engine& engine) {
  unsigned sum = 0;
  for (int call = 0; call < 3; ++call) {
    if (call == 2) rig.RestoreState(state);
    rig.FillInputs(engine);
    // A loop may reach its maximum, and a result may be NaN.
    if (!rig.Call([&] { (void)(call == 1 ? engine.RunChecked() : engine.Run()); })) return false;
    for (uint32_t port = 0; port < engine.output_count(); ++port) {
      sum += Sum(engine.output(port));
      const char* name = engine.output_name(port);
      if (name != nullptr) sum += Sum(engine.output(name));
    }
    if (call != 0) engine.Reset();
  }
  bytes_read = sum;
  Mismatch first;
  Fault test;
  if (!rig.Call([&] { test = engine.SelfTest(&first); })) return false;
  rig.Expect(test.ok() || test.code >= FaultCode::kSelfTestAbsent, "SelfTest returned this error");
  return true;
}

// The functions that read a file without an engine. They take any bytes.
inline void ReadFile(Bytes file) {
  FileCheck check;
  unsigned sum = static_cast<unsigned>(StateLayout(file) + Checksum(file) + StoredChecksum(file));
  for (int slice = 0; slice < 3; ++slice) {
    sum += static_cast<unsigned>(CheckSome(file, file.size / 2 + 1, &check).code);
  }
  bytes_read = sum;
}

template <typename Rig>
Fate OpenAndRun(Rig& rig, Bytes file) {
  constexpr uint32_t kMaxBytes = 1u << 20;
  ReadFile(file);
  Needs needs;
  if (!ReadNeeds(file, &needs).ok()) return Fate::kRefused;
  if (needs.state_bytes > kMaxBytes || needs.scratch_bytes > kMaxBytes) return Fate::kRefused;
  Memory memory = {rig.NewBlock(needs.state_bytes), rig.NewBlock(needs.scratch_bytes)};
  for (size_t i = 0; i < std::size(needs.more_scratch_bytes); ++i) {
    const uint32_t bytes = needs.more_scratch_bytes[i];
    memory.more_scratch[i] = rig.NewBlock(bytes > kMaxBytes ? 0 : bytes);
  }
  Engine engine;
  const Fault fault = Engine::Open(file, AllSteps(), memory, &engine);
  if (!fault.ok()) return Fate::kRefused;
  if (engine.MaxSteps() > kMaxSteps) return Fate::kOpened;
  const Block table = rig.NewBlock(PlanTableBytes(file) / 2);
  Engine checked;
  Fault plan;
  if (!rig.Call([&] { plan = Engine::OpenChecked(file, AllSteps(), memory, table, &checked); }))
    return Fate::kOpened;
  rig.Expect(
      plan.ok() || plan.code == FaultCode::kPlanNumberAbsent || plan.code == FaultCode::kPlanNumber,
      "OpenChecked returned this error");
  engine.Reset();
  UseEngine(rig, memory.state, engine);
  return Fate::kOpened;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_HOSTILE_OPEN_AND_RUN_H_
