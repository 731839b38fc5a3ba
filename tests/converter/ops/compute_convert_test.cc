// SPDX-License-Identifier: Apache-2.0
// ConvertPromoteTypes and FakeConvert: types, steps and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Kind = std::vector<StepKind>;
using Texts = std::map<std::string, std::string>;

struct Promotion {
  TensorType a, b;
  Texts attributes;
  const char* type;
  Kind kinds;
};

void PrintTo(const Promotion& promotion, std::ostream* os) {
  *os << ToString(promotion.a) << " and " << ToString(promotion.b);
}

struct ConvertPromoteTypes : testing::TestWithParam<Promotion> {};

TEST_P(ConvertPromoteTypes, MakesOneType) {
  GraphBuilder g;
  const ir::Source y =
      g.Add("ConvertPromoteTypes", 14, {g.Parameter(GetParam().a), g.Parameter(GetParam().b)},
            GetParam().attributes, 2);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Name(g.type(y).type), GetParam().type);
  EXPECT_EQ(Name(g.type({y.node, 1}).type), GetParam().type);
  EXPECT_EQ(g.type({y.node, 1}).dims, GetParam().b.dims);
  EXPECT_EQ(Kinds(g.Lower()), GetParam().kinds);
}

const Kind kOne = {StepKind::kConvert}, kTwo = {StepKind::kConvert, StepKind::kConvert};

INSTANTIATE_TEST_SUITE_P(
    OfTypes, ConvertPromoteTypes,
    testing::Values(Promotion{F32({2}), {ElementType::i64, {3}}, {}, "f32", kOne},
                    Promotion{{ElementType::boolean, {2}}, {ElementType::i8, {3}}, {}, "i8", kOne},
                    Promotion{{ElementType::i32, {2}}, {ElementType::i32, {3}}, {}, "i32", {}},
                    Promotion{{ElementType::u8, {2}}, {ElementType::i8, {3}}, {}, "i16", kTwo},
                    Promotion{{ElementType::i64, {2}}, {ElementType::u8, {3}}, {}, "i64", kOne},
                    Promotion{{ElementType::i32, {2}}, {ElementType::i64, {}}, {}, "i64", kOne},
                    Promotion{{ElementType::i32, {2}},
                              {ElementType::i64, {}},
                              {{"pytorch_scalar_promotion", "true"}},
                              "i32",
                              kOne},
                    Promotion{{ElementType::i32, {}},
                              {ElementType::i64, {}},
                              {{"pytorch_scalar_promotion", "true"}},
                              "i64",
                              kOne},
                    Promotion{{ElementType::i32, {2}},
                              F32({}),
                              {{"pytorch_scalar_promotion", "true"}},
                              "f32",
                              kOne}));

TEST(ConvertPromoteTypesFaults, NameTypesThatNothingHolds) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::u8, {2}});
  const ir::Source wide = g.Parameter({ElementType::i32, {2}});
  wide.node->outputs[0].widened = FindWidenedType("u16");
  g.Add("ConvertPromoteTypes", 14, {x, wide}, {}, 2);
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "promotes u8 and u16 to u16; must be one of f32 i8 u8 i16 i32 i64 boolean");
}

TEST(FakeConvert, RoundsBySums) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3})), scale = g.Parameter(F32({3}));
  g.Add("FakeConvert", 13, {x, scale}, {{"destination_type", "f8e4m3"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  const Kind kinds = Kinds(program);
  EXPECT_EQ(kinds.size(), 13u);
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kConvert), 2);  // to f16 and back
}

TEST(FakeConvert, LeavesOutShiftsOfZero) {
  const auto steps = [](float shift) {
    GraphBuilder g;
    const ir::Source x = g.Parameter(F32({2, 3}));
    g.Add("FakeConvert", 13, {x, g.Float(2), g.Float(shift)}, {{"destination_type", "f8e5m2"}});
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    return Kinds(g.Lower()).size();
  };
  EXPECT_EQ(steps(0) + 2, steps(1));
}

TEST(FakeConvert, RefusesWhatIsNoSuchType) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3}));
  g.Add("FakeConvert", 13, {x, g.Float(1)}, {{"destination_type", "f4e2m1"}});
  g.Add("FakeConvert", 13, {x, g.Float(1)});
  g.Add("FakeConvert", 13, {x, g.Floats({2, 1, 1}, {1, 1})}, {{"destination_type", "f8e5m2"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "must be one of f8e4m3 f8e5m2");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute destination_type is missing; must be given");
  EXPECT_PRED2(Contains, g.FaultText(),
               "scale and shift make [2,2,3] of x, which is f32[2,3]; must broadcast to the shape");
}

}  // namespace
}  // namespace weft
