// SPDX-License-Identifier: Apache-2.0
// Execution of loops: iterations, conditions, ping-pong buffers, epilogues, moves, nesting.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/runtime/listing_builder.h"

namespace weft::test {
namespace {

using format::BinaryOp;
using format::CompareOp;
using format::Kind;
using format::UnaryOp;

constexpr ElementType kI64 = ElementType::i64;
constexpr ElementType kBool = ElementType::boolean;

std::vector<float> Floats(const Tensor& tensor) {
  const float* data = tensor.as<float>();
  return std::vector<float>(data, data + tensor.bytes / sizeof(float));
}

// acc += x[i], y[i] = acc over five elements, from the end if `backward`.
ExactBytes RunningSum(bool backward) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(kF32, {5});
  const SlotIndex sum = b.Scratch(kF32, {1});
  const SlotIndex y = b.Scratch(kF32, {5});
  const uint32_t loop = b.NextSection();
  const uint32_t start = backward ? 16 : 0;
  const int32_t stride = backward ? -4 : 4;
  const SlotIndex x_now = b.Part(x, start, 4, {{loop, stride}});
  const SlotIndex y_now = b.Part(y, start, 4, {{loop, stride}});
  b.Input(x, {"x"});
  b.Output(y, {"y"});
  b.Output(sum, {"sum"});
  b.Fill(sum, 0);
  b.Enter({.trip_count = 5, .max_trips = 5});
  b.Binary(BinaryOp::add, sum, x_now, sum);
  b.Copy(sum, y_now);
  b.Leave();
  return b.Finish();
}

TEST(Section, SlicesItsInputAndWritesItsScanInPlace) {
  Loaded model(RunningSum(false));
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (int i = 0; i < 5; ++i) model.in(0)[i] = static_cast<float>(1 << i);
  ASSERT_TRUE(model.engine.Run().ok());
  EXPECT_EQ(Floats(model.engine.output(0)), (std::vector<float>{1, 3, 7, 15, 31}));
  EXPECT_EQ(model.out(1)[0], 31);
}

TEST(Section, WalksBackwardsWithANegativeStride) {
  Loaded model(RunningSum(true));
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (int i = 0; i < 5; ++i) model.in(0)[i] = static_cast<float>(1 << i);
  ASSERT_TRUE(model.engine.Run().ok());
  EXPECT_EQ(Floats(model.engine.output(0)), (std::vector<float>{31, 30, 28, 24, 16}));
}

// even = value before; odd copies read `even` and write `odd`. value = 2 * value + 1 per iteration,
// with the count in a slot of `type`; the epilogue copies an odd result to `even`.
ExactBytes PingPong(ElementType type) {
  ListingBuilder b;
  const SlotIndex trips = b.Scratch(type, {1});
  const SlotIndex even = b.Scratch(kF32, {1});
  const SlotIndex odd = b.Scratch(kF32, {1});
  const SlotIndex one = b.Weights<float>(kF32, {1});
  const SlotIndex length = b.Scratch(kI32, {1});
  b.Input(trips, {"trips"});
  b.Input(even, {"value"});
  b.Output(even, {"result"});
  b.Output(length, {"length"});
  b.Enter({.max_trips = 9, .unroll = 2, .trip = trips, .length = length});
  b.Binary(BinaryOp::add, even, even, odd);
  b.Binary(BinaryOp::add, odd, one, odd);
  b.NextRun();
  b.Binary(BinaryOp::add, odd, odd, even);
  b.Binary(BinaryOp::add, even, one, even);
  b.NextRun();
  b.Copy(odd, even);
  b.Leave();
  return b.Finish();
}

TEST(Section, ShuttleEndsInItsEvenSlotAfterAnyTripCount) {
  Loaded model(PingPong(kI32));
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (int32_t trips = 0; trips <= 9; ++trips) {
    *model.engine.input("trips").as<int32_t>() = trips;
    model.in(1)[0] = 0;
    const Fault fault = model.engine.Run();
    ASSERT_TRUE(fault.ok()) << Loaded::TextOf(fault);
    EXPECT_EQ(model.out(0)[0], static_cast<float>((1 << trips) - 1)) << trips;
    EXPECT_EQ(*model.engine.output("length").as<int32_t>(), trips);
  }
}

TEST(Section, StopsWithAFaultAtItsHardMaximum) {
  Loaded model(PingPong(kI64));
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (const int64_t trips : {int64_t{10}, int64_t{1} << 32, int64_t{1} << 62, int64_t{-1}}) {
    *model.engine.input("trips").as<int64_t>() = trips;
    model.in(1)[0] = 0;
    const Fault fault = model.engine.Run();
    EXPECT_EQ(fault.code, FaultCode::kTripLimit) << trips;
    EXPECT_EQ(fault.index, 0u);
    EXPECT_EQ(fault.is, 9u);
    EXPECT_EQ(fault.must, 9u);
    EXPECT_EQ(model.out(0)[0], 511) << "nine iterations, then the epilogue";
    EXPECT_EQ(*model.engine.output("length").as<int32_t>(), 9);
  }
}

TEST(Section, RunsTheSettleRunOfItsRemainderAlone) {
  ListingBuilder b;
  const SlotIndex trips = b.Scratch(kI32, {1});
  const SlotIndex copies = b.Scratch(kF32, {3});
  const SlotIndex settled = b.Scratch(kF32, {2});
  const SlotIndex one = b.Weights<float>(kF32, {1});
  b.Input(trips, {"trips"});
  b.Output(copies, {"copies"});
  b.Output(settled, {"settled"});
  b.Fill(copies, 0);
  b.Fill(settled, 0);
  b.Enter({.max_trips = 20, .unroll = 3, .trip = trips});
  for (uint32_t run = 0; run < 5; ++run) {
    if (run != 0) b.NextRun();
    const SlotIndex counter =
        run < 3 ? b.Part(copies, 4 * run, 4, {}) : b.Part(settled, 4 * (run - 3), 4, {});
    b.Binary(BinaryOp::add, counter, one, counter);
  }
  b.Leave();
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (int32_t trips_now = 0; trips_now <= 10; ++trips_now) {
    *model.engine.input(0).as<int32_t>() = trips_now;
    ASSERT_TRUE(model.engine.Run().ok());
    const float n = static_cast<float>(trips_now);
    const std::vector<float> expected = {std::floor((n + 2) / 3), std::floor((n + 1) / 3),
                                         std::floor(n / 3)};
    EXPECT_EQ(Floats(model.engine.output(0)), expected) << trips_now;
    const float one_left = trips_now % 3 == 1 ? 1 : 0;
    const float two_left = trips_now % 3 == 2 ? 1 : 0;
    EXPECT_EQ(Floats(model.engine.output(1)), (std::vector<float>{one_left, two_left}));
  }
}

// while (iteration < limit): the condition of an iteration is read after it.
ExactBytes WhileLoop(uint32_t max_trips) {
  ListingBuilder b;
  const SlotIndex first = b.Scratch(kBool, {1});
  const SlotIndex limit = b.Scratch(kI32, {1});
  const SlotIndex iteration = b.Scratch(kI32, {1});
  const SlotIndex more = b.Scratch(kBool, {1});
  const SlotIndex length = b.Scratch(kI32, {1});
  const SlotIndex after = b.Scratch(kF32, {1});
  b.Input(first, {"first"});
  b.Input(limit, {"limit"});
  b.Input(after, {"after"});
  b.Output(length, {"length"});
  b.Output(after, {"after"});
  b.Enter({.max_trips = max_trips,
           .first_condition = first,
           .body_condition = more,
           .iteration = iteration,
           .length = length});
  b.Compare(CompareOp::less, iteration, limit, more, kI32);
  b.Leave();
  b.Fill(after, 7);
  return b.Finish();
}

TEST(Section, CountsTheIterationWhoseConditionIsFalse) {
  Loaded model(WhileLoop(6));
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (int32_t limit = 0; limit <= 5; ++limit) {
    *model.engine.input("first").as<uint8_t>() = 1;
    *model.engine.input("limit").as<int32_t>() = limit;
    ASSERT_TRUE(model.engine.Run().ok()) << limit;
    EXPECT_EQ(*model.engine.output("length").as<int32_t>(), limit + 1);
  }
}

TEST(Section, DoesNothingWhenItsFirstConditionIsFalse) {
  Loaded model(WhileLoop(6));
  *model.engine.input("first").as<uint8_t>() = 0;
  *model.engine.input("limit").as<int32_t>() = 3;
  ASSERT_TRUE(model.engine.Run().ok());
  EXPECT_EQ(*model.engine.output("length").as<int32_t>(), 0);
  EXPECT_EQ(model.out(1)[0], 7);
}

TEST(Section, GoesOnBehindALoopThatIsCutShort) {
  Loaded model(WhileLoop(6));
  *model.engine.input("first").as<uint8_t>() = 1;
  *model.engine.input("limit").as<int32_t>() = 6;
  model.in(2)[0] = 3;
  EXPECT_EQ(model.engine.Run().code, FaultCode::kTripLimit);
  EXPECT_EQ(*model.engine.output("length").as<int32_t>(), 6);
  EXPECT_EQ(model.out(1)[0], 7) << "result of the step after the loop";
}

TEST(Section, RunsOneBranchOfAPair) {
  ListingBuilder b;
  const SlotIndex condition = b.Scratch(kBool, {1});
  const SlotIndex y = b.Scratch(kF32, {1});
  b.Input(condition, {"condition"});
  b.Output(y, {"y"});
  b.Enter({.trip_count = 1, .first_condition = condition, .runs_when = 1});
  b.Fill(y, 10);
  b.Leave();
  b.Enter({.trip_count = 1, .first_condition = condition, .runs_when = 0});
  b.Fill(y, 20);
  b.Leave();
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (const uint8_t value : {0, 1, 2, 255}) {
    *model.engine.input(0).as<uint8_t>() = value;
    ASSERT_TRUE(model.engine.Run().ok());
    EXPECT_EQ(model.out(0)[0], value == 0 ? 20 : 10);
  }
}

TEST(Section, AddsTheMovesOfAllSectionsAroundAStep) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(kF32, {3, 4});
  const SlotIndex y = b.Scratch(kF32, {4, 3});
  const uint32_t rows = b.NextSection();
  const uint32_t columns = rows + 1;
  const SlotIndex x_now = b.Part(x, 0, 4, {{rows, 16}, {columns, 4}});
  const SlotIndex y_now = b.Part(y, 0, 4, {{rows, 4}, {columns, 12}});
  b.Input(x, {"x"});
  b.Output(y, {"y"});
  b.Enter({.trip_count = 3, .max_trips = 3});
  b.Enter({.trip_count = 4, .max_trips = 4});
  b.Unary(UnaryOp::negative, x_now, y_now);
  b.Leave();
  b.Leave();
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (int i = 0; i < 12; ++i) model.in(0)[i] = static_cast<float>(i);
  ASSERT_TRUE(model.engine.Run().ok());
  EXPECT_EQ(Floats(model.engine.output(0)),
            (std::vector<float>{-0.0f, -4, -8, -1, -5, -9, -2, -6, -10, -3, -7, -11}));
}

