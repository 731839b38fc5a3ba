// SPDX-License-Identifier: Apache-2.0
// Products by a constant of several matrices use narrow weights like dense layers, or stay
// unchanged and report the reason.
#include "converter/program/constant_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "converter/ops/core/matmul.h"
#include "converter/program/builder.h"
#include "converter/program/narrow_weights.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/quantised.h"
#include "tests/converter/steps.h"
#include "tests/converter/types.h"

namespace weft {
namespace {

using program::Builder;
using program::Precisions;
using program::Program;
using program::ValueId;

// The layer "groups" multiplies an input by a constant.
struct Groups {
  Program program;
  Builder builder{program};
  Dims x_dims, w_dims;
  bool is_left;
  ValueId x, w;

  // Weights are multiples of `step`.
  Groups(Dims x_shape, Dims w_shape, float step = 0.01f, bool on_the_left = false,
         bool is_quantised = false)
      : x_dims(std::move(x_shape)), w_dims(std::move(w_shape)), is_left(on_the_left) {
    x = builder.Scratch(F32(x_dims));
    program.inputs.push_back({x, {"x"}, program::kNone, 0});
    std::vector<float> codes(static_cast<size_t>(ElementCount(w_dims).value()));
    for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<float>(i * 7 % 23) - 11;
    CodedFloats weights = Quantised(std::move(codes), step);
    if (!is_quantised) weights.quantisation = nullptr;
    w = builder.WeightsOf(F32(w_dims), weights);
    Multiply("groups");
  }

  void Multiply(const std::string& layer, bool transposed = false) {
    builder.SetLayer(layer);
    const ops::Matrix constant = ops::MatrixOver(w_dims, transposed);
    const ops::Matrix data = ops::MatrixOver(x_dims);
    const ops::Matrix &a = is_left ? constant : data, &b = is_left ? data : constant;
    const Dims batch = ops::BroadcastOf(a.batch, b.batch);
    Dims dims = batch;
    dims.insert(dims.end(), {a.rows, b.columns});
    const ValueId y = builder.Scratch(F32(dims));
    ops::EmitProduct(builder, ops::ProductOfBatches(batch, a, b), is_left ? w : x, is_left ? x : w,
                     y);
    program.outputs.push_back({y, {"y"}, program::kNone, 0});
  }

