// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/region.h"

#include <algorithm>
#include <cstddef>

#include "kernels/reference/region.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

// All operands are in Arrays, which detect writes beyond the end.
template <typename Index>
void ExpectReference(RegionShape s, const std::vector<float>& planes,
                     const std::vector<float>& corners, const std::vector<Index>& batches,
                     size_t misalignment) {
  s.index_type = sizeof(Index) == 8 ? Element::kI64 : Element::kI32;
  const Array<float> x(planes, misalignment), regions(corners, misalignment);
  const Array<Index> of(batches, misalignment);
  const size_t bins = size_t{s.pooled_height} * s.pooled_width;
  const size_t channels = RegionChannels(s.op, s.channels, static_cast<uint32_t>(bins));
  const bool is_list = s.op != RegionOp::kMean && s.op != RegionOp::kMax;
  const auto end = std::find_if(batches.begin(), batches.end(),
                                [&](Index batch) { return is_list && batch < 0; });
  Array<float> y(s.regions * channels * bins, misalignment);
  Region(s, x.data(), regions.data(), of.data(), y.data());
  for (size_t at = 0; at < s.regions * channels * bins; ++at) {
    const size_t region = at / (channels * bins);
    const auto i = static_cast<uint32_t>(at % bins / s.pooled_width);
    const auto j = static_cast<uint32_t>(at % s.pooled_width);
    const size_t of_y = at / bins % channels;
    const size_t channel = s.op == RegionOp::kOwnMean ? of_y * bins + at % bins : of_y;
    const bool exists = batches[region] >= 0 && batches[region] < static_cast<Index>(s.batch) &&
                        batches.begin() + static_cast<std::ptrdiff_t>(region) < end;
    const size_t plane = exists ? static_cast<size_t>(batches[region]) * s.channels + channel : 0;
    const float must = exists ? RegionReference(s, planes.data() + plane * s.height * s.width,
                                                corners.data() + 4 * region, i, j)
                              : 0;
    ASSERT_TRUE(SameBits(y[at], must)) << "element " << at << ": " << y[at] << ", " << must;
  }
}

RegionShape ShapeOf(uint32_t extent, uint32_t pooled, uint32_t samples) {
  RegionShape s;
  s.batch = 2;
  s.channels = 3;
  s.height = extent;
  s.width = extent + 2;
  s.regions = 5;
  s.pooled_height = pooled;
  s.pooled_width = pooled + 1;
  s.samples = samples;
  return s;
}

TEST(Region, MatchesItsReferenceForEverySize) {
  Random random(1);
  for (const uint32_t extent : {1u, 2u, 7u, 20u}) {
    for (const uint32_t pooled : {1u, 3u}) {
      for (const uint32_t samples : {0u, 1u, 2u, 5u}) {
        for (const RegionOp op : {RegionOp::kMean, RegionOp::kMax}) {
          RegionShape s = ShapeOf(extent, pooled, samples);
          s.op = op;
          s.at_least_one = samples % 2;
          s.scale = op == RegionOp::kMax ? 0.5f : 1.0f;
          s.before = s.at_least_one != 0 ? 0 : 0.5f;
          s.after = s.at_least_one != 0 ? 0 : -0.5f;
          const auto count = size_t{2} * 3 * s.height * s.width;
          ExpectReference<int32_t>(s, random.Floats(count, 4), random.Floats(20, 30),
                                   {1, 0, -1, 2, 1}, extent % 3);
          ExpectReference<int64_t>(s, random.Floats(count, 4), random.Floats(20, 9),
                                   {0, 1, 1, 0, 7}, 0);
        }
      }
    }
  }
}

TEST(Region, MatchesItsReferenceForWholePlacesAndPoints) {
  Random random(3);
  for (const RegionOp op : {RegionOp::kPositionMax, RegionOp::kOwnMean, RegionOp::kPoint}) {
    for (const uint32_t extent : {1u, 2u, 7u, 20u}) {
      for (const uint32_t pooled : {1u, 2u, 3u}) {
        for (const float scale : {1.0f, 0.375f}) {
          RegionShape s = ShapeOf(extent, pooled, 0);
          s.op = op;
          s.scale = op == RegionOp::kPoint ? scale / 16 : scale;
          if (op == RegionOp::kOwnMean) s.channels = 2 * pooled * (pooled + 1);
          const auto count = size_t{2} * s.channels * s.height * s.width;
          ExpectReference<int32_t>(s, random.Floats(count, 4), random.Floats(20, 30),
                                   {1, 0, 2, 1, 1}, extent % 3);
          ExpectReference<int64_t>(s, random.Floats(count, 4), random.Floats(20, 9),
                                   {0, 1, 7, -1, 0}, 0);
        }
      }
    }
  }
}

TEST(Region, RoundsHalvesOfCornersAwayFromZero) {
  RegionShape s = ShapeOf(7, 1, 0);
  const std::vector<float> corners = {0.5f,  1.5f,    2.5f,   3.5f, -0.5f, -1.5f, 0.5f,
                                      2.5f,  6.4999f, 1,      6.5f, 1,     8.49f, 6,
                                      8.51f, 6.5f,    -2.51f, -3,   -1,    -1};
  for (const RegionOp op : {RegionOp::kPositionMax, RegionOp::kOwnMean}) {
    Random random(4);
    s.op = op;
    s.channels = op == RegionOp::kOwnMean ? 6 : 3;
    ExpectReference<int32_t>(s, random.Floats(size_t{2} * s.channels * 63, 4), corners,
                             {0, 1, 0, 1, 0}, 0);
  }
}

TEST(Region, OfWholePlacesFarOutsideIsNothing) {
  Random random(5);
  const std::vector<float> corners = {-60, -40, 80, 60, 1e6f,  1e6f, 1e6f, 1e6f, kNan, 0,
                                      3,   3,   0,  0,  1e30f, 3,    3,    3,    0,    0};
  for (const RegionOp op : {RegionOp::kPositionMax, RegionOp::kOwnMean, RegionOp::kPoint}) {
    RegionShape s = ShapeOf(5, 2, 0);
    s.op = op;
    s.channels = 6;
    ExpectReference<int32_t>(s, random.Floats(size_t{2} * 6 * 35, 4), corners, {0, 1, 0, 1, 0}, 0);
  }
}

TEST(Region, SkipsWhatLiesFarOutside) {
  Random random(2);
  const RegionShape s = ShapeOf(5, 2, 0);
  const std::vector<float> corners = {-60, -40, 80, 60, 1e6f,  1e6f, 1e6f, 1e6f, kNan, 0,
                                      3,   3,   0,  0,  1e30f, 3,    3,    3,    0,    0};
  ExpectReference<int32_t>(s, random.Floats(2 * 3 * 35, 4), corners, {0, 1, 0, 1, 0}, 0);
}

TEST(Region, KeepsWhatIsNoNumberToItsSamples) {
  RegionShape s = ShapeOf(4, 2, 2);
  std::vector<float> planes(2 * 3 * 24, 1);
  planes[7] = kNan;
  planes[30] = kInfinity;
  for (const RegionOp op : {RegionOp::kMean, RegionOp::kMax}) {
    s.op = op;
    ExpectReference<int32_t>(s, planes, std::vector<float>(20, 2), {0, 1, 0, 1, 0}, 0);
    ExpectReference<int32_t>(s, planes,
                             {0, 0, 6, 4, 1, 1, 5, 3, 0, 0, 1, 1, 2, 0, 6, 1, 3, 3, 4, 4},
                             {0, 1, 0, 1, 0}, 0);
  }
}

}  // namespace
}  // namespace weft::kernels
