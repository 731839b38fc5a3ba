// SPDX-License-Identifier: Apache-2.0
// Inputs that the call makes constants.
#include "converter/graph/input_values.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
    return {type, std::vector<std::byte>(static_cast<size_t>(*DenseBytes(type)))};
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

TEST_F(InputValues, FillOpenDimensionsAlone) {
  EXPECT_EQ(Faults({{"x", Zeros({ElementType::f32, {3, 7}})}}),
            ValueFaults{"--value: input \"x\": is f32[3,7]; must be f32[-1,8]"});
  EXPECT_EQ(g.graph.parameters.size(), 2u);
}

TEST_F(InputValues, OfAnotherTypeOrRankAreRefused) {
  EXPECT_EQ(Faults({{"n", Zeros({ElementType::i64, {2}})}, {"x", Zeros({ElementType::f32, {8}})}}),
            (ValueFaults{"--value: input \"n\": is i64[2]; must be i32[2]",
                         "--value: input \"x\": is f32[8]; must be f32[-1,8]"}));
}

TEST_F(InputValues, OfAnUnknownInputNameTheInputs) {
  EXPECT_EQ(Faults({{"y", Zeros({ElementType::f32, {1}})}}),
            ValueFaults{"--value: input \"y\": is none of the model's; must be one of \"x\" "
                        "f32[-1,8], \"n\" i32[2]"});
}

TEST_F(InputValues, OfOneInputAreGivenOnce) {
  const graph::InputValue value = Zeros({ElementType::i32, {2}});
  EXPECT_EQ(Faults({{"1", value}, {"n", value}}),
            ValueFaults{"--value: \"n\" is an input that another name has given already; must name "
                        "it once"});
}

}  // namespace
}  // namespace weft
