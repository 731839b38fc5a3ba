// SPDX-License-Identifier: Apache-2.0
// Engine::SelfTest over pairs built here by hand, and the comparison of elements.
#include "runtime/self_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/simd/fused.h"
#include "runtime/weft_c.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

using format::ToleranceClass;

template <typename T>
void Append(const std::vector<T>& values, std::vector<uint8_t>& data) {
  AppendBytes(values.data(), values.size() * sizeof(T), data);
}

// y = x + total; total = y, which starts as 10, 20. Two runs.
ListingBuilder SumFromTen() {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(ElementType::f32, {2});
  const SlotIndex y = b.Scratch(ElementType::f32, {2});
  const SlotIndex total = b.State(ElementType::f32, {2});
  b.Input(x, {"x"});
  b.Output(y, {"y"});
  b.Variable(total, b.Weights<float>(ElementType::f32, {10, 20}));
  b.Binary(format::BinaryOp::add, x, total, y);
  b.Copy(y, total);
  b.self_test = format::SelfTest(2, ToleranceClass::exact, 0, 0);
  Append<float>({1, 2}, b.self_test_data);
  Append<float>({11, 22}, b.self_test_data);
  Append<float>({1, 1}, b.self_test_data);
  Append<float>({12, 23}, b.self_test_data);
  return b;
}

uint32_t BitsOfFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

void SpoilFloat(ListingBuilder& b, size_t index, float value) {
  std::memcpy(b.self_test_data.data() + 4 * index, &value, sizeof(value));
}

