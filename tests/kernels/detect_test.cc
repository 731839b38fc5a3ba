// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/detect.h"

#include <algorithm>

#include "kernels/reference/detect.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

// All operands are in Arrays, which detect writes beyond the end.
void ExpectReference(const DetectShape& s, const std::vector<float>& boxes,
                     const std::vector<float>& scores, size_t misalignment) {
  const Array<float> b(boxes, misalignment), c(scores, misalignment);
  Array<float> y(size_t{7} * s.batch * s.rows, misalignment);
  Array<int32_t> order(size_t{s.priors} + s.kept, misalignment);
  Detect(s, b.data(), c.data(), y.data(), order.data());
  ExpectSame(y.Values(), DetectReference(s, boxes.data(), scores.data()));
}

DetectShape DetectShapeOf(uint32_t priors, bool is_shared, uint32_t kept) {
  DetectShape s;
  s.batch = 2;
  s.priors = priors;
  s.classes = 4;
  s.box_classes = is_shared ? 1 : 4;
  s.candidates = priors;
  s.kept = kept;
  s.rows = kept + 1;
  s.score_threshold = 0.25f;
  s.overlap_threshold = 0.3f;
  return s;
}

// On a coarse grid many boxes touch, are equal or inverted, and many scores are equal.
void ExpectReferenceOfCoarse(const DetectShape& s, size_t misalignment, Random* random) {
  const size_t boxes = size_t{4} * s.batch * s.priors * s.box_classes;
  ExpectReference(s, random->Coarse(boxes, 10),
                  random->Coarse(size_t{s.batch} * s.priors * s.classes, 8), misalignment);
}

TEST(Detect, MatchesItsReferenceForEveryChoice) {
  Random random(1);
  for (const uint32_t priors : {1u, 2u, 7u, 33u}) {
    for (const uint32_t kept : {0u, 1u, 5u, 132u}) {
      for (uint32_t flags = 0; flags < 8; ++flags) {
        DetectShape s = DetectShapeOf(priors, (flags & 1) != 0, std::min(kept, priors * 4));
        s.best_class = flags >> 1 & 1;
        s.clip = flags >> 2;
        ExpectReferenceOfCoarse(s, flags % 3, &random);
        s.background = s.best_class != 0 ? 0 : 2;
        s.candidates = std::max<uint32_t>(priors / 2, 1u);
        ExpectReferenceOfCoarse(s, 0, &random);
        s.background = s.classes;
        s.overlap_threshold = -1;
        ExpectReferenceOfCoarse(s, 0, &random);
      }
    }
  }
}

TEST(Detect, MatchesItsReferenceInACrowd) {
  Random random(2);
  DetectShape s = DetectShapeOf(400, true, 60);
  s.batch = 1;
  s.score_threshold = -5;
  s.candidates = 150;
  for (const uint32_t best_class : {0u, 1u}) {
    s.best_class = best_class;
    ExpectReference(s, random.Floats(1600, 8), random.Floats(1600, 8), 1);
  }
}

TEST(Detect, KeepsABoxThatOverlapsByTheThresholdItself) {
  // A square and its halves; first corners, then last corners.
  const std::vector<float> boxes = {0, 0, 0, 0, 1, 0, 2, 1, 1, 1, 2, 1};
  const std::vector<float> scores = {0.9f, 0.8f, 0.7f};
  for (const auto& [overlap, found] : {std::pair{0.5f, 3u}, {0.49f, 1u}}) {
    DetectShape s = {1, 3, 1, 1, 3, 3, 3, 1, 0, overlap, 0, 0};
    ExpectReference(s, boxes, scores, 0);
    const std::vector<float> rows = DetectReference(s, boxes.data(), scores.data());
    EXPECT_EQ(rows[7], found == 3 ? 0.0f : -1.0f);
  }
}

TEST(Detect, LeavesOutScoresThatAreNoNumbers) {
  DetectShape s = DetectShapeOf(3, true, 5);
  s.batch = 1;
  s.score_threshold = -kInfinity;
  const std::vector<float> scores = {kNan, kNan, kInfinity, 2,    1, kNan,
                                     kNan, kNan, kNan,      kNan, 5, -kInfinity};
  for (const uint32_t best_class : {0u, 1u}) {
    s.best_class = best_class;
    ExpectReference(s, {0, 0, 4, 0, 8, kNan, 1, 1, 5, 1, 9, 1}, scores, 0);
  }
}

TEST(Detect, FindsNothingWithoutPriorsOrClasses) {
  for (const auto& [priors, classes] : {std::pair{0u, 3u}, {3u, 0u}}) {
    DetectShape s = DetectShapeOf(priors, true, 2);
    s.classes = classes;
    ExpectReference(s, std::vector<float>(size_t{8} * priors), {}, 0);
  }
}

}  // namespace
}  // namespace weft::kernels
