// SPDX-License-Identifier: Apache-2.0
#include "kernels/suppress.h"

#include "kernels/suppress_ref.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

// Guarded at both ends by Array.
struct Suppressed {
  Suppressed(const SuppressShape& shape, size_t misalignment)
      : rows(size_t{shape.batch} * shape.classes * shape.most),
        indices(3 * rows, misalignment),
        selected(3 * rows, misalignment),
        found(1, misalignment),
        left(shape.boxes, misalignment) {}

  size_t rows;
  Array<int32_t> indices;
  Array<float> selected;
  Array<int32_t> found;
  Array<int32_t> left;
};

void ExpectTwin(const SuppressShape& s, const std::vector<float>& boxes,
                const std::vector<float>& scores, size_t misalignment) {
  const Array<float> b(boxes, misalignment), c(scores, misalignment);
  Suppressed is(s, misalignment);
  Suppress(s, b.data(), c.data(),
           {is.indices.data(), is.selected.data(), is.found.data(), is.left.data()});
  const std::vector<SuppressRow> must = SuppressTwin(s, boxes.data(), scores.data());
  ASSERT_EQ(static_cast<size_t>(is.found[0]), must.size());
  for (size_t row = 0; row < is.rows; ++row) {
    const bool is_used = row < must.size();
    for (size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(is.indices[3 * row + i], is_used ? must[row][i] : -1) << "row " << row;
    }
    const SuppressRow at = is_used ? must[row] : SuppressRow{-1, -1, -1};
    const size_t line = static_cast<size_t>(at[0]) * s.classes + static_cast<size_t>(at[1]);
    ASSERT_EQ(is.selected[3 * row], static_cast<float>(at[0]));
    ASSERT_EQ(is.selected[3 * row + 1], static_cast<float>(at[1]));
    ASSERT_EQ(is.selected[3 * row + 2],
              is_used ? scores[line * s.boxes + static_cast<size_t>(at[2])] : -1);
  }
}

// On a coarse grid, so that many boxes touch, are equal or have no area, and many scores are equal.
std::vector<float> Coarse(size_t count, uint32_t steps, Random* random) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(random->Below(steps)) * 0.25f);
  }
  return values;
}

TEST(Suppress, MeetsItsTwinForEveryOrderAndEncoding) {
  Random random(1);
  for (const uint32_t boxes : {1u, 2u, 7u, 33u}) {
    for (const uint32_t most : {1u, 3u, 33u}) {
      for (uint32_t flags = 0; flags < 4; ++flags) {
        for (const float iou : {-1.0f, 0.0f, 0.25f, 0.5f, 1.0f}) {
          const SuppressShape shape = {2,   3,    boxes,     std::min(most, boxes),
                                       iou, 0.5f, flags & 1, flags >> 1};
          ExpectTwin(shape, Coarse(2 * boxes * 4, 12, &random), Coarse(6 * boxes, 17, &random),
                     flags);
        }
      }
    }
  }
}

TEST(Suppress, MeetsItsTwinInACrowd) {
  Random random(2);
  const SuppressShape shape = {1, 2, 400, 50, 0.3f, -5, 0, 1};
  ExpectTwin(shape, random.Floats(4 * 400, 8), random.Floats(2 * 400, 8), 1);
}

TEST(Suppress, KeepsABoxThatOverlapsByTheThresholdItself) {
  const std::vector<float> boxes = {0, 0, 1, 2, 1, 1, 0, 0, 0, 1, 1, 2};  // the whole, its halves
  const std::vector<float> scores = {0.9f, 0.8f, 0.7f};
  for (const auto& [iou, found] : {std::pair{0.5f, 3}, {0.49f, 1}}) {
    SuppressShape shape = {1, 1, 3, 3, iou, 0, 0, 0};
    Suppressed is(shape, 0);
    Suppress(shape, boxes.data(), scores.data(),
             {is.indices.data(), is.selected.data(), is.found.data(), is.left.data()});
    EXPECT_EQ(is.found[0], found);
  }
}

TEST(Suppress, LeavesOutScoresThatAreNoNumbers) {
  const SuppressShape shape = {1, 1, 4, 4, 0.5f, -kInfinity, 1, 1};
  ExpectTwin(shape, {0, 0, 1, 1, 4, 0, 1, 1, 8, 0, 1, 1, 0, 0, kNan, 1}, {kNan, 1, kInfinity, 2},
             0);
}

TEST(Suppress, FindsNothingWithoutBatchesOrClasses) {
  for (const SuppressShape& shape : {SuppressShape{0, 3, 2, 1}, SuppressShape{3, 0, 2, 1}}) {
    ExpectTwin(shape, std::vector<float>(size_t{shape.batch} * 8), {}, 0);
  }
}

}  // namespace
}  // namespace weft::kernels
