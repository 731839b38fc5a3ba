// SPDX-License-Identifier: Apache-2.0
#include "kernels/normalize.h"

#include "kernels/normalize_ref.h"
#include "kernels/sum.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

std::vector<float> RunNormalize(const NormalizeShape& shape, const std::vector<float>& values,
                                size_t misalignment = 0) {
  const Array<float> x(values, misalignment);
  return OnEveryTarget<float>(values.size(), misalignment,
                              [&](float* y) { Normalize(shape, x.data(), y); });
}

std::vector<NormalizeOp> EveryOp() {
  std::vector<NormalizeOp> ops;
  for (uint8_t op = 0; op < kNormalizeOpCount; ++op) ops.push_back(static_cast<NormalizeOp>(op));
  return ops;
}

void ExpectTwin(const NormalizeShape& shape, const std::vector<float>& x, size_t misalignment) {
  const size_t plane = size_t{shape.axis} * shape.inner;
  const std::vector<float> y = RunNormalize(shape, x, misalignment);
  std::vector<double> must(shape.axis);
  for (size_t line = 0; plane != 0 && line < shape.outer * shape.inner; ++line) {
    const size_t begin = line / shape.inner * plane + line % shape.inner;
    NormalizeTwin(shape, x.data() + begin, shape.inner, must.data());
    for (size_t k = 0; k < shape.axis; ++k) {
      const size_t i = begin + k * shape.inner;
      ASSERT_TRUE(IsClose(y[i], must[k], kNormalizeTolerance))
          << i << ": " << y[i] << ", " << must[k];
    }
  }
  ExpectSame(OnEveryTarget<float>(x.size(), misalignment,
                                  [&](float* out) {
                                    std::copy(x.begin(), x.end(), out);
                                    Normalize(shape, out, out);
                                  }),
             y);
}

// Every op over [outer, axis, inner] of numbers around `offset`.
void ExpectTwins(uint32_t outer, uint32_t axis, uint32_t inner, size_t misalignment, Random* random,
                 float offset = 0) {
  std::vector<float> x = random->Floats(size_t{outer} * axis * inner, 4);
  for (float& value : x) value += offset;
  for (const NormalizeOp op : EveryOp()) {
    SCOPED_TRACE(static_cast<int>(op));
    ExpectTwin({outer, axis, inner, 0.25f, op}, x, misalignment);
  }
}

TEST(Normalize, MeetsItsTwinForEverySizeAndMisalignmentInPlaceOrNot) {
  Random random(1);
  for (uint32_t size = 0; size <= 2 * kWidestPanel + 1; ++size) {
    for (const size_t misalignment : kMisalignments) {
      ExpectTwins(2, size, 1, misalignment, &random);
      ExpectTwins(2, 3, size, misalignment, &random);
    }
  }
}

TEST(Normalize, MeetsItsTwinOnLongLines) {
  Random random(2);
  ExpectTwins(3, 1000, 1, 0, &random);
  ExpectTwins(1, 16 * kSumBlock + 21, 1, 0, &random);
  ExpectTwins(1, 2 * kSumBlock + 3, 3, 0, &random);
}

TEST(Normalize, MeetsItsTwinFarFromZero) {
  Random random(3);
  for (const float offset : {1000.0f, -30000.0f, 300000.0f}) {
    ExpectTwins(1, 77, 1, 0, &random, offset);
    ExpectTwins(1, 40, 17, 0, &random, offset);
  }
}

TEST(Normalize, GivesZeroOnAConstantLine) {
  for (const float value : {5.0f, 0.1f, -1e20f}) {
    for (const NormalizeOp op : {NormalizeOp::kStandardInside, NormalizeOp::kStandardOutside}) {
      for (const float y : RunNormalize({1, 7, 1, 1e-9f, op}, std::vector<float>(7, value)))
        EXPECT_EQ(y, 0.0f) << value;
    }
  }
}

TEST(Normalize, KeepsApartWhatEpsilonMeans) {
  const std::vector<float> x = {3, 4};
  ExpectSame(RunNormalize({1, 2, 1, 11, NormalizeOp::kL2Add}, x), {0.5f, 4.0f / 6});
  ExpectSame(RunNormalize({1, 2, 1, 36, NormalizeOp::kL2Max}, x), {0.5f, 4.0f / 6});
  ExpectSame(RunNormalize({1, 2, 1, 16, NormalizeOp::kL2Max}, x), {3 * 0.2f, 4 * 0.2f});
  ExpectSame(RunNormalize({1, 2, 1, 12, NormalizeOp::kCentre}, x), {-0.5f, 0.5f});
  ExpectSame(RunNormalize({1, 2, 1, 0.75f, NormalizeOp::kStandardInside}, x), {-0.5f, 0.5f});
  ExpectSame(RunNormalize({1, 2, 1, 0.5f, NormalizeOp::kStandardOutside}, x), {-0.5f, 0.5f});
  ExpectSame(RunNormalize({1, 2, 1, 3.5f, NormalizeOp::kRootMeanSquare}, x), {0.75f, 1.0f});
}

TEST(Normalize, SpoilsOnlyTheLineOfANan) {
  for (const NormalizeOp op : EveryOp()) {
    std::vector<float> x(40, 1.0f);
    x[7] = kNan;
    const std::vector<float> rows = RunNormalize({2, 20, 1, 1, op}, x);
    const std::vector<float> columns = RunNormalize({1, 2, 20, 1, op}, x);
    for (size_t i = 0; i < 40; ++i) {
      EXPECT_EQ(std::isnan(rows[i]), i < 20) << i;
      EXPECT_EQ(std::isnan(columns[i]), i % 20 == 7) << i;
    }
  }
}

TEST(Normalize, HasTheSameBitsOnEveryProcessor) {
  Random random(4);
  const std::vector<float> x = random.Floats(20 * 77, 10);
  Fingerprint fingerprint;
  for (const NormalizeOp op : EveryOp()) {
    fingerprint.Add(RunNormalize({20, 77, 1, 0.125f, op}, x));
    fingerprint.Add(RunNormalize({1, 20, 77, 0.125f, op}, x));
  }
  EXPECT_EQ(fingerprint.value(), 0x7937EB5772E3472Bu);
}

}  // namespace
}  // namespace weft::kernels
