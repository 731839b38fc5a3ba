// SPDX-License-Identifier: Apache-2.0
// ReadValue and Assign: one value per variable, initial values, and simultaneous assignment.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using Texts = std::map<std::string, std::string>;
using program::StepKind;

Texts Variable(const char* id, const char* shape = "2") {
  return {{"variable_id", id}, {"variable_type", "f32"}, {"variable_shape", shape}};
}

TEST(State, SharesOneValueAmongReadAndAssign) {
  GraphBuilder g;
  const ir::Source old = g.Add("ReadValue", 6, {}, Variable("s"));
  const ir::Source sum = g.Add("Add", 1, {old, g.Parameter(F32({2}))});
  g.Add("Assign", 6, {sum}, Variable("s"));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(program.variables.size(), 1u);
  const program::Variable& variable = program.variables[0];
  EXPECT_EQ(variable.name, "s");
  EXPECT_EQ(variable.initial, program::kNone);
  EXPECT_EQ(program.values[variable.value].storage, program::Storage::kState);
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kBinary, StepKind::kCopy}));
  EXPECT_EQ(Steps(program)[0].inputs[0], variable.value);
  EXPECT_EQ(Steps(program)[1].outputs[0], variable.value);
}

TEST(State, StartsFromAConstantInput) {
  GraphBuilder g;
  const ir::Source old = g.Add("ReadValue", 3, {g.Floats({2}, {3, 4})}, {{"variable_id", "s"}});
  g.Add("Assign", 3, {g.Add("Relu", 1, {old})}, {{"variable_id", "s"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(old)), "f32[2]");
  const program::Program program = g.Lower();
  ASSERT_EQ(program.variables.size(), 1u);
  ASSERT_NE(program.variables[0].initial, program::kNone);
  EXPECT_EQ(program.values[program.variables[0].initial].storage, program::Storage::kWeights);
}

TEST(State, TakesAComputedInitialValueOnTheFirstRunAfterAReset) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2}));
  const ir::Source old = g.Add("ReadValue", 6, {x}, Variable("s"));
  g.Add("Assign", 6, {g.Add("Add", 1, {old, x})}, Variable("s"));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(program.variables.size(), 2u);
  EXPECT_EQ(program.variables[0].initial, program::kNone);
  const program::ValueId flag = program.variables[1].value;
  EXPECT_EQ(program.values[flag].type.type, ElementType::boolean);
  ASSERT_EQ(program.sections.size(), 1u);
  const program::Section& section = program.sections[0];
  EXPECT_EQ(section.first_condition, flag);
  EXPECT_FALSE(section.runs_when);
  EXPECT_EQ(section.max_trips, 1);
  ASSERT_EQ(section.copies.size(), 1u);
  const std::vector<program::Item>& items = program.blocks[section.copies[0]].items;
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(std::get<program::Step>(items[0]).outputs[0], program.variables[0].value);
  EXPECT_EQ(std::get<program::Step>(items[1]).outputs[0], flag);
  EXPECT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kBinary, StepKind::kCopy}));
}

TEST(State, ClosesExtentsThatAreLeftOpen) {
  for (const char* shape : {"-1,2", "?,2"}) {
    GraphBuilder g;
    const ir::Source x = g.Parameter(F32({3, 2}));
    const ir::Source old = g.Add("ReadValue", 6, {}, Variable("s", shape));
    g.Add("Assign", 6, {g.Add("Add", 1, {old, x})}, Variable("s", shape));
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(ToString(g.type(old)), "f32[3,2]");
  }
  GraphBuilder g;
  const ir::Source old = g.Add("ReadValue", 6, {g.Floats({1, 2}, {3, 4})}, Variable("s", "-1,2"));
  g.Add("Assign", 6, {old}, Variable("s", "-1,2"));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(old)), "f32[1,2]");
}

TEST(State, TakesTheShapeOfItsInitialValueWhereItDeclaresNoRank) {
  GraphBuilder g;
  const ir::Source old = g.Add("ReadValue", 6, {g.Floats({1, 2}, {3, 4})}, Variable("s", "..."));
  g.Add("Assign", 6, {old}, Variable("s", "..."));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(old)), "f32[1,2]");
}

TEST(State, RefusesExtentsThatGrow) {
  GraphBuilder g;
  const ir::Source old = g.Add("ReadValue", 6, {}, Variable("s", "2,-1"));
  const ir::Source grown = g.Add("Concat", 1, {old, g.Parameter(F32({2, 1}))}, {{"axis", "1"}});
  g.Add("Assign", 6, {grown}, Variable("s", "2,-1"));
  g.Add("ReadValue", 6, {}, Variable("t", "?,1..4"));
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "variable \"s\" is f32[2,1] and the value assigned f32[2,2]");
  EXPECT_PRED2(Contains, g.FaultText(), "variable_shape is ?,1..4; must hold numbers and ?");
}

TEST(State, NamesShapesThatDoNotMeet) {
  GraphBuilder g;
  g.Add("ReadValue", 6, {g.Floats({2}, {0, 0})}, Variable("a", "3"));
  g.Add("Assign", 6, {g.Parameter(F32({4}))}, Variable("a", "3"));
  g.Add("ReadValue", 6, {}, {{"variable_id", "b"}});
  g.Add("ReadValue", 6, {}, {{"variable_type", "f32"}, {"variable_shape", "1"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "variable \"a\" is f32[3] and its initial value f32[2]");
  EXPECT_PRED2(Contains, g.FaultText(), "variable \"a\" is f32[3] and the value assigned f32[4]");
  EXPECT_PRED2(Contains, g.FaultText(), "variable \"b\" has neither an initial value nor");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute variable_id is missing");
}

TEST(State, AssignsSimultaneously) {
  GraphBuilder g;  // a' = x, b' = a: a is copied before x overwrites it
  const ir::Source a = g.Add("ReadValue", 6, {}, Variable("a"));
  g.Add("ReadValue", 6, {}, Variable("b"));
  g.Add("Assign", 6, {g.Parameter(F32({2}))}, Variable("a"));
  g.Add("Assign", 6, {a}, Variable("b"));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  const std::vector<program::Step> steps = Steps(program);
  ASSERT_EQ(steps.size(), 3u);
  const program::ValueId a_value = program.variables[0].value, b_value = program.variables[1].value;
  EXPECT_EQ(steps[0].inputs[0], a_value);
  EXPECT_EQ(program.values[steps[0].outputs[0]].storage, program::Storage::kScratch);
  EXPECT_EQ(steps[1].outputs[0], a_value);
  EXPECT_EQ(steps[2].inputs[0], steps[0].outputs[0]);
  EXPECT_EQ(steps[2].outputs[0], b_value);
}

TEST(State, KeepsAVariableThatIsAssignedItself) {
  GraphBuilder g;
  const ir::Source a = g.Add("ReadValue", 6, {}, Variable("a"));
  g.Add("Assign", 6, {a}, Variable("a"));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()), (std::vector<StepKind>{}));
}

}  // namespace
}  // namespace weft
