// SPDX-License-Identifier: Apache-2.0
// The table of operations: its order, look-up, and agreement with the element types of the kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <variant>

#include "kernels/elementwise/binary.h"
#include "kernels/elementwise/compare.h"
#include "kernels/elementwise/convert.h"
#include "kernels/elementwise/unary.h"
#include "kernels/reduce/reduce.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using ops::Find;
using ops::Operation;

TEST(Table, IsSortedAndHasEveryVersionOnce) {
  const std::span<const Operation> rows = ops::Table();
  ASSERT_FALSE(rows.empty());
  const auto in_order = [](const Operation& a, const Operation& b) {
    return a.name != b.name ? a.name < b.name : a.opset < b.opset;
  };
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_TRUE(in_order(rows[i - 1], rows[i])) << rows[i].name << "-" << rows[i].opset;
  }
}

TEST(Table, FindsTheNewestVersionNotAboveTheOpset) {
  EXPECT_EQ(Find("Gelu", 1), nullptr);
  EXPECT_EQ(Find("Gelu", 6)->opset, 2);
  EXPECT_EQ(Find("Gelu", 7)->opset, 7);
  EXPECT_EQ(Find("Gelu", 16)->opset, 7);
  EXPECT_EQ(Find("NoSuchOperation", 16), nullptr);
}

TEST(Table, FindsNamesInAnyCaseAndByAlias) {
  EXPECT_EQ(Find("ReLU", 1), Find("Relu", 1));
  EXPECT_EQ(Find("softMAX", 8), Find("Softmax", 8));
  EXPECT_EQ(Find("Constant", 1), Find("Const", 1));
  EXPECT_EQ(Find("Xor", 1), Find("LogicalXor", 1));
  EXPECT_NE(Find("Xor", 1), nullptr);
}

TEST(Table, HasTheOperationOfEveryFunction) {
#define WEFT_FUNCTION(name, Name, Group, operation, ...)                             \
  EXPECT_TRUE(std::string_view(operation).empty() || Find(operation, 16) != nullptr) \
      << "converter/ops/core/unary.cc: has no row " << operation << " for the function " #name;
#include "kernels/elementwise/functions.inc"
#undef WEFT_FUNCTION
}

template <typename Kernel, typename Format>
Kernel As(Format value) {
  return static_cast<Kernel>(value);
}

// Returns true if the kernel supports this step.
bool IsKnown(const program::Step& step) {
  using kernels::Element;
  if (const auto* unary = std::get_if<format::UnaryParams>(&step.params)) {
    return kernels::UnaryKnows(As<kernels::UnaryOp>(unary->activation().op()),
                               As<Element>(unary->type()));
  }
  if (const auto* binary = std::get_if<format::BinaryParams>(&step.params)) {
    return kernels::BinaryKnows(As<kernels::BinaryOp>(binary->op()), As<Element>(binary->type()));
  }
  if (const auto* compare = std::get_if<format::CompareParams>(&step.params)) {
    return kernels::CompareKnows(As<Element>(compare->type()));
  }
  if (const auto* reduce = std::get_if<format::ReduceParams>(&step.params)) {
    return kernels::ReduceKnows(As<kernels::ReduceOp>(reduce->op()), As<Element>(reduce->type()));
  }
  if (const auto* convert = std::get_if<format::ConvertParams>(&step.params)) {
    return kernels::ConvertKnows(As<Element>(convert->from()), As<Element>(convert->to()));
  }
  return true;
}

// Lowers `row` over inputs of `type`, unless its shape rule rejects them, and checks that the
// kernels support every step. Returns true if there was a step.
bool LowersToKnownSteps(const Operation& row, ElementType type) {
  GraphBuilder g;
  std::vector<ir::Source> inputs = {g.Parameter({type, {2, 3}})};
  const std::string name(row.name);
  if (name.starts_with("Reduce")) inputs.push_back(g.Ints({1}));
  for (int i = 1; i < row.min_inputs && !name.starts_with("Reduce"); ++i) {
    inputs.push_back(g.Parameter({type, {3}}));
  }
  g.Add(name, row.opset, inputs,
        {{"min", "0"}, {"max", "1"}, {"alpha", "1"}, {"destination_type", "f32"}});
  if (!g.Infer()) return false;
  const std::vector<program::Step> steps = Steps(g.Lower());
  for (const program::Step& step : steps) {
    EXPECT_TRUE(IsKnown(step)) << name << " on " << Name(type);
  }
  return !steps.empty();
}

TEST(Table, PromisesOnlyWhatTheKernelsCompute) {
  constexpr std::string_view kWithoutGeometry[] = {
      "Abs",
      "Add",
      "Ceiling",
      "Clamp",
      "Convert",
      "Divide",
      "Elu",
      "Equal",
      "Exp",
      "FloorMod",
      "Greater",
      "Less",
      "LogicalAnd",
      "LogicalNot",
      "LogicalXor",
      "Maximum",
      "Minimum",
      "Mod",
      "Multiply",
      "Negative",
      "NotEqual",
      "Power",
      "PRelu",
      "ReduceL1",
      "ReduceL2",
      "ReduceLogicalAnd",
      "ReduceMax",
      "ReduceMean",
      "ReduceProd",
      "ReduceSum",
      "Relu",
      "Round",
      "Sign",
      "Sqrt",
      "SquaredDifference",
      "Subtract",
  };
  for (const std::string_view name : kWithoutGeometry) {
    const Operation* row = Find(name, 16);
    ASSERT_NE(row, nullptr) << name;
    int lowered = 0;
    for (int type = 0; type <= static_cast<int>(ElementType::MAX); ++type) {
      lowered += LowersToKnownSteps(*row, static_cast<ElementType>(type));
    }
    EXPECT_GT(lowered, 0) << name;
  }
}

}  // namespace
}  // namespace weft
