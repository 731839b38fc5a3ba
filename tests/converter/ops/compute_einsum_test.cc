// SPDX-License-Identifier: Apache-2.0
// Einsum: the steps for each kind of equation, shapes, and errors.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using StepKinds = std::vector<StepKind>;

ir::Source AddEinsum(GraphBuilder& g, const std::string& equation, std::vector<ir::Source> inputs) {
  return g.Add("Einsum", 7, std::move(inputs), {{"equation", equation}});
}

ir::Source AddEinsum(GraphBuilder& g, const std::string& equation,
                     const std::vector<Dims>& shapes) {
  std::vector<ir::Source> inputs;
  for (const Dims& dims : shapes) inputs.push_back(g.Parameter(F32(dims)));
  return AddEinsum(g, equation, inputs);
}

std::string ShapeOf(const std::string& equation, const std::vector<Dims>& shapes) {
  GraphBuilder g;
  const ir::Source y = AddEinsum(g, equation, shapes);
  return g.Infer() ? ToString(g.type(y)) : g.FaultText();
}

program::Program LowerEinsum(const std::string& equation, const std::vector<Dims>& shapes) {
  GraphBuilder g;
  AddEinsum(g, equation, shapes);
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.Lower();
}

StepKinds KindsOf(const std::string& equation, const std::vector<Dims>& shapes) {
  return Kinds(LowerEinsum(equation, shapes));
}

TEST(Einsum, InfersByItsLabels) {
  EXPECT_EQ(ShapeOf("ij,jk->ki", {{2, 3}, {3, 4}}), "f32[4,2]");
  EXPECT_EQ(ShapeOf("ij,jk", {{2, 3}, {3, 4}}), "f32[2,4]");
  EXPECT_EQ(ShapeOf("ba", {{2, 3}}), "f32[3,2]");
  EXPECT_EQ(ShapeOf("aB", {{2, 3}}), "f32[3,2]");
  EXPECT_EQ(ShapeOf("iI->I", {{2, 3}}), "f32[3]");
  EXPECT_EQ(ShapeOf("ii->", {{2, 2}}), "f32[]");
  EXPECT_EQ(ShapeOf("b...->...b", {{2, 3, 4}}), "f32[3,4,2]");
  EXPECT_EQ(ShapeOf("...ij,j...", {{5, 2, 3}, {3, 1}}), "f32[5,2]");
  EXPECT_EQ(ShapeOf("...i,k...i->...k", {{4, 1, 3}, {6, 5, 3}}), "f32[4,5,6]");
}

TEST(Einsum, HasNoStepWhereElementsKeepTheirOrder) {
  EXPECT_TRUE(KindsOf("ij->ij", {{2, 3}}).empty());
  EXPECT_TRUE(KindsOf("aij->ija", {{1, 2, 3}}).empty());
  EXPECT_TRUE(KindsOf("iaj->ij", {{2, 1, 3}}).empty());
}

TEST(Einsum, CopiesSumsAndMultiplies) {
  EXPECT_EQ(KindsOf("ij->ji", {{2, 3}}), (StepKinds{StepKind::kCopy}));
  EXPECT_EQ(KindsOf("ii->i", {{3, 3}}), (StepKinds{StepKind::kCopy}));
  EXPECT_EQ(KindsOf("ii->", {{3, 3}}), (StepKinds{StepKind::kReduce}));
  EXPECT_EQ(KindsOf("ijk->ik", {{2, 3, 4}}), (StepKinds{StepKind::kReduce}));
  EXPECT_EQ(KindsOf("ijk->ki", {{2, 3, 4}}), (StepKinds{StepKind::kReduce, StepKind::kCopy}));
  EXPECT_EQ(KindsOf("i,j->ji", {{2}, {3}}), (StepKinds{StepKind::kBinary}));
  EXPECT_EQ(KindsOf("ij,k->ik", {{2, 3}, {4}}), (StepKinds{StepKind::kReduce, StepKind::kBinary}));
}

TEST(Einsum, StepsAlongADiagonal) {
  const program::Program program = LowerEinsum("iji->ji", {{3, 2, 3}});
  const auto copy = ParamsAt<format::CopyParams>(program);
  EXPECT_EQ(First(copy.dims(), copy.rank()), (Dims{2, 3}));
  EXPECT_EQ(First(copy.src_strides(), copy.rank()), (Dims{3, 7}));
}

