// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/dense_i8.h"

#include "kernels/simd/denormals.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

struct Integers {
  std::vector<int8_t> packed;
  std::vector<float> scales;
};

// Some weights are at the limits of their range.
Integers IntegersOf(Random* random, uint32_t outputs, uint32_t inputs) {
  std::vector<int8_t> rows(size_t{outputs} * inputs);
  for (int8_t& weight : rows) {
    const auto any = static_cast<int32_t>(random->Below(255)) - 127;
    weight = static_cast<int8_t>(random->Below(4) == 0 ? (any < 0 ? -127 : 127) : any);
  }
  Integers integers;
  integers.packed.resize(PackedDenseI8Bytes(outputs, inputs));
  PackDenseI8(rows.data(), outputs, inputs, integers.packed.data());
  integers.scales = random->Floats(PanelCount(outputs) * kPanelOutputs, 1);
  return integers;
}

std::vector<float> RunOf(const DenseI8Shape& shape, const std::vector<float>& x,
                         const Integers& weights, const float* start, size_t misalignment = 0) {
  const Array<float> placed(x, misalignment), scales(weights.scales, misalignment);
  const Array<int8_t> packed(weights.packed, 4);
  const auto shorts = static_cast<size_t>(DenseI8ScratchShorts(shape.rows, shape.inputs));
  Array<int16_t> scratch(shorts, 2);
  return OnEveryTarget<float>(size_t{shape.rows} * shape.y_row_stride, misalignment, [&](float* y) {
    DenseI8(shape, placed.data(), packed.data(), scales.data(), start, y, scratch.data());
  });
}

void ExpectReferences(const DenseI8Shape& shape, const std::vector<float>& x,
                      const Integers& weights, const float* start, size_t misalignment = 0) {
  const std::vector<float> y = RunOf(shape, x, weights, start, misalignment);
  std::vector<float> must = Unwritten(y.size());
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t output = 0; output < shape.outputs; ++output) {
      must[row * shape.y_row_stride + output] = DenseI8Reference(
          shape, x.data(), weights.packed.data(), weights.scales.data(), start, row, output);
    }
  }
  ExpectSame(y, must);
}

DenseI8Shape PlainShape(uint32_t rows, uint32_t inputs, uint32_t outputs) {
  DenseI8Shape shape;
  shape.rows = rows;
  shape.inputs = inputs;
  shape.outputs = outputs;
  shape.x_row_stride = inputs + 1;
  shape.y_row_stride = outputs + 2;
  shape.max = MaxFor(inputs);
  return shape;
}

TEST(DenseI8, MatchesItsReferenceForEveryExtent) {
  Random random(1);
  for (uint32_t i = 0; i < 400; ++i) {
    DenseI8Shape shape = PlainShape(random.Below(11), random.Below(i % 8 == 0 ? 700 : 50),
                                    random.Below(i % 4 == 0 ? 70 : 20));
    if (i % 3 == 0) shape.max = kMinMax;
    const Integers weights = IntegersOf(&random, shape.outputs, shape.inputs);
    std::vector<float> x = random.Floats(size_t{shape.rows} * shape.x_row_stride, 3);
    for (float& number : x) {
      if (random.Below(10) == 0) number = random.Below(2) == 0 ? 3.0f : -3.0f;
    }
    const std::vector<float> bias = random.Floats(shape.outputs, 1);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectReferences(shape, x, weights, i % 5 == 0 ? nullptr : bias.data(),
                                             kMisalignments[i % 3]));
  }
}

// Panels of every width, alone and after others, with partial blocks and with more inputs than a
// board widens at the same time.
TEST(DenseI8, MatchesItsReferenceForEveryWidthOfTheLastPanel) {
  Random random(11);
  for (uint32_t outputs = 1; outputs <= 33; ++outputs) {
    for (const uint32_t inputs : {1u, 15u, 17u, 33u, 147u, 325u}) {
      DenseI8Shape shape = PlainShape(1 + outputs % 7, inputs, outputs);
      if (outputs % 2 == 0) shape.max = kMinMax;
      const Integers weights = IntegersOf(&random, outputs, inputs);
      const std::vector<float> x = random.Floats(size_t{shape.rows} * shape.x_row_stride, 3);
      const std::vector<float> bias = random.Floats(outputs, 1);
      SCOPED_TRACE(testing::Message() << outputs << "x" << inputs);
      ASSERT_NO_FATAL_FAILURE(
          ExpectReferences(shape, x, weights, inputs % 3 == 0 ? nullptr : bias.data()));
    }
  }
}

