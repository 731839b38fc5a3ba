// SPDX-License-Identifier: Apache-2.0
// Programs that neither lowering nor a pass may produce.
#include "converter/program/consistency.h"

#include <gtest/gtest.h>

#include "tests/converter/plan/elementwise.h"
#include "tests/converter/steps.h"

namespace weft::program {
namespace {

const TensorType kRow = {ElementType::f32, {4}};

class ProgramConsistency : public testing::Test {
 protected:
  ProgramConsistency() {
    x_ = builder_.Scratch(kRow);
    y_ = Add(builder_, x_, x_);
    program_.inputs.push_back({x_, {"x"}, kNone, 0});
    program_.outputs.push_back({y_, {"y"}, kNone, 0});
  }
  void ExpectFault(const std::string& part) {
    EXPECT_PRED2(Contains, InconsistencyIn(program_), part);
  }
  Step& step() { return std::get<Step>(program_.blocks[program_.main].items[0]); }
  SectionId Branch() {
    const SectionId id = builder_.NewSection();
    program_.sections[id].copies = {builder_.NewBlock()};
    builder_.Enter(id);
    return id;
  }

  Program program_;
  Builder builder_{program_};
  ValueId x_, y_;
};

TEST_F(ProgramConsistency, FindsNothingInASoundProgram) {
  Branch();
  EXPECT_EQ(InconsistencyIn(program_), "");
}

TEST_F(ProgramConsistency, FindsAViewThatLeavesItsParent) {
  const ValueId part = builder_.View(x_, 0, kRow);
  program_.values[part].offset_bytes = 4;
  ExpectFault("exceeds its parent");
}

TEST_F(ProgramConsistency, FindsAValueThatIsAPartOfItself) {
  const ValueId a = builder_.View(x_, 0, kRow), b = builder_.View(a, 0, kRow);
  program_.values[a].parent = b;
  program_.values[b].parent = a;
  ExpectFault("is a part of itself");
}

TEST_F(ProgramConsistency, FindsAConstantWithoutItsBytes) {
  const ValueId constant = builder_.Weights(kRow, std::vector<std::byte>(16));
  program_.values[constant].bytes = 20;
  ExpectFault("is a constant without its bytes");
}

TEST_F(ProgramConsistency, FindsAMissingOperand) {
  step().inputs[1] = kNone;
  ExpectFault("lacks operand 1");
}

TEST_F(ProgramConsistency, FindsAnOperandTooMany) {
  step().inputs.push_back(x_);
  ExpectFault("has the wrong number of operands");
}

TEST_F(ProgramConsistency, FindsASectionThatIsEnteredTwice) {
  builder_.Enter(Branch());
  ExpectFault("section 0 is entered twice");
}

TEST_F(ProgramConsistency, FindsABlockOfTwoSections) {
  const SectionId first = Branch(), second = Branch();
  program_.sections[second].copies = program_.sections[first].copies;
  ExpectFault("has two owners");
}

TEST_F(ProgramConsistency, FindsALoopThatCarriesAResultThatIsNotThere) {
  const SectionId id = builder_.NewSection();
  Loop loop;
  loop.body = builder_.NewBlock();
  loop.carried.push_back({x_, y_, 0});
  program_.sections[id].loop = loop;
  builder_.Enter(id);
  ExpectFault("carries an unknown value");
}

TEST_F(ProgramConsistency, FindsAVariableOutsideTheState) {
  builder_.VariableNamed("v", kRow).value = x_;
  ExpectFault("is not in state");
}

TEST_F(ProgramConsistency, FindsAPortWithoutAValue) {
  program_.outputs[0].value = 1000;
  ExpectFault("a port has no value");
}

}  // namespace
}  // namespace weft::program
