// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/dense_i4.h"

#include "kernels/elementwise/convert.h"
#include "kernels/simd/denormals.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

struct Nibbles {
  std::vector<uint8_t> packed, zeros;
  std::vector<F16> half_scales;
  std::vector<float> scales;  // the same values
};

// Some weights and zero points are at the limits of their range.
Nibbles NibblesOf(Random* random, const DenseI4Shape& shape) {
  const auto any = [&] {
    return static_cast<uint8_t>(random->Below(4) == 0 ? random->Below(2) * 15 : random->Below(16));
  };
  std::vector<uint8_t> rows(size_t{shape.outputs} * shape.inputs);
  for (uint8_t& weight : rows) weight = any();
  Nibbles nibbles;
  nibbles.packed.resize(PackedDenseU4Bytes(shape.outputs, shape.inputs));
  PackDenseU4(rows.data(), shape.outputs, shape.inputs, nibbles.packed.data());
  const auto scales = static_cast<uint32_t>(PanelCount(shape.outputs) * kPanelOutputs *
                                            GroupCount(shape.inputs, shape.group_blocks));
  constexpr uint32_t kInfiniteHalf = 0x7C00;
  for (uint32_t i = 0; i < scales; ++i) {
    const uint32_t sign = random->Below(2) << 15;
    nibbles.half_scales.push_back({static_cast<uint16_t>(sign | random->Below(kInfiniteHalf))});
    nibbles.zeros.push_back(any());
  }
  nibbles.scales.resize(scales);
  Convert({scales, Element::kF16, Element::kF32}, nibbles.half_scales.data(),
          nibbles.scales.data());
  return nibbles;
}

struct Given {
  bool half_scales = false, zeros = false;
};

std::vector<float> RunOf(const DenseI4Shape& shape, const std::vector<float>& x,
                         const Nibbles& nibbles, const Given& given, const float* start,
                         size_t misalignment = 0) {
  const Array<float> placed(x, misalignment), scales(nibbles.scales, misalignment);
  const Array<F16> half_scales(nibbles.half_scales, misalignment);
  const Array<uint8_t> packed(nibbles.packed, 4), zeros(nibbles.zeros, 1);
  const auto shorts =
      static_cast<size_t>(DenseI4ScratchShorts(shape.rows, shape.inputs, shape.group_blocks));
  Array<int16_t> scratch(shorts, 2);
  DenseI4Weights weights;
  weights.numbers = packed.data();
  if (given.half_scales) {
    weights.half_scales = half_scales.data();
  } else {
    weights.scales = scales.data();
  }
  if (given.zeros) weights.zeros = zeros.data();
  return OnEveryTarget<float>(size_t{shape.rows} * shape.y_row_stride, misalignment, [&](float* y) {
    DenseI4(shape, placed.data(), weights, start, y, scratch.data());
  });
}

void ExpectReferences(const DenseI4Shape& shape, const std::vector<float>& x,
                      const Nibbles& nibbles, const Given& given, const float* start,
                      size_t misalignment = 0) {
  const std::vector<float> y = RunOf(shape, x, nibbles, given, start, misalignment);
  std::vector<float> must = Unwritten(y.size());
  const uint8_t* const zeros = given.zeros ? nibbles.zeros.data() : nullptr;
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t output = 0; output < shape.outputs; ++output) {
      must[row * shape.y_row_stride + output] = DenseI4Reference(
          shape, x.data(), nibbles.packed.data(), nibbles.scales.data(), zeros, start, row, output);
    }
  }
  ExpectSame(y, must);
}

DenseI4Shape ShapeOf(uint32_t rows, uint32_t inputs, uint32_t outputs, uint32_t group_blocks) {
  DenseI4Shape shape;
  shape.rows = rows;
  shape.inputs = inputs;
  shape.outputs = outputs;
  shape.x_row_stride = inputs + 1;
  shape.y_row_stride = outputs + 2;
  shape.group_blocks = group_blocks;
  shape.max = MaxForI4(inputs, group_blocks);
  return shape;
}

TEST(DenseI4, MatchesItsReferenceForEveryExtent) {
  Random random(1);
  for (uint32_t i = 0; i < 400; ++i) {
    DenseI4Shape shape = ShapeOf(random.Below(11), random.Below(i % 8 == 0 ? 700 : 80),
                                 random.Below(i % 4 == 0 ? 70 : 20), random.Below(6));
    if (i % 16 == 0) shape.group_blocks = 0xFFFFFFFF;
    if (i % 3 == 0) shape.max = kMinMax;
    const Nibbles nibbles = NibblesOf(&random, shape);
    std::vector<float> x = random.Floats(size_t{shape.rows} * shape.x_row_stride, 3);
    for (float& number : x) {
      if (random.Below(10) == 0) number = random.Below(2) == 0 ? 3.0f : -3.0f;
    }
    const std::vector<float> bias = random.Floats(shape.outputs, 1);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectReferences(shape, x, nibbles, {i % 2 == 0, i % 7 < 4},
                                             i % 5 == 0 ? nullptr : bias.data(),
                                             kMisalignments[i % 3]));
  }
}

