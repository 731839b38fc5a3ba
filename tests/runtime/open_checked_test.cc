// SPDX-License-Identifier: Apache-2.0
// Engine::OpenChecked over models built here by hand: what it accepts, and that its result does not
// depend on the size of its table.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kernels/element.h"
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

// The plan hash of such a model.
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
  const uint32_t max = PlanTableBytes(file.bytes());
  EXPECT_EQ(max, (4u * 3u + 2u) * kPlanTableBytesPerOperand);
  for (const size_t table_bytes : {size_t{0}, size_t{1}, size_t{39}, size_t{max}}) {
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
  ListingBuilder position = Totals();
  position.slots[1].mutate_offset_bytes(position.slots[0].offset_bytes());
  EXPECT_NE(NumberOf(position), number) << "x is read again";
  position = Totals();
  position.slots[2].mutate_offset_bytes(position.slots[1].offset_bytes());
  EXPECT_EQ(NumberOf(position), number) << "the square is not";
  EXPECT_NE(NumberOf(order), number);
  ListingBuilder constant = Totals();
  ++constant.weights[3];
  EXPECT_NE(NumberOf(constant), number);
  ListingBuilder swapped = Totals();
  swapped.variables[0] = format::Variable(swapped.variables[0].slot(), format::kNoSlot, kNoSlot);
  EXPECT_NE(NumberOf(swapped), number);
}

// The hash covers what a caller sees of a port, including what no step reads, but not its address.
TEST(OpenChecked, RefusesAnotherPort) {
  ListingBuilder plain = Totals();
  const uint32_t number = NumberOf(plain);
  const auto expect_other = [number](const char* what, const auto& change) {
    for (const bool is_input : {true, false}) {
      ListingBuilder b = Totals();
      std::vector<format::Port>& ports = is_input ? b.inputs : b.outputs;
      change(b, ports[0]);
      EXPECT_NE(NumberOf(b), number) << what << (is_input ? " of an input" : " of an output");
    }
  };
  // Another slot at the address of the port's.
  const auto with_slot = [](ListingBuilder& b, format::Port& port, ElementType type,
                            const std::vector<uint32_t>& dims) {
    const format::Slot slot = b.slots[port.slot()];
    uint32_t count = 1;
    for (const uint32_t dim : dims) count *= dim;
    const uint32_t bytes = count * format::BitsOf(type) / 8;
    port.mutate_slot(b.PositionAt(slot.region(), slot.offset_bytes(), bytes, type, dims));
  };
  using Port = format::Port;
  using B = ListingBuilder;
  expect_other("type", [&](B& b, Port& port) { with_slot(b, port, kI32, {2}); });
  expect_other("dims", [&](B& b, Port& port) { with_slot(b, port, kF32, {1}); });
  expect_other("rank", [&](B& b, Port& port) { with_slot(b, port, kF32, {1, 2}); });
  expect_other("dims of the same size",
               [&](B& b, Port& port) { with_slot(b, port, ElementType::f16, {4}); });
  expect_other("name", [](B& b, Port& port) { b.names[port.first_name()] += "2"; });
  expect_other("number of names", [](B&, Port& port) { port.mutate_name_count(0); });

  ListingBuilder same = Totals();
  with_slot(same, same.outputs[0], kF32, {2});
  EXPECT_EQ(NumberOf(same), number) << "another slot with the same description";
}

TEST(OpenChecked, RefusesAnotherLengthAxis) {
  const auto number = [](uint8_t axis) {
    ListingBuilder b;
    const SlotIndex length = b.Scratch(kI32, {1});
    const SlotIndex y = b.Scratch(kF32, {2, 2});
    b.Fill(y, 1);
    b.Fill(length, 2);
    b.Output(y, {"y"}, axis, length);
    return NumberOf(b);
  };
  EXPECT_NE(number(0), number(1));
}

// Open writes the maximum length before the first run; a variable at that address would read it.
TEST(OpenChecked, RefusesALengthInTheState) {
  const auto number = [](bool is_in_state) {
    ListingBuilder b;
    const SlotIndex scratch = b.Scratch(kI32, {1}), state = b.State(kI32, {1});
    const SlotIndex y = b.Scratch(kI32, {2});
    const uint32_t dims[8] = {1}, strides[8] = {1};
    b.Variable(state);
    b.Copy(state, scratch);
    b.Step(format::Kind::binary,
           format::BinaryParams(1, dims, strides, strides, format::BinaryOp::add, kI32, 0),
           {state, state, y});
    b.Output(y, {"y"}, 0, is_in_state ? state : scratch);
    return NumberOf(b);
  };
  EXPECT_NE(number(true), number(false));
}

