// SPDX-License-Identifier: Apache-2.0
// Passes a file to the runtime in blocks of exactly their size. The guards around each block detect
// writes outside on every target. Only a sanitizer detects reads outside: on a board the memory
// after a heap block is mapped.
#ifndef WEFT_TESTS_HOSTILE_SURVIVE_H_
#define WEFT_TESTS_HOSTILE_SURVIVE_H_

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/hostile/open_and_run.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {

// ExactBytes for every block (open_and_run.h); reports broken promises to GoogleTest.
class ExactRig {
 public:
  Block NewBlock(size_t bytes) { return blocks_.emplace_back(bytes).block(); }
  void FillInputs(const Engine& engine) const { test::FillInputs(engine); }
  template <typename F>
  bool Call(const F& call) const {
    call();
    return true;
  }
  void RestoreState(Block state) const {
    if (state.bytes != 0) std::memset(state.data, 0xFF, state.bytes);
  }
  void Expect(bool holds, const char* what) const { EXPECT_TRUE(holds) << what; }

 private:
  std::vector<ExactBytes> blocks_;
};

inline Fate Survive(const ExactBytes& file) {
  const ExactBytes before = file;
  ExactRig rig;
  const Fate fate = OpenAndRun(rig, file.bytes());
  EXPECT_EQ(std::memcmp(before.data(), file.data(), file.size()), 0) << "the model was written";
  return fate;
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