// All products of a sum at their maximum magnitude, with both signs and on both sides of the zero
// point.
TEST(DenseI4, HoldsTheGreatestSums) {
  for (const uint32_t inputs : {1u, 128u, 129u, 4368u, 4370u, 9000u}) {
    for (const float sign : {1.0f, -1.0f}) {
      for (const uint8_t weight : {0, 15}) {
        const DenseI4Shape shape = ShapeOf(1, inputs, 17, 0);
        const std::vector<uint8_t> rows(size_t{17} * inputs, weight);
        Nibbles nibbles;
        nibbles.packed.resize(PackedDenseU4Bytes(17, inputs));
        PackDenseU4(rows.data(), 17, inputs, nibbles.packed.data());
        nibbles.scales.assign(32, 1.0f);
        nibbles.zeros.assign(32, static_cast<uint8_t>(15 - weight));
        ExpectReferences(shape, std::vector<float>(inputs + 1, sign), nibbles, {false, true},
                         nullptr);
      }
    }
  }
}

TEST(DenseI4, TakesRowsOfAnySizeByThemselves) {
  Random random(3);
  const DenseI4Shape shape = ShapeOf(7, 39, 21, 2);
  const Nibbles nibbles = NibblesOf(&random, shape);
  const std::vector<float> bias = random.Floats(21, 1);
  std::vector<float> x = random.Floats(size_t{7} * 40, 2);
  const auto fill = [&](size_t row, float factor) {
    for (size_t i = 0; i < 39; ++i) x[row * 40 + i] *= factor;
  };
  fill(0, 0.0f);
  x[1 * 40 + 3] = kInfinity;
  x[2 * 40 + 38] = kNan;
  fill(3, 0x1p-103f);
  fill(4, 0x1p-99f);
  fill(5, 0x1p110f);
  const FlushDenormals flush;
  ExpectReferences(shape, x, nibbles, {true, true}, bias.data());
  const std::vector<float> y = RunOf(shape, x, nibbles, {true, true}, bias.data());
  for (size_t output = 0; output < 21; ++output) {
    EXPECT_EQ(y[output], bias[output]) << "zeros";
    EXPECT_TRUE(std::isnan(y[1 * 23 + output])) << "an infinity";
    EXPECT_TRUE(std::isnan(y[2 * 23 + output])) << "no number";
    EXPECT_EQ(y[3 * 23 + output], bias[output]) << "too small";
  }
}

TEST(DenseI4, AddsTheStartThatItWritesOver) {
  Random random(4);
  for (const uint32_t rows : {1u, 6u}) {
    DenseI4Shape shape = ShapeOf(rows, 33, 40, 1);
    shape.start_row_stride = shape.y_row_stride;
    const Nibbles nibbles = NibblesOf(&random, shape);
    DenseI4Weights weights;
    weights.numbers = nibbles.packed.data();
    weights.half_scales = nibbles.half_scales.data();
    const std::vector<float> x = random.Floats(size_t{rows} * 34, 1);
    const std::vector<float> start = random.Floats(size_t{rows} * 42, 1);
    std::vector<int16_t> scratch(static_cast<size_t>(DenseI4ScratchShorts(rows, 33, 1)));
    const std::vector<float> over = OnEveryTarget<float>(start.size(), 0, [&](float* y) {
      std::memcpy(y, start.data(), start.size() * sizeof(float));
      DenseI4(shape, x.data(), weights, y, y, scratch.data());
    });
    const std::vector<float> apart = RunOf(shape, x, nibbles, {true, false}, start.data());
    for (size_t row = 0; row < rows; ++row) {
      for (size_t i = row * 42; i < row * 42 + 40; ++i) EXPECT_EQ(over[i], apart[i]);
    }
  }
}

TEST(DenseI4, EndsInItsActivation) {
  Random random(5);
  DenseI4Shape shape = ShapeOf(5, 20, 18, 1);
  shape.y_row_stride = 18;
  const Nibbles nibbles = NibblesOf(&random, shape);
  const std::vector<float> x = random.Floats(size_t{5} * 21, 1);
  const std::vector<float> plain = RunOf(shape, x, nibbles, {}, nullptr);
  shape.activation.op = UnaryOp::kRelu;
  std::vector<float> must = plain;
  for (float& number : must) number = number < 0 ? 0.0f : number;
  ExpectSame(RunOf(shape, x, nibbles, {}, nullptr), must);
}

TEST(DenseI4, DoesNothingWithoutOutputs) {
  float y = 7;
  DenseI4Shape shape;
  shape.rows = 0xFFFFFFFFu;
  shape.inputs = 3;
  shape.max = kMinMax;
  DenseI4(shape, nullptr, {}, nullptr, &y, nullptr);
  EXPECT_EQ(y, 7);
}

}  // namespace
}  // namespace weft::kernels
