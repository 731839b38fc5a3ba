// SPDX-License-Identifier: Apache-2.0
// Numbers that exceed the fields of the file format: rejected by Narrow, by the shape rules before
// it, and by the file writer for sums.
#include "converter/base/narrow.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>

#include "converter/emit/model_file.h"
#include "converter/graph/infer.h"
#include "converter/plan/plan.h"
#include "converter/program/builder.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph_builder.h"

namespace weft {
namespace {

constexpr int64_t kTwo31 = int64_t{1} << 31, kTwo32 = int64_t{1} << 32, kTwo40 = int64_t{1} << 40;
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kBeyond[] = {kTwo31,     kTwo32 - 1,     kTwo32,     kTwo32 + 7,
                               kTwo40 + 7, kTwo31* kTwo31, kMax64 - 1, kMax64};

testing::AssertionResult Contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << '"' << text << "\" lacks \"" << part << '"';
}

std::string RefusalOf(GraphBuilder& g) {
  InferAndFold(g.graph, {}, g.faults);
  return g.FaultText();
}

template <typename To>
bool Fits(int64_t value) {
  try {
    return Narrow<To>(value, "rows") == value;
  } catch (const TooWide&) {
    return false;
  }
}

TEST(Narrow, KeepsWhatFitsAndRefusesTheRest) {
  for (const int64_t value : {int64_t{0}, int64_t{1}, kTwo31, kTwo32 - 1}) {
    EXPECT_TRUE(Fits<uint32_t>(value)) << value;
  }
  for (const int64_t value : {int64_t{-1}, kTwo32, kTwo32 + 7, kTwo40 + 7, kMax64, kMin64}) {
    EXPECT_FALSE(Fits<uint32_t>(value)) << value;
  }
  EXPECT_TRUE(Fits<int32_t>(-kTwo31));
  EXPECT_FALSE(Fits<int32_t>(-kTwo31 - 1));
  EXPECT_FALSE(Fits<int32_t>(kTwo31));
  EXPECT_TRUE(Fits<uint16_t>(65535));
  EXPECT_FALSE(Fits<uint16_t>(65536));
  EXPECT_FALSE(Fits<uint8_t>(256));
}

TEST(Narrow, SaysWhatDoesNotFitAndWhere) {
  try {
    Narrow32(kTwo32 + 7, "rows");
    FAIL();
  } catch (TooWide& wide) {
    EXPECT_EQ(wide.Line("plan"), "plan: rows is 4294967303; must be from 0 to 4294967295");
    wide.SayWhere("m.xml:3: layer 1 \"y\" (MatMul)");
    wide.SayWhere("m.xml:9: layer 4 \"loop\" (Loop)");
    EXPECT_EQ(wide.Line("plan"),
              "m.xml:3: layer 1 \"y\" (MatMul): rows is 4294967303; must be from 0 to 4294967295");
  }
}

TEST(ShapeRule, RefusesDimensionsThatTheFileCannotHold) {
  for (const int64_t dim : kBeyond) {
    GraphBuilder g;
    g.Result(g.Add("Relu", 1, {g.Parameter({ElementType::f32, {dim, 0}})}));
    EXPECT_TRUE(Contains(RefusalOf(g), std::to_string(dim))) << dim;
  }
  GraphBuilder g;
  g.Result(g.Add("Relu", 1, {g.Parameter({ElementType::f32, {0, kTwo31 - 1, kTwo31 - 1, 9}})}));
  EXPECT_TRUE(Contains(RefusalOf(g), "the product of its nonzero dimensions must be below 2^62"));
}

TEST(ShapeRule, RefusesAHiddenSizeBeyondItsGates) {
  for (const char* type : {"LSTMCell", "GRUCell", "RNNCell"}) {
    for (const int64_t size :
         {kTwo31, kTwo32 + 8, kTwo31 * kTwo31, kMax64, kMax64 / 4 + 1, int64_t{-8}, kMin64}) {
      GraphBuilder g;
      const bool is_lstm = type[0] == 'L';
      const int64_t gates = (is_lstm ? 4 : type[0] == 'G' ? 3 : 1) * 8;
      std::vector<ir::Source> inputs = {g.Parameter({ElementType::f32, {1, 4}}),
                                        g.Parameter({ElementType::f32, {1, 8}})};
      if (is_lstm) inputs.push_back(g.Parameter({ElementType::f32, {1, 8}}));
      inputs.push_back(g.Parameter({ElementType::f32, {gates, 4}}));
      inputs.push_back(g.Parameter({ElementType::f32, {gates, 8}}));
      inputs.push_back(g.Parameter({ElementType::f32, {gates}}));
      g.Result(g.Add(type,
                     is_lstm          ? 4
                     : type[0] == 'G' ? 3
                                      : 1,
                     inputs, {{"hidden_size", std::to_string(size)}}, is_lstm ? 2 : 1));
      EXPECT_TRUE(Contains(RefusalOf(g), "hidden_size is " + std::to_string(size))) << type;
    }
  }
}

TEST(ShapeRule, RefusesWindowsPadsAndAxesOfAnySize) {
  for (const int64_t value : {kTwo31, kTwo32 - 1, kTwo32, kTwo32 + 7, kTwo40 + 7, kMax64, kMin64}) {
    const std::string text = std::to_string(value);
    for (const char* key : {"strides", "dilations", "pads_begin", "pads_end"}) {
      GraphBuilder g;
      std::map<std::string, std::string> attributes = {
          {"strides", "1"}, {"dilations", "1"}, {"pads_begin", "0"}, {"pads_end", "0"}};
      attributes[key] = text;
      g.Result(g.Add("Convolution", 1,
                     {g.Parameter({ElementType::f32, {1, 1, 9}}), g.Floats({1, 1, 3}, {1, 2, 3})},
                     attributes));
      EXPECT_TRUE(Contains(RefusalOf(g), text)) << key;
    }
    GraphBuilder pad;
    pad.Result(pad.Add("Pad", 12,
                       {pad.Parameter({ElementType::f32, {4}}), pad.Ints({value}),
                        pad.Ints({value < 0 ? kMax64 : -value})},
                       {{"pad_mode", "constant"}}));
    EXPECT_TRUE(Contains(RefusalOf(pad), text));
    GraphBuilder pdpd;
    pdpd.Result(pdpd.Add(
        "Add", 1,
        {pdpd.Parameter({ElementType::f32, {2, 3}}), pdpd.Parameter({ElementType::f32, {3}})},
        {{"auto_broadcast", "pdpd"}, {"auto_broadcast.auto_broadcast_axis", text}}));
    EXPECT_TRUE(Contains(RefusalOf(pdpd), text));
  }
}

TEST(ShapeRule, TakesARangeWhoseStepsAddUpBeyond64Bits) {
  GraphBuilder g;
  const ir::Source range = g.Add("Range", 4, {g.Int(kMin64), g.Int(kMax64), g.Int(kTwo31 * kTwo31)},
                                 {{"output_type", "i64"}});
  g.Result(range);
  EXPECT_EQ(RefusalOf(g), "");
}

// One value of `bytes` bytes with a step that fills its first four.
program::Program Holding(program::Storage storage, int64_t bytes) {
  program::Program program;
  program::Builder builder(program);
  builder.SetLayer("big");
  const program::ValueId value = builder.Scratch({ElementType::f32, {}});
  const program::ValueId out = builder.Scratch({ElementType::f32, {}});
  program.values[value].storage = storage;
  program.values[value].bytes = bytes;
  program.values[value].data = std::make_shared<const std::vector<std::byte>>();
  if (storage == program::Storage::kState)
    program.variables.push_back({value, program::kNone, "v"});
  if (storage == program::Storage::kScratch) builder.Emit(format::FillParams(), {}, {value});
  const format::CopyParams params;
  builder.Emit(params, {value}, {out});
  program.outputs.push_back({out, {"y"}});
  return program;
}

TEST(ModelFile, RefusesRegionsThatTheFileCannotHold) {
  const std::pair<program::Storage, const char*> kStorages[] = {
      {program::Storage::kScratch, "plan: scratch needs "},
      {program::Storage::kState, " and state "},
      {program::Storage::kWeights, "plan: weights need "}};
  for (const auto& [storage, words] : kStorages) {
    for (const int64_t bytes : {kTwo31, kTwo32 - 16, kTwo32, kTwo32 + 16, kTwo40}) {
      Faults faults;
      const plan::Plan plan = plan::PlanAsIs(Holding(storage, bytes));
      EXPECT_TRUE(emit::WriteModelFile(plan, {}, faults).bytes.empty());
      ASSERT_EQ(faults.lines().size(), 1u) << words << bytes;
      EXPECT_TRUE(Contains(faults.lines()[0], words));
      EXPECT_TRUE(Contains(faults.lines()[0], "must be at most 2147483647"));
    }
  }
}

TEST(ModelFile, RefusesAFileOfManySmallerWeights) {
  program::Program program;
  program::Builder builder(program);
  for (int i = 0; i < 3; ++i) {
    const program::ValueId value = builder.Scratch({ElementType::f32, {}});
    const program::ValueId out = builder.Scratch({ElementType::f32, {}});
    program.values[value].storage = program::Storage::kWeights;
    program.values[value].bytes = kTwo31 - 64;
    program.values[value].data = std::make_shared<const std::vector<std::byte>>();
    builder.Emit(format::CopyParams(), {value}, {out});
  }
  Faults faults;
  EXPECT_TRUE(emit::WriteModelFile(plan::PlanAsIs(program), {}, faults).bytes.empty());
  ASSERT_EQ(faults.lines().size(), 1u);
  EXPECT_TRUE(Contains(faults.lines()[0], "plan: weights need 6442450752 bytes"));
}

TEST(ModelFile, WithoutNamesHasNoneForVariables) {
  for (const bool names : {true, false}) {
    program::Program program;
    program::Builder builder(program);
    const program::ValueId state = builder.State({ElementType::f32, {2}}, "v");
    program.variables.push_back({state, program::kNone, "v"});
    builder.Fill(state);
    Faults faults;
    const emit::ModelFile file =
        emit::WriteModelFile(plan::PlanAsIs(program), {.names = names}, faults);
    ASSERT_TRUE(faults.ok());
    const format::Model& model = *format::GetModel(file.bytes.data());
    EXPECT_EQ(model.variables()->Get(0)->first_name() == 0xFFFFFFFF, !names);
  }
}

}  // namespace
}  // namespace weft
