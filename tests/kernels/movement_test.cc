// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "kernels/reference/compact.h"
#include "kernels/reference/copy.h"
#include "kernels/reference/fill.h"
#include "kernels/reference/gather.h"
#include "kernels/reference/select.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

constexpr uint32_t kElementBytes[] = {1, 2, 4, 8};

std::vector<uint8_t> Bytes(size_t count, Random* random) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random->Below(256));
  return bytes;
}

// Compares Copy for an x and a y of the given sizes, in elements, with the reference kernel.
void ExpectCopy(CopyShape shape, size_t x_count, size_t y_count) {
  Random random(x_count * 31 + y_count);
  for (const uint32_t bytes : kElementBytes) {
    shape.element_bytes = bytes;
    const std::vector<uint8_t> x = Bytes(x_count * bytes, &random);
    std::vector<uint8_t> must(y_count * bytes, 0xA5);
    CopyReference(shape, x.data(), must.data());
    for (const size_t misalignment : kMisalignments) {
      const Array<uint8_t> from(x, misalignment * bytes);
      ExpectSame(OnEveryTarget<uint8_t>(y_count * bytes, misalignment * bytes,
                                        [&](uint8_t* y) { Copy(shape, from.data(), y); }),
                 must);
    }
  }
}

TEST(Copy, MovesRunsOfEverySize) {
  for (uint32_t count = 0; count <= 70; ++count) {
    ExpectCopy({1, {count}, {1}, {1}, 0, 0, 0}, count, count);
    ExpectCopy({2, {3, count}, {80, 1}, {90, 1}, 2, 5, 0}, 2 + 160 + count, 5 + 180 + count);
  }
}

TEST(Copy, ReversesBroadcastsAndSpreads) {
  ExpectCopy({1, {33}, {-1}, {1}, 32, 0, 0}, 33, 33);
  ExpectCopy({2, {4, 9}, {-9, -1}, {9, 1}, 35, 0, 0}, 36, 36);
  ExpectCopy({2, {5, 7}, {0, 1}, {7, 1}, 0, 0, 0}, 7, 35);
  ExpectCopy({2, {5, 7}, {1, 0}, {7, 1}, 0, 0, 0}, 5, 35);
  ExpectCopy({2, {5, 7}, {7, 1}, {21, 3}, 0, 2, 0}, 35, 107);
  ExpectCopy({2, {5, 7}, {7, 1}, {-7, -1}, 0, 34, 0}, 35, 35);
}

// Rows of x become columns of y; each row of both is followed by `apart` unused elements.
void ExpectTransposed(uint32_t rows, uint32_t columns, uint32_t apart) {
  const uint32_t x_row = columns + apart, y_row = rows + apart;
  const int32_t n = static_cast<int32_t>(x_row), m = static_cast<int32_t>(y_row);
  ExpectCopy({2, {columns, rows}, {1, n}, {m, 1}, 0, 0, 0}, size_t{rows} * x_row,
             size_t{columns} * y_row);
}

TEST(Copy, TransposesEveryPairOfSizes) {
  for (uint32_t rows = 0; rows <= 33; ++rows) {
    for (const uint32_t columns : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 15u, 16u, 17u, 32u, 33u}) {
      ExpectTransposed(rows, columns, (rows + columns) % 2);
    }
  }
}

TEST(Copy, PutsFewRowsBetweenOneAnotherAndApartAgain) {
  for (const uint32_t few : {2u, 3u, 4u}) {
    for (uint32_t many = 0; many <= 129; ++many) {
      ExpectTransposed(few, many, 0);
      ExpectTransposed(many, few, 0);
    }
    ExpectTransposed(few, 70, 1);
    ExpectTransposed(70, few, 1);
  }
}

// Every permutation of the axes of [3, 17, 2, 5], by source strides and by target strides.
TEST(Copy, PermutesFourAxesEveryWay) {
  const uint32_t dims[4] = {3, 17, 2, 5};
  const int32_t strides[4] = {170, 10, 5, 1};
  int order[4] = {0, 1, 2, 3};
  do {
    CopyShape shape = {4, {}, {}, {}, 0, 0, 0};
    int32_t stride = 1;
    for (size_t d = 4; d-- > 0;) {
      shape.dims[d] = dims[order[d]];
      shape.src_strides[d] = strides[order[d]];
      shape.dst_strides[d] = stride;
      stride *= static_cast<int32_t>(shape.dims[d]);
    }
    ExpectCopy(shape, 510, 510);
    std::swap(shape.src_strides, shape.dst_strides);
    ExpectCopy(shape, 510, 510);
  } while (std::next_permutation(order, order + 4));
}

TEST(Copy, TakesRankZeroRankEightAndEmptyDimensions) {
  ExpectCopy({0, {}, {}, {}, 3, 1, 0}, 4, 2);
  ExpectCopy({2, {0, 4}, {4, 1}, {4, 1}, 0, 0, 0}, 1, 1);
  ExpectCopy(
      {8, {2, 1, 2, 1, 2, 1, 2, 2}, {1, 0, 2, 0, 4, 0, 8, 16}, {16, 0, 8, 0, 4, 0, 2, 1}, 0, 0, 0},
      32, 32);
}

TEST(Fill, RepeatsTheBits) {
  for (const uint32_t bytes : kElementBytes) {
    for (uint32_t count = 0; count <= 2 * kWidestPanel + 1; ++count) {
      const FillShape shape = {count, bytes, 0x04030201, 0x08070605};
      const std::vector<uint8_t> y = OnEveryTarget<uint8_t>(
          size_t{count} * bytes, bytes, [&](uint8_t* out) { Fill(shape, out); });
      for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], FillByteReference(shape, i));
    }
  }
}

