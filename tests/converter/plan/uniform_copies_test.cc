// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "converter/plan/plan_passes.h"
#include "converter/program/builder.h"

namespace weft::plan {
namespace {

const TensorType kFour = {ElementType::f32, {4}};

class UniformCopies : public testing::Test {
 protected:
  program::ValueId Row(const std::vector<float>& numbers) {
    return builder_.WeightsOf(kFour, numbers);
  }
  // The step that a copy of `source` becomes.
  const program::Step& Copied(program::ValueId source, program::ValueId target) {
    builder_.Copy(source, target);
    FillUniformCopies(program_);
    return std::get<program::Step>(program_.blocks[program_.main].items.back());
  }
  program::ValueId Scratch() { return builder_.Scratch(kFour); }

  program::Program program_;
  program::Builder builder_{program_};
};

TEST_F(UniformCopies, FillWithTheElement) {
  const program::Because because(builder_, format::Reason::initial_value);
  const program::ValueId target = Scratch();
  const program::Step& step = Copied(Row({0.5f, 0.5f, 0.5f, 0.5f}), target);
  ASSERT_EQ(step.kind(), program::StepKind::kFill);
  const auto& fill = std::get<format::FillParams>(step.params);
  EXPECT_EQ(fill.count(), 4u);
  EXPECT_EQ(fill.element_bytes(), 4u);
  EXPECT_EQ(fill.bits_low(), 0x3F000000u);
  EXPECT_EQ(fill.bits_high(), 0u);
  EXPECT_TRUE(step.inputs.empty());
  EXPECT_EQ(step.outputs, std::vector<program::ValueId>{target});
  EXPECT_EQ(step.reason, format::Reason::initial_value);
}

TEST_F(UniformCopies, FillWithEightBytes) {
  const TensorType type = {ElementType::i64, {3}};
  const program::ValueId numbers = builder_.WeightsOf(type, std::vector<int64_t>(3, 0x123456789A));
  const program::Step& step = Copied(numbers, builder_.Scratch(type));
  ASSERT_EQ(step.kind(), program::StepKind::kFill);
  const auto& fill = std::get<format::FillParams>(step.params);
  EXPECT_EQ(fill.count(), 3u);
  EXPECT_EQ(fill.bits_low(), 0x3456789Au);
  EXPECT_EQ(fill.bits_high(), 0x12u);
}

TEST_F(UniformCopies, LookAtThePartThatIsCopied) {
  const program::ValueId whole = Row({1, 2, 2, 3});
  const TensorType pair = {ElementType::f32, {2}};
  EXPECT_EQ(Copied(builder_.View(whole, 4, pair), builder_.Scratch(pair)).kind(),
            program::StepKind::kFill);
  EXPECT_EQ(Copied(builder_.View(whole, 8, pair), builder_.Scratch(pair)).kind(),
            program::StepKind::kCopy);
}

TEST_F(UniformCopies, StayWhereElementsDifferOrAreNoConstant) {
  EXPECT_EQ(Copied(Row({0, 0, 0, 1}), Scratch()).kind(), program::StepKind::kCopy);
  EXPECT_EQ(Copied(Row({0.0f, -0.0f, 0.0f, 0.0f}), Scratch()).kind(), program::StepKind::kCopy);
  EXPECT_EQ(Copied(Scratch(), Scratch()).kind(), program::StepKind::kCopy);
  EXPECT_EQ(Copied(builder_.VariableNamed("v", kFour).value, Scratch()).kind(),
            program::StepKind::kCopy);
}

}  // namespace
}  // namespace weft::plan
