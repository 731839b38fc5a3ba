// SPDX-License-Identifier: Apache-2.0
// NonZero, Unique and the decoders: steps, errors, and the operations that accept the run-time
// length of NonZero and Unique.
#include <gtest/gtest.h>

#include "converter/ops/support/axes.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using Extent = std::optional<ir::RunTimeExtent>;
using StepKinds = std::vector<program::StepKind>;

const TensorType kMask = {ElementType::boolean, {2, 3}};

// Rows [6, 4] of x[mask], as exporters decompose it.
struct Selection : GraphBuilder {
  ir::Source positions = Add("NonZero", 3, {Parameter(kMask)});
  ir::Source permuted = Add("Transpose", 1, {positions, Ints({1, 0})});
  ir::Source rows = Add("GatherND", 8, {Parameter(F32({2, 3, 4})), permuted});

  // "" or the errors, with `made` as the only output.
  std::string Inferred(ir::Source made) {
    Result(made);
    InferAndFold(graph, {}, faults);
    return FaultText();
  }

  program::Program LoweredWhole() {
    program::Program program;
    EXPECT_TRUE(graph::Lower(graph, program, faults)) << FaultText();
    return program;
  }
};

const Extent& Found(ir::Source source) { return ir::ExtentOf(source); }

TEST(NonZero, FindsPlacesInOneStepAndMovesTheirRowsTogether) {
  Selection g;
  ASSERT_EQ(g.Inferred(g.positions), "");
  EXPECT_EQ(ToString(g.type(g.positions)), "i64[2,6]");
  EXPECT_EQ(Found(g.positions), (ir::RunTimeExtent{1, g.positions.node, 1}));
  const program::Program program = g.LoweredWhole();
  EXPECT_EQ(Kinds(program),
            (StepKinds{program::StepKind::kPositions, program::StepKind::kCompact}));
  EXPECT_NE(program.outputs[0].length, program::kNone);
  EXPECT_EQ(program.outputs[0].length_axis, 1);
}

TEST(NonZero, SelectsRowsThatStandTogether) {
  Selection g;
  ASSERT_EQ(g.Inferred(g.rows), "");
  EXPECT_EQ(ToString(g.type(g.rows)), "f32[6,4]");
  EXPECT_EQ(Found(g.rows), (ir::RunTimeExtent{0, g.positions.node, 1}));
  const program::Program program = g.LoweredWhole();
  EXPECT_EQ(Kinds(program).front(), program::StepKind::kPositions);
  EXPECT_EQ(Kinds(program).back(), program::StepKind::kGather);
  EXPECT_NE(program.outputs[0].length, program::kNone);
}

TEST(NonZero, IsFoldedToAsManyAsThereAre) {
  Selection g;
  const ir::Source known = g.Const<uint8_t>(kMask, {0, 1, 0, 0, 1, 1});
  const ir::Source made = g.Add("NonZero", 3, {known}, {{"output_type", "i32"}});
  ASSERT_EQ(g.Inferred(made), "");
  const ir::Source folded = g.graph.results[0]->inputs[0];
  ASSERT_TRUE(folded.node->constant.has_value());
  EXPECT_EQ(ToString(g.type(folded)), "i32[2,3]");
  EXPECT_FALSE(Found(folded).has_value());
}

