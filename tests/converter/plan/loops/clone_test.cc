// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/clone.h"

#include <gtest/gtest.h>

#include <vector>

#include "converter/program/builder.h"

namespace weft::plan {
namespace {

const TensorType kFour = {ElementType::f32, {4}};

// A block that reads a value from outside and writes one of its own. A section inside moves along
// another value from outside.
struct TwoBlocks {
  program::Program program;
  program::Builder builder{program};
  program::ValueId outside = builder.Scratch(kFour),
                   rows = builder.Scratch({ElementType::f32, {3, 4}});
  program::BlockId block = builder.NewBlock();
  program::SectionId section = builder.NewSection();
  program::ValueId own = program::kNone, row = program::kNone;

  TwoBlocks() {
    builder.SetBlock(block);
    own = builder.Scratch(kFour);
    builder.Copy(outside, own);
    row = builder.View(rows, 0, kFour, {{section, 16}});
    const program::BlockId inside = builder.NewBlock();
    builder.Enter(section);
    builder.SetBlock(inside);
    builder.Copy(row, own);
    program.sections[section].copies = {inside};
    program.blocks[block].results = {builder.View(own, 4, {ElementType::f32, {3}})};
  }

  const program::Step& StepOf(program::BlockId of) const {
    return std::get<program::Step>(program.blocks[of].items[0]);
  }
  const program::Section& SectionIn(program::BlockId of) const {
    return program.sections[std::get<program::SectionEntry>(program.blocks[of].items[1]).section];
  }
};

TEST(Clone, CopiesWhatWasMadeForTheBlockAndNothingElse) {
  TwoBlocks two;
  const program::BlockId copy = Clone(two.program, two.block, {});
  EXPECT_EQ(two.StepOf(copy).inputs, std::vector{two.outside});
  const program::ValueId own = two.StepOf(copy).outputs[0];
  EXPECT_NE(own, two.own);
  EXPECT_EQ(two.program.values[own].block, copy);
  EXPECT_EQ(two.program.values[own].bytes, 16);
  EXPECT_EQ(two.StepOf(two.block).outputs, std::vector{two.own});
}

TEST(Clone, CopiesTheSectionsInsideAndWhatMovesWithThem) {
  TwoBlocks two;
  const program::BlockId copy = Clone(two.program, two.block, {});
  const auto section = std::get<program::SectionEntry>(two.program.blocks[copy].items[1]).section;
  EXPECT_NE(section, two.section);
  ASSERT_EQ(two.SectionIn(copy).copies.size(), 1u);
  const program::Step& inside = two.StepOf(two.SectionIn(copy).copies[0]);
  EXPECT_EQ(Resolve(two.program, inside.inputs[0]),
            (program::Location{two.rows, 0, {{section, 16}}}));
  EXPECT_EQ(inside.outputs, two.StepOf(copy).outputs);
}

TEST(Clone, PutsOtherValuesInPlace) {
  TwoBlocks two;
  const program::ValueId other = two.builder.Scratch(kFour);
  const program::BlockId copy = Clone(two.program, two.block, {{two.own, other}});
  EXPECT_EQ(two.StepOf(copy).outputs, std::vector{other});
  ASSERT_EQ(two.program.blocks[copy].results.size(), 1u);
  EXPECT_EQ(Resolve(two.program, two.program.blocks[copy].results[0]),
            (program::Location{other, 4, {}}));
}

TEST(Clone, SharesConstantsAndState) {
  TwoBlocks two;
  two.builder.SetBlock(two.block);
  const program::ValueId weights = two.builder.WeightsOf<float>(kFour, {1, 2, 3, 4});
  const program::ValueId state = two.builder.State(kFour, "s");
  two.builder.Copy(weights, state);
  const program::BlockId copy = Clone(two.program, two.block, {});
  const auto& step = std::get<program::Step>(two.program.blocks[copy].items[2]);
  EXPECT_EQ(step.inputs, std::vector{weights});
  EXPECT_EQ(step.outputs, std::vector{state});
}

}  // namespace
}  // namespace weft::plan
