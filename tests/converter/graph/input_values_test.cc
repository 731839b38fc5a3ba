// SPDX-License-Identifier: Apache-2.0
// Inputs that --value replaces by constants.
#include "converter/graph/input_values.h"

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "converter/base/elements.h"
#include "converter/graph/number_value.h"
#include "tests/converter/graph_builder.h"

namespace weft {
namespace {

class InputValues : public testing::Test {
 protected:
  InputValues() {
    g.Parameter({ElementType::f32, {-1, 8}}).node->name = "x";
    g.Parameter({ElementType::i32, {2}}).node->name = "n";
  }
  static graph::InputValue Zeros(const TensorType& type) {
    return {type, std::vector<std::byte>(static_cast<size_t>(*DenseBytes(type))), {}};
  }
  std::vector<std::string> Faults(const std::map<std::string, graph::InputValue>& values) {
    weft::Faults faults;
    graph::ApplyValues(g.graph, values, faults);
    return faults.lines();
  }

  GraphBuilder g;
};

using ValueFaults = std::vector<std::string>;

TEST_F(InputValues, BecomeConstantsThatAreNoInputs) {
  ir::Node& n = *g.graph.parameters[1];
  graph::InputValue value = Zeros({ElementType::i32, {2}});
  value.bytes[4] = std::byte{7};
  EXPECT_EQ(Faults({{"n", value}}), ValueFaults{});
  ASSERT_EQ(g.graph.parameters.size(), 1u);
  EXPECT_EQ(g.graph.parameters[0]->name, "x");
  EXPECT_EQ(n.type, "Const");
  ASSERT_TRUE(n.constant.has_value());
  EXPECT_EQ(n.constant->type, (TensorType{ElementType::i32, {2}}));
  EXPECT_EQ(n.constant->bytes[4], std::byte{7});
}

TEST_F(InputValues, AreFoundByTheIndexThatTheModelGivesThem) {
  EXPECT_EQ(
      Faults({{"0", Zeros({ElementType::f32, {3, 8}})}, {"1", Zeros({ElementType::i32, {2}})}}),
      ValueFaults{});
  EXPECT_TRUE(g.graph.parameters.empty());
}

// A call of the model accepts such numbers, too.
TEST_F(InputValues, TakeTheTypeOfTheInputIfTheyMay) {
  const auto of = [](const TensorType& type, const auto& numbers) {
    const auto bytes = std::as_bytes(std::span(numbers));
    graph::InputValue value{type, {bytes.begin(), bytes.end()}};
    value.may_convert = true;
    return value;
  };
  const ir::Node& n = *g.graph.parameters[1];
  const std::vector<int64_t> large = {7, int64_t{1} << 31}, small = {7, -8}, one = {-5};
  EXPECT_EQ(Faults({{"n", of({ElementType::i64, {2}}, large)}}),
            ValueFaults{"--value: input \"n\": is 2147483648; must be a number that i32 holds"});
  EXPECT_EQ(Faults({{"n", of({ElementType::f64, {2}}, std::vector<double>{1, 2})}}),
            ValueFaults{"--value: input \"n\": is f64[2]; must be i32[2]"});
  EXPECT_EQ(Faults({{"n", of({ElementType::i64, {1, 2}}, small)}}),
            ValueFaults{"--value: input \"n\": is i32[1,2]; must be i32[2]"});
  const std::vector<double> reals(8, 0.1);
  EXPECT_EQ(Faults({{"n", of({ElementType::i64, {2}}, small)},
                    {"x", of({ElementType::f64, {1, 8}}, reals)}}),
            ValueFaults{});
  EXPECT_EQ(n.constant->type, (TensorType{ElementType::i32, {2}}));
  EXPECT_EQ(IntegerAt(ElementType::i32, n.constant->bytes, 1), -8);
  g.Parameter({ElementType::i8, {3}}).node->name = "k";
  const ir::Node& k = *g.graph.parameters[0];
  EXPECT_EQ(Faults({{"k", of({ElementType::i64, {}}, one)}}), ValueFaults{});
  EXPECT_EQ(k.constant->type, (TensorType{ElementType::i8, {3}}));
  EXPECT_EQ(IntegerAt(ElementType::i8, k.constant->bytes, 2), -5);
}

TEST_F(InputValues, FillOpenDimensionsAlone) {
  EXPECT_EQ(Faults({{"x", Zeros({ElementType::f32, {3, 7}})}}),
            ValueFaults{"--value: input \"x\": is f32[3,7]; must be f32[?,8]"});
  EXPECT_EQ(g.graph.parameters.size(), 2u);
}

TEST_F(InputValues, OfAnotherTypeOrRankAreRefused) {
  EXPECT_EQ(Faults({{"n", Zeros({ElementType::i64, {2}})}, {"x", Zeros({ElementType::f32, {8}})}}),
            (ValueFaults{"--value: input \"n\": is i64[2]; must be i32[2]",
                         "--value: input \"x\": is f32[8]; must be f32[?,8]"}));
}

TEST_F(InputValues, OfAnUnknownInputNameTheInputs) {
  EXPECT_EQ(Faults({{"y", Zeros({ElementType::f32, {1}})}}),
            ValueFaults{"--value: input \"y\": is not in the model; must be one of \"x\" "
                        "f32[?,8], \"n\" i32[2]"});
}

TEST_F(InputValues, OfOneInputAreGivenOnce) {
  const graph::InputValue value = Zeros({ElementType::i32, {2}});
  EXPECT_EQ(Faults({{"1", value}, {"n", value}}),
            ValueFaults{"--value: \"n\" is another name of an input that has a value; must be "
                        "given once"});
}

graph::InputValue FromText(const std::string& text) {
  graph::InputValue value;
  value.numbers = text;
  return value;
}

TEST_F(InputValues, TakeNumbersOfTheInputsType) {
  ir::Node& n = *g.graph.parameters[1];
  EXPECT_EQ(Faults({{"n", FromText("16000,-1")}}), ValueFaults{});
  EXPECT_EQ(n.constant->type, (TensorType{ElementType::i32, {2}}));
  int32_t elements[2];
  std::memcpy(elements, n.constant->bytes.data(), sizeof(elements));
  EXPECT_EQ(elements[0], 16000);
  EXPECT_EQ(elements[1], -1);
}

TEST_F(InputValues, FillAFixedShapeWithOneNumber) {
  ir::Node& n = *g.graph.parameters[1];
  EXPECT_EQ(Faults({{"n", FromText("7")}}), ValueFaults{});
  EXPECT_EQ(n.constant->bytes.size(), 8u);
  EXPECT_EQ(n.constant->bytes[4], std::byte{7});
}

TEST_F(InputValues, TakeOneNumberForAScalarAndAnyCountForAnOpenRow) {
  ir::Node* const rate = g.Parameter({ElementType::i64, {}}).node;
  rate->name = "sr";
  ir::Node* const row = g.Parameter({ElementType::boolean, {-1}}).node;
  row->name = "row";
  EXPECT_EQ(Faults({{"sr", FromText("16000")}, {"row", FromText("true,0,1")}}), ValueFaults{});
  EXPECT_EQ(rate->constant->type, (TensorType{ElementType::i64, {}}));
  EXPECT_EQ(row->constant->type, (TensorType{ElementType::boolean, {3}}));
  EXPECT_EQ(row->constant->bytes[0], std::byte{1});
  EXPECT_EQ(row->constant->bytes[1], std::byte{0});
}

TEST_F(InputValues, RefuseNumbersThatDoNotFit) {
  EXPECT_EQ(Faults({{"n", FromText("2147483648")}}),
            ValueFaults{"--value: input \"n\": is 2147483648; must be a number that i32 holds"});
  EXPECT_EQ(Faults({{"n", FromText("0.5")}}),
            ValueFaults{"--value: input \"n\": is 0.5; must be a number that i32 holds"});
  EXPECT_EQ(Faults({{"n", FromText("1,2,3")}}),
            ValueFaults{"--value: input \"n\": has 3 numbers; must be one per element of "
                        "i32[2], or one for a fixed shape"});
  EXPECT_EQ(Faults({{"x", FromText("1")}}).size(), 1u);  // f32[?,8] has no fixed shape
  ir::Node* const half = g.Parameter({ElementType::f16, {}}).node;
  half->name = "half";
  EXPECT_EQ(Faults({{"half", FromText("1")}}),
            ValueFaults{"--value: input \"half\": is a number and the input is f16; must be a .npy "
                        "file"});
}

TEST(NumberValues, AreDecimalAndFinite) {
  for (const char* text : {"0", "-1", "1e3", "0.5", "1,2,3", "true", "false,1"}) {
    EXPECT_TRUE(graph::AreNumbers(text)) << text;
  }
  for (const char* text : {"", ",", "1,", "x.npy", "nan", "inf", "1e999", "0x10", "1 ", "--1"}) {
    EXPECT_FALSE(graph::AreNumbers(text)) << text;
  }
}

}  // namespace
}  // namespace weft