TEST(SelfTest, PassesAndLeavesTheVariablesReset) {
  Loaded model(SumFromTen().Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  for (int time = 0; time < 2; ++time) {
    Mismatch first;
    const Fault fault = model.engine.SelfTest(&first);
    EXPECT_TRUE(fault.ok()) << Loaded::TextOf(fault);
    model.in(0)[0] = model.in(0)[1] = 0;
    ASSERT_TRUE(model.engine.Run().ok());
    EXPECT_EQ(model.out(0)[0], 10);
    EXPECT_EQ(model.out(0)[1], 20);
  }
}

TEST(SelfTest, NamesTheFirstElementThatDiffers) {
  ListingBuilder b = SumFromTen();
  SpoilFloat(b, 7, 24);  // the last element of run 1
  Loaded model(b.Finish());
  Mismatch first;
  const Fault fault = model.engine.SelfTest(&first);
  EXPECT_EQ(Loaded::TextOf(fault),
            "self test: run 1, output 0 differs at element 1 (4294967295: in its length)");
  EXPECT_EQ(first.run, 1u);
  EXPECT_EQ(first.output, 0u);
  EXPECT_EQ(first.element, 1u);
  EXPECT_EQ(first.type, Type::kF32);
  EXPECT_EQ(first.expected, BitsOfFloat(24));
  EXPECT_EQ(first.actual, BitsOfFloat(23));
}

TEST(SelfTest, SeesOneBitOfAWeight) {
  ExactBytes file = SumFromTen().Finish();
  const float twenty = 20;
  std::byte* weight = nullptr;
  for (size_t i = 0; i + 4 <= file.size(); ++i) {
    if (std::memcmp(file.data() + i, &twenty, 4) == 0) weight = file.data() + i;
  }
  ASSERT_NE(weight, nullptr);
  *weight ^= std::byte{1};
  Loaded model(file);
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  Mismatch first;
  EXPECT_EQ(model.engine.SelfTest(&first).code, FaultCode::kSelfTestDiffers);
  EXPECT_EQ(first.run, 0u);
  EXPECT_EQ(first.element, 1u);
  EXPECT_EQ(first.expected, BitsOfFloat(22));
  EXPECT_EQ(first.actual, BitsOfFloat(22) + 1);
}

TEST(SelfTest, ComparesEveryTypeAndTheTrueLengthOfOutputs) {
  ListingBuilder b = EveryFeature().b;
  RecordSelfTest(b, 3);
  Loaded model(b.Finish());
  Mismatch first;
  const Fault fault = model.engine.SelfTest(&first);
  EXPECT_TRUE(fault.ok()) << Loaded::TextOf(fault);
  // The length of y follows the inputs x f32[3,4], trips i64 and more boolean.
  const size_t length_at = 48 + 8 + 1;
  ASSERT_LE(b.self_test_data[length_at], 3);
  b.self_test_data[length_at] += 1;
  Loaded other(b.Finish());
  EXPECT_EQ(other.engine.SelfTest(&first).code, FaultCode::kSelfTestDiffers);
  EXPECT_EQ(first.element, Mismatch::kLengthDiffers);
  EXPECT_EQ(first.type, Type::kI32);
  EXPECT_EQ(first.expected, first.actual + 1);
}

TEST(SelfTest, RefusesWhatIsNotThereOrOutOfBounds) {
  using format::SelfTest;
  const auto code = [](auto spoil) {
    ListingBuilder b = SumFromTen();
    spoil(b);
    Loaded model(b.Finish());
    EXPECT_TRUE(model.fault.ok()) << "Open does not check the self test: " << model.Text();
    Mismatch first;
    return model.engine.SelfTest(&first).code;
  };
  using B = ListingBuilder;
  constexpr ToleranceClass kExact = ToleranceClass::exact;
  EXPECT_EQ(code([](B& b) { b.self_test.reset(); }), FaultCode::kSelfTestAbsent);
  EXPECT_EQ(code([](B& b) { b.self_test_data.clear(); }), FaultCode::kSelfTestBytes);
  EXPECT_EQ(code([](B& b) { b.self_test_data.pop_back(); }), FaultCode::kSelfTestBytes);
  EXPECT_EQ(code([](B& b) { b.self_test_data.push_back(0); }), FaultCode::kSelfTestBytes);
  EXPECT_EQ(code([](B& b) { b.self_test = SelfTest(0, kExact, 0, 0); }), FaultCode::kSelfTestRuns);
  EXPECT_EQ(code([](B& b) { b.self_test = SelfTest(1001, kExact, 0, 0); }),
            FaultCode::kSelfTestRuns);
  EXPECT_EQ(code([](B& b) { b.self_test = SelfTest(1, kExact, 0, 0); }), FaultCode::kSelfTestBytes);
  EXPECT_EQ(code([](B& b) { b.self_test = SelfTest(3, kExact, 0, 0); }), FaultCode::kSelfTestBytes);
  EXPECT_EQ(code([](B& b) { b.self_test = SelfTest(2, static_cast<ToleranceClass>(2), 0, 0); }),
            FaultCode::kSelfTestTolerance);
  EXPECT_EQ(code([](B& b) { b.self_test = SelfTest(2, kExact, 0, 256); }),
            FaultCode::kSelfTestReserved);
  Mismatch first;
  EXPECT_EQ(Engine().SelfTest(&first).code, FaultCode::kEngineClosed);
}

TEST(SelfTest, AnswersCToo) {
  ListingBuilder b = SumFromTen();
  SpoilFloat(b, 2, 111);
  const ExactBytes file = b.Finish();
  const ExactBytes state(64), scratch(64);
  weft_engine engine;
  ASSERT_TRUE(weft_ok(weft_open(
      file.data(), file.size(), weft_all_steps(),
      {{state.data(), state.size()}, {scratch.data(), scratch.size()}, {{nullptr, 0}}}, &engine)));
  weft_mismatch first;
  const weft_fault fault = weft_self_test(&engine, &first);
  EXPECT_EQ(fault.code, static_cast<uint16_t>(FaultCode::kSelfTestDiffers));
  EXPECT_EQ(first.type, WEFT_F32);
  EXPECT_EQ(first.expected, BitsOfFloat(111));
  EXPECT_EQ(first.actual, BitsOfFloat(11));
}

TEST(Passes, OnlyEqualBitsAndNansWhereExact) {
  constexpr ToleranceClass kExact = ToleranceClass::exact;
  EXPECT_TRUE(Passes(Type::kF32, kExact, 0x3F800000, 0x3F800000));
  EXPECT_FALSE(Passes(Type::kF32, kExact, 0x3F800000, 0x3F800001));
  EXPECT_FALSE(Passes(Type::kF32, kExact, 0, 0x80000000)) << "the sign of a zero counts";
  EXPECT_TRUE(Passes(Type::kF32, kExact, 0x7FC00000, 0xFFC12345));
  EXPECT_FALSE(Passes(Type::kF32, kExact, 0x7FC00000, 0x7F800000));
  EXPECT_FALSE(Passes(Type::kF32, kExact, 0x7F800000, 0x7FC00000));
  EXPECT_TRUE(Passes(Type::kF16, kExact, 0x7E00, 0xFE00));
  EXPECT_FALSE(Passes(Type::kF16, kExact, 0x7C00, 0xFE00));
  EXPECT_TRUE(Passes(Type::kBF16, kExact, 0x7FC0, 0xFFC1));
  EXPECT_TRUE(Passes(Type::kF64, kExact, 0x7FF8000000000000, 0xFFF0000000000001));
  EXPECT_FALSE(Passes(Type::kF64, kExact, 0x7FF0000000000000, 0xFFF8000000000000));
  EXPECT_FALSE(Passes(Type::kI32, kExact, 0x7FC00000, 0xFFC12345));
}

TEST(Passes, WhatIsNearWhereRounded) {
  const auto f32 = [](float must, float is) {
    return Passes(Type::kF32, ToleranceClass::rounded, BitsOfFloat(must), BitsOfFloat(is));
  };
  const auto f64 = [](double must, double is) {
    uint64_t bits[2];
    std::memcpy(&bits[0], &must, 8);
    std::memcpy(&bits[1], &is, 8);
    return Passes(Type::kF64, ToleranceClass::rounded, bits[0], bits[1]);
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kStep = 1.0f / 65536;
  const auto both = [&](float must, float is) {
    EXPECT_EQ(f32(must, is), f64(must, is)) << must << " " << is;
    return f32(must, is);
  };
  EXPECT_TRUE(both(0, kStep));
  EXPECT_FALSE(both(0, 1.01f * kStep));
  EXPECT_TRUE(both(0, -kStep));
  EXPECT_TRUE(both(-1, -1 + 2 * kStep));
  EXPECT_FALSE(both(-1, -1 + 2.1f * kStep));
  EXPECT_TRUE(both(1000, 1000.0f + 1000 * kStep));
  EXPECT_FALSE(both(1000, 1000.0f + 1005 * kStep));
  EXPECT_TRUE(both(0.0f, -0.0f));
  EXPECT_TRUE(both(kInfinity, kInfinity));
  EXPECT_FALSE(both(kInfinity, 1));
  EXPECT_FALSE(both(1, kInfinity));
  EXPECT_FALSE(both(-kInfinity, kInfinity));
  EXPECT_FALSE(both(1, NAN));
  EXPECT_TRUE(f64(1e-300, 0));
  EXPECT_TRUE(f64(0.1, 0.1f));
  EXPECT_FALSE(f64(1e300, 1));
  constexpr ToleranceClass kRounded = ToleranceClass::rounded;
  EXPECT_TRUE(Passes(Type::kF16, kRounded, 0x3C00, 0x3BFF));
  EXPECT_FALSE(Passes(Type::kF16, kRounded, 0x3C00, 0x3C02));
  EXPECT_FALSE(Passes(Type::kBF16, kRounded, 0x0000, 0x8001));
  EXPECT_FALSE(Passes(Type::kI32, kRounded, 5, 6));
  EXPECT_FALSE(Passes(Type::kBool, kRounded, 0, 1));
}

TEST(SelfTest, HoldsFusingTargetsToEveryBit) {
  ListingBuilder b = SumFromTen();
  b.self_test = format::SelfTest(2, ToleranceClass::rounded, 0, 0);
  SpoilFloat(b, 2, std::nextafter(11.0f, 12.0f));
  Loaded model(b.Finish());
  Mismatch first;
  EXPECT_EQ(model.engine.SelfTest(&first).ok(), !kernels::FusesMultiplyAdd());
}

}  // namespace
}  // namespace weft::test
