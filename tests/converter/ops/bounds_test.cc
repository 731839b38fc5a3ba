// SPDX-License-Identifier: Apache-2.0
// Bounds of integers, derived from the operations that compute them.
#include "converter/ops/support/bounds.h"

#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"

namespace weft::ops {
namespace {

struct BoundsOfIntegers : testing::Test {
  GraphBuilder g;

  ir::Source Of(ElementType type) { return g.Parameter({type, {1}}); }
  ir::Source Number(int32_t number) { return g.Const<int32_t>({ElementType::i32, {1}}, {number}); }
  IntegerBounds Get(const ir::Source& source) {
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    return BoundsOf(source);
  }
};

constexpr IntegerBounds kAnyI32 = {std::numeric_limits<int32_t>::min(),
                                   std::numeric_limits<int32_t>::max()};

TEST_F(BoundsOfIntegers, AreThoseOfTheTypeAtLeast) {
  EXPECT_EQ(Get(Of(ElementType::u8)), (IntegerBounds{0, 255}));
  EXPECT_EQ(Get(Of(ElementType::i32)), kAnyI32);
  EXPECT_EQ(Get(Of(ElementType::i64)), IntegerBounds());
  EXPECT_EQ(Get(g.Ints({3, -4, 7})), (IntegerBounds{-4, 7}));
}

TEST_F(BoundsOfIntegers, FollowArithmetic) {
  const ir::Source byte = g.Add("Convert", 1, {Of(ElementType::u8)}, {{"destination_type", "i32"}});
  EXPECT_EQ(Get(byte), (IntegerBounds{0, 255}));
  EXPECT_EQ(Get(g.Add("Add", 1, {byte, Number(-5)})), (IntegerBounds{-5, 250}));
  EXPECT_EQ(Get(g.Add("Subtract", 1, {Number(1), byte})), (IntegerBounds{-254, 1}));
  EXPECT_EQ(Get(g.Add("Multiply", 1, {byte, Number(-2)})), (IntegerBounds{-510, 0}));
  EXPECT_EQ(Get(g.Add("Minimum", 1, {byte, Number(9)})), (IntegerBounds{0, 9}));
  EXPECT_EQ(Get(g.Add("Maximum", 1, {byte, Number(9)})), (IntegerBounds{9, 255}));
  EXPECT_EQ(Get(g.Add("FloorMod", 1, {Of(ElementType::i32), Number(6)})), (IntegerBounds{0, 5}));
  EXPECT_EQ(Get(g.Add("FloorMod", 1, {byte, Number(-6)})), kAnyI32);
}

TEST_F(BoundsOfIntegers, KnowNothingOfWhatWrapsAround) {
  const ir::Source any = Of(ElementType::i32);
  EXPECT_EQ(Get(g.Add("Add", 1, {any, Number(1)})), kAnyI32);
  const ir::Source far =
      g.Add("Minimum", 1, {g.Add("Maximum", 1, {any, Number(0)}), Number(2000000000)});
  EXPECT_EQ(Get(g.Add("Add", 1, {far, far})), kAnyI32);
  const ir::Source narrow = g.Add("Convert", 1, {any}, {{"destination_type", "i8"}});
  EXPECT_EQ(Get(narrow), (IntegerBounds{-128, 127}));
}

TEST_F(BoundsOfIntegers, StayWithinAClamp) {
  const auto clamped = [&](const char* low, const char* high) {
    return Get(g.Add("Clamp", 1, {g.Add("Minimum", 1, {Of(ElementType::i32), Number(-10)})},
                     {{"min", low}, {"max", high}}));
  };
  EXPECT_EQ(clamped("-20", "5"), (IntegerBounds{-20, -10}));
  EXPECT_EQ(clamped("2", "5"), (IntegerBounds{2, 2}));
  EXPECT_EQ(clamped("-1e30", "5"), kAnyI32);
}

// The number of paths doubles with every node.
TEST_F(BoundsOfIntegers, AreFoundInTimeWhereNodesAreReadTwice) {
  ir::Source x = g.Add("Convert", 1, {Of(ElementType::u8)}, {{"destination_type", "i32"}});
  for (int i = 0; i < 60; ++i) x = g.Add("Maximum", 1, {x, x});
  const IntegerBounds bounds = Get(x);
  EXPECT_LE(bounds.low, 0);
  EXPECT_GE(bounds.high, 255);
}

TEST_F(BoundsOfIntegers, KeepAnOffsetFromOneValue) {
  const ir::Source given = Of(ElementType::i64);
  const ir::Source scalar = g.Add("Squeeze", 1, {given, g.Ints({0})});
  const ir::Source sum = g.Add("Add", 1, {g.Int(7), g.Add("Subtract", 1, {scalar, g.Int(2)})});
  const ir::Source shaped = g.Add("Reshape", 1, {sum, g.Ints({1})}, {{"special_zero", "false"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const OffsetValue value = OffsetValueOf({shaped});
  EXPECT_EQ(value.base, (Element{given}));
  EXPECT_EQ(value.offset, 5);
}

TEST_F(BoundsOfIntegers, AreOfOneElementWhereItIsNamed) {
  const ir::Source many = g.Parameter({ElementType::i64, {3}});
  const ir::Source clamped =
      g.Add("Clamp", 1, {Of(ElementType::i64)}, {{"min", "2"}, {"max", "9"}});
  const ir::Source joined = g.Add("Concat", 1, {g.Ints({4, -7}), clamped, many}, {{"axis", "0"}});
  const ir::Source later = g.Add("Add", 1, {joined, g.Ints({1, 2, 3, 4, 5, 6})});
  const ir::Source picked = g.Add("Gather", 8, {later, g.Ints({-1, 2}), g.Int(0)});
  const ir::Source low = g.Add("Minimum", 1, {picked, g.Ints({0, 8})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(BoundsOf(Element{joined, 1}), (IntegerBounds{-7, -7}));
  EXPECT_EQ(BoundsOf(Element{later, 2}), (IntegerBounds{5, 12}));
  EXPECT_EQ(BoundsOf(Element{picked, 1}), (IntegerBounds{5, 12}));
  EXPECT_EQ(BoundsOf(Element{low, 1}), (IntegerBounds{5, 8}));
  EXPECT_EQ(BoundsOf(Element{joined, 4}), IntegerBounds());
  EXPECT_EQ(KnownValue({joined, 1}), -7);
  EXPECT_EQ(KnownValue({joined, 2}), std::nullopt);
  EXPECT_EQ(OffsetValueOf({picked, 0}).base, (Element{many, 2}));
  EXPECT_EQ(OffsetValueOf({picked, 0}).offset, 6);
  EXPECT_EQ(OffsetValueOf({later, 2}).offset, 3);
}

TEST_F(BoundsOfIntegers, SeeNoOffsetInTypesThatWrapEarly) {
  const ir::Source byte = Of(ElementType::u8);
  const ir::Source one = g.Const<uint8_t>({ElementType::u8, {1}}, {1});
  const ir::Source more = g.Add("Add", 1, {byte, one});
  const ir::Source wide = g.Add("Convert", 1, {more}, {{"destination_type", "i64"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(OffsetValueOf({wide}).base, (Element{wide}));
}

}  // namespace
}  // namespace weft::ops
