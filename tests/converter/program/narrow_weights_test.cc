// SPDX-License-Identifier: Apache-2.0
// Weights that become narrow: those that lose nothing, or the requested ones. Never those with
// other readers.
#include "converter/program/narrow_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/ops/support/packed.h"
#include "converter/program/builder.h"
#include "kernels/matrix/pack.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/quantised.h"
#include "tests/converter/steps.h"
#include "tests/converter/types.h"

namespace weft {
namespace {

using program::Builder;
using program::Precision;
using program::Precisions;
using program::Program;
using program::ValueId;

constexpr int64_t kTerms = 64;  // inputs of one panel of outputs: a kilobyte of weights in f16

// y[i] = x * weights i, where each product is a layer: "layer 0" ...
struct Products {
  Program program;
  Builder builder{program};
  ValueId x = builder.Scratch(F32({1, kTerms}));

  Products() { program.inputs.push_back({x, {"x"}, program::kNone, 0}); }

  // All weights are `value`, except the first.
  ValueId Add(float first, float value, int64_t inputs = kTerms) {
    std::vector<float> weights(static_cast<size_t>(inputs) * 16, value);
    weights[0] = first;
    builder.SetLayer("layer " + std::to_string(program.outputs.size()));
    const ValueId packed = ops::PackDense(builder, weights, inputs, 1, 16, inputs);
    const ValueId y = builder.Scratch(F32({1, 16}));
    ops::EmitDense(builder, 1, inputs, 16, x, packed, y);
    program.outputs.push_back({y, {"y"}, program::kNone, 0});
    return packed;
  }

