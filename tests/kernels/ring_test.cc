// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/ring.h"

#include "kernels/reference/ring.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

constexpr RingOrder kOrders[] = {RingOrder::kPositionsOuterInner, RingOrder::kOuterPositionsInner,
                                 RingOrder::kOuterInnerPositions};

std::vector<uint8_t> RandomBytes(size_t count, Random* random) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random->Below(256));
  return bytes;
}

size_t BytesOfX(const RingShape& s) {
  return size_t{s.outer} * s.positions * s.inner * s.element_bytes;
}
size_t BytesOfRing(const RingShape& s) {
  return size_t{s.outer} * s.past * s.inner * s.element_bytes;
}
size_t BytesOfY(const RingShape& s) {
  return size_t{s.outer} * s.taps * s.length * s.inner * s.element_bytes;
}

// More than two passes through the ring, in place and into a separate ring, from a random start.
void ExpectRingReference(const RingShape& s, size_t misalignment, Random* random) {
  std::vector<uint8_t> must = RandomBytes(BytesOfRing(s), random);
  Array<uint8_t> in_place(must, misalignment * s.element_bytes);
  size_t must_start = random->Below(s.past);
  int32_t start = static_cast<int32_t>(must_start);
  for (uint32_t run = 0; run * s.positions < 2 * s.past + 2 * s.positions; ++run) {
    const Array<uint8_t> x(RandomBytes(BytesOfX(s), random), misalignment * s.element_bytes);
    Array<uint8_t> y(BytesOfY(s), misalignment * s.element_bytes);
    Array<uint8_t> y_apart(BytesOfY(s), misalignment * s.element_bytes);
    Array<uint8_t> apart(BytesOfRing(s), misalignment * s.element_bytes);
    int32_t start_apart = -1;
    Ring(s, x.data(), {in_place.data(), &start, apart.data(), &start_apart}, y_apart.data());
    Ring(s, x.data(), {in_place.data(), &start, in_place.data(), &start}, y.data());
    std::vector<uint8_t> must_y(BytesOfY(s));
    must_start = RingReference(s, x.data(), must.data(), must_start, must_y.data());
    ExpectSame(y.Values(), must_y);
    ExpectSame(y_apart.Values(), must_y);
    ExpectSame(in_place.Values(), must);
    ExpectSame(apart.Values(), must);
    ASSERT_EQ(start, static_cast<int32_t>(must_start));
    ASSERT_EQ(start_apart, start);
  }
}

// A shift; all steps of the ring; one run per tap; overlapping runs; and a shift and a window that
// look back less far than others on the same ring.
void ExpectReferenceOfEveryRead(const RingShape& of, size_t misalignment, Random* random) {
  const auto expect = [&](uint32_t past, uint32_t first, uint32_t taps, uint32_t dilation,
                          uint32_t length) {
    RingShape s = of;
    s.past = past;
    s.first = first;
    s.taps = taps;
    s.dilation = dilation;
    s.length = length;
    ExpectRingReference(s, misalignment, random);
  };
  expect(1, 0, 1, 1, of.positions);
  expect(4, 0, 1, 1, 4 + of.positions);
  expect(12, 0, 3, 6, of.positions);
  expect(7, 0, 2, 3, of.positions + 1);
  expect(9, 4, 1, 1, of.positions);
  expect(9, 5, 3, 2, of.positions);
}

TEST(Ring, MatchesItsReferenceForEveryElementSizeAndGeometry) {
  ForEachTarget([] {
    Random random(1);
    size_t misalignment = 0;
    for (const uint32_t bytes : {1u, 2u, 4u, 8u}) {
      for (const uint32_t outer : {1u, 5u, 17u}) {
        for (const uint32_t inner : {1u, 3u}) {
          for (const uint32_t positions : {1u, 5u, 16u}) {
            misalignment = 1 - misalignment;
            for (const RingOrder order : kOrders) {
              ExpectReferenceOfEveryRead({outer, 0, positions, inner, 0, 0, 0, 0, bytes, order},
                                         misalignment, &random);
            }
          }
        }
      }
    }
  });
}

