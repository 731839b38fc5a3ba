// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/matmul.h"

#include <algorithm>

#include "kernels/reference/matmul.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

std::vector<float> RunMatmul(const MatmulShape& shape, const float* a, const float* b,
                             size_t misalignment) {
  const size_t count = CountOf(shape.batch_dims, shape.batch_rank) * shape.rows * shape.columns;
  return OnEveryTarget<float>(count, misalignment, [&](float* y) { Matmul(shape, a, b, y); });
}

// [m, k] x [k, n] with each operand stored row-major or transposed.
MatmulShape Plain(uint32_t m, uint32_t n, uint32_t k, bool transpose_a, bool transpose_b) {
  MatmulShape shape = {};
  shape.rows = m;
  shape.columns = n;
  shape.inner = k;
  shape.a_row_stride = transpose_a ? 1 : k;
  shape.a_inner_stride = transpose_a ? m : 1;
  shape.b_inner_stride = transpose_b ? 1 : n;
  shape.b_column_stride = transpose_b ? k : 1;
  return shape;
}

TEST(Matmul, IsItsChainForEverySizeAndTranspose) {
  Random random(1);
  for (const uint32_t m : {1u, 2u, 3u, 4u, 5u, 7u, 11u}) {
    for (const uint32_t k : {0u, 1u, 15u, 16u, 17u, 40u}) {
      for (uint32_t n = 0; n <= 2 * kWidestPanel + 1; n += 1 + n / 20 * 5) {
        const size_t misalignment = kMisalignments[(m + n + k) % 3];
        const Array<float> a(random.Floats(size_t{m} * k, 2), misalignment);
        const Array<float> b(random.Floats(size_t{k} * n, 2), misalignment);
        for (int transposes = 0; transposes < 4; ++transposes) {
          const MatmulShape shape = Plain(m, n, k, (transposes & 1) != 0, (transposes & 2) != 0);
          std::vector<float> must(size_t{m} * n);
          MatmulReference(shape, a.data(), b.data(), must.data());
          ASSERT_NO_FATAL_FAILURE(
              ExpectSame(RunMatmul(shape, a.data(), b.data(), misalignment), must));
        }
      }
    }
  }
}

TEST(Matmul, IsItsChainForManyColumns) {
  Random random(2);
  for (const uint32_t n : {63u, 64u, 65u, 80u, 129u, 150u}) {
    for (const uint32_t k : {20u, 64u, 66u, 131u}) {
      const std::vector<float> a = random.Floats(7 * k, 2);
      const std::vector<float> b = random.Floats(k * n, 2);
      for (const bool transpose : {false, true}) {
        const MatmulShape shape = Plain(7, n, k, false, transpose);
        std::vector<float> must(7 * n);
        MatmulReference(shape, a.data(), b.data(), must.data());
        ASSERT_NO_FATAL_FAILURE(ExpectSame(RunMatmul(shape, a.data(), b.data(), 0), must));
      }
    }
  }
}

TEST(Matmul, BroadcastsAlongTheBatch) {
  Random random(3);
  MatmulShape shape = Plain(3, 18, 5, false, true);
  shape.batch_rank = 2;
  shape.batch_dims[0] = 2;
  shape.batch_dims[1] = 3;
  shape.a_batch_strides[0] = 45;
  shape.a_batch_strides[1] = 15;
  shape.b_batch_strides[1] = 90;  // stride 0 along the first axis
  const std::vector<float> a = random.Floats(90, 2);
  const std::vector<float> b = random.Floats(270, 2);
  std::vector<float> must(6 * 54);
  MatmulReference(shape, a.data(), b.data(), must.data());
  ExpectSame(RunMatmul(shape, a.data(), b.data(), 1), must);
}

template <typename T>
void ExpectIntegerProducts() {
  Random random(5);
  for (const uint32_t k : {0u, 1u, 2u, 19u}) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      MatmulShape shape = Plain(3, 18, k, (transposes & 1) != 0, (transposes & 2) != 0);
      shape.batch_rank = 2;
      const uint32_t dims[] = {2, 3}, a_strides[] = {3 * k, 0}, b_strides[] = {0, 18 * k};
      std::copy_n(dims, 2, shape.batch_dims);
      std::copy_n(a_strides, 2, shape.a_batch_strides);
      std::copy_n(b_strides, 2, shape.b_batch_strides);
      std::vector<T> a(2 * 3 * k), b(3 * 18 * k), y(6 * 3 * 18), must(y.size());
      for (T& x : a) x = static_cast<T>(random.Next());  // sums wrap around
      for (T& x : b) x = static_cast<T>(random.Next());
      Matmul(shape, a.data(), b.data(), y.data());
      MatmulReference(shape, a.data(), b.data(), must.data());
      ASSERT_EQ(y, must) << k << " " << transposes;
    }
  }
}

TEST(Matmul, WrapsIntegersAround) {
  ExpectIntegerProducts<int32_t>();
  ExpectIntegerProducts<int64_t>();
}

// Any int16, also -32768, whose square doubled is 2^31.
TEST(Matmul, SumsProductsOfShortsInWords) {
  Random random(6);
  const auto short_at = [&] {
    const auto bits = static_cast<int16_t>(random.Next());
    return random.Below(3) == 0 ? int16_t{-32768} : bits;
  };
  for (const uint32_t rows : {1u, 2u, 3u, 4u, 9u}) {
    for (const uint32_t columns : {0u, 1u, 2u, 4u, 7u, 15u, 32u, 33u, 70u}) {
      for (const uint32_t k : {0u, 1u, 2u, 7u, 32u, 97u, 131u}) {
        std::vector<int16_t> a(size_t{2} * rows * k), b(size_t{k} * columns);
        for (int16_t& x : a) x = short_at();
        for (int16_t& x : b) x = short_at();
        for (int transposes = 0; transposes < 4; ++transposes) {
          MatmulShape shape = Plain(rows, columns, k, (transposes & 1) != 0, (transposes & 2) != 0);
          shape.batch_rank = 1;
          shape.batch_dims[0] = 2;
          shape.a_batch_strides[0] = rows * k;
          const std::vector<int32_t> wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end());
          std::vector<int32_t> must(size_t{2} * rows * columns);
          MatmulReference(shape, wide_a.data(), wide_b.data(), must.data());
          const std::vector<int32_t> y = OnEveryTarget<int32_t>(
              must.size(), 0, [&](int32_t* sums) { Matmul(shape, a.data(), b.data(), sums); });
          ASSERT_EQ(y, must) << rows << ' ' << columns << ' ' << k << ' ' << transposes;
        }
      }
    }
  }
}

TEST(Matmul, IsExactWhereFloatsAreNot) {
  const int32_t a[] = {16777217, 1}, b[] = {1, 2};
  int32_t y = 0;
  Matmul(Plain(1, 1, 2, false, false), a, b, &y);
  EXPECT_EQ(y, 16777219);
}

TEST(Matmul, HasTheSameBitsOnEveryProcessor) {
  Random random(4);
  const std::vector<float> a = random.Floats(20 * 50, 2);
  const std::vector<float> b = random.Floats(50 * 70, 2);
  Fingerprint fingerprint;
  for (const bool transpose : {false, true}) {
    fingerprint.Add(RunMatmul(Plain(20, 70, 50, false, transpose), a.data(), b.data(), 0));
  }
  EXPECT_EQ(fingerprint.value(), 0xD356A7F53F03B2D3u);
}

}  // namespace
}  // namespace weft::kernels
