// SPDX-License-Identifier: Apache-2.0
// LSTMCell version 1: peepholes and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Texts = std::map<std::string, std::string>;

// 2 rows, 3 inputs and 1 hidden unit.
struct FirstLstm {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3})), h = g.Parameter(F32({2, 1}));
  const ir::Source c = g.Parameter(F32({2, 1}));
  const ir::Source w = g.Floats({4, 3}, {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4});
  const ir::Source r = g.Floats({4, 1}, {1, 2, 3, 4}), b = g.Floats({4}, {1, 2, 3, 4});

  ir::Source Cell(const ir::Source& peepholes, Texts attributes = {}) {
    attributes["hidden_size"] = "1";
    return g.Add("LSTMCell", 1, {x, h, c, w, r, b, peepholes}, std::move(attributes), 2);
  }
};

size_t StepsOfKind(const program::Program& program, StepKind kind) {
  return static_cast<size_t>(std::ranges::count(Kinds(program), kind));
}

TEST(FirstLstmCell, IsOneStepOfGatesWithoutPeepholes) {
  FirstLstm test;
  test.Cell(test.g.Floats({3}, {0, 0, 0}));
  ASSERT_TRUE(test.g.Infer()) << test.g.FaultText();
  EXPECT_EQ(StepsOfKind(test.g.Lower(), StepKind::kLstmGates), 1u);
}

TEST(FirstLstmCell, SpellsOutPeepholes) {
  FirstLstm test;
  test.Cell(test.g.Floats({3}, {0, 0, 1}));
  ASSERT_TRUE(test.g.Infer()) << test.g.FaultText();
  const program::Program program = test.g.Lower();
  EXPECT_EQ(StepsOfKind(program, StepKind::kLstmGates), 0u);
  EXPECT_EQ(StepsOfKind(program, StepKind::kBinary), 10u);
  EXPECT_EQ(StepsOfKind(program, StepKind::kUnary), 5u);
}

TEST(FirstLstmCell, TakesPeepholesOfTheRun) {
  FirstLstm test;
  test.Cell(test.g.Parameter(F32({3})));
  ASSERT_TRUE(test.g.Infer()) << test.g.FaultText();
  EXPECT_EQ(StepsOfKind(test.g.Lower(), StepKind::kLstmGates), 0u);
}

TEST(FirstLstmCell, RefusesWhatItWouldGetWrong) {
  FirstLstm test;
  const ir::Source zeros = test.g.Floats({3}, {0, 0, 0});
  test.Cell(zeros, {{"input_forget", "true"}});
  test.Cell(zeros, {{"weights_format", "icof"}});
  test.Cell(test.g.Floats({4}, {0, 0, 0, 1}));
  EXPECT_FALSE(test.g.Infer());
  for (const char* text :
       {"input_forget is true; must be false, because coupled gates are not supported",
        "attribute weights_format is \"icof\"; must be one of fico",
        "input 6 (P) is f32[4]; must be [3]"}) {
    EXPECT_PRED2(Contains, test.g.FaultText(), text);
  }
}

}  // namespace
}  // namespace weft