TEST(Einsum, IsOneProductForEitherOrderOfTheOutput) {
  EXPECT_EQ(KindsOf("ij,jk->ik", {{2, 3}, {3, 4}}), (StepKinds{StepKind::kMatmul}));
  EXPECT_EQ(KindsOf("ij,jk->ki", {{2, 3}, {3, 4}}), (StepKinds{StepKind::kMatmul}));
  EXPECT_EQ(KindsOf("bij,bkj->bik", {{5, 2, 3}, {5, 4, 3}}), (StepKinds{StepKind::kMatmul}));
  const program::Program permuted = LowerEinsum("ij,jk->ki", {{2, 3}, {3, 4}});
  const auto params = ParamsAt<format::MatmulParams>(permuted);
  EXPECT_EQ(params.rows(), 4u);
  EXPECT_EQ(params.columns(), 2u);
  EXPECT_EQ(params.inner(), 3u);
  EXPECT_EQ(params.a_row_stride(), 1u);
  EXPECT_EQ(params.a_inner_stride(), 4u);
  EXPECT_EQ(params.b_inner_stride(), 1u);
  EXPECT_EQ(params.b_column_stride(), 3u);
}

// The equation of Keras' MultiHeadAttention.
TEST(Einsum, WalksHeadsByStride) {
  const program::Program scores = LowerEinsum("aecd,abcd->acbe", {{2, 6, 3, 5}, {2, 4, 3, 5}});
  ASSERT_EQ(Kinds(scores), (StepKinds{StepKind::kMatmul}));
  const auto params = ParamsAt<format::MatmulParams>(scores);
  EXPECT_EQ(First(params.batch_dims(), params.batch_rank()), (Dims{2, 3}));
  EXPECT_EQ(First(params.a_batch_strides(), params.batch_rank()), (Dims{60, 5}));
  EXPECT_EQ(First(params.b_batch_strides(), params.batch_rank()), (Dims{90, 5}));
  EXPECT_EQ(params.rows(), 4u);
  EXPECT_EQ(params.a_row_stride(), 15u);
  EXPECT_EQ(params.columns(), 6u);
  EXPECT_EQ(params.b_column_stride(), 15u);
  EXPECT_EQ(KindsOf("acbe,aecd->abcd", {{2, 3, 4, 6}, {2, 6, 3, 5}}),
            (StepKinds{StepKind::kMatmul, StepKind::kCopy}));
}

TEST(Einsum, PacksAConstantMatrixInItsOrder) {
  // W[e, d, c] = 100 e + 10 d + c.
  std::vector<float> elements;
  for (int i = 0; i < 12; ++i) {
    elements.push_back(static_cast<float>(100 * (i / 6) + 10 * (i / 3 % 2) + i % 3));
  }
  GraphBuilder g;
  AddEinsum(g, "abcd,edc->abe",
            std::vector{g.Parameter(F32({4, 5, 3, 2})), g.Floats({2, 2, 3}, elements)});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (StepKinds{StepKind::kDense}));
  const auto params = ParamsAt<format::DenseParams>(program);
  EXPECT_EQ(params.rows(), 20u);
  EXPECT_EQ(params.inputs(), 6u);
  EXPECT_EQ(params.outputs(), 2u);
  const program::Step step = Steps(program)[0];
  EXPECT_TRUE(step.is_never_fused);
  const program::Value& weights = program.values[step.inputs[1]];
  float packed[6 * 16];
  ASSERT_EQ(weights.data->size(), sizeof(packed));
  std::memcpy(packed, weights.data->data(), sizeof(packed));
  for (int k = 0; k < 6; ++k) {
    for (int n = 0; n < 2; ++n) EXPECT_EQ(packed[k * 16 + n], 100 * n + 10 * (k % 2) + k / 2);
  }
}

TEST(Einsum, TurnsAConstantToTheRight) {
  GraphBuilder g;
  AddEinsum(g, "ij,bj->bi",
            std::vector{g.Floats({2, 3}, {1, 2, 3, 4, 5, 6}), g.Parameter(F32({4, 3}))});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()), (StepKinds{StepKind::kDense}));
}

TEST(Einsum, BringsAxesTogetherThatAreOneInTheProduct) {
  EXPECT_EQ(KindsOf("iajb,bka->ijk", {{2, 3, 4, 5}, {5, 2, 3}}),
            (StepKinds{StepKind::kCopy, StepKind::kCopy, StepKind::kMatmul}));
}