TEST(NonZero, RefusesWhatItCannotRead) {
  Selection g;
  g.Add("NonZero", 3, {g.Parameter({ElementType::u4, {4}})});
  g.Add("NonZero", 3, {g.Parameter(F32({4}))}, {{"output_type", "u8"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "which is u4[4]; u4 must keep its order");
  EXPECT_PRED2(Contains, g.FaultText(), "must be one of i64 i32");
}

TEST(RunTimeLength, GoesAlongTheAxesOfTheRule) {
  Selection g;
  const ir::Source product = g.Add("MatMul", 1, {g.rows, g.Floats({4, 2}, std::vector<float>(8))});
  const ir::Source permuted = g.Add("Transpose", 1, {product, g.Ints({1, 0})});
  ASSERT_EQ(g.Inferred(permuted), "");
  EXPECT_EQ(Found(product), (ir::RunTimeExtent{0, g.positions.node, 1}));
  EXPECT_EQ(Found(permuted), (ir::RunTimeExtent{1, g.positions.node, 1}));
}

TEST(RunTimeLength, JoinsTheAxesBehindItAndLeavesThem) {
  Selection g;
  const ir::Source flat = g.Add("Reshape", 1, {g.rows, g.Ints({-1})});
  const ir::Source pairs = g.Add("Reshape", 1, {flat, g.Ints({-1, 2})});
  const ir::Source more = g.Add("Unsqueeze", 1, {pairs, g.Ints({0})});
  const ir::Source fewer = g.Add("Squeeze", 1, {more, g.Ints({0})});
  ASSERT_EQ(g.Inferred(fewer), "");
  EXPECT_EQ(Found(flat), (ir::RunTimeExtent{0, g.positions.node, 4}));
  EXPECT_EQ(Found(pairs), (ir::RunTimeExtent{0, g.positions.node, 2}));
  EXPECT_EQ(Found(more), (ir::RunTimeExtent{1, g.positions.node, 2}));
  EXPECT_EQ(Found(fewer), (ir::RunTimeExtent{0, g.positions.node, 2}));
}

TEST(RunTimeLength, IsLeftOutOfReductionsAndIsPartOfAShape) {
  Selection g;
  const ir::Source mean = g.Add("ReduceMean", 1, {g.rows, g.Ints({0})});
  ASSERT_EQ(g.Inferred(mean), "");
  EXPECT_FALSE(Found(mean).has_value());
  EXPECT_EQ(ToString(g.type(mean)), "f32[4]");
  Selection h;
  const ir::Source shape = h.Add("ShapeOf", 3, {h.rows});
  ASSERT_EQ(h.Inferred(shape), "");
  EXPECT_FALSE(h.graph.results[0]->inputs[0].node->constant.has_value());
  EXPECT_EQ(Kinds(h.LoweredWhole()).back(), program::StepKind::kSelect);
}

TEST(RunTimeLength, IsRefusedWhereItsPlacesAreNotKeptApart) {
  const auto refusal = [](const char* type, int opset, std::vector<int64_t> control) {
    Selection g;
    return g.Inferred(g.Add(type, opset, {g.rows, g.Ints(std::move(control))}));
  };
  EXPECT_PRED2(Contains, refusal("CumSum", 3, {0}),
               "(CumSum): axis 0 of its input 0 has a run-time length; must be fixed, unless "
               "the operation processes each element of the axis independently");
  EXPECT_PRED2(Contains, refusal("Broadcast", 3, {6, 4}), "has a run-time length; must be fixed");
  for (const std::vector<int64_t>& pattern : {Dims{24}, Dims{-1, 3}, Dims{2, -1}}) {
    EXPECT_PRED2(Contains, refusal("Reshape", 1, pattern),
                 "must be kept by -1 in the target shape, with complete rows after it");
  }
  EXPECT_PRED2(Contains, refusal("Squeeze", 1, {0}), "must be kept by -1 in the target shape");
}

TEST(RunTimeLength, MustBeThatOfAllThatMeet) {
  Selection g;
  const ir::Source fixed = g.Parameter(F32({6, 1}));
  EXPECT_PRED2(Contains, g.Inferred(g.Add("Concat", 1, {g.rows, fixed}, {{"axis", "1"}})),
               "axis 0 of its input 0 has a run-time length that input 1 does not share");
}

StepKinds KindsOfUnique(GraphBuilder& g, std::vector<ir::Source> inputs, const char* sorted,
                        const std::vector<uint32_t>& used) {
  const ir::Source made = g.Add("Unique", 10, std::move(inputs), {{"sorted", sorted}}, 4);
  for (const uint32_t output : used) g.Result({made.node, output});
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return Kinds(g.Lower());
}

TEST(Unique, MakesNoMoreThanIsRead) {
  GraphBuilder values, all;
  const StepKinds few = KindsOfUnique(values, {values.Parameter(F32({7}))}, "true", {0});
  EXPECT_EQ(few.front(), program::StepKind::kTop);
  EXPECT_EQ(few.back(), program::StepKind::kGather);
  EXPECT_EQ(std::ranges::count(few, program::StepKind::kTop), 1);
  const StepKinds more = KindsOfUnique(all, {all.Parameter(F32({7}))}, "false", {0, 1, 2, 3});
  EXPECT_EQ(std::ranges::count(more, program::StepKind::kTop), 4);
}

TEST(Unique, HasLengthsButForItsInverse) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 7, 3}));
  const ir::Source made = g.Add("Unique", 10, {x, g.Int(-2)}, {}, 4);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Found({made.node, 0}), (ir::RunTimeExtent{1, made.node, 1}));
  EXPECT_EQ(Found({made.node, 1}), (ir::RunTimeExtent{0, made.node, 1}));
  EXPECT_FALSE(Found({made.node, 2}).has_value());
  EXPECT_EQ(Found({made.node, 3}), (ir::RunTimeExtent{0, made.node, 1}));
  EXPECT_EQ(ToString(g.type({made.node, 2})), "i64[7]");
}

