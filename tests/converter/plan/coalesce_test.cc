// SPDX-License-Identifier: Apache-2.0
// Copies that coalescing removes, operands that steps overwrite, and conditions that prevent both.
#include "converter/program/coalesce.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/plan/plan_passes.h"
#include "tests/converter/plan/elementwise.h"

namespace weft::plan {
namespace {

const TensorType kRow = {ElementType::f32, {4}};
constexpr format::UnaryOp kNegative = format::UnaryOp::negative;

class CoalesceTest : public testing::Test {
 protected:
  program::ValueId Scratch() { return builder_.Scratch(kRow); }
  program::ValueId Input() {
    const program::ValueId value = Scratch();
    program_.inputs.push_back({value, {"x"}, program::kNone, 0});
    return value;
  }
  void Output(program::ValueId value) {
    program_.outputs.push_back({value, {"y"}, program::kNone, 0});
  }
  program::ValueId Variable(const std::string& name) {
    return builder_.VariableNamed(name, kRow).value;
  }
  program::ValueId Negative(program::ValueId x) { return Unary(builder_, kNegative, x); }
  void NegativeTo(program::ValueId x, program::ValueId y) { EmitUnary(builder_, kNegative, x, y); }

  // Number of remaining copies.
  size_t Coalesced() {
    Coalesce(program_);
    size_t copies = 0;
    for (const program::Item& item : program_.blocks[program_.main].items) {
      copies += std::get<program::Step>(item).kind() == program::StepKind::kCopy;
    }
    return copies;
  }
  bool SameLocation(program::ValueId a, program::ValueId b) const {
    return Resolve(program_, a) == Resolve(program_, b);
  }