  program::WeightsReport Narrow(const Precisions& precisions) {
    Faults faults;
    program::WeightsReport report = program::NarrowWeights(program, precisions, faults);
    for (const std::string& line : faults.lines()) ADD_FAILURE() << line;
    return report;
  }
  // The kinds of the steps, for example "dense dense".
  std::string Kinds() const {
    std::string kinds;
    for (const program::Step& step : Steps(program)) {
      kinds += (kinds.empty() ? "" : " ") + std::string(program::Name(step.kind()));
    }
    return kinds;
  }
  std::vector<std::vector<float>> Answers() const {
    std::vector<float> numbers(static_cast<size_t>(ElementCount(x_dims).value()));
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = 0.37f * static_cast<float>(i % 11) - 1.7f;
    }
    return RunFloats(program, {numbers});
  }
};

Precisions ForAllLayers(const program::Precision& all) { return {all, {}}; }

struct Shapes {
  const char* name;
  Dims x, w;
  bool is_left;
};
const Shapes kShapes[] = {
    {"rows of one", {5, 4, 1, 20}, {4, 20, 30}, false},
    {"rows", {4, 5, 20}, {4, 20, 30}, false},
    {"batch outside", {3, 4, 5, 20}, {4, 20, 30}, false},
    {"batch within", {4, 3, 5, 20}, {4, 1, 20, 30}, false},
    {"one x for all", {1, 5, 20}, {4, 20, 30}, false},
    {"two axes", {2, 3, 2, 5, 20}, {2, 1, 2, 20, 30}, false},
    {"five axes of rows", {2, 2, 3, 2, 5, 3, 20}, {2, 1, 2, 1, 20, 30}, false},
    {"left", {4, 20, 5}, {4, 30, 20}, true},
    {"left, one column", {4, 20, 1}, {4, 30, 20}, true},
    {"left, one matrix", {2, 20, 5}, {60, 20}, true},
};

// The weights are multiples of a power of two and exact in f16, so nothing is rounded.
TEST(ConstantProducts, ComputeTheSameBits) {
  for (const Shapes& shapes : kShapes) {
    SCOPED_TRACE(shapes.name);
    Groups wide(shapes.x, shapes.w, 0x1p-6f, shapes.is_left);
    Groups narrow(shapes.x, shapes.w, 0x1p-6f, shapes.is_left);
    wide.Narrow(ForAllLayers(ElementType::f32));
    EXPECT_EQ(wide.Kinds(), "matmul");
    const program::WeightsReport report = narrow.Narrow({});
    ASSERT_EQ(report.layers.size(), 1u);
    EXPECT_EQ(report.layers[0].type, ElementType::f16);
    EXPECT_EQ(narrow.Kinds().find("matmul"), std::string::npos) << narrow.Kinds();
    EXPECT_EQ(narrow.Answers(), wide.Answers());
  }
}

TEST(ConstantProducts, RoundAsDenseLayersDo) {
  for (const Shapes& shapes : kShapes) {
    for (const char* type : {"f16", "bf16", "i8", "i8x8", "i4:32"}) {
      SCOPED_TRACE(std::string(shapes.name) + " as " + type);
      Groups wide(shapes.x, shapes.w, 0.01f, shapes.is_left);
      Groups narrow(shapes.x, shapes.w, 0.01f, shapes.is_left);
      const program::WeightsReport report =
          narrow.Narrow(ForAllLayers(*program::PrecisionOf(type)));
      ASSERT_EQ(report.layers.size(), 1u);
      const program::LayerWeights& row = report.layers[0];
      EXPECT_EQ(row.layer, "groups");
      EXPECT_EQ(row.bytes_before, ElementCount(shapes.w).value() * 4);
      EXPECT_LT(row.bytes, row.bytes_before);
      EXPECT_GT(row.signal_to_noise_db, type[1] == '4' ? 15 : 40);
      EXPECT_EQ(row.f32_because, "");
      const std::vector<float> must = wide.Answers()[0], is = narrow.Answers()[0];
      double signal = 0, noise = 0;
      for (size_t i = 0; i < must.size(); ++i) {
        signal += double{must[i]} * must[i];
        noise += (double{is[i]} - must[i]) * (double{is[i]} - must[i]);
      }
      EXPECT_GT(noise, 0);
      EXPECT_LT(noise, signal * (type[1] == '4' ? 0.03 : 1e-4));
    }
  }
}

TEST(ConstantProducts, AreOneDenseStepForEachMatrix) {
  Groups groups({1, 1, 8, 1, 32}, {8, 32, 64});
  const program::WeightsReport report = groups.Narrow(ForAllLayers(ElementType::f16));
  EXPECT_EQ(groups.Kinds(), "dense dense dense dense dense dense dense dense");
  ASSERT_EQ(report.types.size(), 1u);
  EXPECT_EQ(report.types[0].bytes, 8 * 32 * 64 * 2);
  Groups integers({1, 1, 8, 1, 32}, {8, 32, 64});
  EXPECT_EQ(integers.Narrow(ForAllLayers(ElementType::i8)).types[0].bytes, 8 * 64 * (32 + 4));
}

// Weights that are compressed in the file: no request, no rounding.
TEST(ConstantProducts, KeepIntegers) {
  Groups groups({2, 3, 32}, {2, 32, 32}, 0.01f, false, true);
  const program::WeightsReport report = groups.Narrow({});
  EXPECT_EQ(groups.Kinds(), "dense_i8 dense_i8");
  ASSERT_EQ(report.types.size(), 1u);
  EXPECT_FALSE(report.types[0].is_rounded);
  EXPECT_EQ(report.types[0].bytes, 2 * (32 * 32 + 32 * 4));
}

// Two products by one constant share its matrices.
TEST(ConstantProducts, ShareWeights) {
  Groups groups({2, 32, 32}, {2, 32, 32});
  groups.Multiply("again");
  EXPECT_EQ(groups.Narrow(ForAllLayers(ElementType::f16)).types[0].bytes, 2 * 32 * 32 * 2);
  EXPECT_EQ(groups.Kinds(), "dense dense dense dense");
}

std::string Because(Groups& groups, const Precisions& precisions) {
  const program::WeightsReport report = groups.Narrow(precisions);
  EXPECT_EQ(groups.Kinds().find("dense"), std::string::npos);
  return report.layers.empty() ? "not listed" : report.layers[0].f32_because;
}

TEST(ConstantProducts, SayWhyTheyStayFloats) {
  Groups wide({4, 5, 20}, {4, 20, 30});
  EXPECT_EQ(Because(wide, ForAllLayers(ElementType::f32)), "f32 is requested");
  Groups by_default({4, 5, 20}, {4, 20, 30});
  EXPECT_EQ(Because(by_default, {}), "no type is requested that rounds them");
  // Panels have 16 outputs, so 4 outputs waste space.
  Groups few({4, 5, 128}, {4, 128, 4});
  EXPECT_EQ(Because(few, ForAllLayers(ElementType::f16)),
            "as f16 they and their steps would need 16864 bytes");
  Groups too_few({4, 5, 128}, {4, 128, 4});
  EXPECT_EQ(
      Because(too_few, ForAllLayers(ElementType::i8)),
      "i8 needs a product of 16 inputs and 16 outputs or more, or a depthwise convolution of 3 "
      "taps or more");
  Groups twice({2, 32, 32}, {2, 32, 32});
  twice.Multiply("other", true);
  EXPECT_EQ(Because(twice, ForAllLayers(ElementType::f16)),
            "steps read them as different matrices");
  Groups read({2, 32, 32}, {2, 32, 32});
  read.program.outputs.push_back({read.w, {"w"}, program::kNone, 0});
  EXPECT_EQ(Because(read, ForAllLayers(ElementType::f16)), "another step also reads them");
}

TEST(ConstantProducts, CanBeNamed) {
  const auto fault = [](const Dims& x, const Dims& w, const char* layer, const char* type) {
    Groups groups(x, w);
    Faults faults;
    program::NarrowWeights(groups.program,
                           {*program::PrecisionOf("f16"), {{layer, *program::PrecisionOf(type)}}},
                           faults);
    return faults.ok() ? groups.Kinds() : faults.lines().front();
  };
  EXPECT_EQ(fault({2, 5, 20}, {2, 20, 30}, "groups", "f32"), "matmul");
  EXPECT_EQ(fault({2, 5, 20}, {2, 20, 30}, "groups", "i8"), "dense_i8 dense_i8");
  EXPECT_EQ(
      fault({2, 5, 128}, {2, 128, 4}, "groups", "bf16"),
      "--precision: names layer \"groups\" for bf16, but its weights stay f32: as bf16 they and "
      "their steps would need 8352 bytes; must name f32");
  EXPECT_PRED2(Contains, fault({2, 5, 20}, {2, 20, 30}, "other", "f16"),
               "names layer \"other\", which has no constant weights");
}

}  // namespace
}  // namespace weft
