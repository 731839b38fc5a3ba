// SPDX-License-Identifier: Apache-2.0
// Copies that coalescing removes, operands that steps overwrite, and conditions that prevent both.
#include "converter/program/coalesce.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/plan/chain_copies.h"
#include "tests/converter/plan/elementwise.h"

namespace weft::plan {
namespace {

const TensorType kRow = {ElementType::f32, {4}};
constexpr format::UnaryOp kNegative = format::UnaryOp::negative;

class CoalesceTest : public testing::Test {
 protected:
  ValueId Scratch() { return builder_.Scratch(kRow); }
  ValueId Input() {
    const ValueId value = Scratch();
    program_.inputs.push_back({value, {"x"}, kNone, 0});
    return value;
  }
  void Output(ValueId value) { program_.outputs.push_back({value, {"y"}, kNone, 0}); }
  ValueId Variable(const std::string& name) { return builder_.VariableNamed(name, kRow).value; }
  ValueId Negative(ValueId x) { return Unary(builder_, kNegative, x); }
  void NegativeTo(ValueId x, ValueId y) { EmitUnary(builder_, kNegative, x, y); }

  // Number of remaining copies.
  size_t Coalesced() {
    Coalesce(program_);
    size_t copies = 0;
    for (const Item& item : program_.blocks[program_.main].items) {
      copies += std::get<Step>(item).kind() == StepKind::kCopy;
    }
    return copies;
  }
  bool SameLocation(ValueId a, ValueId b) const {
    return Resolve(program_, a) == Resolve(program_, b);
  }

  Program program_;
  Builder builder_{program_};
};

TEST_F(CoalesceTest, MakesASourceAPartOfItsTarget) {
  const ValueId x = Input(), whole = builder_.Scratch({ElementType::f32, {2, 4}});
  const ValueId y = Negative(x);
  builder_.Copy(y, builder_.View(whole, 16, kRow));
  NegativeTo(x, builder_.View(whole, 0, kRow));
  Output(whole);
  EXPECT_EQ(Coalesced(), 0u);
  EXPECT_EQ(Resolve(program_, y), (Location{whole, 16, {}}));
}

TEST_F(CoalesceTest, KeepsASourceThatIsWrittenAgain) {
  const ValueId x = Input(), y = Negative(x), target = Scratch();
  builder_.Copy(y, target);
  NegativeTo(target, y);
  Output(y);
  Output(target);
  EXPECT_EQ(Coalesced(), 1u);
}

TEST_F(CoalesceTest, KeepsATargetThatIsReadAfterTheSourceIsMade) {
  const ValueId x = Input(), old = Variable("v");
  const ValueId fresh = Negative(x);
  const ValueId sum = Add(builder_, fresh, old);
  builder_.Copy(fresh, old);
  Output(sum);
  EXPECT_EQ(Coalesced(), 1u);
}

TEST_F(CoalesceTest, LetsTheStepThatReadsTheOldValueWriteTheNewOneOverIt) {
  const ValueId x = Input(), old = Variable("v");
  const ValueId fresh = Add(builder_, x, old);
  builder_.Copy(fresh, old);
  EXPECT_EQ(Coalesced(), 0u);
  EXPECT_TRUE(SameLocation(fresh, old));
}

TEST_F(CoalesceTest, KeepsACallersInputOutOfTheState) {
  const ValueId x = Input();
  builder_.Copy(x, Variable("v"));
  EXPECT_EQ(Coalesced(), 1u);
}

TEST_F(CoalesceTest, MakesATargetThatOnlyReadsAPartOfItsSource) {
  const ValueId x = Input(), doubled = Add(builder_, x, x), copy = Scratch();
  builder_.Copy(doubled, copy);
  Output(doubled);
  Output(Negative(copy));
  EXPECT_EQ(Coalesced(), 0u);
  EXPECT_TRUE(SameLocation(copy, doubled));
}

TEST_F(CoalesceTest, KeepsACopyOfWhatChangesLater) {
  const ValueId x = Input(), state = Variable("v"), kept = Scratch();
  builder_.Copy(state, kept);
  NegativeTo(x, state);
  Output(kept);
  EXPECT_EQ(Coalesced(), 1u);
  EXPECT_FALSE(SameLocation(kept, state));
}

TEST_F(CoalesceTest, WritesOverAnOperandThatIsNotReadAgain) {
  const ValueId x = Input(), first = Negative(x), second = Negative(first);
  Output(second);
  EXPECT_EQ(Coalesced(), 0u);
  EXPECT_TRUE(SameLocation(second, first));
}

TEST_F(CoalesceTest, WritesOverNoOperandThatIsReadAgain) {
  const ValueId x = Input(), first = Negative(x), second = Negative(first);
  Output(Add(builder_, first, second));
  Coalesced();
  EXPECT_FALSE(SameLocation(second, first));
}

// Overlapping views of one value, as in a difference of adjacent elements. The result may overwrite
// neither view, because the other view reads the same bytes at another element.
TEST_F(CoalesceTest, WritesOverNoOperandThatOverlapsAnother) {
  const ValueId whole = builder_.Scratch({ElementType::f32, {5}});
  NegativeTo(Input(), builder_.View(whole, 0, kRow));
  NegativeTo(Input(), builder_.View(whole, 4, kRow));
  const ValueId first = builder_.View(whole, 0, kRow), second = builder_.View(whole, 4, kRow);
  const ValueId sum = Add(builder_, second, first);
  Output(sum);
  Coalesced();
  EXPECT_EQ(Resolve(program_, sum).root, sum);
}

TEST_F(CoalesceTest, WritesOverAnOperandThatIsReadTwice) {
  const ValueId first = Negative(Input()), sum = Add(builder_, first, first);
  Output(sum);
  Coalesced();
  EXPECT_TRUE(SameLocation(sum, first));
}

TEST_F(CoalesceTest, WritesNoNewValueOverOneThatOverlapsWhatItReads) {
  const TensorType pair = {ElementType::f32, {8}};
  const ValueId state = builder_.VariableNamed("v", pair).value;
  const ValueId sum = Add(builder_, Input(), builder_.View(state, 4, kRow));
  builder_.Copy(sum, builder_.View(state, 0, kRow));
  EXPECT_EQ(Coalesced(), 1u);
}

// One copy serves an output and another variable, because the output may share the buffer of that
// variable's new value.
TEST_F(CoalesceTest, CopiesOneStateOnceForTwoReaders) {
  const ValueId x = Input(), a = Variable("a"), b = Variable("b"), output = Scratch();
  builder_.Copy(b, output);
  builder_.Copy(b, a);
  NegativeTo(x, b);
  Output(output);
  Program unchained = program_;
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
    Program program;
    Builder builder(program);
    const ValueId x = builder.Scratch(kRow), output = builder.Scratch(kRow);
    const ValueId a = builder.VariableNamed("a", kRow).value;
    const ValueId b = builder.VariableNamed("b", kRow).value;
    builder.Copy(b, output);
    EmitUnary(builder, kNegative, x, of_state ? b : output);
    builder.Copy(b, a);
    ChainCopies(program);
    EXPECT_EQ(std::get<Step>(program.blocks[program.main].items.back()).inputs[0], b);
  }
}

}  // namespace
}  // namespace weft::plan
