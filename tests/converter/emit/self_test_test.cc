// SPDX-License-Identifier: Apache-2.0
// The self test that the converter records: the same bytes for all kernel variants of this machine,
// for all element types, with the correct tolerance class.
#include "converter/emit/self_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "converter/pipeline.h"
#include "tests/kernels/every_target.h"
#include "tests/runtime/listing_builder.h"

namespace weft::emit {
namespace {

using format::ElementType;
using format::ToleranceClass;
using test::ListingBuilder;
using test::SlotIndex;

std::span<const std::byte> SpanOf(const test::ExactBytes& file) {
  return {file.data(), file.size()};
}

std::vector<std::byte> Converted(const std::string& name) {
  pipeline::ConvertOptions options;
  options.model = WEFT_FIXTURES_DIR "/cases/" + name + "/model.xml";
  options.self_test_runs = 2;
  Faults faults;
  const auto converted = pipeline::Convert(options, faults);
  EXPECT_TRUE(converted.has_value()) << name;
  return converted ? converted->file : std::vector<std::byte>();
}

TEST(RecordSelfTest, GivesTheSameFileOnEveryTarget) {
  for (const char* name :
       {"state/streaming_gru", "cell/lstm4_b1_i16_h15", "document/lstm_document_i33_h15_t2"}) {
    SCOPED_TRACE(name);
    std::vector<std::byte> first;
    kernels::ForEachTarget([&] {
      const std::vector<std::byte> file = Converted(name);
      if (first.empty()) first = file;
      EXPECT_TRUE(file == first);
    });
    EXPECT_FALSE(first.empty());
  }
}

// One input of each type, copied to an output.
TEST(RecordSelfTest, FillsInputsOfEveryType) {
  ListingBuilder b;
  for (uint32_t type = 0; type < format::kElementTypeCount; ++type) {
    const SlotIndex slot = b.Scratch(static_cast<ElementType>(type), {5});
    b.Input(slot, {"in"});
    b.Output(slot, {"out"});
  }
  Faults faults;
  const std::vector<std::byte> recorded = RecordSelfTest(SpanOf(b.Finish()), 1, faults);
  ASSERT_TRUE(faults.ok()) << faults.lines()[0];
  const size_t half = (recorded.size() - sizeof(format::SelfTest)) / 2;
  const std::byte* inputs = recorded.data() + sizeof(format::SelfTest);
  EXPECT_EQ(half, 5 * (4 + 2 + 2 + 8 + 1 + 1 + 2 + 4 + 8 + 1) + 3u + 3u);
  EXPECT_EQ(std::memcmp(inputs, inputs + half, half), 0);
  float f32[5];
  double f64[5];
  std::memcpy(f32, inputs, sizeof(f32));
  std::memcpy(f64, inputs + 20 + 10 + 10, sizeof(f64));
  bool differ = false;
  for (int i = 0; i < 5; ++i) {
    EXPECT_LE(std::fabs(f32[i]), 1.0f);
    EXPECT_LE(std::fabs(f64[i]), 1.0);
    EXPECT_EQ(f32[i] * 4096, std::round(f32[i] * 4096));
    differ = differ || f32[i] != f32[0];
  }
  EXPECT_TRUE(differ);
  b.self_test = format::SelfTest(1, ToleranceClass::exact, 0, 0);
  b.self_test_data.assign(reinterpret_cast<const uint8_t*>(inputs),
                          reinterpret_cast<const uint8_t*>(inputs) + 2 * half);
  RepeatSelfTest(SpanOf(b.Finish()), faults);
  EXPECT_TRUE(faults.ok());
  b.self_test_data.back() ^= 1;
  RepeatSelfTest(SpanOf(b.Finish()), faults);
  EXPECT_FALSE(faults.ok());
}

TEST(RecordSelfTest, StoresOneNanForAll) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(ElementType::f32, {1}), y = b.Scratch(ElementType::f32, {1});
  b.Input(x, {"x"});
  b.Output(y, {"y"});
  b.Fill(y, -std::nanf("1"));
  Faults faults;
  const std::vector<std::byte> recorded = RecordSelfTest(SpanOf(b.Finish()), 1, faults);
  ASSERT_EQ(recorded.size(), sizeof(format::SelfTest) + 8);
  uint32_t bits;
  std::memcpy(&bits, recorded.data() + recorded.size() - 4, 4);
  EXPECT_EQ(bits, 0x7FC00000u);
}

TEST(RecordSelfTest, WarnsOfALoopThatIsCutShort) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(ElementType::f32, {1}),
                  more = b.Weights<uint8_t>(ElementType::boolean, {1});
  b.Input(x, {"x"});
  b.Output(x, {"y"});
  b.Enter({.max_trips = 2, .body_condition = more});
  b.Unary(format::UnaryOp::negative, x, x);
  b.Leave();
  Faults faults;
  EXPECT_FALSE(RecordSelfTest(SpanOf(b.Finish()), 1, faults).empty());
  EXPECT_TRUE(faults.ok());
  ASSERT_EQ(faults.warnings().size(), 1u);
  EXPECT_TRUE(faults.warnings()[0].starts_with("--self-test: run 0: section 0: did 2 iterations"))
      << faults.warnings()[0];
}

TEST(ToleranceOf, IsExactWhereNoStepFuses) {
  const auto tolerance = [](auto add) {
    ListingBuilder b;
    const SlotIndex x = b.Scratch(ElementType::f32, {4}), y = b.Scratch(ElementType::f32, {4});
    add(b, x, y);
    const test::ExactBytes file = b.Finish();
    return ToleranceOf(*format::GetModel(file.data()));
  };
  using B = ListingBuilder;
  using format::BinaryOp;
  using format::UnaryOp;
  constexpr ToleranceClass kExact = ToleranceClass::exact, kRounded = ToleranceClass::rounded;
  EXPECT_EQ(tolerance([](B&, auto, auto) {}), kExact);
  EXPECT_EQ(tolerance([](B& b, auto x, auto y) { b.Copy(x, y); }), kExact);
  EXPECT_EQ(tolerance([](B& b, auto x, auto y) { b.Unary(UnaryOp::sqrt, x, y); }), kExact);
  EXPECT_EQ(tolerance([](B& b, auto x, auto y) { b.Unary(UnaryOp::tanh, x, y); }), kRounded);
  EXPECT_EQ(tolerance([](B& b, auto x, auto y) { b.Unary(UnaryOp::exp, x, y); }), kRounded);
  EXPECT_EQ(tolerance([](B& b, auto x, auto y) { b.Binary(BinaryOp::divide, x, x, y); }), kExact);
  EXPECT_EQ(tolerance([](B& b, auto x, auto y) { b.Binary(BinaryOp::power, x, x, y); }), kRounded);
  EXPECT_EQ(
      tolerance([](B& b, auto x, auto y) { b.Binary(BinaryOp::power, x, x, y, ElementType::i32); }),
      kExact);
}

}  // namespace
}  // namespace weft::emit
