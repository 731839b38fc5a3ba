// SPDX-License-Identifier: Apache-2.0
// Copies of weights in scratch: Open and Reset write them, they are no part of the state, and
// damaged copies are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "runtime/plan_number.h"
#include "tests/runtime/listing_builder.h"

namespace weft::test {
namespace {

using format::BinaryOp;

// y = x * factor + total; total = y, which starts as 10, 20. If `copies`, steps read a copy of
// `factor` in scratch.
struct Scaled {
  explicit Scaled(bool copies, const std::vector<float>& factors = {3, 4}) {
    x = b.Scratch(kF32, {2});
    y = b.Scratch(kF32, {2});
    total = b.State(kF32, {2});
    factor = b.Weights<float>(kF32, factors);
    start = b.Weights<float>(kF32, {10, 20});
    copy = b.Scratch(kF32, {2});
    b.Input(x, {"x"});
    b.Output(y, {"y"});
    b.Variable(total, start);
    if (copies) b.Variable(copy, factor);
    b.Binary(BinaryOp::multiply, x, copies ? copy : factor, y);
    b.Binary(BinaryOp::add, y, total, y);
    b.Copy(y, total);
  }

  ListingBuilder b;
  SlotIndex x, y, total, factor, start, copy;
};

// Runs with x = 1, 2 and returns y.
std::vector<float> RunOnce(Engine& engine) {
  float* const x = engine.input(0).as<float>();
  x[0] = 1;
  x[1] = 2;
  EXPECT_TRUE(engine.Run().ok());
  const float* const y = engine.output(0).as<float>();
  return {y[0], y[1]};
}

using Numbers = std::vector<float>;

TEST(WeightCopies, AreWrittenByOpenAndReset) {
  Loaded model(Scaled(true).b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  EXPECT_EQ(RunOnce(model.engine), (Numbers{13, 28}));
  EXPECT_EQ(RunOnce(model.engine), (Numbers{16, 36}));
  std::memset(model.scratch.data(), 0xFF, model.scratch.size());
  model.engine.Reset();
  EXPECT_EQ(RunOnce(model.engine), (Numbers{13, 28}));
}

TEST(WeightCopies, AreSharedByTheEnginesOfAModel) {
  const ExactBytes file = Scaled(true).b.Finish();
  Needs needs;
  ASSERT_TRUE(ReadNeeds(file.bytes(), &needs).ok());
  const ExactBytes scratch(needs.scratch_bytes);
  const ExactBytes states[2] = {ExactBytes(needs.state_bytes), ExactBytes(needs.state_bytes)};
  Engine engines[2];
  for (int i = 0; i < 2; ++i) {
    const Memory memory = {states[i].block(), scratch.block()};
    ASSERT_TRUE(Engine::Open(file.bytes(), AllSteps(), memory, &engines[i]).ok());
  }
  EXPECT_EQ(RunOnce(engines[0]), (Numbers{13, 28}));
  EXPECT_EQ(RunOnce(engines[1]), (Numbers{13, 28}));
  EXPECT_EQ(RunOnce(engines[0]), (Numbers{16, 36}));
  engines[0].Reset();
  EXPECT_EQ(RunOnce(engines[1]), (Numbers{16, 36}));
}

// The state of a model without copies can be restored.
TEST(WeightCopies, AreNoPartOfTheState) {
  const ExactBytes plain = Scaled(false).b.Finish(), copied = Scaled(true).b.Finish();
  EXPECT_NE(StateLayout(plain.bytes()), 0u);
  EXPECT_EQ(StateLayout(plain.bytes()), StateLayout(copied.bytes()));
  Loaded from(Scaled(false).b.Finish()), to(Scaled(true).b.Finish());
  RunOnce(from.engine);
  ASSERT_EQ(from.state.size(), to.state.size());
  std::memcpy(to.state.data(), from.state.data(), from.state.size());
  EXPECT_EQ(RunOnce(to.engine), RunOnce(from.engine));
}

TEST(WeightCopies, MayHoldInfinities) {
  Scaled model(true, {3, std::numeric_limits<float>::infinity()});
  // Only the first factor is read, so that the outputs are finite.
  model.b.operands[1] = model.b.Part(model.copy, 0, 4, {});
  model.b.binary_rows[0].mutable_b_strides()->Mutate(0, 0);
  Loaded loaded(model.b.Finish());
  ASSERT_TRUE(loaded.fault.ok()) << loaded.Text();
  loaded.in(0)[0] = loaded.in(0)[1] = 1;
  EXPECT_TRUE(loaded.engine.RunChecked().ok());
}

// The plan hash of a model.
uint32_t HashOf(ListingBuilder b) {
  char text[32];
  std::snprintf(text, sizeof(text), "%s%08x", kPlanNumberText, 1u);
  b.generator = text;
  const ExactBytes file = b.Finish();
  Needs needs;
  EXPECT_TRUE(ReadNeeds(file.bytes(), &needs).ok());
  ExactBytes state(needs.state_bytes), scratch(needs.scratch_bytes), table(64);
  Engine engine;
  const Fault fault = Engine::OpenChecked(file.bytes(), AllSteps(),
                                          {state.block(), scratch.block()}, table.block(), &engine);
  EXPECT_EQ(fault.code, FaultCode::kPlanNumber);
  return fault.is;
}

TEST(WeightCopies, HaveThePlanHashOfTheWeights) {
  const uint32_t number = HashOf(Scaled(false).b);
  EXPECT_EQ(HashOf(Scaled(true).b), number);
  EXPECT_NE(HashOf(Scaled(true, {3, 5}).b), number);
  Scaled other(true);
  other.b.variables[1].mutate_initial_slot(other.start);
  EXPECT_NE(HashOf(other.b), number);
  Scaled overwritten(true);
  overwritten.b.Fill(overwritten.copy, 0);
  EXPECT_NE(HashOf(overwritten.b), number);
  Scaled without(true);
  without.b.variables.pop_back();
  EXPECT_NE(HashOf(without.b), number);
}

struct Damage {
  const char* name;
  void (*change)(Scaled&);
  FaultCode code;
  uint32_t index;
};

const Damage kDamages[] = {
    {"no weights", [](Scaled& m) { m.b.variables[1].mutate_initial_slot(kNoSlot); },
     FaultCode::kVariableRegion, 1},
    {"weights in scratch", [](Scaled& m) { m.b.variables[1].mutate_initial_slot(m.y); },
     FaultCode::kVariableInitialRegion, 1},
    {"weights in the state", [](Scaled& m) { m.b.variables[1].mutate_initial_slot(m.total); },
     FaultCode::kVariableInitialRegion, 1},
    {"weights that do not exist", [](Scaled& m) { m.b.variables[1].mutate_initial_slot(99); },
     FaultCode::kVariableInitial, 1},
    {"fewer weights", [](Scaled& m) { m.b.slots[m.factor].mutate_bytes(4); },
     FaultCode::kVariableInitialBytes, 1},
    {"weights beyond the file's", [](Scaled& m) { m.b.slots[m.factor].mutate_offset_bytes(64); },
     FaultCode::kSlotRange, 3},
    {"a copy beyond its region", [](Scaled& m) { m.b.slots[m.copy].mutate_offset_bytes(20); },
     FaultCode::kSlotRange, 5},
    {"a copy that is not aligned", [](Scaled& m) { m.b.slots[m.copy].mutate_offset_bytes(14); },
     FaultCode::kSlotAlignment, 5},
    {"a copy in the weights",
     [](Scaled& m) {
       m.b.slots[m.copy].mutate_region(0);
       m.b.slots[m.copy].mutate_offset_bytes(0);
     },
     FaultCode::kVariableRegion, 1},
    {"a copy in no region", [](Scaled& m) { m.b.slots[m.copy].mutate_region(3); },
     FaultCode::kSlotRegion, 5},
    {"a copy that moves",
     [](Scaled& m) {
       SectionSpec once;
       once.trip_count = once.max_trips = 1;
       m.b.moves.emplace_back(m.b.Enter(once), 0);
       m.b.Leave();
       m.b.slots[m.copy].mutate_move_count(1);
       m.b.operands[1] = m.factor;
     },
     FaultCode::kVariableMoves, 1},
    // Open then takes time linear in the size of the file.
    {"more copies than weights",
     [](Scaled& m) {
       for (int i = 0; i < 3; ++i) m.b.Variable(m.copy, m.factor);
     },
     FaultCode::kVariableBytes, 3},
};

TEST(WeightCopies, AreRefusedIfDamaged) {
  for (const Damage& damage : kDamages) {
    SCOPED_TRACE(damage.name);
    Scaled model(true);
    damage.change(model);
    const Loaded loaded(model.b.Finish());
    EXPECT_EQ(loaded.fault.code, damage.code) << loaded.Text();
    EXPECT_EQ(loaded.fault.index, damage.index);
  }
}

}  // namespace
}  // namespace weft::test
