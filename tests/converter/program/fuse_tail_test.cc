// SPDX-License-Identifier: Apache-2.0
// Additions and functions that are fused into the matrix step before them, and those that must not
// be. Every program runs fused and unfused; both results must agree.
#include "converter/program/fuse_tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "converter/ops/support/packed.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using program::ValueId;
using KindList = std::vector<StepKind>;

// Small, different numbers of both signs, equal in every run.
std::vector<float> Numbers(int64_t count, uint32_t seed) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    numbers.push_back(static_cast<float>(static_cast<int32_t>(seed >> 8) - (1 << 23)) / (1 << 23));
  }
  return numbers;
}

ir::Source Constant(GraphBuilder& g, Dims dims, uint32_t seed) {
  const int64_t count = *ElementCount(dims);
  return g.Floats(std::move(dims), Numbers(count, seed));
}

// Fuses the steps as in a loop body.
void FuseAsBody(program::Program& program) {
  program::Builder builder(program);
  const program::SectionId section = builder.NewSection();
  const program::BlockId body = builder.NewBlock();
  std::swap(program.blocks[body].items, program.blocks[program.main].items);
  for (const program::Port& port : program.outputs)
    program.blocks[body].results.push_back(port.value);
  program.sections[section].loop.emplace().body = body;
  builder.Enter(section);
  program::FuseTails(program);
  std::swap(program.blocks[body].items, program.blocks[program.main].items);
  program.sections.pop_back();
  program.blocks.pop_back();
}

enum class In { kMain, kLoop };

// Fuses the program and returns it, after a run of both on the same inputs.
program::Program Fused(const program::Program& program, In in = In::kMain) {
  program::Program fused = program;
  in == In::kMain ? program::FuseTails(fused) : FuseAsBody(fused);
  std::vector<std::vector<float>> inputs;
  for (const program::Port& port : program.inputs) {
    inputs.push_back(Numbers(program.values[port.value].bytes / 4, 77));
  }
  const auto before = RunFloats(program, inputs), after = RunFloats(fused, inputs);
  EXPECT_EQ(before.size(), after.size());
  for (size_t port = 0; port < std::min(before.size(), after.size()); ++port) {
    EXPECT_EQ(before[port].size(), after[port].size());
    for (size_t i = 0; i < before[port].size(); ++i) {
      EXPECT_NEAR(after[port][i], before[port][i], 1e-6) << "output " << port << " at " << i;
    }
  }
  return fused;
}

// x [3,5] times a constant [5,7], plus the addend, as the only output.
program::Program ProductPlus(Dims addend, bool constant) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({3, 5}));
  const ir::Source other =
      constant ? Constant(g, std::move(addend), 5) : g.Parameter(F32(std::move(addend)));
  const ir::Source product = g.Add("MatMul", 1, {x, Constant(g, {5, 7}, 3)});
  g.Result(g.Add("Add", 1, {other, product}));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.Lower();
}

TEST(FuseTail, StartsDenseInLoopsFromAnythingThatRepeatsByRows) {
  for (const bool constant : {true, false}) {
    for (const Dims& addend : {Dims{7}, Dims{1, 7}, Dims{3, 7}}) {
      SCOPED_TRACE(ToString(addend));
      const program::Program fused = Fused(ProductPlus(addend, constant), In::kLoop);
      ASSERT_EQ(Kinds(fused), (KindList{StepKind::kDense}));
      EXPECT_EQ(ParamsAt<format::DenseParams>(fused).start_row_stride(), addend[0] == 3 ? 7u : 0u);
    }
  }
}

// With several time steps the addend may be broadcast differently, with other roundings.
TEST(FuseTail, StartsDenseOutsideLoopsFromOneConstantPerOutput) {
  for (const bool constant : {true, false}) {
    for (const Dims& addend : {Dims{7}, Dims{1, 7}, Dims{3, 7}}) {
      SCOPED_TRACE(ToString(addend));
      const program::Program fused = Fused(ProductPlus(addend, constant));
      if (constant && addend[0] != 3) {
        ASSERT_EQ(Kinds(fused), (KindList{StepKind::kDense}));
        EXPECT_EQ(ParamsAt<format::DenseParams>(fused).start_row_stride(), 0u);
      } else {
        EXPECT_EQ(Kinds(fused), (KindList{StepKind::kDense, StepKind::kBinary}));
      }
    }
  }
}

