// SPDX-License-Identifier: Apache-2.0
// step_times.h: the times counted with a scripted clock, and the printed table.
#include "runtime/step_times.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/c_engine.h"
#include "tests/runtime/listing_builder.h"

namespace weft::test {
namespace {

// A clock that advances at every reading: by 1, or at the end of a step by the step's own ticks.
struct ScriptedClock {
  std::vector<uint64_t> ticks;  // of the steps in the order of their calls, again from the first
  uint64_t time = 0;
  size_t readings = 0;
  std::string text;
};

constexpr size_t kReadingsOfTheClockItself = 32;

uint64_t ReadClock(void* user) {
  ScriptedClock& clock = *static_cast<ScriptedClock*>(user);
  const size_t reading = clock.readings++;
  if (reading < kReadingsOfTheClockItself) return clock.time += 1;
  const size_t call = (reading - kReadingsOfTheClockItself) / 2;
  return clock.time += reading % 2 == 0 ? 7 : 1 + clock.ticks[call % clock.ticks.size()];
}

void PrintTo(void* user, const char* text) { static_cast<ScriptedClock*>(user)->text += text; }

// Three steps; the first and the last come from one layer; the second runs 4 times.
ListingBuilder ThreeSteps() {
  ListingBuilder b;
  const SlotIndex y = b.Scratch(kF32, {1});
  b.Fill(y, 1);
  b.Enter({.trip_count = 4, .max_trips = 4});
  b.Fill(y, 2);
  b.Leave();
  b.Fill(y, 3);
  b.names = {"encoder", "loop", "a layer of a longer name"};
  b.step_names = {0, 1, 2, 0};
  return b;
}

struct Timed {
  explicit Timed(ListingBuilder builder, uint32_t ticks_per_second) : model(builder.Finish()) {
    EXPECT_TRUE(model.fault.ok()) << model.Text();
    rows.resize(model.engine.step_count());
    times.now = ReadClock;
    times.write = PrintTo;
    times.user = &clock;
    times.ticks_per_second = ticks_per_second;
    times.steps = rows.data();
    times.step_count = static_cast<uint32_t>(rows.size());
  }
  std::string TableOf(uint32_t runs) {
    TimeSteps(&model.engine, &times);
    for (uint32_t i = 0; i < runs; ++i) EXPECT_TRUE(model.engine.Run().ok());
    model.engine.SetProfile(nullptr);
    PrintStepTimes(model.engine, &times, runs);
    return clock.text;
  }
  Loaded model;
  ScriptedClock clock;
  std::vector<weft_step_time> rows;
  weft_step_times times = {};
};

TEST(StepTimes, NamesEveryStep) {
  Loaded model(ThreeSteps().Finish());
  ASSERT_EQ(model.engine.step_count(), 4u);
  EXPECT_STREQ(model.engine.step_kind(0), "fill");
  EXPECT_STREQ(model.engine.step_kind(1), "section");
  EXPECT_EQ(model.engine.step_kind(4), nullptr);
  EXPECT_STREQ(model.engine.step_layer(2), "a layer of a longer name");
  EXPECT_EQ(model.engine.step_layer(4), nullptr);
}

TEST(StepTimes, HasNoNamesOfAClosedEngineOrAFileWithout) {
  EXPECT_EQ(Engine().step_count(), 0u);
  EXPECT_EQ(Engine().step_kind(0), nullptr);
  EXPECT_EQ(Engine().step_layer(0), nullptr);
  ListingBuilder b;
  b.Fill(b.Scratch(kF32, {1}), 1);
  Loaded model(b.Finish());
  EXPECT_STREQ(model.engine.step_kind(0), "fill");
  EXPECT_EQ(model.engine.step_layer(0), nullptr);
}

TEST(StepTimes, ShowsTheSlowestFirstAndSumsLayers) {
  Timed timed(ThreeSteps(), 1000000);
  timed.clock.ticks = {10, 2000, 2000, 2000, 2000, 1990};
  EXPECT_EQ(timed.TableOf(3),
            "step  kind  layer                     calls/run    us/run   share\n"
            "   2  fill  a layer of a longer name          4  8000.000  80.0 %\n"
            "   3  fill  encoder                           1  1990.000  19.9 %\n"
            "   0  fill  encoder                           1    10.000   0.1 %\n"
            "\n"
            "layer                     steps    us/run   share\n"
            "a layer of a longer name      1  8000.000  80.0 %\n"
            "encoder                       2  2000.000  20.0 %\n");
}

TEST(StepTimes, AlignsCharactersNotBytes) {
  ListingBuilder b = ThreeSteps();
  b.names[0] = "\u00e9\u00e8";
  b.names[2] = "ab";
  Timed timed(std::move(b), 1000000);
  timed.clock.ticks = {1, 2, 2, 2, 2, 3};
  EXPECT_NE(timed.TableOf(1).find("   3  fill  \u00e9\u00e8             1"), std::string::npos)
      << timed.clock.text;
}

TEST(StepTimes, CountsTicksWhereTheClockIsNotKnown) {
  ListingBuilder b;
  b.Fill(b.Scratch(kF32, {1}), 1);
  Timed timed(std::move(b), 0);
  timed.clock.ticks = {5, 6};
  EXPECT_EQ(timed.TableOf(2),
            "step  kind  layer  calls/run  ticks/run    share\n"
            "   0  fill                 1          6  100.0 %\n");
}

TEST(StepTimes, HoldsMoreThan32Bits) {
  const std::pair<uint64_t, const char*> kTimes[] = {
      {12345678901, " 3086419.725  100.0 %"}, {400'000'000'000'000, " 100000000000.000  100.0 %"}};
  for (const auto& [ticks, shown] : kTimes) {
    ListingBuilder b;
    b.Fill(b.Scratch(kF32, {1}), 1);
    Timed timed(std::move(b), 4'000'000'000);
    timed.clock.ticks = {ticks};
    EXPECT_NE(timed.TableOf(1).find(shown), std::string::npos) << timed.clock.text;
  }
}

TEST(StepTimes, LeavesOutStepsWithoutARow) {
  Timed timed(ThreeSteps(), 1000000);
  timed.times.step_count = 1;
  timed.clock.ticks = {10, 20, 20, 20, 20, 30};
  EXPECT_EQ(timed.TableOf(1),
            "step  kind  layer    calls/run  us/run    share\n"
            "   0  fill  encoder          1  10.000  100.0 %\n");
}

TEST(StepTimes, MeasuresTheSameInC) {
  Timed timed(ThreeSteps(), 1000000);
  timed.clock.ticks = {10, 20, 20, 20, 20, 30};
  weft_engine engine;
  Store(timed.model.engine, &engine);
  weft_time_steps(&engine, &timed.times);
  ASSERT_TRUE(weft_ok(weft_run(&engine)));
  weft_set_profile(&engine, nullptr);
  ASSERT_TRUE(weft_ok(weft_run(&engine)));
  weft_print_step_times(&engine, &timed.times, 1);
  EXPECT_EQ(timed.rows[0].ticks, 10u);
  EXPECT_EQ(timed.rows[2].ticks, 80u);
  EXPECT_EQ(timed.rows[2].calls, 4u);
  EXPECT_EQ(weft_step_count(&engine), 4u);
  EXPECT_STREQ(weft_step_kind(&engine, 3), "fill");
  EXPECT_STREQ(weft_step_layer(&engine, 3), "encoder");
  EXPECT_NE(timed.clock.text.find("encoder"), std::string::npos);
}

}  // namespace
}  // namespace weft::test
