// SPDX-License-Identifier: Apache-2.0
// Dense with weights of 8 bits and of 4 bits, compared with the reference kernels.
#include <algorithm>

#include "kernels/elementwise/convert.h"
#include "kernels/reference/dense_i4.h"
#include "kernels/reference/dense_i8.h"
#include "kernels/simd/float_mode.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

// Both kernels have this shape. Weights of 8 bits have no groups.
using Shape = DenseI4Shape;

template <class Weights>
Shape ShapeOf(uint32_t rows, uint32_t inputs, uint32_t outputs, uint32_t group_blocks = 0) {
  Shape shape;
  shape.rows = rows;
  shape.inputs = inputs;
  shape.outputs = outputs;
  shape.x_row_stride = inputs + 1;
  shape.y_row_stride = outputs + 2;
  shape.group_blocks = group_blocks;
  shape.max = Weights::MaxOf(shape);
  return shape;
}

size_t PaddedOutputs(const Shape& shape) { return PanelCount(shape.outputs) * kPanelOutputs; }

// Some weights are at the limits of their range.
class Weights8 {
 public:
  static constexpr float kLargeFactor = 0x1p126f;
  static uint32_t MaxOf(const Shape& shape) { return MaxFor(shape.inputs); }
  static void RunNothing(const Shape& shape, float* y) {
    DenseI8(shape, nullptr, nullptr, nullptr, nullptr, y, nullptr);
  }

  Weights8(Random* random, const Shape& shape, uint32_t /*variant*/ = 0, size_t misalignment = 0)
      : Weights8(RowsOf(random, shape), shape, misalignment) {
    SetScales(random, shape);
  }
  // All scales are 1.
  Weights8(const std::vector<int8_t>& rows, const Shape& shape, size_t misalignment = 0)
      : packed_(PackedDenseI8Bytes(shape.outputs, shape.inputs), 4),
        scales_(std::vector<float>(PaddedOutputs(shape), 1.0f), misalignment) {
    PackDenseI8(rows.data(), shape.outputs, shape.inputs, packed_.data());
  }

  void SetScales(Random* random, const Shape& shape) {
    std::ranges::copy(random->Floats(PaddedOutputs(shape), 1), scales_.data());
  }
  void Run(const Shape& shape, const void* x, const float* start, float* y) const {
    Array<int16_t> scratch(static_cast<size_t>(DenseI8ScratchShorts(shape.rows, shape.inputs)), 2);
    DenseI8(shape, x, packed_.data(), scales_.data(), start, y, scratch.data());
  }
  template <typename X>
  float Reference(const Shape& shape, const X* x, const float* start, size_t row,
                  size_t output) const {
    return DenseI8Reference(shape, x, packed_.data(), scales_.data(), start, row, output);
  }

 private:
  static std::vector<int8_t> RowsOf(Random* random, const Shape& shape) {
    std::vector<int8_t> rows(size_t{shape.outputs} * shape.inputs);
    for (int8_t& weight : rows) {
      const auto any = static_cast<int32_t>(random->Below(255)) - 127;
      weight = static_cast<int8_t>(random->Below(4) == 0 ? (any < 0 ? -127 : 127) : any);
    }
    return rows;
  }

  Array<int8_t> packed_;
  Array<float> scales_;
};

// Some weights and zero points are at the limits of their range. The variants have scales of f32 or
// f16, and zero points or none.
class Weights4 {
 public:
  static constexpr float kLargeFactor = 0x1p110f;
  static uint32_t MaxOf(const Shape& shape) { return MaxForI4(shape.inputs, shape.group_blocks); }
  static void RunNothing(const Shape& shape, float* y) {
    DenseI4(shape, nullptr, {}, nullptr, y, nullptr);
  }

  Weights4(Random* random, const Shape& shape, uint32_t variant = 0, size_t misalignment = 0)
      : Weights4(RowsOf(random, shape), 0, shape, misalignment) {
    has_halves_ = variant % 2 == 0;
    has_zeros_ = variant % 7 < 4;
    constexpr uint32_t kInfiniteHalf = 0x7C00;
    for (size_t i = 0; i < ScaleCount(shape); ++i) {
      const uint32_t sign = random->Below(2) << 15;
      halves_[i] = {static_cast<uint16_t>(sign | random->Below(kInfiniteHalf))};
      zeros_[i] = AnyNibble(random);
    }
    Convert({static_cast<uint32_t>(ScaleCount(shape)), Element::kF16, Element::kF32},
            halves_.data(), scales_.data());
  }
  // All scales are 1.
  Weights4(const std::vector<uint8_t>& rows, uint8_t zero, const Shape& shape,
           size_t misalignment = 0)
      : packed_(PackedDenseU4Bytes(shape.outputs, shape.inputs), 4),
        zeros_(std::vector<uint8_t>(ScaleCount(shape), zero), 1),
        halves_(ScaleCount(shape), misalignment),
        scales_(std::vector<float>(ScaleCount(shape), 1.0f), misalignment) {
    PackDenseU4(rows.data(), shape.outputs, shape.inputs, packed_.data());
  }