TEST(Section, FindsTheOperandsOfManySteps) {
  // More steps than the engine caches operands for, and every third one reads the next element.
  // They are in an inner loop, so that every step runs in two iterations of each loop.
  constexpr uint32_t kSteps = 70, kOuter = 3, kInner = 2;
  ListingBuilder b;
  const SlotIndex x = b.Scratch(kF32, {kOuter * kInner});
  const SlotIndex sum = b.Scratch(kF32, {1});
  const uint32_t outer = b.NextSection();
  const SlotIndex x_now = b.Part(x, 0, 4, {{outer, 4 * kInner}, {outer + 1, 4}});
  b.Input(x, {"x"});
  b.Output(sum, {"sum"});
  b.Fill(sum, 0);
  b.Enter({.trip_count = kOuter, .max_trips = kOuter});
  b.Enter({.trip_count = kInner, .max_trips = kInner});
  float must = 0;
  for (uint32_t step = 0; step < kSteps; ++step) {
    const bool moves = step % 3 == 0;
    const float number = static_cast<float>(step);
    b.Binary(BinaryOp::add, sum, moves ? x_now : b.Weights<float>(kF32, {number}), sum);
    for (uint32_t trip = 0; trip < kOuter * kInner; ++trip) {
      must += moves ? static_cast<float>(1 << trip) : number;
    }
  }
  b.Leave();
  b.Leave();
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (uint32_t i = 0; i < kOuter * kInner; ++i) model.in(0)[i] = static_cast<float>(1 << i);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(model.engine.Run().ok());
    EXPECT_EQ(model.out(0)[0], must);
  }
}

