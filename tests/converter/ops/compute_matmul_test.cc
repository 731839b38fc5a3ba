// SPDX-License-Identifier: Apache-2.0
// Matrix products: shapes with transposition and batch, and the choice between dense and matmul.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;

std::map<std::string, std::string> Transposed(bool a, bool b) {
  return {{"transpose_a", a ? "true" : "false"}, {"transpose_b", b ? "true" : "false"}};
}

// Type of a product of two Parameters, or the error.
std::string ProductShape(Dims a, Dims b, bool transpose_a = false, bool transpose_b = false) {
  GraphBuilder g;
  const ir::Source y = g.Add("MatMul", 1, {g.Parameter(F32(a)), g.Parameter(F32(b))},
                             Transposed(transpose_a, transpose_b));
  return g.Infer() ? ToString(g.type(y)) : g.FaultText();
}

TEST(MatMul, InfersMatricesVectorsAndBatches) {
  EXPECT_EQ(ProductShape({2, 3}, {3, 4}), "f32[2,4]");
  EXPECT_EQ(ProductShape({3, 2}, {4, 3}, true, true), "f32[2,4]");
  EXPECT_EQ(ProductShape({5, 1, 2, 3}, {7, 3, 4}), "f32[5,7,2,4]");
  EXPECT_EQ(ProductShape({3}, {3, 4}, true), "f32[4]");
  EXPECT_EQ(ProductShape({2, 3}, {3}), "f32[2]");
  EXPECT_EQ(ProductShape({3}, {3}), "f32[]");
  EXPECT_EQ(ProductShape({6, 2, 3}, {3}), "f32[6,2]");
  EXPECT_EQ(ProductShape({6, 3, 2}, {3}, true), "f32[6,2]");
}

TEST(MatMul, NamesBothInnerExtents) {
  EXPECT_PRED2(Contains, ProductShape({2, 3}, {4, 5}), "3 columns and f32[4,5] has 4 rows");
  EXPECT_PRED2(Contains, ProductShape({2, 2, 3}, {5, 3, 4}), "axis 0 is 2 and 5");
  EXPECT_PRED2(Contains, ProductShape({}, {3}), "input 0 is a scalar");
}

TEST(MatMul, PacksAConstantRightSideAndJoinsAllRows) {
  for (const bool transposed : {false, true}) {
    GraphBuilder g;
    // W[k, n] = 10 k + n, stored in either order.
    const ir::Source w = transposed ? g.Floats({2, 3}, {0, 10, 20, 1, 11, 21})
                                    : g.Floats({3, 2}, {0, 1, 10, 11, 20, 21});
    g.Add("MatMul", 1, {g.Parameter(F32({4, 5, 3})), w}, Transposed(false, transposed));
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    const program::Program program = g.Lower();
    ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kDense}));
    const auto params = ParamsAt<format::DenseParams>(program);
    EXPECT_EQ(params.rows(), 20u);
    EXPECT_EQ(params.inputs(), 3u);
    EXPECT_EQ(params.outputs(), 2u);
    EXPECT_EQ(params.x_row_stride(), 3u);
    EXPECT_EQ(params.y_row_stride(), 2u);
    const program::Step step = Steps(program)[0];
    EXPECT_EQ(step.inputs[2], program::kNone);
    const program::Value& weights = program.values[step.inputs[1]];
    ASSERT_EQ(weights.storage, program::Storage::kWeights);
    ASSERT_EQ(weights.data->size(), 3u * 16 * sizeof(float));
    float packed[48];
    std::memcpy(packed, weights.data->data(), sizeof(packed));
    for (int k = 0; k < 3; ++k) {
      for (int n = 0; n < 16; ++n) EXPECT_EQ(packed[k * 16 + n], n < 2 ? 10 * k + n : 0);
    }
  }
}

TEST(MatMul, TransposesTheRowsOfAConstantProductOnce) {
  GraphBuilder g;
  g.Add("MatMul", 1, {g.Parameter(F32({6, 3, 4})), g.Floats({3, 1}, {1, 2, 3})},
        Transposed(true, false));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kCopy, StepKind::kDense}));
  const auto copy = ParamsAt<format::CopyParams>(program, 0);
  EXPECT_EQ(First(copy.dims(), copy.rank()), (Dims{6, 4, 3}));
  EXPECT_EQ(First(copy.src_strides(), copy.rank()), (Dims{12, 1, 4}));
  EXPECT_EQ(ParamsAt<format::DenseParams>(program, 1).rows(), 24u);
}