  void Run(const Shape& shape, const void* x, const float* start, float* y) const {
    Array<int16_t> scratch(
        static_cast<size_t>(DenseI4ScratchShorts(shape.rows, shape.inputs, shape.group_blocks)), 2);
    const DenseI4Weights weights = {packed_.data(), has_halves_ ? nullptr : scales_.data(),
                                    has_halves_ ? halves_.data() : nullptr, zeros()};
    DenseI4(shape, static_cast<const float*>(x), weights, start, y, scratch.data());
  }
  float Reference(const Shape& shape, const float* x, const float* start, size_t row,
                  size_t output) const {
    return DenseI4Reference(shape, x, packed_.data(), scales_.data(), zeros(), start, row, output);
  }

 private:
  static size_t ScaleCount(const Shape& shape) {
    return PaddedOutputs(shape) * GroupCount(shape.inputs, shape.group_blocks);
  }
  static uint8_t AnyNibble(Random* random) {
    return static_cast<uint8_t>(random->Below(4) == 0 ? random->Below(2) * 15 : random->Below(16));
  }
  static std::vector<uint8_t> RowsOf(Random* random, const Shape& shape) {
    std::vector<uint8_t> rows(size_t{shape.outputs} * shape.inputs);
    for (uint8_t& weight : rows) weight = AnyNibble(random);
    return rows;
  }
  const uint8_t* zeros() const { return has_zeros_ ? zeros_.data() : nullptr; }

  Array<uint8_t> packed_, zeros_;
  Array<F16> halves_;
  Array<float> scales_;  // the same values as the halves
  bool has_halves_ = false, has_zeros_ = true;
};

template <class Weights, typename X>
std::vector<float> RunOf(const Shape& shape, const std::vector<X>& x, const Weights& weights,
                         const float* start, size_t misalignment = 0) {
  const Array<X> placed(x, misalignment);
  return OnEveryTarget<float>(size_t{shape.rows} * shape.y_row_stride, misalignment,
                              [&](float* y) { weights.Run(shape, placed.data(), start, y); });
}

template <class Weights, typename X>
void ExpectReferences(const Shape& shape, const std::vector<X>& x, const Weights& weights,
                      const float* start, size_t misalignment = 0) {
  const std::vector<float> y = RunOf(shape, x, weights, start, misalignment);
  std::vector<float> must = Unwritten(y.size());
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t output = 0; output < shape.outputs; ++output) {
      must[row * shape.y_row_stride + output] =
          weights.Reference(shape, x.data(), start, row, output);
    }
  }
  ExpectSame(y, must);
}

// Rows of floats, one number in `every` of which is 3 or -3; one of these in `every_positive` is 3.
std::vector<float> RowsWithLimits(Random* random, const Shape& shape, uint32_t every = 10,
                                  uint32_t every_positive = 2) {
  std::vector<float> x = random->Floats(size_t{shape.rows} * shape.x_row_stride, 3);
  for (float& number : x) {
    if (random->Below(every) == 0) number = random->Below(every_positive) == 0 ? 3.0f : -3.0f;
  }
  return x;
}

template <class Weights>
class DenseIntegers : public testing::Test {};
using BothWeights = testing::Types<Weights8, Weights4>;
TYPED_TEST_SUITE(DenseIntegers, BothWeights);

TYPED_TEST(DenseIntegers, MatchesItsReferenceForEveryExtent) {
  Random random(1);
  for (uint32_t i = 0; i < 400; ++i) {
    const uint32_t rows = random.Below(11), inputs = random.Below(i % 8 == 0 ? 700 : 80);
    const uint32_t outputs = random.Below(i % 4 == 0 ? 70 : 20);
    Shape shape = ShapeOf<TypeParam>(rows, inputs, outputs, random.Below(6));
    if (i % 16 == 0) shape.group_blocks = 0xFFFFFFFF;
    if (i % 3 == 0) shape.max = kMinMax;
    const size_t misalignment = kMisalignments[i % 3];
    const TypeParam weights(&random, shape, i, misalignment);
    const std::vector<float> x = RowsWithLimits(&random, shape);
    const std::vector<float> bias = random.Floats(outputs, 1);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(
        ExpectReferences(shape, x, weights, i % 5 == 0 ? nullptr : bias.data(), misalignment));
  }
}