// int8 rows, in tiles and single, with weights at both limits of their full range.
TEST(DenseI8, MatchesItsReferenceWithTheLeastMost) {
  Random random(6);
  for (uint32_t i = 0; i < 200; ++i) {
    DenseI8Shape shape = PlainShape(random.Below(11), random.Below(i % 8 == 0 ? 700 : 70),
                                    random.Below(i % 4 == 0 ? 70 : 20));
    shape.max = kMinMax;
    std::vector<int8_t> rows(size_t{shape.outputs} * shape.inputs);
    for (int8_t& weight : rows) weight = random.Below(3) == 0 ? int8_t{127} : int8_t{-128};
    Integers weights = {std::vector<int8_t>(PackedDenseI8Bytes(shape.outputs, shape.inputs)),
                        random.Floats(PanelCount(shape.outputs) * kPanelOutputs, 1)};
    PackDenseI8(rows.data(), shape.outputs, shape.inputs, weights.packed.data());
    std::vector<float> x = random.Floats(size_t{shape.rows} * shape.x_row_stride, 3);
    for (float& number : x) {
      if (random.Below(3) == 0) number = random.Below(4) == 0 ? 3.0f : -3.0f;
    }
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectReferences(shape, x, weights, nullptr, kMisalignments[i % 3]));
  }
}

// All products of a sum at their maximum magnitude, with both signs.
TEST(DenseI8, HoldsTheGreatestSums) {
  for (const uint32_t inputs : {1u, 512u, 513u, 4096u, 132'104u}) {  // the last with int8 rows
    const uint32_t outputs = inputs > 4096 ? 1 : 17;                 // boards have few megabytes
    for (const float sign : {1.0f, -1.0f}) {
      const DenseI8Shape shape = PlainShape(1, inputs, outputs);
      const std::vector<int8_t> rows(size_t{outputs} * inputs, 127);
      Integers weights = {std::vector<int8_t>(PackedDenseI8Bytes(outputs, inputs)),
                          std::vector<float>(32, 1.0f)};
      PackDenseI8(rows.data(), outputs, inputs, weights.packed.data());
      ExpectReferences(shape, std::vector<float>(inputs + 1, sign), weights, nullptr);
    }
  }
}

// Unscaled integers, including the minimum, and a sum that exceeds 32 bits.
TEST(DenseI8, TakesIntegersOf16Bits) {
  Random random(6);
  for (uint32_t i = 0; i < 200; ++i) {
    DenseI8Shape shape =
        PlainShape(random.Below(11), random.Below(i % 8 == 0 ? 1100 : 50), random.Below(40));
    shape.max = 0;
    const Integers weights = IntegersOf(&random, shape.outputs, shape.inputs);
    std::vector<int16_t> x(size_t{shape.rows} * shape.x_row_stride);
    for (int16_t& number : x) {
      number = static_cast<int16_t>(i % 8 == 0 ? 0x8000u : random.Below(0x10000));
    }
    const std::vector<float> bias = random.Floats(shape.outputs, 1);
    const float* const start = i % 5 == 0 ? nullptr : bias.data();
    const size_t misalignment = kMisalignments[i % 3];
    const Array<int16_t> placed(x, misalignment);
    const Array<int8_t> packed(weights.packed, 4);
    Array<int16_t> scratch(static_cast<size_t>(DenseI8ScratchShorts(shape.rows, shape.inputs)), 2);
    const std::vector<float> y =
        OnEveryTarget<float>(size_t{shape.rows} * shape.y_row_stride, misalignment, [&](float* to) {
          DenseI8(shape, placed.data(), packed.data(), weights.scales.data(), start, to,
                  scratch.data());
        });
    std::vector<float> must = Unwritten(y.size());
    for (size_t row = 0; row < shape.rows; ++row) {
      for (size_t output = 0; output < shape.outputs; ++output) {
        must[row * shape.y_row_stride + output] = DenseI8Reference(
            shape, x.data(), weights.packed.data(), weights.scales.data(), start, row, output);
      }
    }
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(y, must));
  }
}

