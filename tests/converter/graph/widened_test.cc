// SPDX-License-Identifier: Apache-2.0
// Values of u16, u32, u64 and u1 are stored in a wider type. They may be converted or used as
// shapes and indices, but not in computations.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/converter/folding.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

ir::Source WidenedAs(ir::Source source, const char* type) {
  source.node->outputs[0].widened = FindWidenedType(type);
  return source;
}

ir::Source ConvertTo(GraphBuilder& g, ir::Source x, const char* type) {
  return g.Add("Convert", 1, {x}, {{"destination_type", type}});
}

std::string WidenedFaults(GraphBuilder& g) {
  InferAndFold(g.graph, {}, g.faults);
  return g.FaultText();
}

TEST(Widened, ReachesShapesAxesAndIndices) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({3, 1, 5}));
  const ir::Source one = WidenedAs(g.Int(1), "u64"), three = WidenedAs(g.Ints({3}), "u32");
  const ir::Source shape =
      g.Add("Concat", 1, {three, WidenedAs(g.Ints({5}), "u32")}, {{"axis", "0"}});
  g.Result(g.Add("Squeeze", 1, {x, one}));
  g.Result(g.Add("Reshape", 1, {x, shape}, {{"special_zero", "false"}}));
  g.Result(g.Add("ReduceSum", 1, {x, one}, {{"keep_dims", "false"}}));
  g.Result(g.Add("Gather", 8, {x, WidenedAs(g.Ints({2}), "u16"), g.Int(0)}));
  g.Result(g.Add("Unsqueeze", 1, {x, g.Add("Unsqueeze", 1, {one, WidenedAs(g.Ints({0}), "u64")})}));
  g.Result(g.Add("ShapeOf", 3, {three}));
  EXPECT_EQ(WidenedFaults(g), "");
  EXPECT_EQ(g.type(g.graph.results[0]->inputs[0]).dims, (Dims{3, 5}));
  EXPECT_EQ(g.type(g.graph.results[1]->inputs[0]).dims, (Dims{3, 5}));
  EXPECT_EQ(g.type(g.graph.results[4]->inputs[0]).dims, (Dims{3, 1, 1, 5}));
}

TEST(Widened, IsNotComputedOn) {
  GraphBuilder g;
  const ir::Source two = WidenedAs(g.Ints({2}), "u64"), x = g.Parameter({ElementType::i64, {1}});
  const std::string must =
      "; must be converted first: only axes, shapes and indices may be u16, u32, u64 or u1";
  g.Result(g.Add("Subtract", 1, {two, two}));
  g.Result(g.Add("Less", 1, {x, two}));
  g.Result(g.Add("ReduceSum", 1, {WidenedAs(g.Ints({2}), "u32"), g.Ints({0})}));
  g.Result(g.Add("Add", 1, {x, g.Add("Reshape", 1, {WidenedAs(g.Int(1), "u16"), g.Ints({1})})}));
  g.Result(g.Add("Add", 1, {g.Add("Concat", 1, {two, two}, {{"axis", "0"}}), g.Ints({1, 2})}));
  g.Result(two);
  const std::string faults = WidenedFaults(g);
  EXPECT_PRED2(Contains, faults, "(Subtract): input 0 is u64" + must);
  EXPECT_PRED2(Contains, faults, "(Subtract): input 1 is u64" + must);
  EXPECT_PRED2(Contains, faults, "(Less): input 1 is u64" + must);
  EXPECT_PRED2(Contains, faults, "(ReduceSum): input 0 is u32" + must);
  EXPECT_PRED2(Contains, faults, "(Add): input 1 is u16" + must);
  EXPECT_PRED2(Contains, faults, "(Add): input 0 is u64" + must);
  EXPECT_PRED2(Contains, faults, "(Result): input 0 is u64" + must);
  EXPECT_EQ(g.faults.lines().size(), 7u);
}

// u32 in 32 bits would become -1, which counts from the end.
TEST(Widened, IsNoNegativeIndex) {
  GraphBuilder g;
  const ir::Source last = WidenedAs(g.Ints({4294967295}), "u32");
  g.Result(g.Add("Gather", 8, {g.Parameter(F32({5})), last, g.Int(0)}));
  EXPECT_PRED2(Contains, WidenedFaults(g),
               "index 4294967295 of an axis of 5; must be from -5 to 4");
}