  // The types of the products' weights, or the error.
  std::string Narrowed(const Precisions& precisions = {}) {
    Faults faults;
    program::NarrowWeights(program, precisions, faults);
    if (!faults.ok()) return faults.lines().front();
    std::string types;
    for (const program::Step& step : Steps(program)) {
      if (step.kind() == program::StepKind::kDenseI8) types += types.empty() ? "i8" : " i8";
      if (step.kind() == program::StepKind::kDenseI4) types += types.empty() ? "i4" : " i4";
      const auto* dense = std::get_if<format::DenseParams>(&step.params);
      if (dense == nullptr) continue;
      const program::Value& weights = program.values[step.inputs[1]];
      EXPECT_EQ(weights.type.type, dense->weights());
      types += (types.empty() ? "" : " ") + std::string(EnumNameElementType(dense->weights()));
    }
    return types;
  }
};

Precisions All(const Precision& all) { return {all, {}}; }

TEST(NarrowWeights, AreHalvesWhereEveryOneIsOne) {
  constexpr float kMinHalf = 0x1p-24f, kMaxHalf = 65504.0f;
  for (const float first :
       {0.0f, -0.0f, 1.5f, kMinHalf, -kMaxHalf, std::numeric_limits<float>::infinity()}) {
    Products products;
    products.Add(first, 0.25f);
    EXPECT_EQ(products.Narrowed(), "f16") << first;
  }
  for (const float first :
       {0.1f, 1 + 0x1p-11f, kMinHalf / 2, kMaxHalf * 2, std::numeric_limits<float>::quiet_NaN()}) {
    Products products;
    products.Add(first, 0.25f);
    EXPECT_EQ(products.Narrowed(), "f32") << first;
  }
}

TEST(NarrowWeights, GiveTheSameProducts) {
  std::vector<float> x(kTerms);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 0.37f * static_cast<float>(i % 11) - 1.7f;
  Products wide, narrow;
  for (Products* products : {&wide, &narrow}) {
    products->Add(0.125f, -0.75f);
    products->Add(1.125f, 0.5f);
  }
  EXPECT_EQ(wide.Narrowed(All(ElementType::f32)), "f32 f32");
  EXPECT_EQ(narrow.Narrowed(), "f16 f16");
  EXPECT_EQ(RunFloats(narrow.program, {x}), RunFloats(wide.program, {x}));
}

TEST(NarrowWeights, StayFloatsWhereTheyAreFew) {
  Products few;
  few.Add(0, 1, kTerms - 1);
  EXPECT_EQ(few.Narrowed(), "f32");
  EXPECT_EQ(few.Narrowed(All(ElementType::f16)), "f16") << "asked for";
  Products together;
  together.Add(0, 1, kTerms - 1);
  together.Add(0, 2, 1);
  EXPECT_EQ(together.Narrowed(), "f16 f16");
}

TEST(NarrowWeights, StayFloatsForAnotherReader) {
  Products products;
  const ValueId weights = products.Add(0, 1);
  const ValueId copy = products.builder.Scratch(products.builder.value(weights).type);
  products.builder.Copy(weights, copy);
  products.program.outputs.push_back({copy, {"weights"}, program::kNone, 0});
  EXPECT_EQ(products.Narrowed(All(ElementType::f16)), "f32");

  Products output;
  output.program.outputs.push_back({output.Add(0, 1), {"weights"}, program::kNone, 0});
  EXPECT_EQ(output.Narrowed(), "f32");
}

TEST(NarrowWeights, AreWhatTheirLayerSays) {
  Products products;
  for (const float value : {0.1f, 0.2f, 0.3f}) products.Add(value, value);
  EXPECT_EQ(products.Narrowed({ElementType::f16,
                               {{"layer 0", ElementType::f32}, {"layer 1", ElementType::bf16}}}),
            "f32 bf16 f16");
  Products other;
  other.Add(0, 0.25f);
  other.Add(1, 0.1f);
  EXPECT_EQ(other.Narrowed({ElementType::f32, {{"layer 0", std::nullopt}}}), "f16 f32");
  Products shared;  // equal weights are one constant
  shared.Add(0, 1);
  shared.Add(0, 1);
  EXPECT_EQ(shared.Narrowed({std::nullopt, {{"layer 1", ElementType::f32}}}), "f32 f32");
  EXPECT_EQ(shared.Narrowed(), "f16 f16");
  Products unknown;
  unknown.Add(0, 1);
  EXPECT_EQ(unknown.Narrowed({std::nullopt, {{"layer 7", ElementType::f32}}}),
            "--precision: names layer \"layer 7\", which has no constant weights; must name one "
            "that has");
}

TEST(NarrowWeights, AreRefusedWhereTheirTypeHasNoSuchNumber) {
  Products products;
  products.Add(70000, 1);
  EXPECT_EQ(products.Narrowed(All(ElementType::f16)),
            "layer \"layer 0\": has a weight of 70000, too large for f16; must be set to f32 with "
            "--precision");
  Products wider;
  wider.Add(70000, 1);
  EXPECT_EQ(wider.Narrowed(All(ElementType::bf16)), "bf16");
}

TEST(NarrowWeights, AreIntegersOfProductsThatGain) {
  constexpr float kSixths = 1 / 6.0f;
  Products products;
  products.Add(0.5f, kSixths);
  products.Add(0.5f, kSixths, 15);
  EXPECT_EQ(products.Narrowed(All(ElementType::i8)), "i8 f32");
  Products shared;
  shared.Add(0, 1);
  shared.Add(0, 1);
  EXPECT_EQ(shared.Narrowed(All(ElementType::i8)), "i8 i8");
  Products mixed;
  mixed.Add(0, kSixths);
  mixed.Add(1, kSixths);
  EXPECT_EQ(mixed.Narrowed({ElementType::f32, {{"layer 1", ElementType::i8}}}), "f32 i8");
  Products small;
  small.Add(0, 1, 15);
  EXPECT_EQ(small.Narrowed({ElementType::f32, {{"layer 0", ElementType::i8}}}),
            "--precision: names layer \"layer 0\" for i8; must name a product of 16 inputs and 16 "
            "outputs or more, or a depthwise convolution of 3 taps or more");
  Products infinite;
  infinite.Add(std::numeric_limits<float>::infinity(), 1);
  EXPECT_EQ(infinite.Narrowed(All(ElementType::i8)),
            "layer \"layer 0\": has a weight of inf; must be set to f32 with --precision");
}

// Integers times 2^-7 with a maximum of 127 are exact in i8, and so is such a row of x.
TEST(NarrowWeights, LoseNothingAsIntegersThatTheyAre) {
  std::vector<float> x(kTerms);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 20.0f;
  x[0] = 32767.0f;
  Products wide, integers;
  for (Products* products : {&wide, &integers}) {
    products->Add(3 * 0x1p-7f, 127 * 0x1p-7f);
  }
  EXPECT_EQ(wide.Narrowed(All(ElementType::f32)), "f32");
  Faults faults;
  const program::WeightsReport report =
      program::NarrowWeights(integers.program, All(ElementType::i8), faults);
  ASSERT_EQ(report.layers.size(), 1u);
  EXPECT_EQ(report.layers[0].layer, "layer 0");
  EXPECT_EQ(report.layers[0].type, ElementType::i8);
  EXPECT_EQ(report.layers[0].bytes_before, kTerms * 16 * 4);
  EXPECT_EQ(report.layers[0].bytes, kTerms * 16 + 16 * 4);
  const std::vector<std::vector<float>> is = RunFloats(integers.program, {x});
  const std::vector<std::vector<float>> must = RunFloats(wide.program, {x});
  ASSERT_EQ(is.size(), must.size());
  for (size_t i = 0; i < must[0].size(); ++i) EXPECT_EQ(is[0][i], must[0][i]) << i;
}

TEST(NarrowWeights, HaveTheNoiseOfTheirRounding) {
  Products products;
  constexpr float kOther = 0.7071f;
  products.Add(1.0f, kOther);
  Faults faults;
  const program::WeightsReport report =
      program::NarrowWeights(products.program, All(ElementType::i8), faults);
  ASSERT_EQ(report.layers.size(), 1u);
  EXPECT_TRUE(report.types[0].is_rounded);
  // One output of 16 has a 1, which becomes 119 to 135, and 63 other weights. The weights of all
  // other outputs are exact.
  double noise = 1;
  for (double integer = 119; integer <= 135; integer += 0.5) {
    const double step = static_cast<float>(1 / integer);
    const auto off = [step](double weight) {
      return weight - std::min(127.0, std::nearbyint(weight / step)) * step;
    };
    noise = std::min(noise, std::pow(off(1), 2) + 63 * std::pow(off(kOther), 2));
  }
  const double signal = 1 + (63 + 15 * 64) * std::pow(kOther, 2);
  EXPECT_NEAR(report.layers[0].signal_to_noise_db, 10 * std::log10(signal / noise), 0.01);
}

// A product whose weights are integers times a scale; the integers cycle through a range.
struct Compressed : Products {
  explicit Compressed(int32_t min, int32_t largest, int64_t group = kTerms) {
    std::vector<float> codes, scales;
    for (int64_t i = 0; i < kTerms * 16; ++i) {
      codes.push_back(static_cast<float>(min + i * 7 % (largest - min + 1)));
      scales.push_back(0.013f * static_cast<float>(1 + i / group));
    }
    builder.SetLayer("layer 0");
    const ValueId packed = ops::PackDense(builder, Quantised(codes, scales), kTerms, 1, 16, kTerms);
    const ValueId y = builder.Scratch(F32({1, 16}));
    ops::EmitDense(builder, 1, kTerms, 16, x, packed, y);
    program.outputs.push_back({y, {"y"}, program::kNone, 0});
  }
  std::vector<float> Answers() const {
    std::vector<float> numbers(kTerms);
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = 0.37f * static_cast<float>(i % 11) - 1.7f;
    }
    return RunFloats(program, {numbers})[0];
  }
  std::string Kinds() const {
    std::string kinds;
    for (const program::Step& step : Steps(program)) {
      kinds += (kinds.empty() ? "" : " ") + std::string(program::Name(step.kind()));
    }
    return kinds;
  }
};

TEST(NarrowWeights, AreTheIntegersOfWhichTheyWereMade) {
  EXPECT_EQ(Compressed(-127, 127).Narrowed(), "i8");
  EXPECT_EQ(Compressed(-127, 127).Narrowed(All(ElementType::i8)), "i8");
  for (const ElementType other : {ElementType::f32, ElementType::f16, ElementType::bf16}) {
    EXPECT_EQ(Compressed(-127, 127).Narrowed(All(other)), EnumNameElementType(other));
  }
  EXPECT_EQ(Compressed(-127, 127).Narrowed({std::nullopt, {{"layer 0", ElementType::f32}}}), "f32");
  EXPECT_EQ(Compressed(-300, 300).Narrowed(), "f32") << "of more than 8 bits";
  Products plain;
  plain.Add(3 * 0.013f, 127 * 0.013f);
  EXPECT_EQ(plain.Narrowed(), "f32") << "not from integers";
}

TEST(NarrowWeights, KeepIntegersBeyond8BitsByOffsets) {
  for (const auto& [min, largest] : {std::pair(-100, 155), std::pair(-155, 100)}) {
    Compressed integers(min, largest), floats(min, largest);
    EXPECT_EQ(floats.Narrowed(All(ElementType::f32)), "f32");
    integers.Narrowed();
    EXPECT_EQ(integers.Kinds(), "dense_i8 reduce dense");
    const std::vector<float> is = integers.Answers(), must = floats.Answers();
    for (size_t i = 0; i < must.size(); ++i) {
      EXPECT_NEAR(is[i], must[i], 2e-4f * (1 + std::fabs(must[i]))) << i;
    }
  }
}

TEST(NarrowWeights, KeepIntegersByGroupsOfInputs) {
  Compressed integers(-8, 7, 32), floats(-8, 7, 32);
  EXPECT_EQ(floats.Narrowed(All(ElementType::f32)), "f32");
  Faults faults;
  const program::WeightsReport report = program::NarrowWeights(integers.program, {}, faults);
  EXPECT_EQ(integers.Kinds(), "dense_i4");
  ASSERT_EQ(report.types.size(), 1u);
  EXPECT_FALSE(report.types[0].is_rounded);
  EXPECT_EQ(report.types[0].type, ElementType::i4);
  EXPECT_EQ(report.types[0].bytes, kTerms * 16 / 2 + 2 * 16 * 4) << "scales are no halves";
  const std::vector<float> is = integers.Answers(), must = floats.Answers();
  for (size_t i = 0; i < must.size(); ++i) {
    EXPECT_NEAR(is[i], must[i], 2e-4f * (1 + std::fabs(must[i]))) << i;
  }
  EXPECT_EQ(Compressed(-8, 7, 16).Narrowed(), "f32") << "groups are too short";
}

// A convolution over 9 pixels of x with a window of `taps` of them, and a depthwise convolution of
// the same kind.
struct Windows : Products {
  static constexpr uint32_t kPositions = 9;
  bool is_quantised = false;