  program::Program program_;
  program::Builder builder_{program_};
};

TEST_F(CoalesceTest, MakesASourceAPartOfItsTarget) {
  const program::ValueId x = Input(), whole = builder_.Scratch({ElementType::f32, {2, 4}});
  const program::ValueId y = Negative(x);
  builder_.Copy(y, builder_.View(whole, 16, kRow));
  NegativeTo(x, builder_.View(whole, 0, kRow));
  Output(whole);
  EXPECT_EQ(Coalesced(), 0u);
  EXPECT_EQ(Resolve(program_, y), (program::Location{whole, 16, {}}));
}

TEST_F(CoalesceTest, KeepsASourceThatIsWrittenAgain) {
  const program::ValueId x = Input(), y = Negative(x), target = Scratch();
  builder_.Copy(y, target);
  NegativeTo(target, y);
  Output(y);
  Output(target);
  EXPECT_EQ(Coalesced(), 1u);
}

TEST_F(CoalesceTest, KeepsATargetThatIsReadAfterTheSourceIsMade) {
  const program::ValueId x = Input(), old = Variable("v");
  const program::ValueId fresh = Negative(x);
  const program::ValueId sum = Add(builder_, fresh, old);
  builder_.Copy(fresh, old);
  Output(sum);
  EXPECT_EQ(Coalesced(), 1u);
}

TEST_F(CoalesceTest, LetsTheStepThatReadsTheOldValueWriteTheNewOneOverIt) {
  const program::ValueId x = Input(), old = Variable("v");
  const program::ValueId fresh = Add(builder_, x, old);
  builder_.Copy(fresh, old);
  EXPECT_EQ(Coalesced(), 0u);
  EXPECT_TRUE(SameLocation(fresh, old));
}

TEST_F(CoalesceTest, KeepsACallersInputOutOfTheState) {
  const program::ValueId x = Input();
  builder_.Copy(x, Variable("v"));
  EXPECT_EQ(Coalesced(), 1u);
}

TEST_F(CoalesceTest, MakesATargetThatOnlyReadsAPartOfItsSource) {
  const program::ValueId x = Input(), doubled = Add(builder_, x, x), copy = Scratch();
  builder_.Copy(doubled, copy);
  Output(doubled);
  Output(Negative(copy));
  EXPECT_EQ(Coalesced(), 0u);
  EXPECT_TRUE(SameLocation(copy, doubled));
}

TEST_F(CoalesceTest, KeepsACopyOfWhatChangesLater) {
  const program::ValueId x = Input(), state = Variable("v"), kept = Scratch();
  builder_.Copy(state, kept);
  NegativeTo(x, state);
  Output(kept);
  EXPECT_EQ(Coalesced(), 1u);
  EXPECT_FALSE(SameLocation(kept, state));
}

TEST_F(CoalesceTest, WritesOverAnOperandThatIsNotReadAgain) {
  const program::ValueId x = Input(), first = Negative(x), second = Negative(first);
  Output(second);
  EXPECT_EQ(Coalesced(), 0u);
  EXPECT_TRUE(SameLocation(second, first));
}

TEST_F(CoalesceTest, WritesOverNoOperandThatIsReadAgain) {
  const program::ValueId x = Input(), first = Negative(x), second = Negative(first);
  Output(Add(builder_, first, second));
  Coalesced();
  EXPECT_FALSE(SameLocation(second, first));
}

// Overlapping views of one value, as in a difference of adjacent elements. The result may overwrite
// neither view, because the other view reads the same bytes at another element.
TEST_F(CoalesceTest, WritesOverNoOperandThatOverlapsAnother) {
  const program::ValueId whole = builder_.Scratch({ElementType::f32, {5}});
  NegativeTo(Input(), builder_.View(whole, 0, kRow));
  NegativeTo(Input(), builder_.View(whole, 4, kRow));
  const program::ValueId first = builder_.View(whole, 0, kRow),
                         second = builder_.View(whole, 4, kRow);
  const program::ValueId sum = Add(builder_, second, first);
  Output(sum);
  Coalesced();
  EXPECT_EQ(Resolve(program_, sum).root, sum);
}

TEST_F(CoalesceTest, WritesOverAnOperandThatIsReadTwice) {
  const program::ValueId first = Negative(Input()), sum = Add(builder_, first, first);
  Output(sum);
  Coalesced();
  EXPECT_TRUE(SameLocation(sum, first));
}

TEST_F(CoalesceTest, WritesNoNewValueOverOneThatOverlapsWhatItReads) {
  const TensorType pair = {ElementType::f32, {8}};
  const program::ValueId state = builder_.VariableNamed("v", pair).value;
  const program::ValueId sum = Add(builder_, Input(), builder_.View(state, 4, kRow));
  builder_.Copy(sum, builder_.View(state, 0, kRow));
  EXPECT_EQ(Coalesced(), 1u);
}

// One copy serves an output and another variable, because the output may share the buffer of that
// variable's new value.
TEST_F(CoalesceTest, CopiesOneStateOnceForTwoReaders) {
  const program::ValueId x = Input(), a = Variable("a"), b = Variable("b"), output = Scratch();
  builder_.Copy(b, output);
  builder_.Copy(b, a);
  NegativeTo(x, b);
  Output(output);
  program::Program unchained = program_;
  Coalesce(unchained);
  EXPECT_EQ(unchained.blocks[unchained.main].items.size(), 3u);
  ChainCopies(program_);
  EXPECT_EQ(Coalesced(), 1u);
  EXPECT_TRUE(SameLocation(output, a));
}

// Copies are not chained if the state, or the target of the first copy, changes in between.
TEST_F(CoalesceTest, ChainsNoCopiesAcrossAChange) {
  for (const bool of_state : {true, false}) {
    SCOPED_TRACE(of_state);
    program::Program program;
    program::Builder builder(program);
    const program::ValueId x = builder.Scratch(kRow), output = builder.Scratch(kRow);
    const program::ValueId a = builder.VariableNamed("a", kRow).value;
    const program::ValueId b = builder.VariableNamed("b", kRow).value;
    builder.Copy(b, output);
    EmitUnary(builder, kNegative, x, of_state ? b : output);
    builder.Copy(b, a);
    ChainCopies(program);
    EXPECT_EQ(std::get<program::Step>(program.blocks[program.main].items.back()).inputs[0], b);
  }
}

}  // namespace
}  // namespace weft::plan
