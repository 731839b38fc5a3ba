// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/ring_matmul.h"

#include <initializer_list>
#include <limits>

#include "kernels/reference/ring_matmul.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

constexpr uint32_t kRingHeads = 2;

struct RingSizes {
  uint32_t rows, held, positions, other;  // other: the extent of b that is not time
};

// Heads whose time steps are rows or, if `is_permuted`, columns.
RingMatmulShape RingShapeOf(const RingSizes& sizes, bool is_along_columns, bool is_permuted) {
  RingMatmulShape s;
  const uint32_t all = sizes.held + sizes.positions;
  s.batch_rank = 1;
  s.batch_dims[0] = kRingHeads;
  s.rows = sizes.rows;
  s.columns = is_along_columns ? all : sizes.other;
  s.inner = is_along_columns ? sizes.other : all;
  s.positions = sizes.positions;
  s.is_along_columns = is_along_columns;
  s.a_row_stride = s.inner;
  s.a_inner_stride = 1;
  s.a_batch_strides[0] = s.rows * s.inner;
  s.past_batch_strides[0] = sizes.held * sizes.other;
  s.x_batch_strides[0] = sizes.positions * sizes.other;
  const uint32_t past_position = is_permuted ? 1 : sizes.other;
  const uint32_t past_other = is_permuted ? sizes.held : 1;
  s.past_column_stride = is_along_columns ? past_position : past_other;
  s.past_inner_stride = is_along_columns ? past_other : past_position;
  s.x_column_stride = is_along_columns ? sizes.other : 1;
  s.x_inner_stride = is_along_columns ? 1 : sizes.other;
  return s;
}

struct RingData {
  std::vector<float> a, past, x;
};

RingData RingDataFor(const RingMatmulShape& s, const RingSizes& sizes, Random* random) {
  return {random->Floats(size_t{kRingHeads} * s.rows * s.inner, 2),
          random->Floats(size_t{kRingHeads} * sizes.held * sizes.other, 2),
          random->Floats(size_t{kRingHeads} * sizes.positions * sizes.other, 2)};
}

std::vector<float> RunRingMatmul(const RingMatmulShape& s, const RingData& data, int32_t start,
                                 size_t misalignment) {
  const Array<float> a(data.a, misalignment), past(data.past, misalignment),
      x(data.x, misalignment);
  return OnEveryTarget<float>(size_t{kRingHeads} * s.rows * s.columns, misalignment, [&](float* y) {
    RingMatmul(s, a.data(), past.data(), x.data(), &start, y);
  });
}

// From every step of the ring, with less than a panel or with several.
TEST(RingMatmul, IsItsChainFromEveryPlaceOn) {
  Random random(1);
  for (const RingSizes& sizes :
       {RingSizes{1, 1, 1, 3}, RingSizes{1, 7, 1, 5}, RingSizes{3, 31, 4, 33},
        RingSizes{2, 20, 17, 16}, RingSizes{7, 70, 1, 65}, RingSizes{1, 40, 0, 1}}) {
    for (const bool is_along_columns : {true, false}) {
      for (const bool is_permuted : {true, false}) {
        const RingMatmulShape s = RingShapeOf(sizes, is_along_columns, is_permuted);
        const RingData data = RingDataFor(s, sizes, &random);
        for (uint32_t start = 0; start < sizes.held; start += 1 + sizes.held / 16) {
          std::vector<float> must(size_t{kRingHeads} * s.rows * s.columns);
          RingMatmulReference(s, data.a.data(), data.past.data(), data.x.data(), start,
                              must.data());
          ASSERT_NO_FATAL_FAILURE(ExpectSame(
              RunRingMatmul(s, data, static_cast<int32_t>(start), kMisalignments[start % 3]),
              must));
        }
      }
    }
  }
}

// Compared with the product over all steps stored contiguously.
TEST(RingMatmul, IsTheProductOfThePlacesInTheirOrder) {
  Random random(2);
  const RingSizes sizes = {2, 37, 3, 20};
  const RingMatmulShape s = RingShapeOf(sizes, false, false);
  const RingData data = RingDataFor(s, sizes, &random);
  constexpr uint32_t kStart = 11;
  std::vector<float> b, must(size_t{kRingHeads} * s.rows * s.columns);
  for (uint32_t head = 0; head < kRingHeads; ++head) {
    const auto add = [&](const std::vector<float>& from, uint32_t position) {
      const auto at = from.begin() + static_cast<ptrdiff_t>(position * sizes.other);
      b.insert(b.end(), at, at + sizes.other);
    };
    for (uint32_t i = 0; i < sizes.held; ++i) {
      add(data.past, head * sizes.held + (kStart + i) % sizes.held);
    }
    for (uint32_t i = 0; i < sizes.positions; ++i) add(data.x, head * sizes.positions + i);
  }
  MatmulShape whole;
  whole.batch_rank = 1;
  whole.batch_dims[0] = kRingHeads;
  whole.a_batch_strides[0] = s.a_batch_strides[0];
  whole.b_batch_strides[0] = s.inner * s.columns;
  whole.rows = s.rows;
  whole.columns = s.columns;
  whole.inner = s.inner;
  whole.a_row_stride = s.a_row_stride;
  whole.a_inner_stride = 1;
  whole.b_inner_stride = s.columns;
  whole.b_column_stride = 1;
  Matmul(whole, data.a.data(), b.data(), must.data());
  ExpectSame(RunRingMatmul(s, data, kStart, 0), must);
}

TEST(RingMatmul, StaysInsideWhateverItsStartIs) {
  Random random(3);
  const RingSizes sizes = {1, 5, 2, 4};
  const RingMatmulShape s = RingShapeOf(sizes, true, true);
  const RingData data = RingDataFor(s, sizes, &random);
  const std::vector<float> must = RunRingMatmul(s, data, 0, 0);
  for (const int32_t start : std::initializer_list<int32_t>{
           5, 6, -1, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
    ExpectSame(RunRingMatmul(s, data, start, 0), must);
  }
  std::vector<float> without_start(must.size());
  RingMatmul(s, data.a.data(), data.past.data(), data.x.data(), nullptr, without_start.data());
  ExpectSame(without_start, must);
}

}  // namespace
}  // namespace weft::kernels