template <typename Index>
void ExpectGather(Element type) {
  Random random(sizeof(Index));
  for (const uint32_t bytes : kElementBytes) {
    for (const uint32_t inner : {1u, 3u, 20u}) {
      const GatherShape shape = {2, 3, 7, inner, 9, bytes, type};
      const std::vector<uint8_t> x = Bytes(size_t{2} * 3 * 7 * inner * bytes, &random);
      std::vector<Index> index(2 * 9);
      for (Index& value : index) value = static_cast<Index>(random.Below(20)) - 9;
      index[4] = std::numeric_limits<Index>::min();
      index[5] = std::numeric_limits<Index>::max();
      const std::vector<uint8_t> y =
          OnEveryTarget<uint8_t>(size_t{2} * 3 * 9 * inner * bytes, bytes,
                                 [&](uint8_t* out) { Gather(shape, x.data(), index.data(), out); });
      for (size_t i = 0; i < y.size(); ++i) {
        ASSERT_EQ(y[i], GatherByteReference(shape, x.data(), index.data(), i)) << i;
      }
    }
  }
}

TEST(Gather, CountsNegativeIndicesFromTheEndAndNeverLeavesTheAxis) {
  ExpectGather<int32_t>(Element::kI32);
  ExpectGather<int64_t>(Element::kI64);
}

void ExpectCompact(const CompactShape& shape, int32_t length, size_t used, Random* random) {
  const size_t bytes = size_t{shape.outer} * shape.max * shape.inner * shape.element_bytes;
  const std::vector<uint8_t> x = Bytes(bytes, random);
  std::vector<uint8_t> apart(bytes), in_place = x;
  Compact(shape, x.data(), length, apart.data());
  Compact(shape, in_place.data(), length, in_place.data());
  const size_t made = size_t{shape.outer} * used * shape.inner * shape.element_bytes;
  for (size_t i = 0; i < made; ++i) {
    ASSERT_EQ(apart[i], CompactByteReference(shape, x.data(), used, i)) << i;
    ASSERT_EQ(in_place[i], apart[i]) << i;
  }
  for (size_t i = made; i < bytes; ++i) {
    ASSERT_EQ(apart[i], 0) << i;
    ASSERT_EQ(in_place[i], 0) << i;
  }
}

TEST(Compact, MovesRowsTogetherApartAndInPlaceForEveryLength) {
  Random random(5);
  for (const uint32_t bytes : kElementBytes) {
    for (const uint32_t inner : {1u, 3u, 20u}) {
      const CompactShape shape = {3, 5, inner, bytes};
      for (int32_t length = 0; length <= 5; ++length) {
        ExpectCompact(shape, length, static_cast<size_t>(length), &random);
      }
      ExpectCompact(shape, std::numeric_limits<int32_t>::max(), 5, &random);
      ExpectCompact(shape, std::numeric_limits<int32_t>::min(), 0, &random);
    }
  }
}

TEST(Select, MatchesItsReferenceWhateverIsBroadcast) {
  Random random(9);
  const uint32_t kStrides[][3] = {{210, 70, 1}, {0, 70, 1}, {210, 0, 1},
                                  {3, 1, 0},    {0, 0, 0},  {1, 2, 6}};
  std::vector<uint8_t> condition(420);
  for (uint8_t& byte : condition) byte = static_cast<uint8_t>(random.Below(3) * 100);
  for (const uint32_t bytes : kElementBytes) {
    const std::vector<uint8_t> a = Bytes(420 * bytes, &random);
    const std::vector<uint8_t> b = Bytes(420 * bytes, &random);
    for (size_t i = 0; i < 6 * 6; ++i) {
      SelectShape shape = {3, {2, 3, 70}, {}, {}, {}, bytes};
      std::copy_n(kStrides[i % 6], 3, shape.condition_strides);
      std::copy_n(kStrides[i / 6], 3, shape.a_strides);
      std::copy_n(kStrides[(i + i / 6) % 6], 3, shape.b_strides);
      std::vector<uint8_t> must(420 * bytes);
      SelectReference(shape, condition.data(), a.data(), b.data(), must.data());
      ExpectSame(OnEveryTarget<uint8_t>(
                     must.size(), bytes,
                     [&](uint8_t* y) { Select(shape, condition.data(), a.data(), b.data(), y); }),
                 must);
    }
  }
}

TEST(Select, TakesOneElement) {
  Random random(11);
  for (const uint32_t bytes : {1u, 2u, 4u, 8u}) {
    const std::vector<uint8_t> a = Bytes(bytes, &random), b = Bytes(bytes, &random);
    for (const uint8_t condition : {uint8_t{0}, uint8_t{1}, uint8_t{128}}) {
      ExpectSame(
          OnEveryTarget<uint8_t>(
              bytes, 8, [&](uint8_t* y) { SelectOne(bytes, &condition, a.data(), b.data(), y); }),
          condition != 0 ? a : b);
    }
  }
}

TEST(Select, TakesEverySize) {
  Random random(10);
  for (uint32_t count = 0; count <= 2 * kWidestPanel + 1; ++count) {
    std::vector<uint8_t> condition(count);
    for (uint8_t& byte : condition) byte = static_cast<uint8_t>(random.Below(2));
    const std::vector<uint8_t> a = Bytes(count * 4, &random);
    const std::vector<uint8_t> b = Bytes(count * 4, &random);
    const SelectShape shape = {1, {count}, {1}, {1}, {1}, 4};
    std::vector<uint8_t> must(count * 4);
    SelectReference(shape, condition.data(), a.data(), b.data(), must.data());
    ExpectSame(OnEveryTarget<uint8_t>(
                   count * 4, 4,
                   [&](uint8_t* y) { Select(shape, condition.data(), a.data(), b.data(), y); }),
               must);
  }
}

}  // namespace
}  // namespace weft::kernels
