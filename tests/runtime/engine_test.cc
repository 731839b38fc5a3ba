// SPDX-License-Identifier: Apache-2.0
// The public interface: memory, ports, names, variables, sharing, profiling.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/simd/float_mode.h"
#include "runtime/steps.h"
#include "tests/runtime/listing_builder.h"

namespace weft::test {
namespace {

using format::BinaryOp;
using format::UnaryOp;

// y = x + total, total += x: a model with a variable, an initial value and every kind of name.
ListingBuilder Accumulator() {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(kF32, {1, 3});
  const SlotIndex y = b.Scratch(kF32, {3});
  const SlotIndex total = b.State(kF32, {3});
  const SlotIndex calls = b.State(kF32, {1});
  const SlotIndex start = b.Weights<float>(kF32, {10, 20, 30});
  const SlotIndex one = b.Weights<float>(kF32, {1});
  b.Input(x, {"x", "alias of x"});
  b.Output(y, {"y"});
  b.Output(start, {"start", "constant"});
  b.Output(calls, {"calls"});
  b.Output(total, {});
  b.Variable(total, start);
  b.Variable(calls);
  b.Binary(BinaryOp::add, x, total, y);
  b.Copy(y, total);
  b.Binary(BinaryOp::add, calls, one, calls);
  return b;
}

TEST(Engine, IsAFewWordsThatMayBeCopied) {
  EXPECT_TRUE(std::is_trivially_copyable_v<Engine>);
  EXPECT_TRUE(std::is_trivially_destructible_v<Engine>);
  EXPECT_LE(sizeof(Engine), 9 * sizeof(void*));
}

TEST(Engine, AnswersEmptyWhileClosed) {
  Engine engine;
  EXPECT_EQ(engine.Run().code, FaultCode::kEngineClosed);
  engine.Reset();
  EXPECT_EQ(engine.input_count(), 0u);
  EXPECT_EQ(engine.output_count(), 0u);
  EXPECT_EQ(engine.input(0).data, nullptr);
  EXPECT_EQ(engine.output("y").data, nullptr);
  EXPECT_EQ(engine.input_name(0), nullptr);
}

TEST(Engine, FindsPortsByIndexAndByAnyName) {
  Loaded model(Accumulator().Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  const Engine& engine = model.engine;
  EXPECT_EQ(engine.input_count(), 1u);
  EXPECT_EQ(engine.output_count(), 4u);
  const Tensor x = engine.input(0);
  EXPECT_EQ(x.rank, 2);
  EXPECT_EQ(x.dims[0], 1u);
  EXPECT_EQ(x.dims[1], 3u);
  EXPECT_EQ(x.bytes, 12u);
  EXPECT_EQ(x.type, Type::kF32);
  EXPECT_EQ(engine.input("x").data, x.data);
  EXPECT_EQ(engine.input("alias of x").data, x.data);
  EXPECT_EQ(engine.input("alias of").data, nullptr);
  EXPECT_EQ(engine.input("alias of xx").data, nullptr);
  EXPECT_EQ(engine.input("").data, nullptr);
  EXPECT_EQ(engine.input(static_cast<const char*>(nullptr)).data, nullptr);
  EXPECT_EQ(engine.input(1).data, nullptr);
  EXPECT_EQ(engine.output(4).data, nullptr);
  EXPECT_STREQ(engine.input_name(0), "x");
  EXPECT_STREQ(engine.output_name(1), "start");
  EXPECT_EQ(engine.output_name(3), nullptr);
  EXPECT_EQ(engine.output_name(9), nullptr);
}

TEST(Engine, ShowsAConstantOutputInTheModelItself) {
  Loaded model(Accumulator().Finish());
  const Tensor start = model.engine.output("constant");
  const std::byte* data = static_cast<const std::byte*>(start.data);
  EXPECT_GE(data, model.model.data());
  EXPECT_LT(data, model.model.data() + model.model.size());
  EXPECT_EQ(start.as<float>()[2], 30);
}

TEST(Engine, KeepsVariablesBetweenRunsAndResetsThem) {
  Loaded model(Accumulator().Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (int round = 0; round < 2; ++round) {
    for (int call = 1; call <= 3; ++call) {
      for (int i = 0; i < 3; ++i) model.in(0)[i] = static_cast<float>(i + 1);
      ASSERT_TRUE(model.engine.Run().ok());
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(model.out(0)[i], static_cast<float>((10 + call) * (i + 1)));
      }
      EXPECT_EQ(model.out(2)[0], static_cast<float>(call));
    }
    model.engine.Reset();
    EXPECT_EQ(model.out(2)[0], 0) << "no initial value: zeros";
    EXPECT_EQ(model.out(3)[1], 20);
  }
}

TEST(Engine, KeepsItsStateInPlainBytes) {
  Loaded model(Accumulator().Finish());
  for (int i = 0; i < 3; ++i) model.in(0)[i] = 1;
  ASSERT_TRUE(model.engine.Run().ok());
  const ExactBytes saved = model.state;
  for (int i = 0; i < 3; ++i) model.in(0)[i] = 1;
  ASSERT_TRUE(model.engine.Run().ok());
  EXPECT_EQ(model.out(0)[0], 12);
  std::memcpy(model.state.data(), saved.data(), saved.size());
  for (int i = 0; i < 3; ++i) model.in(0)[i] = 5;
  ASSERT_TRUE(model.engine.Run().ok());
  EXPECT_EQ(model.out(0)[0], 16);
}

TEST(Engine, StreamsShareModelAndScratchAndCostOneStateEach) {
  const ExactBytes file = Accumulator().Finish();
  Needs needs;
  ASSERT_TRUE(ReadNeeds(file.bytes(), &needs).ok());
  const ExactBytes scratch(needs.scratch_bytes);
  const ExactBytes states[2] = {ExactBytes(needs.state_bytes), ExactBytes(needs.state_bytes)};
  Engine engines[2];
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(
        Engine::Open(file.bytes(), AllSteps(), {states[i].block(), scratch.block()}, &engines[i])
            .ok());
  }
  float expected[2] = {10, 10};
  for (int call = 0; call < 6; ++call) {
    Engine& engine = engines[call % 2];
    const float step = call % 2 == 0 ? 1.0f : 100.0f;
    for (int i = 0; i < 3; ++i) engine.input(0).as<float>()[i] = step;
    ASSERT_TRUE(engine.Run().ok());
    expected[call % 2] += step;
    EXPECT_EQ(engine.output(0).as<float>()[0], expected[call % 2]);
  }
}

TEST(Open, NeedsExactlyTheMemoryItAsksFor) {
  const ExactBytes file = Accumulator().Finish();
  Needs needs;
  ASSERT_TRUE(ReadNeeds(file.bytes(), &needs).ok());
  EXPECT_EQ(needs.alignment, 64u);
  EXPECT_EQ(needs.input_count, 1u);
  EXPECT_EQ(needs.output_count, 4u);
  Engine engine;
  for (uint32_t bytes = 0; bytes < needs.state_bytes; ++bytes) {
    const ExactBytes state(bytes), scratch(needs.scratch_bytes);
    const Fault fault =
        Engine::Open(file.bytes(), AllSteps(), {state.block(), scratch.block()}, &engine);
    EXPECT_EQ(fault.code, FaultCode::kStateShort);
    EXPECT_EQ(fault.is, bytes);
    EXPECT_EQ(fault.must, needs.state_bytes);
  }
  for (uint32_t bytes = 0; bytes < needs.scratch_bytes; ++bytes) {
    const ExactBytes state(needs.state_bytes), scratch(bytes);
    const Fault fault =
        Engine::Open(file.bytes(), AllSteps(), {state.block(), scratch.block()}, &engine);
    EXPECT_EQ(fault.code, FaultCode::kScratchShort);
    EXPECT_EQ(fault.must, needs.scratch_bytes);
  }
  EXPECT_EQ(engine.input_count(), 0u) << "unchanged by a failed Open";
}

TEST(Open, RefusesMisalignedModelAndMemory) {
  const ExactBytes file = Accumulator().Finish();
  Needs needs;
  ASSERT_TRUE(ReadNeeds(file.bytes(), &needs).ok());
  Engine engine;
  for (size_t shift = 1; shift < 64; ++shift) {
    const ExactBytes model(file.size() + shift), state(needs.state_bytes + shift),
        scratch(needs.scratch_bytes + shift);
    std::memcpy(model.data() + shift, file.data(), file.size());
    Fault fault = Engine::Open({model.data() + shift, file.size()}, AllSteps(),
                               {state.block(), scratch.block()}, &engine);
    EXPECT_EQ(fault.code, FaultCode::kModelMisaligned);
    EXPECT_EQ(fault.is, shift);
    fault = Engine::Open(file.bytes(), AllSteps(),
                         {{state.data() + shift, needs.state_bytes}, scratch.block()}, &engine);
    EXPECT_EQ(fault.code, FaultCode::kStateMisaligned);
    fault = Engine::Open(file.bytes(), AllSteps(),
                         {state.block(), {scratch.data() + shift, needs.scratch_bytes}}, &engine);
    EXPECT_EQ(fault.code, FaultCode::kScratchMisaligned);
    EXPECT_EQ(fault.must, 64u);
  }
}

TEST(Open, RefusesBlocksThatOverlap) {
  const ExactBytes file = Accumulator().Finish();
  Needs needs;
  ASSERT_TRUE(ReadNeeds(file.bytes(), &needs).ok());
  ASSERT_LE(std::max(needs.state_bytes, needs.scratch_bytes), 256u);
  const ExactBytes memory(512);
  const Block both = memory.block(), first = {memory.data(), 256};
  const Block second = {memory.data() + 256, 256};
  Engine engine;
  const auto open = [&](const Block& state, const Block& scratch) {
    return Engine::Open(file.bytes(), AllSteps(), {state, scratch}, &engine);
  };
  EXPECT_TRUE(open(first, second).ok());
  EXPECT_TRUE(open(second, first).ok());
  EXPECT_TRUE(open(both, second).ok()) << "only the bytes that the model needs count";
  const Fault fault = open(both, both);
  EXPECT_EQ(fault.code, FaultCode::kMemoryOverlap);
  EXPECT_EQ(fault.index, 2u);
  EXPECT_EQ(fault.is, 1u);
  auto* const start = static_cast<std::byte*>(engine.output("constant").data);
  std::byte* const weights = start - reinterpret_cast<uintptr_t>(start) % 64;
  const Fault in_weights = open({weights, 256}, second);
  EXPECT_EQ(in_weights.code, FaultCode::kMemoryOverlap);
  EXPECT_EQ(in_weights.index, 1u);
  EXPECT_EQ(in_weights.is, 0u);
}

TEST(Open, TakesASecondScratchWhereTheModelWantsOne) {
  ListingBuilder b;
  b.region_bytes.push_back(0);
  const SlotIndex x = b.Scratch(kF32, {4});
  const SlotIndex y = b.Position(3, kF32, {4});
  b.Input(x, {"x"});
  b.Output(y, {"y"});
  b.Unary(UnaryOp::negative, x, y);
  const ExactBytes file = b.Finish();
  Needs needs;
  ASSERT_TRUE(ReadNeeds(file.bytes(), &needs).ok());
  EXPECT_EQ(needs.scratch_bytes, 16u);
  EXPECT_EQ(needs.more_scratch_bytes[0], 16u);
  const ExactBytes slow(16), fast(16);
  Engine engine;
  const Fault fault = Engine::Open(file.bytes(), AllSteps(), {{}, slow.block()}, &engine);
  EXPECT_EQ(fault.code, FaultCode::kScratchShort);
  EXPECT_EQ(fault.index, 1u);
  ASSERT_TRUE(
      Engine::Open(file.bytes(), AllSteps(), {{}, slow.block(), {fast.block()}}, &engine).ok());
  engine.input(0).as<float>()[3] = 4;
  ASSERT_TRUE(engine.Run().ok());
  EXPECT_EQ(engine.output(0).as<float>()[3], -4);
  EXPECT_EQ(engine.output(0).data, fast.data());
}

TEST(Open, RefusesAStepThatTheTableLeavesOut) {
  const ExactBytes file = Accumulator().Finish();
  for (uint32_t kind = 1; kind < format::kKindCount; ++kind) {
    std::vector<StepEntry> entries(AllSteps().entries, AllSteps().entries + AllSteps().count);
    entries[kind - 1] = {};
    Loaded model(file, {entries.data(), static_cast<uint32_t>(entries.size())});
    const bool used = kind == static_cast<uint32_t>(format::Kind::binary) ||
                      kind == static_cast<uint32_t>(format::Kind::copy);
    EXPECT_EQ(model.fault.code, used ? FaultCode::kStepAbsent : FaultCode::kNone);
    EXPECT_EQ(model.fault.kind, used ? kind : 0);
  }
  EXPECT_EQ(Loaded(file, {}).fault.code, FaultCode::kStepAbsent);
}

TEST(Open, RunsWithATableOfItsOwnStepsAlone) {
  std::vector<StepEntry> entries(format::kKindCount - 1);
  entries[static_cast<size_t>(format::Kind::binary) - 1] = steps::kBinary;
  entries[static_cast<size_t>(format::Kind::copy) - 1] = steps::kCopy;
  Loaded model(Accumulator().Finish(), {entries.data(), static_cast<uint32_t>(entries.size())});
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  EXPECT_TRUE(model.engine.Run().ok());
}

TEST(Port, ShortensAnAxisWhoseLengthIsKnownAfterTheRun) {
  ListingBuilder b;
  const SlotIndex trips = b.Scratch(kI32, {1});
  const SlotIndex y = b.Scratch(kF32, {1, 6, 2});
  const SlotIndex length = b.Scratch(kI32, {1});
  const SlotIndex row = b.Part(y, 0, 8, {{0, 8}});
  b.Input(trips, {"trips"});
  b.Output(y, {"y"}, 1, length);
  b.Enter({.max_trips = 6, .trip = trips, .length = length});
  b.Fill(row, 1);
  b.Leave();
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  EXPECT_EQ(model.engine.output(0).dims[1], 6u) << "the maximum, before the first Run";
  for (uint32_t n = 0; n <= 6; ++n) {
    *model.engine.input(0).as<int32_t>() = static_cast<int32_t>(n);
    ASSERT_TRUE(model.engine.Run().ok());
    EXPECT_EQ(model.engine.output(0).dims[0], 1u);
    EXPECT_EQ(model.engine.output(0).dims[1], n);
    EXPECT_EQ(model.engine.output(0).dims[2], 2u);
    EXPECT_EQ(model.engine.output(0).bytes, 8 * n);
  }
  for (const int32_t garbage : {-1, 7, 0x7FFFFFFF}) {
    const format::Model* root = format::GetModel(model.model.data());
    const uint32_t offset = root->slots()->Get(length)->offset_bytes();
    std::memcpy(model.scratch.data() + offset, &garbage, 4);
    EXPECT_EQ(model.engine.output(0).dims[1], 6u) << "whatever another engine left there";
  }
}

struct Trace {
  uint64_t clock = 0;
  std::vector<uint32_t> steps;
  std::vector<uint64_t> times;
  static uint64_t Now(void* user) { return static_cast<Trace*>(user)->clock++; }
  static void Step(void* user, uint32_t step_index, uint64_t begin, uint64_t end) {
    Trace* trace = static_cast<Trace*>(user);
    trace->steps.push_back(step_index);
    trace->times.push_back(begin);
    trace->times.push_back(end);
  }
};

TEST(Profile, SeesEveryStepInTheOrderOfItsRun) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(kF32, {2});
  b.Input(x, {"x"});
  b.Output(x, {"x"});
  b.Unary(UnaryOp::abs, x, x);
  b.Enter({.trip_count = 3, .max_trips = 3, .unroll = 2});
  b.Unary(UnaryOp::negative, x, x);
  b.NextRun();
  b.Unary(UnaryOp::identity, x, x);
  b.NextRun();
  b.Unary(UnaryOp::sqrt, x, x);
  b.Leave();
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  model.in(0)[0] = model.in(0)[1] = 4;
  Trace trace;
  const Profile profile = {&Trace::Now, &Trace::Step, &trace};
  model.engine.SetProfile(&profile);
  ASSERT_TRUE(model.engine.Run().ok());
  EXPECT_EQ(trace.steps, (std::vector<uint32_t>{0, 2, 3, 2, 4}));
  for (size_t i = 0; i < trace.times.size(); ++i) EXPECT_EQ(trace.times[i], i);
  model.engine.SetProfile(nullptr);
  ASSERT_TRUE(model.engine.Run().ok());
  EXPECT_EQ(trace.steps.size(), 5u);
}

TEST(Run, FlushesSubnormalsAndRestoresTheCallersMode) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(kF32, {1});
  const SlotIndex y = b.Scratch(kF32, {1});
  const SlotIndex half = b.Weights<float>(kF32, {0.5f});
  b.Input(x, {"x"});
  b.Output(y, {"y"});
  b.Binary(BinaryOp::multiply, x, half, y);
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  volatile float smallest = 1.17549435e-38f;
  model.in(0)[0] = smallest;
  ASSERT_TRUE(model.engine.Run().ok());
  EXPECT_EQ(model.out(0)[0] == 0.0f, kernels::FloatMode::kFlushes);
  const volatile float halved = smallest * 0.5f;
  EXPECT_GT(halved, 0.0f);
}

}  // namespace
}  // namespace weft::test