TEST(Einsum, JoinsOperandsInTheirOrder) {
  const program::Program program = LowerEinsum("ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 5}});
  ASSERT_EQ(Kinds(program), (StepKinds{StepKind::kMatmul, StepKind::kMatmul}));
  EXPECT_EQ(ParamsAt<format::MatmulParams>(program, 0).columns(), 4u);
  EXPECT_EQ(ParamsAt<format::MatmulParams>(program, 1).columns(), 5u);
}

// Neither order of "btgi,gio->btgo" gives the labels of the output. The constant becomes the right
// operand because its columns are contiguous.
TEST(Einsum, MultipliesByGroupsOfConstantsOnTheRight) {
  for (const bool is_first : {false, true}) {
    GraphBuilder g;
    const ir::Source x = g.Parameter(F32({1, 5, 3, 4}));
    const ir::Source w = g.Floats({3, 4, 6}, std::vector<float>(72, 0.5f));
    AddEinsum(g, is_first ? "gio,btgi->btgo" : "btgi,gio->btgo",
              is_first ? std::vector{w, x} : std::vector{x, w});
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    const program::Program program = g.Lower();
    ASSERT_EQ(Kinds(program), (StepKinds{StepKind::kMatmul, StepKind::kCopy}));
    const auto product = ParamsAt<format::MatmulParams>(program, 0);
    EXPECT_EQ(product.rows(), 5u);
    EXPECT_EQ(product.columns(), 6u);
    EXPECT_EQ(product.b_column_stride(), 1u);
  }
}

// A constant whose labels have another order is stored in the order of the product.
TEST(Einsum, OrdersConstantsBeforeTheRun) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({1, 3, 4, 2}));
  const ir::Source w = g.Floats({3, 2, 6, 4}, std::vector<float>(144, 0.5f));
  AddEinsum(g, "bgij,gjoi->bgo", std::vector{x, w});
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()), (StepKinds{StepKind::kMatmul}));
}

TEST(Einsum, IsZeroOverNoTerms) {
  EXPECT_EQ(KindsOf("ij,jk->ik", {{2, 0}, {0, 3}}), (StepKinds{StepKind::kFill}));
  EXPECT_EQ(KindsOf("ij->i", {{2, 0}}), (StepKinds{StepKind::kFill}));
  EXPECT_TRUE(KindsOf("ij,jk->ik", {{0, 2}, {2, 3}}).empty());
}

TEST(Einsum, NamesWhatIsWrongWithTheEquation) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"i j->ij", "has the subscript \"i j\"; must be letters and at most one \"...\""},
      {"......->...", "has the subscript \"......\"; must be letters and at most one \"...\""},
      {"i1->i", "has the subscript \"i1\"; must be letters"},
      {"ij,jk->ik", "has 2 input subscripts and the layer 1 inputs; both must be equal"},
      {"ij->ik", "has k only in the output; must also be in an input"},
      {"ij->iij", "has i twice in the output; must occur once"},
      {"ii", "repeats i without an explicit output; must have one after \"->\""},
      {"...i->i", "has \"...\" on one side of \"->\"; must be on both or none"},
      {"ijk->i",
       "subscript \"ijk\" has 3 letters and input 0 is f32[3,3]; must have one letter per"},
      {"...ijk->...i", "subscript \"...ijk\" has 3 letters and input 0 is f32[3,3]"},
  };
  for (const auto& [equation, fault] : rows) {
    GraphBuilder own;
    own.Add("Einsum", 7, {own.Parameter(F32({3, 3}))}, {{"equation", equation}});
    EXPECT_FALSE(own.Infer()) << equation;
    EXPECT_PRED2(Contains, own.FaultText(), fault);
  }
}

TEST(Einsum, NamesWhatItCannotTake) {
  GraphBuilder g;
  AddEinsum(g, "ii->i", std::vector<Dims>{{2, 3}});
  AddEinsum(g, "ij,jk->ik", std::vector<Dims>{{2, 1}, {3, 4}});
  AddEinsum(g, "...i,...i->...", std::vector<Dims>{{2, 3}, {4, 3}});
  AddEinsum(g, "abcd,efgh->abcdefgh", std::vector<Dims>{{1, 2, 1, 2}, {1, 2, 1, 2}});
  AddEinsum(g, "i->i", std::vector{g.Parameter({ElementType::i8, {2}})});
  g.Add("Einsum", 7, {g.Parameter(F32({2}))});
  EXPECT_FALSE(g.Infer());
  const std::string faults = g.FaultText();
  EXPECT_PRED2(Contains, faults,
               "axis 1 of input 0 is 3, elsewhere 2; all axes of one letter must be equal");
  EXPECT_PRED2(Contains, faults,
               "axis 1 of input 0 is 1, elsewhere 3; all axes of one letter must be equal");
  EXPECT_PRED2(Contains, faults,
               "axis 0 of input 1 is 4, elsewhere 2; axes under \"...\" must be equal or 1");
  EXPECT_PRED2(Contains, faults, "equation has 8 different axes; must have at most 7");
  EXPECT_PRED2(Contains, faults, "element type i8; this operation supports f32, i32, i64");
  EXPECT_PRED2(Contains, faults, "attribute equation is missing; must be given");
}

}  // namespace
}  // namespace weft
