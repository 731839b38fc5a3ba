// SPDX-License-Identifier: Apache-2.0
// Parts of values that become separate values.
#include <gtest/gtest.h>

#include <vector>

#include "converter/plan/liveness.h"
#include "converter/plan/plan_passes.h"
#include "converter/program/consistency.h"
#include "tests/converter/plan/elementwise.h"

namespace weft::plan {
namespace {

TensorType Floats(int64_t count) { return {ElementType::f32, {count}}; }

class SplitValuesTest : public testing::Test {
 protected:
  program::ValueId Input(int64_t count) {
    const program::ValueId value = builder_.Scratch(Floats(count));
    program_.inputs.push_back({value, {"x"}, program::kNone, 0});
    return value;
  }
  void Output(program::ValueId value) {
    program_.outputs.push_back({value, {"y"}, program::kNone, 0});
  }
  program::ValueId Part(program::ValueId whole, int64_t first, int64_t count) {
    return builder_.View(whole, 4 * first, Floats(count));
  }
  void NegativeTo(program::ValueId x, program::ValueId y) {
    EmitUnary(builder_, format::UnaryOp::negative, x, y);
  }
  program::ValueId Negative(program::ValueId x) {
    return Unary(builder_, format::UnaryOp::negative, x);
  }

  // Bytes of all values in scratch, in order of the values.
  std::vector<int64_t> Split() {
    SplitValues(program_);
    EXPECT_EQ(InconsistencyIn(program_), "");
    std::vector<int64_t> bytes;
    for (const Lifetime& each : Liveness(program_)) bytes.push_back(each.bytes);
    return bytes;
  }

  program::Program program_;
  program::Builder builder_{program_};
};

TEST_F(SplitValuesTest, LeavesOutWhatNothingTouches) {
  const program::ValueId x = Input(4), whole = builder_.Scratch(Floats(16)),
                         part = Part(whole, 4, 4);
  NegativeTo(x, part);
  Output(Negative(part));
  EXPECT_EQ(Split(), (std::vector<int64_t>{16, 16, 16}));
  EXPECT_NE(Resolve(program_, part).root, whole);
  EXPECT_EQ(Resolve(program_, part).offset_bytes, 0);
}

TEST_F(SplitValuesTest, MakesOnePartForWhatHasNothingInCommon) {
  const program::ValueId x = Input(4), whole = builder_.Scratch(Floats(8));
  const program::ValueId low = Part(whole, 0, 4), high = Part(whole, 4, 4),
                         inner = Part(high, 2, 2);
  NegativeTo(x, low);
  Output(Negative(low));
  NegativeTo(x, high);
  Output(Negative(inner));
  EXPECT_EQ(Split(), (std::vector<int64_t>{16, 16, 8, 16, 16}));
  EXPECT_NE(Resolve(program_, low).root, Resolve(program_, high).root);
  EXPECT_EQ(Resolve(program_, inner), (program::Location{Resolve(program_, high).root, 8, {}}));
}

TEST_F(SplitValuesTest, KeepsWhatIsReadAsAWhole) {
  const program::ValueId x = Input(4), whole = builder_.Scratch(Floats(8));
  NegativeTo(x, Part(whole, 0, 4));
  NegativeTo(x, Part(whole, 4, 4));
  Output(whole);
  EXPECT_EQ(Split(), (std::vector<int64_t>{16, 32}));
}

// Each value begins at a multiple of 16 bytes, so splitting further would need more bytes.
TEST_F(SplitValuesTest, KeepsPartsTogetherThatShareSixteenBytes) {
  const program::ValueId x = Input(2), whole = builder_.Scratch(Floats(4));
  for (const int64_t first : {0, 2}) {
    const program::ValueId part = Part(whole, first, 2);
    NegativeTo(x, part);
    Output(Negative(part));
  }
  EXPECT_EQ(Split(), (std::vector<int64_t>{8, 16, 8, 8}));
}

// Over all its iterations the loop accesses every row except the last two.
TEST_F(SplitValuesTest, CountsWhatALoopReaches) {
  const program::ValueId x = Input(4), whole = builder_.Scratch(Floats(4 * 8));
  const program::SectionId section = 0;
  program_.sections.emplace_back();
  program_.sections[section].trip_count = program_.sections[section].max_trips = 6;
  program_.sections[section].copies = {1};
  program_.blocks.emplace_back();
  builder_.Append(program::SectionEntry{section});
  builder_.SetBlock(1);
  NegativeTo(x, builder_.View(whole, 0, Floats(4), {{section, 16}}));
  builder_.SetBlock(0);
  Output(Negative(Part(whole, 20, 4)));
  Output(Negative(Part(whole, 28, 4)));
  EXPECT_EQ(Split(), (std::vector<int64_t>{16, 16, 16, 96, 16}));
}

}  // namespace
}  // namespace weft::plan