// A [7,5] times x [5,1]: with several columns it is a product of two matrices, which starts from 0.
TEST(FuseTail, StartsAProductOfOneColumnInLoopsOnly) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({5, 1}));
  const ir::Source product = g.Add("MatMul", 1, {Constant(g, {7, 5}, 3), x});
  g.Result(g.Add("Add", 1, {product, Constant(g, {7, 1}, 4)}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  EXPECT_EQ(Kinds(Fused(program, In::kLoop)), (KindList{StepKind::kDense}));
  EXPECT_EQ(Kinds(Fused(program)), (KindList{StepKind::kDense, StepKind::kBinary}));
}

TEST(FuseTail, SpreadsAConstantNumberOverTheOutputs) {
  EXPECT_EQ(Kinds(Fused(ProductPlus({1}, true))), (KindList{StepKind::kDense}));
  EXPECT_EQ(Kinds(Fused(ProductPlus({1}, false))), (KindList{StepKind::kDense, StepKind::kBinary}));
}

TEST(FuseTail, LeavesAddendsThatDifferByRowOrGrowTheProduct) {
  for (const In in : {In::kMain, In::kLoop}) {
    for (const Dims& addend : {Dims{3, 1}, Dims{2, 3, 7}}) {
      SCOPED_TRACE(ToString(addend));
      EXPECT_EQ(Kinds(Fused(ProductPlus(addend, true), in)),
                (KindList{StepKind::kDense, StepKind::kBinary}));
    }
  }
}

TEST(FuseTail, EndsInTheFunctionWithItsClip) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({3, 5}));
  const ir::Source product = g.Add("MatMul", 1, {x, Constant(g, {5, 7}, 3)});
  const ir::Source sum = g.Add("Add", 1, {product, Constant(g, {7}, 4)});
  const ir::Source clipped = g.Add("Clamp", 1, {sum}, {{"min", "-0.5"}, {"max", "0.5"}});
  g.Result(g.Add("Sigmoid", 1, {clipped}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program fused = Fused(g.Lower());
  ASSERT_EQ(Kinds(fused), (KindList{StepKind::kDense}));
  const format::Activation activation = ParamsAt<format::DenseParams>(fused).activation();
  EXPECT_EQ(activation.op(), format::UnaryOp::sigmoid);
  EXPECT_EQ(activation.clip(), 0.5f);
}

// An int8 product with results of `type`, followed by a function of the dequantised results.
program::Program FunctionOfCodes(ElementType type) {
  program::Program program;
  program::Builder builder(program);
  const ValueId x = builder.Scratch(F32({3, 16}));
  const ValueId codes = builder.Scratch({ElementType::i8, {3, 16}});
  const format::CodeRange bytes(0, -128, 127, format::Results::codes);
  builder.Emit(format::QuantizeParams(48, 100, bytes), {x}, {codes});
  std::vector<int8_t> weights(16 * 16);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int8_t>(i * 37 % 255);
  const ValueId packed = builder.WeightsOf({ElementType::i8, {256}}, weights);
  const ValueId scales =
      builder.WeightsOf({ElementType::f32, {16}}, std::vector<float>(16, 0.0001f));
  const bool is_float = type == ElementType::f32;
  const ValueId y = builder.Scratch({type, {3, 16}});
  builder.Emit(format::DenseQ8Params(3, 16, 16, 16, 16, 0, format::Activation(),
                                     is_float ? format::CodeRange() : bytes),
               {codes, packed, scales, program::kNone, program::kNone}, {y});
  ValueId numbers = y;
  if (!is_float) {
    numbers = builder.Scratch(F32({3, 16}));
    builder.Emit(format::DequantizeParams(48, 0.01f, 0, 0, 0), {y}, {numbers});
  }
  const ValueId end = builder.Scratch(F32({3, 16}));
  format::UnaryParams tanh;
  tanh.mutate_count(48);
  tanh.mutable_activation() = format::Activation(0, 0, 0, format::UnaryOp::tanh, 0, 0);
  tanh.mutate_type(ElementType::f32);
  builder.Emit(tanh, {numbers}, {end});
  program.inputs.push_back({x, {"x"}, program::kNone, 0});
  program.outputs.push_back({end, {"y"}, program::kNone, 0});
  return program;
}

TEST(FuseTail, EndsProductsOfLevelsInTheFunctionOfFloats) {
  EXPECT_EQ(Kinds(Fused(FunctionOfCodes(ElementType::f32))),
            (KindList{StepKind::kQuantize, StepKind::kDenseQ8}));
  EXPECT_EQ(
      Kinds(Fused(FunctionOfCodes(ElementType::i8))),
      (KindList{StepKind::kQuantize, StepKind::kDenseQ8, StepKind::kDequantize, StepKind::kUnary}));
}

TEST(FuseTail, LeavesASecondFunctionAlone) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({3, 5}));
  const ir::Source product = g.Add("MatMul", 1, {x, Constant(g, {5, 7}, 3)});
  g.Result(g.Add("Tanh", 1, {g.Add("Relu", 1, {product})}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(Fused(g.Lower())), (KindList{StepKind::kDense, StepKind::kUnary}));
}

