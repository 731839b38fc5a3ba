// SPDX-License-Identifier: Apache-2.0
// Weights of f32 products that are exact multiples of a scale for each output.
#include "converter/program/scaled_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "converter/ops/support/packed.h"
#include "converter/program/builder.h"
#include "converter/program/narrow_weights.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/steps.h"
#include "tests/converter/types.h"

namespace weft {
namespace {

using program::Precision;
using program::Precisions;

constexpr int64_t kDenseOutputs = 64;

// y = x * weights, a layer "dense" with codes times a scale for each output.
struct Product {
  program::Program program;
  int64_t inputs;

  explicit Product(int64_t of_inputs, float change = 0, bool has_view = false) : inputs(of_inputs) {
    program::Builder builder(program);
    const program::ValueId x = builder.Scratch(F32({1, inputs}));
    program.inputs.push_back({x, {"x"}, program::kNone, 0});
    std::vector<float> weights(static_cast<size_t>(inputs * kDenseOutputs));
    for (size_t i = 0; i < weights.size(); ++i) {
      const auto output = static_cast<float>(i / static_cast<size_t>(inputs));
      const auto code = static_cast<float>(static_cast<int>(i * 2654435761u % 255) - 127);
      weights[i] = code * (0.01f + output * 0.0003f);
    }
    weights[77] += change;
    builder.SetLayer("dense");
    program::ValueId packed = ops::PackDense(builder, weights, inputs, 1, kDenseOutputs, inputs);
    if (has_view) packed = builder.View(packed, 0, F32({inputs * kDenseOutputs}));
    const program::ValueId y = builder.Scratch(F32({1, kDenseOutputs}));
    ops::EmitDense(builder, 1, inputs, kDenseOutputs, x, packed, y);
    program.outputs.push_back({y, {"y"}, program::kNone, 0});
  }

  // The report of the layer.
  program::LayerWeights Narrowed(const Precisions& precisions = {}) {
    Faults faults;
    program::WeightsReport report = program::NarrowWeights(program, precisions, faults);
    EXPECT_TRUE(faults.ok());
    return report.layers.at(0);
  }
  std::vector<float> Run() const {
    std::vector<float> x(static_cast<size_t>(inputs));
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i) * 0.37f);
    return RunFloats(program, {x}).at(0);
  }
};

const Precisions kAsFloats = {ElementType::f32, {}},
                 kAsCodes = {program::PrecisionOf("i8x32").value(), {}};
constexpr int64_t kEnough = program::kMinScaledBytes / 4 / kDenseOutputs;  // inputs

TEST(ScaledProducts, KeepEveryBitOfLargeWeights) {
  Product scaled(kEnough), wide(kEnough);
  const program::LayerWeights row = scaled.Narrowed();
  EXPECT_EQ(program::TypeText(row), "i8x32");
  EXPECT_EQ(row.bytes, kEnough * kDenseOutputs + 4 * kDenseOutputs);
  EXPECT_TRUE(std::isinf(row.signal_to_noise_db));
  EXPECT_EQ(wide.Narrowed(kAsFloats).type, ElementType::f32);
  EXPECT_EQ(scaled.Run(), wide.Run());
  Product of_view(kEnough, 0, true);
  EXPECT_EQ(of_view.Narrowed().bytes, row.bytes);
  EXPECT_EQ(of_view.Run(), wide.Run());
}

TEST(ScaledProducts, AreUsedIfAllWeightsAreLargeAndExact) {
  EXPECT_EQ(Product(kEnough - 1).Narrowed().type, ElementType::f32);
  EXPECT_EQ(program::TypeText(Product(kEnough - 1).Narrowed(kAsCodes)), "i8x32") << "requested";
  const program::LayerWeights row = Product(kEnough, 1e-7f).Narrowed();
  EXPECT_EQ(row.type, ElementType::f32) << "one weight differs";
}

// Boards: --target cortex-m4f.
TEST(ScaledProducts, NeedARequestIfWideningCostsMore) {
  Precisions board = {};
  board.keeps_scaled = false;
  Product floats(kEnough), wide(kEnough);
  EXPECT_EQ(program::TypeText(floats.Narrowed(board)), "f32");
  wide.Narrowed(kAsFloats);
  EXPECT_EQ(floats.Run(), wide.Run());
  board.all = program::PrecisionOf("i8x32").value();
  EXPECT_EQ(program::TypeText(Product(kEnough).Narrowed(board)), "i8x32") << "requested";
  board = {{}, {{"dense", board.all}}, false};
  EXPECT_EQ(program::TypeText(Product(kEnough).Narrowed(board)), "i8x32") << "requested by name";
}

TEST(ScaledProducts, RoundsOnRequest) {
  Product product(64, 0.001f), floats(64, 0.001f);
  const program::LayerWeights row = product.Narrowed(kAsCodes);
  EXPECT_EQ(program::TypeText(row), "i8x32");
  EXPECT_GT(row.signal_to_noise_db, 45);
  EXPECT_LT(row.signal_to_noise_db, 100);
  floats.Narrowed(kAsFloats);
  const std::vector<float> y = product.Run(), must = floats.Run();
  for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], must[i], 0.1f);
  EXPECT_NE(y, must);
}

TEST(ScaledProducts, RequireFiniteWeights) {
  Product product(64, INFINITY);
  Faults faults;
  program::NarrowWeights(product.program, kAsCodes, faults);
  ASSERT_FALSE(faults.ok());
  EXPECT_EQ(faults.lines().front(),
            "layer \"dense\": has a weight of inf; must be set to f32 with --precision");
}

}  // namespace
}  // namespace weft