TEST(MatMul, TurnsAConstantLeftSideIntoDenseForColumns) {
  GraphBuilder g;
  g.Add("MatMul", 1, {g.Floats({2, 3}, {0, 1, 2, 3, 4, 5}), g.Parameter(F32({7, 3, 1}))});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kDense}));
  const auto params = ParamsAt<format::DenseParams>(program);
  EXPECT_EQ(params.rows(), 7u);
  EXPECT_EQ(params.inputs(), 3u);
  EXPECT_EQ(params.outputs(), 2u);
}

format::MatmulParams LowerProduct(Dims a, Dims b, bool transpose_a, bool transpose_b) {
  GraphBuilder g;
  g.Add("MatMul", 1, {g.Parameter(F32(std::move(a))), g.Parameter(F32(std::move(b)))},
        Transposed(transpose_a, transpose_b));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return ParamsAt<format::MatmulParams>(g.Lower());
}

TEST(MatMul, WalksTransposedFactorsByStride) {
  const format::MatmulParams params = LowerProduct({5, 3, 2}, {5, 4, 3}, true, true);
  EXPECT_EQ(params.batch_rank(), 1u);
  EXPECT_EQ(First(params.batch_dims(), 1), (Dims{5}));
  EXPECT_EQ(First(params.a_batch_strides(), 1), (Dims{6}));
  EXPECT_EQ(First(params.b_batch_strides(), 1), (Dims{12}));
  EXPECT_EQ(params.rows(), 2u);
  EXPECT_EQ(params.columns(), 4u);
  EXPECT_EQ(params.inner(), 3u);
  EXPECT_EQ(params.a_row_stride(), 1u);
  EXPECT_EQ(params.a_inner_stride(), 2u);
  EXPECT_EQ(params.b_inner_stride(), 1u);
  EXPECT_EQ(params.b_column_stride(), 3u);
}

TEST(MatMul, BroadcastsTheBatchOfEitherFactor) {
  const format::MatmulParams params = LowerProduct({5, 1, 2, 3}, {7, 3, 4}, false, false);
  EXPECT_EQ(First(params.batch_dims(), params.batch_rank()), (Dims{5, 7}));
  EXPECT_EQ(First(params.a_batch_strides(), 2), (Dims{6, 0}));
  EXPECT_EQ(First(params.b_batch_strides(), 2), (Dims{0, 12}));
}

TEST(MatMul, TakesABatchThatSharesTheRightSideAsRows) {
  const format::MatmulParams params = LowerProduct({5, 6, 2, 3}, {3, 4}, false, false);
  EXPECT_EQ(params.batch_rank(), 0u);
  EXPECT_EQ(params.rows(), 60u);
}

TEST(MatMul, KeepsABatchOfConstantMatricesAsTheyAre) {
  GraphBuilder g;
  g.Add("MatMul", 1, {g.Parameter(F32({2, 1, 2})), g.Floats({2, 2, 1}, {1, 2, 3, 4})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()), (std::vector<StepKind>{StepKind::kMatmul}));
}

TEST(MatMul, OfIntegersIsOneStepOfTheirType) {
  GraphBuilder g;
  const TensorType rows = {ElementType::i64, {5, 3}};
  const ir::Source y = g.Add(
      "MatMul", 1, {g.Parameter(rows), g.Const<int64_t>({ElementType::i64, {3, 1}}, {12, 4, 1})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "i64[5,1]");
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kMatmul}));
  EXPECT_EQ(ParamsAt<format::MatmulParams>(program).type(), format::ElementType::i64);
}

TEST(MatMul, SumsBytesUpInWords) {
  GraphBuilder g;
  const ir::Source known = g.Const<int8_t>({ElementType::i8, {2, 1}}, {3, -4});
  g.Add("MatMul", 1, {g.Parameter({ElementType::i8, {2, 2}}), known});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program),
            (std::vector<StepKind>{StepKind::kConvert, StepKind::kMatmul, StepKind::kConvert}));
  EXPECT_EQ(ParamsAt<format::MatmulParams>(program, 1).type(), ElementType::i32);
}

TEST(MatMul, RefusesUnequalTypes) {
  GraphBuilder g;
  g.Add("MatMul", 1, {g.Parameter(F32({2, 2})), g.Parameter({ElementType::i32, {2, 2}})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 0 is f32 and input 1 is i32");
}

TEST(MatMul, IsZeroOverNoTerms) {
  GraphBuilder g;
  g.Add("MatMul", 1, {g.Parameter(F32({2, 0})), g.Parameter(F32({0, 3}))});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()), (std::vector<StepKind>{StepKind::kFill}));
}

}  // namespace
}  // namespace weft