TEST(Unique, RefusesWhatItCannotTellApart) {
  GraphBuilder g;
  g.Add("Unique", 10, {g.Parameter(kMask)}, {}, 4);
  g.Add("Unique", 10, {g.Parameter(F32({3, 0})), g.Int(0)}, {}, 4);
  g.Add("Unique", 10, {g.Parameter(F32({3})), g.Int(1)}, {}, 4);
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 0 has element type boolean");
  EXPECT_PRED2(Contains, g.FaultText(), "slices of f32[3,0] along axis 0 have no elements");
  EXPECT_PRED2(Contains, g.FaultText(), "axis 1 of a rank 1 tensor");
}

TEST(Decoders, RefuseInputsThatDoNotFit) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({5, 2, 4}));
  const TensorType one = {ElementType::i32, {2}};
  g.Add("CTCGreedyDecoder", 1, {x, g.Parameter(F32({2, 5}))});
  g.Add("CTCGreedyDecoderSeqLen", 6, {x, g.Parameter(one)}, {}, 2);
  g.Add("CTCGreedyDecoderSeqLen", 6,
        {g.Parameter(F32({2, 5, 0})), g.Parameter(one), g.Parameter(one)}, {}, 2);
  g.Add("GatherTree", 1, {x, x, g.Parameter(F32({5})), g.Float(0)});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "the mask is f32[2,5] for scores f32[5,2,4]; must be [5,2]");
  EXPECT_PRED2(Contains, g.FaultText(), "sequence lengths are i32[2] for scores f32[5,2,4]");
  EXPECT_PRED2(Contains, g.FaultText(), "scores are f32[2,5,0]; must have three axes");
  EXPECT_PRED2(Contains, g.FaultText(), "sequence lengths are f32[5] for steps f32[5,2,4]");
}

TEST(Decoders, KeepBatchesApart) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({5, 2, 4}));
  const ir::Source made = g.Add("CTCGreedyDecoder", 1, {x, g.Parameter(F32({5, 2}))});
  const ir::Source tree = g.Add("GatherTree", 1, {x, x, g.Parameter(F32({2})), g.Float(0)});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ops::RelationOf(g.graph, *made.node).groups,
            (std::vector<ops::AxisGroup>{{{false, 0, 1}, {false, 1, 1}, {true, 0, 0}}}));
  EXPECT_EQ(
      ops::RelationOf(g.graph, *tree.node).groups,
      (std::vector<ops::AxisGroup>{{{false, 0, 1}, {false, 1, 1}, {false, 2, 0}, {true, 0, 1}}}));
}

}  // namespace
}  // namespace weft
