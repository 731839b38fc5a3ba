// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/softmax.h"

#include <limits>

#include "kernels/reference/softmax.h"
#include "kernels/simd/sum.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

std::vector<float> RunSoftmax(const SoftmaxShape& shape, const std::vector<float>& values,
                              size_t misalignment = 0) {
  const Array<float> x(values, misalignment);
  return OnEveryTarget<float>(values.size(), misalignment,
                              [&](float* y) { Softmax(shape, x.data(), y); });
}

void ExpectReference(SoftmaxShape shape, size_t misalignment, Random* random) {
  const size_t plane = size_t{shape.axis} * shape.inner;
  const std::vector<float> x = random->Floats(shape.outer * plane, 10);
  for (shape.logarithm = 0; shape.logarithm < 2; ++shape.logarithm) {
    const std::vector<float> y = RunSoftmax(shape, x, misalignment);
    const Tolerance tolerance = shape.logarithm != 0 ? kLogSoftmaxTolerance : kSoftmaxTolerance;
    std::vector<double> must(shape.axis);
    for (size_t line = 0; plane != 0 && line < shape.outer * shape.inner; ++line) {
      const size_t begin = line / shape.inner * plane + line % shape.inner;
      SoftmaxReference(shape, x.data() + begin, shape.inner, must.data());
      for (size_t k = 0; k < shape.axis; ++k) {
        const size_t i = begin + k * shape.inner;
        ASSERT_TRUE(IsClose(y[i], must[k], tolerance)) << i << ": " << y[i] << ", " << must[k];
      }
    }
    ExpectSame(OnEveryTarget<float>(x.size(), misalignment,
                                    [&](float* out) {
                                      std::copy(x.begin(), x.end(), out);
                                      Softmax(shape, out, out);
                                    }),
               y);
  }
}

TEST(Softmax, MatchesItsReferenceForEverySizeAndMisalignmentInPlaceOrNot) {
  Random random(1);
  for (uint32_t size = 0; size <= 2 * kWidestPanel + 1; ++size) {
    for (const size_t misalignment : kMisalignments) {
      ExpectReference({2, size, 1, 0}, misalignment, &random);
      ExpectReference({2, 3, size, 0}, misalignment, &random);
    }
  }
  ExpectReference({3, 1000, 1, 0}, 0, &random);
  ExpectReference({1, 16 * kSumBlock + 21, 1, 0}, 0, &random);
  ExpectReference({1, 2 * kSumBlock + 3, 3, 0}, 0, &random);
}

TEST(Softmax, SurvivesLargeAndMaskedInputs) {
  const float minus_infinity = -std::numeric_limits<float>::infinity();
  const std::vector<float> y = RunSoftmax({1, 4, 1, 0}, {1e30f, -1e30f, 1e30f, minus_infinity});
  ExpectSame(y, {0.5f, 0, 0.5f, 0});
}

TEST(Softmax, MakesARowWithANanAllNan) {
  std::vector<float> x(40, 1.0f);
  x[7] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> y = RunSoftmax({2, 20, 1, 0}, x);
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ(std::isnan(y[i]), i < 20) << i;
}

// Bit-identical to the full row with -inf after the diagonal, for any values after the diagonal.
TEST(Softmax, OfACausalBlockEndsAtTheDiagonal) {
  const float minus_infinity = -std::numeric_limits<float>::infinity();
  Random random(3);
  std::vector<uint32_t> sizes = {100, 2 * kSumBlock + 3};
  for (uint32_t size = 0; size <= 2 * kWidestPanel + 1; ++size) sizes.push_back(size);
  for (const uint32_t size : sizes) {
    const uint32_t outer = size > 100 ? 3 : 2 * size + size / 2;
    std::vector<float> x = random.Floats(size_t{outer} * size, 10);
    std::vector<float> masked = x;
    for (size_t i = 0; i < x.size(); ++i) {
      const bool is_after = i % size > i / size % size;
      if (is_after) masked[i] = minus_infinity;
      if (is_after && i % 2 == 0) x[i] = std::numeric_limits<float>::quiet_NaN();
    }
    const SoftmaxShape causal = {outer, size, 1, 0, 1};
    for (const size_t misalignment : kMisalignments) {
      const std::vector<float> y = RunSoftmax(causal, x, misalignment);
      ExpectSame(y, RunSoftmax({outer, size, 1, 0}, masked, misalignment));
      ExpectSame(OnEveryTarget<float>(x.size(), misalignment,
                                      [&](float* out) {
                                        std::copy(x.begin(), x.end(), out);
                                        Softmax(causal, out, out);
                                      }),
                 y);
    }
  }
}

TEST(Softmax, HasTheSameBitsOnEveryProcessor) {
  Random random(2);
  const std::vector<float> x = random.Floats(20 * 77, 10);
  Fingerprint fingerprint;
  for (const uint32_t logarithm : {0u, 1u}) {
    fingerprint.Add(RunSoftmax({20, 77, 1, logarithm}, x));
    fingerprint.Add(RunSoftmax({1, 20, 77, logarithm}, x));
  }
  EXPECT_EQ(fingerprint.value(), 0xFDC1C5E8E2924CC7u);
}

}  // namespace
}  // namespace weft::kernels
