// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/positions.h"

#include "kernels/reference/positions.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

// All operands are in Arrays, which detect writes beyond the end.
template <typename T, typename Index>
void ExpectPositions(PositionsShape shape, const std::vector<T>& values, size_t misalignment) {
  shape.index_type = sizeof(Index) == 8 ? Element::kI64 : Element::kI32;
  const size_t row = shape.max, batch_positions = shape.rank * row;
  const Array<T> x(values, misalignment);
  Array<Index> positions(shape.batch * batch_positions, misalignment);
  Array<int32_t> counts(shape.batch, misalignment);
  Positions(shape, x.data(), positions.data(), counts.data());
  for (size_t b = 0; b < shape.batch; ++b) {
    const std::vector<size_t> must =
        PositionsReference(shape, x.data() + b * (values.size() / shape.batch));
    ASSERT_EQ(static_cast<size_t>(counts[b]), must.size());
    for (uint32_t d = 0; d < shape.rank; ++d) {
      for (size_t i = 0; i < row; ++i) {
        const uint32_t at = i < must.size() ? CoordinateReference(shape, must[i], d) : 0;
        ASSERT_EQ(static_cast<uint32_t>(positions[b * batch_positions + d * row + i]), at)
            << "batch " << b << ", axis " << d << ", result " << i;
      }
    }
  }
}

PositionsShape ShapeOf(uint32_t batch, const std::vector<uint32_t>& dims, uint32_t max,
                       Element type) {
  PositionsShape shape;
  shape.batch = batch;
  for (const uint32_t dim : dims) shape.dims[shape.rank++] = dim;
  shape.max = max;
  shape.type = type;
  return shape;
}

// One element in `rarity` is non-zero.
template <typename T>
void ExpectEveryMax(Element type, const std::vector<uint32_t>& dims, uint32_t rarity,
                    Random* random) {
  size_t count = 1;
  for (const uint32_t dim : dims) count *= dim;
  std::vector<T> x;
  for (size_t i = 0; i < 2 * count; ++i) x.push_back(static_cast<T>(random->Below(rarity) == 0));
  for (size_t max = 0; max <= count + 1; max += 1 + max / 3) {
    const PositionsShape shape = ShapeOf(2, dims, static_cast<uint32_t>(max), type);
    ExpectPositions<T, int32_t>(shape, x, max % 3);
    ExpectPositions<T, int64_t>(shape, x, max % 3);
  }
}

TEST(Positions, MatchesItsReferenceForEveryTypeRankAndRoom) {
  Random random(1);
  const std::vector<std::vector<uint32_t>> shapes = {
      {}, {0}, {1}, {33}, {5, 7}, {3, 0, 2}, {2, 3, 5}, {1, 2, 1, 3}, {2, 1, 2, 1, 2, 1, 2, 2}};
  for (const std::vector<uint32_t>& dims : shapes) {
    for (const uint32_t rarity : {1u, 2u, 9u}) {
      ExpectEveryMax<float>(Element::kF32, dims, rarity, &random);
      ExpectEveryMax<double>(Element::kF64, dims, rarity, &random);
      ExpectEveryMax<int8_t>(Element::kI8, dims, rarity, &random);
      ExpectEveryMax<uint8_t>(Element::kBoolean, dims, rarity, &random);
      ExpectEveryMax<int16_t>(Element::kI16, dims, rarity, &random);
      ExpectEveryMax<int32_t>(Element::kI32, dims, rarity, &random);
      ExpectEveryMax<int64_t>(Element::kI64, dims, rarity, &random);
    }
  }
}

TEST(Positions, TakesNansAndSubnormalNumbersAndNoZeroOfEitherSign) {
  const float x[] = {0.0f, -0.0f, kNan, 1e-45f, -1e-45f, kInfinity};
  int32_t positions[6], count = 0;
  Positions(ShapeOf(1, {6}, 6, Element::kF32), x, positions, &count);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(std::vector<int32_t>(positions, positions + 6),
            (std::vector<int32_t>{2, 3, 4, 5, 0, 0}));
  const uint16_t half[] = {0x8000, 0x0001, 0x0000, 0x8001};
  Positions(ShapeOf(1, {4}, 6, Element::kF16), half, positions, &count);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(positions[1], 3);
}

TEST(Positions, TakesTheSignBitOfAnInteger) {
  const int64_t x[] = {0, std::numeric_limits<int64_t>::min()};
  int64_t positions[2];
  int32_t count = 0;
  PositionsShape shape = ShapeOf(1, {2}, 2, Element::kI64);
  shape.index_type = Element::kI64;
  Positions(shape, x, positions, &count);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(positions[0], 1);
}

TEST(Positions, WritesNothingForATypeItDoesNotKnow) {
  EXPECT_FALSE(PositionsSupports(Element::kU4));
  const uint8_t x = 1;
  int32_t position = 7, count = 7;
  Positions(ShapeOf(1, {1}, 1, Element::kU4), &x, &position, &count);
  EXPECT_EQ(position, 7);
  EXPECT_EQ(count, 7);
}

}  // namespace
}  // namespace weft::kernels