TYPED_TEST(DenseIntegers, TakesRowsOfAnySizeByThemselves) {
  Random random(3);
  const Shape shape = ShapeOf<TypeParam>(7, 39, 21, 2);
  const TypeParam weights(&random, shape);
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
  fill(5, TypeParam::kLargeFactor);
  const FloatMode flush;
  ExpectReferences(shape, x, weights, bias.data());
  const std::vector<float> y = RunOf(shape, x, weights, bias.data());
  for (size_t output = 0; output < 21; ++output) {
    EXPECT_EQ(y[output], bias[output]) << "zeros";
    EXPECT_TRUE(std::isnan(y[1 * 23 + output])) << "an infinity";
    EXPECT_TRUE(std::isnan(y[2 * 23 + output])) << "no number";
    EXPECT_EQ(y[3 * 23 + output], bias[output]) << "too small";
  }
}

TYPED_TEST(DenseIntegers, AddsTheStartThatItWritesOver) {
  Random random(4);
  for (const uint32_t rows : {1u, 6u}) {
    Shape shape = ShapeOf<TypeParam>(rows, 33, 40, 1);
    shape.start_row_stride = shape.y_row_stride;
    const TypeParam weights(&random, shape);
    const std::vector<float> x = random.Floats(size_t{rows} * 34, 1);
    const std::vector<float> start = random.Floats(size_t{rows} * 42, 1);
    const std::vector<float> over = OnEveryTarget<float>(start.size(), 0, [&](float* y) {
      std::memcpy(y, start.data(), start.size() * sizeof(float));
      weights.Run(shape, x.data(), y, y);
    });
    const std::vector<float> apart = RunOf(shape, x, weights, start.data());
    for (size_t row = 0; row < rows; ++row) {
      for (size_t i = row * 42; i < row * 42 + 40; ++i) EXPECT_EQ(over[i], apart[i]);
    }
  }
}

TYPED_TEST(DenseIntegers, EndsInItsActivation) {
  Random random(5);
  Shape shape = ShapeOf<TypeParam>(5, 20, 18, 1);
  shape.y_row_stride = 18;
  const TypeParam weights(&random, shape);
  const std::vector<float> x = random.Floats(size_t{5} * 21, 1);
  const std::vector<float> plain = RunOf(shape, x, weights, nullptr);
  shape.activation.op = UnaryOp::kRelu;
  std::vector<float> must = plain;
  for (float& number : must) number = number < 0 ? 0.0f : number;
  ExpectSame(RunOf(shape, x, weights, nullptr), must);
}

TYPED_TEST(DenseIntegers, DoesNothingWithoutOutputs) {
  float y = 7;
  Shape shape;
  shape.rows = 0xFFFFFFFFu;
  shape.inputs = 3;
  shape.max = kMinMax;
  TypeParam::RunNothing(shape, &y);
  EXPECT_EQ(y, 7);
}

// All products of a sum at their maximum magnitude, with both signs and on both sides of the zero
// point.
TEST(DenseI4, HoldsTheGreatestSums) {
  for (const uint32_t inputs : {1u, 128u, 129u, 4368u, 4370u, 9000u}) {
    for (const float sign : {1.0f, -1.0f}) {
      for (const uint8_t weight : {0, 15}) {
        const Shape shape = ShapeOf<Weights4>(1, inputs, 17);
        const std::vector<uint8_t> rows(size_t{17} * inputs, weight);
        const Weights4 weights(rows, static_cast<uint8_t>(15 - weight), shape);
        ExpectReferences(shape, std::vector<float>(inputs + 1, sign), weights, nullptr);
      }
    }
  }
}

