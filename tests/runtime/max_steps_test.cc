// SPDX-License-Identifier: Apache-2.0
// Engine::MaxSteps: exact if the file determines the count, never below the steps of a run,
// saturating.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

uint64_t MaxSteps(ListingBuilder& b) {
  Loaded model(b.Finish());
  EXPECT_TRUE(model.fault.ok()) << model.Text();
  return model.engine.MaxSteps();
}

TEST(MaxSteps, IsNothingOnAClosedEngine) { EXPECT_EQ(Engine().MaxSteps(), 0u); }

TEST(MaxSteps, CountsTheStepsOfAPlainListing) {
  ListingBuilder b;
  EXPECT_EQ(MaxSteps(b), 0u);
  const SlotIndex y = b.Scratch(kF32, {1});
  for (int i = 0; i < 5; ++i) b.Fill(y, 1);
  EXPECT_EQ(MaxSteps(b), 5u);
}

TEST(MaxSteps, MultipliesAlongTheSectionsAroundAStep) {
  ListingBuilder b;
  const SlotIndex y = b.Scratch(kF32, {1});
  b.Enter({.trip_count = 10, .max_trips = 100});
  b.Fill(y, 1);
  b.Enter({.trip_count = 7, .max_trips = 7});
  b.Fill(y, 2);
  b.Fill(y, 3);
  b.Leave();
  b.Leave();
  // Each section's step, its iterations, and what is in them.
  EXPECT_EQ(MaxSteps(b), 1u + 10 * (1 + 1 + (1 + 7 * (1 + 2))));
}

TEST(MaxSteps, GivesEachCopyItsOwnIterationsAndASettleRunOne) {
  ListingBuilder b;
  const SlotIndex y = b.Scratch(kF32, {1});
  b.Enter({.trip_count = 7, .max_trips = 7, .unroll = 3});
  b.Fill(y, 0);  // iterations 0, 3, 6
  b.NextRun();
  b.Fill(y, 1);  // 1, 4
  b.Fill(y, 1);
  b.NextRun();
  b.Fill(y, 2);  // 2, 5
  b.NextRun();
  b.Fill(y, 3);
  b.NextRun();
  b.Fill(y, 4);
  b.Leave();
  EXPECT_EQ(MaxSteps(b), 1u + 7 + 3 + 2 * 2 + 2 + 1 + 1);
}

TEST(MaxSteps, CountsIterationsWithoutSteps) {
  ListingBuilder b;
  b.Enter({.trip_count = 0xFFFFFFFE, .max_trips = 0xFFFFFFFE});
  b.Leave();
  EXPECT_EQ(MaxSteps(b), 0xFFFFFFFFu);
}

TEST(MaxSteps, IsTheLargestNumberWhereLoopsMultiplyBeyondIt) {
  ListingBuilder b;
  for (uint32_t i = 0; i < format::kMaxSectionDepth; ++i) {
    b.Enter({.trip_count = 1u << 30, .max_trips = 1u << 30});
  }
  b.Fill(b.Scratch(kF32, {1}), 1);
  for (uint32_t i = 0; i < format::kMaxSectionDepth; ++i) b.Leave();
  EXPECT_EQ(MaxSteps(b), UINT64_MAX);
}

TEST(MaxSteps, IsNeverBelowWhatARunExecutes) {
  Loaded model(EveryFeature().b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  uint64_t executed = 0;
  Profile profile;
  profile.now = [](void*) -> uint64_t { return 0; };
  profile.step = [](void* user, uint32_t, uint64_t, uint64_t) { ++*static_cast<uint64_t*>(user); };
  profile.user = &executed;
  model.engine.SetProfile(&profile);
  for (const int64_t trips : {0, 1, 3, 4, 9}) {
    executed = 0;
    FillInputs(model.engine);
    *model.engine.input("trips").as<int64_t>() = trips;
    *model.engine.input("more").as<uint8_t>() = 1;
    (void)model.engine.Run();  // a loop may reach its maximum
    EXPECT_LE(executed, model.engine.MaxSteps()) << trips;
  }
  EXPECT_LT(model.engine.MaxSteps(), 100u);
}

}  // namespace
}  // namespace weft::test
