// SPDX-License-Identifier: Apache-2.0
// ShapeOf, Range and Eye, whose values are known at conversion, and the ports of a graph.
#include <gtest/gtest.h>

#include <limits>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

TEST(ShapeOf, IsKnownWithoutItsInput) {
  for (const std::string type : {"i64", "i32"}) {
    GraphBuilder g;
    const ir::Source y =
        g.Add("ShapeOf", 3, {g.Parameter({ElementType::f32, {2, 0, 5}})}, {{"output_type", type}});
    g.Result(y);
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(ToString(g.type(y)), type + "[3]");
    const program::Program program = g.Lower();
    EXPECT_TRUE(Steps(program).empty());
    const ProgramInterpreter interpreter(program);
    if (type == "i64") {
      EXPECT_EQ(interpreter.Output<int64_t>(0), (std::vector<int64_t>{2, 0, 5}));
    } else {
      EXPECT_EQ(interpreter.Output<int32_t>(0), (std::vector<int32_t>{2, 0, 5}));
    }
  }
  EXPECT_TRUE(ops::Find("ShapeOf", 1)->traits.shape_only);
  EXPECT_TRUE(ops::Find("ShapeOf", 3)->traits.shape_only);
  EXPECT_PRED2(Contains, Apply("ShapeOf", 3, Iota({2}), {}, {{"output_type", "f32"}}).faults,
               "output_type is f32; must be i32 or i64");
}

struct Number {
  ElementType type;
  double value;
};

ir::Source Add(GraphBuilder& g, Number number) {
  const TensorType type{number.type, {}};
  if (number.type == ElementType::f32) return g.Float(static_cast<float>(number.value));
  if (number.type == ElementType::i64) return g.Int(static_cast<int64_t>(number.value));
  return g.Const<int32_t>(type, {static_cast<int32_t>(number.value)});
}

// Values of Range-4 with type `output`, or of Range-1 if `output` is empty. Sets *faults on an
// error.
template <typename T>
std::vector<T> Range(Number start, Number stop, Number step, const std::string& output,
                     std::string* faults = nullptr) {
  GraphBuilder g;
  const std::vector<ir::Source> inputs = {Add(g, start), Add(g, stop), Add(g, step)};
  const ir::Source y = output.empty() ? g.Add("Range", 1, inputs)
                                      : g.Add("Range", 4, inputs, {{"output_type", output}});
  g.Result(y);
  const bool good = g.Infer();
  if (faults != nullptr) *faults = g.FaultText();
  if (!good) return {};
  const program::Program program = g.Lower();
  EXPECT_TRUE(Steps(program).empty());
  const std::vector<T> values = ProgramInterpreter(program).Output<T>(0);
  EXPECT_EQ(g.type(y).dims, (Dims{static_cast<int64_t>(values.size())}));
  return values;
}

Number F(double value) { return {ElementType::f32, value}; }
Number I(double value) { return {ElementType::i32, value}; }
Number L(double value) { return {ElementType::i64, value}; }

TEST(Range, StopsBeforeItsEnd) {
  EXPECT_EQ(Range<int32_t>(I(0), I(5), I(2), ""), (std::vector<int32_t>{0, 2, 4}));
  EXPECT_EQ(Range<int64_t>(L(5), L(0), L(-2), ""), (std::vector<int64_t>{5, 3, 1}));
  EXPECT_EQ(Range<int64_t>(L(1), L(1), L(1), ""), (std::vector<int64_t>{}));
  EXPECT_EQ(Range<int32_t>(I(0), I(3), I(-1), "i32"), (std::vector<int32_t>{}));
  EXPECT_EQ(Range<float>(F(0.5), F(5.7), F(1.5), ""), (std::vector<float>{0.5f, 2, 3.5f, 5}));
  EXPECT_EQ(Range<float>(F(0), F(0.3), F(0.1), "f32"),
            (std::vector<float>{0, 0.1f, 0.2f, 3 * static_cast<double>(0.1f)}));
}

