// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/suppress.h"

#include <cmath>

#include "kernels/reference/suppress.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

// Results in Arrays, which detect writes beyond the end.
struct Suppressed {
  Suppressed(const SuppressShape& shape, size_t misalignment)
      : rows(size_t{shape.batch} * shape.classes * shape.max),
        indices(3 * rows, misalignment),
        selected(3 * rows),
        found(1, misalignment),
        left(shape.boxes, misalignment),
        lowered(shape.decay != 0 ? shape.boxes : 0, misalignment) {}

  SuppressResults results() {
    return {indices.data(), selected.data(), found.data(), left.data(), lowered.data()};
  }

  size_t rows;
  Array<int32_t> indices;
  std::vector<float> selected;  // from OnEveryTarget, which uses an Array
  Array<int32_t> found;
  Array<int32_t> left;
  Array<float> lowered;
};

void ExpectReference(const SuppressShape& s, const std::vector<float>& boxes,
                     const std::vector<float>& scores, size_t misalignment) {
  const Array<float> b(boxes, misalignment), c(scores, misalignment);
  const std::vector<SuppressRow> must = SuppressReference(s, boxes.data(), scores.data());
  Suppressed is(s, misalignment);
  is.selected = OnEveryTarget<float>(3 * is.rows, misalignment, [&](float* selected) {
    SuppressResults results = is.results();
    results.selected = selected;
    Suppress(s, b.data(), c.data(), results);
  });
  ASSERT_EQ(static_cast<size_t>(is.found[0]), must.size());
  const float tolerance = s.decay != 0 ? 1e-5f : 0;
  for (size_t row = 0; row < is.rows; ++row) {
    const SuppressRow at = row < must.size() ? must[row] : SuppressRow{{-1, -1, -1}, -1};
    for (size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(is.indices[3 * row + i], at.positions[i]) << "row " << row;
    }
    ASSERT_EQ(is.selected[3 * row], static_cast<float>(at.positions[0]));
    ASSERT_EQ(is.selected[3 * row + 1], static_cast<float>(at.positions[1]));
    const float score = is.selected[3 * row + 2];
    ASSERT_TRUE(score == at.score || std::abs(score - at.score) <= tolerance * std::abs(at.score))
        << "row " << row << ": " << score << ", " << at.score;
  }
}

// On a coarse grid many boxes touch, are equal or have no area, and many scores are equal.
TEST(Suppress, MatchesItsReferenceForEveryOrderAndEncoding) {
  Random random(1);
  for (const uint32_t boxes : {1u, 2u, 7u, 33u}) {
    for (const uint32_t max : {1u, 3u, 33u}) {
      for (uint32_t flags = 0; flags < 4; ++flags) {
        for (const float iou : {-1.0f, 0.0f, 0.25f, 0.5f, 1.0f}) {
          const SuppressShape shape = {2,   3,    boxes,     std::min(max, boxes),
                                       iou, 0.5f, flags & 1, flags >> 1};
          ExpectReference(shape, random.Coarse(2 * boxes * 4, 12), random.Coarse(6 * boxes, 17),
                          flags);
        }
      }
    }
  }
}

TEST(Suppress, MatchesItsReferenceInACrowd) {
  Random random(2);
  const SuppressShape shape = {1, 2, 400, 50, 0.3f, -5, 0, 1};
  ExpectReference(shape, random.Floats(4 * 400, 8), random.Floats(2 * 400, 8), 1);
}

TEST(Suppress, MatchesItsReferenceWhereScoresAreLowered) {
  Random random(3);
  for (const uint32_t boxes : {1u, 2u, 7u, 16u, 18u, 70u}) {
    for (const float iou : {0.5f, kInfinity}) {
      for (const float decay : {-0.5f, -4.0f}) {
        SuppressShape shape = {2, 3, boxes, boxes, iou, 0.125f, 0, 1, decay};
        std::vector<float> corners;
        for (size_t i = 0; i < size_t{2} * boxes; ++i) {
          const float x = random.Float(4), y = random.Float(4);
          corners.insert(corners.end(), {y, x, y + 2 + random.Float(1), x + 2 + random.Float(1)});
        }
        ExpectReference(shape, corners, random.Floats(size_t{6} * boxes, 1), boxes % 3);
        shape.max = (boxes + 1) / 2;
        shape.across = 0;
        ExpectReference(shape, corners, random.Floats(size_t{6} * boxes, 1), 0);
      }
    }
  }
}

TEST(Suppress, KeepsABoxThatOverlapsByTheThresholdItself) {
  const std::vector<float> boxes = {0, 0, 1, 2, 1, 1, 0, 0, 0, 1, 1, 2};  // a square and its halves
  const std::vector<float> scores = {0.9f, 0.8f, 0.7f};
  for (const auto& [iou, found] : {std::pair{0.5f, 3}, {0.49f, 1}}) {
    SuppressShape shape = {1, 1, 3, 3, iou, 0, 0, 0};
    Suppressed is(shape, 0);
    Suppress(shape, boxes.data(), scores.data(), is.results());
    EXPECT_EQ(is.found[0], found);
  }
}

TEST(Suppress, LeavesOutScoresThatAreNoNumbers) {
  const SuppressShape shape = {1, 1, 4, 4, 0.5f, -kInfinity, 1, 1};
  ExpectReference(shape, {0, 0, 1, 1, 4, 0, 1, 1, 8, 0, 1, 1, 0, 0, kNan, 1},
                  {kNan, 1, kInfinity, 2}, 0);
}

TEST(Suppress, FindsNothingWithoutBatchesOrClasses) {
  for (const SuppressShape& shape : {SuppressShape{0, 3, 2, 1}, SuppressShape{3, 0, 2, 1}}) {
    ExpectReference(shape, std::vector<float>(size_t{shape.batch} * 8), {}, 0);
  }
}

}  // namespace
}  // namespace weft::kernels