// Two variables that start with equal zeros; then both rows name the same one.
TEST(OpenChecked, RefusesAVariableThatIsNotReset) {
  ListingBuilder b;
  const SlotIndex first = b.State(kF32, {2}), second = b.State(kF32, {2});
  const SlotIndex y = b.Scratch(kF32, {2});
  b.Variable(first);
  b.Variable(second);
  b.Binary(format::BinaryOp::add, first, second, y);
  b.Output(y, {"y"});
  const uint32_t number = NumberOf(b);
  ListingBuilder lost = b;
  lost.variables[1] = lost.variables[0];
  EXPECT_NE(NumberOf(lost), number);
  ListingBuilder from_zeros = b;
  from_zeros.variables[1] =
      format::Variable(second, from_zeros.Weights<float>(kF32, {0, 0}), kNoSlot);
  EXPECT_EQ(NumberOf(from_zeros), number) << "explicit zeros are equal to none";
}

TEST(OpenChecked, RefusesZerosOfAnotherLength) {
  const auto number = [](uint32_t count) {
    ListingBuilder b;
    b.Output(b.Weights<float>(kF32, std::vector<float>(count)), {"y"});
    return NumberOf(b);
  };
  EXPECT_NE(number(4), number(8));
}

// A loop that ends at its maximum is an error of Run, for any number of iterations.
TEST(OpenChecked, RefusesAnotherEndOfALoop) {
  const auto number = [](uint32_t trip_count) {
    ListingBuilder b;
    SectionSpec spec = {.trip_count = trip_count, .max_trips = 4};
    spec.body_condition = b.Scratch(ElementType::boolean, {1});
    b.Enter(spec);
    b.Leave();
    return NumberOf(b);
  };
  EXPECT_NE(number(4), number(format::kNoLimit));
  const auto number_of_constant = [](int32_t trips) {
    ListingBuilder b;
    b.Enter({.max_trips = 4, .trip = b.Weights<int32_t>(kI32, {trips})});
    b.Leave();
    return NumberOf(b);
  };
  EXPECT_NE(number_of_constant(4), number_of_constant(5));
  EXPECT_EQ(number_of_constant(-1), number_of_constant(5)) << "both run until the maximum";
}

// Work is charged before it is done, so that each of these files is rejected at once. Their steps
// access hardly any bytes.
TEST(OpenChecked, BoundsWorkOtherThanThatOfSteps) {
  if (kernels::kIsMicrocontroller)
    GTEST_SKIP() << "a gigabyte of numbers takes an emulator minutes";
  const auto code = [](ListingBuilder b) {
    b.generator = TextOf(1);
    return Opened(b.Finish()).fault.code;
  };
  constexpr uint32_t kLarge = 1u << 20;
  const SectionSpec loop = {.trip_count = 4096, .max_trips = 4096};
  {
    ListingBuilder b;
    const SlotIndex large = b.Scratch(ElementType::u8, {kLarge});
    for (int i = 0; i < 1000; ++i) b.Output(large, {});
    EXPECT_EQ(code(b), FaultCode::kPlanNumberAbsent) << "outputs";
  }
  {
    ListingBuilder b;
    const SlotIndex large = b.Scratch(ElementType::u8, {kLarge});
    for (int i = 0; i < 1000; ++i) b.Input(large, {});
    EXPECT_EQ(code(b), FaultCode::kPlanNumberAbsent) << "inputs";
  }
  {
    ListingBuilder b;
    b.Scratch(ElementType::u8, {48 * kLarge});
    const SlotIndex condition = b.Scratch(ElementType::boolean, {1});
    b.Enter({.trip_count = 1, .first_condition = condition});
    b.Leave();
    EXPECT_EQ(code(b), FaultCode::kPlanNumberAbsent) << "scratch, in each of 24 runs";
  }
  {
    ListingBuilder b;
    SectionSpec spec = loop;
    spec.body_condition = b.Scratch(ElementType::boolean, {kLarge});
    b.Enter(spec);
    b.Leave();
    EXPECT_EQ(code(b), FaultCode::kPlanNumberAbsent) << "a condition";
  }
  {
    ListingBuilder b;
    const SlotIndex y = b.Scratch(ElementType::u8, {kLarge});
    const uint32_t dims[8] = {kLarge};
    const int32_t strides[8] = {};
    b.Enter(loop);
    b.Step(format::Kind::copy, format::CopyParams(1, dims, strides, strides, 0, 0, 1),
           {b.Scratch(ElementType::u8, {1}), y});
    b.Leave();
    EXPECT_EQ(code(b), FaultCode::kPlanNumberAbsent) << "a copy without strides";
  }
  {
    ListingBuilder b;
    b.Enter({.trip_count = 1u << 14, .max_trips = 1u << 14});
    for (int i = 0; i < 300; ++i) {
      b.Enter({.trip_count = 0, .max_trips = 1});
      b.Leave();
    }
    b.Leave();
    EXPECT_EQ(code(b), FaultCode::kPlanNumberAbsent) << "sections that are not entered";
  }
}

TEST(OpenChecked, NeedsANumber) {
  for (const char* text : {"", "weft", "; values 00000001", "; plan-2 ", "; plan-2 0000",
                           "; plan-2 0000000g", "; plan-2 00000000"}) {
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
