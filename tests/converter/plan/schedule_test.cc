// SPDX-License-Identifier: Apache-2.0
#include "converter/program/schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/program/builder.h"

namespace weft::plan {
namespace {

// The layer names of the block's items, in order.
std::vector<std::string> Layers(const program::Program& program) {
  std::vector<std::string> layers;
  for (const program::Item& item : program.blocks[program.main].items) {
    const auto* entry = std::get_if<program::SectionEntry>(&item);
    layers.push_back(entry != nullptr ? program.sections[entry->section].layer
                                      : std::get<program::Step>(item).layer);
  }
  return layers;
}

class Schedule : public testing::Test {
 protected:
  program::ValueId Scratch() { return builder_.Scratch({ElementType::f32, {4}}); }
  void Copy(const std::string& layer, program::ValueId from, program::ValueId to) {
    builder_.SetLayer(layer);
    builder_.Copy(from, to);
  }
  void Branch(const std::string& layer, program::ValueId condition, bool runs_when,
              program::ValueId from, program::ValueId to) {
    const program::SectionId id = builder_.NewSection();
    const program::BlockId outside = builder_.block(), inside = builder_.NewBlock();
    builder_.SetBlock(inside);
    Copy(layer, from, to);
    builder_.SetBlock(outside);
    program::Section& section = program_.sections[id];
    section.copies = {inside};
    section.trip_count = section.max_trips = 1;
    section.first_condition = condition;
    section.runs_when = runs_when;
    section.layer = layer;
    builder_.Enter(id);
  }
  void Order(program::ValueId old, program::ValueId fresh) {
    const std::pair<program::ValueId, program::ValueId> pair = {old, fresh};
    OrderReadersFirst(program_, program_.main, {&pair, 1});
  }

  program::Program program_;
  program::Builder builder_{program_};
};

TEST_F(Schedule, PutsReadersOfTheOldBeforeTheWriterOfTheNew) {
  const program::ValueId old = Scratch(), fresh = Scratch(), x = Scratch(), y = Scratch();
  Copy("write", x, fresh);
  Copy("other", x, Scratch());
  Copy("read", old, y);
  Order(old, fresh);
  EXPECT_EQ(Layers(program_), (std::vector<std::string>{"other", "read", "write"}));
}

TEST_F(Schedule, LeavesTheOrderWhereAReaderNeedsTheNewValue) {
  const program::ValueId old = Scratch(), fresh = Scratch(), x = Scratch();
  Copy("write", x, fresh);
  Copy("take", fresh, old);
  Copy("read", old, Scratch());
  Order(old, fresh);
  EXPECT_EQ(Layers(program_), (std::vector<std::string>{"write", "take", "read"}));
}

// The validator recognises an If by two adjacent branches.
TEST_F(Schedule, KeepsTheBranchesOfAnIfTogether) {
  const program::ValueId condition = builder_.Scratch({ElementType::boolean, {}});
  const program::ValueId old = Scratch(), fresh = Scratch(), x = Scratch(), y = Scratch();
  Copy("write", x, fresh);
  Branch("then", condition, true, old, y);
  Branch("else", condition, false, x, y);
  Order(old, fresh);
  EXPECT_EQ(Layers(program_), (std::vector<std::string>{"then", "else", "write"}));
}

TEST_F(Schedule, TakesTwoIfsOfOneConditionAsTwo) {
  const program::ValueId condition = builder_.Scratch({ElementType::boolean, {}});
  const program::ValueId old = Scratch(), fresh = Scratch(), x = Scratch(), y = Scratch(),
                         z = Scratch();
  Branch("then", condition, true, x, y);
  Branch("else", condition, false, x, y);
  Copy("write", x, fresh);
  Branch("then 2", condition, true, fresh, z);
  Branch("else 2", condition, false, x, z);
  Copy("read", old, Scratch());
  Order(old, fresh);
  EXPECT_EQ(Layers(program_),
            (std::vector<std::string>{"then", "else", "read", "write", "then 2", "else 2"}));
}

}  // namespace
}  // namespace weft::plan