TEST(FuseTail, AddsNothingBehindAFunction) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({3, 5}));
  const ir::Source product = g.Add("MatMul", 1, {x, Constant(g, {5, 7}, 3)});
  g.Result(g.Add("Add", 1, {g.Add("Relu", 1, {product}), Constant(g, {7}, 4)}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(Fused(g.Lower())), (KindList{StepKind::kDense, StepKind::kBinary}));
}

TEST(FuseTail, GivesConvolutionsTheirBias) {
  const std::map<std::string, std::string> window = {
      {"strides", "1,1"}, {"dilations", "1,1"}, {"pads_begin", "1,1"}, {"pads_end", "1,1"}};
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 4, 5, 3}));
  const ir::Source plain = g.Add("Convolution", 1, {x, Constant(g, {17, 4, 3, 3}, 1)}, window);
  const ir::Source biased = g.Add("Add", 1, {plain, Constant(g, {1, 17, 1, 1}, 2)});
  g.Result(g.Add("Relu", 1, {biased}));
  const ir::Source depthwise =
      g.Add("GroupConvolution", 1, {x, Constant(g, {4, 2, 1, 3, 3}, 1)}, window);
  g.Result(g.Add("Add", 1, {depthwise, Constant(g, {8, 1, 1}, 2)}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program fused = Fused(g.Lower());
  ASSERT_EQ(Kinds(fused), (KindList{StepKind::kConv, StepKind::kDepthwise}));
  EXPECT_EQ(ParamsAt<format::ConvParams>(fused, 0).activation().op(), format::UnaryOp::relu);
}

TEST(FuseTail, LeavesAnAddendThatDiffersByPosition) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({1, 4, 9}));
  const ir::Source y = g.Add("Convolution", 1, {x, Constant(g, {17, 4, 3}, 1)},
                             {{"strides", "1"}, {"dilations", "1"}});
  g.Result(g.Add("Add", 1, {y, Constant(g, {17, 7}, 2)}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(Fused(g.Lower())), (KindList{StepKind::kConv, StepKind::kBinary}));
}

// tanh(x W + h R + biases), with the biases where an exporter puts them.
program::Program Recurrence(bool bias_per_product) {
  GraphBuilder g;
  ir::Source a = g.Add("MatMul", 1, {g.Parameter(F32({2, 5})), Constant(g, {5, 7}, 1)});
  ir::Source b = g.Add("MatMul", 1, {g.Parameter(F32({2, 6})), Constant(g, {6, 7}, 2)});
  if (bias_per_product) {
    a = g.Add("Add", 1, {a, Constant(g, {7}, 3)});
    b = g.Add("Add", 1, {b, Constant(g, {7}, 4)});
  }
  ir::Source sum = g.Add("Add", 1, {a, b});
  if (!bias_per_product) sum = g.Add("Add", 1, {sum, Constant(g, {7}, 3)});
  g.Result(g.Add("Tanh", 1, {sum}));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.Lower();
}

TEST(FuseTail, ChainsTwoProductsFromTheirBias) {
  for (const bool bias_per_product : {false, true}) {
    SCOPED_TRACE(bias_per_product);
    const program::Program fused = Fused(Recurrence(bias_per_product), In::kLoop);
    ASSERT_EQ(Kinds(fused), (KindList{StepKind::kDense, StepKind::kDense}));
    const std::vector<program::Step> steps = Steps(fused);
    EXPECT_EQ(fused.values[steps[0].inputs[2]].storage, program::Storage::kWeights);
    EXPECT_EQ(steps[1].inputs[2], steps[0].outputs[0]);
    EXPECT_EQ(ParamsAt<format::DenseParams>(fused, 1).start_row_stride(), 7u);
  }
}

TEST(FuseTail, KeepsAProductWithAnotherReader) {
  GraphBuilder g;
  const ir::Source product = g.Add("MatMul", 1, {g.Parameter(F32({3, 5})), Constant(g, {5, 7}, 3)});
  g.Result(g.Add("Add", 1, {product, Constant(g, {7}, 4)}));
  g.Result(product);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(Fused(g.Lower())), (KindList{StepKind::kDense, StepKind::kBinary}));
}