TEST(Section, ReadsItsTripCountAnewEachTimeItIsEntered) {
  // Row i of a triangle: the inner loop runs i times; its trip count is the outer iteration number.
  ListingBuilder b;
  const SlotIndex row = b.Scratch(kI64, {1});
  const SlotIndex sum = b.Scratch(kF32, {1});
  const SlotIndex one = b.Weights<float>(kF32, {1});
  b.Output(sum, {"sum"});
  b.Fill(sum, 0);
  b.Enter({.trip_count = 5, .max_trips = 5, .iteration = row});
  b.Enter({.max_trips = 4, .trip = row});
  b.Binary(BinaryOp::add, sum, one, sum);
  b.Leave();
  b.Leave();
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  ASSERT_TRUE(model.engine.Run().ok());
  EXPECT_EQ(model.out(0)[0], 0 + 1 + 2 + 3 + 4);
}

TEST(Section, MovesItsOwnIterationSlot) {
  ListingBuilder b;
  const SlotIndex numbers = b.Scratch(kI32, {6});
  const SlotIndex number = b.Part(numbers, 20, 4, {{0, -4}});
  b.Output(numbers, {"numbers"});
  b.Enter({.trip_count = 6, .max_trips = 6, .unroll = 4, .iteration = number});
  for (int run = 1; run < 7; ++run) b.NextRun();
  b.Leave();
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  ASSERT_TRUE(model.engine.Run().ok());
  const int32_t* written = model.engine.output(0).as<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(written, written + 6), (std::vector<int32_t>{5, 4, 3, 2, 1, 0}));
}

