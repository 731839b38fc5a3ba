// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense.h"

#include "kernels/elementwise/unary.h"
#include "kernels/reference/dense.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

struct DenseCase {
  DenseCase(uint32_t rows, uint32_t inputs, uint32_t outputs, size_t shift, Random* random)
      : shape{rows, inputs, outputs, inputs, outputs, outputs, {}},
        x(random->Floats(size_t{rows} * inputs, 2), shift),
        weights(random->Floats(PackedDenseFloats(outputs, inputs), 1), 0),
        start(random->Floats(size_t{rows} * outputs, 3), shift),
        misalignment(shift) {}

  std::vector<float> Run(bool has_start) const {
    const size_t count = size_t{shape.rows} * shape.y_row_stride;
    return OnEveryTarget<float>(count, misalignment, [&](float* y) {
      Dense(shape, x.data(), weights.data(), has_start ? start.data() : nullptr, y);
    });
  }

  void ExpectReference(const std::vector<float>& y, bool has_start) const {
    const float* from = has_start ? start.data() : nullptr;
    for (size_t r = 0; r < shape.rows; ++r) {
      for (size_t n = 0; n < shape.outputs; ++n) {
        const float is = y[r * shape.y_row_stride + n];
        const float must = DenseReference(shape, x.data(), weights.data(), from, r, n);
        ASSERT_TRUE(SameBits(is, must))
            << "row " << r << ", output " << n << ": " << is << ", " << must;
        double allowed;
        const double sum =
            DenseReferenceInDouble(shape, x.data(), weights.data(), from, r, n, &allowed);
        ASSERT_LE(std::fabs(is - sum), allowed);
      }
    }
  }

  DenseShape shape;
  Array<float> x;
  Array<float> weights;
  Array<float> start;
  size_t misalignment;
};

TEST(Dense, IsItsChainForEverySizeAndMisalignment) {
  Random random(1);
  for (uint32_t outputs = 0; outputs <= 2 * kWidestPanel + 1; ++outputs) {
    for (const uint32_t inputs : {0u, 1u, 2u, 15u, 16u, 17u, 33u}) {
      const size_t misalignment = kMisalignments[(outputs + inputs) % 3];
      const DenseCase one(1, inputs, outputs, misalignment, &random);
      one.ExpectReference(one.Run(true), true);
      one.ExpectReference(one.Run(false), false);
    }
  }
}

TEST(Dense, IsItsChainForEveryTileOfRowsAndPanels) {
  Random random(2);
  for (uint32_t rows = 0; rows <= 11; ++rows) {
    for (const uint32_t outputs : {1u, 16u, 31u, 48u, 63u, 64u, 65u, 127u, 129u, 200u}) {
      const DenseCase some(rows, 19, outputs, rows % 3, &random);
      some.ExpectReference(some.Run(true), true);
    }
  }
}

TEST(Dense, TakesStridesAndLeavesWhatLiesBetweenRows) {
  Random random(3);
  DenseCase some(7, 20, 37, 1, &random);
  some.shape.inputs = 9;
  some.shape.x_row_stride = 20;
  some.shape.y_row_stride = 41;
  some.shape.start_row_stride = 0;
  const std::vector<float> y = some.Run(true);
  some.ExpectReference(y, true);
  uint32_t untouched;
  std::memcpy(&untouched, &y[40], sizeof untouched);
  EXPECT_EQ(untouched, 0xA5A5A5A5u);
}

TEST(Dense, RepeatsOneRowOfInputsWithStrideZero) {
  Random random(4);
  DenseCase some(6, 12, 20, 0, &random);
  some.shape.x_row_stride = 0;
  some.ExpectReference(some.Run(true), true);
}

TEST(Dense, GivesTheSameBitsWhenTheSumIsSplitInTwoCalls) {
  Random random(5);
  const uint32_t inputs = 70;
  const uint32_t outputs = 50;
  const uint32_t split = 33;
  const std::vector<float> x = random.Floats(inputs, 2);
  const std::vector<float> weights = random.Floats(size_t{inputs} * outputs, 1);
  const std::vector<float> bias = random.Floats(outputs, 1);
  std::vector<float> whole(PackedDenseFloats(outputs, inputs));
  std::vector<float> first(PackedDenseFloats(outputs, split));
  std::vector<float> second(PackedDenseFloats(outputs, inputs - split));
  PackDense(weights.data(), inputs, 1, outputs, inputs, whole.data());
  PackDense(weights.data(), inputs, 1, outputs, split, first.data());
  PackDense(weights.data() + split, inputs, 1, outputs, inputs - split, second.data());
  const std::vector<float> at_once = OnEveryTarget<float>(outputs, 0, [&](float* y) {
    Dense({1, inputs, outputs, 0, 0, 0, {}}, x.data(), whole.data(), bias.data(), y);
  });
  const std::vector<float> in_two = OnEveryTarget<float>(outputs, 0, [&](float* y) {
    Dense({1, split, outputs, 0, 0, 0, {}}, x.data(), first.data(), bias.data(), y);
    Dense({1, inputs - split, outputs, 0, 0, 0, {}}, x.data() + split, second.data(), y, y);
  });
  ExpectSame(in_two, at_once);
}

TEST(Dense, EndsInItsActivation) {
  Random random(6);
  for (int op = 0; op < kUnaryOpCount; ++op) {
    DenseCase some(3, 8, 21, 1, &random);
    const std::vector<float> plain = some.Run(true);
    some.shape.activation = {0.5f, 1.25f, op % 2 == 0 ? 0.0f : 1.5f, static_cast<UnaryOp>(op)};
    const UnaryShape unary = {static_cast<uint32_t>(plain.size()), some.shape.activation,
                              Element::kF32};
    const std::vector<float> must =
        OnEveryTarget<float>(plain.size(), 0, [&](float* y) { Unary(unary, plain.data(), y); });
    ExpectSame(some.Run(true), must);
  }
}

TEST(Dense, HasTheSameBitsOnEveryProcessor) {
  Random random(8);
  Fingerprint fingerprint;
  for (const uint32_t rows : {1u, 2u, 3u, 5u, 25u}) {
    const DenseCase some(rows, 64, 100, 0, &random);
    fingerprint.Add(some.Run(true));
  }
  EXPECT_EQ(fingerprint.value(), 0xFEC84BF1C06D7E0Bu);
}

TEST(PackDense, ReadsEitherOrientationAndPadsWithZeros) {
  const uint32_t outputs = 19;
  const uint32_t inputs = 3;
  std::vector<float> weights(outputs * inputs);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i + 1);
  std::vector<float> packed(PackedDenseFloats(outputs, inputs), -1.0f);
  ASSERT_EQ(packed.size(), 2u * 16 * inputs);
  PackDense(weights.data(), inputs, 1, outputs, inputs, packed.data());
  for (size_t n = 0; n < 32; ++n) {
    for (size_t k = 0; k < inputs; ++k) {
      const float must = n < outputs ? weights[n * inputs + k] : 0.0f;
      EXPECT_EQ(PackedWeight(packed.data(), inputs, n, k), must);
    }
  }
  std::vector<float> transposed(packed.size(), -1.0f);
  PackDense(weights.data(), 1, outputs, outputs, inputs, transposed.data());
  EXPECT_EQ(PackedWeight(transposed.data(), inputs, 4, 2), weights[2 * outputs + 4]);
}

}  // namespace
}  // namespace weft::kernels
