// SPDX-License-Identifier: Apache-2.0
// Bytes live at the items of a block, including values that are only accessed before its first item
// or after its last one.
#include "converter/program/live_bytes.h"

#include <gtest/gtest.h>

#include "converter/program/builder.h"
#include "tests/converter/plan/elementwise.h"

namespace weft {
namespace {

struct LiveBytesOf : testing::Test {
  program::Program program;
  program::Builder builder{program};

  program::ValueId Floats(int64_t count) { return builder.Scratch({ElementType::f32, {count}}); }
  void Input(program::ValueId value) { program.inputs.push_back({value, {"x"}}); }
  void Output(program::ValueId value) { program.outputs.push_back({value, {"y"}}); }
  program::LiveBytes Live() {
    return program::LiveBytes(program, program.main,
                              program::CollectAccesses(program, program.main));
  }
};

TEST_F(LiveBytesOf, StepsAndPorts) {
  const program::ValueId x = Floats(4), y = Floats(4);
  Input(x);
  EmitUnary(builder, format::UnaryOp::tanh, x, y);
  Output(y);
  EXPECT_EQ(Live().Max(0, 0), 32);
}

TEST_F(LiveBytesOf, AnOutputThatNothingMakesIsReadBehindAllItems) {
  const program::ValueId x = Floats(4), y = Floats(4);
  Input(x);
  EmitUnary(builder, format::UnaryOp::tanh, x, y);
  Output(y);
  Output(Floats(1000));
  EXPECT_EQ(Live().Max(0, 0), 32);
}

TEST_F(LiveBytesOf, AnInputThatNothingReadsIsDeadBeforeAllItems) {
  const program::ValueId x = Floats(4), y = Floats(4);
  Input(x);
  Input(Floats(1000));
  EmitUnary(builder, format::UnaryOp::tanh, x, y);
  Output(y);
  EXPECT_EQ(Live().Max(0, 0), 32);
}

}  // namespace
}  // namespace weft