  format::ConvParams ConvOf(uint32_t groups, uint32_t channels, uint32_t outputs, uint32_t taps) {
    const uint32_t in = groups * channels, out = groups * outputs;
    return format::ConvParams(1, groups, channels, outputs, 1, kPositions, 1, kPositions, 1, taps,
                              1, 1, 1, 1, 0, taps / 2, {kPositions * in, kPositions * in, in, 1},
                              {kPositions * out, kPositions * out, out, 1}, format::Activation(),
                              ElementType::f32, 0, 0);
  }
  template <typename Params>
  void Emit(const Params& params, ValueId weights, int64_t in, int64_t out) {
    x = builder.Scratch(F32({kPositions, in}));
    program.inputs[0].value = x;
    const ValueId y = builder.Scratch(F32({kPositions, out}));
    builder.SetLayer("layer 0");
    builder.Emit(params, {x, weights, program::kNone}, {y});
    program.outputs.push_back({y, {"y"}, program::kNone, 0});
  }
  // Integers that cycle through a range, times a scale for each output.
  CodedFloats Around(int32_t min, int32_t largest, int64_t outputs, int64_t inputs) const {
    std::vector<float> codes, scales;
    for (int64_t i = 0; i < outputs * inputs; ++i) {
      codes.push_back(static_cast<float>(min + i * 7 % (largest - min + 1)));
      scales.push_back(0.013f * static_cast<float>(1 + i / inputs % 5));
    }
    CodedFloats weights = Quantised(std::move(codes), std::move(scales));
    if (!is_quantised) weights.quantisation = nullptr;
    return weights;
  }
  void Convolve(uint32_t groups, uint32_t channels, uint32_t outputs, uint32_t taps,
                int32_t min = -127, int32_t largest = 127) {
    const format::ConvParams params = ConvOf(groups, channels, outputs, taps);
    const CodedFloats weights =
        Around(min, largest, int64_t{groups} * outputs, int64_t{channels} * taps);
    Emit(params, ops::PackConv(builder, weights, params), int64_t{groups} * channels,
         int64_t{groups} * outputs);
  }
  void ConvolveEach(uint32_t channels, uint32_t taps, int32_t min = -127, int32_t largest = 127) {
    const format::ConvParams conv = ConvOf(channels, 1, 1, taps);
    const format::DepthwiseParams params(1, channels, 1, 1, kPositions, 1, kPositions, 1, taps, 1,
                                         1, 1, 1, 0, taps / 2, conv.x(), conv.y(),
                                         format::Activation(), ElementType::f32, 0, 0);
    const auto pack = [&](const std::vector<float>& weights) {
      std::vector<float> packed(kernels::PackedDepthwiseFloats(channels, 1, taps));
      kernels::PackDepthwise(weights.data(), channels, 1, taps, packed.data());
      return packed;
    };
    const CodedFloats packed = Around(min, largest, channels, taps).Arranged(pack);
    const ValueId constant =
        builder.WeightsOf(F32({taps, std::ssize(packed.floats) / taps}), packed);
    Emit(params, constant, channels, channels);
  }
  std::string KindsFor(const Precision& precision) {
    Faults faults;
    program::NarrowWeights(program, All(precision), faults);
    EXPECT_TRUE(faults.ok());
    std::string kinds;
    for (const program::Step& step : Steps(program)) {
      kinds += (kinds.empty() ? "" : " ") + std::string(program::Name(step.kind()));
    }
    return kinds;
  }
  std::vector<float> Answers() const {
    std::vector<float> numbers(static_cast<size_t>(*ElementCount(program.values[x].type.dims)));
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = 0.37f * static_cast<float>(i % 11) - 1.7f;
    }
    return RunFloats(program, {numbers})[0];
  }
};