TEST(DenseI8, RoundsHalvesToTheEvenInteger) {
  DenseI8Shape shape = PlainShape(1, 16, 16);
  shape.max = 128;  // 256 becomes 128, so that odd numbers are ties
  std::vector<float> x(17);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 7.0f;
  x[15] = 256.0f;
  Random random(2);
  ExpectReferences(shape, x, IntegersOf(&random, 16, 16), nullptr);
}

TEST(DenseI8, TakesRowsOfAnySizeByThemselves) {
  Random random(3);
  const DenseI8Shape shape = PlainShape(7, 19, 21);
  const Integers weights = IntegersOf(&random, 21, 19);
  const std::vector<float> bias = random.Floats(21, 1);
  std::vector<float> x = random.Floats(size_t{7} * 20, 2);
  const auto fill = [&](size_t row, float factor) {
    for (size_t i = 0; i < 19; ++i) x[row * 20 + i] *= factor;
  };
  fill(0, 0.0f);
  x[1 * 20 + 3] = kInfinity;
  x[2 * 20 + 18] = kNan;
  fill(3, 0x1p-103f);
  fill(4, 0x1p-99f);
  fill(5, 0x1p126f);
  const FlushDenormals flush;
  ExpectReferences(shape, x, weights, bias.data());
  const std::vector<float> y = RunOf(shape, x, weights, bias.data());
  for (size_t output = 0; output < 21; ++output) {
    EXPECT_EQ(y[output], bias[output]) << "zeros";
    EXPECT_TRUE(std::isnan(y[1 * 23 + output])) << "an infinity";
    EXPECT_TRUE(std::isnan(y[2 * 23 + output])) << "no number";
    EXPECT_EQ(y[3 * 23 + output], bias[output]) << "too small";
  }
}

TEST(DenseI8, AddsTheStartThatItWritesOver) {
  Random random(4);
  for (const uint32_t rows : {1u, 6u}) {
    DenseI8Shape shape = PlainShape(rows, 33, 40);
    shape.start_row_stride = shape.y_row_stride;
    const Integers weights = IntegersOf(&random, 40, 33);
    const std::vector<float> x = random.Floats(size_t{rows} * 34, 1);
    const std::vector<float> start = random.Floats(size_t{rows} * 42, 1);
    std::vector<int16_t> scratch(static_cast<size_t>(DenseI8ScratchShorts(rows, 33)));
    const std::vector<float> over = OnEveryTarget<float>(start.size(), 0, [&](float* y) {
      std::memcpy(y, start.data(), start.size() * sizeof(float));
      DenseI8(shape, x.data(), weights.packed.data(), weights.scales.data(), y, y, scratch.data());
    });
    const std::vector<float> apart = RunOf(shape, x, weights, start.data());
    for (size_t row = 0; row < rows; ++row) {
      for (size_t i = row * 42; i < row * 42 + 40; ++i) EXPECT_EQ(over[i], apart[i]);
    }
  }
}

TEST(DenseI8, EndsInItsActivation) {
  Random random(5);
  DenseI8Shape shape = PlainShape(5, 20, 18);
  shape.y_row_stride = 18;
  const Integers weights = IntegersOf(&random, 18, 20);
  const std::vector<float> x = random.Floats(size_t{5} * 21, 1);
  const std::vector<float> plain = RunOf(shape, x, weights, nullptr);
  shape.activation.op = UnaryOp::kRelu;
  std::vector<float> must = plain;
  for (float& number : must) number = number < 0 ? 0.0f : number;
  ExpectSame(RunOf(shape, x, weights, nullptr), must);
}

TEST(DenseI8, DoesNothingWithoutOutputs) {
  float y = 7;
  DenseI8Shape shape;
  shape.rows = 0xFFFFFFFFu;
  shape.inputs = 3;
  shape.max = kMinMax;
  DenseI8(shape, nullptr, nullptr, nullptr, nullptr, &y, nullptr);
  EXPECT_EQ(y, 7);
}

}  // namespace
}  // namespace weft::kernels
