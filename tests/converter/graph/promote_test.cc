// SPDX-License-Identifier: Apache-2.0
// Conversion of f16, bf16 and f64: constants, ports, explicit conversions, variables and bodies.
#include <gtest/gtest.h>

#include <cstring>

#include "converter/graph/graph_passes.h"
#include "converter/graph/infer.h"
#include "converter/graph/lower.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using KindList = std::vector<StepKind>;

constexpr uint16_t kHalfOne = 0x3C00, kHalfMinusTwo = 0xC000;

std::vector<float> FloatsOf(const ir::Constant& constant) {
  std::vector<float> floats(constant.bytes.size() / sizeof(float));
  std::memcpy(floats.data(), constant.bytes.data(), constant.bytes.size());
  return floats;
}

// The file declares output types; promotion may only use these.
void Declare(ir::Source source, ElementType type, Dims dims) {
  source.node->outputs[source.port] = {{type, std::move(dims)}, true, {}};
}

// Runs the pipeline's passes up to the steps.
program::Program LowerPromoted(GraphBuilder& g) {
  graph::Promote(g.graph);
  program::Program program;
  EXPECT_TRUE(InferAndFold(g.graph, {}, g.faults)) << g.FaultText();
  if (g.faults.ok()) graph::Lower(g.graph, program, g.faults);
  EXPECT_TRUE(g.faults.ok()) << g.FaultText();
  return program;
}

TEST(Promote, WidensConstantsOfEveryFloatType) {
  GraphBuilder g;
  const ir::Source half = g.Const<uint16_t>({ElementType::f16, {2}}, {kHalfOne, kHalfMinusTwo});
  const ir::Source brain = g.Const<uint16_t>({ElementType::bf16, {2}}, {0x3F80, 0xC000});
  const ir::Source big = g.Const<double>({ElementType::f64, {2}}, {1, -2});
  const ir::Source whole = g.Ints({1, -2});
  graph::Promote(g.graph);
  for (const ir::Source& source : {half, brain, big}) {
    EXPECT_EQ(ToString(g.type(source)), "f32[2]");
    EXPECT_EQ(ToString(source.node->constant->type), "f32[2]");
    EXPECT_EQ(FloatsOf(*source.node->constant), (std::vector<float>{1, -2}));
  }
  EXPECT_EQ(whole.node->constant->type.type, ElementType::i64);
}

// A port without dims is a scalar or has unknown rank; its type is declared nevertheless.
TEST(Promote, GivesAScalarOutputItsType) {
  for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::f64}) {
    GraphBuilder g;
    const ir::Source x = g.Parameter({type, {2, 3}});
    const ir::Source sum = g.Add("ReduceSum", 1, {x, g.Ints({0, 1})}, {{"keep_dims", "false"}});
    sum.node->outputs[0] = {{type, {}}, /*declared=*/false, {}};
    g.Result(sum);
    const program::Program program = LowerPromoted(g);
    ASSERT_EQ(program.outputs.size(), 1u);
    EXPECT_EQ(program.values[program.outputs[0].value].type, (TensorType{type, {}}));
  }
}

TEST(Promote, LeavesNothingOfCompressedWeights) {
  GraphBuilder g;
  const ir::Source half = g.Const<uint16_t>({ElementType::f16, {2}}, {kHalfOne, kHalfMinusTwo});
  const ir::Source wide = g.Add("Convert", 1, {half}, {{"destination_type", "f32"}});
  Declare(wide, ElementType::f32, {2});
  g.Result(g.Add("Add", 1, {g.Parameter({ElementType::f32, {2}}), wide}));
  const program::Program program = LowerPromoted(g);
  EXPECT_EQ(Kinds(program), (KindList{StepKind::kBinary}));
  EXPECT_EQ(RunFloats(program, {{1, 1}}), (std::vector<std::vector<float>>{{2, -1}}));
}