TEST(NarrowWeights, AreIntegersOfWindowsThatGain) {
  struct Case {
    uint32_t groups, channels, outputs, taps;
    const char* kinds;
  };
  for (const Case& one : {Case{1, 6, 16, 3, "conv_i8"}, Case{1, 5, 16, 3, "conv"},
                          Case{1, 6, 15, 3, "conv"}, Case{2, 16, 17, 1, "conv_i8"},
                          Case{3, 6, 16, 5, "conv_i8"}, Case{1, 16, 16, 1, "dense_i8"}}) {
    Windows windows;
    windows.Convolve(one.groups, one.channels, one.outputs, one.taps);
    EXPECT_EQ(windows.KindsFor(ElementType::i8), one.kinds) << one.channels << " " << one.outputs;
  }
  for (const uint32_t taps : {2u, 3u}) {
    Windows windows;
    windows.ConvolveEach(20, taps);
    EXPECT_EQ(windows.KindsFor(ElementType::i8), taps == 2 ? "depthwise" : "depthwise_i8");
  }
  Windows named;
  named.ConvolveEach(20, 2);
  EXPECT_EQ(named.Narrowed({ElementType::f32, {{"layer 0", ElementType::i8}}}),
            "--precision: names layer \"layer 0\" for i8; must name a product of 16 inputs and 16 "
            "outputs or more, or a depthwise convolution of 3 taps or more");
}