TEST(Section, NestsAsDeepAsTheFormatAllowsAndNoDeeper) {
  for (uint32_t depth : {format::kMaxSectionDepth, format::kMaxSectionDepth + 1}) {
    ListingBuilder b;
    const SlotIndex sum = b.Scratch(kF32, {1});
    const SlotIndex one = b.Weights<float>(kF32, {1});
    b.Output(sum, {"sum"});
    b.Fill(sum, 0);
    for (uint32_t i = 0; i < depth; ++i) b.Enter({.trip_count = 2, .max_trips = 2});
    b.Binary(BinaryOp::add, sum, one, sum);
    for (uint32_t i = 0; i < depth; ++i) b.Leave();
    Loaded model(b.Finish());
    if (depth > format::kMaxSectionDepth) {
      EXPECT_EQ(model.fault.code, FaultCode::kSectionTooDeep);
      continue;
    }
    ASSERT_TRUE(model.fault.ok()) << model.Text();
    ASSERT_TRUE(model.engine.Run().ok());
    EXPECT_EQ(model.out(0)[0], static_cast<float>(1u << depth));
  }
}

TEST(Section, RunsSectionsInsideSettleRuns) {
  ListingBuilder b;
  const SlotIndex trips = b.Scratch(kI32, {1});
  const SlotIndex sum = b.Scratch(kF32, {1});
  const SlotIndex one = b.Weights<float>(kF32, {1});
  b.Input(trips, {"trips"});
  b.Output(sum, {"sum"});
  b.Fill(sum, 0);
  b.Enter({.max_trips = 4, .unroll = 2, .trip = trips});
  b.NextRun();
  b.NextRun();
  b.Enter({.trip_count = 3, .max_trips = 3});
  b.Binary(BinaryOp::add, sum, one, sum);
  b.Leave();
  b.Leave();
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (int32_t n = 0; n <= 4; ++n) {
    *model.engine.input(0).as<int32_t>() = n;
    ASSERT_TRUE(model.engine.Run().ok());
    EXPECT_EQ(model.out(0)[0], n % 2 == 0 ? 0 : 3);
  }
}

}  // namespace
}  // namespace weft::test
