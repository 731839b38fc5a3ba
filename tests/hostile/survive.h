// SPDX-License-Identifier: Apache-2.0
// Passes a file to the runtime in blocks of exactly their size. The guards around each block detect
// writes outside on every target. Only a sanitizer detects reads outside: on a board the memory
// after a heap block is mapped.
#ifndef WEFT_TESTS_HOSTILE_SURVIVE_H_
#define WEFT_TESTS_HOSTILE_SURVIVE_H_

#include <gtest/gtest.h>

#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "runtime/verify.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

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

inline Fate Survive(const ExactBytes& file) {
  constexpr uint32_t kMaxBytes = 1u << 20;
  Needs needs;
  if (!ReadNeeds(file.bytes(), &needs).ok()) return Fate::kRefused;
  if (needs.state_bytes > kMaxBytes || needs.scratch_bytes > kMaxBytes) return Fate::kRefused;
  const ExactBytes state(needs.state_bytes), scratch(needs.scratch_bytes);
  std::vector<ExactBytes> more;
  Memory memory = {state.block(), scratch.block()};
  for (size_t i = 0; i < std::size(needs.more_scratch_bytes); ++i) {
    const uint32_t bytes = needs.more_scratch_bytes[i];
    memory.more_scratch[i] = more.emplace_back(bytes > kMaxBytes ? 0 : bytes).block();
  }
  Engine engine;
  const Fault fault = Engine::Open(file.bytes(), AllSteps(), memory, &engine);
  if (!fault.ok()) return Fate::kRefused;
  if (engine.MaxSteps() > kMaxSteps) return Fate::kOpened;
  const ExactBytes before = file;
  const ExactBytes table(PlanTableBytes(file.bytes()) / 2);
  Engine checked;
  const Fault plan = Engine::OpenChecked(file.bytes(), AllSteps(), memory, table.block(), &checked);
  EXPECT_TRUE(plan.ok() || plan.code == FaultCode::kPlanNumberAbsent ||
              plan.code == FaultCode::kPlanNumber);
  engine.Reset();
  unsigned sum = 0;
  for (int call = 0; call < 2; ++call) {
    FillInputs(engine);
    (void)engine.Run();  // a loop may reach its maximum
    for (uint32_t port = 0; port < engine.output_count(); ++port) {
      sum += Sum(engine.output(port));
      const char* name = engine.output_name(port);
      if (name != nullptr) sum += Sum(engine.output(name));
    }
    engine.Reset();
  }
  Mismatch first;
  const Fault test = engine.SelfTest(&first);
  EXPECT_TRUE(test.ok() || test.code >= FaultCode::kSelfTestAbsent);
  bytes_read = sum;
  EXPECT_EQ(std::memcmp(before.data(), file.data(), file.size()), 0) << "the model was written";
  return Fate::kOpened;
}

// Valid files to start from: every step separately, those that write y over x a second time, and
// all features of a model. Their weights, or the four runs of a self test, end the file without
// padding.
inline std::vector<ExactBytes> SoundFiles() {
  std::vector<ExactBytes> files;
  const auto add = [&files](ListingBuilder& b) {
    b.region_bytes[0] = (b.region_bytes[0] / 64 + 1) * 64;
    b.generator = "; plan-2 00000001";  // a plan hash, so that the plan is checked
    files.push_back(b.Finish());
  };
  Features features = EveryFeature();
  RecordSelfTest(features.b, 4);
  add(features.b);
  for (StepSample& sample : EveryStep()) add(sample.builder);
  for (StepSample& sample : OverlappingSteps()) add(sample.builder);
  return files;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_HOSTILE_SURVIVE_H_