TEST(NarrowWeights, OfWindowsAreTheIntegersOfWhichTheyWereMade) {
  for (const bool has_offsets : {false, true}) {
    const int32_t largest = has_offsets ? 200 : 127;
    Windows integers, floats;
    for (Windows* windows : {&integers, &floats}) {
      windows->is_quantised = true;
      windows->ConvolveEach(37, 9, -55, largest);
    }
    EXPECT_EQ(integers.KindsFor(std::nullopt), "depthwise_i8");
    EXPECT_EQ(floats.KindsFor(ElementType::f32), "depthwise");
    EXPECT_EQ(integers.Answers(), floats.Answers());
  }
  Windows plain;
  plain.ConvolveEach(37, 9);
  EXPECT_EQ(plain.KindsFor(std::nullopt), "depthwise") << "not from integers";
  for (const uint32_t groups : {1u, 2u}) {
    Windows integers, floats;
    for (Windows* windows : {&integers, &floats}) {
      windows->is_quantised = true;
      windows->Convolve(groups, 7, 18, 3);
    }
    EXPECT_EQ(integers.KindsFor(std::nullopt), "conv_i8");
    EXPECT_EQ(floats.KindsFor(ElementType::f32), "conv");
    const std::vector<float> is = integers.Answers(), must = floats.Answers();
    for (size_t i = 0; i < must.size(); ++i) {
      EXPECT_NEAR(is[i], must[i], 2e-4f * (1 + std::fabs(must[i]))) << i;
    }
  }
}

TEST(NarrowWeights, KeepIntegersOf8BitsByGroupsOfInputs) {
  Compressed integers(-100, 100, 32), floats(-100, 100, 32);
  EXPECT_EQ(floats.Narrowed(All(ElementType::f32)), "f32");
  EXPECT_EQ(integers.Narrowed(), "i8 i8");
  const std::vector<float> is = integers.Answers(), must = floats.Answers();
  for (size_t i = 0; i < must.size(); ++i) {
    EXPECT_NEAR(is[i], must[i], 2e-4f * (1 + std::fabs(must[i]))) << i;
  }
}

