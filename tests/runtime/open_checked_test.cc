// SPDX-License-Identifier: Apache-2.0
// Engine::OpenChecked over listings that are written here by hand: what it accepts, and that no memory
// for its notes changes what it finds.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runtime/plan_number.h"
#include "runtime/weft_c.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

// y = x * x * factor + total + x; total = y, which starts as 10, 20.
ListingBuilder Totals() {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(ElementType::f32, {2});
  const SlotIndex square = b.Scratch(ElementType::f32, {2});
  const SlotIndex y = b.Scratch(ElementType::f32, {2});
  const SlotIndex total = b.State(ElementType::f32, {2});
  const SlotIndex factor = b.Weights<float>(ElementType::f32, {3, 4});
  b.Input(x, {"x"});
  b.Output(y, {"y"});
  b.Variable(total, b.Weights<float>(ElementType::f32, {10, 20}));
  b.Binary(format::BinaryOp::multiply, x, x, square);
  b.Binary(format::BinaryOp::multiply, square, factor, square);
  b.Binary(format::BinaryOp::add, square, total, y);
  b.Binary(format::BinaryOp::add, y, x, y);
  b.Copy(y, total);
  return b;
}

std::string TextOf(uint32_t number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%s%08lx", kPlanNumberText, static_cast<unsigned long>(number));
  return text;
}

struct Opened {
  explicit Opened(const ExactBytes& file, size_t table_bytes = 0) : table(table_bytes) {
    Needs needs;
    fault = ReadNeeds(file.bytes(), &needs);
    if (!fault.ok()) return;
    state = ExactBytes(needs.state_bytes);
    scratch = ExactBytes(needs.scratch_bytes);
    fault = Engine::OpenChecked(file.bytes(), AllSteps(), {state.block(), scratch.block()},
                                table.block(), &engine);
  }
  ExactBytes table, state = ExactBytes(0), scratch = ExactBytes(0);
  Engine engine;
  Fault fault;
};

// The number that such a listing has.
uint32_t NumberOf(ListingBuilder b) {
  b.generator = TextOf(1);
  const ExactBytes file = b.Finish();
  const Opened opened(file);
  EXPECT_EQ(opened.fault.code, FaultCode::kPlanNumber);
  EXPECT_EQ(opened.fault.must, 1u);
  EXPECT_EQ(opened.engine.input_count(), 0u) << "the engine is left closed";
  return opened.fault.is;
}

TEST(OpenChecked, AcceptsThePlanOfTheFileAndLeavesTheEngineReset) {
  ListingBuilder b = Totals();
  b.generator = "weft" + TextOf(NumberOf(Totals())) + "; f16 weights";
  const ExactBytes file = b.Finish();
  const uint32_t most = PlanTableBytes(file.bytes());
  EXPECT_EQ(most, (4u * 3u + 2u) * kPlanTableBytesPerOperand);
  for (const size_t table_bytes : {size_t{0}, size_t{1}, size_t{39}, size_t{most}}) {
    Opened opened(file, table_bytes);
    ASSERT_TRUE(opened.fault.ok()) << Loaded::TextOf(opened.fault);
    opened.engine.input(0).as<float>()[0] = 2;
    opened.engine.input(0).as<float>()[1] = 1;
    ASSERT_TRUE(opened.engine.Run().ok());
    EXPECT_EQ(opened.engine.output(0).as<float>()[0], 24);
    EXPECT_EQ(opened.engine.output(0).as<float>()[1], 25);
  }
}

TEST(OpenChecked, RefusesAnotherOrderPlaceOperationOrConstant) {
  const uint32_t number = NumberOf(Totals());
  ListingBuilder order = Totals();
  std::swap(order.steps[0], order.steps[1]);
  ListingBuilder place = Totals();
  place.slots[1].mutate_offset_bytes(place.slots[0].offset_bytes());
  EXPECT_NE(NumberOf(place), number) << "x is read again";
  place = Totals();
  place.slots[2].mutate_offset_bytes(place.slots[1].offset_bytes());
  EXPECT_EQ(NumberOf(place), number) << "the square is not";
  EXPECT_NE(NumberOf(order), number);
  ListingBuilder constant = Totals();
  ++constant.weights[3];
  EXPECT_NE(NumberOf(constant), number);
  ListingBuilder swapped = Totals();
  swapped.variables[0] = format::Variable(swapped.variables[0].slot(), format::kNoSlot, kNoSlot);
  EXPECT_NE(NumberOf(swapped), number);
}

TEST(OpenChecked, NeedsANumber) {
  for (const char* text :
       {"", "weft", "; values ", "; values 0000", "; values 0000000g", "; values 00000000"}) {
    ListingBuilder b = Totals();
    b.generator = text;
    const Opened opened(b.Finish());
    EXPECT_EQ(opened.fault.code, FaultCode::kPlanNumberAbsent) << text;
  }
}

TEST(OpenChecked, SaysFirstWhatOpenSays) {
  ListingBuilder b = Totals();
  b.generator = TextOf(1);
  b.operands[0] = 77;
  EXPECT_EQ(Opened(b.Finish()).fault.code, FaultCode::kOperandSlot);
  const ExactBytes nothing(0);
  EXPECT_EQ(PlanTableBytes(nothing.bytes()), 0u);
}

TEST(OpenChecked, IsTheSameInC) {
  ListingBuilder b = Totals();
  b.generator = TextOf(NumberOf(Totals()));
  const ExactBytes file = b.Finish();
  weft_needs needs;
  ASSERT_TRUE(weft_ok(weft_read_needs(file.data(), file.size(), &needs)));
  const ExactBytes state(needs.state_bytes), scratch(needs.scratch_bytes);
  const ExactBytes table(weft_plan_table_bytes(file.data(), file.size()));
  const weft_memory memory = {{state.data(), state.size()}, {scratch.data(), scratch.size()}, {}};
  weft_engine engine;
  const weft_fault fault = weft_open_checked(file.data(), file.size(), weft_all_steps(), memory,
                                             {table.data(), table.size()}, &engine);
  EXPECT_TRUE(weft_ok(fault)) << fault.code;
  EXPECT_EQ(weft_input_count(&engine), 1u);
}

}  // namespace
}  // namespace weft::test