TEST(Promote, KeepsTheTypesOfPorts) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::f16, {2}});
  const ir::Source y = g.Add("Multiply", 1, {x, x});
  Declare(y, ElementType::f16, {2});
  y.node->outputs[0].names = {"answer"};
  g.Result(y);
  const program::Program program = LowerPromoted(g);
  EXPECT_EQ(Kinds(program), (KindList{StepKind::kConvert, StepKind::kBinary, StepKind::kConvert}));
  EXPECT_EQ(ToString(program.values[program.inputs[0].value].type), "f16[2]");
  EXPECT_EQ(ToString(program.values[program.outputs[0].value].type), "f16[2]");
  EXPECT_EQ(program.outputs[0].names.at(0), "answer");
}

TEST(Promote, ConvertsAPortThatIsMerelyPassedThroughNotAtAll) {
  GraphBuilder g;
  g.Result(g.Parameter({ElementType::bf16, {2}}));
  EXPECT_EQ(Kinds(LowerPromoted(g)), (KindList{}));
}

TEST(Promote, StillRoundsWhereTheModelAsksForIt) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::f32, {2}});
  const ir::Source half = g.Add("Convert", 1, {x}, {{"destination_type", "f16"}});
  Declare(half, ElementType::f16, {2});
  const ir::Source twice = g.Add("Add", 1, {half, half});
  Declare(twice, ElementType::f16, {2});
  const ir::Source wide = g.Add("Convert", 1, {twice}, {{"destination_type", "f32"}});
  Declare(wide, ElementType::f32, {2});
  g.Result(wide);
  const program::Program program = LowerPromoted(g);
  EXPECT_EQ(Kinds(program), (KindList{StepKind::kConvert, StepKind::kConvert, StepKind::kBinary}));
  const float kBetweenHalves = 1.0f + 0x1p-12f;
  EXPECT_EQ(RunFloats(program, {{kBetweenHalves, 3}}), (std::vector<std::vector<float>>{{2, 6}}));
}

TEST(Promote, ReadsTheTypeOfConvertLikeBeforeItChanges) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::f32, {1}});
  const ir::Source like = g.Const<uint16_t>({ElementType::f16, {}}, {kHalfOne});
  const ir::Source half = g.Add("ConvertLike", 1, {x, like});
  Declare(half, ElementType::f16, {1});
  g.Result(g.Add("Convert", 1, {half}, {{"destination_type", "f32"}}));
  const program::Program program = LowerPromoted(g);
  EXPECT_EQ(Kinds(program), (KindList{StepKind::kConvert, StepKind::kConvert}));
  EXPECT_EQ(RunFloats(program, {{1.0f + 0x1p-12f}}), (std::vector<std::vector<float>>{{1}}));
}

TEST(Promote, KeepsVariablesAsF32) {
  GraphBuilder g;
  const std::map<std::string, std::string> variable = {
      {"variable_id", "s"}, {"variable_type", "f16"}, {"variable_shape", "1"}};
  const ir::Source old = g.Add("ReadValue", 6, {}, variable);
  Declare(old, ElementType::f16, {1});
  g.Add("Assign", 6, {g.Add("Add", 1, {old, g.Parameter({ElementType::f32, {1}})})}, variable);
  g.Result(old);
  const program::Program program = LowerPromoted(g);
  ASSERT_EQ(program.variables.size(), 1u);
  EXPECT_EQ(ToString(program.values[program.variables[0].value].type), "f32[1]");
  EXPECT_EQ(ToString(program.values[program.outputs[0].value].type), "f16[1]");
}

TEST(Promote, GoesIntoBodies) {
  GraphBuilder g, inner;
  const ir::Source x = inner.Parameter({ElementType::f16, {2}});
  const ir::Source y = inner.Add("Relu", 1, {x});
  Declare(y, ElementType::f16, {2});
  inner.Result(y);
  const ir::Source loop = g.Add("TensorIterator", 1, {g.Parameter({ElementType::f32, {2}})});
  loop.node->bodies.resize(1);
  loop.node->bodies[0].graph = std::make_unique<ir::Graph>(std::move(inner.graph));
  graph::Promote(g.graph);
  EXPECT_EQ(ToString(inner.type(x)), "f32[2]");
  EXPECT_EQ(ToString(inner.type(y)), "f32[2]");
  EXPECT_EQ(loop.node->bodies[0].graph->nodes.size(), 3u);
}

}  // namespace
}  // namespace weft
