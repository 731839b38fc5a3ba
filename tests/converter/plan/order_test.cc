// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/plan/plan.h"
#include "converter/plan/plan_passes.h"
#include "converter/program/builder.h"

namespace weft::plan {
namespace {

std::vector<std::string> LayersOf(const program::Program& program, program::BlockId block) {
  std::vector<std::string> layers;
  for (const program::Item& item : program.blocks[block].items) {
    const auto* step = std::get_if<program::Step>(&item);
    layers.push_back(step == nullptr ? "loop" : step->layer);
  }
  return layers;
}

class OrderTest : public testing::Test {
 protected:
  program::ValueId Scratch(int64_t count) { return builder_.Scratch({ElementType::f32, {count}}); }
  void Copy(const std::string& layer, program::ValueId from, program::ValueId to) {
    builder_.SetLayer(layer);
    builder_.Copy(from, to);
  }
  // Two large values, of each of which only the first elements are needed.
  void TwoLarge(program::ValueId y) {
    const program::ValueId weights =
        builder_.WeightsOf<float>({ElementType::f32, {64}}, std::vector<float>(64));
    const program::ValueId a = Scratch(64), b = Scratch(64);
    Copy("a", weights, a);
    Copy("b", weights, b);
    Copy("first of a", builder_.View(a, 0, {ElementType::f32, {4}}),
         builder_.View(y, 0, {ElementType::f32, {4}}));
    Copy("first of b", builder_.View(b, 0, {ElementType::f32, {4}}),
         builder_.View(y, 16, {ElementType::f32, {4}}));
  }

  program::Program program_;
  program::Builder builder_{program_};
};

TEST_F(OrderTest, UsesALargeValueBeforeItMakesTheNext) {
  const program::ValueId y = Scratch(8);
  TwoLarge(y);
  program_.outputs.push_back({y, {"y"}});
  EXPECT_TRUE(OrderSteps(program_));
  EXPECT_EQ(LayersOf(program_, program_.main),
            (std::vector<std::string>{"a", "first of a", "b", "first of b"}));
  EXPECT_FALSE(OrderSteps(program_));
  EXPECT_EQ(PlanAsIs(program_).all_scratch_bytes(), 256 + 32);
}

// The loop's internal scratch is free after the loop, and the block around accounts for it.
TEST_F(OrderTest, OrdersBodiesToo) {
  const program::ValueId y = Scratch(8);
  const program::SectionId id = builder_.NewSection();
  const program::BlockId body = builder_.NewBlock();
  builder_.SetBlock(body);
  TwoLarge(y);
  builder_.SetBlock(program_.main);
  program_.sections[id].copies = {body};
  program_.sections[id].trip_count = program_.sections[id].max_trips = 3;
  builder_.Enter(id);
  program_.outputs.push_back({y, {"y"}});
  EXPECT_TRUE(OrderSteps(program_));
  EXPECT_EQ(LayersOf(program_, body),
            (std::vector<std::string>{"a", "first of a", "b", "first of b"}));
}

TEST_F(OrderTest, MovesNothingWhereNothingIsSaved) {
  const program::ValueId weights = builder_.WeightsOf<float>({ElementType::f32, {4}}, {1, 2, 3, 4});
  const program::ValueId y = Scratch(8);
  Copy("second", weights, builder_.View(y, 16, {ElementType::f32, {4}}));
  Copy("first", weights, builder_.View(y, 0, {ElementType::f32, {4}}));
  program_.outputs.push_back({y, {"y"}});
  EXPECT_FALSE(OrderSteps(program_));
  EXPECT_EQ(LayersOf(program_, program_.main), (std::vector<std::string>{"second", "first"}));
}

}  // namespace
}  // namespace weft::plan