TEST(Widened, StaysSoWhereItIsWritten) {
  GraphBuilder g;
  const ir::Source one = WidenedAs(g.Int(1), "u64"), two = WidenedAs(g.Int(2), "u64"),
                   position = g.Ints({0, 1});
  const ir::Source hot = g.Add("OneHot", 1, {position, g.Int(2), two, one}, {{"axis", "0"}});
  g.Result(g.Add("Convert", 1, {hot}, {{"destination_type", "f32"}}));
  g.Result(g.Add("Negative", 1, {hot}));
  g.Result(g.Add("Negative", 1, {g.Add("Range", 1, {one, WidenedAs(g.Int(5), "u64"), two})}));
  g.Result(g.Add("OneHot", 1, {position, g.Int(2), two, g.Int(1)}, {{"axis", "0"}}));
  g.Result(g.Add("Range", 1, {one, g.Int(5), two}));
  const std::string faults = WidenedFaults(g);
  EXPECT_EQ(g.faults.lines().size(), 4u);
  EXPECT_PRED2(Contains, faults, "(Negative): input 0 is u64");
  EXPECT_PRED2(Contains, faults,
               "on_value is u64 and off_value is i64; both must have the same type");
  EXPECT_PRED2(Contains, faults,
               "input 1 (stop) is i64 and input 0 (start) is u64; must be of one type");
}

TEST(Widened, IsWhatConstantsAndShorterTypesConvertTo) {
  GraphBuilder g;
  const ir::Source bytes = g.Parameter({ElementType::u8, {2}});
  const ir::Source wide = ConvertTo(g, ConvertTo(g, bytes, "u16"), "u64");
  g.Result(ConvertTo(g, wide, "f32"));
  g.Result(ConvertTo(g, ConvertTo(g, g.Ints({0, 4294967295}), "u32"), "f32"));
  g.Result(ConvertTo(g, ConvertTo(g, g.Floats({2}, {-0.5f, 2.5f}), "u64"), "i32"));
  g.Result(g.Add("ConvertLike", 1, {WidenedAs(g.Ints({7}), "u64"), bytes}));
  EXPECT_EQ(WidenedFaults(g), "");
  EXPECT_EQ(g.type(wide).type, ElementType::i64);
  float last;
  std::memcpy(&last, g.graph.results[1]->inputs[0].node->constant->bytes.data() + 4, sizeof last);
  EXPECT_EQ(last, 4294967296.0f);
  int32_t whole[2];
  std::memcpy(whole, g.graph.results[2]->inputs[0].node->constant->bytes.data(), sizeof whole);
  EXPECT_EQ(whole[0], 0);
  EXPECT_EQ(whole[1], 2);
}

TEST(Widened, RefusesConversionsThatMayNotFit) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::i64, {1}});
  const ir::Source like = WidenedAs(g.Ints({7}), "u16");
  g.Result(ConvertTo(g, ConvertTo(g, x, "u64"), "f32"));
  g.Result(ConvertTo(g, ConvertTo(g, g.Ints({-1}), "u64"), "f32"));
  g.Result(ConvertTo(g, ConvertTo(g, g.Ints({65536}), "u16"), "f32"));
  g.Result(ConvertTo(g, ConvertTo(g, g.Floats({1}, {1e30f}), "u64"), "f32"));
  g.Result(ConvertTo(g, ConvertTo(g, g.Floats({1}, {NAN}), "u64"), "f32"));
  g.Result(ConvertTo(g, g.Add("ConvertLike", 1, {g.Ints({70000}), like}), "f32"));
  g.Result(ConvertTo(g, ConvertTo(g, x, "u1"), "f32"));
  const std::string faults = WidenedFaults(g);
  const std::string must = "; input 0 must be u8, boolean or constants that fit";
  EXPECT_PRED2(Contains, faults, "(Convert): converts i64[1] to u64, which is read as i64" + must);
  EXPECT_PRED2(Contains, faults, "(Convert): converts i64[1] to u16, which is read as i32" + must);
  EXPECT_PRED2(Contains, faults, "(Convert): converts f32[1] to u64, which is read as i64" + must);
  EXPECT_PRED2(Contains, faults, "(ConvertLike): converts i64[1] to u16");
  EXPECT_PRED2(Contains, faults, "destination type is u1; u1 can only be converted from");
  EXPECT_EQ(g.faults.lines().size(), 7u);
}

}  // namespace
}  // namespace weft
