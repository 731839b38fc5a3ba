// SPDX-License-Identifier: Apache-2.0
// Integer LSTM cells and SVDF layers: their steps, and errors.
#include <gtest/gtest.h>

#include "converter/ops/core/quantised_recurrent.h"
#include "converter/ops/operation.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Texts = std::map<std::string, std::string>;

TensorType Integers(ElementType type, Dims dims) { return {type, std::move(dims)}; }

// 2 rows, 3 inputs and 5 cells.
struct IntegerLstm {
  explicit IntegerLstm(ElementType type = ElementType::i8, int64_t gates = 4, int64_t numbers = 40)
      : x(g.Parameter(Integers(type, {2, 3}))),
        h(g.Parameter(Integers(type, {2, 5}))),
        w(g.Const<int8_t>({ElementType::i8, {gates * 5, 3}},
                          std::vector<int8_t>(static_cast<size_t>(gates) * 15, 3))),
        r(g.Const<int8_t>({ElementType::i8, {gates * 5, 5}},
                          std::vector<int8_t>(static_cast<size_t>(gates) * 25, -2))),
        of_numbers(g.Const<int32_t>({ElementType::i32, {numbers}},
                                    std::vector<int32_t>(static_cast<size_t>(numbers), 7))) {}

  GraphBuilder g;
  ir::Source x, h;
  const ir::Source c = g.Parameter(Integers(ElementType::i16, {2, 5}));
  ir::Source w, r, of_numbers;
  Texts attributes = {{"of_x", "1073741824,1073741824,1073741824,1073741824,-3,-3,-3,-3"},
                      {"of_h", "1073741824,1073741824,1073741824,1073741824,-2,-2,-2,-2"},
                      {"result", "1500000000,-22"},
                      {"zero", "-4"},
                      {"cell_clip", "0"},
                      {"cell_power", "-11"},
                      {"rounding", "micro"}};

  void Add() {
    g.Add(ops::kQuantizedLstmCell, ops::kPassOnly, {x, h, c, w, r, of_numbers}, attributes, 2);
  }
  format::LstmQ8Params Lower() {
    Add();
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    const program::Program program = g.Lower();
    EXPECT_EQ(Kinds(program), std::vector<StepKind>{StepKind::kLstmQ8});
    return std::get<format::LstmQ8Params>(Steps(program)[0].params);
  }
  void ExpectFault(const char* text) {
    Add();
    EXPECT_FALSE(g.Infer());
    EXPECT_PRED2(Contains, g.FaultText(), text);
  }
};

TEST(QuantizedLstmCell, IsOneStep) {
  IntegerLstm lstm;
  const format::LstmQ8Params params = lstm.Lower();
  EXPECT_EQ(params.rows(), 2u);
  EXPECT_EQ(params.inputs(), 3u);
  EXPECT_EQ(params.cells(), 5u);
  EXPECT_EQ(params.outputs(), 5u);
  EXPECT_EQ(params.of_x()->Get(3)->exponent(), -3);
  EXPECT_EQ(params.of_h()->Get(1)->mantissa(), 1 << 30);
  EXPECT_EQ(params.result().exponent(), -22);
  EXPECT_EQ(params.zero(), -4);
  EXPECT_EQ(params.cell_power(), -11);
  EXPECT_EQ(params.type(), ElementType::i8);
  EXPECT_EQ(params.rounding(), format::Rounding::micro);
}

TEST(QuantizedLstmCell, MayHaveCoupledGatesPeepholesAndNormalisation) {
  IntegerLstm lstm(ElementType::i8, 3, 5 * (6 + 2 + 6));
  lstm.attributes["coupled"] = "true";
  lstm.attributes["of_c"] = lstm.attributes["of_norm"] = lstm.attributes["of_x"];
  lstm.attributes["min_variance"] = "1,0,2,3";
  lstm.attributes["rounding"] = "litert";
  const format::LstmQ8Params params = lstm.Lower();
  EXPECT_EQ(params.coupled(), 1);
  EXPECT_EQ(params.peepholes(), 1);
  EXPECT_EQ(params.norm(), 1);
  EXPECT_EQ(params.min_variance()->Get(3), 3);
  EXPECT_EQ(params.rounding(), format::Rounding::litert);
}

TEST(QuantizedLstmCell, MayHaveShortCodes) {
  IntegerLstm lstm(ElementType::i16);
  EXPECT_EQ(lstm.Lower().type(), ElementType::i16);
}

TEST(QuantizedLstmCell, RefusesOtherShapesAndNumbers) {
  IntegerLstm(ElementType::i8, 4, 41).ExpectFault("input 5 is i32[41]; must be [40]");
  IntegerLstm(ElementType::i8, 3).ExpectFault("input 3 is i8[15,3]; must be [20,3]");
  IntegerLstm litert(ElementType::i16);
  litert.attributes["rounding"] = "litert";
  litert.ExpectFault("must have one type, i8 if rounding is litert");
  IntegerLstm power;
  power.attributes["cell_power"] = "1";
  power.ExpectFault("cell_power is [1]; must be 1 numbers from -15 to 0");
  IntegerLstm factor;
  factor.attributes["result"] = "1073741824,31";
  factor.ExpectFault("result is [1073741824,31]; must be 1 mantissas and exponents");
}

struct IntegerSvdf {
  GraphBuilder g;
  const ir::Source x = g.Parameter(Integers(ElementType::i8, {2, 3}));
  const ir::Source feature = g.Const<int8_t>({ElementType::i8, {4, 3}}, std::vector<int8_t>(12, 5));
  const ir::Source time =
      g.Const<int16_t>({ElementType::i16, {4, 6}}, std::vector<int16_t>(24, 500));
  const ir::Source numbers = g.Const<int32_t>({ElementType::i32, {6}}, std::vector<int32_t>(6, 9));
  const ir::Source state = g.Parameter(Integers(ElementType::i16, {2, 4, 6}));

  void Add(const char* rank) {
    g.Add(ops::kQuantizedSvdf, ops::kPassOnly, {x, feature, time, numbers, state},
          {{"of_x", "1073741824,2"},
           {"of_state", "1073741824,-20"},
           {"rank", rank},
           {"zero", "3"},
           {"low", "-128"},
           {"high", "127"}},
          2);
  }
};

TEST(QuantizedSvdf, IsOneStep) {
  IntegerSvdf svdf;
  svdf.Add("2");
  ASSERT_TRUE(svdf.g.Infer()) << svdf.g.FaultText();
  const program::Program program = svdf.g.Lower();
  ASSERT_EQ(Kinds(program), std::vector<StepKind>{StepKind::kSvdfQ8});
  const auto params = std::get<format::SvdfQ8Params>(Steps(program)[0].params);
  EXPECT_EQ(params.units(), 2u);
  EXPECT_EQ(params.rank(), 2u);
  EXPECT_EQ(params.memory(), 6u);
  EXPECT_EQ(params.of_state().exponent(), -20);
  EXPECT_EQ(params.codes().zero(), 3);
  EXPECT_EQ(params.state(), ElementType::i16);
}

TEST(QuantizedSvdf, RefusesARankThatDoesNotDivideItsFilters) {
  IntegerSvdf svdf;
  svdf.Add("3");
  EXPECT_FALSE(svdf.g.Infer());
  EXPECT_PRED2(Contains, svdf.g.FaultText(), "rank is 3; must divide the 4 filters");
}

}  // namespace
}  // namespace weft
