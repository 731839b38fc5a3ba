// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/top.h"

#include "kernels/reference/top.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

template <typename Index>
constexpr Element kIndexType = sizeof(Index) == 8 ? Element::kI64 : Element::kI32;

// All operands are in Arrays, which detect writes beyond the end.
template <typename T, typename Index>
void ExpectReference(TopShape shape, const std::vector<T>& values, size_t misalignment) {
  shape.index_type = kIndexType<Index>;
  const Array<T> x(values, misalignment);
  const size_t results = size_t{shape.outer} * shape.k * shape.inner;
  Array<T> best(results, misalignment);
  Array<Index> positions(results, misalignment);
  Top(shape, x.data(), best.data(), positions.data());
  for (size_t line = 0; line < shape.outer * shape.inner; ++line) {
    const size_t outer = line / shape.inner, inner = line % shape.inner;
    const T* from = x.data() + outer * shape.axis * shape.inner + inner;
    const std::vector<size_t> must = TopReference(shape, from);
    for (size_t i = 0; i < shape.k; ++i) {
      const size_t at = (outer * shape.k + i) * shape.inner + inner;
      ASSERT_EQ(static_cast<size_t>(positions[at]), must[i]) << "line " << line << ", result " << i;
      ASSERT_TRUE(SameBits(best[at], from[must[i] * shape.inner]));
    }
  }
}

// Every k in every order, over lines with many equal elements.
template <typename T, typename Index>
void ExpectReferences(Element type, uint32_t axis, uint32_t inner, Random* random) {
  std::vector<T> x;
  for (uint32_t i = 0; i < 2 * axis * inner; ++i) x.push_back(static_cast<T>(random->Below(9)));
  for (uint32_t k = 1; k <= axis; ++k) {
    for (const uint32_t min : {0u, 1u}) {
      for (const uint32_t by_index : {0u, 1u}) {
        ExpectReference<T, Index>({2, axis, inner, k, min, by_index, type}, x, k % 3);
      }
    }
  }
}

TEST(Top, MatchesItsReferenceForEveryCountAndOrder) {
  Random random(1);
  for (const uint32_t axis : {1u, 2u, 3u, 7u, 16u, 33u}) {
    for (const uint32_t inner : {1u, 3u}) {
      ExpectReferences<float, int32_t>(Element::kF32, axis, inner, &random);
      ExpectReferences<int32_t, int64_t>(Element::kI32, axis, inner, &random);
      ExpectReferences<int64_t, int32_t>(Element::kI64, axis, inner, &random);
      ExpectReferences<int8_t, int64_t>(Element::kI8, axis, inner, &random);
      ExpectReferences<uint8_t, int32_t>(Element::kU8, axis, inner, &random);
    }
  }
}

TEST(Top, MatchesItsReferenceOnALongLine) {
  Random random(2);
  const std::vector<float> x = random.Floats(3000, 100);
  for (const uint32_t k : {1u, 2u, 40u, 2999u, 3000u}) {
    ExpectReference<float, int32_t>({1, 3000, 1, k, 0, 0, Element::kF32}, x, 1);
    ExpectReference<float, int32_t>({1, 3000, 1, k, 1, 1, Element::kF32}, x, 1);
  }
}

TEST(Top, TakesNumbersBeforeNansAndTheFirstOfEqualOnes) {
  const std::vector<float> x = {1, kNan, 3, kNan, -kInfinity, kInfinity, 0.0f, -0.0f, 3};
  for (uint32_t k = 1; k <= x.size(); ++k) {
    ExpectReference<float, int32_t>({1, 9, 1, k, 0, 0, Element::kF32}, x, 0);
    ExpectReference<float, int32_t>({1, 9, 1, k, 1, 0, Element::kF32}, x, 0);
  }
  float best[9];
  int32_t positions[9];
  Top({1, 9, 1, 9, 0, 0, Element::kF32, Element::kI32}, x.data(), best, positions);
  EXPECT_EQ(std::vector<int32_t>(positions, positions + 9),
            (std::vector<int32_t>{5, 2, 8, 0, 6, 7, 4, 1, 3}));
}

TEST(Top, TellsIntegersApartThatFloatsCannot) {
  const std::vector<int64_t> x = {int64_t{1} << 40, (int64_t{1} << 62) + 1, int64_t{1} << 62, 3};
  ExpectReference<int64_t, int64_t>({1, 4, 1, 3, 0, 0, Element::kI64}, x, 0);
  ExpectReference<int64_t, int64_t>({1, 4, 1, 3, 1, 0, Element::kI64}, x, 0);
}

TEST(Top, WritesNothingForATypeItDoesNotKnow) {
  EXPECT_FALSE(TopKnows(Element::kF16));
  uint16_t value = 7;
  int32_t position = 7;
  const uint16_t x = 1;
  Top({1, 1, 1, 1, 0, 0, Element::kF16, Element::kI32}, &x, &value, &position);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(position, 7);
}

}  // namespace
}  // namespace weft::kernels