TEST(Ring, StaysInsideWhateverItsStartIs) {
  const RingShape s = {2, 4, 3, 1, 0, 1, 1, 7, 4};
  const std::vector<float> x = {10, 11, 12, 20, 21, 22};
  const std::vector<float> ring = {0, 5, 1, 6, 2, 7, 3, 8};
  const int32_t starts[] = {
      0, 4, 5, -1, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()};
  for (const int32_t start : starts) {
    Array<float> held(ring, 0), y(14, 0);
    int32_t at = start;
    Ring(s, x.data(), {held.data(), &at, held.data(), &at}, y.data());
    ExpectSame(y.Values(), {0, 1, 2, 3, 10, 11, 12, 5, 6, 7, 8, 20, 21, 22});
    ExpectSame(held.Values(), {10, 20, 11, 21, 12, 22, 3, 8});
    EXPECT_EQ(at, 3);
  }
}

TEST(Ring, StartsAtTheFrontWithoutAStart) {
  const RingShape s = {1, 1, 1, 3, 0, 1, 1, 1, 4};
  const std::vector<float> x = {1, 2, 3};
  Array<float> held(std::vector<float>{4, 5, 6}, 0), y(3, 0);
  Ring(s, x.data(), {held.data(), nullptr, held.data(), nullptr}, y.data());
  ExpectSame(y.Values(), {4, 5, 6});
  ExpectSame(held.Values(), {1, 2, 3});
}

// If several steps read one ring, all but the last only read it.
TEST(Ring, OnlyReadsWithoutARingToWrite) {
  const RingShape s = {1, 4, 2, 1, 3, 1, 1, 2, 4};
  const std::vector<float> x = {5, 6};
  const std::vector<float> ring = {3, 4, 1, 2};
  const Array<float> held(ring, 0);
  Array<float> y(2, 0);
  const int32_t start = 2;
  Ring(s, x.data(), {held.data(), &start, nullptr, nullptr}, y.data());
  ExpectSame(y.Values(), {4, 5});
  ExpectSame(held.Values(), ring);
}

// The ring does not depend on the lengths of the runs in which it was written.
TEST(Ring, HoldsTheSameAfterRunsOfAnyLength) {
  std::vector<float> x(24);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  std::vector<float> first;
  for (const uint32_t positions : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 24u}) {
    const RingShape s = {1, 5, positions, 1, 0, 1, 1, 0, 4};
    Array<float> held(std::vector<float>(5), 0);
    int32_t start = 0;
    for (size_t at = 0; at < x.size(); at += positions) {
      Ring(s, x.data() + at, {held.data(), &start, held.data(), &start}, nullptr);
    }
    EXPECT_EQ(start, 24 % 5);
    if (first.empty()) first = held.Values();
    ExpectSame(held.Values(), first);
  }
  ExpectSame(first, {20, 21, 22, 23, 19});
}

// A step that reads the ring directly needs no y.
TEST(Ring, TakesXWithoutAY) {
  for (const RingOrder order : kOrders) {
    const RingShape s = {2, 3, 2, 2, 0, 1, 1, 5, 4, order};
    std::vector<uint8_t> x(BytesOfX(s)), must(BytesOfRing(s)), y(BytesOfY(s));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint8_t>(i);
    Array<uint8_t> held(must, 0);
    int32_t start = 2;
    Ring(s, x.data(), {held.data(), &start, held.data(), &start}, nullptr);
    EXPECT_EQ(RingReference(s, x.data(), must.data(), 2, y.data()), 1u);
    EXPECT_EQ(start, 1);
    ExpectSame(held.Values(), must);
  }
}

TEST(Ring, MovesNothingOfNothing) {
  int32_t start = 2;
  Ring({0, 3, 2, 4, 0, 1, 1, 5, 4}, nullptr, {nullptr, &start, nullptr, &start}, nullptr);
  EXPECT_EQ(start, 1);
  Ring({2, 3, 2, 0, 0, 1, 1, 5, 4}, nullptr, {nullptr, &start, nullptr, &start}, nullptr);
  EXPECT_EQ(start, 0);
}

}  // namespace
}  // namespace weft::kernels