// All products of a sum at their maximum magnitude, with both signs.
TEST(DenseI8, HoldsTheGreatestSums) {
  for (const uint32_t inputs : {1u, 512u, 513u, 4096u, 132'104u}) {  // the last with int8 rows
    const uint32_t outputs = inputs > 4096 ? 1 : 17;                 // boards have few megabytes
    for (const float sign : {1.0f, -1.0f}) {
      const Shape shape = ShapeOf<Weights8>(1, inputs, outputs);
      const Weights8 weights(std::vector<int8_t>(size_t{outputs} * inputs, 127), shape);
      ExpectReferences(shape, std::vector<float>(inputs + 1, sign), weights, nullptr);
    }
  }
}

// Panels of every width, alone and after others, with partial blocks and with more inputs than a
// board widens at the same time.
TEST(DenseI8, MatchesItsReferenceForEveryWidthOfTheLastPanel) {
  Random random(11);
  for (uint32_t outputs = 1; outputs <= 33; ++outputs) {
    for (const uint32_t inputs : {1u, 15u, 17u, 33u, 147u, 325u}) {
      Shape shape = ShapeOf<Weights8>(1 + outputs % 7, inputs, outputs);
      if (outputs % 2 == 0) shape.max = kMinMax;
      const Weights8 weights(&random, shape);
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
    const uint32_t rows = random.Below(11), inputs = random.Below(i % 8 == 0 ? 700 : 70);
    Shape shape = ShapeOf<Weights8>(rows, inputs, random.Below(i % 4 == 0 ? 70 : 20));
    shape.max = kMinMax;
    std::vector<int8_t> numbers(size_t{shape.outputs} * inputs);
    for (int8_t& weight : numbers) weight = random.Below(3) == 0 ? int8_t{127} : int8_t{-128};
    const std::vector<float> x = RowsWithLimits(&random, shape, 3, 4);
    SCOPED_TRACE(i);
    Weights8 weights(numbers, shape);
    weights.SetScales(&random, shape);
    ASSERT_NO_FATAL_FAILURE(ExpectReferences(shape, x, weights, nullptr, kMisalignments[i % 3]));
  }
}

// Many rows, which desktops compute in chunks, and around the numbers of inputs from which weights
// do not stay in memory or rows are computed in fours.
TEST(DenseI8, MatchesItsReferenceForManyRows) {
  Random random(12);
  constexpr uint32_t kInputs[] = {1, 16, 47, 64, 129, 288, 512, 529, 760, 1024, 1520, 1521};
  for (uint32_t i = 0; i < 36; ++i) {
    const uint32_t inputs = kInputs[i % 12], rows = 15 + random.Below(inputs < 100 ? 130 : 20);
    Shape shape = ShapeOf<Weights8>(rows, inputs, 1 + random.Below(inputs < 600 ? 80 : 34));
    if (i / 12 == 1) shape.max = kMinMax;
    if (i / 12 == 2) shape.max = 0;
    const Weights8 weights(&random, shape);
    const std::vector<float> bias = random.Floats(shape.outputs, 1);
    const float* const start = i % 5 == 0 ? nullptr : bias.data();
    SCOPED_TRACE(i);
    if (shape.max != 0) {
      std::vector<float> x = RowsWithLimits(&random, shape);
      x[2 * shape.x_row_stride] = kNan;
      std::fill_n(x.begin() + 3 * shape.x_row_stride, inputs, 0.0f);
      ASSERT_NO_FATAL_FAILURE(ExpectReferences(shape, x, weights, start, kMisalignments[i % 3]));
    } else {
      std::vector<int16_t> x(size_t{shape.rows} * shape.x_row_stride);
      for (int16_t& number : x) number = static_cast<int16_t>(random.Below(0x10000));
      x[0] = INT16_MIN;
      ASSERT_NO_FATAL_FAILURE(ExpectReferences(shape, x, weights, start, kMisalignments[i % 3]));
    }
  }
}

// Unscaled integers, including the minimum, and a sum that exceeds 32 bits.
TEST(DenseI8, TakesIntegersOf16Bits) {
  Random random(6);
  for (uint32_t i = 0; i < 200; ++i) {
    const uint32_t rows = random.Below(11), inputs = random.Below(i % 8 == 0 ? 1100 : 50);
    Shape shape = ShapeOf<Weights8>(rows, inputs, random.Below(40));
    shape.max = 0;
    const Weights8 weights(&random, shape);
    std::vector<int16_t> x(size_t{shape.rows} * shape.x_row_stride);
    for (int16_t& number : x) {
      number = static_cast<int16_t>(i % 8 == 0 ? 0x8000u : random.Below(0x10000));
    }
    const std::vector<float> bias = random.Floats(shape.outputs, 1);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectReferences(shape, x, weights, i % 5 == 0 ? nullptr : bias.data(),
                                             kMisalignments[i % 3]));
  }
}

TEST(DenseI8, RoundsHalvesToTheEvenInteger) {
  Shape shape = ShapeOf<Weights8>(1, 16, 16);
  shape.max = 128;  // 256 becomes 128, so that odd numbers are ties
  std::vector<float> x(17);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 7.0f;
  x[15] = 256.0f;
  Random random(2);
  ExpectReferences(shape, x, Weights8(&random, shape), nullptr);
}

}  // namespace
}  // namespace weft::kernels
