// SPDX-License-Identifier: Apache-2.0
// The order of a traversal, and the execution counts of steps, compared with the counts of an
// engine.
#include "converter/inspect/traverse.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/runtime/listing_builder.h"

namespace weft::inspect {
namespace {

using format::ElementType;
using test::ListingBuilder;
using test::Loaded;
using test::SlotIndex;

class Diary : public Visitor {
 public:
  void Step(uint32_t step) override { text += std::to_string(step) + " "; }
  void Enter(uint32_t step, uint32_t section) override { Note("enter", step, section); }
  void Run(uint32_t section, uint32_t run) override { Note("run", section, run); }
  void EndRun(uint32_t section, uint32_t run) override { Note("end", section, run); }
  void Leave(uint32_t step, uint32_t section) override { Note("leave", step, section); }
  std::string text;

 private:
  void Note(const char* what, uint32_t a, uint32_t b) {
    text += what + ("(" + std::to_string(a) + "," + std::to_string(b) + ") ");
  }
};

TEST(Traverse, ShowsEachRunOfEachSectionOnce) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(ElementType::f32, {4});
  b.Fill(x, 0);  // step 0
  b.Enter({.trip_count = 4, .max_trips = 4});
  b.Enter({.trip_count = 3, .max_trips = 3, .unroll = 2});
  b.Fill(x, 1);  // step 3
  b.NextRun();
  b.Fill(x, 2);  // step 4
  b.NextRun();
  b.Fill(x, 3);  // step 5, epilogue 1
  b.Leave();
  b.Leave();
  b.Fill(x, 4);  // step 6
  const auto file = b.Finish();
  Diary diary;
  Traverse(ModelOf(file), AllOf(ModelOf(file)), diary);
  EXPECT_EQ(diary.text,
            "0 enter(1,0) run(0,0) enter(2,1) run(1,0) 3 end(1,0) run(1,1) 4 end(1,1) run(1,2) 5 "
            "end(1,2) leave(2,1) end(0,0) leave(1,0) 6 ");
}

// Copies of 1, 10, 100, ... bytes identify the runs.
struct Unrolled {
  explicit Unrolled(const std::vector<uint32_t>& runs, const test::SectionSpec& spec, bool nested) {
    if (nested) b.Enter({.trip_count = 2, .max_trips = 2});
    b.Enter(spec);
    for (size_t i = 0; i < runs.size(); ++i) {
      if (i > 0) b.NextRun();
      if (runs[i] > 0) b.Fill(b.Scratch(ElementType::f32, {runs[i]}), 1);
    }
    b.Leave();
    if (nested) b.Leave();
  }
  Sum Count() {
    const auto file = b.Finish();
    const format::Model& model = ModelOf(file);
    return SumOf(model, [&](uint32_t step) {
      return model.fill()->Get(model.steps()->Get(step)->param())->count();
    });
  }
  ListingBuilder b;
};

TEST(SumOf, MakesTheSettleRunOfAKnownCount) {
  const std::vector<uint32_t> runs = {1, 10, 100, 1000, 10000};  // three copies, two epilogues
  const double must[] = {1 + 1000, 1 + 10 + 10000, 111, 112 + 1000, 122 + 10000, 222};
  for (uint32_t trips = 1; trips <= 6; ++trips) {
    const Sum sum =
        Unrolled(runs, {.trip_count = trips, .max_trips = trips, .unroll = 3}, false).Count();
    EXPECT_EQ(sum.run, must[trips - 1]) << trips;
    EXPECT_EQ(sum.sections[0].per_entry, must[trips - 1]) << trips;
    EXPECT_EQ(sum.sections[0].per_iteration, 37) << trips;
    EXPECT_TRUE(sum.exact);
  }
}

// The maximum trip count leads to epilogue 1, but epilogue 2 costs more. The sum includes only the
// more expensive one, so that it is a bound, and counts its steps.
TEST(SumOf, TakesOneSettleRunWhereTheCountIsOpen) {
  Unrolled loop({1, 10, 100, 1000, 10000}, {.max_trips = 4, .unroll = 3, .trip = 0}, true);
  loop.b.slots[0].mutate_type(ElementType::i32);
  const Sum sum = loop.Count();
  EXPECT_FALSE(sum.exact);
  EXPECT_EQ(sum.sections[1].epilogue, 10000);
  EXPECT_EQ(sum.sections[1].per_entry, 112 + 10000);
  EXPECT_EQ(sum.run, 2 * (112 + 10000));
  // Enter, enter, copies 0 to 2, epilogues 1 and 2.
  EXPECT_EQ(sum.times, (std::vector<double>{1, 2, 4, 2, 2, 0, 2}));
}

TEST(SumOf, AddsUpToItsSteps) {
  for (const uint32_t max_trips : {1u, 2u, 5u, 7u}) {
    for (const bool open : {false, true}) {
      Unrolled loop({3, 5, 0, 7, 11},
                    {.trip_count = open ? format::kNoLimit : max_trips,
                     .max_trips = max_trips,
                     .unroll = 3,
                     .trip = open ? 0 : test::kNoSlot},
                    true);
      const Sum sum = loop.Count();
      const auto file = loop.b.Finish();
      const format::Model& model = ModelOf(file);
      double steps = 0;
      for (uint32_t i = 0; i < sum.times.size(); ++i) {
        const format::Step& step = *model.steps()->Get(i);
        if (step.kind() != 0) steps += sum.times[i] * model.fill()->Get(step.param())->count();
      }
      EXPECT_EQ(steps, sum.run) << max_trips << open;
    }
  }
}

// Runs the listing and counts the calls of each step by the engine's own profile.
TEST(SumOf, CountsTheStepsThatAnEngineExecutes) {
  for (const uint32_t trips : {1u, 2u, 3u, 6u, 7u}) {
    Unrolled loop({1, 2, 3, 4, 5}, {.trip_count = trips, .max_trips = trips, .unroll = 3}, true);
    const Sum sum = loop.Count();
    Loaded model(loop.b.Finish());
    ASSERT_TRUE(model.fault.ok()) << model.Text();
    std::vector<double> calls(sum.times.size(), 0);
    const Profile profile = {[](void*) { return uint64_t{0}; },
                             [](void* user, uint32_t step, uint64_t, uint64_t) {
                               ++(*static_cast<std::vector<double>*>(user))[step];
                             },
                             &calls};
    model.engine.SetProfile(&profile);
    ASSERT_TRUE(model.engine.Run().ok());
    calls[0] = sum.times[0];  // entering a section is not a kernel call
    calls[1] = sum.times[1];
    EXPECT_EQ(calls, sum.times) << trips << " iterations";
  }
}

}  // namespace
}  // namespace weft::inspect
