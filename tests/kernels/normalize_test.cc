// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/normalize.h"

#include "kernels/reference/normalize.h"
#include "kernels/simd/sum.h"
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

void ExpectReference(const NormalizeShape& shape, const std::vector<float>& x,
                     size_t misalignment) {
  const size_t plane = size_t{shape.axis} * shape.inner;
  const std::vector<float> y = RunNormalize(shape, x, misalignment);
  std::vector<double> must(shape.axis);
  for (size_t line = 0; plane != 0 && line < shape.outer * shape.inner; ++line) {
    const size_t begin = line / shape.inner * plane + line % shape.inner;
    NormalizeReference(shape, x.data() + begin, shape.inner, must.data());
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

// Every op over [outer, axis, inner] of values around `offset`.
void ExpectReferences(uint32_t outer, uint32_t axis, uint32_t inner, size_t misalignment,
                      Random* random, float offset = 0) {
  std::vector<float> x = random->Floats(size_t{outer} * axis * inner, 4);
  for (float& value : x) value += offset;
  for (const NormalizeOp op : EveryOp()) {
    SCOPED_TRACE(static_cast<int>(op));
    ExpectReference({outer, axis, inner, 0.25f, op}, x, misalignment);
  }
}

TEST(Normalize, MatchesItsReferenceForEverySizeAndMisalignmentInPlaceOrNot) {
  Random random(1);
  for (uint32_t size = 0; size <= 2 * kWidestPanel + 1; ++size) {
    for (const size_t misalignment : kMisalignments) {
      ExpectReferences(2, size, 1, misalignment, &random);
      ExpectReferences(2, 3, size, misalignment, &random);
    }
  }
}

TEST(Normalize, MatchesItsReferenceOnLongLines) {
  Random random(2);
  ExpectReferences(3, 1000, 1, 0, &random);
  ExpectReferences(1, 16 * kSumBlock + 21, 1, 0, &random);
  ExpectReferences(1, 2 * kSumBlock + 3, 3, 0, &random);
  // A term has four elements per lane.
  for (const uint32_t rows : {kSumBlock, 4 * kSumBlock, 8 * kSumBlock + 7}) {
    ExpectReferences(1, 16 * rows + 3, 1, 0, &random);
    ExpectReferences(1, rows, 5, 0, &random);
  }
  ExpectReferences(1, 4 * kSumBlock * kSumBlock + 9, 2, 0, &random);
}

TEST(Normalize, MatchesItsReferenceFarFromZero) {
  Random random(3);
  for (const float offset : {1000.0f, -30000.0f, 300000.0f}) {
    ExpectReferences(1, 77, 1, 0, &random, offset);
    ExpectReferences(1, 40, 17, 0, &random, offset);
    ExpectReferences(1, 4099, 1, 0, &random, offset);
    ExpectReferences(1, 300, 3, 0, &random, offset);
  }
}

// Later elements differ strongly from the first ones, from which the centre is computed.
TEST(Normalize, MatchesItsReferenceWhereTheMeanMovesAlongTheLine) {
  Random random(5);
  for (const size_t moves_at : {1, 3, 4, 16, 64, 128, 1024, 4000}) {
    SCOPED_TRACE(moves_at);
    for (const float offset : {100.0f, -10000.0f}) {
      std::vector<float> head = random.Floats(4099, 1), tail = head;
      for (size_t i = 0; i < moves_at; ++i) head[i] += offset;
      for (size_t i = moves_at; i < tail.size(); ++i) tail[i] += offset;
      for (const NormalizeOp op : EveryOp()) {
        ExpectReference({1, 4099, 1, 1e-5f, op}, head, 0);
        ExpectReference({1, 1366, 3, 1e-5f, op}, {head.begin(), head.begin() + 4098}, 0);
        ExpectReference({1, 4099, 1, 1e-5f, op}, tail, 0);
      }
    }
  }
  std::vector<float> ramp(4099);
  for (size_t i = 0; i < ramp.size(); ++i) ramp[i] = 1000.0f + static_cast<float>(i);
  for (const NormalizeOp op : EveryOp()) ExpectReference({1, 4099, 1, 1e-5f, op}, ramp, 0);
}

TEST(Normalize, GivesZeroOnAConstantLine) {
  for (const float value : {5.0f, 0.1f, -1e20f}) {
    for (const NormalizeOp op : {NormalizeOp::kStandardInside, NormalizeOp::kStandardOutside}) {
      for (const uint32_t size : {1, 2, 7, 15, 16, 17, 31, 77, 4099}) {
        for (const uint32_t inner : {1, 3}) {
          const std::vector<float> x(size_t{size} * inner, value);
          for (const float y : RunNormalize({1, size, inner, 1e-9f, op}, x)) {
            ASSERT_EQ(y, 0.0f) << value << ", " << size << " elements, inner " << inner;
          }
        }
      }
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
  EXPECT_EQ(fingerprint.value(), 0xEF81641208AB2EABu);
}

}  // namespace
}  // namespace weft::kernels