TEST(FuseTail, KeepsAProductThatIsAddedToItself) {
  GraphBuilder g;
  const ir::Source product = g.Add("MatMul", 1, {g.Parameter(F32({3, 5})), Constant(g, {5, 7}, 3)});
  g.Result(g.Add("Add", 1, {product, product}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(Fused(g.Lower())), (KindList{StepKind::kDense, StepKind::kBinary}));
}

TEST(FuseTail, ReadsAVariableBeforeItChanges) {
  program::Program program;
  program::Builder builder(program);
  const ValueId state = builder.State(F32({4}), "s"), x = builder.Scratch(F32({4}));
  program.variables.push_back({state, program::kNone, "s"});
  program.inputs.push_back({x, {"x"}});
  const ValueId product = builder.Scratch(F32({4})), y = builder.Scratch(F32({4}));
  const ValueId weights = ops::PackDense(builder, Numbers(16, 1), 4, 1, 4, 4);
  ops::EmitDense(builder, 1, 4, 4, state, weights, product);
  builder.Copy(x, state);
  format::UnaryParams params;
  params.mutate_count(4);
  params.mutable_activation().mutate_op(format::UnaryOp::tanh);
  builder.Emit(params, {product}, {y});
  program.outputs.push_back({y, {"y"}});
  EXPECT_EQ(Kinds(Fused(program)), (KindList{StepKind::kDense, StepKind::kCopy, StepKind::kUnary}));
}

TEST(FuseTail, NeverWritesOverWhatItReads) {
  program::Program program;
  program::Builder builder(program);
  const ValueId state = builder.State(F32({4}), "s");
  program.variables.push_back({state, program::kNone, "s"});
  const ValueId product = builder.Scratch(F32({4}));
  const ValueId weights = ops::PackDense(builder, Numbers(16, 1), 4, 1, 4, 4);
  ops::EmitDense(builder, 1, 4, 4, state, weights, product);
  format::UnaryParams params;
  params.mutate_count(4);
  params.mutable_activation().mutate_op(format::UnaryOp::tanh);
  builder.Emit(params, {product}, {state});
  EXPECT_EQ(Kinds(Fused(program)), (KindList{StepKind::kDense, StepKind::kUnary}));
}

TEST(FuseTail, LeavesTheSlicedProductFreeForHoisting) {
  for (const bool sliced_first : {true, false}) {
    program::Program program;
    program::Builder builder(program);
    const program::SectionId section = builder.NewSection();
    const program::BlockId body = builder.NewBlock();
    const ValueId sequence = builder.Scratch(F32({9, 4})), h = builder.Scratch(F32({4}));
    const ValueId slice = builder.Scratch(F32({4}));
    builder.Enter(section);
    const ValueId weights = ops::PackDense(builder, Numbers(16, 1), 4, 1, 4, 4);
    builder.SetBlock(body);
    const ValueId a = builder.Scratch(F32({4})), b = builder.Scratch(F32({4}));
    ops::EmitDense(builder, 1, 4, 4, sliced_first ? slice : h, weights, a);
    ops::EmitDense(builder, 1, 4, 4, sliced_first ? h : slice, weights, b);
    format::BinaryParams params;
    params.mutate_rank(1);
    params.mutable_dims()->Mutate(0, 4);
    params.mutable_a_strides()->Mutate(0, 1);
    params.mutable_b_strides()->Mutate(0, 1);
    const ValueId y = builder.Scratch(F32({4}));
    builder.Emit(params, {a, b}, {y});
    program.blocks[body].results = {y};
    program::Loop& loop = program.sections[section].loop.emplace();
    loop.body = body;
    loop.sliced = {{sequence, slice}};
    loop.carried = {{builder.Scratch(F32({4})), h, 0}};
    program::FuseTails(program);
    const auto& items = program.blocks[body].items;
    ASSERT_EQ(items.size(), 2u);
    const auto& first = std::get<program::Step>(items[0]);
    const auto& second = std::get<program::Step>(items[1]);
    EXPECT_EQ(first.inputs[0], slice);
    EXPECT_EQ(first.inputs[2], program::kNone);
    EXPECT_EQ(second.inputs[0], h);
    EXPECT_EQ(second.inputs[2], first.outputs[0]);
    EXPECT_EQ(second.outputs[0], y);
  }
}

}  // namespace
}  // namespace weft