TEST(NarrowWeights, KeepIntegersOf4BitsAndTheirZeros) {
  for (const auto& [min, largest] : {std::pair(0, 15), std::pair(-15, 0), std::pair(-3, 12)}) {
    for (const int64_t group : {kTerms, int64_t{32}}) {
      Compressed integers(min, largest, group), floats(min, largest, group);
      EXPECT_EQ(floats.Narrowed(All(ElementType::f32)), "f32");
      EXPECT_EQ(integers.Narrowed(All(program::WeightType(ElementType::i4, 128))), "i4");
      EXPECT_NE(Steps(integers.program)[0].inputs[3], program::kNone) << "zeros";
      const std::vector<float> is = integers.Answers(), must = floats.Answers();
      for (size_t i = 0; i < must.size(); ++i) {
        EXPECT_NEAR(is[i], must[i], 2e-4f * (1 + std::fabs(must[i]))) << i;
      }
    }
  }
}

TEST(NarrowWeights, Are4BitsWhereAskedFor) {
  const Precision groups = program::WeightType(ElementType::i4, 32);
  EXPECT_EQ(program::PrecisionOf("i4:32"), groups);
  for (const std::string_view name : {"i4", "i4:", "i4:16", "i4:320", "i4:32 "}) {
    EXPECT_EQ(program::PrecisionOf(name), std::nullopt) << name;
  }
  Products halves, floats;
  halves.Add(0.5f, 0.25f);
  EXPECT_EQ(halves.Narrowed(All(groups)), "i4");
  EXPECT_EQ(halves.program.values[Steps(halves.program)[0].inputs[2]].type.type, ElementType::f16);
  floats.Add(0.5e-7f, 0.3e-7f);
  EXPECT_EQ(floats.Narrowed(All(groups)), "i4");
  EXPECT_EQ(floats.program.values[Steps(floats.program)[0].inputs[2]].type.type, ElementType::f32)
      << "halves would be zeros";
  EXPECT_EQ(Compressed(-100, 100).Narrowed(All(groups)), "i4") << "of more than 4 bits";
  Products few;
  few.Add(0.5f, 0.25f, 15);
  EXPECT_EQ(few.Narrowed({std::nullopt, {{"layer 0", groups}}}),
            "--precision: names layer \"layer 0\" for i4; must name a dense product or a pointwise "
            "convolution of 16 inputs and 16 outputs or more");
}

TEST(NarrowWeights, AreMultipliedByBytesWhereAskedFor) {
  const Precision bytes = program::WeightType(ElementType::i8, 0, program::kNarrowRows);
  EXPECT_EQ(program::PrecisionOf("i8x8"), bytes);
  EXPECT_NE(program::PrecisionOf("i8"), bytes);
  for (const std::string_view name : {"i8x", "i8x16", "i8x8 ", "i4x8"}) {
    EXPECT_EQ(program::PrecisionOf(name), std::nullopt) << name;
  }
  const auto max = [](Products& products, const Precisions& precisions) {
    EXPECT_EQ(products.Narrowed(precisions), "i8");
    return std::get<format::DenseI8Params>(Steps(products.program)[0].params).max();
  };
  const auto max_of_rounded = [&](const Precisions& precisions) {
    Products products;
    products.Add(0.3f, 0.1f);
    return max(products, precisions);
  };
  EXPECT_EQ(max_of_rounded(All(bytes)), 127u);
  EXPECT_EQ(max_of_rounded(All(ElementType::i8)), 32767u);
  EXPECT_EQ(max_of_rounded({ElementType::f32, {{"layer 0", bytes}}}), 127u);
  Compressed integers(-127, 127);
  EXPECT_EQ(max(integers, All(bytes)), 127u) << "of the file's own integers";
  Products shared;  // equal weights are one constant
  shared.Add(0.3f, 0.1f);
  shared.Add(0.3f, 0.1f);
  EXPECT_EQ(shared.Narrowed({ElementType::i8, {{"layer 1", bytes}}}), "f32 f32");
}

TEST(NarrowWeights, AreReportedByTypeAndLoss) {
  Products products;
  products.Add(0, 0.25f);
  products.Add(0, 0.1f);
  Faults faults;
  const program::WeightsReport all = program::NarrowWeights(
      products.program, {ElementType::f16, {{"layer 1", ElementType::bf16}}}, faults);
  const std::vector<program::WeightsOfType>& report = all.types;
  ASSERT_EQ(report.size(), 2u);
  EXPECT_EQ(report[0].type, ElementType::bf16);
  EXPECT_TRUE(report[0].is_rounded);
  EXPECT_EQ(report[0].bytes, kTerms * 16 * 2);
  EXPECT_EQ(report[1].type, ElementType::f16);
  EXPECT_FALSE(report[1].is_rounded);
}

}  // namespace
}  // namespace weft
