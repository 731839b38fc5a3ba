// SPDX-License-Identifier: Apache-2.0
// The scopes through which operations access their nodes.
#include <gtest/gtest.h>

#include <limits>

#include "tests/converter/graph_builder.h"

namespace weft::ops {
namespace {

class Scopes : public testing::Test {
 protected:
  ir::Node& NodeWith(std::vector<ir::Source> inputs) {
    return *g.Add("Relu", 1, std::move(inputs)).node;
  }
  std::string Complaint() const { return g.faults.ok() ? "" : g.faults.lines().back(); }
  GraphBuilder g;
};

TEST_F(Scopes, ReadConstantsOfEveryType) {
  const ir::Source constants[] = {
      g.Const<uint16_t>({ElementType::f16, {4}}, {0x3C00, 0xC000, 0x0001, 0x7BFF}),
      g.Const<uint16_t>({ElementType::bf16, {1}}, {0x4049}),
      g.Const<double>({ElementType::f64, {3}},
                      {1e30, -1e30, std::numeric_limits<double>::quiet_NaN()}),
      g.Const<uint8_t>({ElementType::i4, {3}}, {0x8F, 0x07}),
      g.Const<uint8_t>({ElementType::u4, {3}}, {0x8F, 0x07}),
      g.Const<int8_t>({ElementType::i8, {1}}, {-3}),
      g.Const<int16_t>({ElementType::i16, {1}}, {-300}),
      g.Const<int32_t>({ElementType::i32, {1}}, {-70000}),
      g.Const<uint8_t>({ElementType::boolean, {2}}, {1, 0}),
  };
  ir::Node& node = NodeWith(std::vector<ir::Source>(std::begin(constants), std::end(constants)));
  const InferScope scope(g.graph, node, g.faults);
  EXPECT_EQ(*scope.Numbers(0), (std::vector<double>{1, -2, 0x1p-24, 65504}));
  EXPECT_EQ(*scope.Numbers(1), std::vector<double>{3.140625});
  EXPECT_EQ(*scope.Ints(2), (Dims{INT64_MAX, INT64_MIN, 0}));
  EXPECT_EQ(*scope.Ints(3), (Dims{-1, -8, 7}));
  EXPECT_EQ(*scope.Ints(4), (Dims{15, 8, 7}));
  EXPECT_EQ(*scope.Ints(5), Dims{-3});
  EXPECT_EQ(*scope.Ints(6), Dims{-300});
  EXPECT_EQ(*scope.Ints(7), Dims{-70000});
  EXPECT_EQ(*scope.Ints(8), (Dims{1, 0}));
  EXPECT_FALSE(scope.Ints(9).has_value());
}

TEST_F(Scopes, RequireConstants) {
  ir::Node& node = NodeWith({g.Parameter({ElementType::i64, {2}})});
  node.id = 7;
  node.line = 3;
  node.name = "r";
  InferScope scope(g.graph, node, g.faults);
  EXPECT_FALSE(scope.RequireInts(0, "shape").has_value());
  EXPECT_EQ(Complaint(),
            "test.xml:3: layer 7 \"r\" (Relu): input 0 (shape) is computed at run time; must be a "
            "constant, because memory is planned ahead (--value makes an input of the model a "
            "constant)");
  EXPECT_FALSE(scope.RequireInts(1, "axes").has_value());
  EXPECT_EQ(Complaint(),
            "test.xml:3: layer 7 \"r\" (Relu): input 1 (axes) is missing; must be a constant");
  EXPECT_TRUE(scope.failed());
}

TEST_F(Scopes, RefuseOutputsThatTheFormatCannotHold) {
  ir::Node& node = NodeWith({g.Parameter({ElementType::f32, {2}})});
  const auto complaint = [&](ElementType type, Dims dims) {
    g.faults = {};
    InferScope(g.graph, node, g.faults).SetOutput(0, type, std::move(dims));
    const std::string line = Complaint();
    return line.empty() ? line : line.substr(line.find("output"));
  };
  EXPECT_EQ(complaint(ElementType::f32, {0, 5}), "");
  EXPECT_EQ(complaint(ElementType::f32, {}), "");
  EXPECT_EQ(complaint(ElementType::f32, {2, -1}),
            "output 0 would be f32[2,-1]; no dimension may be negative");
  EXPECT_EQ(complaint(ElementType::f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}),
            "output 0 would be f32[1,1,1,1,1,1,1,1,1] of rank 9; ranks up to 8 are supported");
  EXPECT_EQ(complaint(ElementType::f32, {1 << 15, 1 << 15}),
            "output 0 would be f32[32768,32768] with 4294967296 bytes; tensors hold less than "
            "4294967296 bytes");
  EXPECT_EQ(complaint(ElementType::u8, {int64_t{1} << 31, int64_t{1} << 31}),
            "output 0 would be u8[2147483648,2147483648] with 4611686018427387904 bytes; tensors "
            "hold less than "
            "4294967296 bytes");
  EXPECT_EQ(complaint(ElementType::u8, {int64_t{1} << 32, int64_t{1} << 31}),
            "output 0 would be u8[4294967296,2147483648] with more than 2^62 elements; tensors "
            "hold less than "
            "4294967296 bytes");
}

TEST_F(Scopes, NormaliseAxes) {
  ir::Node& node = NodeWith({g.Parameter({ElementType::f32, {2}})});
  InferScope scope(g.graph, node, g.faults);
  EXPECT_EQ(scope.NormalAxis(-1, 3), 2);
  EXPECT_EQ(scope.NormalAxis(2, 3), 2);
  EXPECT_FALSE(scope.NormalAxis(-4, 3).has_value());
  EXPECT_TRUE(Complaint().ends_with(": axis -4 of a rank 3 tensor; must be from -3 to 2"))
      << Complaint();
  EXPECT_FALSE(scope.NormalAxis(0, 0).has_value());
  EXPECT_TRUE(Complaint().ends_with(": axis 0 of a scalar; a scalar has no axes")) << Complaint();
}

TEST_F(Scopes, BroadcastAsNumPyDoes) {
  ir::Node& node = NodeWith({g.Parameter({ElementType::f32, {2}})});
  InferScope scope(g.graph, node, g.faults);
  EXPECT_EQ(scope.Broadcast({3, 1, 5}, {4, 1}), (Dims{3, 4, 5}));
  EXPECT_EQ(scope.Broadcast({}, {2}), Dims{2});
  EXPECT_EQ(scope.Broadcast({0, 1}, {1, 7}), (Dims{0, 7}));
  EXPECT_FALSE(scope.Broadcast({2, 3}, {4, 3}).has_value());
  EXPECT_TRUE(Complaint().ends_with(
      ": shapes [2,3] and [4,3] do not broadcast: axis 0 is 2 and 4; must be equal or 1"))
      << Complaint();
}

TEST_F(Scopes, LowerConstantsOnceAndForwardWithoutSteps) {
  const ir::Source constant = g.Floats({2, 2}, {1, 2, 3, 4});
  ir::Node& node = NodeWith({constant});
  node.outputs[0].type = {ElementType::f32, {4}};
  program::Program program;
  program::Builder builder(program);
  LowerScope::Values values;
  LowerScope scope(g.graph, node, g.faults, builder, values);
  const program::ValueId weights = scope.input(0);
  EXPECT_EQ(scope.input(0), weights);
  EXPECT_EQ(program.values[weights].storage, program::Storage::kWeights);
  scope.Forward(0, 0);
  const program::ValueId view = values.at({&node, 0});
  EXPECT_EQ(program.values[view].parent, weights);
  EXPECT_EQ(program.values[view].type.dims, Dims{4});
  EXPECT_TRUE(program.blocks[program.main].items.empty());
}

}  // namespace
}  // namespace weft::ops