TEST(Range, TruncatesItsInputsForAnIntegerOutput) {
  EXPECT_EQ(Range<int32_t>(F(0.5), F(5.7), F(1.5), "i32"), (std::vector<int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(Range<int8_t>(L(-2), F(1.9), I(1), "i8"), (std::vector<int8_t>{-2, -1, 0}));
  EXPECT_EQ(Range<double>(I(1), L(4), F(1.5), "f64"), (std::vector<double>{1, 2.5}));
}

TEST(Range, SaysWhatIsWrong) {
  std::string faults;
  Range<int32_t>(I(0), I(5), I(0), "", &faults);
  EXPECT_PRED2(Contains, faults, "input 2 (step) is 0");
  Range<int32_t>(F(0), F(5), F(0.5), "i32", &faults);
  EXPECT_PRED2(Contains, faults, "input 2 (step) is 0.5, which is 0 in i32");
  Range<int32_t>(I(0), L(5), I(1), "", &faults);
  EXPECT_PRED2(Contains, faults, "input 1 (stop) is i64 and input 0 (start) is i32");
  Range<int64_t>(L(0), L(1e18), L(1), "", &faults);
  EXPECT_PRED2(Contains, faults, "tensors hold less than 4294967296 bytes");
  GraphBuilder g;
  g.Add("Range", 4, {g.Int(0), g.Parameter({ElementType::i64, {}}), g.Ints({1, 2})},
        {{"output_type", "i64"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (stop) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "input 2 (step) is i64[2]; must be a scalar");
}

template <typename T>
std::vector<T> Eye(const std::vector<int64_t>& numbers, const std::vector<int64_t>& batch,
                   const std::string& type, std::string* faults = nullptr) {
  GraphBuilder g;
  std::vector<ir::Source> inputs;
  for (const int64_t number : numbers) inputs.push_back(g.Int(number));
  if (!batch.empty()) inputs.push_back(g.Ints(batch));
  const ir::Source y = g.Add("Eye", 9, inputs, {{"output_type", type}});
  g.Result(y);
  const bool good = g.Infer();
  if (faults != nullptr) *faults = g.FaultText();
  if (!good) return {};
  const program::Program program = g.Lower();
  ProgramInterpreter interpreter(program);
  interpreter.Run();
  return interpreter.Output<T>(0);
}

TEST(Eye, HasOnesOnItsDiagonal) {
  using Whole = std::vector<int32_t>;
  EXPECT_EQ(Eye<int32_t>({3, 4, 2}, {}, "i32"), (Whole{0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(Eye<int32_t>({3, 4, -1}, {}, "i32"), (Whole{0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(Eye<int32_t>({2, 5, 3}, {}, "i32"), (Whole{0, 0, 0, 1, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(Eye<int32_t>({3, 1, -2}, {}, "i32"), (Whole{0, 0, 1}));
  EXPECT_EQ(Eye<int32_t>({2, 2, 2}, {}, "i32"), (Whole{0, 0, 0, 0}));
  EXPECT_EQ(Eye<int32_t>({2, 2, -2}, {}, "i32"), (Whole{0, 0, 0, 0}));
  EXPECT_EQ(Eye<int32_t>({2, 2, std::numeric_limits<int64_t>::min()}, {}, "i32"),
            (Whole{0, 0, 0, 0}));
  EXPECT_EQ(Eye<int32_t>({2, 2, 1}, {1, 3}, "i32"), (Whole{0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(Eye<int32_t>({0, 3, 0}, {}, "i32"), Whole{});
  EXPECT_EQ(Eye<float>({2, 2, 0}, {}, "f32"), (std::vector<float>{1, 0, 0, 1}));
  EXPECT_EQ(Eye<int8_t>({2, 2, 0}, {}, "i8"), (std::vector<int8_t>{1, 0, 0, 1}));
}

TEST(Eye, SaysWhatIsWrong) {
  std::string faults;
  Eye<int32_t>({-1, 2, 0}, {}, "i32", &faults);
  EXPECT_PRED2(Contains, faults, "output 0 would be i32[-1,2]; no dimension may be negative");
  Eye<int32_t>({1, 2, 0}, {}, "u4", &faults);
  EXPECT_PRED2(Contains, faults, "output_type is u4; must be a type of at least 8 bits");
  Eye<int32_t>({1, 2, 0}, {}, "", &faults);
  EXPECT_PRED2(Contains, faults, "output_type is \"\"; must be an element type");
  GraphBuilder g;
  g.Add("Eye", 9, {g.Int(2), g.Parameter({ElementType::i64, {}}), g.Ints({1, 2})},
        {{"output_type", "i64"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (num_columns) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "input 2 (diagonal_index) has 2 elements; must have 1");
}

void InferParameter(GraphBuilder& g, ir::OutputPort port) {
  ir::Node* node = g.Parameter({ElementType::f32, {}}).node;
  node->operation = ops::Find("Parameter", 1);
  node->outputs[0] = std::move(port);
  g.Infer();
}

TEST(Parameter, MustHaveAFixedShape) {
  GraphBuilder fixed, dynamic, unknown;
  InferParameter(fixed, {{ElementType::f32, {1, 25, 512}}, true, {"x"}});
  EXPECT_EQ(fixed.FaultText(), "");
  InferParameter(dynamic, {{ElementType::f32, {1, -1, 512}}, true, {"x"}});
  EXPECT_PRED2(Contains, dynamic.FaultText(),
               "dimension 1 of f32[1,?,512] is dynamic; weft plans memory ahead, so every "
               "dimension must be fixed (--shape x=1,N,512 with a number for each N, or "
               "--streaming if it is time, with ? for it in --shape)");
  InferParameter(unknown, {{ElementType::f32, {}}, false, {}});
  EXPECT_PRED2(Contains, unknown.FaultText(),
               "its shape is of unknown rank; weft plans memory ahead, so every dimension must be "
               "fixed (--shape Parameter0=...");
}

TEST(Const, HasTheTypeOfItsValue) {
  GraphBuilder g;
  const ir::Source c = g.Floats({2, 1}, {1, 2});
  c.node->operation = ops::Find("Const", 1);
  c.node->outputs[0].type = {ElementType::i8, {}};
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(c)), "f32[2,1]");
}

}  // namespace
}  // namespace weft
